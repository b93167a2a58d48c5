"""The report of the reference scorer of the consistency audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.core.records import Result
from auditfw.core.result_json import write_whole
from auditfw.kinds.registry import register

SCORER_FILE = "consistency.json"
PLACES = 4


@register("report", "consistency")
@dataclass(frozen=True)
class ConsistencyReport:
    """Writes consistency.json: the report of the reference scorer, with its keys and its rounding to 4 places.

    `rater` is the candidate it reports on; `gates` are the three thresholds `pa`, `kappa` and `abstain`.
    """

    rater: str = "scholar"
    gates: dict[str, float] = field(default_factory=lambda: {"pa": 0.9, "kappa": 0.75, "abstain": 0.02})

    def __post_init__(self) -> None:
        for name in ("pa", "kappa", "abstain"):
            if name not in self.gates:
                raise UsageError(f"gates.{name}", "not given", None, "write the three thresholds pa, kappa, abstain")

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if folder is None:
            return ()
        text = json.dumps(scorer_report(result, self.rater, self.gates), indent=2) + "\n"
        return (write_whole(folder, SCORER_FILE, text),)


def scorer_report(result: Result, rater: str, gates: dict[str, float]) -> dict[str, Any]:
    """The report of the reference scorer; a number that is undefined is 0.0 there."""
    estimates = {(m.metric, m.reading): m.estimate for m in result.measurements if m.overall}

    def number(metric: str, reading: str) -> float:
        estimate = estimates.get((metric, reading))
        return 0.0 if estimate is None or estimate.value is None else estimate.value

    agreement, kappa = number("percent_agreement", rater), number("kappa", rater)
    abstain, counted = number("abstain_rate", rater), estimates.get(("percent_agreement", rater))
    passed = agreement >= gates["pa"] and kappa >= gates["kappa"] and abstain <= gates["abstain"]
    return {
        "n": 0 if counted is None else counted.counted,
        "percent_agreement": round(agreement, PLACES),
        "kappa": round(kappa, PLACES),
        "abstain_rate": round(abstain, PLACES),
        "disagreements": int(number("disagreements", "all")),
        "gates": {name: gates[name] for name in ("pa", "kappa", "abstain")},
        "pass": passed,
    }
