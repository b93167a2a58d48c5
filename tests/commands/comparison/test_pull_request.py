"""The Markdown of a comment on a pull request: the answer first, then labels, then gates; nothing in it is markup."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from running import run_auditfw
from sentences import commands as says

from auditfw.commands.comparison.label_changes import LabelChanges
from auditfw.commands.comparison.pull_request import LIMIT, NOT_PAIRED, Difference, pull_request_text
from auditfw.commands.stored_run import StoredRun
from auditfw.core.document import Table
from auditfw.core.records import GateResult

ANSWER = {"status": "fragile", "headline": "It depends.", "because": ["of this", "of that"], "next": "Read the flips."}
GATES = [
    {"name": "a", "rule": "n >= 1", "reading": None, "value": 2.0, "status": "pass", "why": ""},
    {"name": "b", "rule": "kappa >= 0.7", "reading": "r", "value": None, "status": "inconclusive", "why": "undefined"},
    {"name": "c", "rule": "flips <= 1", "reading": "r", "value": 3.0, "status": "fail", "why": ""},
]
HOSTILE = "</details><!-- x --> @user | `code` [a](http://x) \u202e **b** #12"
NONE = Table(["measurement", "before", "now"], [])
SAME = Difference(10, [], NONE, [])


def run(folder: str, **more: Any) -> StoredRun:
    result = {
        "audit": "parsing",
        "verdict": "fail",
        "exit_code": 1,
        "counts": {"read": 10, "audited": 9, "missing": 1},
        "answer": ANSWER,
        "gates": GATES,
        "inputs": [{"path": "a.jsonl", "sha256": "1", "bytes": 1}],
        "config_hash": "x",
        "versions": {"auditfw": "1"},
    }
    known = {**result, **more}
    return StoredRun(Path(folder), {**known, "gates": [GateResult(**gate) for gate in known["gates"]]}, {})


def text(difference: Difference = SAME, before: StoredRun | None = None, **more: Any) -> str:
    return pull_request_text(before or run("before"), run("now", **more), difference)


def test_the_order_is_answer_labels_gates() -> None:
    changes = [
        LabelChanges("r", 9, 1, 2, 3, 0.5, ["t1", "t2", "t3"], ["true", "true", "false"], ["false"] * 2 + ["true"])
    ]
    numbers = Table(["measurement", "before", "now"], [["flips @r", "0", "3"]], "<>>")
    shown = text(Difference(10, changes, numbers, ["answer changed from stable to fragile because of this"]))
    assert shown.splitlines() == [
        "### auditfw: parsing",
        "",
        "**Answer: FRAGILE.** It depends.",
        "",
        says.THE_ANSWER_CHANGED_FROM_STABLE,
        "- Next: Read the flips.",
        "",
        says.OF_TRIALS_AUDITED_NOT_AUDITED,
        "",
        says.LABELS_THAT_CHANGED_SINCE_THE,
        "",
        says.LABELS_OF_READING_CHANGED_OF,
        "",
        says.READING_IN_BOTH_CHANGED_RIGHT,
        "| :--- | ---: | ---: | ---: | ---: | ---: |",
        "| r | 9 | 3 | 1 | 2 | 0.50 |",
        "",
        "| reading | trial | before | now |",
        "| :--- | :--- | :--- | :--- |",
        "| r | t1 | true | false |",
        "| r | t2 | true | false |",
        "| r | t3 | false | true |",
        "",
        "<details><summary>1 number changed</summary>",
        "",
        "| measurement | before | now |",
        "| :--- | ---: | ---: |",
        "| flips `@r` | 0 | 3 |",
        "",
        "</details>",
        "",
        "#### Gates",
        "",
        "1 of 3 passed.",
        "",
        says.GATE_RULE_READING_VALUE_STATUS,
        "| :--- | :--- | :--- | ---: | :--- |",
        "| c | flips <= 1 | r | 3 | fail |",
        "| b | kappa >= 0.7 | r | – | inconclusive |",
        "| a | n >= 1 |  | 2 | pass |",
        "",
        "- b: undefined",
    ]


@pytest.mark.parametrize(
    ("difference", "more", "line"),
    [
        (SAME, {}, says.NONE_ALL_LABELS_OF_THE),
        (SAME, {}, "- of this"),
        (Difference(0, [], NONE, []), {}, NOT_PAIRED),
        (Difference(None, [], NONE, []), {}, NOT_PAIRED),
        (SAME, {"answer": None, "verdict": "pass", "exit_code": 0},
         says.VERDICT_PASS_EXIT_CODE_THE),
        (SAME, {"gates": []}, says.THIS_RUN_HAS_NO_GATES),
        (SAME, {"config_hash": "y"}, "- Other settings than before."),
        (SAME, {"versions": {"auditfw": "2", "new": "1"}}, says.OTHER_VERSIONS_AUDITFW_NEW_NONE),
        (SAME, {"inputs": [{"path": f"{n}.csv", "sha256": "1", "bytes": 1} for n in "abcde"]},
         "- Other input: a.csv, b.csv, c.csv and 2 more"),
        (SAME, {"inputs": [{"path": f"{n}.csv", "sha256": "1", "bytes": 1} for n in "abc"]},
         "- Other input: a.csv, b.csv, c.csv"),
        (SAME, {"inputs": [{"path": "a.jsonl", "sha256": "2", "bytes": 1}]}, "- Other input: a.jsonl"),
    ],
)  # fmt: skip
def test_lines(difference: Difference, more: dict[str, Any], line: str) -> None:
    assert line in text(difference, **more).splitlines()


def test_what_is_the_same_is_not_mentioned() -> None:
    assert "Other" not in text()
    assert "<details>" not in text()


def test_labels_are_named_in_turns_and_the_others_counted() -> None:
    ids = [f"t{i:02}" for i in range(20)]
    changes = [LabelChanges(name, 50, 0, 30, 30, 0.1, ids, ["true"] * 20, ["false"] * 20) for name in ("p", "q")]
    lines = text(Difference(50, changes, NONE, [])).splitlines()
    named = [line for line in lines if line.endswith("| true | false |")]
    assert named[:4] == [f"| {reading} | {name} | true | false |" for name in ids[:2] for reading in ("p", "q")]
    assert len(named) == 10
    assert says.LABELS_OF_READINGS_CHANGED_OF in lines
    assert "and 50 more rows" in lines


def test_nothing_in_the_data_is_markup() -> None:
    hostile = [{**gate, "name": HOSTILE, "why": HOSTILE} for gate in GATES]
    answer = {"status": "fragile", "headline": HOSTILE, "because": [HOSTILE], "next": HOSTILE}
    changes = [LabelChanges(HOSTILE, 9, 0, 0, 1, None, [HOSTILE], [HOSTILE], ["x" * 500])]
    difference = Difference(10, changes, Table(["a", "b", "c"], [[HOSTILE] * 3]), [HOSTILE])
    shown = text(difference, answer=answer, gates=hostile, inputs=[{"path": HOSTILE, "sha256": "", "bytes": 1}])
    assert "\u202e" not in shown
    assert "x" * 100 not in shown
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(shown)
    assert html.count("<details>") == html.count("</details>") == 1
    for markup in ("<!--", "<a ", "<strong>b", ' href="'):
        assert markup not in html, markup


def test_a_comment_stays_below_what_github_takes() -> None:
    long = "\u202e" * 79
    changes = [LabelChanges(f"{long}{n}", 9, 0, 0, 20, None, [long] * 20, [long] * 20, [long] * 20) for n in range(99)]
    gates = [{**GATES[2], "name": f"{long}{n}", "rule": long, "reading": long, "why": long} for n in range(99)]
    shown = text(Difference(9, changes, Table(["a", "b", "c"], [[long] * 3] * 99), []), gates=gates)
    assert len(shown.encode()) <= LIMIT
    assert "1,980 labels of 99 readings changed" in shown


def test_the_command_prints_it(two_runs: Path) -> None:
    done = run_auditfw(("compare", "one", "two", "--markdown"), two_runs)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("### auditfw: parsing\n\n**Answer: ")
    assert says.STORED_TRUE_FALSE_STORED_TRUE in done.stdout
    assert "- Other settings than before." in done.stdout
    assert "| changed labels `@stored+v1` | 0 | 2 |" in done.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("one", "two", "one", "--markdown"), "--markdown takes two runs"),
        (("one", "two", "--markdown", "--json"), "--markdown takes two runs"),
        (("one", "--markdown"), says.NEEDS_AT_LEAST_TWO_RUN),
        (("one", "two", "--md"), says.NEEDS_AT_LEAST_TWO_RUN),
    ],
)
def test_words_that_do_not_go_together(two_runs: Path, words: tuple[str, ...], problem: str) -> None:
    done = run_auditfw(("compare", *words), two_runs)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert problem in done.stderr


def test_labels_of_a_comparison_in_json(two_runs: Path) -> None:
    [change] = json.loads(run_auditfw(("compare", "one", "two", "--json"), two_runs).stdout)["flips"]
    assert (change["ids"], change["before"], change["after"]) == (["t1", "t4"], ["true"] * 2, ["false"] * 2)


def test_runs_of_different_audits(two_runs: Path, tmp_path: Path) -> None:
    assert (
        run_auditfw(("experiment=posiwid", "report=[]", f"hydra.run.dir={tmp_path / 'other'}"), tmp_path).returncode < 2
    )
    done = run_auditfw(("compare", "one", str(tmp_path / "other"), "--markdown"), two_runs)
    assert (done.returncode, "runs of different audits" in done.stderr) == (2, True)
