"""Questions asked of a run's table of labels: what they show, which finding explains which, and what follows.

The order is one everywhere: what decides more first, of the same effect by points, then as the questions are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from auditfw.core.document import Block, Note, Section, Table
from auditfw.core.errors import AuditError, UsageError, nearest
from auditfw.core.records import AnswerStatus
from auditfw.core.results.findings import (
    EFFECTS,
    KNOWN,
    Finding,
    FindingKind,
    Known,
    NotChecked,
)
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import QUESTIONS, shipped
from auditfw.kinds.context import Sample
from auditfw.kinds.questions import LabelRows, Question
from auditfw.kinds.registry import in_order

from .answers import Argument, Reason, RuleKind, Statement, named

if TYPE_CHECKING:
    pass

TITLE, UNCHECKED = "What Was Found in the Data", "What Could Not Be Looked For"


@dataclass(frozen=True)
class TableFindings:
    """What the questions of a run came to: all findings, what could not be looked for, which kinds are explained.

    `arguments` are those that questions make beside their findings, `parts` the questions that were asked.
    """

    listed: Sequence[Finding] = ()
    unchecked: Sequence[NotChecked] = ()
    explained: frozenset[str] = frozenset()
    arguments: Sequence[Argument] = ()
    parts: Sequence[Question] = ()

    def of(self, kind: str) -> Finding | None:
        """The finding of a kind, None where there is none."""
        return next((one for one in self.listed if one.kind == kind), None)

    @property
    def values(self) -> dict[str, float | str]:
        """The value of every kind: 0 where there is no finding; why it could not be looked for, as text."""
        values: dict[str, float | str] = dict.fromkeys((kind.name for kind in finds(self.parts)), 0.0)
        values |= {one.kind: one.why for one in self.unchecked}
        return values | {one.kind: one.value for one in self.listed}


def questions_of(audit: str) -> list[Question]:
    """The questions asked of an audit's table: those that are shipped in their order, then those of plugins.

    Which are shipped for it says their index, so that those of other audits are not imported.
    """
    others = {name for of, listed in QUESTIONS.items() if of != audit for name in listed.split()}
    parts = [entry.cls() for entry in in_order("question", others)]
    return [part for part in parts if audit in capability(part, "audits", (audit,))]


def finds(parts: Iterable[Question]) -> list[FindingKind]:
    """The kinds of findings of questions, in order."""
    return [kind for part in parts for kind in part.finds]


def looked_for(audit: str, columns: Collection[str]) -> list[str]:
    """What the questions of an audit look for in a source of these columns, and what they cannot, in lines."""
    kinds = finds(questions_of(audit))
    lacking = [one for kind in kinds if (one := kind.lacking(columns)) is not None]
    names = [kind.name for kind in kinds if kind.name not in {one.kind for one in lacking}]
    whys: dict[str, list[str]] = {}
    for one in lacking:
        whys.setdefault(one.why, []).append(one.kind)
    lines = [f"looked for: {', '.join(names)}"] if names else []
    return lines + [f"not looked for: {', '.join(kinds)} ({why})" for why, kinds in whys.items()]


def check_known(known: Mapping[str, Known]) -> None:
    """Refuses the name of a kind that does not exist. Raises UsageError."""
    if not known:
        return
    names = [kind.name for entry in in_order("question") for kind in cast(Any, entry.cls).finds]
    for kind in known:
        if kind not in names:
            raise UsageError(f"known.{kind}", "no such kind of finding", None, nearest(kind, names))


@dataclass
class QuestionsAsked:
    """What questions answered of a table, before it is known what the rules of the answer say."""

    rows: LabelRows
    listed: list[Finding] = field(default_factory=list)
    unchecked: list[NotChecked] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    parts: Sequence[Question] = ()

    def made(self, name: str, *of: Any) -> list[Any]:
        """What those of the questions make of the table that declare this, each by a call of its own."""
        makers = (capability(part, name) for part in self.parts)
        return [make(self.rows, *of) for make in makers if make is not None]

    @classmethod
    def of(cls, rows: LabelRows) -> QuestionsAsked:
        """Asks all questions of an audit. One of a plugin that fails could not be looked for."""
        asked = cls(rows, parts=questions_of(rows.audit))
        for part in asked.parts:
            lacking = [one.lacking(rows.columns) for one in part.finds]
            asked.unchecked += filter(None, lacking)
            if lacking and all(lacking):
                continue
            try:
                asked._ask(part)
            except AuditError:
                raise
            except Exception as error:
                if shipped(type(part).__module__):
                    raise
                why = f"its question failed: {type(error).__name__}: {error}".partition("\n")[0]
                asked.unchecked += [kind.unchecked(why) for kind in part.finds]
        return asked

    def _ask(self, part: Question) -> None:
        rows = self.rows
        answers = list(part(rows))
        argument: Callable[[LabelRows], Argument | None] | None = capability(part, "argument")
        made = argument(rows) if argument is not None else None
        self.listed += (one for one in answers if isinstance(one, Finding))
        self.unchecked += (one for one in answers if isinstance(one, NotChecked))
        self.arguments += [] if made is None else [made]

    def settled(self, fired: Collection[str], known: Mapping[str, Known]) -> TableFindings:
        """The findings in their order, where these rules of the answer fired and this is known already."""
        order = {kind.name: place for place, kind in enumerate(finds(self.parts))}
        ordered = sorted((_known(one, known) for one in self.listed), key=lambda one: order.get(one.kind, len(order)))
        there, explained = {one.kind for one in ordered} | set(fired), set[str]()
        for one in ordered:
            if one.kind not in explained:
                explained |= there.intersection(one.explains)
        listed = [
            replace(
                one,
                effect="reported" if one.kind in explained else one.effect,
                shown=one.shown and one.kind not in explained,
                explains=[kind for kind in one.explains if kind in there],
            )
            for one in ordered
        ]
        return TableFindings(
            sorted(listed, key=_place), self.unchecked, frozenset(explained), self.arguments, self.parts
        )


def _known(finding: Finding, known: Mapping[str, Known]) -> Finding:
    own = known.get(finding.kind)
    if own is None or not own.covers(finding):
        return finding
    return replace(finding, effect="reported", shown=False, detail={**finding.detail, KNOWN: own.why})


def _place(finding: Finding) -> tuple[int, bool, float]:
    return EFFECTS.index(finding.effect), finding.points is None, -(finding.points or 0.0)


# The answer


@dataclass(frozen=True)
class HeardQuestions:
    """What the questions of a run came to beside its own arguments: findings, and what hangs on them.

    `arguments` are those of the answer, in their order, with those of findings.
    """

    asked: QuestionsAsked
    findings: TableFindings
    arguments: Sequence[Argument]

    @classmethod
    def of(cls, asked: QuestionsAsked, own: Sequence[Argument]) -> HeardQuestions:
        """With the own arguments of an audit, whose settings say what is `known`."""
        arguments, rows = [*own, *asked.arguments], asked.rows
        fired = {rule.rule for argument in arguments for rule in argument.rules if rule.fired}
        findings = asked.settled(fired, rows.settings.known)
        return cls(asked, findings, argued(findings, arguments, rows.reference))

    @property
    def outcome(self) -> dict[str, Any]:
        """The fields of an outcome that are theirs alone."""
        return {
            "findings": self.findings.listed,
            "not_checked": self.findings.unchecked,
            "asked": [kind.name for kind in finds(self.asked.parts)],
            "document": self.merged("document"),
        }

    def measured(self, sample: Sample, whole: bool) -> Sample:
        """A sample with what questions know of it; the one of the `whole` with the value of every kind of finding."""
        further = self.merged("measured", sample)
        if whole:
            further["findings"] = self.findings.values
        return replace(sample, data=replace(sample.data, **further)) if further else sample

    def sections(self, most: int) -> list[Section]:
        """The list of findings, and what questions show of themselves."""
        listed = sections(self.findings.listed, self.findings.unchecked, most)
        return [*listed, *(one for made in self.asked.made("sections") for one in made)]

    def merged(self, name: str, *of: Any) -> dict[str, Any]:
        """What questions add under this name: `document`, `tables` or, of a sample, `measured`."""
        return {key: value for made in self.asked.made(name, *of) for key, value in made.items()}


def argued(findings: TableFindings, arguments: Sequence[Argument], reference: str) -> list[Argument]:
    """The arguments of an answer with those of findings: what is explained decides nothing."""
    own = [_argument(one, findings, reference) for one in findings.listed if one.effect != "reported"]
    return [*(_without(one, findings.explained) for one in arguments), *own]


def _without(argument: Argument, explained: frozenset[str]) -> Argument:
    """An argument whose rules that are explained stand for no status, and are spoken of by no sentence for one."""
    if explained.isdisjoint(rule.rule for rule in argument.rules):
        return argument
    rules = [replace(rule, status=None) if rule.rule in explained else rule for rule in argument.rules]
    now = {id(old): new for old, new in zip(argument.rules, rules, strict=True)}

    def of(reasons: Sequence[str | Reason]) -> list[str | Reason]:
        return [
            one if isinstance(one, str) else Reason(one.text, [now.get(id(rule), rule) for rule in one.rules])
            for one in reasons
        ]

    words = {status: one._replace(because=of(one.because)) for status, one in argument.words.items()}
    notices, remarks = of(argument.notices), of(argument.remarks)
    return replace(argument, rules=rules, words=words, notices=notices, remarks=remarks)


def _argument(finding: Finding, findings: TableFindings, reference: str) -> Argument:
    about = next((kind.about for kind in finds(findings.parts) if kind.name == finding.kind), "")
    status = cast(AnswerStatus, finding.effect)
    cell = finding.cells[0].cell if len(finding.cells) == 1 else {}
    rule = RuleKind(finding.kind, about, "how many", status=status)
    tried = rule(reference, finding.value, finding.low, finding.high, p=finding.p, cell=cell, fired=True)
    words = Statement(finding.headline or finding.text, [Reason(finding.text, [tried])], finding.next)
    return Argument([tried], {status: words}, points=finding.points, by_finding=True)


# The report


def sections(findings: Sequence[Finding], not_checked: Sequence[NotChecked], most: int) -> list[Section]:
    """All findings with their numbers, and what could not be looked for; `most` rows of each."""
    listed, unchecked = Section(TITLE, console=True), Section(UNCHECKED, folded="What each of these would have needed")
    rows = [[one.kind, one.effect, _points(one), one.text, " ".join(one.places)] for one in findings]
    if rows:
        listed.blocks.append(_table(["finding", "effect", "points", "what", "where"], rows, "<<><<", most))
    for one in findings:
        listed.blocks += _further(one)
    if not_checked:
        reasons = [[one.kind, one.why] for one in not_checked]
        unchecked.blocks.append(_table(["finding", "why not"], reasons, "<<", most))
    return [section for section in (listed, unchecked) if section.blocks]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], align: str, most: int) -> Table:
    return Table(columns, rows[:most], align, left_out=max(0, len(rows) - most))


def _further(finding: Finding) -> list[Block]:
    """Its cells where they are several, what it explains, and why it is known."""
    blocks: list[Block] = []
    if len(finding.cells) > 1:
        rows = [[named(one.cell), f"{one.value:,.10g}"] for one in finding.cells]
        blocks.append(Table(["cell", finding.kind], rows, "<>", caption=finding.text))
    if finding.explains:
        blocks.append(Note(f"{finding.kind} explains: {', '.join(finding.explains)}."))
    if finding.known:
        blocks.append(Note(f"{finding.kind} is known: {finding.detail[KNOWN]}"))
    return blocks


def _points(finding: Finding) -> str:
    return "–" if finding.points is None else f"{finding.points:.1f}"
