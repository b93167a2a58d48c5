"""Steps on characters: blanks are single blanks, and Unicode forms are Python's."""

from __future__ import annotations

import unicodedata

import pytest
from hostile_steps import V2, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.components.step import characters
from auditfw.components.step.characters import UnicodeForm


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@settings(max_examples=examples(100))
@given(
    text=st.text(st.sampled_from("eA= é²½ﬁ…’₂Å\u212b\u0301\u0338\u0345\u1161\u1100\uac00\u09c7\u09be\u20dd\u3099か"))
)
def test_a_unicode_form_is_pythons(form: str, text: str) -> None:
    assert UnicodeForm(form).fast(text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


@given(text=texts)
def test_blanks_are_single_blanks(text):
    step = characters.ReplaceCharacters(V2)
    assert step(text) == "".join(" " if c in step.blanks else c for c in text)
    assert characters.ReplaceCharacters(V2, by="").blanks is None


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@given(text=texts)
def test_a_unicode_form_is_reached(form, text):
    assert unicodedata.is_normalized(form, characters.UnicodeForm(form)(text))
