"""The shown trials as a table: which are kept, what each column holds, and which names are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pages
import pytest
from sentences import commands as says

import auditfw
from auditfw.core.document import Exhibit, Gallery, Mark, Note, Section, Snippet
from auditfw.core.records import Estimate, Measurement, Result

LABELS = [  # stored, a+n, b+n: a+n changes 1 and 3, b+n changes 2
    ("1", "right", "wrong", "right"),
    ("2", "wrong", "wrong", "right"),
    ("3", "wrong", "right", "missing"),
    ("4", "right", "right", "missing"),
]


def exhibit(name: str, *labels: str, temperature: str = "0.5") -> Exhibit:
    """A trial of the parsing audit: what b kept is a part of the raw text, what a kept is not."""
    facts = [("temperature", temperature), *zip(("stored", "a+n", "b+n"), labels, strict=True)]
    marks = [Mark("b", 1, 6), Mark("truth", 0, 1)]
    return Exhibit(name, facts, [Snippet("raw_text", "It is", "end", 10, marks=marks), Snippet("a", f"kept {name}")])


def result_of(sections: list[Section], *readings: str, reference: str = "stored") -> Result:
    measured = [Measurement("n", name, {}, Estimate(1.0)) for name in readings or ("stored", "a+n", "b+n")]
    return replace(pages.result(sections), measurements=measured, reference=reference)


def parsing() -> Result:
    shown: list[Any] = [exhibit(*one, temperature=f"0.{n}") for n, one in enumerate(LABELS)]
    return result_of([Section("Examples", [Note("x"), *shown[:3]]), Section("More", [*shown[2:]], 3)])


def ids(result: Result, *words: Any, **named: Any) -> list[str]:
    found: list[str] = result.exhibits(*words, **named)["id"].to_list()
    return found


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, "1234"),
        ({"reading": "a+n"}, "13"),
        ({"reading": "b+n"}, "2"),
        ({"reading": "a+n", "direction": "right"}, "3"),
        ({"reading": "a+n", "direction": "→ wrong"}, "1"),
        ({"reading": "b+n", "direction": "wrong"}, ""),
        ({"direction": "right"}, "23"),
        ({"direction": "wrong"}, "1"),
        ({"cell": {"temperature": 0.2}}, "3"),
        ({"cell": {"temperature": "0.2"}, "reading": "a+n"}, "3"),
        ({"cell": {"temperature": 0.2}, "reading": "b+n"}, ""),
        ({"cell": {"temperature": 0.1, "stored": "right"}}, ""),
        ({"cell": {"temperature": 7}}, ""),
        ({"limit": 2}, "12"),
        ({"limit": 0}, ""),
        ({"limit": 9}, "1234"),
        ({"reading": "a+n", "limit": 1}, "1"),
    ],
)
def test_what_is_kept(asked: dict[str, Any], wanted: str) -> None:
    assert "".join(ids(parsing(), **asked)) == wanted


def test_columns_and_texts() -> None:
    assert parsing().exhibits(limit=1).to_dicts() == [
        {
            "id": "1", "section": "Examples", "temperature": "0.0", "stored": "right", "a+n": "wrong", "b+n": "right",
            "raw_text": says.IT_IS_CHARACTERS_OMITTED_END, "text.b": "t is… [1 character omitted] …",
            "text.a": "kept 1",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "end", "wanted"),
    [
        (0, 5, "It is"),
        (3, 7, "is… [2 characters omitted] …"),
        (7, 9, "… [2 characters omitted] …"),
        (5, 15, "… [10 characters omitted] …"),
        (4, 17, "s… [10 characters omitted] …en"),
        (15, 18, "end"),
        (16, 99, "nd"),
        (2, 2, ""),
    ],
)
def test_the_marked_part_of_a_cut_text(start: int, end: int, wanted: str) -> None:
    cut = Snippet("raw_text", "It is", "end", 10, marks=[Mark("p", start, end)])
    assert result_of([Section("s", [Exhibit("1", [], [cut])])]).exhibits()["text.p"].to_list() == [wanted]


def test_facts_and_texts_of_one_name_keep_apart() -> None:
    """And those of the table's own columns; trials without a text or a fact have null there."""
    first = Exhibit("1", [("id", "x"), ("note", "fact")], [Snippet("note", "text"), Snippet("section", "s")])
    second = Exhibit("2", [("other", "y")], [])
    assert result_of([Section("t", [first, second])]).exhibits().to_dicts() == [
        {"id": "1", "section": "t", "fact.id": "x", "note": "fact", "other": None, "text.note": "text",
         "text.section": "s"},
        {"id": "2", "section": "t", "fact.id": None, "note": None, "other": "y", "text.note": None,
         "text.section": None},
    ]  # fmt: skip


def browsed() -> Result:
    """A gallery of pages: even ones flip to right under answer_v2+v1, odd ones to wrong under after_think+v2."""
    return replace(pages.result(), reference="stored")


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, [f"t-{n}" for n in range(12)]),
        ({"reading": "answer_v2+v1"}, [f"t-{n}" for n in range(0, 12, 2)]),
        ({"reading": "after_think+v2", "direction": "wrong"}, [f"t-{n}" for n in range(1, 12, 2)]),
        ({"reading": "stored+v2", "direction": "→ right"}, ["t-0", "t-3", "t-6", "t-9"]),
        ({"reading": "answer_v2+v1", "direction": "wrong"}, []),
        ({"cell": {"marker": "</think>"}}, ["t-0", "t-5", "t-10"]),
        ({"cell": {"marker": "USER:", "temperature": 1.0}}, ["t-2", "t-5", "t-8", "t-11"]),
        ({"cell": {"number": "word4"}}, ["t-4"]),
    ],
)
def test_a_gallery_comes_before_other_examples(asked: dict[str, Any], wanted: list[str]) -> None:
    assert ids(browsed(), **asked) == wanted
    assert set(browsed().exhibits()["section"]) == {"Flips"}


def raters() -> Result:
    facets = (("scholar",), ("auditor",), ("final.veto",), ("red flag",))
    rows = [("VALID", "REJECT", "REJECT"), ("REJECT", "VALID", "REJECT"), ("VALID", "VALID", "VALID")]
    shown = [
        Exhibit(str(n), [*zip(("scholar", "auditor"), row, strict=False), ("final.veto", f"{row[2]} (veto)")], [], (),
                [*([(label,)] for label in row), [("a",), ("b",)] if n == 2 else []])
        for n, row in enumerate(rows)
    ]  # fmt: skip
    gallery = Section("g", [Gallery(facets, shown, 3, "rows")], page=True)
    return result_of([gallery], "scholar", "auditor", "final.veto", reference="auditor")


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, "012"),
        ({"reading": "scholar"}, "01"),
        ({"reading": "scholar", "direction": "VALID"}, "0"),
        ({"reading": "final.veto"}, "1"),
        ({"reading": "final.veto", "direction": "REJECT"}, "1"),
        ({"cell": {"red flag": "b"}}, "2"),
        ({"cell": {"final.veto": "REJECT"}}, "01"),
    ],
)
def test_between_raters_the_direction_is_the_label(asked: dict[str, Any], wanted: str) -> None:
    assert "".join(ids(raters(), **asked)) == wanted


@pytest.mark.parametrize(
    ("result", "asked", "wanted"),
    [
        (parsing, {"reading": "c+n"}, says.NO_SUCH_READING_IN_THIS),
        (parsing, {"reading": "stored"},
         says.NO_SUCH_READING_IN_THIS_RUN),
        (parsing, {"direction": "rihgt"},
         says.NO_SHOWN_TRIAL_CHANGES_TO),
        (parsing, {"cell": {"temp": 1}},
         says.NO_SUCH_COLUMN_AMONG_THE),
        (raters, {"reading": "scholar", "direction": "right"},
         says.NO_SHOWN_TRIAL_CHANGES_TO_THIS),
        (browsed, {"cell": {"reading": "answer_v2+v1"}},
         says.NO_SUCH_COLUMN_AMONG_THE_SHOWN),
        (parsing, {"limit": -1}, says.EXPECTED_A_WHOLE_NUMBER_OF),
        (parsing, {"limit": True}, says.EXPECTED_A_WHOLE_NUMBER_OF_OR),
        (parsing, {"kind": "arrow"}, says.NO_SUCH_KIND_OF_FRAME),
    ],
)  # fmt: skip
def test_names_that_there_are_not(result: Any, asked: dict[str, Any], wanted: str) -> None:
    with pytest.raises(auditfw.UsageError) as error:
        result().exhibits(**asked)
    assert str(error.value) == wanted


def test_examples_that_no_reading_changes() -> None:
    """Scenarios and problems have no label under a reading: that is an error, and not an empty table."""
    lone = result_of([Section("Problems", [Exhibit("p", [("solved", "no")], [])])], "live", reference="run_all")
    with pytest.raises(auditfw.UsageError) as error:
        lone.exhibits("live")
    assert str(error.value) == says.THE_SHOWN_TRIALS_OF_THIS
    assert ids(lone, cell={"solved": "no"}) == ["p"]


def test_a_run_without_examples_gives_an_empty_table() -> None:
    empty = result_of([])
    assert (empty.exhibits().columns, len(empty.exhibits("a+n", "right", {"x": 1}))) == (["id", "section"], 0)
    with pytest.raises(auditfw.UsageError, match="no such reading"):
        empty.exhibits("c+n")


def test_a_missing_value_of_a_cell() -> None:
    shown = [exhibit("1", *LABELS[0][1:], temperature="None"), exhibit("2", *LABELS[0][1:], temperature="(missing)")]
    assert ids(result_of([Section("s", [*shown])]), cell={"temperature": None}) == ["1", "2"]


def test_a_trial_without_a_reference_label_is_changed_by_none() -> None:
    shown = [exhibit("1", *LABELS[0][1:]), exhibit("2", "missing", "wrong", "right")]
    assert ids(result_of([Section("s", [*shown])]), "a+n") == ["1"]


def test_a_gallery_of_an_older_run() -> None:
    """Its exhibits do not say what changes; the facet of several names does that begins with the reading."""
    facets = (("reading",), ("model", "prompt"), ("reading", "flips"))
    tags = [[("b+n",)], [("a+n", "wrong")], [("a+n", "→ right"), ("b+n", "→ wrong")]]
    shown = Exhibit("1", list(zip(("stored", "a+n", "b+n"), LABELS[3][1:], strict=True)), [], (), tags)
    result = result_of([Section("s", [Gallery(facets, [shown], 1, "flips")])])
    assert [ids(result, *asked) for asked in (("a+n", "right"), ("a+n", "wrong"), ("b+n", "wrong"))] == [
        ["1"],
        [],
        ["1"],
    ]


def test_a_part_that_two_texts_mark_is_the_first_ones() -> None:
    texts = [Snippet(name, name, marks=[Mark("p", 0, 3)]) for name in ("first", "second")]
    assert result_of([Section("s", [Exhibit("1", [], texts)])]).exhibits()["text.p"].to_list() == ["fir"]


def test_a_label_that_looks_like_a_direction() -> None:
    shown = Exhibit("1", [("scholar", "to do"), ("auditor", "done")], [])
    lone = result_of([Section("s", [shown])], "scholar", "auditor", reference="auditor")
    assert ids(lone, "scholar", "to do") == ["1"]


def test_what_changes_is_data_whatever_the_words_are() -> None:
    shown = Exhibit("1", [("stored", "richtig"), ("a+n", "falsch")], [], changes={"a+n": "wrong"})
    lone = result_of([Section("s", [shown])])
    assert [ids(lone, *asked) for asked in (("a+n",), ("a+n", "wrong"), ("b+n",))] == [["1"], ["1"], []]


def test_pandas() -> None:
    pytest.importorskip("pandas")
    frame = parsing().exhibits("a+n", kind="pandas")
    assert list(frame["id"]) == ["1", "3"]
    assert list(frame.columns) == parsing().exhibits().columns
