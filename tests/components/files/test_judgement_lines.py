"""Blocks of lines scanned by the kernel, or read by a pattern: what they hold is what the strict reader says."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from files_read import placed
from hypothesis import given, settings
from hypothesis import strategies as st
from judgement_lines import (
    BUILT,
    COLUMNS,
    HOW,
    JUDGED,
    KERNELS,
    LINE,
    RATERS,
    USUAL,
    kernel,
    of,
    opened,
    passed,
    read_both_ways,
)
from searching import examples

from auditfw.audits.consistency.table import hashes_of
from auditfw.components.files.formats.strict_json import parse
from auditfw.components.source.pairs import PairsSource
from auditfw.core.errors import DataError
from auditfw.core.native import compiled
from auditfw.core.native.columns import ABSENT, BENEATH, OBJECT, ODD, PLAIN, TEXTS, TextSlices, Words, joined
from auditfw.core.records import Batch
from auditfw.kinds.judgements import FAULT

TURNS = 1_000


def line(**changes: Any) -> str:
    return json.dumps({**USUAL, **changes})


HOSTILE = [
    '{"qid": "a", "qid": "b"}', '{"qid": "a", "x": {"y": 1, "y": 2}}', '{"qid": "a", "x": [{"y": 1, "y": 2}]}',
    r'{"qid": "a", "x": 1, "\u0078": 2}', r'{"\u0071id": "a"}', '{"qid": "a", "score": NaN}',
    '{"qid": "a", "score": -Infinity}', '{"qid": "a", "x": 1e999}', '{"qid": "a", "score": 1e-400}',
    '{"qid": "a", "score": 123456789012345678901234567890}', '{"qid": "a", "x": ' + "9" * 5000 + "}",
    '{"qid": "a", "score": -0}', '{"qid": "a", "score": -0.0}', '{"qid": "a", "score": 01}',
    '{"qid": "a", "score": 1.}',
    '{"qid": "a", "score": .5}', '{"qid": "a", "score": +1}', '{"qid": "a", "score": 1e5}',
    '{"qid": "a", "score": 0.1}',
    r'{"qid": "a", "score": "\ud800"}', r'{"qid": "a", "score": "\ud83d\ude00"}', r'{"qid": "a", "score": "\\ud800"}',
    r'{"qid": "a", "score": "\u00e9\n\"\\\/"}', r'{"qid": "a", "score": "\x"}', r'{"qid": "a", "score": "\u12g4"}',
    '{"qid": "a", "score": "\t"}', '{"qid": "a", "score": "\x7f\u2028\u2029\x85é😀"}', '{"qid": "a", "score": "\x00"}',
    '{"qid": "a", "x": ' + "[" * 99 + "]" * 99 + "}", '{"qid": "a", "x": ' + "[" * 600 + "]" * 600 + "}",
    '{"qid": "a", "x": ' + '{"y": ' * 120 + "1" + "}" * 121, '{"qid": "a",}', '{"qid": "a"} {}', '{"qid": "a"} x',
    '{"qid" "a"}', "{'qid': 'a'}", '{"qid": "a", "x": [1, 2,]}', '{"qid": "a", "x": [1 2]}', '{"qid": "a"',
    '{"qid": "a',
    "[]",
    '"a"', "1", "null", "", "   ", "\t\r", "\x0c", "\x1c", "\u2003", '\ufeff{"qid": "a"}', '  {"qid" : "a" } \r', "{}",
    '{"qid": ""}', '{"qid": null}', '{"qid": 5}', '{"qid": 5.0}', '{"qid": true}', '{"qid": ["a"]}', '{"qid": "5"}',
    '{"qid": "a", "scholar": null, "auditor": {}}', '{"qid": "a", "scholar": "VALID"}',
    '{"qid": "a", "scholar": ["VALID"]}',
    '{"qid": "a", "scholar": {"label": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "VALID"}]}}',
    '{"qid": "a", "scholar": {"label": ["VALID"], "reason": [{"type": "text", "text": "ok"}]}}',
    '{"qid": "a", "x": NaN, "score": -Infinity}', '{"qid": "a", "x": 1e999, "answer_json": {"citations": [NaN]}}',
    '{"qid": "a", "scholar": {"label": null}, "auditor": {"label": 1}}', '{"qid": "a", "flags": null}',
    '{"qid": "a", "flags": "no"}', '{"qid": "a", "flags": {}}', '{"qid": "a", "answer_json": {"citations": null}}',
    '{"qid": "a", "answer_json": {"citations": "a"}, "retrieved_ids": ["a"]}', '{"qid": "a", "#fault": "x"}',
    '{"qid": "a", "answer_json": [], "retrieved_ids": {}}', '{"qid": "a", "score": {"x": [1, {"y": null}]}}',
    '{"qid": "a", ' + ", ".join(f'"k{i}": {i}' for i in range(600)) + "}",
    '{"": 1, "qid": "a", "scholar.label": "VALID"}',
    '{"qid": "a", "score": tru}', '{"qid": "a", "score": nulll}', '{"qid": "a", "score": false}',
]  # fmt: skip


@BUILT
def test_every_hostile_line_is_read_as_strictly(tmp_path: Path) -> None:
    refused = 0
    for how in HOW:
        task = opened(tmp_path / "pairs.jsonl", **how)
        with kernel("native"):
            for odd in HOSTILE:
                for end in (f"\n{LINE}\n{LINE}", ""):
                    data = "\n".join([*[LINE] * 9, odd]) + end
                    quick, strict = read_both_ways(of(task, data.encode()))
                    assert quick == strict, (odd, how)
                    refused += isinstance(strict, str)
    assert refused > len(HOSTILE)


@BUILT
@pytest.mark.parametrize(
    "data", [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xc0\xaf"]
)
def test_bytes_that_are_no_utf_8_are_told_as_strictly(data: bytes, tmp_path: Path) -> None:
    lines = [*[LINE.encode()] * 9, LINE.encode().replace(b'"ok"', b'"o' + data + b'k"', 1), LINE.encode()]
    for encoding in ("utf-8", "latin-1", "cp1252"):
        task = opened(tmp_path / "pairs.jsonl", encoding=encoding)
        with kernel("native"):
            quick, strict = read_both_ways(of(task, b"\n".join(lines)))
        assert quick == strict


@BUILT
def test_a_mark_at_the_start_of_the_file_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    task = opened(tmp_path / "pairs.jsonl")
    with kernel("native"):
        for start in (1, 5):
            quick, strict = read_both_ways(of(task, b"\xef\xbb\xbf" + f"{LINE}\n\n{LINE}\r\n".encode(), start))
            assert quick == strict
            assert isinstance(strict, tuple) == (start == 1)


def mutated(stream: random.Random, lines: list[bytes]) -> bytes:
    """The lines with a few bytes changed, left out, doubled or moved."""
    data = bytearray(b"\n".join(lines))
    for _ in range(stream.randint(1, 3)):
        at = stream.randrange(len(data))
        what = stream.randrange(4)
        if what == 0:
            data[at] = stream.choice(b'{}[]:,"\\ \n\r\t0-1e.tfnu\x00\x7f\x80\xc3\xa9\xff')
        elif what == 1:
            del data[at : at + stream.randint(1, 4)]
        elif what == 2:
            data[at:at] = stream.choice([b'"', b"\\u00", b"{", b"]", b", ", b"\n", b"\xed\xa0\x80", b"1e99", b"null"])
        else:
            to = stream.randrange(len(data))
            data[to:to] = data[at : at + stream.randint(1, 40)]
    return bytes(data)


@BUILT
def test_random_bytes_are_read_as_strictly(tmp_path: Path) -> None:
    stream = random.Random(11)
    odd = [text.encode() for text in HOSTILE if len(text) < 200]
    task = opened(tmp_path / "pairs.jsonl", malformed="count")
    with kernel("native"):
        for turn in range(TURNS):
            lines = [LINE.encode()] * 6 + stream.sample(odd, stream.randrange(2))
            data = mutated(stream, lines)
            quick, strict = read_both_ways(of(task, data))
            assert quick == strict, (turn, data)


def test_a_citation_of_a_comma_is_not_what_stands_between_two_ids(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    lines = [line(answer_json={"citations": [", "]}, retrieved_ids=["x", "y"]) for _ in range(9)]
    path.write_text("\n".join(lines), encoding="utf-8")
    for name in ("python", "native") if compiled() is not None else ("python",):
        with kernel(name):
            [task] = PairsSource(path=str(path), duplicates="all").open(RATERS, COLUMNS).tasks
            assert {pattern.shown for pattern in passed(task, "strict")["rows"]} == {(False, True, False)}


def scanned(text: str, *paths: tuple[str, ...]) -> list[TextSlices]:
    module = compiled()
    assert module is not None
    data = text.encode()
    held = module.lines(data, tuple(tuple(step.encode() for step in path) for path in paths), data.count(b"\n") + 1)
    return [TextSlices(data, one, {}, parse) for one in held]


@BUILT
def test_what_the_scanner_says_of_a_line() -> None:
    text = '{"a": {"b": "x\\n"}, "c": ["y"]}\n\n{"a": 1}\n{"a": {"b": "z"}, "a": 1}\r\n{"c": []}'
    whole, inner, listed = scanned(text, (), ("a", "b"), ("c",))
    assert list(whole.kinds) == [OBJECT, OBJECT, ODD, OBJECT]
    assert list(inner.kinds) == [9, BENEATH, ODD, ABSENT]
    assert list(listed.kinds) == [TEXTS, ABSENT, ODD, TEXTS]
    assert [inner[0], inner[1], listed[0], listed[3]] == ["x\n", None, ["y"], []]
    assert whole.raw(1) == b'{"a": 1}'


def rendered(value: Any) -> str:
    """A JSON text; objects come as lists of pairs, so that keys may stand twice."""
    if isinstance(value, tuple):
        return "{" + ", ".join(f'"{key}": {rendered(part)}' for key, part in value) + "}"
    return "[" + ", ".join(map(rendered, value)) + "]" if isinstance(value, list) else json.dumps(value)


PAIRS = st.recursive(
    st.sampled_from([1, "x", None]),
    lambda inner: st.one_of(
        st.lists(st.tuples(st.sampled_from("abc"), inner), max_size=3).map(tuple), st.lists(inner, max_size=2)
    ),
    max_leaves=6,
)
PATHS = ((), ("a",), ("b",), ("a", "b"), ("a", "b", "c"), ("b", "a"))


@BUILT
@settings(max_examples=examples(150), deadline=None)
@given(records=st.lists(st.lists(st.tuples(st.sampled_from("abc"), PAIRS), max_size=3).map(tuple), max_size=4))
def test_what_a_line_says_does_not_hang_on_the_line_before(records: list[Any]) -> None:
    texts = [rendered(record) for record in records]
    every = [text for text in texts for _ in range(2)] + texts[::-1]
    told = scanned("\n".join(every), *PATHS)
    for i, text in enumerate(every):
        for column, alone in zip(told, scanned(text, *PATHS), strict=True):
            assert (column.kinds[i], column.raw(i)) == (alone.kinds[0], alone.raw(0)), every


@BUILT
def test_keys_as_in_the_line_before_are_looked_at_again_in_another_object() -> None:
    told = scanned('{"a": {"b": 1}, "b": 2}\n{"a": {"b": 1, "b": 2}}\n{"a": {"b": 1}, "b": 3}', (), ("a", "b"), ("b",))
    assert [list(column.kinds) for column in told] == [[OBJECT, ODD, OBJECT], [6, ODD, 6], [6, ODD, 6]]
    [listed] = scanned('{"x": [{"b": 1}, {"b": 2}]}\n{"x": [{"b": 1, "b": 2}]}', ())
    assert list(listed.kinds) == [OBJECT, ODD]
    lists = scanned('{"a": [{"b": 1}, {"c": 2}]}\n{"a": {"b": {"c": 2}}}', ("a", "b", "c"))[0]
    assert [list(lists.kinds), lists[1]] == [[BENEATH, 6], 2]


@BUILT
@given(ids=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1))
def test_ids_in_one_block_are_the_ids_and_hash_as_they_do(ids: list[str]) -> None:
    text = "\n".join(json.dumps({"id": word}, ensure_ascii=False) for word in ids)
    [column] = scanned(text, ("id",))
    block = joined(column)
    if any(set(word) & set('"\\') for word in ids):
        assert block is None  # such texts have escapes
        block = Words("\n".join(ids).encode())
    assert block is not None
    assert (list(block), len(block), block[-1]) == (ids, len(ids), ids[-1])
    assert list(pickle.loads(pickle.dumps(block))) == ids
    assert hashes_of(block) == hashes_of(ids)
    assert len(set(hashes_of(ids))) == len(set(ids))


@BUILT
def test_a_column_with_anything_but_texts_is_no_block_of_words() -> None:
    for odd in ('{"id": 5}', '{"id": ""}', "{}", '{"id": "\\n"}', '{"id": null}', "{"):
        [column] = scanned('{"id": "a"}\n' + odd, ("id",))
        assert joined(column) is None


@BUILT
def test_usual_lines_are_all_taken_by_the_scanner() -> None:
    labels, reasons, odd = scanned(f"{LINE}\n" * 40, ("scholar", "label"), ("auditor", "reason"), ())
    assert set(odd.kinds) == {OBJECT}
    assert set(labels.kinds) == set(reasons.kinds) == {PLAIN}
    assert list(labels) == ["VALID"] * 40


ODD_LINES = [
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}, "qid": "b"}',
    '{"qid": "a", "scholar": {"label": "VALID", "label": "REJECT"}, "auditor": {"label": "VALID"}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": 1e999}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": 01}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"},}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "\t"}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "\\x"}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}} {}',
    '{"qid": "a" "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}',
    "{'qid': 'a', 'scholar': {'label': 'VALID'}, 'auditor': {'label': 'VALID'}}",
    '["qid", "a"]',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": ' + "9" * 5000 + "}}",
    '{"qid": "a',
]


SHORT = '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}'


def read_all(name: str, path: Path, lines: list[str]) -> list[Batch]:
    path.write_text("\n".join([*[SHORT] * 11, *lines, *[SHORT] * 20, ""]), encoding="utf-8")
    with kernel(name):
        return [task() for task in PairsSource(path=str(path), duplicates="all").open(RATERS, None).tasks]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("lines", [*([line] for line in ODD_LINES), [SHORT[:-5], SHORT[-5:]]])
def test_a_line_that_is_no_record_is_refused_with_its_place(name: str, lines: list[str], tmp_path: Path) -> None:
    """A quote that is left open on one line and closed on the next makes no record of both."""
    with pytest.raises(DataError, match=r"pairs\.jsonl:12"):
        read_all(name, tmp_path / "pairs.jsonl", lines)


@pytest.mark.parametrize("name", KERNELS)
def test_a_label_that_is_not_a_number_is_null_and_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    [batch] = read_all(name, path, [SHORT.replace('"VALID"}}', "NaN}}")])
    assert [i for i, label in enumerate(batch.columns["auditor"]) if label is None] == [11]
    assert placed(batch.notes) == {f"auditor: NaN or Infinity read as null (first: {path}:12)": 1}


@BUILT
@settings(max_examples=examples(30), deadline=None)
@given(records=st.lists(JUDGED, min_size=1, max_size=8), ascii_only=st.booleans(), compact=st.booleans())
def test_records_are_read_as_strictly(
    records: list[Any], ascii_only: bool, compact: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    how: dict[str, Any] = {"ensure_ascii": ascii_only, "separators": (",", ":") if compact else (", ", ": ")}
    rows = [{**USUAL, "qid": f"q{i}", **record} for i, record in enumerate([*records * 2, *[USUAL] * 120])]
    task = opened(tmp_path_factory.getbasetemp() / "records.jsonl")
    with kernel("native"):
        quick, strict = read_both_ways(of(task, "\n".join(json.dumps(row, **how) for row in rows).encode()))
    assert quick == strict


@pytest.mark.parametrize(("key", "columns"), [("qid", {}), ("key", {"id": "key"})])
def test_a_line_that_is_no_record_has_its_number_as_id(key: str, columns: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rest = {name: value for name, value in USUAL.items() if name != "qid"}
    path.write_text("\n".join([json.dumps({key: "a", **rest}), "{,}", json.dumps({key: "b", **rest})]), "utf-8")
    [task] = PairsSource(path=str(path), malformed="count", columns=columns).open(RATERS, ("id", FAULT)).tasks
    batch = task()
    assert list(batch.columns["id"]) == ["a", "line 2", "b"]
    assert [fault is None for fault in batch.columns[FAULT]] == [True, False, True]
