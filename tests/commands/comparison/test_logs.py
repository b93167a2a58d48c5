"""`auditfw compare` of logs: differences planted in published completions come out of the command, to the digit.

The figures, in points, are those of this project's specification of two logs, on gsm8k_model_solutions.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from places import CASES
from running import run_auditfw
from sentences import gaps as says

from auditfw.commands.comparison.gap_answer import because, headline
from auditfw.commands.comparison.gap_tables import gap_table
from auditfw.commands.comparison.logs import compare_words, sides_of
from auditfw.commands.comparison.pair import ComparedPair, compared_pair
from auditfw.core.errors import AuditError

FILE = CASES / "data" / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz"
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")
Rows = Sequence[dict[str, Any]]
Rule = Callable[[str, str], bool]
LAST = ["audit.matcher.which=last", "audit.baseline={parser: last_number, normalizer: none}"]
ANY = ["audit.matcher.which=any", "audit.baseline={parser: raw, normalizer: none}"]
ALL = ["normalizer=[none]", "matcher=numeric"]


def value(number: str) -> float:
    return float(number.replace(",", "").rstrip("."))


def numbers(text: str) -> list[float]:
    return [value(match) for match in NUMBER.findall(text) if match.strip("-,.")]


def last_number(text: str, truth: str) -> bool:
    return numbers(text)[-1:] == [value(truth)]


def any_number(text: str, truth: str) -> bool:
    return value(truth) in numbers(text)


def solutions(model: str) -> Rows:
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        rows = list(map(json.loads, file))
    return [
        {
            "id": str(at),
            "item": f"q{at}",
            "question": row["question"],
            "ground_truth": row["ground_truth"].rsplit("A: ", 1)[1].strip(),
            "raw_text": row[model]["solution"],
        }
        for at, row in enumerate(rows)
    ]


def fewer(rows: Rows) -> Rows:
    return [row for row in rows if int(row["id"]) % 10]


def other_truths(rows: Rows) -> Rows:
    return [{**row, "ground_truth": "999999"} if int(row["id"]) < 40 else row for row in rows]


def cut(rows: Rows) -> Rows:
    def text(row: dict[str, Any]) -> str:
        whole: str = row["raw_text"]
        return whole if int(row["id"]) % 5 else whole[: len(whole) // 2].rstrip() + " and the"

    return [{**row, "raw_text": text(row)} for row in rows]


def write(file: Path, rows: Rows, rule: Rule) -> None:
    labelled = ({**row, "stored": rule(row["raw_text"], row["ground_truth"])} for row in rows)
    file.write_text("".join(json.dumps(row) + "\n" for row in labelled), "utf-8")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    best = solutions("175b_verification")
    write(folder / "A.jsonl", best, last_number)
    write(folder / "same.jsonl", best, last_number)
    write(folder / "items.jsonl", fewer(best), last_number)
    write(folder / "truths.jsonl", other_truths(best), last_number)
    write(folder / "scoring.jsonl", best, any_number)
    write(folder / "ended.jsonl", cut(best), last_number)
    write(folder / "all.jsonl", cut(other_truths(fewer(best))), any_number)
    write(folder / "finetuning.jsonl", solutions("175b_finetuning"), last_number)
    return folder


@pytest.fixture
def pair(logs: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ComparedPair]:
    monkeypatch.chdir(logs)

    def compared(other: str, rule: Sequence[str] = LAST) -> ComparedPair:
        own = [*(f"1:{word}" for word in LAST), *(f"2:{word}" for word in rule)]
        words = compare_words(["A.jsonl", f"{other}.jsonl", *ALL, *own])
        one, two = sides_of(words)[0]
        return compared_pair(one, two, words.settings)

    return compared


def shown(pair: ComparedPair) -> dict[str, tuple[float, ...]]:
    """Value and ends in points, of the gap and of parts that are not 0."""
    parts = {name: part for name, part in pair.gap.parts.items() if part.value} | {"gap": pair.gap.gap}
    return {
        name: tuple(round(100 * (one or 0.0), 2) for one in (part.value, part.low, part.high))
        for name, part in parts.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rule", "figures"),
    [
        ("same", LAST, {"gap": (0.0, 0.0, 0.0)}),
        ("items", LAST, {"items": (0.32, -0.57, 1.20), "gap": (0.32, -0.57, 1.20)}),
        ("truths", LAST, {"truths": (1.67, 0.94, 2.39), "gap": (1.67, 0.98, 2.36)}),
        ("scoring", ANY, {"scoring": (-6.67, -8.02, -5.30), "gap": (-6.67, -8.02, -5.32)}),
        (
            "ended",
            LAST,
            {"ended": (10.78, 9.43, 12.12), "rest": (0.89, -0.30, 2.09), "gap": (11.68, 9.90, 13.45)},
        ),
    ],
)
def test_planted_differences(
    pair: Callable[..., ComparedPair], name: str, rule: list[str], figures: dict[str, tuple[float, ...]]
) -> None:
    made = pair(name, rule)
    assert shown(made) == figures
    assert all(part.why == "same" for part in made.gap.parts.values() if not part.value)
    (whole, cut_off), (ours, theirs) = [one.share for one in made.right], made.of_answered
    assert ours == pytest.approx(whole)  # none of A's texts breaks off
    assert theirs is not None
    assert (theirs > cut_off + 0.02) is (name == "ended")


@pytest.mark.slow
def test_two_models_and_one_run_scored_twice(pair: Callable[..., ComparedPair]) -> None:
    models = pair("finetuning")
    assert shown(models)["gap"] == (21.53, 18.65, 24.41)
    assert (models.paired.won, models.paired.lost, models.paired.tied) == (360, 76, 883)
    assert models.status == "unknown"
    twice = pair("scoring", ANY)
    assert headline(twice) == says.ONE_RUN_TWO_SCORINGS
    assert (twice.status, twice.words) == ("fragile", says.PARTLY_NOT_THE_MODELS)


def test_all_four_through_the_command(logs: Path) -> None:
    """Items, truths, rule and ends differ: each part comes out, the screen says it, and the files hold it."""
    words = ["A.jsonl", "all.jsonl", *ALL, *(f"1:{word}" for word in LAST), *(f"2:{word}" for word in ANY)]
    done = run_auditfw(("compare", *words, "--json"), logs)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "auditfw.comparison/2"
    assert {"runs", "config", "versions", "inputs", "answers", "gates", "measurements", "flips"} <= document.keys()
    parts = {one["part"]: (one["value"], one["low"], one["high"]) for one in document["parts"] if one["value"]}
    assert {name: tuple(round(number, 2) for number in numbers) for name, numbers in parts.items()} == {
        "items": (0.32, -0.57, 1.20),
        "truths": (1.73, 0.99, 2.46),
        "scoring": (-6.44, -7.82, -5.05),
        "ended": (5.93, 4.86, 6.99),
        "rest": (0.56, -0.33, 1.45),
    }
    assert [round(document["gap"][key], 2) for key in ("value", "low", "high")] == [2.08, -0.11, 4.27]
    assert (document["sets"]["common"], document["sets"]["only_a"], document["sets"]["other_truth"]) == (1187, 132, 36)
    answer = document["answer"]
    assert (answer["status"], answer["words"]) == ("broken", "NOT ONE EXAM")
    assert answer["headline"] == says.NOT_ONE_EXAM
    assert says.THE_PARTS_CANCEL in answer["because"]
    screen = run_auditfw(("compare", *words, "gate=[stable]"), logs)
    assert screen.returncode == 1
    for line in (
        "│ items            +0.32  [-0.57, +1.20]  132 questions only in A",
        "│ scoring          -6.44  [-7.82, -5.05]  the rule of B calls more right on both",
        "│ model, prompt    +0.56  [-0.33, +1.45]  the rest",
    ):
        assert line in screen.stdout
    folder = logs / screen.stdout.splitlines()[-1].removeprefix("files: ")
    table = pl.read_parquet(folder / "gap.parquet")
    assert table.height == 1319
    assert table["other_truth"].sum() == 36
    names = ["items", "repeats", "truths", "scoring", "ended", "rest"]
    assert sum(float(table[name].sum()) for name in names) == pytest.approx(document["gap"]["value"])
    assert (folder / "compare.md").read_text("utf-8") == run_auditfw(("compare", *words, "--markdown"), logs).stdout
    assert json.loads((folder / "compare.json").read_text("utf-8"))["parts"] == document["parts"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["A.jsonl"], 2, "compare: needs two (A.jsonl)"),
        (["A.jsonl", "A.jsonl"], 2, "both are A.jsonl: one run against itself"),
        (["A.jsonl", "same.jsonl", "3:by=[]"], 2, "3:by=[]: there are 2 sides"),
        (["A.jsonl", "same.jsonl", "hydra.run.dir=x"], 2, "hydra.run.dir: is not for compare"),
        (["A.jsonl", "same.jsonl", "2:hydra.run.dir=x"], 2, "hydra.run.dir: is not for compare"),
        (["A.jsonl", "same.jsonl", "+hydra.job.num=1"], 2, "+hydra.job.num: is not for compare"),
        (["A.jsonl", "same.jsonl", "hydra/launcher=joblib"], 2, "hydra/launcher: is not for compare"),
        (["A.jsonl", "none.jsonl"], 3, "none.jsonl: no such file"),
        (["A.jsonl", "baseline.json"], 2, "baseline.json: an accepted run comes first"),
        (["A.jsonl", "same.jsonl", "compare.truth=1"], 2, "compare.truth: unknown setting"),
    ],
)
def test_bad_words(logs: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, message: str) -> None:
    monkeypatch.chdir(logs)
    (logs / "baseline.json").write_text("{}", "utf-8")
    with pytest.raises(AuditError, match=re.escape(message)) as caught:
        sides_of(compare_words(words))
    assert caught.value.exit_code == code


@pytest.mark.slow
def test_several_logs_against_the_best(logs: Path) -> None:
    """The worst is typed first; without a tenth of its items the best log ties with itself."""
    names = ["finetuning.jsonl", "items.jsonl", "A.jsonl"]
    done = run_auditfw(("compare", *names, *ALL, *LAST, "compare.against=best", "--json"), logs)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [one["path"] for one in document["sides"]] == ["A.jsonl", "finetuning.jsonl"]
    ranks = [(one["side"], one["tier"], one["best_rank"], one["worst_rank"]) for one in document["tiers"]]
    assert ranks == [("A", 1, 1, 2), ("C", 1, 1, 2), ("B", 2, 3, 3)]
    assert all(one["right"] < one["right_of_answered"] + 1e-9 for one in document["tiers"])
    assert [round(pair["gap"]["value"], 2) for pair in document["pairs"]] == [21.53, 0.32]
    screen = run_auditfw(("compare", *names, *ALL, *LAST, "compare.against=best"), logs)
    assert says.TWO_OF_THREE_TIE in screen.stdout
    assert says.GAP_BETWEEN_A_AND_C in screen.stdout


@pytest.mark.slow
def test_a_column_that_is_the_key(pair: Callable[..., ComparedPair], logs: Path) -> None:
    words = compare_words(["A.jsonl", "same.jsonl", *ALL, "compare.on=nothing"])
    one, two = sides_of(words)[0]
    with pytest.raises(AuditError, match="has no such column") as caught:
        compared_pair(one, two, words.settings)
    assert caught.value.exit_code == 3


@pytest.mark.slow
def test_ends_that_no_log_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another limit, in logs that do not say how answers ended: their texts do not show what was cut off."""
    monkeypatch.chdir(tmp_path)
    logs = CASES / "data" / "two_logs" / "lm_eval"
    words = compare_words([str(logs / "base"), str(logs / "limit")])
    one, two = sides_of(words)[0]
    made = compared_pair(one, two, words.settings)
    assert made.words == says.WHY_NOT_RECORDED
    assert says.ENDS_NOT_RECORDED in because(made)
    assert says.ENDS_NOT_SEPARATED in [row[3] for row in gap_table(made).rows]
    assert (
        sum(says.ENDS_NOT_RECORDED.partition(":")[0] in line or "not all logs say" in line for line in because(made))
        == 1
    )
    assert made.of_answered == (None, None)


@pytest.mark.slow
def test_a_ranking_of_one_model_by_two_rules(tmp_path: Path) -> None:
    """The best is the first scored by another rule: by the rule of the first all but its place is the same."""
    logs = CASES / "data" / "two_logs" / "lm_eval"
    words = ("compare", *(str(logs / name) for name in ("base", "limit", "filter")))
    tiers = json.loads(run_auditfw((*words, "--json"), tmp_path).stdout)["tiers"]
    assert [(one["side"], one["right"], one["by_first_rule"]) for one in tiers] == [
        ("C", 90.0, 65.0), ("A", 65.0, 65.0), ("B", 12.5, 12.5),
    ]  # fmt: skip
    screen = " ".join(run_auditfw(words, tmp_path).stdout.replace("│", "").split())
    assert says.BY_DIFFERENT_RULES in screen


@pytest.mark.slow
def test_a_gap_of_one_model_is_not_the_models(tmp_path: Path) -> None:
    logs = CASES / "data" / "two_logs" / "inspect"
    done = run_auditfw(("compare", str(logs / "base.eval"), str(logs / "limit.eval"), "--json"), tmp_path)
    assert json.loads(done.stdout)["answer"]["words"] == says.NOT_THE_MODELS


@pytest.mark.slow
def test_one_run_scored_by_two_rules_among_several(tmp_path: Path) -> None:
    logs = CASES / "data" / "two_logs" / "inspect"
    done = run_auditfw(("compare", *(str(logs / f"{name}.eval") for name in ("base", "pattern", "limit"))), tmp_path)
    shown = done.stdout.replace("\n│ ", " ")
    for line in (says.BY_EACH_RULE, says.ONE_MODEL, says.SAME_COMPLETIONS):
        assert line in shown, done.stdout


def test_sides_of_two_tasks_and_an_unfinished_run(tmp_path: Path) -> None:
    for name in "AB":
        rows = [
            {"id": f"{name}{at}", "raw_text": "1", "ground_truth": "1", "stored": True, "task": name}
            for at in range(30)
        ]
        text = "".join(json.dumps({**row, "question": f"{name} {at}?"}) + "\n" for at, row in enumerate(rows))
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    done = run_auditfw(("compare", "A.jsonl", "B.jsonl", "by=[task]"), tmp_path)
    assert (done.returncode, says.OTHER_TASK in done.stderr) == (5, True), done.stderr
    (tmp_path / "left" / ".hydra").mkdir(parents=True)
    (tmp_path / "left" / "manifest.json").write_text("{}", "utf-8")
    done = run_auditfw(("compare", "A.jsonl", "left"), tmp_path)
    assert (done.returncode, says.INCOMPLETE_SIDE in done.stderr) == (4, True), done.stderr
