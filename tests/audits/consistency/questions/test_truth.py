"""People's labels of a part of the items: the rates of judges, what they decide, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from judged_orders import audited, fired, section
from sentences import consistency as says

import auditfw
from auditfw.audits.consistency.conclusions.corrected import corrected_argument
from auditfw.audits.consistency.conclusions.truth import Truth
from auditfw.core.digits import rounded_up
from auditfw.core.document import Table
from auditfw.core.errors import AuditError
from auditfw.core.records import Result
from auditfw.formulas.people.judge_rates import CorrectedRates
from auditfw.formulas.people.shares import Share, weighted_share

REPO = Path(__file__).parents[4]
DATA = REPO / "tests" / "cases" / "data"
TITLE = "The Rate, Corrected"
METRICS = ("positive_rate", "corrected_rate", "ppi_rate", "rogan_gladen_rate", "judge_off_pp", "label_worth")
TRUTH = {"rater": "human", "sampling": "random", "positive": "A"}
SOUND = {"kappa": -1.0, "chance": 0.0}


def rows(*counts: tuple[str, str | None, int]) -> list[dict[str, Any]]:
    """So many items of each label of the judge and of people, in one of two halves."""
    pairs = [(gpt, human) for gpt, human, n in counts for _ in range(n)]
    return [{"id": f"q{i:03}", "gpt": gpt, "human": human, "half": "xy"[i % 2]} for i, (gpt, human) in enumerate(pairs)]


PART = rows(("A", "A", 30), ("A", "B", 10), ("A", None, 80), ("B", "A", 6), ("B", "B", 20), ("B", None, 54))


def run(folder: Path, records: Sequence[dict[str, Any]] = PART, **audit: Any) -> Result:
    return audited(folder, records, ("gpt", "human"), **{"truth": TRUTH, **SOUND, **audit})


@cache
def usual(folder: Path) -> Result:
    return run(folder, run={"by": ["half"], "gate": ["coverage"], "metric": ["kappa", "coverage"]})


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """120 of 200 items are A to the judge; of its A people call 30 of 40 so, of its B 6 of 26: 54.2 %."""
    return usual(tmp_path_factory.mktemp("runs"))


def test_the_measurements(result: Result) -> None:
    values = {name: result.measurement(name, "gpt").estimate for name in METRICS}
    assert values["positive_rate"].value == 60.0
    assert values["corrected_rate"].value == pytest.approx(60 * 30 / 40 + 40 * 6 / 26)
    assert values["judge_off_pp"].low < 0
    assert values["judge_off_pp"].value == pytest.approx(60 - values["corrected_rate"].value)
    assert (values["corrected_rate"].counted, values["corrected_rate"].missing) == (66, 134)
    assert {m.reading for m in result.measurements if m.metric in METRICS} == {"gpt"}
    cells = [m.cell for m in result.measurements if m.metric == "corrected_rate"]
    assert cells == [{}, {"half": "x"}, {"half": "y"}]


def test_people_need_not_label_every_item(result: Result) -> None:
    """The gate, the rule of the answer and the warning on items of one label leave them out."""
    assert [(gate.name, gate.status) for gate in result.gates] == [("coverage", "pass")]
    assert not fired(result, "coverage")
    assert not any("one rater only" in warning for warning in result.warnings)
    assert result.counts["one_sided"] == 134


def test_the_table(result: Result) -> None:
    [whole, cells] = [
        block for one in result.sections if one.title == TITLE for block in one.blocks if isinstance(block, Table)
    ]
    assert whole.columns[:4] == ["rater", "says A %", "people, on their part %", "corrected %"]
    assert [row[0] for row in whole.rows] == ["gpt"]
    assert (whole.rows[0][2], whole.rows[0][6]) == ("54.5", "66")
    assert [row[:2] for row in cells.rows] == [["half = x", "gpt"], ["half = y", "gpt"]]


def test_the_answer(result: Result) -> None:
    answer = result.answer
    assert answer is not None
    assert answer.headline == says.GPT_SAYS_A_ON
    assert answer.because[0].startswith("Kappa of gpt")
    assert answer.because[1].startswith("PPI++ gives ")
    assert says.HUMAN_LABELLED_66_ITEMS in answer.scopes
    [rule] = [one for one in answer.rules if one.rule == "judge_off"]
    assert (rule.fired, rule.status, rule.bound) == (False, "fragile", 1.0)


def test_a_judge_that_is_off(tmp_path: Path) -> None:
    """It says A on 80 %, people on half of these: 40 points too many."""
    records = rows(("A", "A", 40), ("A", "B", 40), ("A", None, 80), ("B", "B", 20), ("B", None, 20))
    answer = run(tmp_path, records).answer
    assert answer is not None
    assert (answer.status, answer.words) == ("broken", "LABELS ARE IN DOUBT")
    assert answer.headline == says.GPT_SAYS_A_ON_80
    assert answer.because[0].startswith("PPI++ gives 40.0 [")
    assert answer.because[1] == says.ONE_MORE_LABEL_OF_PEOPLE
    assert answer.next == says.ABOUT_MORE_LABELS_HALVE
    within = run(tmp_path, records, off=50.0).answer
    assert within is not None
    assert within.status == "fragile"


def test_no_truth_no_difference(tmp_path: Path) -> None:
    """Without the setting nothing is measured, listed or decided; a metric that is asked for says why it is not."""
    result = run(tmp_path, truth=None, run={"metric": ["corrected_rate"]})
    assert not section(result, TITLE)
    assert {m.metric for m in result.measurements} == {"corrected_rate"}
    assert result.measurement("corrected_rate", "gpt").estimate.undefined == says.NO_RATER_IS_NAMED
    assert not fired(result, "judge_off")
    assert any("one rater only" in warning for warning in result.warnings)


def test_a_policy_is_a_judge_of_its_own(tmp_path: Path) -> None:
    """Its decisions are those without people's labels, on all items."""
    records = [{**row, "third": row["gpt"]} for row in PART]
    records[0]["third"] = "B"  # people's A would decide
    records[-1]["third"] = None
    result = audited(
        tmp_path, records, ("gpt", "third", "human"), truth=TRUTH, **SOUND, run={"policy": ["majority"]},
    )  # fmt: skip
    own = result.measurement("positive_rate", "final.majority").estimate
    assert (own.value, own.counted) == (pytest.approx(100 * 119 / 198), 198)
    assert result.trials["final.majority"][0] == "A"
    assert any("one rater only" in warning for warning in result.warnings)  # of the last item


def test_abstentions_of_people_are_undecided(tmp_path: Path) -> None:
    records = rows(("A", "A", 30), ("A", "skip", 4), ("A", None, 86), ("B", "A", 6), ("B", "B", 20), ("B", None, 54))
    result = run(tmp_path, records, labels=["A", "B", "skip"], abstain=["skip"])
    assert result.measurement("corrected_rate", "gpt").estimate.counted == 56
    assert says.GPT_PEOPLE_ARE_UNDECIDED in section(result, TITLE)


def test_an_abstention_may_be_what_is_counted(tmp_path: Path) -> None:
    records = rows(("A", "A", 30), ("skip", "skip", 20), ("A", "skip", 6), ("A", None, 50), ("skip", None, 20))
    settings = {"labels": ["A", "B", "skip"], "abstain": ["skip"], "truth": {**TRUTH, "positive": "skip"}}
    made = run(tmp_path, records, **settings).measurement("corrected_rate", "gpt").estimate
    assert (made.counted, made.value) == (56, pytest.approx(100 * (40 + 86 * 6 / 36) / 126))


def test_whole_items_at_random(tmp_path: Path) -> None:
    """Every fifth item of four trials has labels of people, the others none."""
    records = [
        {
            "id": f"q{i:03}",
            "item": f"i{i // 4}",
            "gpt": "AB"[i % 2],
            "human": "AB"[i % 4 // 2] if i // 4 % 5 == 0 else None,
        }
        for i in range(240)
    ]
    made = run(tmp_path, records, truth={**TRUTH, "sampling": "items"}).measurement("corrected_rate", "gpt").estimate
    assert (made.value, made.counted) == (50.0, 48)


def test_a_part_is_random_for_all_judges_or_for_none(tmp_path: Path) -> None:
    """By chance one of several judges gives its labels unevenly to the part: p = 0.0008 of one, 0.0016 of either."""
    records = rows(("A", "A", 42), ("A", None, 58), ("B", "B", 20), ("B", None, 80))
    with pytest.raises(AuditError):
        run(tmp_path, records)
    even = [{**row, "third": "AB"[i % 2]} for i, row in enumerate(records)]
    assert audited(tmp_path, even, ("gpt", "third", "human"), truth=TRUTH, **SOUND)


def test_several_positive_labels(tmp_path: Path) -> None:
    result = run(tmp_path, labels=["A", "B", "C"], truth={**TRUTH, "positive": ["A", "B"]})
    assert result.measurement("positive_rate", "gpt").estimate.value == 100.0
    assert "says A or B %" in section(result, TITLE)


def test_items_chosen_with_probabilities(tmp_path: Path) -> None:
    """Half of the judge's A have a label and all of its B: Hájek's mean."""
    records = [{**row, "pi": 0.5 if row["gpt"] == "A" else 1} for row in PART if row["gpt"] == "A" or row["human"]]
    truth = {**TRUTH, "sampling": "probability", "weight": "pi"}
    made = run(tmp_path, records, truth=truth).measurement("corrected_rate", "gpt").estimate
    share = weighted_share([True] * 30 + [False] * 10 + [True] * 6 + [False] * 20, [0.5] * 40 + [1.0] * 26)
    assert (made.value, made.low, made.high) == pytest.approx((100 * share.value, 100 * share.low, 100 * share.high))


def test_files_of_raters(tmp_path: Path) -> None:
    """Probabilities come from any file; a file of people that is the same as a judge's is no fault of its own."""
    records = [{"id": f"q{i}", "label": "AB"[i % 2], "pi": 0.5 + i % 2 / 2} for i in range(30)]
    for name in ("gpt", "human"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records), "utf-8")
    paths = {name: str(tmp_path / f"{name}.jsonl") for name in ("gpt", "human")}
    settings = {"reference": "human", "labels": ["A", "B"], **SOUND}
    truth = {**TRUTH, "sampling": "probability", "weight": "pi"}
    runs = [
        auditfw.run(
            {
                "experiment": "cross_agent",
                "source": {"use": "raters", "paths": paths},
                "audit": {**settings, "truth": one},
                "metric": [],
                "gate": [],
                "policy": [],
            }
        )
        for one in (truth, None)
    ]
    assert [bool(fired(result, "identical_files")) for result in runs] == [False, True]
    assert runs[0].measurement("corrected_rate", "gpt").estimate.value == pytest.approx(100 * 2 / 3)


def test_labels_that_the_data_hold(tmp_path: Path) -> None:
    assert run(tmp_path, labels="found").measurement("positive_rate", "gpt").estimate.value == 60.0
    with pytest.raises(AuditError) as refused:
        run(tmp_path, labels="found", truth={"rater": "human", "sampling": "random"})
    assert says.SAY_WHICH_LABEL_THE_RATE in str(refused.value)


def test_all_items(tmp_path: Path) -> None:
    records = [row for row in PART if row["human"]]
    result = run(tmp_path, records, truth={**TRUTH, "sampling": "all"})
    assert result.measurement("corrected_rate", "gpt").estimate.value == pytest.approx(100 * 36 / 66)
    assert says.PEOPLE_LABELLED_ALL_OF_ITS in section(result, TITLE)


ITEMS = [{**row, "item": f"i{i // 4}", "human": row["human"] if i < 38 else None} for i, row in enumerate(PART)]
CASES = [
    ({"rater": "human"}, PART, says.SAY_HOW_THE_ITEMS_WERE),
    ({**TRUTH, "sampling": "rndom"}, PART, "did you mean 'random'?"),
    (
        {**TRUTH, "rater": "humn"},
        PART,
        "audit.truth.rater: no rater 'humn' (raters: gpt, human) - did you mean 'human'?",
    ),
    ({"rater": "human", "sampling": "random"}, PART, says.SAY_WHICH_LABEL_THE_RATE),
    ({**TRUTH, "positive": "C"}, PART, "audit.truth.positive: no label 'C' (audit.labels: A, B) - known: A, B"),
    ({**TRUTH, "sampling": "probability"}, PART, "audit.truth.weight: not set"),
    ({**TRUTH, "weight": "half"}, PART, "audit.truth.weight: goes with sampling: probability only (half)"),
    ({**TRUTH, "sampling": "probability", "weight": "halt"}, PART, "audit.truth.weight: no column 'halt'"),
    ({**TRUTH, "sampling": "probability", "weight": "half"}, PART, "0.jsonl:1: no probability (x)"),
    ({**TRUTH, "sampling": "all"}, PART, "audit.truth.sampling: 66 of 200 items of gpt have a label of human (all)"),
    ({**TRUTH, "sampling": "items"}, ITEMS, "item i9: 2 of 4 trials have a label of human"),
    (TRUTH, rows(("A", None, 50), ("B", None, 50)), "audit.truth: human labelled no item that gpt did"),
    (TRUTH, rows(("A", "A", 60), ("A", None, 60), ("B", None, 80)), says.THE_ITEMS_WITH_A_LABEL),
]


@pytest.mark.parametrize(("truth", "records", "message"), CASES)
def test_refused(tmp_path: Path, truth: dict[str, Any], records: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(AuditError) as refused:
        run(tmp_path, records, truth=truth)
    assert message in str(refused.value)


def rated(labels: int, off: Share) -> CorrectedRates:
    return CorrectedRates(1000, labels, 0, _own(), None, Share(0.5, 0.4, 0.6), None, None, off)


def _own() -> Any:
    from auditfw.formulas.clusters import rate

    return rate([1] * 1000, [1] * 600 + [0] * 400)


@pytest.mark.parametrize(
    ("labels", "off", "status"),
    [
        (100, Share(0.05, -0.01, 0.11), None),
        (100, Share(0.05, 0.01, 0.09), "fragile"),
        (100, Share(-0.05, -0.09, -0.01), "fragile"),
        (100, Share(0.009, 0.004, 0.014), None),  # less than a point
        (100, Share(0.13, 0.11, 0.15), "broken"),
        (100, Share(-0.13, -0.15, -0.11), "broken"),
        (100, Share(0.13, 0.1, 0.16), "fragile"),  # not wholly beyond
        (29, Share(0.13, 0.11, 0.15), "reported"),
        (30, Share(0.13, 0.11, 0.15), "broken"),
    ],
)
def test_when_a_judge_is_off(labels: int, off: Share, status: str | None) -> None:
    truth = Truth("human", "random", ("A",))
    made = corrected_argument(truth, {"gpt": rated(labels, off)}, {"gpt": "GPT"}, 10.0)
    [rule] = made.rules
    assert rule.fired is (status is not None)
    assert (rule.status == status) or (not rule.fired) or (rule.status is None and status == "reported")
    assert set(made.words) - {"stable"} == ({status} & {"fragile", "broken"})


@pytest.mark.parametrize(("number", "rounded"), [(7, 7), (99, 99), (100, 100), (101, 110), (348, 350), (1201, 1300)])
def test_rounded_up(number: int, rounded: int) -> None:
    assert rounded_up(number) == rounded


def test_rates_outside_of_what_can_be_are_cut(tmp_path: Path) -> None:
    """Of a judge that hardly calls anything positive the lower ends are below 0."""
    records = rows(("A", "A", 1), ("A", "B", 1), ("A", None, 10), ("B", "A", 1), ("B", "B", 60), ("B", None, 300))
    result = run(tmp_path, records)
    estimate = result.measurement("rogan_gladen_rate", "gpt").estimate
    assert estimate.low == 0.0
    assert "* gpt: Rogan-Gladen was" in section(result, TITLE)
