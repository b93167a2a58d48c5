"""What the parsing audit draws for the page: the same for any processes, cut, and only what is wanted."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from hostile_readings import PARSERS, PIECES, SIGNS
from hypothesis import given, settings
from hypothesis import strategies as st

from auditfw.audits.parsing.counts import ParsingCounts
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.verify import BATCHES
from auditfw.audits.parsing.exhibits import title
from auditfw.audits.parsing.flips import RIGHT, WRONG, FlipLimits
from auditfw.audits.parsing.scoring import ParsingScorer
from auditfw.audits.parsing.table import STORED
from auditfw.audits.parsing.trials import Trial
from auditfw.components.matcher.containment import Containment
from auditfw.components.normalizer.steps import NormalizerSteps
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
    return ParsingScorer(
        plan=plan,
        by=("cell",),
        seed=0,
        most=2,
        signs=SIGNS,
        kernel="python",
        stored_true=frozenset({"1"}),
        stored_false=frozenset({"0"}),
        truth=None,
        baseline=None,
        exhibit_rules=(),
        keep_text=False,
        verify=0.0,
        page=FlipLimits(len(parsers), each, "zero"),
    )


ROWS = st.tuples(st.lists(PIECES, max_size=5).map("".join), st.sampled_from(["8", "Paris", "b"]), st.sampled_from("01"))


def batch(rows: list[tuple[str, str, str]], first: int) -> Batch:
    # Ids are given twice, as with `duplicates=all`.
    ids = [str((first + i) // 2) for i in range(len(rows))]
    raw, truth, stored = ([row[k] for row in rows] for k in range(3))
    parsed = [text[: len(text) // 2] for text in raw]
    columns = {"id": ids, "raw_text": raw, "parsed_text": parsed, "ground_truth": truth, "stored": stored}
    return Batch({**columns, "cell": ["a"] * len(rows)})


@settings(max_examples=80, deadline=None)
@given(rows=st.lists(ROWS, max_size=60), each=st.integers(1, 4), seed=st.integers(0, 5), processes=st.integers(1, 3))
def test_the_draw_is_the_same_for_any_processes(
    rows: list[tuple[str, str, str]], each: int, seed: int, processes: int
) -> None:
    batches = [batch(rows[start : start + 7], start) for start in range(0, len(rows), 7)]
    workers = [pickle.loads(pickle.dumps(work(each))) for _ in range(processes)]
    deal = random.Random(seed)
    whole, alone = ParsingCounts(), ParsingCounts()
    for one in batches:
        whole.merge(deal.choice(workers)(lambda one=one: one), 2, each)
        alone.merge(work(10**6)(lambda one=one: one), 2, 10**6)  # every flip, of a process for each batch
    assert (
        len(alone.drawn) == alone.table.flips(range(3), STORED, "zero") == whole.table.flips(range(3), STORED, "zero")
    )
    wanted: set[int] = set()
    for reading in workers[0].plan.names():
        for direction in (RIGHT, WRONG):
            places = [i for i, (*_, told) in enumerate(alone.drawn) if (reading, direction) in told.tags[1]]
            wanted |= set(places[:each])
    expected = [alone.drawn[i] for i in sorted(wanted)]
    assert [(one[:2], one[-1]) for one in whole.drawn] == [(one[:2], one[-1]) for one in expected]


def test_a_process_that_works_again_on_the_same_draws_the_same() -> None:
    rows = [("8" if n % 3 else "no", "8", "1") for n in range(30)]
    one = work(2)
    first, again = one(lambda: batch(rows, 0)), one(lambda: batch(rows, 0))
    assert [row[:2] for row in first.drawn] == [row[:2] for row in again.drawn]


def test_a_path_that_no_trial_took_is_not_named() -> None:
    """Of a batch without trials none, and the reference only where it computed some again."""
    one = work(2)
    assert one(lambda: batch([], 0)).paths == {}
    [planned] = one(lambda: batch([("8", "8", "1")], 0)).paths.items() - {("reference", 1)}
    assert planned[1] == len(one.plan.readings)
    again = work(2)
    assert [again.batches_checked() for _ in range(BATCHES)] == list(range(BATCHES))
    assert again(lambda: batch([("8", "8", "1")], 0)).paths == dict([planned])


def test_what_an_exhibit_shows() -> None:
    text = "Paris</think>Lyon\nUser: Lyon or Paris?\nAssistant: Paris"
    columns: dict[str, list[Any]] = {"id": [7], "raw_text": [text], "parsed_text": ["Lyon!"], "ground_truth": ["Paris"]}
    done = work(1)(lambda: Batch({**columns, "stored": [0], "cell": [None]}))
    ((*_, told),) = done.drawn
    assert told.title == "Paris"
    assert dict(told.facts) == {
        "id": "7",
        "ground truth": "Paris",
        "cell": "None",
        "stored": "wrong",
        "stored+none": "wrong",
        "answer_v2+none": "wrong",
        "last_line+none": "right",
    }
    raw, stored = told.snippets
    assert (raw.label, raw.head, raw.omitted) == ("raw_text", text, 0)
    assert {(m.name, text[m.start : m.end], m.start) for m in raw.marks} == {
        ("answer_v2", "Lyon", 13),
        ("last_line", "Assistant: Paris", 39),
        ("truth", "Paris", 0),
        ("truth", "Paris", 32),
        ("truth", "Paris", 50),
    }
    assert (stored.label, stored.head, list(stored.marks)) == ("stored", "Lyon!", [])
    assert told.tags == [[("(missing)",)], [("last_line+none", RIGHT)], [("role",), ("</think>",)]]


@pytest.mark.parametrize(
    ("item", "truth", "cell", "expected"),
    [
        ("How large?", "8", (), "How large?"),
        ("How\n  large?", "8", ("a", 1), "How large? (a, 1)"),
        ("", ("8", "eight"), (None,), "8 | eight"),
        ("q" * 91, "8", (), "q" * 89 + "…"),
        ("q" * 90, "8", (), "q" * 90),
        ("", "", ("a",), "t-1"),
    ],
)
def test_a_title_says_what_was_asked(item: str, truth: Any, cell: tuple[Any, ...], expected: str) -> None:
    assert title(Trial("t-1", truth, cell, 1, [], None, None, [], item)) == expected


def test_long_texts_and_truths_are_cut() -> None:
    columns: dict[str, list[Any]] = {"id": [1], "raw_text": ["a" * 9_000 + "\nno"], "parsed_text": ["a" * 5_000]}
    truth = ["a" * 900]
    done = work(1)(lambda: Batch({**columns, "ground_truth": truth, "stored": [1], "cell": ["x"]}))
    ((*_, told),) = done.drawn
    assert [(s.label, len(s.head), len(s.tail), s.omitted) for s in told.snippets] == [("raw_text", 2000, 2000, 5003)]
    assert told.title == f"{'a' * 89}… (x)"
    assert told.facts[1][1] == "a" * 400 + "… [500 characters omitted]"
    assert [(m.start, m.end) for m in told.snippets[0].marks if m.name == "last_line"] == [(9001, 9003)]


def test_only_what_a_page_wants_is_drawn() -> None:
    assert work(1).page is not None
    plain = work(1)
    plain.page = None
    done = plain(lambda: batch([("no", "8", "1")], 0))
    assert done.drawn == []
