"""The parsing audit: from evidence to labels under every reading, and from those to the outcome."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from auditfw.audits.findings import looked_for
from auditfw.audits.parsing.conclusions.claims import CLAIMED
from auditfw.audits.parsing.conclusions.published_table import table_of
from auditfw.audits.parsing.kept.near import NEAR
from auditfw.audits.parsing.kept.texts import SCORES, TEXTS, check_samples, further_columns
from auditfw.audits.parsing.probe.lossy import sentences
from auditfw.core.document import some
from auditfw.core.native import kernel_name
from auditfw.formulas.texts.truth_kinds import kinds_sentence
from auditfw.kinds.context import Audit, Context, Outcome
from auditfw.kinds.registry import register

from .run import run_on, share_work
from .settings import ParsingSettings
from .warnings import slow_patterns


@register("audit", "parsing")
@dataclass(frozen=True)
class Parsing(ParsingSettings):
    """Recomputes stored correctness labels under other parsers, normalizers and matchers, and shows what changes.

    `matcher` is that of all readings; where several are chosen, in `matchers`, it is the first, which the baseline
    uses. `readings` picks from the grid of parsers, normalizers and several matchers (null: all); `default_readings`
    does so, under each matcher, as long as the chosen parsers and normalizers are exactly those it names. Each of
    `scorers`, a parser, a normalizer and a matcher of its own, is a reading of its name. `truth` names
    a parser that takes the truth out of the ground-truth column. `undefined` says how metrics count a truth that
    normalises to nothing: as a wrong answer ("zero") or not at all ("drop"). `unknown_stored`: a label neither in
    `stored_true` nor in `stored_false` ends the run ("error"), or its row is left out and counted ("count"). A few
    trials of every run are computed twice more by the definitions; `verify` is the share of all trials with which that
    is done.

    `reference` is what readings are compared with: `stored`, `baseline` or a reading (null: the stored label, where
    there is none the baseline, else the first reading). The answer follows from the readings that `decides` names
    (null: all): a shift of the error rate of at least `margin` points, beyond chance at `alpha`; flips in both
    directions above half of `churn` percent each; intervals wider than ± `precision` points; no rule that gives all but
    `mismatch` percent of the stored labels. `causes` is how many flips of each reading, drawn by seed, are looked at
    for the step that changed the label; 0 for none.

    `baseline` is the rule that should give the stored labels: a scorer's name, or a parser and a normalizer. Where it
    does not, or with "search", all shipped parsers, normalizers and matchers are tried beside the run's own; not where
    `labels` come from a "judge". With `by`, a column, and `rules` each of its values has a rule of its own; rows of
    other values are not audited. `published` is a table of figures to compare with: its `path`, `columns`, the columns
    `on` which cells meet, a `reading`, a `scale`.

    `probe` trials (null: none) are drawn to see whether the scorer tells right from wrong: one that accepts more than
    `either_way` percent of its right answers for another truth, too, does not. Columns `question` and `options` are
    read for that where the source has them.

    `best` says how the best of three or more values that label the same items is weighed (null: not at all): by so
    many `draws` in which none differs, by so many `splits` in halves.

    `same_answer` says which answers to one question are the same (null: nothing is asked of them): those of at most
    `longest` characters by the normalizer `same_answer`, longer ones byte for byte, with equal values of `columns`. A
    rule that gives them two labels is none; of a judge their share is given, from `least` pairs on.

    Where the truths are numbers or option letters every reading is asked whether it accepts wrong answers, as 2.97 for
    2.7. `lossy` says what becomes of one that does: it is marked and decides only if `decides` names it ("flag"), the
    run is refused ("refuse": not for the baseline, nor for the reading that `reference` names), or none is asked
    ("allow").

    `upgrade` says that readings are the states of a `scorer` of a `harness`, each from one of its `versions` on up to
    `to`: the labels that each change turns are shown, the first state being the reference (`auditfw upgrade`).
    """

    name: ClassVar[str] = "parsing"
    claimed: ClassVar[tuple[str, ...]] = CLAIMED
    keeps: ClassVar[tuple[str, ...]] = (SCORES, TEXTS, NEAR)

    def look(self, by: Sequence[str], keeps: Collection[str] = ()) -> list[str]:
        """What a run would do, for `auditfw check`: opens the source and reads no further than its first truths.

        `keeps` is what reports ask the audit to keep.
        """
        kernel_name()
        evidence = self.open(by, further=further_columns(keeps))
        if SCORES in keeps:
            check_samples(evidence)
        plan, names = self.plan(evidence.columns)
        size = evidence.counted()
        slow = slow_patterns(parser=self.parsers, normalizer=self.normalizers)
        absent = self.absent(evidence, self.baseline_in(plan, evidence.columns))
        figures = None if self.published is None else table_of(self.published, by)
        baseline = self.configured if self.ruled_by is not None else None
        kinds, first = self.first_kinds(evidence)
        lossy = self.lossy_in(plan, kinds)
        return [
            f"rows: {size}",
            f"columns: {', '.join(evidence.columns)}",
            f"by: {', '.join(by) or 'nothing'}",
            f"readings: {', '.join(names)}",
            *([] if baseline is None else [f"baseline: {baseline.listed}"]),
            f"labels to compute: {size.short} rows x {some(len(plan.scored.readings), 'reading')}",
            *([f"kinds: {kinds_sentence(kinds)}{first}"] if kinds else []),
            *looked_for(self.name, evidence.columns),
            *([f"published figures: {some(len(figures.rows), 'row')}"] if figures is not None else []),
            *(f"warning: {warning}" for warning in (*evidence.warnings, *slow, *sentences(lossy))),
            *(f"warning: {metric}: {why}" for metric, why in absent.items()),
        ]

    def run(self, context: Context) -> Outcome:
        """Reads, scores and counts every trial."""
        further = further_columns(context.keeps)
        return run_on(self, lambda: self.labelled(self.open(context.by, placed=True, further=further)), context)

    @property
    def work_key(self) -> tuple[object, ...]:
        """What must be equal for runs to read their trials in one pass."""
        labels = self.stored_true, self.stored_false, self.unknown_stored, self.row_rules
        read = self.needs, bool(self.probe), self.keep_text, self.ruled_by
        same = self.same_judged
        return self.source, self.reads_raw, self.truth, labels, self.markers, self.delimiter, read, self.ends, same

    @classmethod
    def share_work(cls, runs: Sequence[tuple[Parsing, Context]], scratch: Path) -> list[Audit]:
        """The audits of several runs of equal `work_key`, cells and engines, so that each text is read once."""
        return share_work(runs, scratch)
