"""The settings of `auditfw compare`."""

from __future__ import annotations

import pytest

from auditfw.commands.comparison.settings import CompareSettings, compare_settings
from auditfw.core.errors import UsageError


def test_words_are_settings() -> None:
    assert compare_settings([]) == CompareSettings()
    words = ["compare.on=doc_id", "compare.by=[model,task]", "compare.truths=2", "compare.reuse=false"]
    assert compare_settings(words) == CompareSettings("doc_id", ("model", "task"), truths=2, reuse=False)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("compare.truth=2", "compare.truth: unknown setting (2) - did you mean 'compare.truths'?"),
        ("compare.truths=0", "compare.truths: expected a number above 0 and at most 100, got 0"),
        ("compare.difference=inf", "compare.difference: expected a number above 0 and at most 100, got inf"),
        ("compare.scoring=true", "compare.scoring: expected a number above 0 and at most 100, got True"),
        ("compare.against=last", "compare.against: expected first or best, got last"),
        ("compare.reuse=1", "compare.reuse: expected true or false, got 1"),
        ("compare.on=[a]", "compare.on: expected the name of a column, got ['a']"),
        ("compare.by=[1]", "compare.by: expected names, got [1] - write them as [a,b]"),
        ("compare.on=a,b", "compare.on: has several values (a,b) - write one"),
    ],
)
def test_other_values_are_refused(word: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        compare_settings([word])
    assert str(caught.value) == message
