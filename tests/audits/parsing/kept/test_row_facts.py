"""Columns of how completions ended: what is written of them, and what is refused."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from files_read import lines

import auditfw
from auditfw.core.errors import DataError, UsageError
from auditfw.core.records import Result

pytestmark = pytest.mark.usefixtures("here")
COLUMNS = ("row.ended", "row.tokens_in", "row.tokens_out", "row.limit")


def row(n: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": f"{n}", "raw_text": "It is Paris", "ground_truth": "Paris", "stored": 1, **more}


def run(*rows: dict[str, Any], columns: dict[str, str] | None = None, by: tuple[str, ...] = (), **audit: Any) -> Result:
    source = {"use": "jsonl", "path": lines(*rows), "columns": columns or {}}
    own = {"source": source, "parser": ["last_line"], "normalizer": ["v1"], "gate": [], "by": by}
    return auditfw.run({**own, "audit": {"baseline": None, **audit}})


def written(result: Result) -> list[tuple[Any, ...]]:
    return result.trials.lazy().collect().select(COLUMNS).rows()


def test_what_is_written() -> None:
    rows = [
        row(1, stop="stop", tokens_in=3, tokens_out=5, limit=8),
        row(2, stop="LENGTH", tokens_in=None, tokens_out=8.0, limit="8"),
        row(3, stop=None, tokens_in="n/a", tokens_out=0, limit=None),
        row(4, stop="odd", tokens_in=2**32 - 1, tokens_out=None, limit=None),
    ]
    result = run(*rows)
    assert written(result) == [(0, 3, 5, 8), (1, None, 8, 8), (255, None, 0, None), (6, 2**32 - 1, None, None)]
    frame = result.trials.lazy().collect()
    assert [frame[name].dtype for name in COLUMNS] == [pl.UInt8, pl.UInt32, pl.UInt32, pl.UInt32]
    [warning] = [one for one in result.warnings if one.startswith("stop: ")]
    assert warning.startswith("stop: 'odd' (1): no known ending")


def test_columns_that_are_not_there() -> None:
    assert written(run(row())) == [(255, None, None, None)]


def test_settings() -> None:
    rows = [row(1, ended="cut", max=5), row(2, ended="stop", max=6)]
    result = run(*rows, columns={"stop": "ended"}, stops={"length": ["CUT"]}, limit=9)
    assert written(result) == [(1, None, None, 9), (0, None, None, 9)]


def test_a_reason_of_a_plain_table_is_another_thing() -> None:
    assert written(run(row(reason="refusal"))) == [(255, None, None, None)]
    assert written(run(row(why="refusal"), columns={"reason": "why"})) == [(2, None, None, None)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stops": {"cut": ["x"]}}, "audit.stops.cut: no such kind of ending (known: finished, length,"),
        ({"stops": {"length": ["stop"]}}, "audit.stops: 'stop' is both finished and length - keep one"),
        ({"limit": 0}, "audit.limit: expected a whole number from 1 to"),
        ({"planned": -1}, "audit.planned: expected a whole number from 1 to"),
        ({"unfinished": "never"}, "audit.unfinished"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(row(), **settings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"tokens_out": -1}, "a.jsonl:2: tokens_out: expected a whole number of tokens (-1)"),
        ({"tokens_out": 1.5}, "a.jsonl:2: tokens_out: expected a whole number of tokens (1.5)"),
        ({"tokens_in": 2**32}, "a.jsonl:2: tokens_in: expected a whole number of tokens (4294967296)"),
        ({"tokens_in": "many"}, "a.jsonl:2: tokens_in: expected a whole number of tokens (many)"),
        ({"limit": True}, "a.jsonl:2: limit: expected a whole number of tokens (True)"),
        ({"limit": 0}, "a.jsonl:2: limit: a limit of 0 tokens"),
    ],
)
def test_numbers_that_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        run(row(1, **dict.fromkeys(more, 1)), row(2, **more))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("planned", "settings", "message"),
    [
        ((1, 1), {}, "planned is 1, but 2 trials were read"),
        ((3, 4), {}, "the rows of one file do not agree on how many trials were planned (3, 4)"),
        ((None, None), {"planned": 1}, "audit.planned: planned is 1, but 2 trials were read"),
    ],
)
def test_too_few_planned(planned: tuple[int, int], settings: dict[str, Any], message: str) -> None:
    rows = [row(n, asked=asked) for n, asked in enumerate(planned)]
    with pytest.raises(DataError) as caught:
        run(*rows, columns={"planned": "asked"}, **settings)
    assert message in str(caught.value)
