"""Components that change their values for the same text are found, and named."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl
import pytest
from sentences import parsing as says

from auditfw import run
from auditfw.audits.parsing.engine.verify import same, spaced, twice
from auditfw.core.records import Estimate
from auditfw.kinds.registry import register

COUNTER = itertools.count()


def _every_other(text: object) -> bool:
    return next(COUNTER) % 2 == 0


@register("step", "unsteady_step")
@dataclass(frozen=True)
class UnsteadyStep:
    """Adds the number of the call."""

    def __call__(self, text: str) -> str:
        return f"{text} {next(COUNTER)}"


@register("step", "late_failure")
@dataclass(frozen=True)
class LateFailure:
    """Works at first and then no more."""

    def __call__(self, text: str) -> str:
        if next(COUNTER) % 2:
            raise ValueError("no more")
        return text


@register("matcher", "unsteady_matcher")
@dataclass(frozen=True)
class UnsteadyMatcher:
    """Says yes at every other call."""

    def __call__(self, answer: str, truth: str) -> bool:
        return _every_other(answer)


@register("matcher", "no_number")
@dataclass(frozen=True)
class NoNumber:
    """Says nothing but that two numbers that are none are alike."""

    def __call__(self, answer: str, truth: str) -> bool | None:
        return None


@register("metric", "unsteady_metric")
@dataclass(frozen=True)
class UnsteadyMetric:
    """Counts its calls."""

    roles: ClassVar[tuple[str, ...]] = ("candidate",)

    def __call__(self, data: Any) -> Estimate:
        return Estimate(float(next(COUNTER)), 1, 0)


@register("metric", "steady_metric")
@dataclass(frozen=True)
class SteadyMetric:
    """Is not a number, always."""

    roles: ClassVar[tuple[str, ...]] = ("candidate",)

    def __call__(self, data: Any) -> Estimate:
        return Estimate(float("nan"), 1, 0)


FRAME = pl.DataFrame(
    {
        "id": ["a", "b", "c"],
        "raw_text": ["It is 18.", "It is 7.", "Paris"],
        "parsed_text": ["18", "7", "Paris"],
        "ground_truth": ["18", "8", "Paris"],
        "stored": [True, False, True],
    }
)
STEPS = {"column": "raw_text", "use": "steps"}


def _run(**settings: Any) -> Any:
    chosen: dict[str, Any] = {"experiment": "answer_parsing", "parser": ["stored"], "normalizer": ["v1"], "by": []}
    return run({**chosen, "source": {"use": "frame", "frame": FRAME}, "engine": {"workers": 1}, **settings})


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"audit": {"parsers": {"odd": {**STEPS, "steps": ["unsteady_step"]}}}}, "audit.parsers.odd"),
        ({"audit": {"parsers": {"odd": {**STEPS, "steps": ["late_failure"]}}}}, "audit.parsers.odd"),
        ({"audit": {"normalizers": {"odd": {"use": "steps", "steps": ["unsteady_step"]}}}}, "audit.normalizers.odd"),
        ({"matcher": "unsteady_matcher"}, "audit.matcher"),
        ({"matcher": ["exact", "unsteady_matcher"]}, "audit.matchers.unsteady_matcher"),
        ({"metrics": {"odd": {"use": "unsteady_metric"}}}, "metrics.odd"),
    ],
)
def test_a_component_that_changes_its_value_is_named(settings: dict[str, Any], place: str) -> None:
    result = _run(**settings)
    assert result.exit_code == 4
    [warning] = [warning for warning in result.warnings if "gives different values" in warning]
    assert warning.startswith(says.GIVES_DIFFERENT_VALUES_FOR_THE.format(place))


@pytest.mark.parametrize("settings", [{}, {"matcher": "no_number"}, {"metrics": {"even": {"use": "steady_metric"}}}])
def test_components_that_do_not_change_pass(settings: dict[str, Any]) -> None:
    result = _run(**settings)
    assert result.exit_code in (0, 1)
    assert not [warning for warning in result.warnings if "gives different values" in warning]


def test_a_few_rows_are_spaced_over_a_batch() -> None:
    assert [spaced(start, 10) for start in (0, 7, 9)] == [[0, 5], [2, 7], [4, 9]]
    assert (spaced(123, 1), spaced(5, 0)) == ([0], [])


def test_values_are_the_same_that_print_alike() -> None:
    assert same((float("nan"), float("nan")))
    assert not same((1, True))
    assert not same(twice(lambda: next(COUNTER)))
    assert same(twice(lambda: [1]))
