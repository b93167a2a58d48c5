"""The seed's own way to audit a simulator from Python: `POSIWIDAuditor`, four calls, plain dictionaries.

Source: `zimmerman/posiwid.py` and `zimmerman/base.py` of zimmerman-toolkit (Cramer, Zimmerman 2026, MIT).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .alignment import score_alignment


class SimulatorWrapper:
    """Makes a simulator of a function of a mapping, and of bounds {parameter: (low, high)}."""

    def __init__(self, function: Callable[[Any], Any], bounds: Mapping[str, tuple[float, float]] | None = None) -> None:
        self.function = function
        self.bounds = dict(bounds or {})

    def run(self, params: Any) -> Any:
        """Calls the function."""
        return self.function(params)

    def param_spec(self) -> dict[str, tuple[float, float]]:
        """The bounds."""
        return dict(self.bounds)


class LabelledResult(dict[str, Any]):
    """The result of one scenario: the four keys of an audit, and beside them its `label`.

    `result["label"]` gives the label too; it is not among the keys, so that the dictionary is that of the original.
    """

    def __init__(self, found: Mapping[str, Any], label: Any) -> None:
        super().__init__(found)
        self.label = label

    def __missing__(self, key: str) -> Any:
        if key == "label":
            return self.label
        raise KeyError(key)


class POSIWIDAuditor:
    """Measures the gap between intended and actual outcomes of a simulator.

    Nothing is caught: what the simulator raises leaves the call. `audit` of the command line goes on instead.
    """

    def __init__(self, simulator: Any) -> None:
        self.simulator = simulator

    def audit(self, intended_outcomes: Mapping[str, Any], params: Any) -> dict[str, Any]:
        """Runs the simulator once: {intended, actual, params, alignment}, copies taken after the run."""
        actual = self.simulator.run(params)
        alignment = self.score_alignment(intended_outcomes, actual)
        return {
            "intended": dict(intended_outcomes),
            "actual": dict(actual),
            "params": dict(params),
            "alignment": alignment,
        }

    def score_alignment(self, intended: Mapping[str, Any], actual: Any) -> dict[str, Any]:
        """Scores without running: {per_key, overall, n_keys_matched, n_keys_missing}."""
        return score_alignment(intended, actual)

    def batch_audit(self, scenarios: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Audits scenarios {intended, params, label}: {individual_results, aggregate}.

        Raises KeyError where `intended` or `params` is absent.
        """
        results = [
            LabelledResult(self.audit(scenario["intended"], scenario["params"]), scenario.get("label"))
            for scenario in scenarios
        ]
        return {"individual_results": results, "aggregate": aggregate([result["alignment"] for result in results])}


def aggregate(alignments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Statistics over what `score_alignment` gave for several scenarios.

    Mean, population deviation, least and largest of `overall`; means of direction and magnitude over all keys of all
    scenarios; `per_key_mean` over the scenarios in which a key was scored, keys by first appearance. 0.0 of none.
    """
    per_key: dict[str, list[Mapping[str, float]]] = {}
    for alignment in alignments:
        for key, scores in alignment["per_key"].items():
            per_key.setdefault(key, []).append(scores)
    every = [scores for alignment in alignments for scores in alignment["per_key"].values()]
    overalls = [alignment["overall"] for alignment in alignments]
    return {
        "mean_overall": _mean(overalls),
        "std_overall": _deviation(overalls),
        "min_overall": min(overalls, default=0.0),
        "max_overall": max(overalls, default=0.0),
        "mean_direction_accuracy": _mean([scores["direction_match"] for scores in every]),
        "mean_magnitude_accuracy": _mean([scores["magnitude_match"] for scores in every]),
        "n_scenarios": len(overalls),
        "per_key_mean": {
            key: {
                "direction": _mean([scores["direction_match"] for scores in scores_of_key]),
                "magnitude": _mean([scores["magnitude_match"] for scores in scores_of_key]),
                "combined": _mean([scores["combined"] for scores in scores_of_key]),
            }
            for key, scores_of_key in per_key.items()
        },
    }


def _mean(values: Sequence[float]) -> float:
    import numpy as np

    return float(np.mean(values)) if values else 0.0


def _deviation(values: Sequence[float]) -> float:
    import numpy as np

    return float(np.std(values)) if values else 0.0
