"""The answer of a consistency audit: its status, its words, and the rules that it follows from."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from judging import METRICS, REJECT, VALID, Counted, answer, fired, judged, rows
from sentences import consistency as says

import auditfw

GOOD: Counted = {(VALID, VALID): 96, (REJECT, REJECT): 96, (VALID, REJECT): 4, (REJECT, VALID): 4}


ALARMS = ("broken", "fragile")


def table(both: int, apart: int, more_apart: int, neither: int) -> Counted:
    return {(VALID, VALID): both, (VALID, REJECT): apart, (REJECT, VALID): more_apart, (REJECT, REJECT): neither}


def test_the_shipped_sample() -> None:
    drawn = answer(auditfw.run({"experiment": "cross_agent", "metric": METRICS}))
    assert (drawn.status, drawn.headline) == (
        "fragile",
        says.GPT_AND_HUMAN_ANNOTATORS_AGREE,
    )
    assert list(drawn.because) == [says.GPT_AND_HUMAN_ANNOTATORS_AGREE_ON]
    assert drawn.change == says.IT_WOULD_HOLD_IF_OF_THE
    who = says.GPT_SCHOLAR_HUMAN_ANNOTATORS_AUDITOR
    assert drawn.scope.startswith(says.ITEMS_LABELLED_BY_NOT_SPLIT.format(who))
    assert {rule.reading for rule in drawn.rules if rule.rule == "kappa_open"} == {"scholar"}
    assert {rule.rule for rule in drawn.rules if rule.fired} == {"percent_agreement_missed", "kappa_open"}


def test_the_reference_experiment_draws_an_answer_and_keeps_its_exit_code() -> None:
    result = auditfw.run({"experiment": "cross_agent_reference"})
    assert (answer(result).status, result.exit_code) == ("fragile", 1)
    assert [gate.name for gate in result.gates] == ["agreement", "kappa", "abstain"]


@pytest.mark.parametrize(
    ("counted", "status", "rules"),
    [
        (table(45, 5, 5, 45), "stable", set()),  # kappa 0.8
        (table(40, 10, 10, 40), "unknown", {"kappa_open"}),  # 0.6
        (table(30, 20, 20, 30), "fragile", {"kappa_missed"}),  # 0.2 [0.01, 0.39]
        (table(25, 25, 25, 25), "broken", {"chance_agreement", "kappa_missed"}),  # 0.0, up to 0.196
        (table(960, 20, 20, 0), "fragile", {"kappa_missed"}),  # -0.02, but REJECT is rare: no fault of the raters
        (table(20, 0, 0, 0), "unknown", {"undefined"}),
        (table(0, 6, 0, 0), "broken", {"no_shared_label", "kappa_open", "one_rater_constant"}),
        (table(0, 5, 0, 0), "unknown", {"kappa_open", "one_rater_constant"}),  # five items: perhaps by chance
        (table(0, 1, 1, 0), "unknown", {"kappa_open"}),  # -1.0 of two items
        (table(1, 2, 2, 0), "unknown", {"kappa_open"}),  # five items
        (table(9, 2, 1, 0), "unknown", {"kappa_open"}),  # REJECT may be agreed on though 12 items do not show it
        (table(20, 20, 0, 0), "unknown", {"kappa_open", "one_rater_constant"}),  # a constant rater: 0 by construction
        (table(20, 0, 20, 0), "unknown", {"kappa_open"}),
        (table(38, 1, 1, 0), "unknown", {"kappa_open"}),  # a third of the resamples has no kappa
    ],
)
def test_status_by_kappa_alone(counted: Counted, status: str, rules: set[str]) -> None:
    result = judged(rows(counted), gate=[])
    assert {rule for rule, _ in fired(result)} == rules
    assert answer(result).status == status


@pytest.mark.parametrize(
    ("least", "status"), [(0.5, "stable"), (0.75, "unknown"), (0.93, "fragile")]
)  # 0.8 [0.68, 0.92]
def test_gates_are_the_bounds(least: float, status: str) -> None:
    result = judged(rows(table(45, 5, 5, 45)), gate=["kappa"], gates={"kappa": {"min": least}})
    assert answer(result).status == status
    assert str(least) in answer(result).headline


@pytest.mark.parametrize(
    ("counted", "headline"),
    [
        (
            table(20, 20, 0, 0),
            says.KAPPA_OF_SCHOLAR_AND_AUDITOR,
        ),
        (
            table(20, 0, 20, 0),
            says.KAPPA_OF_SCHOLAR_AND_AUDITOR_IS,
        ),
        (
            table(0, 1, 1, 0),
            says.KAPPA_OF_SCHOLAR_AND_AUDITOR_IS_ON,
        ),
    ],
)
def test_without_an_interval_the_answer_is_unknown_and_holds_none(counted: Counted, headline: str) -> None:
    result = judged(rows(counted), gate=[])
    drawn = answer(result)
    assert (drawn.status, drawn.headline) == ("unknown", headline)
    kappa = next(m for m in result.measurements if m.metric == "kappa" and m.reading == "scholar" and not m.cell)
    ends = {(rule.low, rule.high) for rule in drawn.rules if rule.rule == "kappa_open"}
    assert ends == {(kappa.estimate.low, kappa.estimate.high)} == {(None, None)}


def test_a_constant_rater_in_a_cell_is_no_miss_of_kappa() -> None:
    cells = [*rows(table(45, 5, 5, 45), part="a"), *rows(table(25, 25, 0, 0), part="b")]
    drawn = answer(judged(cells, by=["part"], gate=["kappa"], gates={"kappa": {"min": 0.4}}))
    assert {rule.cell["part"] for rule in drawn.rules if rule.rule == "kappa_missed_in_cell"} == {"a"}


def test_fewer_than_six_items_decide_nothing() -> None:
    """None of three agrees: the Wilson interval [0, 0.56] misses the bound, but three items are no study."""
    drawn = answer(judged(rows(table(0, 2, 1, 0)), gate=["agreement"]))
    assert drawn.status == "unknown"
    assert drawn.headline.startswith(says.SCHOLAR_AND_AUDITOR_AGREE_ON)
    more = judged(rows(table(0, 4, 3, 0)), gate=["agreement"])
    assert ("percent_agreement_missed", "scholar") in fired(more)


@pytest.mark.parametrize(
    ("counted", "how"),
    [
        (table(1000, 1000, 1000, 1000), "no better"),  # 0.0
        (table(1100, 1000, 1000, 1100), "hardly better"),  # 0.05 [0.02, 0.08]
        (table(1000, 1100, 1100, 1000), "no better"),  # below 0
    ],
)
def test_an_interval_above_0_is_better_than_chance(counted: Counted, how: str) -> None:
    drawn = answer(judged(rows(counted), gate=[]))
    assert drawn.status == "broken"
    assert drawn.headline.startswith(says.SCHOLAR_AND_AUDITOR_AGREE_THAN.format(how))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.8])
@pytest.mark.parametrize("n", [5, 8, 12, 20])
def test_false_alarms_on_healthy_raters(n: int, share: float) -> None:
    """Of 100 studies at kappa 0.7 to 0.8 fewer than 3 are broken or fragile; they were 3 to 18."""
    rng = Random(n)
    alarms = sum(
        answer(judged(study(rng, n, rng.uniform(0.7, 0.8), share), gate=[])).status in ALARMS for _ in range(100)
    )
    assert alarms < 3


@pytest.mark.slow
def test_raters_at_chance_are_found() -> None:
    rng = Random(0)
    alarms = sum(answer(judged(study(rng, 50, 0.0, 0.5), gate=[])).status in ALARMS for _ in range(40))
    assert alarms >= 38


def study(rng: Random, n: int, kappa: float, share: float) -> list[dict[str, object]]:
    """Judgements of two raters who share a label with the chance `kappa`, else draw one each."""
    counted: Counter[tuple[str, str]] = Counter()
    for _ in range(n):
        one, other = (VALID if rng.random() < share else REJECT for _ in range(2))
        counted[one, one if rng.random() < kappa else other] += 1
    return rows(dict(counted))


def test_a_bound_of_kappa_where_gates_have_none() -> None:
    strict = judged(rows(table(45, 5, 5, 45)), gate=["hard_flags"], audit={"kappa": 0.95})
    assert fired(strict) == {("kappa_missed", "scholar")}
    loose = judged(rows(table(30, 20, 20, 30)), gate=[], audit={"kappa": 0.0})
    assert answer(loose).status == "stable"


def test_the_bound_that_is_missed_farthest_comes_first() -> None:
    """Agreement of 0.6 lacks 0.3, kappa of 0.2 lacks 0.55."""
    drawn = answer(judged(rows(table(30, 20, 20, 30)), gate=["agreement", "kappa"]))
    assert drawn.headline.startswith(says.KAPPA_OF_SCHOLAR_AND_AUDITOR_2)
    assert drawn.because[1].startswith(says.SCHOLAR_AND_AUDITOR_AGREE_ON_2)


def test_intervals_that_metrics_lack_are_computed() -> None:
    none = {name: {"interval": {"method": "none"}} for name in ("kappa", "percent_agreement")}
    result = judged(rows(table(25, 25, 25, 25)), metrics=none)
    assert ("percent_agreement_missed", "scholar") in fired(result)
    zero = judged(rows(table(20, 0, 0, 0)), gate=["kappa"], metrics={"kappa": {"undefined": "zero"}})
    assert answer(zero).status == "unknown"


def test_no_abstention_leaves_no_bound_open() -> None:
    """0 of 60 abstain: up to 6 % might, which is no reason to doubt; 1 of 60 is."""
    wide = table(30, 0, 1, 29)
    assert answer(judged(rows(wide), gate=["abstain"])).status == "stable"
    some = judged(rows(wide | {("ABSTAIN", "ABSTAIN"): 1}), gate=["abstain"])
    assert fired(some) == {("abstain_rate_open", "either")}
    assert "any" not in answer(some).headline


def test_the_worst_of_several_raters_decides() -> None:
    labels = [*rows(GOOD)]
    for i, row in enumerate(labels):
        row["third"] = VALID if i % 2 else REJECT
    drawn = answer(judged(labels, audit={"raters": ["scholar", "third", "auditor"]}, gate=[]))
    assert drawn.status == "broken"
    assert drawn.headline.startswith(says.THIRD_AND_AUDITOR_AGREE_NO)


def test_one_bad_cell_of_four_is_named() -> None:
    """The whole keeps its bound, so every gate passes; a cell of fifty items at a kappa of 0.2 does not."""
    good = [row for cell in "abc" for row in rows(table(49, 1, 1, 49), part=cell)]
    bad = rows(table(15, 10, 10, 15), part="d")
    result = judged([*good, *bad], by=["part"], gate=["kappa"], gates={"kappa": {"min": 0.6}})
    drawn = answer(result)
    assert (result.exit_code, drawn.status) == (0, "fragile")
    assert drawn.headline == says.KAPPA_OF_SCHOLAR_AND_AUDITOR_IS_WHERE
    assert drawn.because[0].startswith(says.OF_CELLS_MISSES_A_BOUND)
    assert says.CELLS_OF_THEM_WITH_TOO in drawn.scope
    twin = judged([*good, *rows(table(24, 1, 1, 24), part="d")], by=["part"], gate=["kappa"])
    assert answer(twin).status == "stable"
    assert says.CELLS_OF_THEM_WITH_TOO_FEW in answer(twin).scope


def test_the_p_of_a_cell_by_hand() -> None:
    """2 of 10 agree where half must: 56 of 1024 throws of a coin, twice for two sides, twice again for two cells."""
    cells = [*rows(table(5, 0, 0, 5), part="a"), *rows(table(1, 4, 4, 1), part="b")]
    drawn = answer(judged(cells, by=["part"], gate=["agreement"], gates={"agreement": {"min": 0.5}}))
    tried = {rule.cell["part"]: rule for rule in drawn.rules if rule.rule == "percent_agreement_missed_in_cell"}
    assert tried["b"].p == pytest.approx(4 * 56 / 1024)
    assert (tried["a"].p, tried["b"].value, tried["b"].bound) == (1.0, 0.2, 0.5)


def test_cells_too_small_to_tell_are_counted() -> None:
    cells = [row for cell in range(40) for row in rows(table(4, 0, cell % 2, 3), part=cell)]
    drawn = answer(judged(cells, by=["part"], gate=["kappa"]))
    assert drawn.status == "stable"
    assert says.CELLS_OF_THEM_WITH_TOO_FEW_ITEMS in drawn.scope


def test_nothing_audited() -> None:
    drawn = answer(judged(rows({(VALID, None): 3})))
    assert (drawn.status, drawn.headline) == ("unknown", says.NOTHING_WAS_AUDITED_SO_THERE)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [(name, 90.0, "number from 0 to 1") for name in ("chance", "rare", "coverage", "joins")]
    + [("kappa", -1.5, "number from -1 to 1"), ("alpha", 0.0, "number above 0 and at most 1")],
)
def test_bounds_are_shares(name: str, value: float, rule: str) -> None:
    with pytest.raises(auditfw.UsageError, match=rf"audit\.{name}: expected a {rule}, got {value}"):
        judged(rows(GOOD), audit={name: value})


def test_gate_on_the_answer() -> None:
    assert judged(rows(GOOD), gate=["stable"]).exit_code == 0
    assert judged(rows(table(45, 25, 5, 25)), gate=["stable"]).exit_code == 1
