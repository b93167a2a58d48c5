"""The draw of trials and the check on all: the same whatever the batches and processes."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.parsing.conclusions.rule_passes import (
    RIGHT,
    WRONG,
    Agreements,
    CheckRules,
    DrawTrials,
    Stratum,
    TrialDraw,
    TrialReader,
)
from auditfw.audits.parsing.engine.plan import MISSING, TRUE, ReadingPlan
from auditfw.audits.parsing.trials import Labels
from auditfw.components.matcher.numeric import Numeric
from auditfw.components.matcher.texts import Exact
from auditfw.components.normalizer.steps import NormalizerSteps as Normalizer
from auditfw.components.parser.steps import ParserSteps as Parser
from auditfw.components.step.cuts import FirstLine
from auditfw.core.records import Batch
from auditfw.formulas.label_counts import wrong_rate
from auditfw.kinds.capabilities import Named

READER = TrialReader(None, Labels(frozenset("1"), frozenset("0"), counted=True), "python")
NORMALIZERS = (Named("none", Normalizer()),)
PLAN = ReadingPlan((Named("raw", Parser()),), NORMALIZERS, Exact(), ((0, 0),))
TWO = ReadingPlan((*PLAN.parsers, Named("first", Parser(steps=(FirstLine(),)))), NORMALIZERS, Exact(), ((0, 0), (1, 0)))

Row = tuple[str, int | None]  # the text, and the stored label


def batch(rows: Sequence[Row], start: int = 0, items: bool = False) -> Batch:
    columns: dict[str, list[Any]] = {
        "id": [f"i{start + i}" for i in range(len(rows))],
        "raw_text": [text for text, _ in rows],
        "ground_truth": ["a"] * len(rows),
        "stored": [label for _, label in rows],
    }
    if items:
        columns["item"] = [f"q{(start + i) // 2}" for i in range(len(rows))]
    return Batch(columns)


def drawn(rows: Sequence[Row], cuts: Sequence[int], workers: int, plan: ReadingPlan | None = PLAN) -> TrialDraw:
    """The draw of at most two and three of each stratum, the rows in batches, each process with every so many."""
    works = [DrawTrials(READER, plan, 7, (2, 3)) for _ in range(workers)]
    whole = TrialDraw((2, 3))
    bounds = [0, *cuts, len(rows)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        part = batch(rows[start:end], start)
        whole.take(works[number % workers](lambda part=part: part))  # type: ignore[misc]
    return whole


ROWS: list[Row] = [("a", 1), ("b", 0), ("a", 0), ("b", 1), ("a", None), ("a\nb", 1), ("b", 0), ("b", 0), ("b", 0)]


def test_strata_of_the_draw() -> None:
    whole = drawn(ROWS, [], 1)
    assert whole.sizes == Counter(
        {Stratum(False, True): 1, Stratum(True, True): 2, Stratum(True, False): 1, Stratum(False, False): 4}
    )
    assert [len(whole.rows[one]) for one in whole.strata] == [2, 1, 1, 2]
    assert whole.strata[0] == Stratum(differs=True, right=True)
    counts, trials = whole.part(1, 2)
    assert counts == [
        (Stratum(True, True), 1),
        (Stratum(True, False), 0),
        (Stratum(False, True), 0),
        (Stratum(False, False), 1),
    ]
    assert len(trials) == 2
    assert whole.drawn == 6


def test_without_a_configured_rule_all_count_as_different() -> None:
    whole = drawn(ROWS, [], 1, None)
    assert whole.sizes == Counter({Stratum(True, True): 3, Stratum(True, False): 5})
    assert [len(whole.rows[one]) for one in whole.strata] == [3, 3]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0, 1, None])), max_size=40),
    st.lists(st.integers(0, 40), max_size=5),
    st.integers(1, 3),
)
def test_batches_and_processes_leave_no_trace(rows: list[Row], cuts: list[int], workers: int) -> None:
    one = drawn(rows, [], 1)
    many = drawn(rows, sorted(min(cut, len(rows)) for cut in cuts), workers)
    assert one.sizes == many.sizes
    assert {k: v for k, v in one.rows.items() if v} == {k: v for k, v in many.rows.items() if v}


def test_agreement_with_all_labels() -> None:
    """`raw` misses the label of the two-line text, and both those of rows 2 and 3; a row without a label is out."""
    whole = Agreements(2)
    check = CheckRules(READER, TWO)
    for start in (0, 4):
        part = batch(ROWS[start : start + (4 if start == 0 else 5)], start)
        whole.take(check(lambda part=part: part))  # type: ignore[misc]
    assert (whole.labelled, list(whole.agreed)) == (8, [5, 6])
    assert whole.kinds == [{WRONG, RIGHT}, {WRONG, RIGHT}]
    assert not whole.constant(0)
    counts = whole.counts(1)
    assert (counts.right, counts.wrong, counts.items) == (6, 2, None)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0, 1, None])), max_size=40), st.booleans())
def test_agreement_is_that_of_each_trial(rows: list[Row], labelled: bool) -> None:
    """The rules' labels of the whole batch beside the stored ones, trial by trial; with all labels there or some."""
    rows = [row for row in rows if row[1] is not None or not labelled]
    part = CheckRules(READER, TWO)(lambda: batch(rows))
    trials = READER.trials(lambda: batch(rows))
    codes = READER.scores(TWO).score(trials.raw, trials.parsed, trials.truths).labels
    pairs = [
        [(stored, code) for stored, code in zip(trials.stored, one, strict=True) if stored != MISSING] for one in codes
    ]
    assert part.labelled == sum(code != MISSING for code in trials.stored)
    assert part.agreed == [sum((stored == TRUE) == (code == TRUE) for stored, code in one) for one in pairs]
    assert part.kinds == [{RIGHT if code == TRUE else WRONG for _, code in one} for one in pairs]


def test_agreement_by_item() -> None:
    whole = Agreements(2)
    whole.take(CheckRules(READER, TWO)(lambda: batch(ROWS, items=True)))
    counts = whole.counts(0)
    assert counts.items is not None
    sums = counts.items.wrong  # items q0: 0 of 2 missed, q1: 2 of 2, q2: 1 of 1, q3 and q4: none
    assert (sums.items, sums.trials, sums.successes, sums.holding) == (5, 8, 3, 2)
    assert wrong_rate(counts).low < 3 / 8


def test_a_rule_of_one_label_is_constant() -> None:
    whole = Agreements(2)
    whole.take(CheckRules(READER, TWO)(lambda: batch([("b", 0), ("a\nb", 0), ("b", 1)])))
    assert [whole.constant(0), whole.constant(1)] == [True, False]


def test_trials_that_a_rule_cannot_label_are_no_second_label() -> None:
    plan = ReadingPlan(PLAN.parsers, NORMALIZERS, Numeric(), ((0, 0),))
    part = batch([("4", 0), ("4", 1), ("5", 0)])
    part.columns["ground_truth"] = ["5", "a", "6"]
    whole = Agreements(1)
    whole.take(CheckRules(READER, plan)(lambda: part))
    assert (whole.labelled, list(whole.agreed), whole.constant(0)) == (3, [2], True)


def test_work_is_sent_without_what_a_process_keeps() -> None:
    draw, check = DrawTrials(READER, PLAN, 7, (2, 3)), CheckRules(READER, TWO)
    first = draw(lambda: batch(ROWS)), check(lambda: batch(ROWS))
    copies = pickle.loads(pickle.dumps(draw)), pickle.loads(pickle.dumps(check))
    assert (copies[0](lambda: batch(ROWS)), copies[1](lambda: batch(ROWS))) == first
