"""The same answer to one question with two labels of one rater."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sentences import consistency as says

import auditfw
from auditfw.core.errors import UsageError
from auditfw.core.results.findings import Finding

METRICS = ("two_grades", "same_pairs", "grade_error", "favoured")


RATED: dict[str, Any] = {"labels": ["1", "0", "X"], "abstain": ["X"], "acceptable": ["1"], "valid": "1"}


def run(records: Sequence[dict[str, Any]], by: Sequence[str] = (), **audit: Any) -> Any:
    source = {"use": "frame", "frame": [{"id": str(i), **record} for i, record in enumerate(records)]}
    audit = {**RATED, "raters": ["a", "b"], "reference": "b", **audit}
    chosen = {"metric": [*METRICS], "policy": [], "gate": [], "by": [*by]}
    return auditfw.run({"experiment": "cross_agent", "source": source, "audit": audit, **chosen})


def numbers(result: Any, rater: str = "a") -> dict[str, float | str | None]:
    own = [one for one in result.measurements if one.metric in METRICS and one.reading == rater and not one.cell]
    return {one.metric: one.estimate.undefined or one.estimate.value for one in own}


def of_kind(result: Any, kind: str) -> Finding | None:
    return next((one for one in result.findings if one.kind == kind), None)


def judged(*rows: tuple[str, str, str], **further: Any) -> list[dict[str, Any]]:
    return [{"item": item, "answer": text, "a": label, "b": "1", **further} for item, text, label in rows]


def test_one_string_with_labels_0_0_1_1_is_four_of_six_pairs() -> None:
    result = run(judged(("q", "A", "0"), ("q", "a.", "0"), ("q", "the A", "1"), ("q", "A", "1"), ("q", "A", "X")))
    finding = of_kind(result, "two_grades")
    assert finding is not None
    assert (finding.value, finding.of, finding.effect, finding.detail) == (
        1,
        1,
        "reported",
        {"a": [4, 6], "b": [0, 10]},
    )
    assert (numbers(result)["same_pairs"], numbers(result, "b")["same_pairs"]) == (6, 10)


@pytest.mark.parametrize(
    ("first", "other", "pairs"),
    [
        ({"answer": "A"}, {"answer": "a."}, 1),
        ({"answer_json": {"claim": "A"}}, {"answer_json": {"claim": "a"}}, 1),
        ({"answer_json": {"claim": "A"}, "answer": "A"}, {"answer_json": {"claim": "B"}, "answer": "A"}, 0),
        ({"answer": "A", "ground_truth": "A"}, {"answer": "A", "ground_truth": "a"}, 0),
        ({"answer": "A", "said": "A"}, {"answer": "A", "said": "B"}, 1),
        ({"answer": None}, {"answer": None}, 0),
    ],
)
def test_what_raters_may_tell_apart(first: dict[str, Any], other: dict[str, Any], pairs: int) -> None:
    both = {"item": "q", "a": "1", "b": "1"}
    other_question = {**both, **first, "item": "p"}
    made = numbers(run([{**both, **first}, {**both, **other}, other_question]))
    assert made["same_pairs"] == (
        pairs if first["answer" if "answer" in first else "answer_json"] else says.NO_QUESTION_OR_NO_ANSWER
    )


def test_columns_and_texts_of_other_names() -> None:
    both = {"item": "q", "a": "1", "b": "1", "answer": "A"}
    rows = [{**both, "said": "B", "mood": "x"}, {**both, "said": "b", "mood": "y"}, {**both, "said": "C", "mood": "x"}]
    assert numbers(run(rows))["same_pairs"] == 3
    assert numbers(run(rows, same_answer={"text": "said"}))["same_pairs"] == 1
    assert numbers(run(rows, same_answer={"columns": ["mood"]}))["same_pairs"] == 1
    with pytest.raises(UsageError) as refused:
        run(rows, same_answer={"columns": ["moood"]})
    assert "audit.same_answer.columns[0]: no column 'moood'" in str(refused.value)
    assert "mood" in (refused.value.do or "")
    assert numbers(run(rows, same_answer=None))["same_pairs"] == "audit.same_answer is null"


def test_records_of_each_rater_are_joined() -> None:
    rows = [("1", "q", "A", "10"), ("2", "q", "a", "00"), ("3", "q", "B", "11"), ("4", "p", "A", "11")]
    records = [
        {"id": id, "item": item, "answer": text, "rater": rater, "label": label, "reason": f"{rater}{id}"}
        for id, item, text, labels in rows
        for rater, label in zip("ab", labels, strict=True)
    ]
    result = run(records)
    assert (numbers(result)["same_pairs"], numbers(result, "b")["same_pairs"]) == (1, 1)
    [table] = [block for part in result.sections if part.title == "Two Grades" for block in part.blocks[-1:]]
    assert table.rows == [["a", "q", "1", "A", "a1"], ["a", "q", "0", "a", "a2"]]


def test_questions_stand_for_items() -> None:
    rows = [{"question": q, "answer": "A", "a": "1", "b": "1"} for q in ("q", "q", "p")]
    assert numbers(run(rows))["same_pairs"] == 1


def test_who_was_preferred() -> None:
    rows = [
        {"item": str(i), "answer": "A", "a": "10"[model == "n"], "b": "1", "model": model}
        for i in range(8)
        for model in "mn"
    ]
    assert [numbers(run(rows, ["model"]), rater)["favoured"] for rater in "ab"] == [2, 0]


def test_a_column_of_too_many_values_is_named() -> None:
    rows = [{"item": "q", "answer": "A", "a": "1", "b": "1", "model": str(i)} for i in range(51)]
    assert says.BY_MODEL_NOBODY_IS_COMPARED in str(run(rows, ["model"]).sections)
    assert says.BY_MODEL_NOBODY_IS_COMPARED not in str(run(rows[:50], ["model"]).sections)


def test_a_gate_that_holds_by_less_than_the_noise() -> None:
    """20 pairs, 10 of which differ: D is ½, and the share of 40 that a accepts moves by up to 1.96·√(¼/40), 15.5."""
    rows = [{"item": str(i), "answer": "A", "a": str(int(k or i < 10)), "b": "1"} for i in range(20) for k in range(2)]
    source = {"use": "frame", "frame": [{"id": str(i), **row} for i, row in enumerate(rows)]}
    gates = {"accepted": {"use": "bound", "metric": "accepted_rate", "min": 0.7, "reading": "a"}}
    audit = {**RATED, "raters": ["a", "b"], "reference": "b"}
    chosen = {"metric": ["accepted_rate"], "policy": [], "gate": [], "gates": gates}
    result = auditfw.run({"experiment": "cross_agent", "source": source, "audit": audit, **chosen})
    finding = of_kind(result, "inside_noise")
    assert finding is not None
    assert (finding.effect, finding.headline) == ("fragile", says.THE_GATE_HOLDS_BY_POINTS)
