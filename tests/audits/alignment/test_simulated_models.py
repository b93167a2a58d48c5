"""What the questions say of hundreds of made-up simulators: nothing of healthy ones, and what is planted."""

from __future__ import annotations

from collections import Counter

import pytest
from planted_models import FAULTS, planted
from simulated_models import MadeModel, healthy, series_alone
from told import acting, seen

from auditfw.core.records import Result

MILD = ("3.6", "1.8", "°F", "K")  # factors that are promised at noise of 5 % and less


def against_baselines(result: Result) -> str:
    """Whether a simulator is better than every trivial baseline, by the interval of the difference."""
    one = result.measurement("above_free", "actual").estimate
    if one.value is None or one.low is None or one.high is None:
        return "not compared"
    return "worse" if one.high <= 0 else "better" if one.low > 0 else "not told apart"


@pytest.mark.slow
def test_healthy_models() -> None:
    """Of 300 at most 2 for each kind and 14 in all; no more than 2 are called worse than guessing."""
    alarms, reported, compared = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(300):
        result = healthy(seed).audited()
        kinds = {one.kind for one in acting(result)}
        alarms.update(kinds)
        reported.update({one.kind for one in result.findings} - kinds)
        compared[against_baselines(result)] += 1
    assert max(alarms.values(), default=0) <= 2, alarms
    assert alarms.total() <= 14, alarms
    assert reported.keys() <= {"never_met"}, reported
    assert compared["worse"] <= 2, compared
    assert compared["better"] >= 240, compared


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults(name: str) -> None:
    """Each is found as often as is promised, leads, and is on the first screen."""
    fault, times = FAULTS[name], 48
    missed, others, unseen = [], Counter[str](), 0
    for model in planted([name], times):
        result = model.audited()
        found = [one for one in result.findings if one.kind == fault.kind]
        effects = acting(result)
        if fault.kind != "late":
            found = [one for one in found if one in effects]
            unseen += bool(found) and fault.kind not in seen(result)
        if not found:
            missed.append(model)
        elif effects and effects[0].kind != fault.kind:
            others[effects[0].kind] += 1
    promised = [model for model in missed if model.kind not in MILD or model.loose <= 0.05]
    assert len(promised) <= (1 - fault.share) * times, [_called(model) for model in promised]
    assert len(missed) <= len(promised) + 0.5 * times / 10, [_called(model) for model in missed]
    assert unseen <= 0.1 * times, unseen
    if fault.kind not in ("late", "not_deterministic"):
        assert others.total() <= 0.05 * times, others


def _called(model: MadeModel) -> str:
    return f"{model.kind} {model.n} scenarios, noise {model.loose}, {model.replicates} replicates"


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ("factor", "sign"), ("sign", "constant"), ("constant", "missing"), ("missing", "factor"), ("never", "sign"),
        ("sign", "late"), ("sign", "drift"), ("factor", "chance"),
    ],
)  # fmt: skip
def test_two_faults_at_once(names: tuple[str, str]) -> None:
    """In two quantities: both are found."""
    missed = Counter[str]()
    for model in planted(names, 24):
        kinds = {one.kind for one in model.audited().findings}
        missed.update(name for name in names if FAULTS[name].kind not in kinds)
    assert max(missed.values(), default=0) <= 2, missed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind", "better"),
    [("healthy", "", 50), ("permuted", "", 0), ("sign", "outcome_sign", 0), ("mean", "", 0)],
)
def test_series_against_baselines(fault: str, kind: str, better: int) -> None:
    """Of 60 models of a series alone no healthy one is worse than guessing, and none with a fault is better."""
    compared, kinds = Counter[str](), Counter[str]()
    for seed in range(60):
        result = series_alone(seed, fault).audited()
        compared[against_baselines(result)] += 1
        kinds.update({one.kind for one in acting(result)})
    assert compared["better"] >= better, compared
    if better:
        assert (compared["worse"], kinds.total()) == (0, 0)
    else:
        assert compared["better"] == 0, compared
        assert kinds[kind] >= 59 or not kind, kinds


def test_some_of_them() -> None:
    assert not acting(healthy(1).audited())
    for name, fault in FAULTS.items():
        [model] = planted([name], 1)
        assert fault.kind in {one.kind for one in model.audited().findings}, name
