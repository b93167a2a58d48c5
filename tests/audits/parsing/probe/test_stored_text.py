"""The stored text beside what a parser finds: groups, their accuracy, and the counts of all trials."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.engine.plan import FALSE, MISSING, TRUE
from auditfw.audits.parsing.probe.stored_text import (
    DIFFER,
    EQUAL,
    NEITHER,
    READ_ALONE,
    STORED_ALONE,
    TITLE,
    all_alone,
    group_of,
)
from auditfw.core.document import Note, Table
from auditfw.core.statistics import wilson


@pytest.mark.parametrize(
    ("stored", "answer", "group"),
    [
        ("Paris", "Paris", EQUAL),
        (" Paris\n", "Paris", EQUAL),
        ("Paris", "paris", DIFFER),
        ("Paris", "", STORED_ALONE),
        ("", "Paris", READ_ALONE),
        (None, "Paris", READ_ALONE),
        (None, "", NEITHER),
    ],
)
def test_groups(stored: str | None, answer: str, group: str) -> None:
    assert group_of(stored, answer) == group


def test_all_trials_of_a_group() -> None:
    counts = Counter(
        {
            ("p", STORED_ALONE, None, TRUE): 2,
            ("p", STORED_ALONE, None, FALSE): 6,
            ("p", STORED_ALONE, None, MISSING): 1,
            ("p", READ_ALONE, None, TRUE): 5,
            ("q", STORED_ALONE, None, TRUE): 3,
        }
    )
    group = all_alone(counts, "p", STORED_ALONE)
    assert group.right is not None
    assert (group.trials, group.right.share, group.right.low) == (9, 0.25, wilson(2, 8)[0])
    assert all_alone(counts, "r", STORED_ALONE).right is None


def test_by_item() -> None:
    counts = Counter(
        {("p", READ_ALONE, "a", TRUE): 4, ("p", READ_ALONE, "b", FALSE): 4, ("p", READ_ALONE, "c", MISSING): 1}
    )
    group = all_alone(counts, "p", READ_ALONE)
    assert group.right is not None
    assert (group.trials, group.right.trials, group.right.items) == (9, 8, 2)
    assert group.right.low < wilson(4, 8)[0]


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Of four trials one has the tag and the same stored text, one another text, one no tag, one no stored text."""
    kinds = [
        {"raw_text": "<answer>a</answer>", "parsed_text": "a", "stored": 1},
        {"raw_text": "<answer>a</answer>", "parsed_text": "b", "stored": 0},
        {"raw_text": "I think", "parsed_text": "a", "stored": 1},
        {"raw_text": "<answer>a</answer>", "parsed_text": "", "stored": 0},
    ]
    return [{"id": str(at), "ground_truth": "a", **kinds[at % 4]} for at in range(n)]


def sections(frame: list[dict[str, Any]], **audit: Any) -> list[Any]:
    chosen = {"parser": ["stored", "answer_tag"], "normalizer": ["none"], "matcher": "exact", "by": [], "gate": []}
    baseline = {"parser": "stored", "normalizer": "none"}
    result = auditfw.run(
        {
            "experiment": "answer_parsing",
            "source": {"use": "frame", "frame": frame},
            **chosen,
            "audit": {"baseline": baseline, **audit},
        }
    )
    return [section for section in result.sections if section.title == TITLE]


def test_the_section() -> None:
    [section] = sections(rows())
    [note] = [block.text for block in section.blocks if isinstance(block, Note)]
    low, high = (f"{100 * end:.0f}" for end in wilson(10, 10))
    assert note == (says.AUDITED_TRIALS_HAVE_A_STORED.format(low, high))
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[1:5] for row in table.rows] == [
        ["equal", "10", "25.00", "100.00"],
        ["differ", "10", "25.00", "0.00"],
        ["only stored", "10", "25.00", "100.00"],
        ["only the parser's", "10", "25.00", "0.00"],
    ]
    assert "of all audited trials" in table.caption


def test_a_draw() -> None:
    """The sentence counts all trials, the table those drawn."""
    [section] = sections(rows(80), probe=20)
    [note, table] = section.blocks
    assert note.text.startswith(says.AUDITED_TRIALS_HAVE_A_STORED_ANSWER)
    assert "of 20 sampled trials" in table.caption
    assert sum(int(row[2]) for row in table.rows) == 20


def test_without_a_probe_only_the_count() -> None:
    [section] = sections(rows(), probe=0)
    assert len(section.blocks) == 1


def test_nothing_stored() -> None:
    frame = [{name: value for name, value in row.items() if name != "parsed_text"} for row in rows()]
    assert sections(frame) == []
