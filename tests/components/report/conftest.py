"""Results that several reports are made of: one made-up parsing audit, plain and with hostile names and texts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from made_up_audit import HOSTILE

from auditfw.core.document import Exhibit, Note, Section, Snippet, Table
from auditfw.core.records import Estimate, GateResult, Input, Measurement, Result

FOLDER = "outputs/parsing/2026-01-02/03-04-05.678901"
SHIFTS = {"stored+v1": (61.2, 0.0, 0), "answer_v2+v2": (55.5, -5.7, 1061), "after_think+v2": (70.0, 8.8, 12)}


def measurements() -> list[Measurement]:
    found = []
    for reading, (error, delta, flips) in SHIFTS.items():
        missing = 960 if reading.startswith("after") else 0
        n = 1080 - missing
        found += [
            Measurement("error_rate", reading, {}, Estimate(error, n, missing)),
            Measurement("error_rate", reading, {"temperature": 0.5}, Estimate(error, n, missing)),
            Measurement("delta_pp", reading, {}, Estimate(delta, n, missing, delta - 1.5, delta + 1.5)),
            Measurement("flips", reading, {}, Estimate(float(flips), n, missing)),
            Measurement("flips_to_true", reading, {}, Estimate(float(flips // 2), n, missing)),
            Measurement("flips_to_false", reading, {}, Estimate(float(flips - flips // 2), n, missing)),
            Measurement("n", reading, {}, Estimate(float(n), n, missing)),
        ]
    why = "only the baseline is compared"
    found.append(Measurement("mismatches", "stored+v1", {}, Estimate(0.0, 1080)))
    found.append(Measurement("mismatches", "answer_v2+v2", {}, Estimate(None, 0, undefined=why)))
    return found


def sections() -> list[Section]:
    rows = [["0.0", "base-7b", "control", "90", "-3.33"], ["0.5", "think-32b", "asch_unanimous", "90", "+13.33"]]
    cells = Table(["temperature", "variant", "condition", "n", "Δ pp"], rows, "<<<>>", "Largest first.", 22)
    raw = Snippet("raw_text", "It is\nWashington, D.C.</think>", "``` USER:", 1234, (0, 40))
    receipt = Exhibit("flip 1", [("id", "t-1"), ("stored", "true → false")], [raw, Snippet("parsed_text", "")])
    return [
        Section("By cell", [Note("Each cell apart."), cells], 2, console=True),
        Section("Receipts", [receipt, Table(["a"], [], "")], 3),
    ]


@pytest.fixture
def plain() -> Result:
    return Result(
        audit="parsing",
        verdict="fail",
        exit_code=1,
        counts={"malformed": 0, "no_ground_truth": 1080, "audited": 1080, "read": 2160},
        by=("temperature",),
        measurements=measurements(),
        gates=[
            GateResult("baseline", "mismatches <= 0", "stored+v1", 0.0, "pass", metric="mismatches"),
            GateResult("flips", "flips <= 25", "answer_v2+v2", 1061.0, "fail", "1,061 is above 25", "flips"),
            GateResult(
                "shift",
                "delta_pp >= -5",
                "after_think+v2",
                None,
                "inconclusive",
                "nothing was read",
                "delta_pp",
                -5.0,
                "min",
            ),
        ],
        warnings=["1 truth normalises to nothing"],
        inputs=[Input("data/trials.jsonl", "ab" * 32, 1234567)],
        config_hash="cd" * 32,
        seed=0,
        versions={"polars": "2.1.0", "auditfw": "0.1.0"},
        sections=sections(),
        folder=FOLDER,
    )


@pytest.fixture
def hostile(plain: Result) -> Result:
    exhibit = Exhibit(HOSTILE, [(HOSTILE, HOSTILE)], [Snippet(HOSTILE, HOSTILE, HOSTILE, 3, (0, 9))])
    table = Table([HOSTILE, "n"], [[HOSTILE, HOSTILE], ["a" * 300, "2"], ["x", "1", HOSTILE]], "<>", HOSTILE)
    cell = {"temperature": HOSTILE, "value": math.nan}
    return replace(
        plain,
        measurements=[
            *plain.measurements,
            Measurement("flips", HOSTILE, {}, Estimate(math.nan, 3, 1, -math.inf, math.inf)),
            Measurement(HOSTILE, HOSTILE, cell, Estimate(1.0, 3)),
            Measurement("combined", "actual", {"key": HOSTILE}, Estimate(0.5, 1)),
        ],
        gates=[*plain.gates, GateResult(HOSTILE, HOSTILE, HOSTILE, math.inf, "fail", HOSTILE * 300)],
        warnings=[*plain.warnings, HOSTILE],
        inputs=[Input(HOSTILE, "ab" * 32, 1)],
        sections=[*plain.sections, Section(HOSTILE, [Note(HOSTILE), table, exhibit], 3, console=True)],
        folder=f"outputs/{HOSTILE}",
    )
