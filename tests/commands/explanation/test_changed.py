"""`auditfw explain RUN READING`: the labels that a reading changes, in lines of a terminal and as JSON."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw.audits.parsing.conclusions.pipelines import MEANINGS, NAMES
from auditfw.commands.explanation.changed import _texts, meaning
from auditfw.core.document import Mark, Snippet
from auditfw.core.results.excerpts import around, brief_line, one_line, quoted

STRANGERS = Path(__file__).parents[2] / "cases" / "data" / "strangers"
EXPLAINED = STRANGERS.parents[1] / "explained" / "answers-80.txt"
ANSWERS = (
    "source=jsonl", "source.path=answers.jsonl", "source.columns.id='#'", "by=[model]", "matcher=numeric",
    "source.columns={item: qid, raw_text: response, parsed_text: pred, ground_truth: target, stored: is_correct}",
    'source.nulls={ground_truth: [""]}', "parser=[stored,answer_v2,last_number]", "normalizer=[none]", "gate=[]",
    "audit.matcher.which=last",
)  # fmt: skip
SEARCHED = "audit.baseline=search"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's answers, audited with the page (`run`), without it (`bare`) and with few exhibits (`few`)."""
    folder = tmp_path_factory.mktemp("changed")
    shutil.copytree(STRANGERS, folder, dirs_exist_ok=True)
    for name, words in {
        "run": ["report=[html]", SEARCHED],
        "bare": ["report=[]", "audit.baseline=null"],
        "few": ["report=[html]", "audit.baseline=null", "report.max_exhibits=10", "report.max_examples=0"],
    }.items():
        done = run_auditfw([*ANSWERS, *words, f"hydra.run.dir={name}"], folder)
        assert done.returncode == 0, done.stderr
    return folder


def explained(home: Path, *words: str, width: int = 80) -> Sequence[str]:
    done = run_auditfw(["explain", *words], home, {"COLUMNS": str(width)})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_changed_labels_as_lines(home: Path) -> None:
    assert explained(home, "run", "answer_v2+none", "limit=2") == [
        says.CHANGED_LABELS_OF_ANSWER_NONE,
        says.NUMBER_FORMAT_A_NUMBER_WITH,
        says.SEVERAL_CANDIDATES_WHAT_IS_COMPARED,
        says.MARKDOWN_THE_TEXT_HAS_MARKS,
        says.A_LABEL_MAY_HAVE_SEVERAL,
        "╭ answers.jsonl:200: q049 (heron-30b), expected: 2.6",
        says.WE_NEED_ANSWER_QUESTION_TRAIN,
        "│ with 40 …",
        says.YOUR_LABEL_WRONG_ANSWER_NONE,
        '│ / 4 = 2.6.⏎Answer: 2.6"',
        "╭ answers.jsonl:207: q051 (heron-30b), expected: 5074",
        says.THE_NUMBERS_ARE_AND_SO,
        "│ 5,074.⏎</think>⏎⏎Answer: 5,074",
        says.YOUR_LABEL_WRONG_ANSWER_NONE_RIGHT,
        "╭ 61 more",
        "│ auditfw explain run answer_v2+none limit=63",
    ]


def test_all_of_them_and_none(home: Path) -> None:
    every = explained(home, "run", "answer_v2+none", "limit=63")
    assert sum(line.startswith("╭ answers.jsonl:") for line in every) == 63
    assert not any("more" in line for line in every if line.startswith("╭"))
    assert explained(home, "run", "stored+none") == [says.CHANGED_LABELS_OF_STORED_NONE, "│ It changes no label."]
    assert len(explained(home, "run", "answer_v2+none")) > 30  # ten of them


def test_what_a_run_did_not_keep_is_said(home: Path) -> None:
    bare, few = explained(home, "bare", "answer_v2+none"), explained(home, "few", "answer_v2+none", "limit=2")
    assert bare[0].startswith("╭ 63 changed labels of answer_v2+none")
    assert few[0] == "╭ 63 changed labels of answer_v2+none"
    assert "were not kept (report.max_exhibits)" in few[-1]
    assert few[-3] == "╭ 61 more"


def test_the_same_as_json(home: Path) -> None:
    done = json.loads("\n".join(explained(home, "run", "last_number+none", "limit=1", "--json")))
    assert (done["schema"], done["reading"], done["reference"]) == (
        "auditfw.explanation/1",
        "last_number+none",
        "stored",
    )
    assert (done["changed_labels"], len(done["first"])) == (55, 1)
    assert {"place", "title", "expected", "texts", "before", "after", "compared_before", "compared", "causes"} == {
        *done["first"][0]
    }
    assert done["causes"]["number format"]["means"] == MEANINGS["number format"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "answer_v2+non"], says.EXPLAIN_ANSWER_NON_NO_GATE),
        (["run", "stored"], says.EXPLAIN_STORED_NO_GATE_OR),  # the reference
        (["run", "answer_v2+none", "limit=-1"], says.LIMIT_EXPECTED_A_WHOLE_NUMBER),
        (["run", "answer_v2+none", "limit=few"], says.LIMIT_EXPECTED_A_WHOLE_NUMBER_OF),
        (["run", "a", "b"], says.EXPLAIN_NEEDS_A_RUN_FOLDER),
    ],
)
def test_what_cannot_be_asked(home: Path, words: list[str], told: str) -> None:
    done = run_auditfw(["explain", *words], home)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr


def test_labels_of_raters_with_what_they_read(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{i}", "one": "AB"[i % 2], "other": "A", "question": f"What is {i}?", "answer": "\x1b[31mred"}
        for i in range(40)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    words = [
        "experiment=cross_agent",
        "source=jsonl",
        "source.path=rows.jsonl",
        "policy=[]",
        "audit.raters=[one,other]",
    ]
    more = ["audit.reference=other", "audit.labels=found", "audit.acceptable=[]", "gate=[]", "by=[]", "report=[html]"]
    done = run_auditfw([*words, *more, "hydra.run.dir=run"], tmp_path)
    assert done.returncode == 0, done.stderr
    lines = explained(tmp_path, "run", "one", "limit=1")
    assert lines[0] == says.CHANGED_LABELS_OF_ONE_TO
    assert "│ other: A; one: B" in lines
    assert not any("\x1b" in line for line in lines)
    assert lines[-2:] == ["╭ 19 more", "│ auditfw explain run one limit=20"]


def test_every_sign_has_a_meaning_and_every_step() -> None:
    assert list(MEANINGS) == list(NAMES)
    assert all(len(f"{name} (1,234): {text}") <= 78 for name, text in MEANINGS.items())
    assert meaning('step after_last "</think>"') == says.KEEPS_WHAT_FOLLOWS_THE_LAST
    assert meaning("step without squad").startswith(says.THE_NORMALIZER_OF_THE_REFERENCE)


@pytest.mark.parametrize(
    ("text", "at", "length", "shown"),
    [
        ("one\n\n two  words ", -1, 0, "one⏎⏎two words"),
        ("a" * 200, -1, 0, f"… {'a' * 130}"),
        ("a" * 200 + "XY" + "b" * 200, 200, 2, f"… {'a' * 90}XY{'b' * 40} …"),
        ("XY" + "b" * 10, 0, 2, "XYbbbbbbbbbb"),
        ("x" * 300, 0, 300, f"{'x' * 90} …"),
    ],
)
def test_a_line_around_a_place(text: str, at: int, length: int, shown: str) -> None:
    assert around(text, at, length) == shown


def test_the_start_of_a_text_in_a_line() -> None:
    assert [one_line("a\r\n b"), quoted(" \n"), quoted("a b")] == ["a⏎b", "nothing", '"a b"']
    assert (brief_line("x" * 50), brief_line("x" * 51)) == ("x" * 50, "x" * 49 + "…")


def test_why_an_answer_came_out_in_short_lines(home: Path) -> None:
    """Reasons and what to do come first, then what was found; `AUDITFW_SCREENS=all` writes the file anew."""
    lines = explained(home, "run")
    if os.environ.get("AUDITFW_SCREENS"):
        EXPLAINED.write_text("\n".join(lines) + "\n", "utf-8")
    assert lines == EXPLAINED.read_text("utf-8").splitlines()
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (0, 3, "aaa"),  # a short part is the middle itself
        (0, 400, "T1"),  # of a long part the last truth in it
        (150, 400, "c" * 50),  # without one its end
    ],
)
def test_what_is_shown_of_a_text_is_around_what_was_kept(start: int, end: int, shown: str) -> None:
    text = "aaa" + "b" * 97 + "T1" + "b" * 198 + "c" * 100
    marks = [Mark("last", start, end), Mark("truth", 100, 102)]
    [line] = _texts([Snippet("raw_text", text, marks=marks)], "last+none")
    at = {"aaa": 0, "T1": 100, "c" * 50: 350}[shown]
    assert line == around(text, at, len(shown))
