"""The metrics of agreement on a table one can check by hand: which readings, which abstentions, which reasons."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import auditfw
from auditfw.audits.spine import measure
from auditfw.components.metric import agreement, judgements, labels
from auditfw.core.errors import UsageError
from auditfw.core.records import Reading
from auditfw.formulas.agreement import Interval, Judged, Ratings
from auditfw.formulas.agreement.diagnosis import (
    abstaining_ways,
    cell_costs,
    costs,
    pairwise,
    paradox,
    same_texts,
    strangers,
    told_costs,
    too_few,
)
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Outcome, Sample
from auditfw.kinds.registry import components

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
VALID, REFUSED, REJECT, ABSTAIN, NONE = 0, 1, 2, 3, -1
RATERS = ("scholar", "auditor", "final.strict")
# scholar, auditor, final: 90 of 100 items labelled by both; the scholar abstains on 4, the auditor on 2, both on 1
COUNTS = {
    (VALID, VALID, VALID): 50,
    (REFUSED, REFUSED, REFUSED): 20,
    (REJECT, REJECT, REJECT): 9,
    (VALID, REJECT, REJECT): 6,
    (ABSTAIN, VALID, REJECT): 3,
    (ABSTAIN, ABSTAIN, REJECT): 1,
    (VALID, ABSTAIN, REJECT): 1,
    (VALID, NONE, NONE): 8,
    (NONE, VALID, NONE): 2,
}


def judged(**settings: Any) -> Judged:
    ratings = Ratings.of(LABELS, RATERS, COUNTS)
    told = {"raters": RATERS[:2], "abstain": ("ABSTAIN",), "acceptable": ("VALID", "NOT_IN_CONTEXT")}
    return Judged(ratings, **(told | settings))


SCHOLAR = judged(candidate="scholar", reference="auditor")
AUDITOR = judged(candidate="auditor")
ALL = judged(group="all", facts={"hard_flags": 2})
EITHER = judged(group="either")
THREE = Ratings.of(
    ("1", "2", "3"),
    ("a", "b", "c"),
    {(0, 0, 0): 5, (0, 0, 1): 2, (1, 1, 1): 4, (2, 1, -1): 1, (-1, -1, 2): 1},
    (1, 2, 3),
)
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
        (judgements.Disagreements(), ALL, 10, 100, 0),
        (judgements.Disagreements(), EITHER, None, None, None),
        (judgements.Disagreements(), judged(group="all", facts={"disagreements": 12}), 12, 100, 0),
        (judgements.HardFlags(), ALL, 2, 100, 0),
        (judgements.FindingsMetric("hard_flags"), ALL, 2, 100, 0),
        (judgements.SpecificAgreement("REJECT"), SCHOLAR, 18 / 24, 90, 10),
        (judgements.PrevalenceIndex(), SCHOLAR, (50 - 30) / 90, 90, 10),
        (judgements.BiasIndex("REJECT"), SCHOLAR, (9 - 15) / 90, 90, 10),
        (labels.Count(), SCHOLAR, 98, 98, 2),
        (labels.Count(), AUDITOR, 92, 92, 8),
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
        ({(0, 0): 5}, "null", None, "both gave one label throughout: VALID"),
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
def test_a_rater_of_one_label_has_a_kappa_of_0_in_every_resample(given: tuple[int, ...]) -> None:
    """Not the -2.2e-16 [-3.7e-16, 9.3e-17] that rounding makes of it."""
    sample = Judged(Ratings.of(LABELS, RATERS[:2], {(0, j): n for j, n in enumerate(given)}), "scholar", "auditor")
    for metric in (agreement.Kappa(), agreement.WeightedKappa(), agreement.WeightedKappa("quadratic")):
        found = metric(sample)
        assert found is not None
        assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


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


def test_labels_that_could_be_used_or_were() -> None:
    two = Judged(Ratings.of(LABELS, RATERS[:2], {(0, 0): 8, (2, 2): 1, (0, 2): 1}), "scholar", "auditor")
    declared, used = agreement.GwetAC1()(two), agreement.GwetAC1(categories="used")(two)
    assert declared is not None
    assert used is not None
    pooled = 0.85
    for found, k in ((declared, 4), (used, 2)):
        chance = 2 * pooled * (1 - pooled) / (k - 1)
        assert found.value == pytest.approx((0.9 - chance) / (1 - chance))


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


def test_an_unknown_label_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'REJECT'"):
        judgements.SpecificAgreement("REJCT")(SCHOLAR)


def test_ratings_merge_and_do_not_depend_on_order() -> None:
    parts = [Ratings.of(LABELS, RATERS, {key: n}) for key, n in COUNTS.items()]
    assert Ratings.merged(reversed(parts)) == Ratings.merged(parts) == SCHOLAR.ratings
    assert SCHOLAR.ratings.n == 102 - 2
    with pytest.raises(ValueError, match="no ratings"):
        Ratings.merged([])


def test_three_ways_to_treat_an_abstention() -> None:
    three = Judged(
        Ratings.of(("x", "y", "?"), ("a", "b", "c"), {(0, 0, 0): 4, (0, 1, 2): 3, (2, 1, 1): 2}),
        "a",
        "b",
        abstain=("?",),
    )
    assert [(how, pair.n) for how, pair in abstaining_ways(three)] == [("label", 9), ("missing", 7), ("exclude", 4)]
    assert [pair.labels for _, pair in abstaining_ways(three)] == [("x", "y", "?"), ("x", "y"), ("x", "y")]
    assert abstaining_ways(ALL) == []


def pair_of(counts: dict[tuple[int, int], int]) -> Any:
    return Judged(Ratings.of(LABELS, RATERS[:2], counts), "scholar", "auditor").pair()


def test_the_paradox_note() -> None:
    rare = pair_of({(VALID, VALID): 98, (VALID, REJECT): 1, (REJECT, VALID): 1})
    note = paradox(rare, "scholar")
    assert note is not None
    for word in ("98.0 % agree", "kappa is -0.01", "VALID", "AC1 is 0.98", "gwet_ac1"):
        assert word in note
    assert "undefined" in (paradox(pair_of({(VALID, VALID): 20}), "scholar") or "")
    balanced = pair_of({(VALID, VALID): 45, (REJECT, REJECT): 45, (VALID, REJECT): 10})
    assert paradox(balanced, "scholar") is None
    assert paradox(pair_of({}), "scholar") is None


def test_what_costs_most_kappa() -> None:
    table = pair_of({(VALID, VALID): 50, (REJECT, REJECT): 30, (VALID, REJECT): 8, (REJECT, REFUSED): 2})
    ranked = costs(table)
    assert [(c.candidate, c.reference, c.n) for c in ranked] == [
        ("VALID", "REJECT", 8),
        ("REJECT", "NOT_IN_CONTEXT", 2),
    ]
    assert ranked[0].gain > ranked[1].gain > 0
    assert "VALID where the reference says REJECT (8 items" in (told_costs(table, "scholar") or "")
    assert told_costs(pair_of({(VALID, VALID): 3}), "scholar") is None
    cells = {"one": pair_of({(VALID, VALID): 25, (VALID, REJECT): 8}), "two": pair_of({(REJECT, REFUSED): 2})}
    assert [(cell, n) for cell, n, _ in cell_costs(table, cells)] == [("one", 8), ("two", 2)]


def test_raters_with_other_labels_are_told() -> None:
    shifted = Ratings.of(("0", "1", "2"), ("a", "b"), {(0, 1): 40, (1, 2): 30, (1, 1): 10})
    assert strangers(shifted) == [
        "a and b do not use the same labels: only a gives '0' × 40, only b '2' × 30; map them with audit.aliases "
        "before you believe a coefficient"
    ]
    assert strangers(Ratings.of(("0", "1", "2"), ("a", "b"), {(0, 0): 40, (1, 2): 1, (1, 1): 1})) == []


def test_pairwise_and_small_remarks() -> None:
    rows = {(row.one, row.other): (row.n, row.percent) for row in pairwise(THREE)}
    assert rows == {("a", "b"): (12, 11 / 12), ("a", "c"): (11, 9 / 11), ("b", "c"): (11, 9 / 11)}
    assert same_texts(4, 10, ["a", "b"]) is None
    assert same_texts(5, 26, ["a", "b"]) is None
    assert "5 of 10 items (50.0 %)" in (same_texts(5, 10, ["a", "b"]) or "")
    assert "35 are needed" in (too_few(2) or "")
    assert too_few(3) is None


def test_a_metric_of_another_audit_is_refused() -> None:
    reading = Reading("scholar", "candidate")
    samples = [Sample(reading, {}, SCHOLAR)]
    outcome = Outcome({"audited": 1}, [reading], samples, [], lambda measurements, gates: [])
    found = measure({"kappa": agreement.Kappa(), "n": labels.Count()}, outcome)
    assert [m.name for m in found] == ["kappa@scholar", "n@scholar"]
    with pytest.raises(UsageError, match=r"metrics\.error_rate: is no metric of this audit"):
        measure({"error_rate": labels.ErrorRate()}, outcome)


def test_settings_come_from_a_config() -> None:
    metric = auditfw.load("metric", "kappa")
    assert metric.interval == Interval()
    assert Counter(len(entry.doc) > 20 for name, entry in components("metric").items() if name in MINE) == {True: 17}
