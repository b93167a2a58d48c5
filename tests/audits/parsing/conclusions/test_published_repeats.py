"""Stored numbers of repeats: by which convention they are those of a run, and in which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.conclusions.published_repeats import OfRepeats, of_repeats
from auditfw.core.document import Note, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Result

LABELS = {"x": ("1000", "0011", "1101"), "y": ("11", "10", "01")}  # of the repeats of three items, in two cells


def audited(folder: Path, table: str, named: bool = True, **published: Any) -> Result:
    rows = [
        {"id": f"{cell}{item}{n}", "item": f"{item}", "cell": cell, "raw_text": f"{n}", "ground_truth": "4",
         "stored": int(label)}
        for cell, items in LABELS.items() for item, labels in enumerate(items) for n, label in enumerate(labels)
    ]  # fmt: skip
    frame = pl.DataFrame(rows if named else [{k: v for k, v in row.items() if k != "item"} for row in rows])
    (folder / "table.csv").write_text(table, "utf-8")
    own = {
        "source": {"use": "frame", "frame": frame},
        "parser": ["last_number"],
        "normalizer": ["none"],
        "by": ["cell"],
    }
    audit = {"baseline": None, "published": {"path": str(folder / "table.csv"), **published}}
    return auditfw.run({**own, "matcher": "numeric", "gate": [], "report": [], "audit": audit})


def sections(result: Result) -> tuple[list[str], list[list[str]]]:
    """The notes of the section, and the rows of the figures that differ."""
    [section] = [one for one in result.sections if one.title == "Published Figures"]
    notes = [block.text for block in section.blocks if isinstance(block, Note)]
    return notes, [list(row) for block in section.blocks if isinstance(block, Table) for row in block.rows]


@pytest.mark.parametrize(
    ("column", "of"),
    [
        ("any_of_3", OfRepeats(3, False)),
        ("pass_at_10", OfRepeats(10, False)),
        ("pass@1", OfRepeats(1, False)),
        ("all_of_3", OfRepeats(3, True)),
        ("pass_k_5", OfRepeats(5, True)),
        ("pass^4", OfRepeats(4, True)),
        ("pass@0", None),
        ("pass@1001", None),
        ("pass_at_k", None),
        ("error_rate", None),
    ],
)
def test_columns_of_repeats(column: str, of: OfRepeats | None) -> None:
    assert of_repeats(column) == of


@pytest.mark.parametrize(
    ("column", "number", "sentence"),
    [
        # of x: any two of four, 3/6, 5/6 and 1; plug-in 7/16, 3/4, 15/16; the first two 1, 0, 1; all four 1, 1, 1
        ("any_of_2", "77.8", ""),
        ("pass@2", "70.8", says.THE_PLUG_IN),
        ("pass_at_2", "66.7", says.ANY_OF_THE_FIRST_TWO),
        ("any_of_2", "100", says.ANY_OF_ALL),
        # all two of four: 0, 1/6 and 1/2; plug-in 1/16, 1/4, 9/16; the first two 0, 0, 1; all four 0, 0, 0
        ("all_of_2", "22.2", ""),
        ("pass^2", "29.2", says.THE_PLUG_IN_OF_ALL),
        ("pass_k_2", "33.3", says.ALL_OF_THE_FIRST_TWO),
        ("all_of_2", "0", says.ALL_OF_ALL),
    ],
)
def test_by_which_convention(tmp_path: Path, column: str, number: str, sentence: str) -> None:
    result = audited(tmp_path, f"cell,{column}\nx,{number}\n")
    assert result.answer is not None
    notes, differing = sections(result)
    assert differing == []
    assert [note for note in notes if note.startswith("cell = x:")] == ([f"cell = x: {sentence}"] if sentence else [])
    [rule] = [one for one in result.answer.rules if one.rule == "published"]
    assert not rule.fired


def test_by_none_it_differs(tmp_path: Path) -> None:
    result = audited(tmp_path, "cell,any_of_2,all_of_2\nx,80.0,\ny,100.0,33\n")
    notes, differing = sections(result)
    assert differing == [["x", "any_of_2", "80.0", "77.78", "-2.22"]]
    assert not any(note.startswith("cell =") for note in notes)


def test_shares_and_other_names(tmp_path: Path) -> None:
    result = audited(tmp_path, "cell,score\nx,0.7083\ny,1\n", scale="share", columns={"any_of_2": "score"})
    notes, differing = sections(result)
    assert (differing, says.THE_PLUG_IN_AS_A_SHARE in notes) == ([], True)


def test_of_all_trials(tmp_path: Path) -> None:
    """Of both cells each item's any of two: 3/6, 5/6, 1 and three times 1."""
    notes, differing = sections(audited(tmp_path, "pass@2\n88.9\n", on=[]))
    assert (differing, len(notes)) == ([], 1)


def test_more_than_there_are(tmp_path: Path) -> None:
    notes, differing = sections(audited(tmp_path, "cell,pass@9\nx,100\n"))
    assert (differing, says.NO_NINE_REPEATS in notes) == ([], True)


def test_figures_of_repeats_need_items(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        audited(tmp_path, "cell,score\nx,70\n", named=False, columns={"any_of_2": "score"})
    assert error.value.args[0] == "audit.published.columns.any_of_2"
    _, differing = sections(audited(tmp_path, "cell,n,pass@2\nx,12,50\n", named=False))
    assert differing == []  # nobody asked for the column
