"""Conditions that shape answers, in rows made by hand."""

from __future__ import annotations

import pytest
from sentences import conditions as says

from auditfw.commands.comparison.condition_values import Status
from auditfw.commands.comparison.conditions import ConditionRow
from auditfw.commands.comparison.gap_answer import shaping_line
from auditfw.commands.comparison.pair import of_one_model, of_the_rest, shaping


def rows_of(texts: Status, model: Status, *names: str) -> list[ConditionRow]:
    """Rows of conditions that differ, with the completions and the model."""
    differ = [ConditionRow(name, "differs", ["64", "16"]) for name in names]
    return [ConditionRow("model", model, ["m", "m"]), *differ, ConditionRow("completions", texts, [""])]


def test_what_shapes_answers() -> None:
    rows = rows_of("differs", "same", "limit", "harness")
    assert (shaping(rows), of_one_model(rows), shaping_line(rows, "AB")) == (["limit"], True, says.OF_ONE_MODEL)
    assert shaping_line(rows_of("differs", "differs", "limit", "shots"), "AB") == says.OF_TWO_MODELS
    assert shaping_line(rows_of("differs", "same", "prompts"), "AB") == ""
    assert shaping(rows_of("differs", "same", "prompts")) == ["prompts"]
    assert shaping(rows_of("same", "same", "limit")) == []


@pytest.mark.parametrize(
    ("model", "prompts", "differ", "ends_known", "names"),
    [
        ("not_recorded", "not_recorded", "", True, "model, prompt"),
        ("differs", "same", "", True, "model"),
        ("differs", "differs", "temperature", True, "model, prompt, sampling"),
        ("same", "differs", "", True, "prompt"),
        ("same", "same", "chat template", True, "prompt"),
        ("same", "same", "limit", True, "sampling"),
        ("same", "same", "limit", False, "token limit"),
        ("same", "same", "", True, "sampling"),
    ],
)
def test_the_rest_is_named_for_what_may_differ(
    model: Status, prompts: Status, differ: str, ends_known: bool, names: str
) -> None:
    rows = [ConditionRow("model", model, []), ConditionRow("prompts", prompts, []), ConditionRow(differ, "differs", [])]
    assert ", ".join(of_the_rest(rows, ends_known)) == names
