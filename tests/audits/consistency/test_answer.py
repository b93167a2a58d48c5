"""The answer of a consistency audit: its status, its words, and the rules that it follows from."""

from __future__ import annotations

import pytest
from judging import METRICS, REJECT, VALID, Counted, answer, fired, judged, rows

import auditfw

GOOD: Counted = {(VALID, VALID): 96, (REJECT, REJECT): 96, (VALID, REJECT): 4, (REJECT, VALID): 4}


def table(both: int, apart: int, more_apart: int, neither: int) -> Counted:
    return {(VALID, VALID): both, (VALID, REJECT): apart, (REJECT, VALID): more_apart, (REJECT, REJECT): neither}


def test_the_shipped_sample() -> None:
    drawn = answer(auditfw.run({"experiment": "cross_agent", "metric": METRICS}))
    assert (drawn.status, drawn.headline) == (
        "fragile",
        "Percent agreement of GPT-4 and human annotators is 0.856 [0.822, 0.884], below 0.9.",
    )
    assert list(drawn.because) == [
        "GPT-4 and human annotators agree on 85.6 % of 499 items, kappa 0.712 [0.648, 0.770]; "
        "72 items differ, most often REJECT against VALID (40)."
    ]
    who = "GPT-4 (scholar), human annotators (auditor); reference: human annotators"
    assert drawn.scope.startswith(f"499 items labelled by {who}. Not split into cells")
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
        (table(0, 6, 0, 0), "broken", {"no_shared_label", "kappa_missed"}),
        (table(0, 5, 0, 0), "fragile", {"kappa_missed"}),  # five items: perhaps by chance
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


def test_a_bound_of_kappa_where_gates_have_none() -> None:
    strict = judged(rows(table(45, 5, 5, 45)), gate=["hard_flags"], audit={"kappa": 0.95})
    assert fired(strict) == {("kappa_missed", "scholar")}
    loose = judged(rows(table(30, 20, 20, 30)), gate=[], audit={"kappa": 0.0})
    assert answer(loose).status == "stable"


def test_the_bound_that_is_missed_farthest_comes_first() -> None:
    """Agreement of 0.6 lacks 0.3, kappa of 0.2 lacks 0.55."""
    drawn = answer(judged(rows(table(30, 20, 20, 30)), gate=["agreement", "kappa"]))
    assert drawn.headline.startswith("Kappa of scholar and auditor is 0.200 ")
    assert drawn.because[1].startswith("Percent agreement of scholar and auditor is 0.600 ")


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
    assert drawn.headline.startswith("third and auditor agree no better than chance: kappa ")


def test_one_bad_cell_of_four_is_named() -> None:
    """The whole keeps its bound, so every gate passes; a cell of fifty items at a kappa of 0.2 does not."""
    good = [row for cell in "abc" for row in rows(table(49, 1, 1, 49), part=cell)]
    bad = rows(table(15, 10, 10, 15), part="d")
    result = judged([*good, *bad], by=["part"], gate=["kappa"], gates={"kappa": {"min": 0.6}})
    drawn = answer(result)
    assert (result.exit_code, drawn.status) == (0, "fragile")
    assert drawn.headline == "Kappa of scholar and auditor is 0.20 where part = d, below 0.6."
    assert drawn.because[0].startswith(
        "1 of 4 cells miss a bound significantly (Benjamini-Hochberg); first where part = d"
    )
    assert "4 cells, 0 of them with too few items to tell" in drawn.scope
    twin = judged([*good, *rows(table(24, 1, 1, 24), part="d")], by=["part"], gate=["kappa"])
    assert answer(twin).status == "stable"
    assert "4 cells, 1 of them with too few items to tell" in answer(twin).scope


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
    assert "40 cells, 40 of them with too few items to tell" in drawn.scope


def test_nothing_audited() -> None:
    drawn = answer(judged(rows({(VALID, None): 3})))
    assert (drawn.status, drawn.headline) == ("unknown", "Nothing was audited, so there is no result.")


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
