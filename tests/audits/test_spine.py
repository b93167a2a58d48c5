"""The spine of all audits: verdicts, gates that nothing can meet, and the bound on the number of cells."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from sentences import all_audits as says

from auditfw import run
from auditfw.audits.spine import contradictions, verdict_of
from auditfw.components.gate.bound import BoundGate
from auditfw.components.gate.rule import RuleGate
from auditfw.core.errors import UsageError
from auditfw.kinds.metrics import Gate

ROWS = 6
PARSING = pl.DataFrame(
    {
        "id": [str(i) for i in range(ROWS)],
        "row": [str(i) for i in range(ROWS)],
        "place": [str(i % 3) for i in range(ROWS)],
        "raw_text": ["18"] * ROWS,
        "parsed_text": ["18"] * ROWS,
        "ground_truth": ["18"] * ROWS,
        "stored": [True] * ROWS,
    }
)
JUDGED = pl.DataFrame(
    {
        "id": [str(i) for i in range(ROWS)],
        "row": [str(i) for i in range(ROWS)],
        "place": [str(i % 3) for i in range(ROWS)],
        "scholar": ["VALID"] * ROWS,
        "auditor": ["VALID", "REJECT"] * (ROWS // 2),
    }
)
GRIDS = pl.DataFrame(
    {
        "id": [str(i) for i in range(ROWS)],
        "row": [str(i) for i in range(ROWS)],
        "place": [str(i % 3) for i in range(ROWS)],
        "train": [[{"input": [[1]], "output": [[1]]}]] * ROWS,
        "test": [[{"input": [[1]], "output": [[1]]}]] * ROWS,
    }
)
SCENARIOS = [
    {"label": str(i), "intended": {"y": 1.0}, "params": {"x": float(i)}, "group": str(i % 3)} for i in range(ROWS)
]
SETTINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "parsing": ({"experiment": "answer_parsing", "source": {"use": "frame", "frame": PARSING}}, "place", "row"),
    "consistency": ({"experiment": "cross_agent", "source": {"use": "frame", "frame": JUDGED}}, "place", "row"),
    "self_audit": ({"experiment": "self_audit", "source": {"use": "frame", "frame": GRIDS}}, "place", "row"),
    "alignment": (
        {
            "experiment": "posiwid",
            "scenarios": {"use": "inline", "rows": SCENARIOS},
            "simulator": {"use": "python", "function": "toy_simulators:echo"},
        },
        "group",
        "label",
    ),
}


def _run(audit: str, by: str, most: int | None) -> Any:
    return run({**SETTINGS[audit][0], "by": [by], "max_cells": most, "engine": {"workers": 1}})


@pytest.mark.parametrize("audit", SETTINGS)
def test_as_many_cells_as_allowed_pass_and_one_more_is_refused(audit: str) -> None:
    _, three, six = SETTINGS[audit]
    assert _run(audit, three, 3).exit_code in (0, 1)
    assert _run(audit, six, None).exit_code in (0, 1)
    with pytest.raises(UsageError) as error:
        _run(audit, six, 5)
    assert str(error.value) == (says.BY_MAKE_TOO_MANY_CELLS.format(six))


FEW = {"metric": "flips", "max": 3}


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (FEW, {"metric": "flips", "min": 4}, "flips <= 3 and >= 4"),
        (FEW, {"metric": "flips", "min": 3}, None),
        (FEW, {"metric": "kappa", "min": 4}, None),
        (FEW, {"metric": "flips", "min": 4, "on": "low"}, None),
        (FEW, {"metric": "flips", "min": 4, "cell": "worst"}, None),
        (FEW, {"metric": "flips", "min": 4, "max": 5, "reading": "a"}, "flips@a <= 3 and in [4, 5]"),
        (FEW, {"metric": "flips", "min": 4, "reading": "stored"}, None),
        ({**FEW, "reading": "a"}, {"metric": "flips", "min": 4, "reading": "b"}, None),
        ({**FEW, "cell": "worst"}, {"metric": "flips", "min": 4, "cell": "worst"}, "flips in every cell <= 3 and >= 4"),
    ],
)
def test_gates_that_nothing_can_meet_are_told(one: dict[str, Any], other: dict[str, Any], told: str | None) -> None:
    gates: dict[str, Gate] = {"x": BoundGate(**one), "rule": RuleGate('"flips@a" < "flips@b"'), "y": BoundGate(**other)}
    said = [] if told is None else [says.GATES_AND_CANNOT_BOTH_PASS.format(told)]
    assert contradictions(gates, "stored") == said
    assert contradictions(dict(reversed(gates.items())), "stored") != said or told is None
    in_check = said if one.get("reading") == other.get("reading") else []
    assert contradictions(gates) == in_check  # which reading is the reference is not known before the run


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ([], "none"),
        (["pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["pass", "inconclusive", "fail"], "fail"),
    ],
)
def test_verdict(statuses: list[str], verdict: str) -> None:
    assert verdict_of(statuses) == verdict
