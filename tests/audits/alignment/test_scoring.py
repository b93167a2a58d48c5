"""Scoring by columns gives what rows give, and the draw does not depend on batches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from alignment_runs import KEYS, METRICS, Given, Run, scenario

import auditfw
from auditfw.kinds.simulation import Columns, ScenarioBatch, Simulated


def test_columns_give_what_rows_give() -> None:
    n = 300
    random = np.random.default_rng(0)
    meant = {key: random.normal(size=n) for key in KEYS}
    got = {key: random.normal(size=n) for key in KEYS}
    got["b"][7] = math.nan
    rows = [
        {"label": None, "intended": {k: float(meant[k][i]) for k in KEYS}, "params": {"i": float(i)}} for i in range(n)
    ]
    plain = Run(rows, Given(lambda p: {k: float(got[k][int(p["i"])]) for k in KEYS}), size=100)()

    @dataclass(frozen=True)
    class Whole:
        stochastic = False
        recorded = True

        def check(self) -> None:
            pass

        def limits(self) -> None:
            return None

        def __call__(self, stretch: ScenarioBatch) -> Simulated:
            assert isinstance(stretch.params, Columns)
            at = stretch.params.columns["i"].astype(int)
            columns = {key: column[at] for key, column in got.items()}
            return Simulated((), ["ok"] * len(stretch), [""] * len(stretch), columns)

    class Arrays:
        def open(self) -> Any:
            from auditfw.core.records import Batch
            from auditfw.kinds.evidence import Evidence

            def task(start: int) -> Callable[[], Batch]:
                part = slice(start, start + 100)
                columns: dict[str, Any] = {
                    "label": [None] * 100,
                    "intended": Columns({key: meant[key][part] for key in KEYS}, 100),
                    "params": Columns({"i": np.arange(n, dtype=float)[part]}, 100),
                    "group": [None] * 100,
                }
                return lambda: Batch(columns)

            return Evidence([task(s) for s in (0, 100, 200)], ("intended", "params"), n, list, lambda: None)

    from auditfw.audits import spine
    from auditfw.audits.alignment.audit import Alignment
    from auditfw.components.engine.local import Local

    metrics = {name: auditfw.load("metric", name) for name in METRICS}
    plan = spine.Run(Alignment(Arrays(), Whole(), metrics), Local(1), metrics)
    whole = spine.run(plan, spine.Stamp("", {}))
    assert whole.measurements == plain.measurements
    assert whole.counts == plain.counts == {"read": 900, "audited": 899, "nonfinite": 1}
    assert whole.trials.equals(plain.trials)
    assert whole.tables["scenarios"].equals(plain.tables["scenarios"])


def test_the_draw_does_not_depend_on_batches() -> None:
    rows = [scenario(i, y=float(i % 7)) for i in range(200)]
    simulator = Given(lambda p: {"y": p["x"] % 5})
    told = [Run(rows, simulator, size=size)(draw=50).sections for size in (200, 17)]
    titles = ("Trivial Baselines", "Where It Goes Wrong", "Units and Floor")
    assert [s for s in told[0] if s.title in titles] == [s for s in told[1] if s.title in titles]
    other = Run(rows, simulator, seed=1)(draw=50).sections
    assert [s for s in told[0] if s.title in titles] != [s for s in other if s.title in titles]
