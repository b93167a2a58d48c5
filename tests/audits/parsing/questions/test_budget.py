"""Where the points went: classes, rules, words and tables of small runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sentences import parsing as says
from statsmodels.stats.proportion import proportion_confint

import auditfw
from auditfw.core.errors import DataError
from auditfw.core.records import Result

Row = dict[str, Any]
LONG = "It is hard to say, and one would have to think about it for a long time before the"


def rows(n: int, text: str | None = "The answer is 4", label: int | None = 1, **more: Any) -> list[Row]:
    return [{"raw_text": text, "stored": label, "ground_truth": "4", **more} for _ in range(n)]


def run(*groups: list[Row], by: tuple[str, ...] = (), folder: Path | None = None, **settings: Any) -> Result:
    table = [{"id": f"{n}", "item": f"{n}", **row} for n, row in enumerate(row for group in groups for row in group)]
    source = {"use": "frame", "frame": pl.DataFrame(table, strict=False, infer_schema_length=None)}
    own = {"source": source, "parser": ["last_number"], "normalizer": ["none"], "matcher": "numeric", "by": by}
    audit = {"baseline": None, **settings.pop("audit", {})}
    report = [] if folder is None else ["markdown"]
    return auditfw.run({**own, "gate": [], "report": report, "audit": audit, **settings}, folder)


def budget(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = result.document["budget"]
    return found


def lost(result: Result) -> dict[str, int]:
    return {name: n for name, n in budget(result)["classes"].items() if n}


STOPPED, CUT = {"stop": "stop"}, {"stop": "length"}


DECIDES = "The limit decides: {} % were cut off and not right; {} % are right of all, up to {} % if none were cut."


@pytest.mark.parametrize(
    ("groups", "classes", "status", "words"),
    [
        ([rows(60, **STOPPED), rows(40, "4 or 5", 0, **STOPPED)], {"wrong": 40}, "stable", ""),
        ([rows(60, **STOPPED), rows(9, LONG, 0, **STOPPED)], {"wrong": 9}, "stable", ""),  # recorded: no cut
        ([rows(66, **STOPPED), rows(9, **CUT), rows(25, LONG, 0, **CUT)], {"cut_off": 25}, "broken",
         DECIDES.format("25.0", "75.0", "100.0")),
        ([rows(60, **STOPPED), rows(20, "4 or 5", 0, **STOPPED), rows(20, LONG, 0, **CUT)],
         {"cut_off": 20, "wrong": 20}, "fragile",
         DECIDES.format("20.0", "60.0", "80.0")),
        ([rows(50, **STOPPED), rows(50, "", 0, **CUT)], {"cut_off": 50}, "broken",
         says.NOT_ALL_WAS_SCORED_HAVE),
        ([rows(70), rows(30, LONG, 0)], {"cut_off": 30}, "fragile",  # by the text alone: never broken
         DECIDES.format("30.0", "70.0", "100.0")),
        ([rows(50, **STOPPED), rows(20, LONG, 0, **CUT), rows(30, "4 or 5", None, **STOPPED)],
         {"cut_off": 20, "unlabelled": 30}, "broken",
         says.NOT_ALL_WAS_SCORED_HAVE_NO),
        ([rows(60), rows(40, "4 or 5", None)], {"unlabelled": 40}, "broken",
         says.NOT_ALL_WAS_SCORED_HAVE_NO_KNOWN),
        ([rows(60, error=None), rows(40, None, None, error="HTTP 500")], {"run_error": 40}, "broken",
         says.NOT_ALL_WAS_SCORED_HAVE_NO_KNOWN_RESULT),
    ],
)  # fmt: skip
def test_what_is_lost_and_what_follows(
    groups: list[list[Row]], classes: dict[str, int], status: str, words: str
) -> None:
    result = run(*groups)
    assert lost(result) == classes
    assert result.answer is not None
    [rule] = [one for one in result.answer.rules if one.rule == "unfinished"]
    assert (rule.fired, rule.status if rule.fired else "stable") == (status != "stable", status)
    if words:
        assert result.answer.headline == words
        assert result.answer.kinds[0] == "unfinished"


def test_the_pair_stands_together_in_the_reasons() -> None:
    result = run(rows(66, **STOPPED), rows(9, **CUT), rows(25, LONG, 0, **CUT, limit=64))
    assert result.answer is not None
    assert list(result.answer.because)[:2] == [
        says.RIGHT_OF_ALL_WITH_WHAT,
        says.OF_THE_COMPLETIONS_ARE_CUT,
    ]
    assert result.answer.next.startswith(says.RUN_AGAIN_WITH_A_LIMIT)
    assert budget(result)["bounds"] == [75.0, 100.0]
    assert budget(result)["ended"] == {"finished": [66, 66], "length": [34, 9]}
    assert ("cut_off", 34, 25.0) in [(one.kind, one.value, one.points) for one in result.findings]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"tokens_out": 64, "limit": 64}, {"cut_off": 20, "wrong": 20}),
        ({"tokens_out": 63, "limit": 64}, {"wrong": 20, "unparsed": 20}),
        ({"stop": "content_filter"}, {"refusal": 20, "wrong": 20}),
        ({"stop": "tool_calls"}, {"unparsed": 20, "wrong": 20}),
        ({"stop": "error"}, {"run_error": 20, "wrong": 20}),
    ],
)
def test_endings_decide_the_class(more: Row, expected: dict[str, int]) -> None:
    finished = {name: 1 if name != "limit" else 64 for name in more if name != "stop"} | STOPPED
    text = "I wonder what it is"
    result = run(
        rows(60, **finished), rows(20, "4 or 5", 0, **finished), rows(20, text, 0, **more), audit={"reference": READING}
    )
    assert lost(result) == expected


READING = "last_number+none"


def test_a_reading_that_reads_another_format() -> None:
    announced = rows(10, "The answer is 4. I am 5", 0)
    result = run(rows(60), announced, parser=["last_number", "announced_number"], audit={"reference": READING})
    assert lost(result) == {"other_format": 10}
    both = ["last_number", "announced_number"]
    assert lost(run(rows(60), rows(10, "The answer is 5", 0), parser=both)) == {"wrong": 10}, "as the rule finds it"


@pytest.mark.parametrize(
    ("parser", "text", "expected"),
    [
        ("announced_number", "The answer is 4", {"wrong": 20}),
        ("announced_number", "It is 4", {"cut_off": 20}),  # right all the same: the rule is another one
        ("last_number", "The answer is 4", {"cut_off": 20}),
    ],
)
def test_stored_labels_of_a_rule_that_finds_only_announced_answers(
    parser: str, text: str, expected: dict[str, int]
) -> None:
    """Such a rule found the wrong answer before the text was cut off."""
    groups = [rows(60, **STOPPED), rows(20, text, **STOPPED), rows(20, "The answer is 5", 0, **CUT)]
    assert lost(run(*groups, audit={"baseline": {"parser": parser, "normalizer": "none"}})) == expected


@pytest.mark.parametrize(
    ("unfinished", "classes"),
    [("auto", {"cut_off": 30}), ("text", {"cut_off": 30}), ("none", {"unparsed": 30})],
)
def test_what_shows_that_trials_did_not_finish(unfinished: str, classes: dict[str, int]) -> None:
    assert lost(run(rows(70), rows(30, LONG, 0), audit={"unfinished": unfinished, "reference": READING})) == classes


@pytest.mark.parametrize(
    ("groups", "evidence", "contradictions"),
    [
        ([rows(1, **STOPPED)], "recorded", 0),
        ([rows(9, **STOPPED), rows(1, LONG, **STOPPED)], "recorded", 1),
        ([rows(9, **STOPPED), rows(1)], "text", 0),  # recorded of fewer than 95 %
        ([rows(5, None, parsed_text="4", **STOPPED)], "recorded", 0),  # no text that could break off
        ([rows(5)], "text", 0),
    ],
)
def test_how_it_is_known_that_trials_did_not_finish(
    groups: list[list[Row]], evidence: str, contradictions: int
) -> None:
    found = budget(run(*groups))
    assert (found["evidence"], found["contradictions"]) == (evidence, contradictions)


def test_nothing_is_recorded_where_only_that_counts() -> None:
    with pytest.raises(DataError, match=r"^source\.frame: no trial records how it ended"):
        run(rows(5), audit={"unfinished": "recorded"})
    assert lost(run(rows(5, **STOPPED), audit={"unfinished": "recorded"})) == {}


def test_planned_trials_that_are_absent() -> None:
    result = run(rows(780), audit={"planned": 1_000})
    assert (budget(result)["planned"], lost(result)) == (1_000, {"run_error": 220})
    assert result.answer is not None
    assert says.OF_PLANNED_TRIALS_HAVE_NO in (result.answer.because)
    assert says.OF_PLANNED_TRIALS_ARE_ABSENT in result.answer.scope


def test_a_pair_that_the_unfinished_could_turn() -> None:
    """B trails A by 20 points, and 30 % of B did not finish."""
    a = [rows(160, model="A", **STOPPED), rows(40, "5", 0, model="A", **STOPPED)]
    b = [rows(120, model="B", **STOPPED), rows(20, "5", 0, model="B", **STOPPED), rows(60, LONG, 0, model="B", **CUT)]
    result = run(*a, *b, by=("model",))
    assert result.answer is not None
    fired = {one.rule: (dict(one.cell), round(one.value or 0, 1)) for one in result.answer.rules if one.fired}
    assert fired["unfinished_turns"] == ({"model": "B"}, 30.0)
    assert "answered_turns" not in fired  # B leads among the answered, not resolved


def test_a_pair_that_turns_among_the_answered() -> None:
    a = [rows(640, model="A", **STOPPED), rows(360, "5", 0, model="A", **STOPPED)]
    b = [rows(480, model="B", **STOPPED), rows(20, "5", 0, model="B", **STOPPED), rows(500, LONG, 0, model="B", **CUT)]
    result = run(*a, *b, by=("model",))
    assert result.answer is not None
    [rule] = [one for one in result.answer.rules if one.rule == "answered_turns"]
    assert (rule.fired, dict(rule.cell), round(rule.value or 0, 1)) == (True, {"model": "B"}, 32.0)


def test_metrics_and_the_gate(tmp_path: Path) -> None:
    names = ("at_limit", "cut_off", "unfinished", "answered", "right_of_all", "right_of_answered", "right_at_most")
    groups = rows(66, **STOPPED), rows(9, **CUT), rows(15, "5", 0, **STOPPED), rows(10, LONG, 0, **CUT)
    result = run(*groups, metrics={name: {"use": name} for name in names}, gate=["finished"], folder=tmp_path / "run")
    values = {name: round(result.measurement(name, "stored").estimate.value or 0, 2) for name in names}
    assert values == {
        "at_limit": 19.0, "cut_off": 10.0, "unfinished": 10.0, "answered": 90.0, "right_of_all": 75.0,
        "right_of_answered": 83.33, "right_at_most": 85.0,
    }  # fmt: skip
    assert [(gate.name, gate.status) for gate in result.gates] == [("finished", "fail")]
    report = (tmp_path / "run" / "report.md").read_text("utf-8")
    for title in (says.WHERE_THE_LOST_POINTS_WENT, "How completions ended", says.RIGHT_OF_ALL_AND_OF):
        assert title in report
    assert "| cut off | 10 | 10.0 | 40.0 | 0 | 90 |" in report
    low, high = (100 * end for end in proportion_confint(75, 90, method="wilson"))
    assert rf"| 90.0 | 83.3 \[{low:.1f}, {high:.1f}\] | 75.0 to 85.0 |" in report


@pytest.mark.parametrize(
    ("bound", "status"),
    [({"min": 75}, "pass"), ({"min": 75.1}, "inconclusive"), ({"min": 85}, "inconclusive"), ({"min": 85.1}, "fail"),
     ({"max": 85}, "pass"), ({"max": 80}, "inconclusive"), ({"max": 74}, "fail"), ({"min": 70, "on": "low"}, "fail")],
)  # fmt: skip
def test_a_bound_within_what_is_not_known_is_inconclusive(bound: dict[str, Any], status: str) -> None:
    """75 of 100 are right, 10 were cut off: between 75 and 85 %."""
    gate = {"use": "bound", "metric": "right_of_all", "reading": "stored", **bound}
    groups = rows(75, **STOPPED), rows(15, "5", 0, **STOPPED), rows(10, LONG, 0, **CUT)
    result = run(*groups, metrics={"right_of_all": {"use": "right_of_all"}}, gates={"right": gate})
    why = "between 75.0 and 85.0" if status == "inconclusive" else ""
    assert [(one.status, one.why) for one in result.gates] == [(status, why)]


def test_no_table_where_all_is_right_or_wrong(tmp_path: Path) -> None:
    run(rows(60), rows(40, "5", 0), folder=tmp_path / "run")
    assert "Where the Points Went" not in (tmp_path / "run" / "report.md").read_text("utf-8")


def test_the_gap_of_two_cells_by_class(tmp_path: Path) -> None:
    a = rows(80, model="A", **STOPPED), rows(20, "5", 0, model="A", **STOPPED)
    b = rows(60, model="B", **STOPPED), rows(10, "5", 0, model="B", **STOPPED), rows(30, LONG, 0, model="B", **CUT)
    run(*a, *b, by=("model",), folder=tmp_path / "run")
    report = (tmp_path / "run" / "report.md").read_text("utf-8")
    assert says.GAP_BY_CLASS_LESS in report
    assert "| cut off | +30.0" in report
    assert "| wrong | -10.0" in report
    assert "| gap | +20.0 |" in report


def test_rows_without_a_text() -> None:
    """A text that is not there is empty, but where an answer is stored, as a log of likelihoods has it."""
    nothing, chosen = rows(10, None, 0, parsed_text=None), rows(10, None, 0, parsed_text="5")
    result = run(rows(60, parsed_text="4"), nothing, chosen)
    assert lost(result) == {"empty": 10, "wrong": 10}


def test_repeats_whose_labels_were_not_stored() -> None:
    """They are no trials of the stored label, which was given to the first repeat alone."""
    result = run(rows(60, unstored=False), rows(60, label=None, unstored=True))
    assert (budget(result)["planned"], lost(result)) == (60, {})


def test_a_baseline_beside_the_readings() -> None:
    """The baseline is a reading that was not chosen."""
    result = run(rows(60, parsed_text="4"), rows(10, "4 or 5", 0, parsed_text="5"), audit={"baseline": STORED})
    assert lost(result) == {"wrong": 10}


STORED = {"parser": {"use": "stored"}, "normalizer": {"use": "none"}}
