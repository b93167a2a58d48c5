"""Each shipped metric gives a number, or none, for the samples it takes, and every audit refuses the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, get_args

import pytest

import auditfw
from auditfw.core.records import Estimate, Role
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import components

AUDITS: Mapping[str, Mapping[str, Any]] = {
    "answer_parsing": {"source": {"limit": 200}, "audit": {"baseline": None}},
    "posiwid": {},
    "cross_agent": {},
    "self_audit": {"source": {"limit": 2}},
}
SAMPLES: list[Any] = []


@auditfw.register("metric", "gathered_samples")
@dataclass(frozen=True)
class GatheredSamples:
    """Gives no number, and keeps the samples it is called with."""

    roles: ClassVar[frozenset[Role]] = frozenset(get_args(Role))

    def __call__(self, sample: Any) -> Estimate | None:
        SAMPLES.append(sample)
        return None


@pytest.fixture(scope="module", params=AUDITS)
def samples(request: pytest.FixtureRequest) -> list[Any]:
    """The samples of an audit."""
    SAMPLES.clear()
    auditfw.run({"experiment": request.param, **AUDITS[request.param], "metric": ["gathered_samples"], "gate": []})
    return list(SAMPLES)


def test_a_metric_takes_what_it_can_read(samples: list[Any]) -> None:
    """A metric of another audit is refused by name (exit 2); one that takes a sample reads it."""
    taken = 0
    for name, entry in components("metric").items():
        if not shipped(entry.origin):
            continue
        takes = capability(entry.cls, "takes", object)
        assert takes is not object, f"{name} takes everything"
        needed = [one for one in fields(entry.cls) if one.default is one.default_factory is MISSING]
        for sample in [] if needed else samples:
            if isinstance(sample, takes):
                estimate = entry.cls()(sample)
                assert estimate is None or isinstance(estimate, Estimate)
                taken += 1
    assert taken > len(samples)


def test_a_metric_of_another_audit_is_refused() -> None:
    with pytest.raises(auditfw.UsageError, match=r"^metrics\.solve_rate: is not a metric of this audit"):
        auditfw.run({"experiment": "posiwid", "metric": ["solve_rate"], "gate": []})
