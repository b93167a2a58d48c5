"""The same answer to one question with two stored labels: of a rule a fault, of a judge its noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sentences import parsing as says

import auditfw
from auditfw.core.errors import UsageError
from auditfw.core.results.findings import Finding

METRICS = ("two_grades", "same_pairs", "grade_error", "favoured")


def run(rows: Sequence[dict[str, Any]], by: Sequence[str] = (), gates: Any = None, **audit: Any) -> Any:
    rows = [{"id": str(i), "ground_truth": "A", **row} for i, row in enumerate(rows)]
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "by": list(by), "gate": []}
    source = {"use": "frame", "frame": rows}
    audit = {"baseline": None, "near": None, "lossy": "allow", **audit}
    metrics = {name: {"use": name} for name in METRICS}
    further = {"metrics": metrics, "claims": {}, **({} if gates is None else {"gates": gates})}
    return auditfw.run({"experiment": "answer_parsing", "source": source, "audit": audit, **further, **chosen})


def of_kind(result: Any, kind: str) -> Finding | None:
    return next((one for one in result.findings if one.kind == kind), None)


def numbers(result: Any) -> dict[str, float | str | None]:
    """The metrics of the stored labels, each with its value or why it has none."""
    own = (one for one in result.measurements if one.metric in METRICS and not one.cell)
    return {one.metric: one.estimate.undefined or one.estimate.value for one in own}


def answers(*rows: tuple[str, str, int | None], **further: Any) -> list[dict[str, Any]]:
    return [{"item": item, "raw_text": text, "stored": label, **further} for item, text, label in rows]


def test_a_rule_that_gives_identical_answers_two_labels_is_none() -> None:
    rows = answers(("q", "A", 1), ("q", "A", 0), ("q", "B", 0), ("q", "a", 0), ("p", "A", 1), ("p", "A", 1))
    result = run(rows)
    finding = of_kind(result, "two_grades")
    assert finding is not None
    assert (finding.value, finding.of, finding.text, finding.effect) == (1, 2, says.PAIR_OF_IDENTICAL_ANSWERS, "broken")
    assert finding.next == says.A_PERSON_OR_A_MODEL_GRADED
    assert finding.points == pytest.approx(100 / 6)
    assert finding.items == ["q"]
    assert result.answer.status == "broken"
    assert result.answer.headline == says.PAIR_OF_IDENTICAL_ANSWERS
    assert numbers(result)["same_pairs"] == 2


@pytest.mark.parametrize(
    "other",
    [
        {"ground_truth": "a"},
        {"ground_truth": ["A", "B"]},
        {"choices": ["A", "C"]},
        {"parsed_text": "a"},
        {"raw_text": "A "},
        {"raw_text": "a"},
        {"item": "p"},
        {"stored": None},
        {"scorer": "strict"},
    ],
    ids=lambda other: next(iter(other.items())),
)
def test_answers_that_a_rule_may_tell_apart(other: dict[str, Any]) -> None:
    same = {"item": "q", "raw_text": "A", "parsed_text": "A", "choices": ["A", "B"], "scorer": "loose"}
    rows = [{**same, "stored": 1}, {**same, "stored": 0, **other}, {**same, "raw_text": "B", "stored": 0}]
    assert of_kind(run(rows), "two_grades") is None


def test_rows_that_stand_twice_with_two_labels_are_said_once() -> None:
    result = run(answers(("q", "A", 1), ("q", "A", 0), ("q", "B", 0), ("p", "B", 0), ("o", "A", 1)))
    finding, twice = of_kind(result, "two_grades"), of_kind(result, "rows_twice")
    assert finding is not None
    assert "rows_twice" in finding.explains
    assert twice is not None
    assert twice.effect == "reported"
    more = run(answers(("q", "A", 1), ("q", "A", 0), ("q", "A", 1), ("p", "B", 0), ("p", "B", 0), ("o", "A", 1)))
    finding, twice = of_kind(more, "two_grades"), of_kind(more, "rows_twice")
    assert finding is not None
    assert (finding.value, finding.points) == (2, pytest.approx(100 / 6))
    assert twice is not None
    assert twice.effect == "fragile"


@pytest.mark.parametrize("reading", ["raw+v1", "last_line+squad", "last_number+none"])
def test_labels_of_readings_never_differ_on_identical_answers(reading: str) -> None:
    texts = ("A", "a.", "A\nB", "B\nA", "", "1 A", "The A", "A ")
    rows = [{"item": str(i % 3), "raw_text": texts[(i * i + i // 5) % len(texts)]} for i in range(60)]
    parser, normalizer = reading.split("+")
    part, ends = (auditfw.load(kind, name) for kind, name in (("parser", parser), ("normalizer", normalizer)))
    matcher, truth = auditfw.load("matcher", "containment"), ends("A")
    labels = [int(bool(matcher(ends(part(row["raw_text"])), truth))) for row in rows]
    result = run([{**row, "stored": label} for row, label in zip(rows, labels, strict=True)])
    assert numbers(result)["same_pairs"] > 50
    assert numbers(result)["two_grades"] == 0


def test_one_string_with_grades_0_0_1_1_is_four_of_six_pairs_of_a_judge() -> None:
    rows = answers(("q", "A", 1), ("q", "a.", 0), ("q", "The A", 1), ("q", "A", 0), ("q", "B", 1), ("q", "A", None))
    result = run(rows, labels="judge", same_answer={"least": 6})
    finding = of_kind(result, "two_grades")
    assert finding is not None
    assert (finding.value, finding.of, finding.effect) == (1, 1, "reported")
    assert finding.detail == {"stored": [4, 6]}
    made = numbers(result)
    assert (made["same_pairs"], made["two_grades"]) == (6, pytest.approx(100 * 4 / 6))
    assert made["grade_error"] == says.MORE_THAN_HALF_OF_PAIRS
    few = numbers(run(rows, labels="judge"))
    assert few["two_grades"] == few["grade_error"] == says.FEWER_PAIRS_OF_SAME_ANSWERS


def test_an_end_above_one_half_is_no_rate_of_wrong_grades() -> None:
    """16 of 40 pairs differ, at most 55 %: no such rate of errors that come independently."""
    rows = [row for item in range(40) for row in answers((f"q{item}", "A", 1), (f"q{item}", "A", int(item % 5 > 1)))]
    (error,) = (one for one in run(rows, labels="judge").measurements if one.metric == "grade_error")
    assert error.estimate.value == pytest.approx(50 * (1 - 0.2**0.5))
    assert 0 < error.estimate.low < error.estimate.value
    assert error.estimate.high is None


def test_what_a_judge_may_tell_apart() -> None:
    rows = answers(("q", "A" * 5, 1), ("q", "a" * 5, 0), ("q", "B", 1), ("q", "b", 0), ("q", "−5", 1), ("q", "5", 0))
    settings = {"labels": "judge", "same_answer": {"longest": 4}}
    assert numbers(run(rows, **settings))["same_pairs"] == 1
    told = [{**row, "prompt": str(i)} for i, row in enumerate(rows)]
    assert numbers(run(told, **settings))["same_pairs"] == 1
    settings["same_answer"] = {"longest": 4, "columns": ["prompt"]}
    assert numbers(run(told, **settings))["same_pairs"] == 0


def test_questions_stand_for_items() -> None:
    rows = [{"question": q, "raw_text": "A", "stored": label} for q, label in [("q", 1), ("q", 0), ("p", 1), ("o", 1)]]
    assert numbers(run(rows, labels="judge"))["same_pairs"] == 1
    assert of_kind(run(rows), "two_grades") is not None
    without = run([{"raw_text": "A", "stored": label} for label in (1, 0)], labels="judge")
    [why] = [one.why for one in without.not_checked if one.kind == "two_grades"]
    assert why.startswith(says.NO_COLUMN_SAYS_ITEM_MAP)


def test_who_was_preferred() -> None:
    """Eight questions, in each of which m has 1 for the answer that n has 0 for: p 2^-7, of two values 2^-6."""
    rows = [
        {"item": str(i), "raw_text": "A", "stored": int(model == "m"), "model": model}
        for i in range(8)
        for model in "mn"
    ]
    result = run(rows, ["model"], labels="judge")
    assert numbers(result)["favoured"] == 2
    notes = [block.text for part in result.sections if part.title == "Two Grades" for block in part.blocks[1:2]]
    assert notes == [says.THE_JUDGE_ON_THE_ANSWERS]
    even = run([{**row, "stored": int(row["item"] < "4") ^ row["stored"]} for row in rows], ["model"], labels="judge")
    assert numbers(even)["favoured"] == 0


def test_a_pair_inside_the_noise_of_grading() -> None:
    """Twelve answers of o have two grades each, so D is 1: two rates of 40 trials differ by up to 1.96·√(½·2/40)."""
    rows = [{"item": str(i), "raw_text": "A", "stored": 1, "model": "m"} for i in range(40)]
    rows += [{"item": str(i), "raw_text": "B", "stored": int(i >= 8), "model": "n"} for i in range(40)]
    rows += [{"item": str(i), "raw_text": "C", "stored": k % 2, "model": "o"} for i in range(12) for k in range(2)]
    result = run(rows, ["model"], labels="judge")
    finding = of_kind(result, "inside_noise")
    assert finding is not None
    assert (finding.effect, finding.headline) == (
        "fragile",
        says.IS_BETTER_BY_POINTS,
    )


def test_a_gate_that_holds_by_less_than_the_noise() -> None:
    """Of 40 labels 10 are wrong, in 10 of 20 pairs: D is ½, and a rate of 40 moves by up to 1.96·√(¼/40), 15.5."""
    rows = [{"item": str(i), "raw_text": "A", "stored": int(k or i < 10)} for i in range(20) for k in range(2)]
    gate = {"use": "bound", "metric": "error_rate", "max": 30, "reading": "stored"}
    result = run(rows, labels="judge", gates={"wrong": gate})
    finding = of_kind(result, "inside_noise")
    assert finding is not None
    assert finding.headline == says.THE_GATE_WRONG_HOLDS
    assert of_kind(run(rows, labels="judge", gates={"wrong": {**gate, "max": 50}}), "inside_noise") is None


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"columns": ["promt"]}, "audit.same_answer.columns[0]: no column 'promt'"),
        ({"longest": -1}, "same_answer.longest: expected a whole number of 0 or more"),
        ({"least": 0}, "same_answer.least: expected a whole number of 1 or more"),
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError) as refused:
        run([{**row, "prompt": "p"} for row in answers(("q", "A", 1))], labels="judge", same_answer=wrong)
    assert what in str(refused.value)


def test_nothing_is_asked_without_the_setting() -> None:
    result = run(answers(("q", "A", 1), ("q", "A", 0)), same_answer=None)
    assert of_kind(result, "two_grades") is None
    assert numbers(result)["same_pairs"] == "audit.same_answer is null"
