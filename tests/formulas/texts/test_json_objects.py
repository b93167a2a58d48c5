"""The first complete JSON object of a text equals what the decoder finds when it is asked at every brace."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.texts.finders import DEEPEST, first_object

DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str, parse_constant=str)
PIECES = st.sampled_from([
    *"{}[]:,-0.1e\\ \n\t\"é٣\x00\x1c\u2028", '"a"', '"answer": ', '{"a":', '{"a": 1}', "{}", "[]",
    '"b": [', '{"\\"', "null", "true", "NaN",
    "-Infinity", "tru", "01", "1.", "-1.5e+3", "E5", "\\n", "\\x", "\\u00e9", "\\ud83d", "\\u00g0",
    '"{}"', "{ ",
])  # fmt: skip
VALUES = st.recursive(
    st.sampled_from([1, -2.5, True, None, "x", '"', "{}", '{"b": 2}', '{"', "\\", "a\nb", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "answer", "{}", '{"']), inner),
    max_leaves=12,
)


def asked_everywhere(text):
    for opening in re.finditer("{", text):
        try:
            return DECODER.raw_decode(text, opening.start())[0]
        except ValueError:
            continue
    return None


@given(st.lists(PIECES, max_size=24).map("".join))
def test_of_pieces_of_json_it_is_what_the_decoder_finds(text):
    assert repr(first_object(text)) == repr(asked_everywhere(text))


@given(VALUES, st.booleans(), st.lists(st.tuples(st.integers(0, 80), PIECES, st.integers(0, 3)), max_size=3))
def test_of_spoilt_json_it_is_what_the_decoder_finds(value, plain, changes):
    text = json.dumps(value, ensure_ascii=plain)
    for at, piece, taken in changes:
        text = text[:at] + piece + text[at + taken :]
    assert repr(first_object(text)) == repr(asked_everywhere(text))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('{"a": {"b": 1}, "c": }', {"b": "1"}), ('{"a": "{}", ]', {}), ('{"a{"b": 1}', {"b": "1"}),
        ('{"a": ["\\u12G4"], {"b": NaN}', {"b": "NaN"}), ('{"a": 1,} {"b": -0.50}', {"b": "-0.50"}), ("{ {[1]}", None),
        ('{"a": [1, {"b": [2, {}]}, ', {"b": ["2", {}]}),
    ],
)  # fmt: skip
def test_objects_that_can_be_found_by_hand(text, fields):
    assert first_object(text) == asked_everywhere(text) == fields


def test_what_is_deeper_than_the_bound_counts_as_not_complete():
    deep = {}
    for _ in range(DEEPEST - 1):
        deep = {"a": deep}
    text = json.dumps(deep)
    assert first_object(text) == deep
    assert first_object(f'{{"b": {text}}}') == deep
    assert first_object('{"a":' * 5_000 + "1" + "}" * 5_000)["a"] != "1"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": ' * 33_000, '{"a": [' * 28_000, '{"a" ' * 40_000, '{"' * 100_000, '{"a": [1], "b": ' * 12_000,
        '{"a":' * 900 + "[" + "1," * 90_000, '{"a":' * 30_000 + "1" + "}" * 30_000, '{"a": "{" , ' * 17_000,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_nested_objects_that_do_not_end_take_linear_time(text):
    """Asked at every brace the decoder takes 1 to 4 seconds."""
    start = time.process_time()
    first_object(text)
    assert time.process_time() - start < 0.5
