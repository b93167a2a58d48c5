"""The best of several models: tables to check by hand, and what luck alone gives, simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from sentences import parsing as says

import auditfw
from auditfw.core.document import Note
from auditfw.core.errors import UsageError
from auditfw.core.records import Result
from auditfw.formulas.best_of import best_of
from auditfw.formulas.clusters import rate

DIFFER = {"a": "100110", "b": "010001", "c": "001000"}  # the labels of each model, an item a place


def audited(labels: Mapping[str, str], item: str = "item", column: str = "model", **more: Any) -> Result:
    """A run over stored labels, `.` for none; a text is right where it is the truth."""
    rows = [
        {"id": f"{value}{i}", item: f"q{i}", column: value, "parsed_text": "A", "ground_truth": "A", "stored": label}
        for value, of in labels.items()
        for i, label in enumerate(of)
        if label != " "
    ]
    for row in rows:
        row["stored"] = None if row["stored"] == "." else int(row["stored"])
    chosen = {"parser": ["stored"], "normalizer": ["none"], "matcher": "exact", "by": [column], "gate": []}
    audit = {"baseline": None, **more.pop("audit", {})}
    source = {"use": "frame", "frame": rows}
    settings = {"metric": ["n", "error_rate", "best_of_floor"], **chosen, "audit": audit, **more}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **settings})


def said(result: Result) -> list[str]:
    """What the section on ranks says of the best."""
    [section] = [one for one in result.sections if one.title == "Ranking"]
    return [one.text for one in section.blocks if isinstance(one, Note) and "best of" in one.text]


def floor(result: Result) -> Any:
    [one] = [m.estimate for m in result.measurements if m.metric == "best_of_floor" and not m.cell]
    return one


def exact(labels: Mapping[str, str]) -> tuple[float, float]:
    """The floor in points, and how often the best is as good as it is, over all ways to permute each item."""
    columns = np.array([[int(one) for one in of] for of in labels.values()]).T
    items, k = columns.shape
    totals = [np.zeros(k)]
    for row in columns:
        ways = {tuple(np.roll(row, shift)) for shift in range(k)}  # one model alone is right
        totals = [total + np.array(way) for total, way in product(totals, ways)]
    best = np.array([total.max() for total in totals])
    return 100 * float((best.mean() - columns.sum() / k) / items), float((best >= columns.sum(0).max()).mean())


def test_the_floor_and_p_are_those_of_all_permutations() -> None:
    result = audited(DIFFER)
    points, p = exact(DIFFER)
    assert floor(result).value == pytest.approx(points, abs=0.6)
    [finding] = [one for one in result.findings if one.kind == "best_of"]
    assert (finding.effect, finding.of, finding.expected) == ("reported", 3, floor(result).value)
    assert finding.value == pytest.approx(100 * (3 / 6 - 1 / 3))
    assert finding.p == pytest.approx(p, abs=0.04)
    assert [(one.cell, one.value) for one in finding.cells] == [({"model": "a"}, finding.value)]
    assert (finding.detail["items"], finding.detail["draws"]) == (6, 2000)


def test_it_is_said_under_ranking_and_in_because_where_luck_may_be_it() -> None:
    result = audited(DIFFER)
    [text] = said(result)
    assert text.startswith(says.A_IS_THE_BEST_OF)
    assert "Whatever wins scores about " in text
    assert text in result.answer.because
    clear = audited({"a": "1" * 40, "b": "10" * 20, "c": "0" * 40}, column="prompt")
    [text] = said(clear)
    assert text.startswith(says.PROMPT_A_IS_THE_BEST)
    assert "(p = 0.0005)" in text
    assert text not in clear.answer.because
    assert [one.kind for one in clear.findings if one.kind == "best_of"]


@pytest.mark.parametrize(
    ("labels", "more", "why"),
    [
        ({"a": "10", "b": "01"}, {}, says.NO_COLUMN_OF_BY_HAS_THREE),
        ({**DIFFER, "c": "00100"}, {}, says.NOT_COMPARED_THE_VALUES_OF),
        ({**DIFFER, "c": DIFFER["a"]}, {}, says.NOT_COMPARED_FEWER_THAN_VALUES),
        (
            {"a": "1.1", "b": "00.", "c": "01."},  # one item in which all have a label
            {},
            says.NOT_COMPARED_THE_VALUES_OF_MODEL,
        ),
        (DIFFER, {"item": "other"}, says.NOT_COMPARED_NO_COLUMN_SAYS),
        (DIFFER, {"audit": {"best": None}}, "audit.best is null"),
    ],
)
def test_not_compared(labels: Mapping[str, str], more: dict[str, Any], why: str) -> None:
    result = audited(labels, **more)
    assert (floor(result).value, floor(result).undefined) == (None, why)
    compared = why.startswith("not compared")
    assert said(result) == ([says.THE_BEST_OF_THE_VALUES_OF.format(why)] if compared else [])
    assert [one.why for one in result.not_checked if one.kind == "best_of"] == ([why] if compared else [])
    assert not [one for one in result.findings if one.kind == "best_of"]


def test_items_in_which_one_has_no_label_are_left_out_and_counted() -> None:
    [text] = said(audited({**DIFFER, "c": "00100."}))
    assert text.endswith(says.OF_ITEMS_ARE_LEFT_OUT)
    [text] = said(audited({"a": "10.", "b": "01.", "c": "001"}))
    assert text.endswith(says.OF_ITEMS_ARE_LEFT_OUT_NOT)


def test_its_settings() -> None:
    few = audited(DIFFER, audit={"best": {"draws": 50}})
    [finding] = [one for one in few.findings if one.kind == "best_of"]
    assert finding.detail["draws"] == 50
    assert " in 50 draws)" in said(few)[0]
    assert said(few) == said(audited(DIFFER, audit={"best": {"draws": 50}}))
    with pytest.raises(UsageError, match=r"audit\.best\.draws.*whole number from 1 to 100,000"):
        audited(DIFFER, audit={"best": {"draws": 0}})


def test_a_gate_bounds_it() -> None:
    gate = {"use": "bound", "metric": "best_of_floor", "max": 5}
    [result] = audited(DIFFER, gates={"luck": gate}).gates
    assert (result.status, result.bound) == ("fail", 5)


# What luck gives, simulated (slow)

TRUE = 0.7


def drawn(rng: np.random.Generator, items: int, rates: Sequence[float]) -> np.ndarray[Any, Any]:
    """Labels of candidates with these rates, on items that are hard or easy for all alike."""
    hard = rng.normal(0, 1, (items, 1))
    own = np.log(np.array(rates) / (1 - np.array(rates)))[None, :] * np.sqrt(1 + 0.35)  # the rate over items
    return (rng.random((items, len(rates))) < 1 / (1 + np.exp(hard - own))).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize(("items", "k"), [(100, 5), (200, 5), (100, 30)])
def test_bands_without_a_difference(items: int, k: int) -> None:
    """p is small as seldom as it should be, and the floor is what the best lies above its true rate."""
    rng, ones = np.random.default_rng(items + k), np.ones(items, dtype=np.int64)
    found = []
    for seed in range(400):
        best = best_of(drawn(rng, items, [TRUE] * k), ones, seed, draws=199)
        assert best is not None
        found.append((best.p <= 0.05, best.gain, best.rate - best.mean))
    small, gain, lies = np.mean(found, axis=0)
    assert 0.01 <= small <= 0.07
    assert 100 * abs(gain - lies) <= 0.6


@pytest.mark.slow
@pytest.mark.parametrize(("items", "k", "spread"), [(100, 5, 0.0), (100, 30, 0.03), (200, 5, 0.06), (1000, 30, 0.0)])
def test_the_interval_covers_the_rate_of_whatever_wins(items: int, k: int, spread: float) -> None:
    rng, ones = np.random.default_rng(items * k), np.ones(items, dtype=np.int64)
    rates = np.clip(TRUE + spread * np.linspace(-1.5, 1.5, k), 0.05, 0.95)
    many = drawn(rng, 200_000, rates).mean(0)
    covered = []
    for seed in range(150):
        right = drawn(rng, items, rates)
        best = best_of(right, ones, seed, draws=1)
        assert best is not None
        own = rate(ones, right[:, best.best])
        half = (own.high - own.low) / 2
        covered.append(abs(best.chosen - many[best.best]) <= half)
    assert np.mean(covered) >= 0.85
