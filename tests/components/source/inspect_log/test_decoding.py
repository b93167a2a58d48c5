"""Samples decoded quickly give what the strict reader gives, whatever stands where."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_logs import sample, text

from auditfw.components.source.inspect_log.decoding import (
    faults,
    part_of,
    sample_of,
    scores_of,
    strictly,
    without_events,
)
from auditfw.core.errors import DataError

PARTS = ("scores", "metadata", "error", "attachments", "input", "messages")


def decoded(data: bytes) -> dict[str, Any]:
    one = sample_of(data)
    plain = {name: getattr(one, name) for name in ("id", "epoch", "target", "choices")}
    return {**plain, **{name: part_of(getattr(one, name)) for name in PARTS}}


TRAPS = [
    {},
    {"metadata": {"events": [1], "x": [], "model_usage": {}}},
    {"store": {"events": [{"a": [1]}]}, "error": {"message": "m"}},
    {"metadata": {"t": ',"events":[ ],"model_usage":'}, "target": '],"model_usage":'},
    {"attachments": {"a": '],"model_usage":{}', "model_usage": [[], []]}},
    {"error_retries": [{"events": [], "model_usage": {}}], "error": {"message": "late"}},
    {"events": [], "choices": ["late"], "error": None},
    {"events": [{"x": [], "model_usage": {"y": [], "model_usage": 1}}]},
]


@pytest.mark.parametrize("more", TRAPS)
@pytest.mark.parametrize("order", ["as Inspect", "sorted", "reversed"])
def test_events_are_skipped_wherever_they_are(more: dict[str, Any], order: str) -> None:
    whole = {**sample(), **more}
    keys = {"as Inspect": list(whole), "sorted": sorted(whole), "reversed": list(whole)[::-1]}[order]
    expected = {name: whole.get(name) for name in ("id", "epoch", "target", "choices", *PARTS)}
    assert decoded(text({key: whole[key] for key in keys})) == expected


JSON = st.recursive(
    st.sampled_from([None, True, -9, 0.5, "", "ñ", ',"events":[', '],"model_usage":']),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["events", "model_usage", "id", "scores", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["metadata", "store", "events", "attachments", "input", "usage"]), JSON))
def test_any_sample_is_what_json_says(parts: dict[str, Any]) -> None:
    whole = {**sample(), **parts}
    one = json.loads(json.dumps(whole))
    assert decoded(text(whole)) == {name: one.get(name) for name in ("id", "epoch", "target", "choices", *PARTS)}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"id":1}x', text(sample())[:-9], b'{"output": 3}'])
def test_what_cannot_be_decoded(data: bytes) -> None:
    with pytest.raises(faults()):
        sample_of(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"id": 1, "id": 2}', ("duplicate key", "'id'")),
        (b'{"id": 1', ("not JSON",)),
        (b'{"a": ' + b"[" * 600 + b"]" * 600 + b"}", ("nested too deep",)),
    ],
)
def test_the_strict_reader_says_what_is_wrong(data: bytes, words: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        strictly(data, "a.eval:one", Counter())
    assert [word for word in ("a.eval:one", *words) if word not in str(caught.value)] == []


def test_many_numbers_that_are_not_finite() -> None:
    data = b'{"id":1,"epoch":1,"store":[' + b",".join([b"NaN", b"-Infinity"] * 50) + b'],"metadata":{"x":NaN}}'
    with pytest.raises(faults()):
        sample_of(data)
    assert part_of(sample_of(strictly(data, "a", Counter())).metadata) == {"x": "\0NaN"}
    assert part_of(sample_of(data.replace(b"-Infinity,", b"").replace(b"NaN,", b"", 45)).metadata) == {"x": "\0NaN"}


def test_scores_without_any() -> None:
    assert scores_of(sample_of(b'{"id": 1, "scores": null}').scores) == {}


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b'{"id":1,"events":[{"a":1}],"model_usage":{}}', b'{"id":1,"model_usage":{}}'),
        (b'{"id":1,"events":[],"model_usage":{"m":2},"uuid":"u"}', b'{"id":1,"model_usage":{"m":2},"uuid":"u"}'),
        (b'{"id":1,"events":[{"a":1}]}', b'{"id":1,"events":[{"a":1}]}'),
        (b'{"id":1,"x":{"a":1,"events":[],"model_usage":{}}}', b'{"id":1,"x":{"a":1,"events":[],"model_usage":{}}}'),
    ],
)
def test_a_sample_without_its_events(data: bytes, kept: bytes) -> None:
    assert without_events(data) == kept
