"""The answer of an alignment audit: what passed in silence before, and a healthy run beside each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from alignment_runs import Given, Run, scenario
from sentences import alignment as says

from auditfw.audits.alignment.conclusions.musts import MustCounts, Requirements
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.records import Answer, AnswerRule, Result
from auditfw.core.results.findings import Known
from auditfw.core.statistics import further_items
from auditfw.kinds.scenarios import Weights

Outcomes = Mapping[str, float]
METRICS = ["mean_overall", "free_overall", "above_free", "must_met"]


def run(
    rows: Sequence[Mapping[str, Any]], function: Callable[[dict[str, float]], Any], by: Any = (), **settings: Any
) -> Result:
    return Run(rows, Given(function), by=by, metrics=METRICS)(**settings)


def answer(result: Result) -> Answer:
    assert result.answer is not None
    assert len(result.answer.headline) <= 140
    return result.answer


def rule(result: Result, name: str, reading: str = "actual") -> AnswerRule:
    return next(one for one in answer(result).rules if (one.rule, one.reading) == (name, reading))


def fired(result: Result) -> list[str]:
    return [one.rule for one in answer(result).rules if one.fired]


LADDER = [scenario(i, y=float(i)) for i in range(1, 13)]  # intends 1 to 12
SIGNED = [scenario(i, y=float(i)) for i in (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6)]


def test_a_simulator_that_ignores_its_parameters_is_broken() -> None:
    """It scores well above one half, and so did every audit before."""
    result = run(LADDER, lambda p: {"y": 6.0})
    value = result.measurement("mean_overall", "actual").estimate.value
    assert value is not None
    assert value > 0.7
    assert answer(result).status == "broken"
    assert answer(result).headline == says.IS_WHERE_TO_ARE_INTENDED
    one = rule(result, "no_better_than_free")
    assert (one.value, one.bound) == (pytest.approx(-0.0008, abs=1e-4), 0.0)  # below 6.5 for each
    assert result.measurement("above_free", "actual").estimate.value == one.value


@pytest.mark.parametrize("share", [0.1, 0.7, 1 / 3, 1.1])
def test_equal_scores_are_no_lead_whatever_rounding_leaves(share: float) -> None:
    rows = [scenario(i, y=0.3 * i) for i in range(1, 14)]
    result = run(rows, lambda p: {"y": 0.3 * share})
    assert any(rule(result, name).fired for name in ("no_better_than_free", "free_not_excluded"))


def test_a_healthy_simulator_is_stable() -> None:
    result = run(SIGNED, lambda p: {"y": p["x"] * 1.02})
    found = answer(result)
    assert found.status == "stable"
    assert found.headline.startswith(says.BETTER_THAN_EVERY_TRIVIAL_BASELINE)
    assert says.NO_OUTCOME_IS_REQUIRED_LEVEL in found.scope
    assert fired(result) == []
    assert result.warnings == []


@pytest.mark.parametrize(
    ("off", "words"), [(0, "DOES WHAT WAS INTENDED"), (1, "DOES WHAT WAS INTENDED"), (2, "BETTER")]
)
def test_better_than_baselines_alone_is_not_what_was_intended(off: int, words: str) -> None:
    """20 scenarios of one outcome without a must: of two misses more than 5 % are missed, of one they are not."""
    rows = [scenario(i, y=float(i)) for i in range(-10, 11) if i]
    result = run(rows, lambda p: {"y": p["x"] * (0.9 if p["x"] > 10 - off else 1.0)})
    found = answer(result)
    assert (found.status, found.words.startswith(words)) == ("stable", True)
    missed = {1: says.OF_OUTCOMES_IS_NOT_WHAT, 2: says.OF_OUTCOMES_ARE_NOT_WHAT}
    assert found.headline.endswith(f", but {missed[off]}." if off else ": score 1.00 [1.00, 1.00].")


@pytest.mark.parametrize(("room", "same"), [(100.0, True), (0.5, False)])
def test_requirements_that_anything_meets(room: float, same: bool) -> None:
    meant = {"value": 3.0, "tolerance": room}
    rows = [{"label": str(i), "intended": {"y": meant}, "params": {"x": float(i)}} for i in range(8)]
    found = answer(run(rows, lambda p: {"y": 3.0 + (p["x"] - 4) / 10}))
    assert found.status == "stable"
    assert (found.because[:1] == [says.DOING_NOTHING_TRIVIAL_BASELINE_DO]) == same


def test_a_lead_that_may_be_chance_is_unknown() -> None:
    """Perfect but in two scenarios, where nothing comes out."""
    result = run(LADDER, lambda p: {"y": p["x"] if p["x"] not in (4, 9) else 0.0})
    one = rule(result, "free_not_excluded")
    assert one.low is not None
    assert one.high is not None
    assert one.low <= 0 < one.high
    assert (one.fired, answer(result).status) == (True, "unknown")
    more = further_items(one.value or 0.0, one.low, 0.0, len(LADDER))
    assert answer(result).change == says.IT_WOULD_HOLD_WITH_ABOUT.format(more)
    assert f"scenarios.n={len(LADDER) + (more or 0)}" in answer(result).next
    assert "about" not in answer(result).next


@pytest.mark.parametrize(("n", "status"), [(5, "unknown"), (6, "stable")])
def test_six_scenarios_are_needed(n: int, status: str) -> None:
    result = run(SIGNED[:3] + SIGNED[-(n - 3) :], lambda p: {"y": p["x"]})
    assert answer(result).status == status
    assert rule(result, "few_scenarios").fired == (n < 6)
    if n < 6:
        assert answer(result).headline == says.TOO_FEW_SCENARIOS_TO_TELL
        assert answer(result).change == says.AT_LEAST_MORE_SCENARIO_IS
        again = run(SIGNED[:3] + SIGNED[-2:], lambda p: {"y": p["x"]}, least_scenarios=5)
        assert not rule(again, "few_scenarios").fired


def least(i: float, level: Any = "must") -> dict[str, Any]:
    return scenario(int(i), y={"at_least": i, "level": level} if level else {"at_least": i})


def test_one_missed_must_is_fragile() -> None:
    rows = [least(i) for i in range(-6, 7)]
    healthy = run(rows, lambda p: {"y": p["x"] + 1})
    assert (answer(healthy).status, healthy.measurement("must_met", "actual").estimate.value) == ("stable", 1.0)
    assert says.EVERY_REQUIRED_OUTCOME_LEVEL_MUST in answer(healthy).because
    result = run(rows, lambda p: {"y": p["x"] + (1 if p["x"] != 4 else -3)})
    found = answer(result)
    assert found.status == "fragile"
    assert found.headline == says.SOME_SCENARIOS_MISS_A_REQUIREMENT
    assert found.because[0] == says.FIRST_IN_IS_BUT_MUST
    assert found.change == says.IF_WERE_MET_EVERYWHERE_NO
    assert (rule(result, "must_missed").value, rule(result, "mostly_missed").fired) == (1.0, False)


def test_most_musts_missed_is_broken() -> None:
    """The share's whole interval must be above one half."""
    rows = [least(i) for i in range(1, 21)]
    many = run(rows, lambda p: {"y": p["x"] + (1 if p["x"] <= 4 else -1)})
    assert answer(many).status == "broken"
    assert answer(many).headline == says.MOST_SCENARIOS_MISS_A_REQUIREMENT
    few = run(rows, lambda p: {"y": p["x"] + (1 if p["x"] <= 6 else -1)})
    assert not rule(few, "mostly_missed").fired  # 14 of 20: 70 % [48, 85]
    strict = run(rows, lambda p: {"y": p["x"] + (1 if p["x"] <= 6 else -1)}, most_missed=0.4)
    assert rule(strict, "mostly_missed").fired


def test_a_must_that_never_came_is_missed() -> None:
    """Its outcome was left out of the share of those that were met, which was 1."""
    rows = [scenario(i, y=float(i), z={"at_least": 0, "level": "must"}) for i in range(-6, 7)]
    result = run(rows, lambda p: {"y": p["x"]} | ({"z": 1.0} if p["x"] < 5 else {}))
    assert result.measurement("must_met", "actual").estimate.value == pytest.approx(24 / 26)
    assert answer(result).status == "fragile"
    assert answer(result).because[0] == says.FIRST_IN_HAS_NO_OUTCOME


@pytest.mark.parametrize(
    ("meant", "met"),
    [
        (9.0, None),  # missed by more than the tolerance that is assumed: nobody declared it
        ({"value": 9.0}, None),
        ({"unchanged": True}, None),
        ({"at_least": 9.0, "level": "should"}, 9),  # of the other outcome, a number
        ({"value": 9.0, "level": "must"}, 0),
        ({"at_least": 9.0, "level": "must"}, 0),
        ({"at_least": 9.0}, 0),  # must is the default of what says when it is met
        ({"at_most": 9.0}, 9),
        ({"between": [0, 2]}, 4),
        ({"value": 9.0, "tolerance": 1}, 0),
        ({"value": 9.0, "tolerance": 8}, 8),
        ({"direction": "up"}, 9),
        ({"unchanged": True, "tolerance": 1}, 2),
    ],
)
def test_what_declares_a_bound_or_a_level_must_be_met(meant: Any, met: int | None) -> None:
    rows: list[dict[str, Any]] = [{"label": "base", "intended": {}, "params": {"x": 0.0}}]
    result = run([*rows, *(scenario(i, y=meant, z=7.0) for i in range(1, 10))], half, baseline="base")
    required = "No outcome is required" if met is None else says.OF_SCENARIOS_MEET_ALL_REQUIREMENTS.format(met)
    assert required in answer(result).scope
    assert any("must" in name for name in fired(result)) == (met not in (None, 9))


def half(params: dict[str, float]) -> Outcomes:
    """A `z` that is met where it is a must: 7 within 5 %."""
    return {"y": 0.5 * params["x"], "z": 7.1}


@pytest.mark.parametrize(("level", "met", "key"), [({}, 1.0, None), ({"level": "must"}, 0.5, 0.0)])
def test_bounds_alone_make_no_musts_of_numbers(level: Any, met: float, key: float | None) -> None:
    """A number that declares nothing is a must where some intention names a level, as it always was."""
    rows = [scenario(i, y=float(i), z={"at_most": 1.0, **level}) for i in range(1, 9)]
    result = run(rows, lambda p: {"y": p["x"] * 1.2, "z": 1.0})
    assert result.measurement("must_met", "actual").estimate.value == met
    assert result.measurement("must_met", "actual", key="y").estimate.value == key
    assert ("must_missed" in fired(result)) == (met < 1)


def test_one_level_makes_the_others_musts() -> None:
    rows = [scenario(i, y=float(i), z={"value": 1.0, "level": "should"}) for i in range(1, 9)]
    result = run(rows, lambda p: {"y": p["x"] + 1, "z": 1.0})
    assert rule(result, "must_missed").value == 8.0
    assert answer(result).because[0] == says.FIRST_IN_IS_BUT_MUST_BE


@pytest.mark.parametrize(
    ("meant", "came", "words"),
    [
        ({"at_most": 1.8}, float("nan"), says.IS_NAN_BUT_MUST_BE),
        ({"at_most": 1.8}, 1.80001, says.IS_BUT_MUST_BE_AT),
        ({"between": [1, 1.8]}, 1.80001, says.IS_BUT_MUST_BE_TO),
        ({"value": 2, "tolerance": 0}, 2.5, says.IS_BUT_MUST_BE),
        ({"value": 0.01}, 0.5, says.IS_BUT_MUST_BE_IS),
    ],
)
def test_a_miss_is_shown_in_digits_enough(meant: Any, came: float, words: str) -> None:
    rows = [scenario(1, y={**meant, "level": "must"}, z=1.0)]
    result = run(rows, lambda p: {"y": came, "z": 1.0})
    assert f"In s1, {words}." in answer(result).because


@pytest.mark.parametrize("declared", [True, False])
def test_one_purpose_leaves_the_musts_to_decide(declared: bool) -> None:
    meant = {"at_least": 3.0} if declared else 3.0
    rows = [{"label": str(i), "intended": {"y": meant}, "params": {"x": float(i)}} for i in range(8)]
    result = run(rows, lambda p: {"y": 3.0 + p["x"]})
    assert result.measurement("above_free", "actual").estimate.value is None
    assert [one.rule for one in answer(result).rules if one.rule == "no_better_than_free"] == []
    assert answer(result).status == ("stable" if declared else "unknown")
    if declared:
        assert answer(result).headline.startswith(says.EVERY_REQUIRED_OUTCOME_IS_MET)
    else:
        assert says.EVERY_SCENARIO_HAS_THE_SAME in answer(result).headline


def test_scenarios_without_outcomes_and_failures_are_never_stable() -> None:
    empty = run(SIGNED, lambda p: {"y": p["x"]} if p["x"] < 6 else {})
    assert (answer(empty).status, answer(empty).headline) == (
        "unknown",
        says.OF_SCENARIOS_RETURNED_NO_OUTCOME,
    )

    def failing(params: dict[str, float]) -> Outcomes:
        if params["x"] == 2:
            raise RuntimeError("boom")
        return {"y": params["x"]}

    failed = run(SIGNED, failing)
    assert answer(failed).status == "unknown"
    assert failed.exit_code == 4
    assert "boom" in answer(failed).because[0]
    allowed = run(SIGNED, failing, max_error_rate=0.5)
    assert (answer(allowed).status, allowed.exit_code) == ("stable", 0)
    assert says.OF_OUTCOMES_WAS_NOT_SCORED in answer(allowed).scope
    nothing = run(SIGNED, lambda p: {})
    assert (answer(nothing).status, answer(nothing).scope, nothing.exit_code) == ("broken", "No trials.", 5)


def test_nothing_drawn_is_unknown() -> None:
    result = run(SIGNED, lambda p: {"y": p["x"]}, draw=0)
    assert (answer(result).status, answer(result).next) == (
        "unknown",
        says.SCORE_TRIVIAL_BASELINES_ON_A,
    )
    part = run(SIGNED, lambda p: {"y": p["x"]}, draw=8)
    assert says.TRIVIAL_BASELINES_WERE_SCORED_ON in answer(part).scope


@pytest.mark.parametrize(
    ("meant", "second", "status"),
    [
        (10, 10.0 + 1e-9, "stable"),  # rounding
        (10, 10.2, "stable"),  # less than half of the 5 % that are assumed: reported
        (10, 10.3, "fragile"),
        (10, float("nan"), "fragile"),
        ({"value": 10, "tolerance": 2}, 10.9, "stable"),
        ({"value": 10, "tolerance": 2}, 11.1, "fragile"),
        ({"value": 10, "tolerance": 0}, 10.001, "fragile"),
        ({"at_least": 9}, 20.0, "stable"),
        ({"at_least": 9}, 8.999, "fragile"),
    ],
)
def test_a_simulator_that_is_not_deterministic_leads_the_answer(meant: Any, second: float, status: str) -> None:
    """The last scenario runs again first, as the 13th call."""
    calls = iter(range(1_000))
    rows = [*SIGNED[:-1], scenario(99, y=meant)]

    def drifting(params: dict[str, float]) -> Outcomes:
        return {"y": params["x"] if params["x"] != 99 else 10.0 if next(calls) == 0 else second}

    result = run(rows, drifting)
    found, listed = answer(result), [one for one in result.findings if one.kind == "not_deterministic"]
    assert found.status == status
    assert bool(listed) == (abs(second - 10) > 1e-8 or status == "fragile")
    if listed:
        assert listed[0].effect == ("fragile" if status == "fragile" else "reported")
        assert listed[0].text.startswith(says.THE_SIMULATOR_IS_NOT_DETERMINISTIC)
        assert (listed[0].value, listed[0].of) == (1, 3)
    assert found.headline.startswith(says.THE_SAME_SCENARIO_GIVES_DIFFERENT) == (status == "fragile")
    asked = run(SIGNED, drifting, try_again=False).not_checked
    assert "audit.try_again=false" in [one.why for one in asked if one.kind == "not_deterministic"]


def test_requirements_of_batches_are_those_of_all() -> None:
    """A level that one batch names holds for the others; bounds decide only where none is named and some are there."""
    every, bounded = MustCounts(scenarios=3, missed=2), MustCounts(scenarios=1, missed=1)
    for first, second in ((True, False), (False, True), (False, False)):
        whole = Requirements(first, replace(every), replace(bounded))
        whole.merge(Requirements(second, replace(every), replace(bounded)))
        assert (whole.counts.scenarios, whole.by_bounds) == ((6, False) if first or second else (2, True))
    assert not Requirements(every=every).by_bounds


# One outcome is 16.25 where 0.00006 was intended: both are positive, so half of its score is free.
POSITIVE = [scenario(i, dose=0.00006 * i, weight=float(i)) for i in range(1, 11)]


def far_off(params: dict[str, float]) -> Outcomes:
    return {"dose": 16.25, "weight": params["x"] * 1.08}


def test_direction_that_is_free_is_reported() -> None:
    result = run(POSITIVE, far_off)
    assert result.measurement("mean_overall", "actual").estimate.value == pytest.approx(0.73)
    free = says.DIRECTION_TESTS_NOTHING_FOR_ALL
    assert answer(result).because[-1] == says.BY_MAGNITUDE_ALONE_THE_SCORE.format(free)
    assert rule(result, "direction_free").value == 1.0


def test_direction_is_not_free_where_something_may_be_negative() -> None:
    """A negative number, a band that is open below, a change, a baseline below 0, a number that is always 0."""
    for intended in ({"value": -1.0}, {"at_most": 2.0}, {"direction": "up"}, 0.0):
        rows: list[dict[str, Any]] = [{"label": "base", "intended": {}, "params": {"x": 0.0}}]
        rows += [scenario(i, y=intended) for i in range(1, 8)]
        result = run(rows, lambda p: {"y": 0.5 + p["x"]}, baseline="base")
        assert not rule(result, "direction_free").fired, intended
    rows = [{"label": "base", "intended": {}, "params": {"x": -3.0}}, *LADDER]
    assert not rule(run(rows, lambda p: {"y": p["x"]}, baseline="base"), "direction_free").fired
    assert rule(run(LADDER, lambda p: {"y": p["x"]}), "direction_free").fired
    assert not rule(run(LADDER, lambda p: {"y": p["x"]}, weights=Weights(0, 1)), "direction_free").fired


FACTOR = {"outcome_factor": Known(16, "the scale is known")}


def test_weights_that_decide_are_fragile() -> None:
    magnitude = {"magnitude": Weights(0.0, 1.0)}
    rows = [scenario(i, a=float(i), b=-float(i)) for i in (-6, -5, -4, -3, 3, 4, 5, 6)]
    result = run(rows, lambda p: {"a": 0.46 * p["x"], "b": -0.46 * p["x"]}, other_weights=magnitude, known=FACTOR)
    found = answer(result)
    assert found.status == "fragile"
    numbers = "0.73 balanced, 0.46 magnitude alone"
    assert found.headline == says.THE_RESULT_DEPENDS_ON_THE.format(numbers)
    assert "weights=magnitude" in found.next
    assert found.change == says.THE_SCORE_REACHES_WHERE_DIRECTION  # 0.46 + 0.54 d
    assert rule(result, "weights_turn", "actual.magnitude").value == pytest.approx(0.46)
    assert result.measurement("mean_overall", "actual.magnitude").estimate.value == pytest.approx(0.46)
    assert result.measurement("mean_overall", "actual").estimate.value == pytest.approx(0.73)
    loose = answer(
        run(
            rows,
            lambda p: {"a": 0.46 * p["x"], "b": -0.46 * p["x"]},
            other_weights=magnitude,
            aligned=0.4,
            known=FACTOR,
        )
    )
    assert loose.status == "stable"
    assert f"The score is {numbers}." in loose.because
    healthy = answer(run(SIGNED, lambda p: {"y": p["x"]}, other_weights=magnitude))
    assert healthy.status == "stable"


def test_items_widen_the_intervals() -> None:
    """Twelve scenarios of three items are worth three: what was beyond chance is not."""
    means = {-3: 1.0, 0: 0.35, 3: 1.0}
    rows = [
        {"label": f"{x} {k}", "intended": {"y": 1.0 + k}, "params": {"x": float(x), "k": float(k)}, "item": f"i{x}"}
        for x in means
        for k in range(4)
    ]

    def near(params: dict[str, float]) -> Outcomes:
        return {"y": (1.0 + params["k"]) * means[int(params["x"])]}

    alone = run([{k: v for k, v in row.items() if k != "item"} for row in rows], near)
    clustered = run(rows, near)
    for metric in ("mean_overall", "above_free"):
        a, b = (one.measurement(metric, "actual").estimate for one in (alone, clustered))
        assert a.value == b.value
        assert (b.high or 0) - (b.low or 0) > (a.high or 0) - (a.low or 0) or b.high == 1.0
    assert rule(alone, "free_not_excluded").low or (rule(clustered, "free_not_excluded").low or 0) < 0
    assert "12 scenarios of 3 items" in answer(clustered).scope
    same = run(rows, near, other_weights={"same": Weights(1.0, 1.0)})
    for metric in ("mean_overall", "above_free"):
        estimate = same.measurement(metric, "actual").estimate
        assert same.measurement(metric, "actual.same").estimate == estimate
    rows[5]["item"] = None
    with pytest.raises(AuditError, match=r"scenario '0 1': item is null - give each scenario its item"):
        run(rows, near)


def test_one_item_has_no_interval() -> None:
    result = run([{**row, "item": "same"} for row in SIGNED], lambda p: {"y": p["x"]})
    one = rule(result, "free_not_excluded")
    assert (one.low, one.high, one.fired) == (None, None, True)
    assert result.measurement("mean_overall", "actual").estimate.low is None


def test_the_share_of_missed_musts_is_over_items() -> None:
    """Nine of twelve miss: apart, or three items of which one misses nothing."""
    rows = [{**least(i), "item": f"i{(i - 1) // 4}"} for i in range(1, 13)]
    result = run(rows, lambda p: {"y": p["x"] + (-1 if p["x"] in (1, 2, 3, 4, 5, 6, 7, 8, 9) else 1)})
    one = rule(result, "mostly_missed")
    bare = [{k: v for k, v in row.items() if k != "item"} for row in rows]
    alone = rule(run(bare, lambda p: {"y": p["x"] + (-1 if p["x"] < 10 else 1)}), "mostly_missed")
    assert one.value == alone.value == 0.75
    assert (one.low or 0) < (alone.low or 0)


def test_other_weights_may_turn_the_comparison() -> None:
    """Direction alone cannot tell a perfect simulator from a constant: both have the right sign throughout."""
    others = {"direction": Weights(1.0, 0.0), "magnitude": Weights(0.0, 1.0)}
    result = run(LADDER, lambda p: {"y": p["x"]}, other_weights=others)
    assert answer(result).status == "stable"
    assert rule(result, "free_turns", "actual.direction").fired
    assert not rule(result, "free_turns", "actual.magnitude").fired


def test_a_scenario_that_gave_nothing_has_missed_no_must() -> None:
    rows = [least(i) for i in range(-6, 7)]
    result = run(rows, lambda p: {"y": p["x"] + 1} if p["x"] < 6 else {})
    assert rule(result, "must_missed").value == 0.0
    assert answer(result).status == "unknown"
    zero = run(rows, lambda p: {"y": p["x"] + 1} if p["x"] < 6 else {}, no_data="zero")
    assert rule(zero, "must_missed").value == 1.0


def test_cells_have_intervals_of_their_own() -> None:
    rows = [{**scenario(i, y=float(i)), "group": "even" if i % 2 == 0 else "odd"} for i in range(-8, 9) if i]
    result = run(rows, lambda p: {"y": p["x"] if p["x"] % 2 else -p["x"]}, by=("group",))
    odd = result.measurement("above_free", "actual", group="odd").estimate
    even = result.measurement("above_free", "actual", group="even").estimate
    assert odd.low is not None
    assert odd.low > 0
    assert even.value is not None
    assert even.value < 0
    assert odd.counted == even.counted == 8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"aligned": 1.5}, says.ALIGNED_EXPECTED_A_NUMBER_FROM),
        ({"most_missed": -0.1}, says.MOST_MISSED_EXPECTED_A_NUMBER),
        ({"least_scenarios": 1}, says.LEAST_SCENARIOS_EXPECTED_A_WHOLE),
        ({"other_weights": {"a b": Weights()}}, says.OTHER_WEIGHTS_A_NAME_MUST),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(LADDER, lambda p: {"y": 1.0}, **settings)
    assert message in str(caught.value)
