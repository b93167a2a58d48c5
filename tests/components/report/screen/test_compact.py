"""A table without rulers: titles in a line, in two where cells alone have room, else each row as a sentence."""

from __future__ import annotations

import pytest
from rich.text import Text

from auditfw.components.report.layout import Column
from auditfw.components.report.screen.picture import compact

TABLE = {"problem": ["a", "bc"], "requests per new": ["12", "1,000"], "cost": ["0.5", "0.25"]}


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (31, ["problem  requests per new  cost", "a                      12   0.5", "bc                  1,000  0.25"]),
        (
            23,
            [
                "         requests",
                "problem   per new  cost",
                "a              12   0.5",
                "bc          1,000  0.25",
            ],
        ),
        (22, ["a: requests per new 12, cost 0.5", "bc: requests per new 1,000, cost 0.25"]),
    ],
)
def test_titles(width: int, lines: list[str]) -> None:
    columns = [
        Column(Text(title), [Text(cell) for cell in cells], title != "problem") for title, cells in TABLE.items()
    ]
    assert [line.plain for line in compact(columns, width)] == lines


def test_a_title_is_parted_where_it_leaves_least() -> None:
    columns = [Column(Text(title), [Text("1")], True) for title in ("a newly solved one", "x")]
    assert [line.plain for line in compact(columns, 13)] == ["   a newly", "solved one  x", "         1  1"]
    assert [line.plain for line in compact([], 9)] == []
