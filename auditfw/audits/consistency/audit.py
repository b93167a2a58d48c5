"""The consistency audit: from judgements to counts, decisions and disagreements, and from those to the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import ClassVar

from auditfw.audits.batches import Batches, InputSums, TakenBatch, collect
from auditfw.audits.findings import looked_for
from auditfw.audits.same_keys import NORMALIZER
from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.judgements import ITEM, LABEL, RATER, Policy
from auditfw.kinds.registry import register

from .conclusions.found_labels import undeclared, with_labels
from .counts import ConsistencyCounts
from .decisions import FINAL, Decider, doubtful_finals
from .joins.contents import Contents
from .joins.joining import Fetch, Join, id_of
from .outcome import outcome_of, refuse_duplicates, refuse_faults
from .questions.rater_rows import sound_reference
from .same_texts import reader_of
from .scoring import ConsistencyScorer
from .settings import ConsistencySettings
from .table import JudgementTable
from .trials import Judgements, open_judgements

# The arbitration policies of a run, each checked against its raters and labels.


def checked_policies(audit: ConsistencySettings, raters: tuple[str, ...]) -> tuple[dict[str, Policy], list[str]]:
    """The policies of this run, each checked, and warnings on those left out. Raises UsageError."""
    kept: dict[str, Policy] = {}
    warnings = []
    labels = audit.named_labels
    for name, policy in audit.policies.items():
        compared = capability(policy, "labels", ())
        if compared and not set(compared) & set(labels):
            message = f"policy {name} is for other labels ({', '.join(compared)}) and is left out"
            warnings.append(f"{message}; choose others with policy=[...]")
            continue
        try:
            policy.check(raters, labels, audit.reference if audit.reference in raters else raters[-1])
        except UsageError as error:
            where = f"audit.policies.{name}.{error.where}".rstrip(".")
            raise UsageError(where, error.what, error.found, error.do) from None
        kept[name] = policy
        warnings += doubtful_finals(name, policy, labels, tuple(map(str, audit.acceptable)))
    if audit.reference.startswith(f"{FINAL}.") and audit.reference.removeprefix(f"{FINAL}.") not in kept:
        what = f"no policy '{audit.reference.removeprefix(f'{FINAL}.')}' in this run"
        raise UsageError("audit.reference", what, None, nearest(audit.reference, [f"{FINAL}.{name}" for name in kept]))
    return kept, warnings


OTHER_RATERS_LISTED = 10


@register("audit", "consistency")
@dataclass(frozen=True)
class Consistency(ConsistencySettings):
    """Measures how well raters of the same items agree, and what arbitration policies make of their labels.

    - `raters`: their names (null: those that the source has, or maps columns to); `reference`: the one the others are
      held against, a rater or a decision such as `final.majority`;
    - `labels`: all labels there are, in order, or `found` for those that the data hold; `values`: the labels as
      numbers, for weights;
    - `scale`: `ordinal` where the labels are in order, which numbers are anyway, else `nominal`: coefficients that need
      an order are left out;
    - `aliases`: `{THEIRS: LABEL}`, or by rater `{RATER: {THEIRS: LABEL}}` or `{RATER: [[THEIRS, LABEL]]}`; `case`:
      `exact`, or `fold` for labels that differ in case and surrounding blanks;
    - `missing_label`: the label that a null stands for; one that is not among `labels` is an abstention;
    - `abstain`: the labels of abstaining, the first also given by votes that tie; `acceptable`: those that a policy
      ships; `valid`: the one that no row with a hard flag may get; `hard_flags`: names of flags;
    - `duplicates`: of an item's judgements: `error`; keep the `first` or `last`; `votes`: reduce them to the most
      frequent label; `all`: every merged record counts (of one file per rater the last one);
    - `unknown_labels`, `malformed`: `error`, or `count` them and go on; `missing_qid`: `error`, or its `line`;
    - `order`: which of two answers came first: a column of the records with two values, or two raters that are one
      judge in both orders; with `first` also what its values mean: `{column: position, first: {AB: A, BA: B}}`;
    - `humans`: raters that are human annotators, two or more: how well they agree with each other and with each other
      rater, and of three or more whether that may stand in for them; `epsilon`: what a human costs more, in agreement:
      0.2 for experts, 0.15 for trained annotators, 0.1 for crowd workers;
    - `truth`: a rater that labelled a part of the items, by which the others' rates are corrected: `{rater: human,
      sampling: random, positive: VALID}`; `sampling` says how that part was chosen: `random` single items, `items` with
      all their trials, `all`, or `probability`, with `weight`, the column of it; `positive`: the label, or labels, of
      the rate (without: `valid`); `off`: so many points off is too much;
    - `coverage`: the share of items that each rater must label; `common`: the columns in which joined records must be
      the same (null: those that hold the content of items, by their values), `joins`: on which share of
      items they may differ all the same;
    - `same_answer`: which answers to one question are the same (null: nothing is asked of them): those of at most
      `longest` characters by the normalizer `same_answer`, longer ones byte for byte, with equal values of `columns`;
      `text` is their column (null: answer_json.claim, else `answer`); under `least` pairs there is no rate;
    - `kappa`: what kappa must be, without a gate on agreement; `chance`: below it, with the whole interval, raters
      agree no better than chance, if each gives two labels on a share of `rare` or more; `alpha`: level of the tests;
      `known`: findings that are known already, `{KIND: {value: N, why: WORDS}}`;
    - `evidence`: flags, answer and ids of `either` record, or only of `merged` ones; `typing`: `strict`, or `loose` as
      the reference scorer; `arbitrate`: `every` row, or `disagreements` only.
    """

    name: ClassVar[str] = "consistency"

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do, for `auditfw check`: opens the source, and tries the policies on every case."""
        evidence, raters = open_judgements(self, by)[1:3]
        settled, notes = with_labels(self, evidence, raters)
        policies, warnings = checked_policies(settled, raters)
        warnings = [*notes, *warnings, *undeclared(settled, evidence, raters)]
        size = evidence.counted()
        readings = settled.sampled(raters, by, 0).readings(list(policies))
        return [
            f"records: {size}",
            f"columns: {', '.join(name for name in evidence.columns if not name.startswith('#'))}",
            f"by: {', '.join(by) or 'nothing'}",
            f"raters: {', '.join(raters)}",
            f"readings: {', '.join(reading.name for reading in readings)}",
            *looked_for(self.name, evidence.columns),
            *(f"warning: {warning}" for warning in (*evidence.warnings, *warnings)),
        ]

    def run(self, context: Context) -> Outcome:
        """Reads, joins and decides every row, and counts."""
        prepare = capability(context.engine, "prepare")
        if prepare and not capability(self.source, "scanned", False):
            prepare(type(self), type(self.source))
        opened = open_judgements(self, context.by)
        settled, notes = with_labels(self, opened.evidence, opened.raters)
        evidence = replace(opened.evidence, warnings=(*opened.evidence.warnings, *notes))
        return settled._audited(context, opened._replace(evidence=evidence, declared=settled is self))

    def _audited(self, context: Context, opened: Judgements) -> Outcome:
        """The outcome of judgements that are open, with labels that are known."""
        source, evidence, raters = opened.source, opened.evidence, opened.raters
        policies, warnings = checked_policies(self, raters)
        decider = Decider(policies, raters, self.reference, self.arbitrate)
        most = max(context.limits.max_examples, context.limits.max_exhibits)
        counts = ConsistencyCounts(most=most)
        table = JudgementTable(context, raters, self.named_labels, decider)

        def take(part: ConsistencyCounts) -> TakenBatch:
            table.take(part.rows)
            counts.merge(part)
            return TakenBatch(len(part.rows.ids), table.cells)

        # a source that sums the records as it reads them knows their checksums in the end
        inputs = InputSums.of(context, source, evidence)
        warnings += self._collect(opened, context, take)
        evidence.check()
        refuse_faults(self, counts)
        if self.duplicates == "error":
            refuse_duplicates(table, source)
        table.end()
        context.trials.end()
        evidence = replace(evidence, inputs=inputs, warnings=(*evidence.warnings, *warnings))
        held = replace(self, reference=sound_reference(self, table, context.guessed))
        return outcome_of(held, counts, table, opened._replace(evidence=evidence), context)

    def _collect(
        self, opened: Judgements, context: Context, take: Callable[[ConsistencyCounts], TakenBatch]
    ) -> list[str]:
        """Has every batch counted, and returns warnings; judgements that are a record each are joined first."""
        evidence, rules = opened.evidence, self.rules(opened.raters)
        join = (RATER in evidence.columns and LABEL in evidence.columns) or self.duplicates == "votes"
        order, itemised = self.presentation, ITEM in evidence.columns
        first, weight = order.column if order else "", self.truth.weight if self.truth else ""
        placed = [name for name in (ITEM if itemised else "", first, weight) if name]
        same = reader_of(self.same_answer, evidence.columns, lambda: context.variants()["normalizer"][NORMALIZER])
        scorer = ConsistencyScorer(
            replace(rules, missing="") if join else rules,
            context.by,
            context.seed,
            max(context.limits.max_examples, context.limits.max_exhibits),
            self.validators,
            itemised=itemised,
            order=first,
            weight=weight,
            same=same,
        )
        batches = Batches(evidence.tasks, evidence.rows, unsummed=evidence.unsummed)
        if not join:
            collect(context, scorer, batches, take)
            return []
        contents = Contents(opened.common, declared=self.common is not None)
        joined = Join(
            rules, context.by, self.duplicates, self.tie, self.evidence,
            key=partial(id_of, opened.source), placed=tuple(placed), contents=contents, same=same,
        )  # fmt: skip
        collect(context, Fetch(), batches, joined.take)
        tasks = joined.batches()
        for part in chain([joined.left_out()], map(scorer, tasks)):
            context.check_cells(take(part).cells)
        listed = sorted(joined.other_raters.items())[:OTHER_RATERS_LISTED]
        names = ", ".join(f"{name} × {n:,}" for name, n in listed)
        return [f"judgements of raters that are not in audit.raters: {names}"] if names else []
