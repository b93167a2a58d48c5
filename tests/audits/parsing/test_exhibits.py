"""What the parsing audit draws for the page: the same for any processes, cut, and only what is wanted."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from hostile_readings import PARSERS, PIECES, SIGNS
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples
from sentences import parsing as says

from auditfw.audits.parsing.columns import RunWork
from auditfw.audits.parsing.engine.plan import FALSE, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import BATCHES
from auditfw.audits.parsing.exhibits import ExhibitMaker, answers_of, in_turns, title
from auditfw.audits.parsing.kept.flips import RIGHT, WRONG, FlipDraw, FlipSettings
from auditfw.audits.parsing.kept.row_facts import RowEnds
from auditfw.audits.parsing.scoring import ParsingScorer, RunBatch
from auditfw.audits.parsing.table import STORED
from auditfw.audits.parsing.trials import Labels, Trial
from auditfw.components.matcher.texts import Containment
from auditfw.components.normalizer.steps import NormalizerSteps
from auditfw.core.document import Exhibit
from auditfw.core.records import Batch
from auditfw.kinds.capabilities import Named

by_name = {named.name: named.part for named in PARSERS}


def work(each: int, parsers: tuple[str, ...] = ("stored", "answer_v2", "last_line")) -> ParsingScorer:
    plan = ReadingPlan(
        tuple(Named(name, by_name[name]) for name in parsers),
        (Named("none", NormalizerSteps()),),
        Containment(),
        tuple((p, 0) for p in range(len(parsers))),
    )
    one = RunWork(plan, 0, None, FlipSettings(len(parsers), each, 0, "zero", STORED))
    labels = Labels(frozenset("1"), frozenset("0"), False)
    return ParsingScorer((one,), ("cell",), None, labels, SIGNS, "python", RowEnds())


def run_of(scorer: ParsingScorer, rows: Batch) -> RunBatch:
    """What a batch comes to for the one run."""
    [run] = scorer(lambda: rows).runs
    return run


ROWS = st.tuples(st.lists(PIECES, max_size=5).map("".join), st.sampled_from(["8", "Paris", "b"]), st.sampled_from("01"))


def batch(rows: list[tuple[str, str, str]], first: int) -> Batch:
    # Ids are given twice, as with `duplicates=all`.
    ids = [str((first + i) // 2) for i in range(len(rows))]
    raw, truth, stored = ([row[k] for row in rows] for k in range(3))
    parsed = [text[: len(text) // 2] for text in raw]
    columns = {"id": ids, "raw_text": raw, "parsed_text": parsed, "ground_truth": truth, "stored": stored}
    return Batch({**columns, "cell": ["a"] * len(rows)})


@settings(max_examples=examples(80), deadline=None)
@given(rows=st.lists(ROWS, max_size=60), each=st.integers(1, 4), seed=st.integers(0, 5), processes=st.integers(1, 3))
def test_the_draw_is_the_same_for_any_processes(
    rows: list[tuple[str, str, str]], each: int, seed: int, processes: int
) -> None:
    batches = [batch(rows[start : start + 7], start) for start in range(0, len(rows), 7)]
    workers = [pickle.loads(pickle.dumps(work(each))) for _ in range(processes)]
    deal = random.Random(seed)
    draw, every = FlipDraw(work(each).works[0].flips), FlipDraw(work(10**6).works[0].flips)
    for one in batches:
        draw.take(run_of(deal.choice(workers), one).flips)
        every.take(run_of(work(10**6), one).flips)  # every flip, of a process for each batch
    wanted: set[int] = set()
    for reading in range(3):
        for direction in (RIGHT, WRONG):
            places = [i for i, one in enumerate(every.trials()) if (reading, direction) in draw.settings.strata(one)]
            wanted |= set(places[:each])
    assert draw.trials() == [every.trials()[i] for i in sorted(wanted)]


def test_a_process_that_works_again_on_the_same_draws_the_same() -> None:
    rows = [("8" if n % 3 else "no", "8", "1") for n in range(30)]
    one = work(2)
    first, again = run_of(one, batch(rows, 0)), run_of(one, batch(rows, 0))
    assert first.flips == again.flips != []


def test_a_path_that_no_trial_took_is_not_named() -> None:
    """Of a batch without trials none, and the reference only where it computed some again."""
    one = work(2)
    assert run_of(one, batch([], 0)).counts.paths == {}
    [planned] = run_of(one, batch([("8", "8", "1")], 0)).counts.paths.items() - {("reference", 1)}
    assert planned[1] == len(one.works[0].plan.readings)
    again = work(2)
    assert [again.batches_checked() for _ in range(BATCHES)] == list(range(BATCHES))
    assert run_of(again, batch([("8", "8", "1")], 0)).counts.paths == dict([planned])


def shown_of(only: Batch) -> Exhibit:
    """The exhibit of the one flip of a batch."""
    one = work(1)
    [own] = one.works
    [flip] = run_of(one, only).flips
    [answers] = answers_of(own.plan, SIGNS, [flip])
    return ExhibitMaker(own.plan, one.by, SIGNS, own.flips, 0)(flip, answers)


def test_what_an_exhibit_shows() -> None:
    text = says.PARIS_LYON_USER_LYON_OR
    columns: dict[str, list[Any]] = {"id": [7], "raw_text": [text], "parsed_text": ["Lyon!"], "ground_truth": ["Paris"]}
    shown = shown_of(Batch({**columns, "stored": [0], "cell": [None]}))
    assert shown.title == "7"
    assert dict(shown.facts) == {
        "id": "7",
        "ground truth": "Paris",
        "cell": "None",
        "stored": "wrong",
        "stored+none": "wrong",
        "answer_v2+none": "wrong",
        "last_line+none": "right",
    }
    raw, stored = shown.snippets
    assert (raw.label, raw.head, raw.omitted) == ("raw_text", text, 0)
    assert {(m.name, text[m.start : m.end], m.start) for m in raw.marks} == {
        ("answer_v2", "Lyon", 13),
        ("last_line", "Assistant: Paris", 39),
        ("truth", "Paris", 0),
        ("truth", "Paris", 32),
        ("truth", "Paris", 50),
    }
    assert (stored.label, stored.head, list(stored.marks)) == ("stored", "Lyon!", [])
    assert shown.tags == [[("(missing)",)], [("last_line+none", RIGHT)], [("role",), ("</think>",)]]


@pytest.mark.parametrize(
    ("item", "truth", "cell", "expected"),
    [
        ("How large?", "8", (), "How large?"),
        ("How\n  large?", "8", ("a", 1), "How large? (a, 1)"),
        ("", ("8", "eight"), (None,), "t-1"),
        ("q" * 91, "8", (), "q" * 89 + "…"),
        ("q" * 90, "8", (), "q" * 90),
        ("", "8", ("a",), "t-1 (a)"),
    ],
)
def test_a_title_says_what_was_asked(item: str, truth: Any, cell: tuple[Any, ...], expected: str) -> None:
    assert title(Trial("t-1", truth, cell, b"", None, None, item)) == expected


def test_long_texts_and_truths_are_cut() -> None:
    columns: dict[str, list[Any]] = {"id": [1], "raw_text": ["a" * 9_000 + "\nno"], "parsed_text": ["a" * 5_000]}
    truth = ["a" * 900]
    shown = shown_of(Batch({**columns, "ground_truth": truth, "stored": [1], "cell": ["x"]}))
    assert [(s.label, len(s.head), len(s.tail), s.omitted) for s in shown.snippets] == [("raw_text", 2000, 2000, 5003)]
    assert shown.title == "1 (x)"
    assert shown.facts[1][1] == "a" * 400 + "… [500 characters omitted]"
    assert [(m.start, m.end) for m in shown.snippets[0].marks if m.name == "last_line"] == [(9001, 9003)]


def test_only_what_is_wanted_is_kept() -> None:
    assert run_of(work(1), batch([("no", "8", "1")], 0)).flips != []
    assert run_of(work(0), batch([("no", "8", "1")], 0)).flips == []


def test_each_stratum_has_its_first_before_any_has_its_second() -> None:
    """Readings 0 and 1 change wrong to right; of what 1 changes the third is not shown, the fourth for 0 alone."""
    flips = FlipSettings(2, 2, 0, "zero", STORED)
    codes = {"both": (FALSE, TRUE, TRUE), "0": (FALSE, TRUE, FALSE), "1": (FALSE, FALSE, TRUE)}
    ids = ["a 1", "b 1", "c 1", "d both", "e 0", "f 0"]
    ranked = [Trial(one, "t", (), bytes(codes[one[2:]]), "", "") for one in ids]
    found = [(trial.id, {number: n for (number, _), n in places.items()}) for trial, places in in_turns(ranked, flips)]
    assert found == [("a 1", {1: 0}), ("d both", {0: 0, 1: 3}), ("b 1", {1: 1}), ("e 0", {0: 1})]
