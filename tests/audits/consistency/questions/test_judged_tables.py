"""What a table of judgements is as a whole, in runs."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

from judging import REJECT, VALID, answer, joined, judged
from sentences import consistency as says

from auditfw.core.results.findings import Finding


def found(result: Any, kind: str) -> Finding:
    [finding] = [one for one in result.findings if one.kind == kind]
    return finding


def table(n: int) -> list[dict[str, Any]]:
    pairs = [(VALID, VALID), (REJECT, REJECT), (VALID, VALID), (REJECT, VALID)]
    return [
        {"id": str(i), "scholar": one, "auditor": other, "question": f"What is the answer to {i}?"}
        for i, (one, other) in zip(range(n), cycle(pairs), strict=False)
    ]


def test_items_that_stand_twice_with_their_labels() -> None:
    """The first 20 of 60 again: of 60 45 labels agree, of 80 60."""
    rows = table(60)
    again = [{**row, "id": f"again{i}", "question": f" {row['question'].upper()}"} for i, row in enumerate(rows[:20])]
    twice = found(judged(rows + again, gate=["kappa"]), "rows_twice")
    assert (twice.value, twice.of, twice.effect, twice.points) == (20, 80, "fragile", 0.0)
    assert twice.items[:2] == ["0", "again0"]
    assert [one for one in judged(rows, gate=["kappa"]).findings if one.kind == "rows_twice"] == []


def test_several_answers_to_one_question_are_no_copies() -> None:
    """Whether the answers are read, or only the question, of which two of three have other labels."""
    rows = [{**row, "question": f"What is the answer to {i // 2}, please?"} for i, row in enumerate(table(60))]
    for answers in ([], [f"It is {i}, as far as I know." for i in range(60)]):
        read = [{**row, "answer": text} for row, text in zip(rows, answers, strict=True)] if answers else rows
        assert [one for one in judged(read, gate=["kappa"]).findings if one.kind == "rows_twice"] == []


def test_without_texts_items_are_not_looked_for() -> None:
    rows = [{name: value for name, value in row.items() if name != "question"} for row in table(60)]
    whys = {one.kind: one.why for one in judged(rows, gate=["kappa"]).not_checked}
    assert whys["rows_twice"].startswith(says.NO_COLUMN_HOLDS_WHAT_WAS)


def test_texts_of_records_that_are_joined(tmp_path: Path) -> None:
    rows = table(60)
    rows += [{**row, "id": f"again{i}"} for i, row in enumerate(rows[:10])]
    files = {
        rater: [{"qid": row["id"], "label": row[rater], "question": row["question"]} for row in rows]
        for rater in ("scholar", "auditor")
    }
    result = joined(tmp_path, files)
    twice = found(result, "rows_twice")
    assert (twice.value, twice.of, twice.effect) == (10, 70, "fragile")
    assert twice.items[:2] == ["0", "again0"]
    assert twice.text == says.ITEMS_STAND_TWICE_WITH_ALL


def test_a_table_of_counts_explains_what_is_said_of_raters() -> None:
    counts = [(3, 0), (2, 1), (1, 2), (0, 3), (3, 0), (0, 3), (3, 0), (0, 3)] * 3
    rows = [{"id": str(i), "scholar": str(a), "auditor": str(b)} for i, (a, b) in enumerate(counts)]
    result = judged(rows, audit={"labels": "found"}, policy=[], gate=["kappa"])
    drawn = answer(result)
    assert (drawn.status, drawn.kinds[0]) == ("unknown", "counts_table")
    assert drawn.headline == says.TABLE_OF_COUNTS_NOT_OF
    assert says.FLEISS_KAPPA_OF_THE_COUNTS in found(result, "counts_table").text


def test_a_rater_that_gives_one_label_is_named() -> None:
    rows = [{"id": str(i), "scholar": "x", "auditor": "xyz"[i % 3]} for i in range(60)]
    result = judged(rows, audit={"labels": "found"}, policy=[], gate=["kappa"])
    one = found(result, "one_rater_constant")
    assert (one.effect, one.text) == ("unknown", says.SCHOLAR_GIVES_EVERY_ONE_OF)
    assert one.detail == {"raters": ["scholar"]}


def test_a_rater_that_leans_and_one_that_is_lazy() -> None:
    rows = [{"id": str(i), "auditor": str(1 + i % 4), "scholar": "4" if i % 3 else str(1 + i % 4)} for i in range(120)]
    audit = {"labels": ["1", "2", "3", "4"], "valid": "1", "acceptable": ["1"], "abstain": []}
    result = judged(rows, audit=audit, policy=[], gate=["kappa"])
    lazy = found(result, "lazy_rater")
    assert (lazy.effect, lazy.text) == ("reported", says.SCHOLAR_GIVES_TO_OF_ITEMS)
    assert lazy.detail == {"raters": ["scholar"]}
    assert found(result, "leans").text.startswith("scholar is 1.00 [")
    assert found(result, "leans").text.endswith(" of 120 items."), "nobody else leans"
    assert not found(result, "leans").shown
