"""Columns of how completions ended: what is written of them, and what is refused."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from files_read import lines
from sentences import parsing as says

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
        ({"stops": {"cut": ["x"]}}, says.NO_SUCH_KIND_OF_ENDING),
        ({"stops": {"length": ["stop"]}}, says.IS_BOTH_FINISHED_AND_LENGTH),
        ({"limit": 0}, says.EXPECTED_A_WHOLE_NUMBER_FROM),
        ({"planned": -1}, says.EXPECTED_A_WHOLE_NUMBER_FROM_TO),
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
        ({"tokens_out": -1}, says.TOKENS_OUT_EXPECTED_A_WHOLE),
        ({"tokens_out": 1.5}, says.TOKENS_OUT_EXPECTED_A_WHOLE_NUMBER),
        ({"tokens_in": 2**32}, says.TOKENS_IN_EXPECTED_A_WHOLE),
        ({"tokens_in": "many"}, says.TOKENS_IN_EXPECTED_A_WHOLE_NUMBER),
        ({"limit": True}, says.LIMIT_EXPECTED_A_WHOLE_NUMBER),
        ({"limit": 0}, says.LIMIT_A_LIMIT_OF_TOKENS),
    ],
)
def test_numbers_that_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        run(row(1, **dict.fromkeys(more, 1)), row(2, **more))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("planned", "settings", "message"),
    [
        ((1, 1), {}, says.PLANNED_IS_BUT_TRIALS_WERE),
        ((3, 4), {}, says.THE_ROWS_OF_ONE_FILE),
        ((None, None), {"planned": 1}, says.PLANNED_IS_BUT_TRIALS_WERE_READ),
    ],
)
def test_too_few_planned(planned: tuple[int, int], settings: dict[str, Any], message: str) -> None:
    rows = [row(n, asked=asked) for n, asked in enumerate(planned)]
    with pytest.raises(DataError) as caught:
        run(*rows, columns={"planned": "asked"}, **settings)
    assert message in str(caught.value)
