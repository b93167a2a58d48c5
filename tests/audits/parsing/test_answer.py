"""The answer of a parsing audit: its status, its words, and the rules that it follows from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from failing_steps import FAILS_ON
from sentences import parsing as says

import auditfw
from auditfw.components.gate.conclusions import AnswerGate
from auditfw.core.document import Note
from auditfw.core.errors import AuditError
from auditfw.core.records import Answer, AnswerRule, Result
from auditfw.kinds.context import Outcome

NONE = "none of these"


def frame(
    stored: Sequence[int], other: Sequence[int], items: Sequence[str] | None = None, cells: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Trials whose stored text gives their label under `exact`, and whose raw text gives the other label."""
    rows: list[dict[str, Any]] = []
    for i, (label, changed) in enumerate(zip(stored, other, strict=True)):
        truth = f"the one of row {i}"
        row: dict[str, Any] = {"id": f"{i:05}", "ground_truth": truth, "stored": label}
        row |= {"parsed_text": truth if label else NONE, "raw_text": truth if changed else NONE}
        row |= {"item": items[i]} if items else {}
        row |= {"cell": cells[i]} if cells else {}
        rows.append(row)
    return rows


def audited(rows: list[dict[str, Any]], **more: Any) -> Result:
    chosen = {"parser": ["stored", "raw"], "normalizer": ["none"], "matcher": "exact", "by": [], "gate": []}
    source = {"use": "frame", "frame": rows}
    audit = {"baseline": {"parser": "stored", "normalizer": "none"}, **more.pop("audit", {})}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, "audit": audit, **more})


def answer(rows: list[dict[str, Any]], **more: Any) -> Answer:
    drawn = audited(rows, **more).answer
    assert drawn is not None
    return drawn


def fired(drawn: Answer) -> list[tuple[str, str]]:
    return [(rule.rule, rule.reading) for rule in drawn.rules if rule.fired]


def flipped(n: int, up: int, down: int) -> tuple[list[int], list[int]]:
    """Labels of n trials, half of them right, of which so many are turned right and wrong."""
    stored = [1] * (n // 2) + [0] * (n - n // 2)
    other = [0] * down + stored[down : n - up] + [1] * up
    return stored, other


def test_the_shipped_sample() -> None:
    drawn = auditfw.run({}).answer
    assert drawn is not None
    assert (drawn.status, drawn.headline) == (
        "fragile",
        says.THE_ERROR_RATE_IS_TO,
    )
    assert list(drawn.because) == [
        says.ANSWER_SHIFTS_THE_ERROR_RATE_BY,
        says.RIGHT_OF_ALL_WITH_WHAT_IS,
        says.OF_THE_COMPLETIONS_ARE_CUT_OFF,
    ]
    assert drawn.next.endswith("audit.reference=answer_v2+v1")
    assert drawn.scope.startswith(says.TRIALS_OF_ITEMS_READINGS_COMPARED)
    assert set(fired(drawn)) == {
        ("moves_whole", "answer_v2+v1"),
        ("unfinished", "stored"),
        *(("precision", name) for name in ("answer_v2+v1", "stored+v2", "answer_v2+v2")),
    }
    [rule] = [rule for rule in drawn.rules if rule.rule == "moves_whole" and rule.fired]
    assert rule.p == pytest.approx(3 * 2**-12)  # three readings have enough flips to tell; 2^-12 by 13 items
    assert (rule.bound, rule.cell) == (0.5, {})


@pytest.mark.parametrize(
    ("n", "up", "down", "status", "rules"),
    [
        (1000, 0, 0, "stable", []),
        (1000, 2, 3, "stable", []),  # 0.5 % in both directions: neither a shift nor a churn
        (1000, 0, 20, "fragile", [("moves_whole", "raw+none")]),
        (1000, 8, 0, "fragile", [("moves_whole", "raw+none")]),  # p = 2^-7
        (4000, 8, 0, "stable", []),  # as many flips, a shift of 0.2 points: below the margin
        (1000, 4, 0, "stable", []),  # too few flips to tell
        (1000, 20, 20, "fragile", [("churns", "raw+none")]),
        (1000, 10, 10, "fragile", [("churns", "raw+none")]),  # 1 % each way, surely above 0.54
        (1000, 8, 8, "stable", []),  # surely above 0.41 only
        (60, 0, 0, "unknown", [("precision", "raw+none")]),
        (120, 0, 0, "stable", []),  # no flip in 100 items: ± 2.75 points
    ],
)
def test_statuses(n: int, up: int, down: int, status: str, rules: list[tuple[str, str]]) -> None:
    drawn = answer(frame(*flipped(n, up, down)))
    assert (drawn.status, fired(drawn)) == (status, rules)
    assert len(drawn.headline) <= 140
    assert drawn.next


def test_a_headline_rounds_half_up() -> None:
    """153 of 400 are 38.25 %."""
    drawn = answer(frame([1] * 247 + [0] * 153, [1] * 247 + [0] * 153))
    assert drawn.headline.startswith(says.THE_ERROR_RATE_IS_WHATEVER)


def test_flips_of_one_item_are_one_flip() -> None:
    """Twenty flips of one question do not move the labels; twenty of twenty questions do."""
    stored, other = flipped(1000, 0, 20)
    alone = answer(frame(stored, other, items=["q" if i < 20 else str(i) for i in range(1000)]))
    apart = answer(frame(stored, other, items=[str(i) for i in range(1000)]))
    assert (alone.status, apart.status) == ("unknown", "fragile")
    assert ("moves_whole", "raw+none") not in fired(alone)
    assert "of 981 items" in alone.scope


def test_a_cell_that_moves_alone() -> None:
    """One cell of four is turned round, the others flip as often the other way."""
    stored = [1] * 30 + [0] * 370
    other = [0] * 30 + [0] * 340 + [1] * 30
    cells = ["first"] * 30 + ["rest"] * 340 + ["last"] * 30
    drawn = answer(frame(stored, other, cells=cells), by=["cell"], audit={"churn": 100})
    assert drawn.status == "fragile"
    assert {rule.cell["cell"] for rule in drawn.rules if rule.rule == "moves_cell" and rule.fired} == {"first", "last"}
    assert drawn.headline == says.RAW_NONE_SHIFTS_THE_ERROR
    assert drawn.because[0].startswith(says.BEYOND_CHANCE_AND_BY_PP)


@pytest.mark.parametrize(
    ("n", "readings", "headline", "because"),
    [
        (
            400,  # 12 flips are 3 % of the first cell, 0.3 % of two others
            ["stored", "raw"],
            says.RAW_NONE_SHIFTS_THE_ERROR_RATE,
            says.BEYOND_CHANCE_AND_BY_PP_OR,
        ),
        pytest.param(
            400,
            ["stored", "raw", "last_line"],
            says.LAST_LINE_NONE_SHIFTS_THE,
            says.BEYOND_CHANCE_AND_BY_PP_OR_MORE,
            marks=pytest.mark.slow,
        ),
        (
            4000,  # 12 flips are 0.3 % of a cell
            ["stored", "raw"],
            says.THE_ERROR_RATE_IS_WHATEVER_THE,
            says.RAW_NONE_SHIFTS_THE_ERROR_RATE_BY,
        ),
    ],
)
def test_small_shifts_beyond_chance_are_told_from_none(
    n: int, readings: list[str], headline: str, because: str
) -> None:
    """What counts is beyond chance and of the margin or more: the words say both, with the shift of the whole."""
    stored, other, cells = [], [], []
    for cell, size, down in (("a", n, 12), ("b", 4000, 12), ("c", 4000, 12), ("d", 4000, 0)):
        before, after = flipped(size, 0, down)
        stored, other, cells = stored + before, other + after, cells + [cell] * size
    rows = frame(stored, other, cells=cells)
    for row in rows[-9:]:  # wrong; by the last line right
        row["raw_text"] += f"\n{row['ground_truth']}"
    drawn = answer(rows, parser=readings, by=["cell"])
    assert (drawn.headline, drawn.because[0]) == (headline, because)


def test_a_shift_that_may_be_chance_is_no_small_shift() -> None:
    drawn = answer(frame(*flipped(4000, 9, 12)))
    assert [rule.fired for rule in drawn.rules if rule.rule == "moves_whole"] == [False]
    assert not any("by less than" in because for because in drawn.because)


def test_readings_with_equal_labels_count_once_and_the_own_rule_not_at_all() -> None:
    rows = frame(*flipped(1000, 0, 20))
    drawn = answer(rows, normalizer=["none", "v1"])
    assert [rule.reading for rule in drawn.rules if rule.rule == "churns"] == ["raw+none", "stored+v1"]
    assert drawn.scope.startswith(says.TRIALS_EACH_ITS_OWN_ITEM)


def test_nothing_to_compare_with() -> None:
    rows = frame(*flipped(200, 0, 0))
    drawn = answer(rows, parser=["stored"])
    assert (drawn.status, fired(drawn)) == ("unknown", [("no_reading", "stored")])
    assert drawn.next == "Add readings: 'parser=[stored,answer_v2]' 'normalizer=[v1,v2]'"
    empty = answer([{**row, "stored": None} for row in rows], audit={"reference": "stored"})
    assert (empty.status, empty.next) == (
        "unknown",
        says.COMPARE_THE_READINGS_WITH_ONE,
    )
    nothing = audited([{**row, "ground_truth": None} for row in rows])
    assert nothing.exit_code == 5
    assert nothing.answer is not None
    assert (nothing.answer.status, list(nothing.answer.rules)) == ("unknown", [])


def test_a_reading_of_few_trials_can_make_it_fragile_but_never_stable() -> None:
    """`after_think` alone labels 120 of the sample's 1,080 trials."""
    drawn = auditfw.run({"parser": ["after_think"], "normalizer": ["v2"]}).answer
    assert drawn is not None
    assert (drawn.status, fired(drawn)) == ("fragile", [("no_reading", "stored"), ("unfinished", "stored")])
    assert drawn.headline.startswith(says.THE_LIMIT_DECIDES_WERE_CUT)
    few = [
        *frame(*flipped(100, 0, 30)),
        *({**row, "raw_text": None, "id": f"x{i}"} for i, row in enumerate(frame(*flipped(400, 0, 0)))),
    ]
    assert answer(few).status in ("fragile", "unknown")


def test_a_reference_of_few_trials_is_not_said_to_be_all() -> None:
    drawn = auditfw.run({"audit": {"reference": "after_think+v2"}}).answer
    assert drawn is not None
    assert (drawn.status, drawn.headline) == (
        "fragile",
        says.ERROR_RATE_PP_ON_OF,
    )
    assert ("no_reading", "after_think+v2") in fired(drawn)


def test_a_baseline_that_gives_other_labels_is_unknown() -> None:
    """Where all stored labels are equal any rule may have made them, and none is searched."""
    rows = frame([1] * 970 + [0] * 30, [1] * 1000)
    drawn = answer([{**row, "stored": 1} for row in rows], audit={"decides": ["raw+none"]})
    assert (drawn.status, fired(drawn)) == ("unknown", [("other_labels", "stored+none")])
    assert drawn.headline == says.THE_RULE_STORED_NONE_DOES
    assert drawn.because[0] == says.THE_BASELINE_STORED_NONE_DIFFERS


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        (None, ["stored", "stored+none", "raw+none"]),
        ("stored", ["stored", "stored+none", "raw+none"]),
        ("raw+none", ["raw+none", "stored", "stored+none"]),
        ("baseline", ["stored+none", "stored", "raw+none"]),
    ],
)
def test_reference(reference: str | None, names: list[str]) -> None:
    """Shifts turn their sign with the reference; mismatches stay those of the stored labels."""
    result = audited(
        frame(*flipped(1000, 0, 20)), audit={"reference": reference}, metric=["delta_pp", "mismatches", "n"]
    )
    assert [m.reading for m in result.measurements if m.metric == "n"] == names
    shifts = {m.reading: m.estimate.value for m in result.measurements if m.metric == "delta_pp"}
    moved = pytest.approx(2.0) if names[0] != "raw+none" else pytest.approx(-2.0)
    assert shifts["stored" if names[0] == "raw+none" else "raw+none"] == moved
    assert result.measurement("mismatches", "stored+none").estimate.value == 0
    assert result.answer is not None
    assert result.answer.status == "fragile"


def test_without_stored_labels_readings_are_compared_with_the_baseline() -> None:
    rows = [{k: v for k, v in row.items() if k != "stored"} for row in frame(*flipped(1000, 0, 20))]
    result = audited(rows)
    assert [m.reading for m in result.measurements if m.metric == "error_rate"] == ["stored+none", "raw+none"]
    assert result.measurement("flips", "raw+none").estimate.value == 20
    assert result.answer is not None
    assert fired(result.answer) == [("moves_whole", "raw+none")]
    assert says.THE_SOURCE_HAS_NO_COLUMN_READINGS in result.warnings


@pytest.mark.parametrize(
    ("audit", "code", "words"),
    [
        ({"reference": "row+none"}, 2, "did you mean 'raw+none'?"),
        ({"reference": "baseline", "baseline": None}, 2, "there is no baseline"),
        ({"decides": ["raw+v9"]}, 2, "audit.decides[0]"),
        ({"alpha": 0}, 2, says.EXPECTED_A_NUMBER_ABOVE_AND),
        ({"precision": 101}, 2, says.EXPECTED_A_NUMBER_ABOVE_AND_AT),
        ({"reference": "stored"}, 3, says.THE_SOURCE_HAS_NO_COLUMN_2),
    ],
)
def test_settings_that_name_what_is_not_there(audit: dict[str, Any], code: int, words: str) -> None:
    rows = frame([1, 0], [1, 0])
    rows = [{k: v for k, v in row.items() if k != "stored"} for row in rows] if code == 3 else rows
    with pytest.raises(AuditError) as raised:
        audited(rows, audit=audit)
    assert raised.value.exit_code == code
    assert words in str(raised.value)


def test_an_item_that_is_null_names_the_trial() -> None:
    rows = frame([1, 0, 1], [1, 0, 1], items=["a", "b", "c"])
    rows[1]["item"] = None
    with pytest.raises(AuditError, match=r"the item is null .1 such trial. - give every trial its item") as raised:
        audited(rows)
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("items", [1, 2])
def test_hardly_any_items(items: int) -> None:
    names = [str(i % items) for i in range(40)]
    result = audited(frame(*flipped(40, 0, 10), items=names))
    assert result.answer is not None
    assert result.answer.status == "unknown"
    error = result.measurement("error_rate", "stored").estimate
    assert error.low is not None
    assert error.low < 6  # forty trials of one item say no more than one


@pytest.mark.parametrize(
    ("up", "status", "gate"), [(0, "stable", "pass"), (20, "fragile", "fail"), (None, "unknown", "inconclusive")]
)
def test_gate_on_the_answer(up: int | None, status: str, gate: str) -> None:
    rows = frame(*flipped(1000, up or 0, 0)) if up is not None else frame(*flipped(20, 0, 0))
    result = audited(rows, gate=["stable"])
    assert result.answer is not None
    assert result.answer.status == status
    [judged] = result.gates
    assert (judged.name, judged.status, judged.rule) == ("stable", gate, f"answer is stable: {status}")
    assert judged.why == ("" if gate == "pass" else result.answer.headline)
    assert result.exit_code == (0 if gate == "pass" else 1)


def test_a_gate_on_an_answer_that_is_not_drawn_is_refused() -> None:
    """As an audit of a plugin may draw none."""
    with pytest.raises(AuditError, match="this audit draws no answer") as raised:
        AnswerGate().judge_outcome("stable", Outcome({}, [], [], [], lambda _: []))
    assert raised.value.exit_code == 2


def test_a_headline_is_cut_at_a_blank() -> None:
    drawn = Answer(
        "unknown", "word " * 40, ["a", "b", "c", "d"], "", "", [AnswerRule("r", "x", {}, 1, 0, 2, None, 1, fired=True)]
    )
    assert len(drawn.headline) <= 140
    assert drawn.headline.endswith("word…")
    assert list(drawn.because) == ["a", "b", "c"]


def test_an_incomplete_run_is_never_stable() -> None:
    rows = [{**row, "raw_text": f"{i} {row['raw_text']}"} for i, row in enumerate(frame(*flipped(1000, 0, 0)))]
    picky = {"use": "steps", "steps": [{"use": FAILS_ON, "text": "7"}]}
    result = audited(rows, matcher="containment", audit={"parsers": {"picky": picky}})
    assert result.exit_code == 4
    drawn = result.answer
    assert drawn is not None
    assert (drawn.status, drawn.headline) == (
        "unknown",
        says.THE_RUN_IS_INCOMPLETE_ITS,
    )
    assert ("incomplete", "stored") in fired(drawn)
    assert "The run is incomplete" in drawn.scope
    assert says.A_COMPONENT_FAILED_ON_OF in drawn.because[0]


def test_the_curve_says_which_reading_labels_few() -> None:
    """Under half of the trials; and the rate of the reference, which has no row."""
    sections = auditfw.run({}).sections
    note = next(block for one in sections if one.screen == "picture" for block in one.blocks if isinstance(block, Note))
    assert note.text == says.AFTER_THINK_ONLY_TRIALS_STORED
