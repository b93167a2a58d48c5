"""The metrics of agreement on a table one can check by hand: which readings, which abstentions, which reasons."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from judged_pairs import ALL, LABELS, RATERS, SCHOLAR, THREE, judged

import auditfw
from auditfw.audits.spine import measure
from auditfw.components.metric import agreement, judgements, labels
from auditfw.core.errors import UsageError
from auditfw.core.records import Reading
from auditfw.formulas.agreement import Interval, Judged, Ratings
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Outcome, Sample
from auditfw.kinds.registry import components

AUDITOR = judged(candidate="auditor")
EITHER = judged(group="either")
TOGETHER = Judged(THREE, group="all")


@pytest.mark.parametrize(
    ("metric", "sample", "value", "counted", "missing"),
    [
        (agreement.PercentAgreement(), SCHOLAR, 80 / 90, 90, 10),
        (agreement.PercentAgreement(abstain="missing"), SCHOLAR, 79 / 85, 85, 15),
        (agreement.PercentAgreement(abstain="exclude"), SCHOLAR, 79 / 85, 85, 15),
        (agreement.PercentAgreement(), AUDITOR, None, None, None),
        (agreement.PercentAgreement(), ALL, None, None, None),
        (agreement.PercentAgreement(), EITHER, None, None, None),
        (agreement.PercentAgreement(), TOGETHER, (5 + 2 / 3 + 4) / 12, 12, 1),
        (agreement.BrennanPrediger(), SCHOLAR, (80 / 90 - 1 / 4) / (3 / 4), 90, 10),
        (agreement.BrennanPrediger(abstain="exclude"), SCHOLAR, (79 / 85 - 1 / 3) / (2 / 3), 85, 15),
        (agreement.BowkerP(), SCHOLAR, None, 90, 10),
        (judgements.AbstainRate(), SCHOLAR, 4 / 98, 98, 2),
        (judgements.AbstainRate(), AUDITOR, 2 / 92, 92, 8),
        (judgements.AbstainRate(), EITHER, 5 / 100, 100, 0),
        (judgements.AbstainRate(), ALL, None, None, None),
        (judgements.AcceptedRate(), SCHOLAR, 85 / 98, 98, 2),
        (judgements.AcceptedRate(), AUDITOR, 75 / 92, 92, 8),
        (judgements.disagreements(), ALL, 10, 100, 0),
        (judgements.disagreements(), EITHER, None, None, None),
        (judgements.disagreements(), judged(group="all", facts={"disagreements": 12}), 12, 100, 0),
        (judgements.hard_flags(), ALL, 2, 100, 0),
        (judgements.FindingsMetric("hard_flags"), ALL, 2, 100, 0),
        (judgements.SpecificAgreement("REJECT"), SCHOLAR, 18 / 24, 90, 10),
        (judgements.PrevalenceIndex(), SCHOLAR, (50 - 30) / 90, 90, 10),
        (judgements.BiasIndex("REJECT"), SCHOLAR, (9 - 15) / 90, 90, 10),
        (labels.n(), SCHOLAR, 98, 98, 2),
        (labels.n(), AUDITOR, 92, 92, 8),
    ],
)
def test_values(metric: Any, sample: Judged, value: float | None, counted: int | None, missing: int | None) -> None:
    found = metric(sample)
    if counted is None:
        assert found is None, "it does not apply to this reading"
        return
    assert (found.counted, found.missing) == (counted, missing)
    if value is not None:
        assert found.value == pytest.approx(value)


def test_kappa_by_hand() -> None:
    chance = (57 * 53 + 20 * 20 + 9 * 15 + 4 * 2) / 90**2
    found = agreement.Kappa()(SCHOLAR)
    assert found is not None
    assert found.value == pytest.approx((80 / 90 - chance) / (1 - chance))
    assert found.low is not None
    assert found.low < found.value < (found.high or 0)


@pytest.mark.parametrize(
    ("sample", "undefined", "value", "why"),
    [
        ({(0, 0): 5}, "null", None, "both gave every item the same label: VALID"),
        ({(0, 0): 5}, "zero", 0.0, None),
        ({(0, -1): 5}, "null", None, "no item that both labelled"),
        ({}, "null", None, "no item that both labelled"),
        ({}, "zero", 0.0, None),
        ({(0, 2): 5}, "null", 0.0, None),
    ],
)
def test_undefined_kappa(sample: dict[tuple[int, int], int], undefined: Any, value: float | None, why: str) -> None:
    ratings = Ratings.of(LABELS, RATERS[:2], sample)
    found = agreement.Kappa(undefined=undefined)(Judged(ratings, "scholar", "auditor"))
    assert found is not None
    assert (found.value, found.undefined) == (value, why)


@pytest.mark.parametrize("given", [(7, 3, 5), (11, 13, 0), (1, 1, 1), (49, 3, 1), (333, 77, 90)])
def test_a_rater_of_one_label_has_a_kappa_of_0_and_no_interval(given: tuple[int, ...]) -> None:
    """Every resample gives 0, or the -2.2e-16 that rounding makes of it: an interval of no width is none."""
    sample = Judged(Ratings.of(LABELS, RATERS[:2], {(0, j): n for j, n in enumerate(given)}), "scholar", "auditor")
    for metric in (agreement.Kappa(), agreement.WeightedKappa(), agreement.WeightedKappa("quadratic")):
        found = metric(sample)
        assert found is not None
        assert (found.value, found.low, found.high) == (0.0, None, None)


def test_kappa_of_scorers() -> None:
    """Stored label against a reading: 40 both right, 30 both wrong, 6 to wrong, 4 to right."""
    found = agreement.Kappa()(LabelCounts(44, 36, 5, 0, 40, 6, 4, 30))
    chance = (44 * 46 + 36 * 34) / 80**2
    assert found is not None
    assert found.value == pytest.approx((70 / 80 - chance) / (1 - chance))
    assert (found.counted, found.missing) == (80, 5)
    assert found.low is not None
    assert found.low < found.value
    empty = agreement.Kappa()(LabelCounts(3, 1, 0, 0, 0, 0, 0, 0, why_unpaired="the source has no column 'stored'"))
    assert empty is not None
    assert (empty.value, empty.undefined) == (None, "the source has no column 'stored'")


MINE = [
    "percent_agreement", "kappa", "weighted_kappa", "scott_pi", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1",
    "gwet_ac2", "brennan_prediger", "max_kappa", "bowker_p", "abstain_rate", "accepted_rate", "disagreements",
    "hard_flags", "prevalence_index", "bias_index",
]  # fmt: skip


@pytest.mark.parametrize("name", MINE)
def test_every_metric_says_what_is_undefined(name: str) -> None:
    """On any reading of nothing at all: not applicable, or undefined with a reason, or a count of nothing."""
    metric = components("metric")[name].cls()
    empty = Ratings.of(LABELS, RATERS[:2], {})
    for settings in ({"candidate": "scholar", "reference": "auditor"}, {"candidate": "auditor"}, {"group": "all"}):
        found = metric(Judged(empty, **settings))
        assert found is None or (found.value is None) == (found.undefined is not None)
        assert found is None or found.value in (None, 0.0)
    assert metric(LabelCounts(1, 0, 0, 0, 1, 0, 0, 0)) is None or name == "kappa"


def test_all_raters_together() -> None:
    fleiss, alpha = agreement.FleissKappa()(TOGETHER), agreement.KrippendorffAlpha("interval")(TOGETHER)
    assert fleiss is not None
    assert alpha is not None
    assert (fleiss.counted, fleiss.missing) == (11, 2)
    assert (alpha.counted, alpha.missing) == (12, 1)
    for metric in (agreement.GwetAC1(), agreement.GwetAC2(), agreement.FleissKappa(), agreement.PercentAgreement()):
        found = metric(TOGETHER)
        assert found is not None
        assert None not in (found.value, found.low, found.high)


def test_full_agreement_of_three_is_not_certainty() -> None:
    same = Judged(Ratings.of(("x", "y"), ("a", "b", "c"), {(0, 0, 0): 6, (1, 1, 1): 6}), group="all")
    for metric in (agreement.FleissKappa(), agreement.KrippendorffAlpha(), agreement.GwetAC1()):
        found = metric(same)
        assert found is not None
        assert (found.value, found.high) == (1.0, 1.0)
        assert found.low is not None
        assert found.low < 0.9


def test_distances_need_numbers() -> None:
    with pytest.raises(UsageError, match="labels that are numbers"):
        agreement.KrippendorffAlpha("interval")(SCHOLAR)
    with pytest.raises(UsageError, match="labels that are numbers"):
        agreement.WeightedKappa(spacing="numbers")(SCHOLAR)
    assert agreement.KrippendorffAlpha("ordinal")(SCHOLAR) is not None
    assert Ratings.numeric(["1", "2.5", "-3"]) == (1.0, 2.5, -3.0)
    assert Ratings.numeric(["1", "1.0"]) is None
    assert Ratings.numeric(["1", "nan"]) is None
    assert Ratings.numeric(["1", "x"]) is None


def test_a_metric_of_another_audit_is_refused() -> None:
    reading = Reading("scholar", "candidate")
    samples = [Sample(reading, {}, SCHOLAR)]
    outcome = Outcome({"audited": 1}, [reading], samples, [], lambda measurements, gates: [])
    found = measure({"kappa": agreement.Kappa(), "n": labels.n()}, outcome)
    assert [m.name for m in found] == ["kappa@scholar", "n@scholar"]
    with pytest.raises(UsageError, match=r"metrics\.error_rate: is not a metric of this audit"):
        measure({"error_rate": labels.error_rate()}, outcome)


def test_settings_come_from_a_config() -> None:
    metric = auditfw.load("metric", "kappa")
    assert metric.interval == Interval()
    assert Counter(len(entry.doc) > 20 for name, entry in components("metric").items() if name in MINE) == {True: 17}
