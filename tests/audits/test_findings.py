"""Which finding explains which, in which order they stand, and what they argue."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from sentences import all_audits as says

import auditfw
from auditfw.audits.answers import Argument, Reason, RuleKind, Statement, concluded
from auditfw.audits.findings import QuestionsAsked, TableFindings, argued, check_known
from auditfw.core.errors import UsageError
from auditfw.core.results.findings import Finding, FindingKind, Known, NotChecked, facts_line
from auditfw.kinds import registry
from auditfw.kinds.questions import LabelRows

CAUSE = FindingKind("cause", "A cause.", ("effect", "no_rule"))
EFFECT = FindingKind("effect", "An effect.", ("cause",))
OTHER = FindingKind("other", "Another one.")
NO_ROWS: Any = None
QUIET = FindingKind("quiet", "For the page alone.", screen=False)
NO_RULE = RuleKind("no_rule", "Is there a rule?", status="broken")
WORDS = Statement("No rule.", ["There is none."], "Set it.")


class Question:
    """The kinds in the order in which they are listed."""

    finds: ClassVar[tuple[FindingKind, ...]] = (CAUSE, EFFECT, OTHER, QUIET)

    def __call__(self, rows: object) -> tuple[()]:
        return ()


def asked(*findings: Finding) -> QuestionsAsked:
    return QuestionsAsked(NO_ROWS, list(findings), parts=[Question()])


def found(kind: FindingKind, **further: Any) -> Finding:
    return kind(further.pop("value", 1), 10, f"{kind.name} is there.", **further)


@pytest.mark.parametrize(
    ("findings", "order"),
    [
        ([found(OTHER, points=3.0), found(CAUSE, effect="fragile", points=1.0)], ["cause", "other"]),
        ([found(OTHER), found(QUIET, points=0.5), found(EFFECT, points=2.0)], ["effect", "quiet", "other"]),
        ([found(QUIET, points=1.0), found(OTHER, points=1.0)], ["other", "quiet"]),
    ],
)
def test_they_go_by_effect_then_points_then_as_listed(findings: list[Finding], order: list[str]) -> None:
    assert [one.kind for one in asked(*findings).settled((), {}).listed] == order


def test_of_two_that_explain_each_other_the_earlier_leads() -> None:
    settled = asked(found(EFFECT, effect="fragile"), found(CAUSE, effect="broken")).settled((), {})
    assert [(one.kind, one.effect, one.shown, list(one.explains)) for one in settled.listed] == [
        ("cause", "broken", True, ["effect"]),
        ("effect", "reported", False, ["cause"]),
    ]


def test_a_rule_that_is_explained_gives_no_status() -> None:
    rule = NO_RULE("stored", 40.0, fired=True)
    argument = Argument([rule], {"broken": WORDS}, notices=[Reason("A notice.", [rule])])
    fragile = found(CAUSE, effect="fragile", headline="It is shifted.", next="Shift it back.", points=2.0)
    settled = asked(fragile).settled({"no_rule"}, {})
    answer = concluded(argued(settled, [argument], "stored"), lambda: WORDS)
    assert (answer.status, answer.headline, answer.next) == ("fragile", "It is shifted.", "Shift it back.")
    assert answer.kinds == ["cause", "no_rule"]
    assert [(one.rule, one.fired, one.status) for one in answer.rules] == [
        ("no_rule", True, None),
        ("cause", True, "fragile"),
    ]


def test_what_is_stable_speaks_of_a_rule_that_is_explained() -> None:
    """Its reasons are made of the rules as they were; their places are those of the rules as they are."""
    rule = RuleKind("no_rule", "Is there a rule?", status="unknown")
    tried, other = rule("one", 0.2, fired=True), rule("two", 0.3, fired=False)
    words = {"unknown": Statement("No rule.", ["none"], "look")}
    explained = TableFindings(explained=frozenset(("no_rule",)))
    arguments = argued(explained, [Argument([other, tried], words)], "stored")
    answer = concluded(arguments, lambda: Statement("Nothing changes.", [Reason("As tried.", [tried])], "none"))
    assert (answer.status, [rule.status for rule in answer.rules]) == ("stable", [None, None])
    assert answer.because_rules == [[1]]


def test_the_larger_points_lead_and_none_comes_last() -> None:
    moves = Argument([RuleKind("moves", "", status="fragile")("a", fired=True)], {"fragile": WORDS}, points=1.5)
    turns = Argument([RuleKind("turns", "", status="fragile")("a", fired=True)], {"fragile": WORDS}, leads=True)
    small, large, none = (
        found(kind, effect="fragile", points=points) for kind, points in ((OTHER, 1.0), (CAUSE, 2.0), (QUIET, None))
    )
    for findings, arguments, first in (
        ((small,), [moves], "moves"),
        ((large, small), [moves], "cause"),
        ((none,), [moves], "moves"),
        ((large,), [moves, turns], "turns"),
    ):
        answer = concluded(argued(asked(*findings).settled((), {}), arguments, "stored"), lambda: WORDS)
        assert answer.kinds[0] == first


def test_a_finding_that_leads_says_its_sentence_once_and_what_to_do() -> None:
    """Its step comes before what another argument would do first."""
    notice = Argument(notices=["A notice."], first="Look at another thing")
    alone = found(CAUSE, effect="fragile", next="Shift it back.")
    answer = concluded(argued(asked(alone).settled((), {}), [notice], "stored"), lambda: WORDS)
    assert (answer.headline, answer.next) == ("cause is there.", "Shift it back.")
    assert list(answer.because) == [says.NOTICE_LOOK_AT_ANOTHER_THING]


@pytest.mark.parametrize(("value", "effect"), [(26, "reported"), (39, "reported"), (40, "fragile")])
def test_what_is_known_has_no_effect_up_to_half_as_much_again(value: int, effect: str) -> None:
    known = {"other": Known(26, "two runs were joined")}
    [finding] = asked(found(OTHER, value=value, effect="fragile")).settled((), known).listed
    assert (finding.effect, finding.known, finding.value) == (effect, effect == "reported", value)


def test_a_kind_that_is_none_cannot_be_known() -> None:
    with pytest.raises(UsageError, match="labels_missin: no such kind of finding - did you mean 'labels_missing'"):
        check_known({"labels_missin": Known(1, "")})


@pytest.mark.parametrize(
    ("findings", "kinds", "line"),
    [
        ([], (), ""),
        ([found(QUIET)], (), ""),
        ([found(OTHER, value=1234, points=11.04)], (), "1,234 other (≤ 11.0 points)"),
        ([found(OTHER, points=0.01), found(CAUSE, points=2.0)], (), "1 cause (≤ 2.0 points) · 1 other (<0.1)"),
        ([found(OTHER, points=0.3)], (), "1 other (≤ 0.3 points)"),
        ([found(CAUSE, points=2.0), found(OTHER)], ("cause",), "1 other"),
    ],
)
def test_a_line_has_the_largest_that_the_answer_does_not_name(
    findings: list[Finding], kinds: tuple[str, ...], line: str
) -> None:
    assert facts_line(findings, kinds, " below") == line


def test_a_plugin_asks_and_one_that_fails_is_no_fault_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns are those of the table, with numbers that stand for null; what it raises is why it was not asked."""
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))

    @dataclass(frozen=True)
    class Right:
        """Rows that are right."""

        finds: ClassVar[tuple[FindingKind, ...]] = (FindingKind("right_rows", "Rows that are right."),)

        def __call__(self, rows: LabelRows) -> Iterator[Finding]:
            stored, models = rows.numbers("code.stored"), rows.numbered("model")
            assert (rows.n, stored.tolist(), rows.has("row.item")) == (3, [1, 255, 0], False)
            assert (models.values, models.numbers.tolist()) == (["a", "b"], [0, 1, 0])
            assert rows.of(lambda table: table.n) == 3
            yield self.finds[0](int((stored == 1).sum()), rows.n, "One is right.")

    @dataclass(frozen=True)
    class Fails:
        """Fails."""

        finds: ClassVar[tuple[FindingKind, ...]] = (FindingKind("fails", "Fails."),)

        def __call__(self, rows: LabelRows) -> Iterator[Finding]:
            raise ValueError("no luck")
            yield

    registry.register("question", "right")(Right)
    registry.register("question", "fails")(Fails)
    truths = ["A", None, "A"]
    rows = [
        {"id": str(i), "model": model, "raw_text": text, "ground_truth": truth, "stored": int(text == "A")}
        for i, (model, text, truth) in enumerate(zip("aba", "AAB", truths, strict=True))
    ]
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "by": ["model"], "gate": []}
    source, audit = {"use": "frame", "frame": rows}, {"baseline": None}
    result = auditfw.run({"experiment": "answer_parsing", "source": source, "audit": audit, **chosen})
    theirs = [one for one in result.findings if one.kind == "right_rows"]
    assert [(one.value, one.of) for one in theirs] == [(1, 3)]
    assert NotChecked("fails", "its question failed: ValueError: no luck") in result.not_checked


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        (["a", "c"], None),
        (["a", "b"], None),
        (["a"], "no b: map source.columns.b or source.columns.c"),
        (["c"], "no a: map source.columns.a"),
        ([], says.NO_A_AND_NO_MAP),
    ],
)
def test_columns_that_are_lacking(columns: list[str], why: str | None) -> None:
    kind = FindingKind("kind", "A kind.", needs={"a": "no a", "b|c": "no b"})
    lacking = kind.lacking(columns)
    assert (None if lacking is None else lacking.why) == why


def test_questions_of_other_audits_are_not_imported() -> None:
    code = (
        "import sys; from auditfw.audits.findings import questions_of; questions_of('alignment'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {
        name.split(".")[2] for name in done.stdout.split() if re.match(r"auditfw\.audits\.\w+\.questions", name)
    }
    assert imported == {"alignment"}
