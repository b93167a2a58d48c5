"""Readings that compare the first of several numbers where the last is the truth: a warning, a rule, what to write."""

from __future__ import annotations

from typing import Any

import pytest
from sentences import parsing as says

import auditfw

LAST = "audit.matcher.which=last"


def audited(texts: list[str], **chosen: Any) -> auditfw.Result:
    rows = [
        {"id": f"q{i}", "raw_text": text.format(i), "ground_truth": str(i), "stored": True}
        for i, text in enumerate(texts)
    ]
    words = {"parser": ["raw"], "normalizer": ["none"], "matcher": "numeric", "by": [], "gate": [], **chosen}
    return auditfw.run({"experiment": "answer_parsing", "source": {"use": "frame", "frame": rows}, **words}, None)


def rules(result: auditfw.Result) -> list[tuple[str, float | None, str | None]]:
    assert result.answer is not None
    return [(one.reading, one.value, one.setting) for one in result.answer.rules if one.rule == "first_number"]


SUM = "70 + 80 gives {}."
PLAIN = "It is {}."


@pytest.mark.parametrize(
    ("texts", "chosen", "write"),
    [
        ([SUM] * 40, {}, (40, LAST)),
        ([SUM] * 10 + [PLAIN] * 30, {}, (10, LAST)),
        ([PLAIN] * 40, {}, None),
        ([SUM] + [PLAIN] * 199, {}, None),  # within audit.margin
        ([SUM] * 40, {"audit": {"matcher": {"which": "last"}}}, None),
        ([SUM] * 40, {"audit": {"matcher": {"which": "any"}}}, None),
        ([SUM] * 40, {"parser": ["last_number"]}, None),
        ([SUM] * 40, {"normalizer": ["number"]}, (40, f"normalizer=[none] {LAST}")),
        ([SUM] * 40, {"normalizer": ["number"], "matcher": "exact"}, (40, "parser=[last_number]")),
        ([SUM] * 40, {"matcher": "exact"}, None),
    ],
)
def test_which_readings_take_the_first_number_and_what_to_write(
    texts: list[str], chosen: dict[str, Any], write: tuple[int, str] | None
) -> None:
    result = audited(texts, **chosen)
    warned = [warning for warning in result.warnings if "the first of several numbers" in warning]
    if write is None:
        assert (rules(result), warned) == ([], [])
        return
    answers, words = write
    assert [(value, setting) for _, value, setting in rules(result)] == [(answers, words)]
    assert [warning.partition(": ")[2] for warning in warned] == [
        says.ANSWERS_OF_DRAWN_ARE_RIGHT.format(answers, len(texts), words)
    ]
