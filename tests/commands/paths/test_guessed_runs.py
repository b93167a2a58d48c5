"""`auditfw FILE` of a table that nobody described: it runs where its columns are known without doubt, else it asks."""

from __future__ import annotations

import json
import random
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from files_read import lines
from running import Command
from sentences import commands as says
from terminals import on_terminal

from auditfw.commands.paths.command import recognised
from auditfw.commands.paths.guessed_runs import guessed_run
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.files.looks.guessed import guessed, rivals
from auditfw.config.guessed import guessed_note

N = 30


def table(**columns: Any) -> list[dict[str, Any]]:
    """Thirty answers of which every third is wrong; a column is a value, or made of the row's number."""
    own = {"q": "q{i}", "response": "It is {a}.", "truth": "{i}", "ok": lambda i: int(i % 3 > 0)}
    rows = []
    for i in range(N):
        made = {name: make(i) if callable(make) else make for name, make in {**own, **columns}.items()}
        said = i if i % 3 else "not known"
        texts = {key: part.format(i=i, a=said) if isinstance(part, str) else part for key, part in made.items()}
        rows.append({key: part for key, part in texts.items() if part is not None})
    return rows


@pytest.mark.parametrize(
    ("columns", "doubts"),
    [
        ({}, {}),
        ({"pred": "{a}", "model": "m"}, {}),
        ({"truth": None, "answer": "{i}"}, {}),  # the label tells that it is no answer of the model
        ({"output": "Well, {a}"}, {"raw_text": ["response", "output"]}),
        ({"gpt4_response": "Well, {a}"}, {"raw_text": ["response", "gpt4_response"]}),
        ({"prediction": "{a}"}, {"raw_text": ["response", "prediction"]}),
        ({"pred": "{a}", "extracted": "{a}"}, {"parsed_text": ["extracted", "pred"]}),
        ({"solution": "Thus {i}."}, {"ground_truth": ["truth", "solution"]}),
        ({"answer": "{i}"}, {"ground_truth": ["truth", "answer"]}),
        ({"correct": lambda i: 1}, {"stored": ["correct", "ok"]}),
        ({"strict": lambda i: int(i % 3 == 1)}, {"stored": ["ok", "strict"]}),  # says much the same
        ({"cached": lambda i: int(i % 5 == 0)}, {}),  # says something else
        ({"ok": None, "cached": lambda i: int(i % 5 == 0)}, {"stored": ["cached"]}),
        ({"ok": lambda i: int(i % 3 == 0)}, {"stored": ["ok"]}),  # yes where the text does not hold the truth
        ({"truth": None, "ok": None, "answer": "{i}"}, {}),
        ({"truth": None, "ok": None, "answer": "{a}"}, {"ground_truth": ["answer"]}),  # in every text: the model's own
        ({"truth": None, "ok": None, "label": lambda i: i % 2}, {"ground_truth": ["label"]}),
        ({"truth": None, "ok": None, "response": lambda i: "AB"[i % 2], "label": lambda i: "AB"[i % 3 > 0]},
         {"raw_text": ["response"]}),  # a classifier, or a rater
        ({"response": None, "answer": "It is {a}."}, {"raw_text": ["answer"]}),
        ({"ok": None, "label": lambda i: "correct" if i % 3 else "incorrect"}, {}),  # says how it was scored
        ({"ok": None, "result": lambda i: "pass" if i % 3 else "fail"}, {}),
        ({"ok": None, "result": lambda i: int(i % 3 > 0)}, {"stored": ["result"]}),
        ({"ok": None, "label": lambda i: "yes" if i % 3 else "no"},
         {"ground_truth": ["truth", "label"], "stored": ["label"]}),
        ({"ok": None, "label": lambda i: int(i % 3 > 0)}, {"ground_truth": ["truth", "label"], "stored": ["label"]}),
    ],
)  # fmt: skip
def test_what_is_in_doubt(columns: dict[str, Any], doubts: dict[str, list[str]]) -> None:
    rows = table(**columns)
    assert rivals(list(rows[0]), rows, guessed(list(rows[0]), rows)) == doubts


def written(folder: Path, rows: Sequence[dict[str, Any]], name: str = "x.jsonl") -> str:
    return lines(*rows, name=str(folder / name))


def never(question: str, choices: Sequence[str]) -> None:
    raise AssertionError(question)


def test_a_table_without_doubt_runs_and_says_what_it_took_for_what(tmp_path: Path, command: Command) -> None:
    path = written(tmp_path, table())
    done = command(path, "report=[json]")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == (says.AUDITFW_A_TABLE_OF_ANSWERS.format(path))
    assert json.loads(done.stdout)["warnings"][0] == says.GUESSED_RAW_TEXT_RESPONSE_GROUND
    [folder] = (tmp_path / "outputs").glob("*/*/[0-9]*")
    again = command("rerun", str(folder), "report=[json]")
    assert json.loads(again.stdout)["warnings"] == json.loads(done.stdout)["warnings"]
    assert "Guessed: raw_text: response" in command("check", path).stdout


def test_what_is_guessed_is_said_and_decides_nothing(tmp_path: Path, command: Command) -> None:
    path = written(tmp_path, table())
    one, other = (json.loads(command(path, "report=[json]", *words).stdout) for words in ((), ("guessed=[]",)))
    assert one["warnings"][1:] == other["warnings"]
    assert {**one, "warnings": []} == {**other, "warnings": []}
    wrong = command(path, "guessed=[colums]")
    assert (wrong.returncode, "guessed" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("settings", "note"),
    [
        ({}, []),
        ({"guessed": ["by"], "by": None}, []),
        ({"guessed": ["source.columns"], "source": {"columns": {"id": "#"}}}, []),
        ({"guessed": ["by"], "by": ["model"]}, ["Guessed: by: model."]),
        (
            {"guessed": ["source.columns", "audit.raters", "audit.reference"], "source": {"columns": {"id": "n"}},
             "audit": {"raters": [f"r{i}" for i in range(14)], "reference": "r13"}},
            [says.GUESSED_ID_RATERS_AND_MORE],
        ),
    ],
)  # fmt: skip
def test_the_sentence(settings: dict[str, Any], note: list[str]) -> None:
    assert guessed_note(settings, SimpleNamespace(**settings.get("audit", {}))) == note


def test_in_doubt_the_command_is_printed_with_what_is_in_doubt(tmp_path: Path, command: Command) -> None:
    path = written(tmp_path, table(solution="Thus {i}."))
    done = command(path)
    assert (done.returncode, done.stdout) == (3, "")
    assert says.GROUND_TRUTH_MAY_BE_TRUTH in done.stderr
    assert says.SAY_WHICH_COLUMNS_ARE_WHICH in done.stderr


def test_words_of_the_user_settle_a_doubt(tmp_path: Path) -> None:
    path = written(tmp_path, table(solution="Thus {i}.", correct=1))
    for words in (
        ["source.columns.ground_truth=solution", "source.columns.stored=ok"],
        ["source.columns={ground_truth: solution, stored: ok}"],
    ):
        run = recognised([path], words)[1][0]
        assert "source.columns={raw_text: response, ground_truth: solution, stored: ok}" in run.words


def test_a_key_settles_a_doubt(tmp_path: Path) -> None:
    asked: list[tuple[str, list[str]]] = []

    def ask(question: str, choices: Sequence[str]) -> int | None:
        asked.append((question, list(choices)))
        return len(choices) - 1

    path = written(tmp_path, table(solution="Thus {i}.", correct=1))
    run = guessed_run([first_look(path)], {}, ask)
    assert run is not None
    assert "source.columns={raw_text: response, ground_truth: solution}" in run.words  # none of them is the label
    assert asked == [
        (says.WHICH_COLUMN_HOLDS_THE_RIGHT, ["truth", "solution"]),
        (says.WHICH_COLUMN_HOLDS_WHETHER_THE, ["correct", "ok", "none of these"]),
    ]
    assert guessed_run([first_look(path)], {}, lambda question, choices: None) is None


def test_what_is_missing_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, table(response=None, theirs="It is {a}."))
    run = guessed_run([first_look(path)], {}, lambda question, choices: list(choices).index("theirs"))
    assert run is not None
    assert "source.columns={raw_text: theirs, ground_truth: truth, stored: ok}" in run.words
    assert guessed_run([first_look(written(tmp_path, [{"a": 1, "b": 2.5}]))], {}, never) is None


draw = random.Random(3)


def rated(*names: str) -> list[dict[str, Any]]:
    """Raters of forty items who mostly agree."""
    rows = []
    for i in range(40):
        label = draw.randint(1, 5)
        rows.append({"item": f"t{i}", **{name: label if draw.random() < 0.8 else 3 for name in names}})
    return rows


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        (rated("anna", "bela", "gpt_judge"), None),
        (rated("anna", "bela"), says.DO_ANNA_BELA_HOLD_THE),  # it may be two questions of a survey
        (rated("anna", "judge")[:10], says.DO_ANNA_JUDGE_HOLD_THE),  # too few to tell
        (rated("prediction", "label"), says.WHAT_DOES_THE_TABLE_HOLD),
    ],
)
def test_raters(rows: list[dict[str, Any]], question: str | None, tmp_path: Path) -> None:
    asked = []

    def ask(question: str, choices: Sequence[str]) -> int:
        asked.append(question)
        return len(choices) - 1

    run = guessed_run([first_look(written(tmp_path, rows))], {}, ask)
    assert asked == ([] if question is None else [question])
    assert run is not None
    assert run.words[0] == "experiment=cross_agent"
    assert run.guessed == ("source.columns", "audit.raters", "audit.reference", "by")


@pytest.mark.parametrize(
    ("names", "humans"),
    [
        (["anna", "bela", "carl", "gpt_judge"], "[anna,bela,carl]"),
        (["rater_1", "rater_2", "rater_3", "claude-3", "gpt4o"], "[rater_1,rater_2,rater_3]"),
        (["human1", "human2", "expert", "judge"], "[human1,human2,expert]"),
        (["anna", "bela", "gpt_judge"], None),  # of two people there is no test
        (["anna", "bela", "carl", "dora"], None),
        (["judge_a", "judge_b", "judge_c", "gpt"], None),  # which of them are people is not told
        (["anna", "bela", "carl", "majority", "gpt"], None),
        (["human_majority", "anna", "bela", "gpt"], None),
    ],
)
def test_people_are_told_from_machines_by_their_names(names: list[str], humans: str | None, tmp_path: Path) -> None:
    run = guessed_run([first_look(written(tmp_path, rated(*names)))], {}, lambda question, choices: 0)
    assert run is not None
    assert [word for word in run.words if word.startswith("audit.humans")] == (
        [] if humans is None else [f"audit.humans={humans}"]
    )
    assert ("audit.humans" in run.guessed) == (humans is not None)
    long = [{"item": row["item"], "rater": name, "label": row[name]} for row in rated(*names) for name in names]
    found = recognised([written(tmp_path, long[: 20 * len(names)])])[1][0].words
    assert (f"audit.humans={humans}" in found) == (humans is not None)


def test_one_key_on_a_terminal(tmp_path: Path) -> None:
    written(tmp_path, table(solution="Thus {i}."))
    code, output = on_terminal(tmp_path, ["check", "x.jsonl"], keys="2")
    assert code == 0, output
    assert "  1  truth" in output
    assert "ground_truth: solution" in output
    code, output = on_terminal(tmp_path, ["check", "x.jsonl"], keys="x")
    assert (code, says.SAY_WHICH_COLUMNS_ARE_WHICH_2 in output) == (3, True)


RATINGS = Path(__file__).parents[2] / "cases" / "data" / "strangers" / "ratings.csv"


def test_the_command_without_the_rater_that_is_off_works_as_it_is_printed(tmp_path: Path, command: Command) -> None:
    shutil.copy(RATINGS, tmp_path)
    first = json.loads(command("ratings.csv", "report=[json]").stdout)
    assert [(gate["name"], round(gate["value"], 4)) for gate in first["gates"][:1]] == [("weighted_kappa", 0.2183)]
    assert first["answer"]["next"] == says.WITHOUT_CARL_THE_COMMAND
    again = command(*shlex.split(first["answer"]["next"].partition("auditfw ")[2]))
    assert again.returncode == 1, again.stderr
    result = json.loads(again.stdout)
    assert result["warnings"][0].startswith(says.GUESSED_ID_REFERENCE)
    assert result["answer"]["headline"].startswith(says.WEIGHTED_KAPPA_OF_BELA)
    fewer = "audit.raters=[anna,bela,gpt_judge]"
    assert json.loads(command("ratings.csv", fewer, "report=[json]").stdout)["answer"] == result["answer"]
    wrong = command("ratings.csv", fewer, "audit.humans=[anna,bela,carl]")
    assert (wrong.returncode, wrong.stderr.splitlines()[-1]) == (2, says.NO_RATER_CARL)


@pytest.mark.parametrize(
    ("labels", "gate"),
    [
        ("12345", "gate=[weighted_kappa,abstain,coverage,joins]"),
        ("01", "gate=[agreement,kappa,abstain,coverage,joins]"),
        ("abc", "gate=[agreement,kappa,abstain,coverage,joins]"),
    ],
)
def test_numbers_are_held_by_weighted_kappa(labels: str, gate: str, tmp_path: Path) -> None:
    rows = [{"item": f"q{i}", **{name: labels[i % len(labels)] for name in ("anna", "bela", "gpt")}} for i in range(40)]
    run = guessed_run([first_look(written(tmp_path, rows))], {}, lambda question, choices: 0)
    assert run is not None
    assert gate in run.words
    assert ("metrics.krippendorff_alpha.level=ordinal" in run.words) == (labels == "12345")
