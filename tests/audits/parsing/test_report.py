"""What the parsing audit tells and leaves out: nothing that holds nothing."""

from __future__ import annotations

import pytest
from page_reading import Reader
from sentences import parsing as says

import auditfw
from auditfw.components.report import wording
from auditfw.components.report.markdown import report_text
from auditfw.components.report.page.content import result_page
from auditfw.components.report.page.page import page_text
from auditfw.core.document import Note, Table
from auditfw.core.records import Estimate, Measurement, Result


def test_whether_conclusions_survive_does_not_hang_on_the_chosen_metrics() -> None:
    """Ten labels all moved the same way are beyond chance (p = 2 / 2^10), p-value metric chosen or not."""
    rows = [
        {"id": i, "raw_text": "Rome", "parsed_text": "Paris", "ground_truth": "Rome", "stored": 0} for i in range(10)
    ]
    result = auditfw.run(
        {
            "experiment": "answer_parsing",
            "source": {"use": "frame", "frame": rows},
            "by": [],
            "metric": ["flips"],
            "gate": [],
            "parser": ["raw"],
            "normalizer": ["v1"],
        }
    )
    [table] = [s.blocks[0] for s in result.sections if s.title == "Do the Conclusions Survive?"]
    assert [row[:2] for row in table.rows] == [["raw+v1", says.NO_OVERALL_ERROR_RATE_SHIFTS]]


def test_shifts_are_shown_with_their_interval() -> None:
    """No flip in 100 trials is ± 2.75 points, without a column of items."""
    rows = [
        {"id": i, "raw_text": "Rome", "parsed_text": "Rome", "ground_truth": "Rome", "stored": 1, "t": 0}
        for i in range(100)
    ]
    settings = {"experiment": "answer_parsing", "source": {"use": "frame", "frame": rows}, "by": ["t"], "gate": []}
    result = auditfw.run({**settings, "parser": ["stored", "raw"], "normalizer": ["v2"]})
    tables = {s.title: s.blocks[0] for s in result.sections if s.blocks and isinstance(s.blocks[0], Table)}
    shifts = {row[0]: row[6] for row in tables["High-Level Sensitivity"].rows}
    assert shifts["raw+v2"] == "+0.00 [-2.75, +2.75]"


MISSING = [
    ({"a": (5, 2), "b": (5, 2), "c": (7, 0)}, ["a, b: 5 counted, 2 missing"]),
    (
        {"a": (0, 9), "b": (3, 6), "c": (0, 9), "d": (0, 9)},
        ["a, c, d: 0 counted, 9 missing", "b: 3 counted, 6 missing"],
    ),
    ({"a": (9, 0)}, []),
]


@pytest.mark.parametrize(("counts", "wanted"), MISSING)
def test_readings_that_lack_the_same_share_a_line(counts: dict[str, tuple[int, int]], wanted: list[str]) -> None:
    found = [Measurement("n", name, {}, Estimate(1.0, *numbers)) for name, numbers in counts.items()]
    assert wording._missing(found) == wanted


TEXTS = [{"id": str(n), "raw_text": f"it is {n}", "ground_truth": str(n % 3), "t": n % 2} for n in range(12)]
STORED = [{**row, "parsed_text": row["raw_text"][-1], "stored": row["id"] == row["ground_truth"]} for row in TEXTS]
THINK = [{**row, "raw_text": f"hm</think>{row['raw_text']} USER: no"} for row in STORED]
SAID = {  # which of these sections a run has
    "Garbage-Marker Incidence": "think",
    "Think-Token Artifacts (</think>)": "think",
    "Do the Conclusions Survive?": "bare stored think",
}


def answers(rows: list[dict], **settings: object) -> Result:
    import polars as pl

    source = {"use": "frame", "frame": pl.DataFrame(rows)}
    return auditfw.run({"experiment": "answer_parsing", "source": source, "by": [], "report": ["html"], **settings})


@pytest.mark.parametrize(("name", "rows"), [("bare", TEXTS), ("stored", STORED), ("think", THINK)])
@pytest.mark.parametrize("by", [[], ["t"]])
def test_what_holds_nothing_is_not_printed(name: str, rows: list[dict], by: list[str]) -> None:
    result = answers(rows, by=by, parser=["answer_v2", "after_think", "before_think"], normalizer=["v1", "v2"])
    text, page = report_text(result), Reader(page_text(result_page(result), 5_000_000)).text
    titles = {section.title for section in result.sections}
    assert {title for title in SAID if title in titles} == {title for title, of in SAID.items() if name in of.split()}
    for told in (text, page):
        assert "No rows." not in told
        assert "0 of 0" not in told
    assert (says.RAW_AND_STORED_TEXT_DIFFER in text) == (name == "stored")
    assert all(block.rows for section in result.sections for block in section.blocks if isinstance(block, Table))
    feet = [line.partition(": ")[2] for line in wording.overall_table(result)[1] if " counted, " in line]
    assert len(feet) == len(set(feet))


OTHERS = [
    {"experiment": "self_audit", "source": {"limit": 1}},
    {"experiment": "cross_agent", "validator": ["refusal_token", "grounded", "same_evidence"]},
    {"experiment": "cross_agent", "source": {"where": "qid = 'none'"}},
    {"experiment": "answer_parsing", "source": {"where": "id = 'none'"}},
]


@pytest.mark.parametrize("settings", OTHERS)
def test_no_audit_prints_an_empty_table(settings: dict) -> None:
    found = auditfw.run(settings)
    tables = [block for section in found.sections for block in section.blocks if isinstance(block, Table)]
    assert [table.columns for table in tables if not table.rows] == []
    notes = [block.text for section in found.sections for block in section.blocks if isinstance(block, Note)]
    assert len(notes) == len(set(notes))
    assert not [note for note in notes if "of 0 " in note or note.rstrip().endswith(":")]
    why = wording.gates_table(found.gates)[1]
    assert len({line.partition(": ")[2] for line in why}) == len(why)
    assert sum("0 items." in note for note in notes) <= 1
