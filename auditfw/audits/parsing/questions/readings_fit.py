"""Do the readings fit the data: does any call an answer right, which do not fit, is one of them a different rule?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, cast

from auditfw.audits.answers import Argument, enumerated
from auditfw.audits.parsing.conclusions.origin import missed_by, rule_of_search
from auditfw.audits.parsing.engine.plan import TRUE, Family, family_of
from auditfw.audits.parsing.probe import first_number, fit
from auditfw.audits.parsing.probe.lossy import may_decide
from auditfw.audits.parsing.probe.pairs import sound_choices
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.table import STORED
from auditfw.core.document import some, verb
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.core.statistics import wilson
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .label_rows import ParsingRows, measured_nothing

UNFIT = FindingKind("reading_unfit", "Readings that find nothing, or another kind of thing than the truths.", (), False)
NOTHING = FindingKind(
    "nothing_fits",
    "No answer equals its truth under any reading.",
    ("reading_unfit", "no_skill", "cell_no_skill", "one_label", "no_reading"),
)
FAMILY = FindingKind(
    "one_family", "All readings that decide find and compare answers as the reference does.", (), False
)
JUDGE = FindingKind(
    "judge_labels", "Labels of a model: no reading of strings tells whether they are right.", ("no_reading",)
)
JUDGED = "A judge does not compare strings, so that readings and labels may differ and both be right."


@declare("question", "readings_fit")
class ReadingsFit:
    """Whether the readings of a run can tell anything about its labels."""

    finds: ClassVar[tuple[FindingKind, ...]] = (UNFIT, NOTHING, FAMILY, JUDGE)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Which readings do not fit, and what the others can show."""
        results = cast(ParsingRows, rows).results
        if unfit := results.of(fit.ask):
            text = " ".join(one.sentence for one in unfit.values())
            yield UNFIT(len(unfit), len(results.candidates), text, detail={n: one.why for n, one in unfit.items()})
        yield from _nothing_fits(results)
        yield from _one_family(results)
        yield from _judge_labels(results)

    def argument(self, rows: LabelRows) -> Argument:
        """The rules on readings that do not fit, and on those that compare the first of several numbers."""
        results = cast(ParsingRows, rows).results
        unfit, first = fit.unfit_argument(results.of(fit.ask)), first_number.argument(results.of(first_number.ask))
        return replace(unfit, rules=[*unfit.rules, *first.rules])


def _nothing_fits(results: ParsingResults) -> Iterator[Finding]:
    n, table = results.counts["audited"], results.table
    numbers = [STORED, *range(len(results.names))]
    if n < fit.LEAST or any(table.counted(number)[TRUE] for number in numbers):
        return
    text = f"No answer equals its truth under any reading: 0 of {n:,}."
    other = measured_nothing(results)
    if other is None:
        do = "Read some answers beside their truths: is this the right column (source.columns.ground_truth)?"
        yield NOTHING(n, n, text, effect="unknown", points=100.0, next=do)
        return
    yield NOTHING(
        n, n, f"{text[:-1]}; {other.sentence}.", effect="broken", points=other.points, detail={"truth": other.setting},
        headline=f"Nothing was measured: {other.kinds}.", next=other.next,
    )  # fmt: skip


def _one_family(results: ParsingResults) -> Iterator[Finding]:
    """Where no reading that decides could differ from the reference but in normalizing."""
    own = reference_family(results)
    places = dict(zip(results.names, results.plan.readings, strict=True))
    names = [name for name in may_decide(results) if name in places]
    if own is None or not names or any(results.plan.family(*places[name]) != own[1] for name in names):
        return
    text = f"No different rule was compared: {enumerated(names)} {verb(len(names), 'reads', 'read')} as {own[0]} does."
    do = f"Add readings of another family: {sound_choices(results.whole.rows.kinds)}"
    yield FAMILY(len(names), len(names), text, effect="unknown", detail={"family": "+".join(own[1])}, next=do)


def reference_family(results: ParsingResults) -> tuple[str, Family] | None:
    """What the reference is called and how it finds and compares: the rule that gives nearly all of its labels."""
    plan, (reference, baseline) = results.plan, results.numbers
    if reference != STORED:
        return None if plan.is_ruled(reference) else (results.reference, plan.family(*plan.readings[reference]))
    search = results.search
    if search is not None and search.best:
        rule = rule_of_search(search, results.settings.mismatch)
        if rule is None or rule.fired:
            return None
        best = search.best[0].rule
        return best.name, family_of(best.parser, best.matcher)
    labelled = results.reference_labels.counted
    if baseline is None or not labelled or plan.is_ruled(baseline):
        return None
    if 100 * wilson(missed_by(results.table, baseline), labelled)[0] > results.settings.mismatch:
        return None
    return results.names[baseline], plan.family(*plan.readings[baseline])


def _judge_labels(results: ParsingResults) -> Iterator[Finding]:
    if not results.judged:
        return
    same = [name for number, name in enumerate(results.names) if not missed_by(results.table, number)]
    text = f"{same[0]} gives all of these labels." if same else JUDGED
    own = results.reference_labels.counted
    yield JUDGE(
        own, results.counts["audited"], text, effect="unknown" if results.settings.decides is None else "reported",
        headline="The labels are a judge's: no reading of strings tells whether they are right.",
        next="Have people label a draw (auditfw label RUN), or let a reading decide: audit.decides=[NAME]",
        brief=f"{some(own, 'label')} of a judge",
    )  # fmt: skip
