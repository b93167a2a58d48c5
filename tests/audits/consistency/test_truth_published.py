"""Rates of judges on public data, corrected by people's labels of a part: slow.

The part is the n ids that come first in `ranks(0, "part")`; there the truth of the whole is known, too.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import auditfw
from auditfw.core.records import Result
from auditfw.core.sampling import ranks

pytestmark = pytest.mark.slow
REPO = Path(__file__).parents[3]
DATA = REPO / "tests" / "cases" / "data"
OPENQA, PANDALM = DATA / "openqa_eval_nq301", DATA / "pandalm_testset"
SAMPLE = REPO / "auditfw" / "samples" / "openqa_judges" / "pairs.jsonl"
Row = dict[str, Any]


def table(name: str) -> list[dict[str, str]]:
    with (OPENQA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def openqa() -> Iterator[Row]:
    """GPT-4 and the final human label, where there are a text and a judgement of the same question and answer."""
    judge = {(row["Question"], row["Model answer"]): row["Acceptable?"].strip() for row in table("NQ301_gpt-4.tsv")}
    seen: Counter[str] = Counter()
    for row in table("NQ301_human.tsv"):
        seen[row["id"]] += 1
        label = judge.get((row["Question"], row["Model answer"]))
        if row["Model answer"] and label:
            human = "Yes" if row["Acceptable?"].strip() == "Yes" else "No"
            yield {"id": f"{row['id']}-{seen[row['id']]}", "item": row["id"], "gpt": label, "human": human}


def sample() -> Iterator[Row]:
    for row in map(json.loads, SAMPLE.read_text("utf-8").splitlines()):
        yield {
            "id": row["qid"],
            "item": row["question"],
            "gpt": row["scholar"]["label"],
            "human": row["auditor"]["label"],
        }


def without_items() -> Iterator[Row]:
    for row in sample():
        yield {name: value for name, value in row.items() if name != "item"}


def pandalm() -> Iterator[Row]:
    """gpt-3.5 and what most of three people say."""
    judge = {
        row["idx"]: row["gpt_result"] for row in json.loads((PANDALM / "gpt-3.5-turbo-testset-v1.json").read_text())
    }
    for row in json.loads((PANDALM / "testset-v1.json").read_text("utf-8")):
        most = Counter(str(row[f"annotator{i}"]) for i in (1, 2, 3)).most_common(1)[0][0]
        yield {"id": str(row["idx"]), "gpt": str(judge[row["idx"]]), "human": most}


LABELS: dict[Any, tuple[list[str], str]] = {
    openqa: (["Yes", "No"], "Yes"),
    sample: (["VALID", "REJECT", "ABSTAIN"], "VALID"),
    without_items: (["VALID", "REJECT", "ABSTAIN"], "VALID"),
    pandalm: (["1", "2", "0", "Tie", "garbage"], "1"),
}


@cache
def result(file: Path, rows: Any, n: int, sampling: str = "random") -> Result:
    records, rank = list(rows()), ranks(0, "part")
    part = {row["id"] for row in sorted(records, key=lambda row: rank(row["id"]))[:n]}
    lines = ({**row, "human": row["human"] if row["id"] in part else None} for row in records)
    file.write_text("".join(json.dumps(row) + "\n" for row in lines), "utf-8")
    labels, positive = LABELS[rows]
    audit = {"raters": ["gpt", "human"], "reference": "human", "labels": labels, "acceptable": [positive]}
    columns = {name: name for name in records[0]}
    return auditfw.run(
        {
            "experiment": "cross_agent",
            "source": {"use": "jsonl", "path": str(file), "columns": columns},
            "audit": {**audit, "truth": {"rater": "human", "sampling": sampling, "positive": positive}},
            "metric": [],
            "gate": [],
            "policy": [],
        }
    )


def numbers(of: Result, metric: str) -> list[str]:
    estimate = of.measurement(metric, "gpt").estimate
    return [f"{number:.4f}" for number in (estimate.value, estimate.low, estimate.high) if number is not None]


FIGURES = [
    (
        openqa, 100, "51.6476 47.7730 55.5026", "50.3510 43.1429 57.2936", "50.3516 43.7406 56.9626",
        "51.0085 42.9513 59.2320", "1.2966 -4.5057 7.3974", "3.046", 1487,
    ),
    (
        openqa, 200, "51.6476 47.7730 55.5026", "51.1474 45.4312 56.9736", "51.1943 45.6830 56.7056",
        "48.8136 41.5151 55.5301", "0.5002 -3.9005 4.7075", "2.457", 1487,
    ),
    (
        sample, 100, "51.7034 45.4660 57.8882", "54.1352 44.2188 64.0004", "54.1661 43.8966 64.4356",
        "41.7145 20.7499 59.3367", "-2.4318 -10.2204 5.4108", "1.435", 499,
    ),
    (
        without_items, 100, "51.7034 47.3227 56.0581", "54.1352 45.2795 62.9921", "54.1661 45.7207 62.6115",
        "41.7145 20.7499 59.3367", "-2.4318 -10.2204 5.4108", "1.435", 499,
    ),
    (
        pandalm, 200, "46.0460 42.9763 49.1461", "39.8609 34.1894 45.7474", "39.9105 34.2207 45.6002",
        "41.5115 31.1860 52.0865", "6.1852 1.1011 11.0110", "1.582", 999,
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", FIGURES, ids=[f"{case[0].__name__} {case[1]}" for case in FIGURES])
def test_figures(tmp_path: Path, case: Sequence[Any]) -> None:
    rows, n, own, corrected, ppi, rogan_gladen, off, worth, items = case
    made = result(tmp_path / "rows.jsonl", rows, n)
    assert numbers(made, "positive_rate") == own.split()
    assert numbers(made, "corrected_rate") == corrected.split()
    assert numbers(made, "ppi_rate") == ppi.split()
    assert numbers(made, "rogan_gladen_rate") == rogan_gladen.split()
    assert numbers(made, "judge_off_pp") == off.split()
    assert f"{made.measurement('label_worth', 'gpt').estimate.value:.3f}" == worth
    assert made.measurement("positive_rate", "gpt").estimate.counted == items
    assert made.answer is not None
    assert [rule.fired for rule in made.answer.rules if rule.rule == "judge_off"] == [rows is pandalm]


def test_nobody_agrees_more_with_a_judge_than_itself() -> None:
    """The sample's GPT-4 gives 3 of 33 pairs of the same answer two labels: 4.77 % of its labels are wrong."""
    made = auditfw.run({"experiment": "cross_agent", "audit": {"truth": {"rater": "auditor", "sampling": "all"}}})
    [section] = [one for one in made.sections if one.title == "The Rate, Corrected"]
    assert any("on more than about 95.2 %" in str(block) for block in section.blocks)
    assert made.measurement("corrected_rate", "scholar").estimate.value == pytest.approx(53.7074, abs=5e-5)


@pytest.mark.parametrize(("rows", "truth"), [(openqa, 54.8756), (sample, 53.7074), (pandalm, 42.2422)])
def test_all_of_the_truth(tmp_path: Path, rows: Any, truth: float) -> None:
    """The parts above have it within their intervals."""
    made = result(tmp_path / "rows.jsonl", rows, 2000, "all")
    assert made.measurement("corrected_rate", "gpt").estimate.value == pytest.approx(truth, abs=5e-5)
