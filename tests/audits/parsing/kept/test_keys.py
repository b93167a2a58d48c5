"""The columns of trials.parquet by which rows are compared: what is equal, what is null, and the bytes."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import auditfw

COLUMNS = ("id", "raw_text", "parsed_text", "ground_truth", "stored", "choices", "question", "prompt", "score")
CITIES = ["Paris", "Rome"]
ROWS: list[tuple[Any, ...]] = [
    ("b", "The answer is (B) Rome.", "B", "(B)", 1, CITIES, "Which city?", "Q: which?", 0.75),
    ("b2", "So (B) Paris.", "(B)", "A", 0, CITIES[::-1], "which  CITY? ", "Q: Which?", None),
    ("18", "It is $18.00.", "18", "18.0", 1, None, "How many?", None, 1),
    ("18 too", "So 18.\nQuestion: 5?", None, "18", 1, None, "How many?", None, 1),
    ("unsourced", "So 18.", "17", "18", 0, None, None, None, None),
    ("none found", "No idea", "", "18", 0, None, None, None, None),
    ("no number", "No idea", "dunno", "18", 0, None, None, None, None),
    ("no truth", "It is Paris", "Paris", None, 0, None, None, None, None),
    ("several", "It is Paris", "the paris!", ["", "Paris", "City"], 1, None, None, None, None),
    ("whole text", "word " * 100, "word " * 100, "Paris", 0, None, None, None, None),
    ("long number", "So 18.", "word " * 100 + "18", "18", 1, None, None, None, None),
    ("hostile", "9" * 300 + "\0\ud800", "\0\ud800", "\0\ud800", 0, None, "\ud800", None, None),
]


def trials(rows: list[tuple[Any, ...]], folder: Path | None = None, workers: int = 1, **settings: Any) -> pl.DataFrame:
    frame = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    run = {
        "source": {"use": "frame", "frame": frame},
        "engine": {"workers": workers},
        "parser": ["raw"],
        "normalizer": ["v1"],
        "by": [],
        "gate": [],
        "audit": {"baseline": None},
        **settings,
    }
    result = auditfw.run(run, folder)
    table: pl.DataFrame = result.trials.lazy().collect()
    return table


def by_id(table: pl.DataFrame, column: str) -> dict[str, Any]:
    return dict(zip(table["id"], table[f"row.{column}"], strict=True))


def test_keys_are_equal_where_answers_say_the_same() -> None:
    table = trials(ROWS)
    answers, stored, truths = (by_id(table, name) for name in ("answer_key", "stored_key", "truth_key"))
    equal = [name for name in answers if answers[name] is not None and answers[name] == truths[name]]
    assert equal == ["b", "18", "18 too", "several", "long number", "hostile"]
    assert answers["b"] == answers["b2"]
    assert truths["18"] == truths["18 too"] == truths["unsourced"]
    assert [name for name in answers if answers[name] is None] == ["none found", "no number", "whole text"]
    assert [name for name in stored if stored[name] is None] == ["18 too", "none found", "no number", "whole text"]
    assert [name for name in truths if truths[name] is None] == ["no truth"]
    assert truths["18"] == int.from_bytes(blake2b(b"18", digest_size=8).digest(), "big")


def test_hashes_of_question_options_truth_and_prompt() -> None:
    table = trials(ROWS)
    question, options, truth, prompt = (by_id(table, name) for name in ("question", "options", "truth", "prompt"))
    assert question["b"] == question["b2"]
    assert question["18"] == question["18 too"] != question["b"]
    assert options["b"] == options["b2"]
    assert options["18"] is None
    assert truth["18"] == truth["18 too"]
    assert truth["no truth"] is None
    assert prompt["b"] != prompt["b2"]
    assert prompt["18"] is None


def test_options_named_and_answers_in_the_text() -> None:
    table = trials(ROWS)
    letter, text, sourced, score = (by_id(table, n) for n in ("option_letter", "option_text", "sourced", "score"))
    assert {name: (letter[name], text[name]) for name in ("b", "b2", "18")} == {
        "b": (1, 1),
        "b2": (1, 1),
        "18": (None, None),
    }
    assert [name for name in sourced if sourced[name]] == ["b", "b2", "18", "long number"]
    assert [name for name in sourced if sourced[name] is False] == ["unsourced"]
    assert [score[name] for name in ("b", "b2", "18")] == [0.75, None, 1.0]


@pytest.mark.parametrize(
    ("column", "by", "counts"), [("model", [], True), ("speed", [], False), ("speed", ["speed"], True)]
)
def test_rest_is_what_else_was_read(column: str, by: list[str], counts: bool) -> None:
    frame = [
        {"id": str(n), "raw_text": f"a {n}", "ground_truth": "a", "stored": 1, "repeat": 1, column: value}
        for n, value in enumerate(("m", "m", "n"))
    ]
    rest = trials([], source={"use": "frame", "frame": frame}, by=by)["row.rest"].to_list()
    assert rest[0] == rest[1] is not None
    assert (rest[0] != rest[2]) is counts


def test_a_prompt_that_is_a_condition_is_no_whole_prompt() -> None:
    table = trials(ROWS, by=["prompt"])
    assert table["row.prompt"].null_count() == len(ROWS)
    assert table["row.rest"].n_unique() == 3


def test_types_do_not_depend_on_the_data() -> None:
    kinds = dict.fromkeys(("question", "options", "truth", "prompt", "rest"), pl.UInt64)
    kinds |= dict.fromkeys(("answer_key", "stored_key", "truth_key"), pl.UInt64)
    kinds |= {"option_letter": pl.UInt8, "option_text": pl.UInt8, "sourced": pl.Boolean, "score": pl.Float64}
    for rows in (ROWS, ROWS[3:4]):
        table = trials(rows)
        assert {name: table.schema[f"row.{name}"] for name in kinds} == kinds


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("kernel", ["native", "python"])
def test_the_same_bytes_for_any_workers_and_kernels(
    kernel: str, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", kernel)
    rows = [(f"{name} {n}", *row) for n in range(400) for name, *row in ROWS]
    table = trials(rows, tmp_path / "run", workers)
    assert table.equals(trials(rows))
