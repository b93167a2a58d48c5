"""What each further attempt buys, counted by hand in loops written as marks: - wrong, s solved, + right on the test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made_loops import attempts_of, audit, audited

import auditfw
from auditfw.core.document import Note, NumberText, Section, Table

HEADS = ["attempt", "asked", "newly solved", "all solved", "requests a solve", "seconds"]
ENDS = "run out at {} attempts: {} problems, {} of the {} requests"


def shown(result: auditfw.Result, place: str) -> list[Section]:
    return [section for section in result.sections if section.screen == place]


def notes(section: Section) -> list[str]:
    return [block.text for block in section.blocks if isinstance(block, Note)]


def table(result: auditfw.Result) -> Table:
    [section] = shown(result, "who")
    return next(block for block in section.blocks if isinstance(block, Table))


ROWS: list[tuple[Sequence[str], list[list[str]], list[str]]] = [
    (["+", "+", "+"], [["1", "3", "3", "3 [44, 100 %]", "1", "1.00"]], []),
    (["---"] * 2, [["1 to 3", "2", "0", "0 [0, 66 %]", "none for 6", "–"]], [ENDS.format(3, 2, 6, 6)]),
    (
        ["+", "+", "-+", "--"],
        [["1 to 2", "4–2", "3", "3 [30, 95 %]", "2", "2.00"]],
        ["run out at 2 attempts: 1 problem, 2 of the 6 requests"],
    ),
    (
        ["+", "+", "+", "+", "---+", "----"],
        [
            ["1", "6", "4", "4 [30, 90 %]", "1.5", "1.50"],
            ["2 to 4", "2", "1", "5 [44, 97 %]", "6", "6.00"],
        ],
        ["run out at 4 attempts: 1 problem, 4 of the 12 requests"],
    ),
    (
        ["+", "-+", "----"],
        [
            ["1", "3", "1", "1 [6, 79 %]", "3", "3.00"],
            ["2", "2", "1", "2", "2", "2.00"],
            ["3 to 4", "1", "0", "2 [21, 94 %]", "none for 2", "–"],
        ],
        ["run out at 4 attempts: 1 problem, 4 of the 7 requests"],
    ),
]


@pytest.mark.parametrize(("loops", "rows", "said"), ROWS)
def test_attempts(tmp_path: Path, loops: Sequence[str], rows: list[list[str]], said: list[str]) -> None:
    result = audited(tmp_path, loops)
    [section] = shown(result, "who")
    assert (table(result).columns, list(map(list, table(result).rows)), notes(section)) == (HEADS, rows, said)
    assert section.title == f"What each further attempt buys: {len(loops)} problems"
    assert isinstance(table(result).rows[0][3], NumberText)


def test_attempts_that_cost_alike_are_one_row_and_what_is_too_much_the_last(tmp_path: Path) -> None:
    """Loop k is solved at attempt k: of 9 loops each attempt solves one, by 9, 8, 7 ... requests."""
    rows = table(audited(tmp_path, [f"{'-' * at}+" for at in range(9)])).rows
    assert [row[:5] for row in rows] == [
        ["1", "9", "1", "1 [2, 43 %]", "9"],
        ["2", "8", "1", "2", "8"],
        ["3", "7", "1", "3", "7"],
        ["4", "6", "1", "4", "6"],
        ["5", "5", "1", "5", "5"],
        ["6 to 9", "4–1", "4", "9 [70, 100 %]", "2.5"],
    ]


def test_no_attempt(tmp_path: Path) -> None:
    example = {"input": "x", "output": 1}
    problems = [{"id": f"p{at}", "train": [example]} for at in range(2)]
    result = audit(tmp_path, problems, attempts_of("another", "+"), solver={"past_end": "null"})
    [section] = shown(result, "who")
    assert (section.title, notes(section), len(section.blocks)) == (
        "What each further attempt buys: 2 problems", ["No attempt was made."], 1,
    )  # fmt: skip


def test_costs_that_are_known_of_all(tmp_path: Path) -> None:
    example = {"input": "x", "output": 1}
    problems = [{"id": f"p{at}", "train": [example], "test": [example]} for at in range(2)]
    each: dict[str, Any] = {"tokens": 1_500, "cost": 0.25}
    attempts = [*attempts_of("p0", "-+", **each), *attempts_of("p1", "+", **each)]
    result = audit(tmp_path, problems, attempts)
    short = ["attempt", "asked", "new", "all solved", "requests each", "seconds", "tokens", "cost"]
    assert table(result).columns == short
    assert [list(row[4:]) for row in table(result).rows] == [
        ["2", "2.00", "3,000", "0.500"],
        ["1", "1.00", "1,500", "0.250"],
    ]
    del attempts[0]["tokens"]
    assert table(audit(tmp_path, problems, attempts)).columns == [*HEADS, "cost"], "one attempt does not say it"


def test_no_share_of_all_where_some_end_before_the_rule(tmp_path: Path) -> None:
    result = audited(tmp_path, ["+", "-", "--"], solver={"past_end": "null"}, stop={"max_iterations": 2})
    assert [row[:4] for row in table(result).rows] == [["1", "3", "1", "1"], ["2", "1", "0", "1"]]
    [section] = shown(result, "who")
    assert notes(section) == [
        "run out at 2 attempts: 1 problem, 2 of the 4 requests",
        "the stored attempts of 1 of 3 problems ends before the stop rule does",
    ]


def test_loops_end_unsolved_for_several_reasons(tmp_path: Path) -> None:
    stop = {"max_iterations": 4, "patience": 2}
    result = audited(tmp_path, ["+", "---", "---"], stop=stop)
    [section] = shown(result, "who")
    assert notes(section) == ["no better score for long (patience): 2 problems, 6 of the 7 requests"]


@pytest.mark.parametrize(
    ("loops", "lines"),
    [
        (["+", "--"], []),
        (["+", "-s"], ["1 of 2", "p1: every training example right at attempt 2, a test wrong"]),
        (["s", "-s", "+"], ["2 of 3", "p0 at attempt 1; p1 at attempt 2"]),
        (["s"] * 6, ["6 of 6", "p0 at attempt 1; p1 at attempt 1; p2 at attempt 1; p3 at attempt 1; 2 more"]),
    ],
)
def test_solved_and_wrong(tmp_path: Path, loops: Sequence[str], lines: list[str]) -> None:
    said = [line for one in shown(audited(tmp_path, loops), "example") for line in (one.title, *notes(one))]
    title = ["Solved on training, wrong on the tests: "] if lines else []
    assert said == [f"{title[0]}{lines[0]}", *lines[1:]] if lines else said == []


def test_whose_tests_are_known(tmp_path: Path) -> None:
    for loops, lines in ((["+", "--"], ["tests are known of 1 of 1 solved problem"]), (["--"], [])):
        assert [line for one in shown(audited(tmp_path, loops), "data") for line in notes(one)] == lines


@pytest.mark.parametrize(
    ("loops", "stop", "lines"),
    [
        (["+--", "--"], 3, ["2 of 5 recorded attempts come"]),
        (["---", "-"], 2, ["1 of 4 recorded attempts comes"]),
        (["+", "-+"], 2, []),
    ],
)
def test_recorded_attempts_that_count_nowhere(
    tmp_path: Path, loops: Sequence[str], stop: int, lines: list[str]
) -> None:
    result = audited(tmp_path, loops, stop={"max_iterations": stop})
    unused = [line for one in shown(result, "data") for line in notes(one) if "recorded" in line]
    assert unused == [f"{line} after a success or the end of the stop rule, and count nowhere" for line in lines]


def test_attempts_that_end_before_the_limit(tmp_path: Path) -> None:
    [section] = shown(audited(tmp_path, ["+", "---", "-"]), "who")
    assert notes(section) == ["out of attempts: 2 problems, 4 of the 5 requests"]


def test_forty_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A row a sentence: nothing is cut off."""
    monkeypatch.setenv("COLUMNS", "40")
    result = audited(tmp_path, ["+", "-+", "----"])
    capsys.readouterr()
    auditfw.load("report", "console")(result, None)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    said = " ".join(line.lstrip("│╭ ") for line in lines)
    assert "1: asked 3, newly solved 1, all solved 1 [6, 79 %], requests a solve 3, seconds 3.00" in said
    assert "3 to 4: asked 1, newly solved 0, all solved 2 [21, 94 %], requests a solve none for 2, seconds –" in said
