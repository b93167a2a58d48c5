"""The writer of indented JSON gives the text of the one in the standard library."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.result_json import indented

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text('é\n"a')
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text("ab"), inner), max_leaves=8)


@given(VALUES)
def test_it_is_the_text_of_the_standard_library(value: Any) -> None:
    assert indented(value) == json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)


@pytest.mark.parametrize("value", [(), (1, (2, [])), {"a": (1,)}, [{}], {"é\n": [0.1, 1e300, "\u2028"]}])
def test_tuples_and_empty_ones_too(value: Any) -> None:
    assert indented(value) == json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": [{"b": float("nan")}]}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        indented(value)
