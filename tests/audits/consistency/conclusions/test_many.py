"""Many cells and many raters: intervals at once, the worst shown, and said."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from judged_orders import audited, section
from sentences import consistency as says

import auditfw
from auditfw.audits.consistency import samples
from auditfw.components.metric import agreement
from auditfw.formulas.agreement import Interval, Judged, Ratings

METRICS = [
    agreement.Kappa(), agreement.ScottPi(), agreement.FleissKappa(), agreement.KrippendorffAlpha(), agreement.GwetAC1(),
    agreement.KrippendorffAlpha("ordinal"), agreement.GwetAC1(categories="used"), agreement.Kappa(abstain="missing"),
    agreement.Kappa(interval=Interval("none")),
]  # fmt: skip


def made(seed: int) -> Judged:
    drawn = random.Random(seed)
    counted = {(drawn.randrange(3), drawn.randrange(3)): drawn.randrange(1, 9) for _ in range(drawn.randrange(5))}
    ratings = Ratings.of(("x", "y", "z"), ("gpt", "human"), counted)
    return Judged(ratings, "gpt", "human", abstain=("z",), cell=(seed,), many=True)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_at_once_is_one_by_one(metric: Any) -> None:
    """Of nothing, one label, agreement throughout and anything else: the same numbers, ends, and reasons."""
    drawn = [made(seed) for seed in range(60)]
    for found, sample in zip(metric.at_once(drawn), drawn, strict=True):
        one = metric(sample)
        assert found is not None
        assert (found.counted, found.missing, found.undefined) == (one.counted, one.missing, one.undefined)
        for mine, other in ((found.value, one.value), (found.low, one.low), (found.high, one.high)):
            assert mine == (other if other is None else pytest.approx(other, abs=1e-7))


def rows(n: int, cells: int) -> list[dict[str, Any]]:
    drawn = random.Random(4)
    truths = [drawn.choice("AB") for _ in range(n)]
    wrong = {"A": "B", "B": "A"}
    return [
        {"id": i, "human": t, "gpt": wrong[t] if drawn.random() < (0.5 if i % cells == 0 else 0.05) else t,
         "topic": f"t{i % cells}"}
        for i, t in enumerate(truths)
    ]  # fmt: skip


def test_every_coefficient_by_cell(tmp_path: Path) -> None:
    found = audited(tmp_path, rows(400, 4), run={"metric": ["kappa", "gwet_ac1"], "by": ["topic"]})
    (table,) = next(one for one in found.sections if one.title == "Agreement by Cell").blocks
    assert table.columns == ["cell", "n", "Cohen's kappa", "Gwet's AC1"]
    assert table.rows[0][0] == "topic = t0"
    assert len(table.rows) == 4
    assert all("[" in cell for row in table.rows for cell in row[2:])
    assert not any("large-sample" in text for text in found.warnings)


def test_many_cells_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_DRAWN", 3)
    found = audited(tmp_path, rows(400, 4), run={"metric": ["kappa"], "by": ["topic"]})
    assert says.CELLS_BY_RATER_THEIR_INTERVALS in found.warnings
    few = audited(tmp_path, rows(400, 3), run={"metric": ["kappa"], "by": ["topic"]})
    assert few.warnings == []


def test_a_gate_names_its_cell(tmp_path: Path) -> None:
    gates = {"kappa": {"use": "bound", "metric": "kappa", "min": 0.75, "cell": "worst"}}
    found = audited(tmp_path, rows(400, 4), run={"metric": ["kappa"], "by": ["topic"], "gates": gates})
    (gate,) = found.gates
    assert (gate.status, gate.why) == ("fail", "where topic = t0")
    sound = audited(tmp_path, rows(400, 4)[1::4], run={"metric": ["kappa"], "by": ["topic"], "gates": gates})
    assert [(gate.status, gate.why) for gate in sound.gates] == [("pass", "")]


@pytest.mark.parametrize(
    ("labels", "audit", "measured"),
    [
        (["A", "B"], {}, False),
        (["A", "B"], {"scale": "ordinal"}, True),
        (["1", "2"], {}, True),
        (["1", "2"], {"scale": "nominal"}, False),
        (["A", "B"], {"values": [0, 1]}, True),
        (["<1", ">=1"], {}, True),
    ],
)
def test_coefficients_that_need_an_order(tmp_path: Path, labels: list[str], audit: Any, measured: bool) -> None:
    named = [{**r, "human": labels["AB".index(r["human"])], "gpt": labels["AB".index(r["gpt"])]} for r in rows(60, 2)]
    gates = {"w": {"use": "bound", "metric": "weighted_kappa", "min": 0}}
    run = {"metric": ["kappa", "weighted_kappa", "gwet_ac2"], "gates": gates}
    found = audited(tmp_path, named, labels=labels, run=run, **audit)
    assert {m.metric for m in found.measurements} == (
        {"kappa", "weighted_kappa", "gwet_ac2"} if measured else {"kappa"}
    )
    text = section(found, "What the Numbers Mean")
    assert ("Left out: weighted_kappa, gwet_ac2" in text) is not measured
    assert ("audit.scale=ordinal" in text) is not measured
    assert [gate.status for gate in found.gates] == (["pass"] if measured else ["inconclusive"])


def test_many_raters(tmp_path: Path) -> None:
    """Of 50 raters the report shows the worst, the table of pairs has all."""
    drawn = random.Random(6)
    lines = ["id,rater,label"]
    for i in range(30):
        truth = drawn.choice("AB")
        lines += [f"q{i},r{j:02},{truth if drawn.random() < 0.9 else drawn.choice('AB')}" for j in range(50)]
    (tmp_path / "long.csv").write_text("\n".join(lines) + "\n", "utf-8")
    source = {"use": "raters", "path": str(tmp_path / "long.csv"), "columns": {"id": "id"}}
    settings = {
        "experiment": "cross_agent",
        "source": source,
        "gate": [],
        "policy": [],
        "metric": ["percent_agreement"],
    }
    found = auditfw.run({**settings, "audit": {"reference": "r00", "labels": ["A", "B"]}}, tmp_path / "run")
    assert says.RATERS_THE_REPORT_SHOWS_THE in found.warnings
    pairs = pl.read_parquet(tmp_path / "run" / "pairs.parquet")
    assert pairs.height == 50 * 49 // 2
    assert pairs.columns == ["rater", "other", "n", "percent_agreement", "kappa"]
    (table, note) = next(one for one in found.sections if one.title == "Pairs of Raters").blocks
    assert float(table.rows[0][4]) == pytest.approx(pairs["kappa"].min(), abs=1e-4)
    assert (len(table.rows), table.left_out) == (40, 1225 - 40)
    assert "all 1,225 pairs are in pairs.parquet" in note.text
