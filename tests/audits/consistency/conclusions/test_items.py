"""Items in a run: three questions repeated eight times prove nothing, and without items nothing changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judged_orders import audited, judged

import auditfw
from auditfw.core.errors import DataError

ROWS = judged([("A", "A", "A", 8), ("B", "B", "A", 8), ("A", "A", "B", 8)])


def with_items(rows: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    return [{**row, "item": f"question {i // size}"} for i, row in enumerate(rows)]


def test_repeated_questions_are_no_proof(tmp_path: Path) -> None:
    """Three questions eight times each, and one disagreement: kappa 0.92 of 24 trials, of three items nothing."""
    once_off = [{**row, "gpt": "B"} if i == 0 else row for i, row in enumerate(ROWS)]
    plain, repeated = audited(tmp_path, once_off), audited(tmp_path, with_items(once_off, 8))
    assert plain.answer is not None
    assert repeated.answer is not None
    assert (plain.answer.status, repeated.answer.status) == ("stable", "unknown")
    kappas = [result.measurement("kappa", "gpt").estimate for result in (plain, repeated)]
    assert kappas[0].value == kappas[1].value
    assert kappas[0].low is not None
    assert kappas[0].low > 0.7
    assert kappas[1].low is None, "too many resamples hold one label"
    sure = audited(tmp_path, with_items(ROWS, 8)).measurement("percent_agreement", "gpt").estimate
    assert sure.low == pytest.approx(0.4385, abs=1e-3), "three of three items"


def test_items_of_one_trial_change_nothing(tmp_path: Path) -> None:
    plain, single = audited(tmp_path, ROWS), audited(tmp_path, with_items(ROWS, 1))
    assert plain.measurements == single.measurements
    assert plain.answer is not None
    assert single.answer is not None
    assert plain.answer.rules == single.answer.rules


def test_an_item_that_is_null_is_refused(tmp_path: Path) -> None:
    rows = with_items(ROWS, 8)
    rows[2] = {**rows[2], "item": None}
    with pytest.raises(DataError, match=r"\.jsonl:3: the item is null - give every record its item"):
        audited(tmp_path, rows)


def test_items_of_joined_files(tmp_path: Path) -> None:
    for rater in ("human", "gpt"):
        rows = [{"qid": r["id"], "label": r[rater], "item": r["item"]} for r in with_items(ROWS, 8)]
        (tmp_path / f"{rater}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    source = {"use": "raters", "paths": {rater: str(tmp_path / f"{rater}.jsonl") for rater in ("human", "gpt")}}
    audit = {"reference": "human", "labels": ["A", "B"]}
    found = auditfw.run(
        {"experiment": "cross_agent", "source": source, "audit": audit, "metric": ["percent_agreement"], "gate": [],
         "policy": []}
    )  # fmt: skip
    assert found.measurement("percent_agreement", "gpt").estimate.low == pytest.approx(0.4385, abs=1e-3)


def test_a_cell_of_few_items_is_undecided(tmp_path: Path) -> None:
    """In one cell three questions eight times each disagree on half of the trials: beyond chance of 24 trials only."""
    sure = [{"id": f"s{i}", "human": "AB"[i % 2], "gpt": "AB"[i % 2], "topic": "sure"} for i in range(200)]
    sure[0]["gpt"] = "B"
    odd = [
        {"id": f"o{i}", "human": "AB"[i % 2], "gpt": "AB"[(i // 12 + i) % 2], "topic": "odd", "item": f"o{i // 8}"}
        for i in range(24)
    ]
    run = {"metric": ["kappa"], "by": ["topic"]}
    sure = [{**row, "item": row["id"]} for row in sure]
    plain = audited(tmp_path, [*sure, *({**row, "item": row["id"]} for row in odd)], run=run, kappa=0.5)
    few = audited(tmp_path, [*sure, *odd], run=run, kappa=0.5)
    answers = [result.answer for result in (plain, few)]
    rules = [rule for answer in answers if answer for rule in answer.rules if rule.rule == "kappa_missed_in_cell"]
    p = [rule.p for rule in rules if rule.cell == {"topic": "odd"}]
    assert p[0] is not None
    assert p[1] is not None
    assert p[0] < 0.05 < p[1]
