"""Samples column by column: of any columns alone the rows, notes and errors of whole samples, in blocks of any size."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from operator import attrgetter
from random import Random
from typing import Any

import pytest
from files_read import placed

from auditfw.components.files.batches import Route, Shape
from auditfw.components.files.column_rows import column_of
from auditfw.components.files.file_settings import NarrowError, Records
from auditfw.components.files.files import File
from auditfw.components.files.formats.jsonl import LineRange, Lines
from auditfw.components.files.formats.scanned_cells import Piece
from auditfw.components.files.logs.lm_eval import LmEvalRows
from auditfw.components.files.logs.lm_eval_parts import target_of
from auditfw.components.files.rows import of_rows
from auditfw.core.errors import DataError
from auditfw.core.native import compiled

pytestmark = pytest.mark.skipif(compiled() is None, reason="the kernel was not built")

FILE = File("samples_t_2026-01-01T00-00-00.jsonl")
LINES = Lines(FILE, "utf-8", False)
PLAIN: dict[str, Any] = {
    "doc_id": 7,
    "doc": {"question": "Q"},
    "target": "a",
    "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": "b"}, "gen_args_1": {"arg_0": "R", "arg_1": " a"}},
    "resps": [["x"]],
    "filtered_resps": ["y"],
    "filter": "none",
    "metrics": ["exact_match"],
    "doc_hash": "h",
    "exact_match": 1.0,
}
SEVERAL = {**PLAIN, "resps": [["x", "z"]]}
LIKELY = {**PLAIN, "resps": [[["-1", "False"]], [["-0.5", "True"]]]}
GONE = object()
OTHERS: dict[str, list[Any]] = {
    "doc_id": [0, "8", 1.5, None, [1], GONE],
    "doc": [None, GONE],
    "target": [1, None, ["a", "b"], "['a', 'b']", "[1, 'b']", "[a", "[]", {"a": 1}, "\ud83d", GONE],
    "arguments": [None, GONE, [["Q", "b"], ["R", " a"]], {"gen_args_0": 1}],
    "resps": [
        [["x", "z"]], [[None]], [[["p", {}]]], ["x"], [[]], [], None, "x", 1, [["x"], ["z"]], [[1]], GONE,
        [[["-1", "False"]], [["-0.5", "True"]]], [["-1", "False"]], [[["x", "False"]]],
        [[["-1", "True"], "x"]], [[["-1", "True"], None]],
        [[[-1.0, True]], [[-2.0, False]]],
    ],
    "filtered_resps": [["y", "z"], [["y", "z"]], [], None, "y", [None], [["-1", "False"]], GONE],
    "filter": ["f", "g", "", None, 3, GONE],
    "metrics": [["f1"], ["f1", "acc"], [], None, ["bleu"], [1, "f1"], "acc", ["doc_hash"], ["item"], GONE],
    "exact_match": [0, None, True, [1], {"a": 1}, "x", float("nan"), GONE],
    "doc_hash": [1, GONE],
    "acc": [1.0, 0],
    "acc_norm": [1],
    "f1": [0.5],
    "bleu": [0.25],
    "item": [4],
    "question": ["own"],
    "é": [[1, {"a": "b"}]],
}  # fmt: skip
ALL = (
    *PLAIN, "f1", "item", "question", "é", "id", "repeat", "choices", "stored", "unstored", "raw_text", "parsed_text",
    "ground_truth",
)  # fmt: skip


@pytest.mark.parametrize(
    ("target", "truth"),
    [
        ("[1, 'b']", ["1", "b"]),
        ("[1] ", "[1] "),
        (" [1]", " [1]"),
        ("[]", "[]"),
        ("[[1]]", "[[1]]"),
        (7, 7),
    ],
)
def test_a_target_that_is_written_as_a_list(target: Any, truth: Any) -> None:
    assert target_of(target) == truth


def changed(rng: Random, start: dict[str, Any], most: int) -> dict[str, Any]:
    """A record with some parts that are others, or not there."""
    record = dict(start)
    for name in rng.sample(sorted(OTHERS), rng.randint(0, most)):
        record[name] = rng.choice(OTHERS[name])
    record = {name: value for name, value in record.items() if value is not GONE}
    return dict(rng.sample(sorted(record.items()), len(record))) if rng.random() < 0.3 else record


def read(make: Any, names: frozenset[str]) -> Any:
    """The columns named, the numbers, parts and remarks, or the error."""
    try:
        got: Records = make()
    except DataError as error:
        return str(error)
    columns = {name: repr(column_of(got.rows, name)) for name in sorted(names)}
    return columns, list(got.numbers), list(got.parts or ()), placed(got.notes), got.dropped, got.unfinite


def both(records: list[dict[str, Any]], maker: LmEvalRows, names: frozenset[str], known: frozenset[str]) -> None:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    shape = Shape(FILE, tuple(names), ({name: Route((name,)) for name in names},), maker=maker, known=known)
    block = LineRange(LINES, 1, len(records), False, Piece(FILE.path, 0, len(data), data), shape.reads)
    strictly = read(lambda: maker(LINES.records(data, 1, False), FILE), names)
    assert read(lambda: shape.read(block), names) == strictly
    assert read(lambda: alone(LINES.records(data, 1, False), maker), names) == strictly


COLUMNS = attrgetter("rows"), attrgetter("numbers"), attrgetter("parts")


def alone(got: Records, maker: LmEvalRows) -> Records:
    """The rows of samples that are made one by one."""
    parts = [maker(of_rows(got, [row], [i]), FILE) for i, row in enumerate(got.rows)]
    rows, numbers, places = ([one for part in parts for one in of(part) or ()] for of in COLUMNS)
    return replace(got, rows=rows, numbers=numbers, parts=places)


@pytest.mark.parametrize("filter_", [None, "none"])
@pytest.mark.parametrize("metric", [None, "exact_match", "doc_hash", "f1"])
def test_any_samples(metric: str | None, filter_: str | None) -> None:
    rng = Random(f"{metric}{filter_}")
    for turn in range(250):
        start = changed(rng, rng.choice((PLAIN, SEVERAL, LIKELY)), 1)
        records = [changed(rng, start, turn % 3) for _ in range(rng.randint(1, 3))]
        maker = LmEvalRows("p/", "t/", metric, frozenset(["f"]), rng.choice(["", " "]), filter_)
        names = frozenset(rng.sample(ALL, rng.randint(1, 5)))
        known = {name for name in records[0] if rng.random() < 0.7}
        both(records, maker, names, frozenset(known))


def test_each_part_spoilt_alone() -> None:
    for name, values in OTHERS.items():
        for value, start in product(values, (PLAIN, SEVERAL, LIKELY)):
            record = {key: part for key, part in {**start, name: value}.items() if part is not GONE}
            for known in (frozenset[str](), frozenset(PLAIN)):
                both([start, record], LmEvalRows(), frozenset(ALL), known)


def test_votes_and_repeats_beside_single_texts() -> None:
    kept = (["y"], [["y", "z"]])
    parts = product((PLAIN, SEVERAL), ("none", "f"), kept)
    records = [{**start, "filter": name, "filtered_resps": parsed} for start, name, parsed in parts]
    for names in (frozenset(ALL), frozenset(("id",))):
        both(records, LmEvalRows(voting=frozenset(["f"])), names, frozenset(PLAIN))
        both(records[::-1], LmEvalRows(), names, frozenset(PLAIN))


def test_choices_by_length() -> None:
    texts = {"gen_args_0": {"arg_1": "long"}, "gen_args_1": {"arg_1": "b"}}
    record = {**LIKELY, "arguments": texts, "metrics": ["acc_norm"], "acc_norm": 1.0}
    both([record] * 2, LmEvalRows(), frozenset(ALL), frozenset(record))
    assert LmEvalRows()(Records([record], [1]), FILE).rows[0]["parsed_text"] == "long"  # -1 / 4 is more than -0.5


def test_the_first_metric_that_says_right_or_wrong_is_the_label() -> None:
    several = {**PLAIN, "bleu": 0.25, "f1": 0.5, "acc": 0.75}
    for metrics in (["bleu", "f1"], ["f1", "bleu"], ["f1", "acc", "exact_match"]):
        both([{**several, "metrics": metrics}] * 2, LmEvalRows(), frozenset(("stored",)), frozenset(several))


def test_only_what_is_looked_at_is_read() -> None:
    maker, known = LmEvalRows(), frozenset(PLAIN)
    needed = maker.reads(frozenset(("id", "raw_text", "stored")), known)
    assert needed is not None
    assert {"doc", "doc_hash"}.isdisjoint(needed)
    assert {"exact_match", "acc"} <= needed  # the usual metrics, wherever they come
    assert "bleu" in (maker.reads(frozenset(), known | {"bleu"}) or ())
    assert "doc" in (maker.reads(frozenset(("doc",)), known) or ())
    assert "f1" in (LmEvalRows(metric="f1").reads(frozenset(), known) or ())
    assert maker.reads(frozenset(), frozenset(("doc_id", "resps", "f1"))) is None  # older files: any may be a metric
    assert maker.reads(frozenset(), frozenset(("doc_id", "resps", "acc"))) is not None


def made(*records: dict[str, Any]) -> Records:
    return LmEvalRows("p/", "t/")(Records(records, range(1, len(records) + 1)), FILE)


def test_rows_of_one_text_and_of_several() -> None:
    got = made(PLAIN, {**SEVERAL, "doc_id": 8, "target": "['a', 'b']", "filter": "f"})
    same = {"question": "Q", "doc_hash": "h"}
    texts = {**same, "item": "t/8", "ground_truth": ["a", "b"]}
    rows = [
        {**same, "id": "p/7/none/0", "item": "t/7", "ground_truth": "a", "raw_text": "x", "parsed_text": "y",
         "stored": 1.0, "unstored": False, "repeat": 0},
        {**texts, "id": "p/8/f/0", "raw_text": "x", "parsed_text": "y", "stored": 1.0, "unstored": False, "repeat": 0},
        {**texts, "id": "p/8/f/1", "raw_text": "z", "parsed_text": None, "stored": None, "unstored": True, "repeat": 1},
    ]  # fmt: skip
    assert [{name: row[name] for name in rows[0]} for row in got.rows] == rows
    assert (got.numbers, got.parts) == ([1, 2, 2], [0, 0, 1])
    assert [(remark[:8], remark[-10:], count) for remark, count in placed(got.notes).items()] == [
        ("repeats ", "0.jsonl:2)", 1)
    ]


def test_a_column_that_a_sample_lacks_is_not_in_its_rows() -> None:
    bare = {name: value for name, value in PLAIN.items() if name != "doc_hash"}
    assert ["doc_hash" in row for row in made(SEVERAL, bare, PLAIN).rows] == [True, True, False, True]


def test_texts_and_choices_in_one_block() -> None:
    got = made(LIKELY, SEVERAL, {**LIKELY, "target": 0})
    names = ("parsed_text", "choices", "ground_truth", "raw_text", "unstored")
    assert [tuple(row[name] for name in names) for row in got.rows] == [
        ("a", ["b", "a"], "a", None, False),
        ("y", None, "a", "x", False),
        (None, None, "a", "z", True),
        ("a", ["b", "a"], "b", None, False),
    ]
    assert [(remark[:4], count) for remark, count in got.notes.items()] == [("log-", 2), ("repe", 1)]


def test_what_a_narrow_sample_does_not_say() -> None:
    records = [{name: value for name, value in PLAIN.items() if name not in ("metrics", "exact_match")}]
    with pytest.raises(NarrowError):
        LmEvalRows()(Records(records, [1]), FILE, frozenset(("stored",)))
    assert LmEvalRows()(Records([{**records[0], "f1": 0.5}], [1]), FILE).rows[0]["stored"] == 0.5
