"""Claims and orders of a whole run: answer, sections, gates, metric; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from running import Command
from sentences import parsing as says

import auditfw
from auditfw.components.report.markdown import report_text
from auditfw.core.document import Table
from auditfw.core.records import Result

pytestmark = pytest.mark.slow  # whole runs, or very many texts

ALL, NONE = "yes", "no"
RATES = {"a": (0.1, 0.5), "b": (0.4, 0.4), "c": (0.45, 0.1)}  # of wrong labels: stored, and by the other reading
DIFFERENCE = {"use": "difference", "better": "model = 'a'", "than": "model = 'c'"}


def rows(rates: dict[str, tuple[float, float]], items: int, by_item: bool) -> list[dict[str, Any]]:
    """Trials of each model on the same items, each model with its share of wrong labels under either reading."""
    draw = Random(5)
    table = []
    for model, (stored, other) in rates.items():
        for i in range(items):
            labels = [draw.random() >= stored, draw.random() >= other]
            row: dict[str, Any] = {
                "id": f"{model}{i:04}",
                "model": model,
                "ground_truth": ALL,
                "stored": int(labels[0]),
            }
            row |= {"parsed_text": ALL if labels[0] else NONE, "raw_text": ALL if labels[1] else NONE}
            table.append(row | ({"item": f"q{i}"} if by_item else {}))
    return table


def audited(trials: list[dict[str, Any]], **more: Any) -> Result:
    settings = {
        "experiment": "answer_parsing", "source": {"use": "frame", "frame": trials}, "by": ["model"],
        "parser": ["stored", "raw"], "normalizer": ["none"], "matcher": "exact", "gate": [],
        "audit": {"baseline": {"parser": "stored", "normalizer": "none"}, **more.pop("audit", {})},
        "metrics": {"turned": {"use": "turned_pairs"}},
    }  # fmt: skip
    return auditfw.run({**settings, **more})


def turned(result: Result) -> dict[str, float | None]:
    return {m.reading: m.estimate.value for m in result.measurements if m.metric == "turned"}


def section(result: Result, title: str) -> list[Any]:
    return [block for one in result.sections if one.title == title for block in one.blocks]


@pytest.mark.parametrize("by_item", [False, True])
def test_a_reading_that_turns_who_is_better(by_item: bool) -> None:
    result = audited(rows(RATES, 200, by_item), claims={"first": DIFFERENCE})
    drawn = result.answer
    assert drawn is not None
    assert turned(result) == {"stored+none": 0.0, "raw+none": 2.0}
    assert drawn.status == "fragile"
    assert drawn.because[0].startswith("first holds under stored, +")
    assert says.AND_FAILS_UNDER_RAW_NONE in drawn.because[0]
    assert says.FIRST_HOLDS_IN_OF_READINGS in drawn.scope
    assert says.SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF in drawn.scope
    fired = [(rule.rule, rule.cell) for rule in drawn.rules if rule.fired and "turned" in rule.rule]
    assert fired == [
        ("claim_turned", {"claim": "first"}),
        ("pair_turned", {"of": "model"}),
        ("pair_turned", {"of": "model", "better": "a", "than": "c"}),
        ("pair_turned", {"of": "model", "better": "a", "than": "b"}),
    ]
    [survive, *_] = section(result, "Do the Conclusions Survive?")
    assert [row[-1] for row in survive.rows] == ["0 of 2", "2 of 2"]
    assert section(result, "Claims by Reading")[0].choices["parser"] == ["raw", "–", "stored"]


def wrong_on(model: str, stored: range, other: range) -> list[dict[str, Any]]:
    """Trials of one model on a hundred questions, wrong on those."""
    return [
        {
            "id": f"{model}{i:02}", "item": f"q{i:02}", "model": model, "ground_truth": ALL,
            "stored": int(i not in stored),
            "parsed_text": NONE if i in stored else ALL, "raw_text": NONE if i in other else ALL,
        }
        for i in range(100)
    ]  # fmt: skip


def test_a_pair_may_turn_though_nothing_shifts() -> None:
    """b is wrong on nine questions on which a is right; five of them turn right, and five of a turn wrong."""
    trials = wrong_on("a", range(0), range(50, 55)) + wrong_on("b", range(9), range(5, 9))
    result = audited(trials, audit={"churn": 100, "precision": 100})
    assert result.answer is not None
    assert result.answer.status == "fragile"
    assert result.answer.headline == says.RAW_NONE_REVERSES_THE_ORDER
    reason = result.answer.because[0]
    assert reason.startswith(says.A_IS_BETTER_THAN_UNDER)
    assert result.answer.next.endswith("audit.reference=raw+none")
    survive, note = section(result, "Do the Conclusions Survive?")
    assert [(row[1], row[-1]) for row in survive.rows] == [
        ("net shift not significant", "0 of 1"),
        ("no - pairs reverse", "1 of 1"),
    ]
    assert "Reversed: " in note.text
    none_resolved = audited(trials[:4] + trials[100:104])
    survive, note = section(none_resolved, "Do the Conclusions Survive?")
    assert (survive.columns[-1], "Reversed: " in note.text) == ("cells significant", False)


def test_items_make_the_intervals() -> None:
    """Ten trials of each question, all alike: the table of claims says less than of separate trials."""
    trials = rows(RATES, 20, by_item=True)
    trials = [{**row, "id": f"{row['id']}-{i}"} for row in trials for i in range(10)]
    shared = audited(trials, claims={"first": DIFFERENCE})
    apart = audited([{k: v for k, v in row.items() if k != "item"} for row in trials], claims={"first": DIFFERENCE})
    ends = [
        table.rows[0][2]
        for result in (shared, apart)
        for table in section(result, "Claims")
        if isinstance(table, Table)
    ]
    low, high = (float(end.partition("[")[2].partition(",")[0]) for end in ends)
    assert low < high


def test_readings_that_do_not_decide_are_shown_and_turn_nothing() -> None:
    result = audited(rows(RATES, 200, by_item=True), claims={"first": DIFFERENCE}, audit={"decides": ["stored+none"]})
    assert result.answer is not None
    assert not [rule for rule in result.answer.rules if "turned" in rule.rule]
    [table] = [block for block in section(result, "Claims") if isinstance(block, Table)]
    assert [row[1] for row in table.rows] == ["holds", "holds", "fails (reversed)"]


def test_a_claim_that_fails_from_the_start_comes_first_and_decides_nothing() -> None:
    same = {name: (stored, stored) for name, (stored, _) in RATES.items()}
    trials = [{**row, "raw_text": row["parsed_text"]} for row in rows(same, 300, by_item=False)]
    result = audited(trials, claims={"good": {"use": "at_most", "value": 10}})
    assert result.answer is not None
    assert result.answer.because[0].startswith(says.CLAIM_GOOD_FAILS_UNDER_STORED)
    plain = audited(trials).answer
    assert plain is not None
    assert (result.answer.status, result.answer.headline) == (plain.status, plain.headline)
    assert [rule.fired for rule in result.answer.rules if rule.rule == "claim_fails"] == [True]


def test_turned_pairs_where_nothing_can_be_ordered() -> None:
    trials = rows({"a": (0.1, 0.2)}, 30, by_item=False)
    result = audited(trials)
    values = [m.estimate for m in result.measurements if m.metric == "turned"]
    assert [(one.value, one.undefined) for one in values] == [(None, says.NO_COLUMN_OF_BY_HAS)] * 2
    assert section(result, "Ranking") == []
    blind = audited([{k: v for k, v in row.items() if k != "parsed_text"} for row in rows(RATES, 30, by_item=False)])
    [lost] = [m.estimate for m in blind.measurements if (m.metric, m.reading) == ("turned", "stored+none")]
    assert (lost.value, lost.undefined) == (None, says.THE_SOURCE_HAS_NO_COLUMN)


def test_cells_have_no_turned_pairs() -> None:
    result = audited(rows(RATES, 30, by_item=False))
    assert all(m.overall for m in result.measurements if m.metric == "turned")


@pytest.mark.parametrize(("most", "status"), [(0, "fail"), (2, "pass")])
def test_a_gate_bounds_the_turned_pairs(most: int, status: str) -> None:
    gates = {"order": {"use": "bound", "metric": "turned", "max": most}}
    [gate] = audited(rows(RATES, 200, by_item=True), gates=gates).gates
    assert (gate.status, gate.value, gate.reading) == (status, 2.0, "raw+none")


def test_a_claimed_order_replaces_the_default_of_its_column() -> None:
    result = audited(
        rows(RATES, 40, by_item=False), claims={"mine": {"use": "order", "of": "model", "metric": "no_answer"}}
    )
    [note] = section(result, "Ranking")  # stored labels do not say which answers were empty: no order
    assert note.text.startswith(says.THE_BEST_OF_THE_VALUES)
    named = audited(
        rows(RATES, 40, by_item=False),
        claims={"mine": {"use": "order", "of": "model", "metric": "no_answer"}},
        audit={"reference": "stored+none"},
    )
    [how, *_] = section(named, "Ranking")
    assert how.text.startswith(says.MINE_BY_NO_ANSWER_LOWER)


def test_many_values_are_not_tried() -> None:
    trials = rows({f"m{i}": (0.5, 0.5) for i in range(51)}, 2, by_item=False)
    result = audited(trials)
    assert result.answer is not None
    assert says.THE_ORDER_OF_MODEL_WAS in result.answer.scope
    assert says.THE_ORDER_OF_MODEL_WAS in report_text(result)


def test_the_shipped_sample() -> None:
    """Six of fifteen pairs of variants are resolved by the 20 questions; no reading turns one."""
    result = auditfw.run({"claim": ["think_helps"], "metrics": {"turned": {"use": "turned_pairs"}}})
    assert set(turned(result).values()) == {0.0}
    first, table, last = section(result, "Claims")
    assert first.text == says.THINK_HELPS_LOWER_ERROR_WHERE
    assert [row[:2] + row[3:] for row in table.rows] == [
        ["stored", "holds", "29", "9", "–"],
        ["stored+v1", "holds", "29", "9", "0"],
        ["answer_v2+v1", "leans", "16", "–", "13"],
        ["stored+v2", "holds", "29", "9", "4"],
        ["answer_v2+v2", "holds", "23", "3", "10"],
        ["after_think+v2", "cannot tell", "–", "–", "6"],
    ]
    assert table.rows[0][2] == "+15.56 [+4.94, +25.97]"
    assert last.text == says.THINK_HELPS_HOLDS_IN_OF
    ranks = section(result, "Ranking")[3]
    assert [(row[0], row[-1]) for row in ranks.rows] == [
        ("think_sft", "1 to 4"),
        ("think", "1 to 5"),
        ("instruct", "1 to 5"),
        ("base", "1 to 5"),
        ("instruct_sft", "2 to 5"),
        ("rl_zero", "6"),
    ]
    assert result.answer is not None
    pairs = says.SIGNIFICANTLY_DIFFERENT_PAIRS_TEMPERATURE_OF
    assert pairs in result.answer.scope


REFUSED = [
    ("better: \"variant = 'thnk'\", than: \"variant = 'base'\"", "claims.x.better: matches no cell", "'think'?"),
    ("better: \"model = 'a'\", than: \"variant = 'base'\"", "claims.x.better: is about a column", "condition,model]"),
    ("better: \"variant = 'base'\", than: \"variant = 'base'\"", "claims.x.than: is the same condition", "two sides"),
    (
        'better: "variant = \'base\'", than: "temperature = 0"',
        "claims.x.than: shares a cell with better",
        "common cell",
    ),
    ('better: "variant =", than: "temperature = 0"', "claims.x.better: cannot be read as SQL", 'as "n > 3"'),
    ('better: "variant > 1", than: "temperature = 0"', "claims.x.better: cannot be evaluated", "numbers with numbers"),
]


@pytest.mark.parametrize(("sides", "where", "do"), REFUSED)
def test_sides_that_are_refused(sides: str, where: str, do: str, command: Command) -> None:
    done = command(f"+claims.x={{use: difference, {sides}}}", "report=[json]")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"auditfw: error: {where}")
    assert done.stderr.rstrip().endswith(do)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("+claims.x.use=at_most", "+claims.x.value=30", "+claims.y.use=at_least", "+claims.y.value=40"),
            says.CONTRADICTS_LEAVE_ONE_OF_THE,
        ),
        (("+claims.x.use=at_most", "+claims.x.value=.nan"), "claims.x.value: expected a number, got '.nan'"),
        (("+claims.x.use=at_most",), "claims.x.value: not set - write claims.x.value=..."),
        (
            ("+claims.x={use: order, of: variant, metric: delta_pp}",),
            says.CLAIMS_ARE_ABOUT_RATES_THAT,
        ),
        (("claim=[think_helps]", "experiment=posiwid"), says.CLAIMS_THE_ALIGNMENT_AUDIT_READS),
        (("claim=[thinkhelps]",), says.NO_CLAIM_NAMED_DID_YOU),
        (("claim=[models]",), says.IS_ABOUT_A_COLUMN_THAT),
    ],
)
def test_claims_that_are_refused(words: tuple[str, ...], line: str, command: Command) -> None:
    for verb in ((), ("check",)):
        done = command(*verb, *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert done.stderr.startswith(f"auditfw: error: {line}")


def test_jobs_that_differ_in_claims_have_results_of_their_own(command: Command, tmp_path: Path) -> None:
    done = command("-m", "claim=[],[think_helps]", "normalizer=[v1,v2]", "report=[markdown]")
    assert done.returncode == 0, done.stderr
    [sweep] = [folder for folder in (tmp_path / "outputs/sweeps").glob("*/*") if not folder.is_symlink()]
    tried = [json.loads((sweep / job / "result.json").read_text("utf-8"))["answer"]["rules"] for job in "01"]
    assert [any(rule["rule"] == "claim_fails" for rule in rules) for rules in tried] == [False, True]
    assert ["## Claims" in (sweep / job / "report.md").read_text("utf-8") for job in "01"] == [False, True]
