"""What each further attempt buys, counted by hand in loops written as marks: - wrong, s solved, + right on the test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made_loops import attempts_of, audit, audited
from sentences import self_audit as says

import auditfw
from auditfw.core.document import Note, NumberText, Section, Table

HEADS = ["attempt", "asked", "new", "solved so far", "requests so far", "requests per new", "seconds per new"]


def shown(result: auditfw.Result, place: str) -> list[Section]:
    return [section for section in result.sections if section.screen == place]


def notes(section: Section) -> list[str]:
    return [block.text for block in section.blocks if isinstance(block, Note)]


def table(result: auditfw.Result) -> Table:
    [section] = shown(result, "who")
    return next(block for block in section.blocks if isinstance(block, Table))


ROWS: list[tuple[Sequence[str], list[list[str]], list[str]]] = [
    (["+", "+", "+"], [["1", "3", "3", "3 [44, 100 %]", "3", "1", "1.00"]], []),
    (
        ["---"] * 2,
        [["1 to 3", "2", "0", "0 [0, 66 %]", "none for 6", "–"]],  # nothing is solved: no sum stands beside
        [says.NEVER_SOLVED.format(6, 6, "2 problems", 3)],
    ),
    (
        ["+", "+", "-+", "--"],
        [["1 to 2", "4", "3", "3 [30, 95 %]", "6", "2", "2.00"]],
        [says.NEVER_SOLVED.format(2, 6, "1 problem", 2)],
    ),
    (
        ["+", "+", "+", "+", "---+", "----"],
        [
            ["1", "6", "4", "4 [30, 90 %]", "6", "1.5", "1.50"],
            ["2 to 4", "2", "1", "5 [44, 97 %]", "12", "6", "6.00"],
        ],
        [
            says.WORTH_6_REQUESTS,
            says.NEVER_SOLVED.format(4, 12, "1 problem", 4),
        ],
    ),
    (
        ["+", "-+", "----"],
        [
            ["1", "3", "1", "1 [6, 79 %]", "3", "3", "3.00"],
            ["2", "2", "1", "2", "5", "2", "2.00"],
            ["3 to 4", "1", "0", "2 [21, 94 %]", "7", "none for 2", "–"],
        ],
        [says.NEVER_SOLVED.format(4, 7, "1 problem", 4)],
    ),
]


@pytest.mark.parametrize(("loops", "rows", "said"), ROWS)
def test_attempts(tmp_path: Path, loops: Sequence[str], rows: list[list[str]], said: list[str]) -> None:
    result = audited(tmp_path, loops)
    [section] = shown(result, "who")
    heads = [head for head in HEADS if head != "requests so far" or len(rows[0]) == len(HEADS)]
    assert (table(result).columns, list(map(list, table(result).rows)), notes(section)) == (heads, rows, said)
    assert section.title == says.WHAT_EACH_FURTHER_ATTEMPT_BUYS.format(len(loops))
    assert isinstance(table(result).rows[0][3], NumberText)


def test_attempts_that_cost_alike_are_one_row_and_what_is_too_much_the_last(tmp_path: Path) -> None:
    """Loop k is solved at attempt k: of 9 loops each attempt solves one, by 9, 8, 7 ... requests."""
    rows = table(audited(tmp_path, [f"{'-' * at}+" for at in range(9)])).rows
    assert [row[:6] for row in rows] == [
        ["1", "9", "1", "1 [2, 43 %]", "9", "9"],
        ["2", "8", "1", "2", "17", "8"],
        ["3", "7", "1", "3", "24", "7"],
        ["4", "6", "1", "4", "30", "6"],
        ["5", "5", "1", "5", "35", "5"],
        ["6 to 9", "4", "4", "9 [70, 100 %]", "45", "2.5"],
    ]


def test_no_attempt(tmp_path: Path) -> None:
    example = {"input": "x", "output": 1}
    problems = [{"id": f"p{at}", "train": [example]} for at in range(2)]
    result = audit(tmp_path, problems, attempts_of("another", "+"), solver={"past_end": "null"})
    [section] = shown(result, "who")
    assert (section.title, notes(section), len(section.blocks)) == (
        says.WHAT_EACH_FURTHER_ATTEMPT_BUYS_PROBLEMS, ["No attempt was made."], 1,
    )  # fmt: skip


def test_costs_that_are_known_of_all(tmp_path: Path) -> None:
    example = {"input": "x", "output": 1}
    problems = [{"id": f"p{at}", "train": [example], "test": [example]} for at in range(2)]
    each: dict[str, Any] = {"tokens": 1_500, "cost": 0.25}
    attempts = [*attempts_of("p0", "-+", **each), *attempts_of("p1", "+", **each)]
    result = audit(tmp_path, problems, attempts)
    heads = [head.replace("requests so", "cost so") for head in HEADS]
    assert table(result).columns == [*heads, "tokens per new", "cost per new"]
    assert [list(row[4:]) for row in table(result).rows] == [
        ["0.500", "2", "2.00", "3,000", "0.500"],
        ["0.750", "1", "1.00", "1,500", "0.250"],
    ]
    del attempts[0]["tokens"]
    assert table(audit(tmp_path, problems, attempts)).columns == [*heads, "cost per new"], "one attempt does not say it"


def test_each_number_of_attempts(tmp_path: Path) -> None:
    """The rows that the first table joins stand alone here: 7 loops ask 7, 4, 3, 2 times and solve 3, 1, 1, 1."""
    result = audited(tmp_path, ["+", "+", "+", "-+", "--+", "---+", "----"])
    [section] = [one for one in result.sections if one.title == "What So Many Attempts Solve and Take in All"]
    [each] = [block for block in section.blocks if isinstance(block, Table)]
    assert [each.columns, *map(list, each.rows)] == [
        ["attempts", "solved", "requests in all", says.PAYS_IF_A_SOLVE_IS],
        ["1", "3", "7", "2.3"],
        ["2", "4", "11", ""],
        ["3", "5", "14", ""],
        ["4", "6", "16", "3"],
    ]
    assert not section.screen, "on the page alone"
    once = audited(tmp_path, ["+", "+"])
    assert section.title not in [one.title for one in once.sections], "there is nothing to choose"


def test_no_share_of_all_where_some_end_before_the_rule(tmp_path: Path) -> None:
    result = audited(tmp_path, ["+", "-", "--"], solver={"past_end": "null"}, stop={"max_iterations": 2})
    assert [row[:4] for row in table(result).rows] == [["1", "3", "1", "1"], ["2", "1", "0", "1"]]
    [section] = shown(result, "who")
    assert notes(section) == [
        says.NEVER_SOLVED.format(2, 4, "1 problem", 2),
        says.THE_STORED_ATTEMPTS_OF_OF,
    ]


def test_loops_end_unsolved_for_several_reasons(tmp_path: Path) -> None:
    stop = {"max_iterations": 4, "patience": 2}
    result = audited(tmp_path, ["+", "---", "---"], stop=stop)
    [section] = shown(result, "who")
    assert notes(section) == [says.NO_BETTER_SCORE_FOR_LONG]
    [section] = shown(audited(tmp_path, ["+", "---", "---", "--"], stop=stop), "who")
    assert notes(section) == [says.NEVER_SOLVED_FOR_TWO_REASONS]


@pytest.mark.parametrize(
    ("loops", "lines"),
    [
        (["+", "--"], []),
        (["+", "-s"], ["1 of 2", says.EVERY_TRAINING_EXAMPLE_RIGHT_AT]),
        (["s", "-s", "+"], ["2 of 3", "p0 at attempt 1; p1 at attempt 2"]),
        (["s"] * 6, ["6 of 6", says.AT_ATTEMPT_AT_ATTEMPT_AT]),
    ],
)
def test_solved_and_wrong(tmp_path: Path, loops: Sequence[str], lines: list[str]) -> None:
    said = [line for one in shown(audited(tmp_path, loops), "example") for line in (one.title, *notes(one))]
    title = [says.SOLVED_ON_TRAINING_WRONG_ON] if lines else []
    assert said == [f"{title[0]}{lines[0]}", *lines[1:]] if lines else said == []


def test_whose_tests_are_known(tmp_path: Path) -> None:
    for loops, lines in ((["+", "--"], ["tests are known of 1 of 1 solved problem"]), (["--"], [])):
        said = [line for one in shown(audited(tmp_path, loops), "data") for line in notes(one)]
        assert [line for line in said if "tests" in line] == lines


@pytest.mark.parametrize(
    ("loops", "stop", "line"),
    [
        (["+--", "--"], 3, says.TWO_COUNT_NOWHERE),
        (["---", "-"], 2, says.ONE_COUNTS_NOWHERE),
        (["+", "-+"], 2, says.THREE_ALL_USED),
    ],
)
def test_recorded_attempts_that_count(tmp_path: Path, loops: Sequence[str], stop: int, line: str) -> None:
    result = audited(tmp_path, loops, stop={"max_iterations": stop})
    assert [one for section in shown(result, "data") for one in notes(section) if "recorded" in one] == [line]


@pytest.mark.parametrize(
    ("attempts", "cost", "counts"),
    [
        ("tries.jsonl", "price_usd", {"read": 2, "audited": 2}),
        ("others.jsonl", "dollars", {"read": 3, "audited": 2, "duplicate": 1}),
    ],
)
def test_the_attempts_of_one_file_repeat_no_problem(
    tmp_path: Path, attempts: str, cost: str, counts: dict[str, int]
) -> None:
    """Its rows are problems and attempts at once; of another file they are nothing but problems."""
    rows = [{"task": task, "score": score, cost: 0.5} for task, score in (("a", 0.5), ("b", 1), ("a", 1))]
    for name in ("tries.jsonl", "others.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    columns = {"id": "task", "input": "task", "output": "task"}
    source = {"path": str(tmp_path / "x" / ".." / "tries.jsonl"), "columns": columns, "duplicates": "first"}
    solver = {"path": str(tmp_path / attempts), "columns": {"problem": "task", "output": "score", "cost": cost}}
    (tmp_path / "x").mkdir()
    result = auditfw.run(
        {
            "experiment": "self_audit",
            "source": {"use": "jsonl", **source},
            "solver": {"use": "replay", "past_end": "stop", **solver},
            "scoring": "recorded",
            "gate": [],
            "stop": {"max_iterations": 2},
        }
    )
    assert result.counts == counts
    assert table(result).columns[-1] == "$ per new"
    assert says.THREE_ALL_USED in [line for one in shown(result, "data") for line in notes(one)]


def test_attempts_that_end_before_the_limit(tmp_path: Path) -> None:
    [section] = shown(audited(tmp_path, ["+", "---", "-"]), "who")
    assert notes(section) == [says.OUT_OF_ATTEMPTS_PROBLEMS_OF]


def test_forty_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A row a sentence: nothing is cut off."""
    monkeypatch.setenv("COLUMNS", "40")
    result = audited(tmp_path, ["+", "-+", "----"])
    capsys.readouterr()
    auditfw.load("report", "console")(result, None)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    said = " ".join(line.lstrip("│╭ ") for line in lines)
    assert says.ASKED_NEWLY_SOLVED_SO_FAR in said
    assert says.TO_ASKED_NEWLY_SOLVED_SO_FAR in said
