"""The stages of a search: who goes on, who is dropped, and what the end comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from sentences import parsing as says

from auditfw.audits.parsing.conclusions import search as module
from auditfw.audits.parsing.conclusions.rule_passes import (
    NEITHER,
    RIGHT,
    WRONG,
    Agreements,
    BatchAgreement,
    BatchDraw,
    DrawnTrial,
    Stratum,
    TrialDraw,
    TrialReader,
)
from auditfw.audits.parsing.conclusions.rules import ScoringRule
from auditfw.audits.parsing.conclusions.search import CheckedRule, RuleSearch, Tally, finalists, formulas_in, result_of
from auditfw.audits.parsing.trials import Labels
from auditfw.components.matcher.texts import Exact
from auditfw.components.normalizer.steps import NormalizerSteps as Normalizer
from auditfw.components.parser.steps import ParserSteps as Parser
from auditfw.kinds.capabilities import Named

APART, SAME = Stratum(differs=True, right=True), Stratum(differs=False, right=False)
READER = TrialReader(None, Labels(frozenset("1"), frozenset("0"), counted=True), "python")


@dataclass(frozen=True)
class Says:
    """Gives what a function makes of a text."""

    function: Callable[[str], str]
    column: str = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        return self.function(str(text))


@dataclass(frozen=True)
class Slow:
    """Counts its calls."""

    slow: ClassVar[bool] = True

    calls: list[str]

    def __call__(self, answer: str, truth: str) -> bool:
        self.calls.append(answer)
        return answer == truth


def rule(name: str, function: Callable[[str], str], matcher: Named[Any] | None = None) -> ScoringRule:
    matcher = matcher or Named("exact", Exact())
    return ScoringRule(Named(name, Says(function)), Named("none", Normalizer()), matcher, own=matcher.name == "exact")


def draw(right: int, wrong: int) -> TrialDraw:
    """So many trials with the text y0 and up whose stored label is right, and n0 and up for wrong; all truths are y."""
    whole = TrialDraw((1_000, 1_000))
    rows = {
        APART: [(i.to_bytes(8), DrawnTrial(f"y{i}", None, "y")) for i in range(right)],
        SAME: [(i.to_bytes(8), DrawnTrial(f"n{i}", None, "y")) for i in range(wrong)],
    }
    whole.take(BatchDraw(Counter({APART: right, SAME: wrong}), rows, right + wrong))
    return whole


FIRST = rule("first", lambda text: text[0])
ALWAYS = rule("always", lambda text: "y")
NEVER = rule("never", lambda text: "x")


def test_those_that_miss_nothing_come_with_the_best_of_the_others() -> None:
    once = rule("once", lambda text: "x" if text == "y99" else text[0])
    end = finalists(READER, draw(100, 100), [NEVER, once, FIRST, ALWAYS])
    assert [one.name for one in end.rules] == ["once+none", "first+none"]  # as listed; those of one label are out
    assert end[1:] == (False, 4, 0, 0)


def test_a_rule_that_runs_out_of_time_is_dropped_after_a_few_trials() -> None:
    calls: list[str] = []

    def late(text: str) -> str:
        calls.append(text)
        raise TimeoutError

    end = finalists(READER, draw(100, 100), [rule("late", late), FIRST])
    assert [one.name for one in end.rules] == ["first+none"]
    assert (end.tried, end.late) == (2, 1)
    assert len(calls) <= 4


def test_a_rule_that_fails_misses_the_label() -> None:
    def fails(text: str) -> str:
        if text == "n5":
            raise ValueError
        return text[0]

    whole = draw(100, 100)
    [left], _ = module.Tries(READER, whole).quick([(0, rule("fails", fails))])
    assert left.tally.missed == {APART: 0, SAME: 1}
    assert left.tally.estimate(whole) == 1
    assert not left.tally.perfect


def test_no_more_than_so_many_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [rule(f"r{i}", lambda text, i=i: "x" if text == f"y{i}" else text[0]) for i in range(30)]  # type: ignore[misc]
    few = (module.Stage(2, 25, 25), module.Stage(40, 10, 10))
    monkeypatch.setattr(module, "STAGES", few)
    left, dropped = module.Tries(READER, draw(40, 40)).quick(list(enumerate(rules)))
    assert [one.order for one in left] == list(range(2, 12))  # r0 and r1 missed one of the first two, and were last
    assert dropped  # of the others all missed none then, and some had to go
    sums = [one.tally.tried for one in left]
    assert sums == [{APART: 40, SAME: 40}] * 10


def test_of_those_that_missed_one_only_the_best_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = [rule(f"m{i}", lambda text, i=i: "x" if text <= f"y{i}" else text[0]) for i in range(5)]  # type: ignore[misc]
    perfect = [rule(f"p{i}", lambda text: text[0]) for i in range(3)]
    monkeypatch.setattr(module, "STAGES", (module.Stage(8, 10, 2), module.Stage(9, 10, 2)))
    left, dropped = module.Tries(READER, draw(9, 9)).quick(list(enumerate([*missing, *perfect])))
    assert [one.rule.name for one in left] == ["p0+none", "p1+none", "p2+none", "m0+none", "m1+none"]
    assert not dropped


def test_a_rule_of_one_label_makes_room_for_a_worse_one(monkeypatch: pytest.MonkeyPatch) -> None:
    worse = rule("worse", lambda text: "y" if text < "y5" else "x")
    monkeypatch.setattr(module, "STAGES", (module.Stage(40, 1, 1),))
    left, _ = module.Tries(READER, draw(40, 3)).quick([(0, ALWAYS), (1, worse)])
    assert [one.rule.name for one in left] == ["worse+none"]


def test_a_slow_rule_is_tried_where_no_quick_one_gives_the_labels() -> None:
    calls: list[str] = []
    slow = rule("first", lambda text: text[0], Named("math", Slow(calls)))
    end = finalists(READER, draw(100, 100), [FIRST, slow])
    assert ([one.name for one in end.rules], end.tried, calls) == (["first+none"], 1, [])
    half = rule("half", lambda text: text[0] if text < "y5" else "x")
    end = finalists(READER, draw(100, 100), [half, slow])
    assert ([one.name for one in end.rules], end.tried) == (["half+none"], 1)  # no text has a formula
    own = ScoringRule(slow.parser, slow.normalizer, slow.matcher, own=True)
    end = finalists(READER, draw(100, 100), [half, own])
    assert ([one.name for one in end.rules], end.tried) == (["half+none", "first+none"], 2)
    same = ScoringRule(Named("same", half.parser.part), own.normalizer, own.matcher, own=True)
    end = finalists(READER, draw(100, 100), [half, same])
    assert ([one.name for one in end.rules], end.tried) == (["half+none"], 2)  # no better than the quick one
    many = draw(100, 100)
    many.sizes[SAME] = module.SLOW_TRIALS - 100
    assert finalists(READER, many, [half, own]).tried == 2
    many.sizes[SAME] += 1
    calls.clear()
    end = finalists(READER, many, [half, own])
    assert ([one.name for one in end.rules], end.tried, end.slow, calls) == (["half+none"], 1, 1, [])


def test_a_slow_matcher_that_runs_out_of_time_ends_it_for_all() -> None:
    calls: list[str] = []

    @dataclass(frozen=True)
    class Late:
        def __call__(self, answer: str, truth: str) -> bool:
            calls.append(answer)
            raise TimeoutError

    slow = [rule(f"p{i}", lambda text, i=i: f"{text}{i}", Named("math", Late())) for i in range(9)]  # type: ignore[misc]
    tries = module.Tries(READER, draw(50, 50))
    assert tries.slow(list(enumerate(slow))) == []
    assert tries.late == 9
    assert len(calls) <= 2


@pytest.mark.parametrize(
    ("raw", "truth", "formulas"),
    [
        ("it is 5", "5", False),
        (r"so \boxed{5}", "5", True),
        ("half", r"\frac{1}{2}", True),
        ("half", ("a", r"\pi"), True),
        (r"a path C:\temp", "5", False),
    ],
)
def test_formulas(raw: str, truth: str | tuple[str, ...], formulas: bool) -> None:
    assert formulas_in(iter([DrawnTrial(raw, None, truth)])) == formulas


def test_estimates_weigh_the_strata() -> None:
    whole = draw(10, 10)
    whole.sizes[SAME] = 1_000
    one = Tally().after([(APART, 2), (SAME, 4)], bytes([RIGHT, NEITHER, WRONG, RIGHT, WRONG, WRONG]))
    assert (one.tried, one.missed) == ({APART: 2, SAME: 4}, {APART: 1, SAME: 1})
    assert one.estimate(whole) == 10 / 2 + 1_000 / 4
    assert not one.constant
    more = one.after([(APART, 1)], bytes([RIGHT]))
    assert (more.tried[APART], more.missed[APART]) == (3, 1)


def checked(agreed: list[int], kinds: list[set[int]], labelled: int) -> Agreements:
    whole = Agreements(len(agreed))
    whole.take(BatchAgreement(labelled, agreed, kinds, None, labelled))
    return whole


def test_the_end_of_a_search() -> None:
    both = {WRONG, RIGHT}
    rules = [FIRST, ALWAYS, NEVER, rule("other", str)]
    search = RuleSearch(written=False, labelled=10, tried=40, more_ties=True)
    end = result_of(checked([10, 10, 9, 10], [both, {RIGHT}, both, both], 10), rules, search)
    assert [(one.rule.name, one.agreed) for one in end.best] == [
        ("first+none", 10),
        ("other+none", 10),
        ("never+none", 9),
    ]
    assert (end.ties, end.more_ties, end.missed) == (("first+none", "other+none"), True, 0)
    assert end.rule is FIRST
    most = result_of(checked([8, 9], [both, both], 10), rules[:2], search)
    assert (most.rule, most.ties, most.more_ties, most.missed) == (None, (), False, 1)
    assert most.sentence == says.BEST_OF_RULES_TRIED_OF
    assert most.counts is not None
    assert (most.counts.right, most.counts.wrong) == (9, 1)
    none = result_of(checked([10], [{RIGHT}], 10), [ALWAYS], search)
    assert (none.best, none.rule, none.missed, none.sentence) == (
        (),
        None,
        None,
        says.EVERY_RULE_GIVES_ALL_TRIALS,
    )


def test_parsers_of_steps_are_tried_by_both_kernels() -> None:
    """The same labels whichever kernel reads the drawn trials."""
    steps = ScoringRule(Named("raw", Parser()), Named("none", Normalizer()), Named("exact", Exact()), own=True)
    for kernel in ("python", "native"):
        reader = TrialReader(None, READER.labels, kernel)  # type: ignore[arg-type]
        [left], _ = module.Tries(reader, draw(3, 3)).quick([(0, FIRST)])
        assert left.tally.perfect
        assert module.Tries(reader, draw(3, 3)).quick([(0, steps)])[0] == []  # always wrong: one label


@pytest.mark.parametrize(
    ("labelled", "right", "agreed", "constant", "judged"),
    [
        (100, 10, 90, ("wrong", 10), (True, True)),
        (100, 10, 91, ("wrong", 10), (False, False)),
        (100, 11, 89, ("wrong", 11), (True, False)),
        (100, 90, 90, ("right", 10), (True, True)),
        (100, 50, 50, ("wrong", 50), (True, False)),
        (100, 0, 99, ("wrong", 0), (True, True)),
        (100, None, 10, None, (False, False)),
    ],
)
def test_whether_the_best_rule_is_better_than_one_label_for_all(
    labelled: int, right: int | None, agreed: int, constant: tuple[str, int] | None, judged: tuple[bool, bool]
) -> None:
    found = RuleSearch(False, labelled, best=(CheckedRule(FIRST, agreed),), right=right)
    assert (found.constant, (found.beaten, found.lopsided)) == (constant, judged)


@pytest.mark.parametrize(
    ("labelled", "right", "few", "missed"),
    [
        (10_000, 1, says.OF_ANSWERS_IS_STORED_AS_2, says.CALLING_ALL_WRONG_DOES_ON_2),
        (10_000, 9, says.OF_ANSWERS_ARE_STORED_AS_RIGHT, says.CALLING_ALL_WRONG_DOES_ON_3),
        (10_000, 9_990, says.OF_ANSWERS_ARE_STORED_AS_WRONG, says.CALLING_ALL_RIGHT_DOES_ON),
    ],
)
def test_rare_labels_in_words(labelled: int, right: int, few: str, missed: str) -> None:
    found = RuleSearch(False, labelled, best=(CheckedRule(FIRST, max(right, labelled - right)),), right=right)
    assert found.few == few
    assert found.missed_by("It", "[E]") == says.IT_DIFFERS_FROM_THE_STORED.format(missed)
