"""The same answer with two grades in public data, to the digit: slow.

OpenQA-eval (Kamalloo et al. 2023) and the model solutions of GSM8K (Cobbe et al. 2021), in tests/cases/data.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from places import TESTS
from sentences import parsing as says

import auditfw

pytestmark = pytest.mark.slow  # whole runs

DATA = TESTS / "cases" / "data"
OPENQA, GSM8K = DATA / "openqa_eval_nq301", DATA / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz"
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
METRICS = ["two_grades", "same_pairs", "grade_error"]
Row = dict[str, Any]


def openqa() -> Iterator[Row]:
    """All 1,490 answers with GPT-4's label where question and answer are equal, the final one and those of people."""

    def table(name: str) -> list[dict[str, str]]:
        with (OPENQA / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    judge = {(row["Question"], row["Model answer"]): row["Acceptable?"].strip() for row in table("NQ301_gpt-4.tsv")}
    seen: Counter[str] = Counter()
    for row in table("NQ301_human.tsv"):
        seen[row["id"]] += 1
        people = {f"person{i}": row[f"annotator{i}"] or None for i in (1, 2)}
        label = judge.get((row["Question"], row["Model answer"])) or None
        final = "Yes" if row["Acceptable?"].strip() == "Yes" else "No"
        text = {"item": row["id"], "question": row["Question"], "answer": row["Model answer"]}
        yield {"id": f"{row['id']}-{seen[row['id']]}", **text, "gpt4": label, "people": final, **people}


def gsm8k() -> Iterator[Row]:
    with gzip.open(GSM8K, "rt", encoding="utf-8") as file:
        for number, row in enumerate(map(json.loads, file)):
            for model in MODELS:
                yield {
                    **{"id": f"{number}-{model}", "item": number, "raw_text": row[model]["solution"]},
                    **{"stored": int(row[model]["is_correct"]), "model": model},
                    "ground_truth": row["ground_truth"].rsplit("A: ", 1)[1].strip(),
                }


def rounded(result: Any, rater: str) -> list[tuple[float, ...]]:
    """The metrics of a rater: pairs, and in percent D and ε with their ends."""
    made = {name: result.measurement(name, rater).estimate for name in METRICS}
    ends = [
        tuple(round(x, 2) for x in (one.value, one.low, one.high)) for one in (made["two_grades"], made["grade_error"])
    ]
    return [(made["same_pairs"].value,), *ends]


def row_of(result: Any, rater: str) -> list[str]:
    [table] = [part.blocks[0] for part in result.sections if part.title == "Two Grades"]
    return next([*list(row[1:4]), row[6]] for row in table.rows if row[0] == rater)


@pytest.fixture(scope="module")
def rated() -> Any:
    raters = ["gpt4", "person1", "person2", "people"]
    audit = {"raters": raters, "reference": "people", "labels": ["Yes", "No"], "abstain": [], "acceptable": ["Yes"]}
    source = {"use": "frame", "frame": list(openqa())}
    chosen = {"metric": METRICS, "policy": [], "gate": [], "by": []}
    return auditfw.run({"experiment": "cross_agent", "source": source, "audit": {**audit, "valid": "Yes"}, **chosen})


@pytest.mark.parametrize(
    ("rater", "groups", "figures"),
    [
        ("gpt4", ["110", "6", "132", "0 of 1"], [(132,), (4.55, 2.02, 9.91), (2.33, 1.02, 5.23)]),
        ("people", ["111", "2", "133", "0 of 1"], [(133,), (2.26, 0.59, 8.24), (1.14, 0.3, 4.3)]),
        ("person1", ["111", "0", "133", "0 of 1"], [(133,), (0.0, 0.0, 4.38), (0.0, 0.0, 2.24)]),
        ("person2", ["110", "4", "132", "0 of 1"], [(132,), (3.79, 1.4, 9.86), (1.93, 0.7, 5.2)]),
    ],
)
def test_openqa(rated: Any, rater: str, groups: Sequence[str], figures: Sequence[tuple[float, ...]]) -> None:
    assert row_of(rated, rater) == groups
    assert rounded(rated, rater) == figures


def test_openqa_as_labels_of_a_judge() -> None:
    rows = [{**row, "raw_text": row["answer"], "ground_truth": "-", "stored": row["gpt4"]} for row in openqa()]
    audit = {"baseline": None, "near": None, "lossy": "allow", "labels": "judge"}
    audit |= {"stored_true": ["Yes"], "stored_false": ["No"]}
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "gate": [], "by": []}
    metrics = {name: {"use": name} for name in METRICS}
    result = auditfw.run(
        {
            **{"experiment": "answer_parsing", "source": {"use": "frame", "frame": rows}, "audit": audit},
            **{"metrics": metrics, "claims": {}, **chosen},
        }
    )
    assert rounded(result, "stored") == [(132,), (4.55, 2.02, 9.91), (2.33, 1.02, 5.23)]


def test_the_shipped_sample() -> None:
    result = auditfw.run({"experiment": "cross_agent", "metric": METRICS, "gate": [], "policy": []})
    assert row_of(result, "GPT-4") == ["27", "3", "33", "0 of 0"]
    assert rounded(result, "scholar") == [(33,), (9.09, 2.78, 25.91), (4.77, 1.41, 15.3)]
    assert row_of(result, "human annotators") == ["28", "1", "34", "0 of 0"]
    assert rounded(result, "auditor") == [(34,), (2.94, 0.41, 18.09), (1.49, 0.21, 10.05)]


@pytest.mark.parametrize("labels", ["rule", "judge"])
def test_rules_have_none(labels: str) -> None:
    """The stored labels of GSM8K: 8 pairs of identical solutions, 9 of the same, none with two labels."""
    audit = {"baseline": None, "near": None, "lossy": "allow", "labels": labels}
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "gate": [], "by": ["model"]}
    metrics = {name: {"use": name} for name in METRICS}
    source = {"use": "frame", "frame": list(gsm8k())}
    result = auditfw.run(
        {"experiment": "answer_parsing", "source": source, "audit": audit, "metrics": metrics, "claims": {}, **chosen}
    )
    pairs, share = (result.measurement(name, "stored").estimate for name in ("same_pairs", "two_grades"))
    assert (pairs.value, share.undefined) == (8 if labels == "rule" else 9, says.FEWER_PAIRS_OF_SAME_ANSWERS)
    assert "two_grades" not in {one.kind for one in result.findings}
