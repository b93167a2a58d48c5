"""How many answers are right under every reading, some, none; the list of the last; and where the next step leads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples
from sentences import parsing as says

import auditfw
from auditfw.core.document import Note, Table
from auditfw.core.records import Answer, Result

EVERY, FIRST, LAST, NONE = ("{}\n{}", True), ("{}\n7", True), ("7\n{}", False), ("7\n8", False)  # text, stored label
ROWS = [EVERY] * 30 + [FIRST] * 20 + [NONE] * 2
PAGE = {"reports": {"html": {"use": "html"}}}


def audited(kinds: Sequence[tuple[str, bool]], folder: Path | None = None, **more: Any) -> Result:
    """Answers of two models to 50 items, the numbers from 100 on."""
    rows = [
        {
            "id": f"t{n}",
            "item": f"q{n % 50}",
            "model": "ab"[n % 2],
            "raw_text": text.format(*[100 + n % 50] * 2),
            "ground_truth": str(100 + n % 50),
            "stored": label,
        }
        for n, (text, label) in enumerate(kinds)
    ]
    parts = {"parser": ["first_line", "last_line"], "normalizer": ["none"], "matcher": "numeric", "gate": []}
    chosen = {"by": ["model"], "audit": {"baseline": None}, **parts, **more}
    return auditfw.run({"source": {"use": "frame", "frame": rows}, **chosen}, folder)


def note(result: Result) -> str:
    texts = [b.text for one in result.sections if one.screen == "data" for b in one.blocks if isinstance(b, Note)]
    assert texts[:-1] in ([], [f"{result.counts['read']} of {result.counts['read']} trials audited"])
    return "".join(texts[-1:])


def listed(result: Result) -> list[list[Any]]:
    blocks = [b for one in result.sections if one.title == says.WRONG_UNDER_EVERY_READING for b in one.blocks]
    return [list(row) for block in blocks if isinstance(block, Table) for row in block.rows]


def test_the_three_numbers_and_the_list(tmp_path: Path) -> None:
    result = audited(ROWS, tmp_path, **PAGE)
    assert note(result) == says.OF_ANSWERS_ARE_RIGHT_UNDER
    assert [row[1:] for row in listed(result)] == [["q0", "a", "100", '"8"'], ["q1", "b", "101", '"8"']]


@pytest.mark.parametrize(
    ("more", "rows"),
    [
        ({**PAGE, "report": {"texts": False}}, [["q0", "a"], ["q1", "b"]]),
        ({**PAGE, "audit": {"near": None}}, [["q0", "a", "", ""], ["q1", "b", "", ""]]),
        ({**PAGE, "report": {"max_exhibits": 1}}, [["q0", "a", "100", '"8"']]),
        ({"report": {"use": []}}, []),
    ],
)
def test_what_is_listed_without_texts_and_of_many(tmp_path: Path, more: dict[str, Any], rows: list[list[str]]) -> None:
    result = audited(ROWS, tmp_path, **more)
    assert [row[1:] for row in listed(result)] == rows
    assert note(result) == says.OF_ANSWERS_ARE_RIGHT_UNDER.replace("" if rows else says.SEE_PAGE, "")


def test_nothing_is_said_where_no_reading_decides() -> None:
    result = audited(ROWS, audit={"decides": []})
    assert (note(result), listed(result)) == ("", [])


@settings(max_examples=examples(10), deadline=None)
@given(kinds=st.lists(st.sampled_from([EVERY, FIRST, LAST, NONE]), min_size=2, max_size=60))
def test_the_numbers_add_up_to_the_answers(kinds: list[tuple[str, bool]]) -> None:
    """They are those of the rows; a reading that equals another makes no difference."""
    text = note(audited(kinds, parser=["first_line", "last_line", "last_number"]))
    n, every, some, none = map(int, re.findall(r"\d+", text))
    of_some = kinds.count(FIRST) + kinds.count(LAST)
    assert (n, every, some, none) == (len(kinds), kinds.count(EVERY), of_some, kinds.count(NONE))


def test_the_next_step_goes_on_from_a_chosen_reference() -> None:
    """The readings grow fewer with each step; the one that was left is not proposed as the reference again."""
    kinds = [EVERY] * 60 + [("{}\n{}", False)] * 30 + [LAST] * 10

    def step(**audit: Any) -> str:
        answer = audited(kinds, parser=["last_line", "first_line"], audit={"baseline": None, **audit}).answer
        assert answer is not None
        assert (says.STILL_DIFFERS in answer.headline) is ("decides" in audit)
        return answer.next

    chosen = "last_line+none"
    assert step().endswith(says.IF_RIGHT_RERUN.format(chosen))
    assert step(reference=chosen) == says.IF_LAST_LINE_NONE
    assert step(reference=chosen, decides=["first_line+none"]).endswith(says.IS_RIGHT_REPORT_ITS_RATES)


def test_people_decide_where_more_changed_than_one_reads() -> None:
    """200 labels are read, 201 are for a sample; where the reference is chosen, too."""
    for changed in (200, 201):
        kinds = [EVERY] * 300 + [FIRST] * changed
        asks = says.LET_PEOPLE_DECIDE in answer_of(audited(kinds)).next
        assert asks == (changed > 200)
    chosen = {"baseline": None, "reference": "first_line+none", "decides": ["first_line+none", "last_line+none"]}
    assert says.LET_PEOPLE_DECIDE in answer_of(audited(kinds, audit=chosen)).next


def answer_of(result: Result) -> Answer:
    assert result.answer is not None
    return result.answer
