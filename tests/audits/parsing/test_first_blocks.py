"""What a parsing audit shows before its answer: who is right under which scoring, and a changed label."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sentences import parsing as says

import auditfw
from auditfw.core.document import Note, Section, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Result

Row = tuple[str, str, str, bool]  # model, completion, truth, stored label


def rows(model: str, right: int, wrong: int, comma: int = 0, boxed: int = 0) -> list[Row]:
    """Answers of a model: right and wrong ones as stored, and right ones that are stored as wrong, in two forms."""
    texts = ["It is {}."] * right + ["It is 7."] * wrong + ["Answer: {:,}"] * comma + ["$\\boxed{{{}}}$"] * boxed
    return [(model, text.format(1000 + n), str(1000 + n), n < right) for n, text in enumerate(texts)]


def audited(folder: Path, data: Sequence[Row], **settings: Any) -> Result:
    seen: dict[str, int] = {}
    lines = []
    for number, (model, text, truth, label) in enumerate(data):
        seen[model] = seen.get(model, -1) + 1
        item = f"q{seen[model]}"
        lines.append({"id": str(number), "item": item, "model": model, "raw": text, "truth": truth, "ok": label})
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    columns = {"id": "id", "item": "item", "raw_text": "raw", "ground_truth": "truth", "stored": "ok"}
    source = {"use": "jsonl", "path": str(folder / "a.jsonl"), "columns": columns}
    return auditfw.run(
        {
            "source": source,
            "by": ["model"],
            "parser": ["last_number"],
            "normalizer": ["none"],
            "matcher": "numeric",
            "gate": [],
            "audit": {"baseline": None},
            **settings,
        }
    )


def section(result: Result, place: str) -> Section | None:
    return next((one for one in result.sections if one.screen == place), None)


def table(result: Result) -> list[list[str]]:
    """Heads and rows of the first block, without intervals."""
    who = section(result, "who")
    assert who is not None
    [block] = [block for block in who.blocks if isinstance(block, Table)]
    return [[cell.split(" [")[0] for cell in row] for row in (block.columns, *block.rows)]


def notes(result: Result, place: str) -> list[str]:
    one = section(result, place)
    return [] if one is None else [block.text for block in one.blocks if isinstance(block, Note)]


def test_two_models_of_which_the_other_is_better_by_the_reading(tmp_path: Path) -> None:
    result = audited(tmp_path, [*rows("a", 40, 0, comma=15, boxed=5), *rows("b", 55, 5)])
    who, example = section(result, "who"), section(result, "example")
    assert who is not None
    assert example is not None
    assert who.title == says.RIGHT_ANSWERS_BY_MODEL_ANSWERS
    assert table(result) == [
        ["model", "your labels", "last_number+none"],
        ["b", "92", "92"],
        ["a", "67", "100"],
        ["better", "b", "a"],
    ]
    assert example.title == says.ONE_OF_CHANGED_LABELS_OF
    assert notes(result, "example")[1].startswith("Answer: 1,0")
    assert notes(result, "example")[2].startswith(says.YOUR_LABEL_WRONG_LAST_NUMBER)
    assert result.answer is not None
    assert result.answer.change == says.WITHOUT_THE_BY_NUMBER_FORMAT


@pytest.mark.parametrize(
    ("data", "last"),
    [
        ([*rows("a", 30, 30), *rows("b", 31, 29)], ["better", "not clear"]),
        ([*rows("a", 60, 0), *rows("b", 20, 40)], ["better", "a"]),
        ([*rows("a", 60, 0), *rows("b", 20, 40), *rows("c", 59, 1)], ["may be first", "2 of 3"]),
    ],
)
def test_who_may_be_first(tmp_path: Path, data: Sequence[Row], last: Sequence[str]) -> None:
    """A reading that changes no label has no column: there is one."""
    result = audited(tmp_path, data)
    assert table(result)[-1] == last
    assert section(result, "example") is None
    assert result.answer is not None
    assert result.answer.change == ""


def test_many_models_the_first_those_that_turn_and_the_last(tmp_path: Path) -> None:
    """The last by your labels is the first by the reading, so it turns pairs; the middle is left out."""
    data = [row for n in range(9) for row in rows(f"m{n}", 58 - 4 * n, 2 + 4 * n)]
    result = audited(tmp_path, [*data, *rows("late", 20, 0, comma=20, boxed=20)])
    shown = [row[0] for row in table(result)[1:]]
    assert (shown[:3], shown[-2:]) == (["m0", "m1", "m2"], ["late", "may be first"])
    assert len(shown) == 8
    assert notes(result, "who") == ["(3 more)"]


def test_without_groups_one_row_of_all(tmp_path: Path) -> None:
    result = audited(tmp_path, rows("a", 40, 20, comma=20), by=[])
    who = section(result, "who")
    assert who is not None
    assert who.title == says.RIGHT_ANSWERS_ANSWERS_TO_ITEMS
    assert table(result) == [["answers", "your labels", "last_number+none"], ["all", "50", "75"]]


def test_equal_readings_are_one_column(tmp_path: Path) -> None:
    settings = {"parser": ["last_number", "last_line"], "normalizer": ["none", "v1"], "matcher": "exact"}
    data = [(f"m{n % 2}", "so\n5", "5", n % 3 > 0) for n in range(60)]
    assert table(audited(tmp_path, data, **settings))[0] == ["model", "your labels", "last_number+none and equal ones"]


def test_model_text_is_shown_in_a_line_of_its_own_and_cut(tmp_path: Path) -> None:
    """The shortest of long texts; line breaks are marks, and what stands around the answer is shown."""
    long = "word " * 200
    data = [("a", f"{long}[red]\x1b[31m\n3,456{'!' * n}", "3456", False) for n in range(20)]
    result = audited(tmp_path, [*data, *rows("b", 20, 0)])
    title, text, sides = notes(result, "example")
    assert title.endswith("expected: 3456")
    assert text.startswith("… ")
    assert text.endswith("[red]\x1b[31m⏎3,456")  # escaped where it is printed
    assert len(text) < 150
    assert sides == says.YOUR_LABEL_WRONG_LAST_NUMBER_NONE


def test_no_example_where_none_is_to_be_shown(tmp_path: Path) -> None:
    result = audited(tmp_path, rows("a", 40, 20, comma=20), report={"use": [], "max_examples": 0})
    assert section(result, "example") is None


def test_the_column_that_is_asked_for(tmp_path: Path) -> None:
    data = [*rows("a", 40, 20), *rows("b", 20, 40)]
    asked = {"by": ["model", "run"], "report": {"use": [], "who": "run"}}
    lines = [
        {"id": str(n), "model": m, "run": n % 2, "raw": t, "truth": g, "ok": k} for n, (m, t, g, k) in enumerate(data)
    ]
    source = {"use": "frame", "frame": lines, "columns": {"raw_text": "raw", "ground_truth": "truth", "stored": "ok"}}
    whole = {"source": source, "parser": ["last_number"], "normalizer": ["none"], "matcher": "numeric", "gate": []}
    assert [row[0] for row in table(auditfw.run({**whole, **asked}))] == ["run", "0", "1", "better"]
    with pytest.raises(UsageError, match=r"report.who: 'runs' is no column of by - did you mean 'run'\?"):
        auditfw.run({**whole, **asked, "report": {"use": [], "who": "runs"}})


def worded(model: str, near: int) -> list[Row]:
    """Twenty answers of a model, ten of them right; of the others so many say the truth in words."""
    right = [(model, f"It is {n}.", str(n), True) for n in range(10)]
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    return [*right, *((model, f"It is {names[n] if n < near else 77}.", str(n), False) for n in range(10))]


@pytest.mark.parametrize(("by", "cells"), [(["model"], ["near misses", "5", "3", "0", ""]), ([], ["near misses", "8"])])
def test_near_misses_have_a_column_of_their_own(tmp_path: Path, by: list[str], cells: list[str]) -> None:
    """They are counts: of the value in the row, of all trials where nothing is compared, of none there is no column."""
    data = [*worded("a", 5), *worded("b", 3), *worded("c", 0)]
    shown = table(audited(tmp_path, data, by=by, parser=["answer_v2"]))
    assert [row[-1] for row in shown] == cells
    off = table(audited(tmp_path, data, by=by, parser=["answer_v2"], audit={"near": None}))
    assert off == [row[:-1] for row in shown]
