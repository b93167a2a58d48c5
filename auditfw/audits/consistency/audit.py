"""The consistency audit's settings, and its run: from judgements to samples, decisions and disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, cast

from auditfw.core.background import Ahead
from auditfw.core.errors import DataError, Faults, NothingAudited, UsageError, nearest, refuse
from auditfw.formulas.agreement import diagnosis
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Outcome, Task
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.judgements import EVIDENCE, FAULT, LABEL, PARTS, PLACE, QID, RATER, REASON, Policy, Typing, Validator
from auditfw.kinds.metrics import Metric
from auditfw.kinds.registry import register

from .charts import scaled
from .counts import ConsistencyCounts
from .decisions import FINAL, Decider, doubtful_finals
from .duplicates import hashes_of, suspects, twice
from .joining import Duplicates, Fetch, Join
from .name_check import (
    check_aliases,
    check_cells,
    check_meanings,
    check_raters,
    check_reference,
    idle_aliases,
    named_in,
    raters_of,
    unfit,
    unseen,
)
from .report import ConsistencyResults, tell
from .rules import MALFORMED, UNKNOWN, Rules
from .samples import Settings, samples
from .scoring import ConsistencyScorer
from .tables import Tables

LISTED = 10
LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
Aliases = Mapping[str, Mapping[str, str]]


@register("audit", "consistency")
@dataclass(frozen=True)
class Consistency:
    """Measures how far raters of the same items agree, and what arbitration policies make of their labels.

    - `raters`: their names (null: those that the source has, or maps columns to); `reference`: the one the others are
      held against, a rater or a decision such as `final.majority`;
    - `labels`: all labels there are, in order; `values`: the labels as numbers, for weights;
    - `aliases`: `{THEIRS: LABEL}`, or by rater `{RATER: {THEIRS: LABEL}}`; `case`: `exact`, or `fold` for labels that
      differ in case and surrounding blanks;
    - `abstain`: the labels of abstaining, the first also given by votes that tie; `acceptable`: those that a policy
      ships; `valid`: the one that no row with a hard flag may get; `hard_flags`: names of flags;
    - `duplicates`: of an item's judgements: `error`; keep the `first` or `last`; `votes`: reduce them to the most
      frequent label; `all`: every merged record counts (of one file per rater the last stands);
    - `unknown_labels`, `malformed`: `error`, or `count` them and go on; `missing_qid`: `error`, or its `line`;
    - `evidence`: flags, answer and ids of `either` record, or only of `merged` ones; `typing`: `strict`, or `loose` as
      the reference scorer; `arbitrate`: `every` row, or `disagreements` only.
    """

    name: ClassVar[str] = "consistency"

    source: Source
    policies: dict[str, Policy] = field(default_factory=dict)
    validators: dict[str, Validator] = field(default_factory=dict)
    metrics: dict[str, Metric] = field(default_factory=dict)
    raters: tuple[str, ...] | None = None
    reference: str = "auditor"
    labels: tuple[str | int, ...] = LABELS
    values: tuple[float, ...] | None = None
    aliases: dict[str, Any] = field(default_factory=dict)
    case: Literal["exact", "fold"] = "exact"
    abstain: tuple[str, ...] = ("ABSTAIN",)
    acceptable: tuple[str | int, ...] = ("VALID", "NOT_IN_CONTEXT")
    valid: str = "VALID"
    hard_flags: tuple[str, ...] = ("provenance_violation", "constraints_mismatch")
    duplicates: Duplicates = "error"
    unknown_labels: Literal["error", "count"] = "error"
    malformed: Literal["error", "count"] = "error"
    missing_qid: Literal["error", "line"] = "error"
    evidence: Literal["either", "merged"] = "either"
    typing: Typing = "strict"
    arbitrate: Literal["every", "disagreements"] = "every"
    max_error_rate: float = 0.0

    def __post_init__(self) -> None:
        labels = tuple(map(str, self.labels))
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "acceptable", tuple(map(str, self.acceptable)))
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise UsageError("labels", "must be two or more, each once", ", ".join(labels), "list every label there is")
        if self.values is not None and len(self.values) != len(labels):
            raise UsageError("values", "must be one number a label", f"{len(self.values)} for {len(labels)} labels")
        check_aliases(self.aliases, labels)
        if self.raters is not None:
            check_raters(self.raters, "raters")
        check_meanings(self)

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do, for `auditfw check`: opens the source, and tries the policies on every case."""
        _, evidence, raters = self._open(by)
        policies, warnings = self._policies(raters)
        size = evidence.counted()
        settings = self._settings(raters, by, 0)
        return [
            f"records: {size}",
            f"columns: {', '.join(name for name in evidence.columns if not name.startswith('#'))}",
            f"by: {', '.join(by) or 'nothing'}",
            f"raters: {', '.join(raters)}",
            f"readings: {', '.join(reading.name for reading in settings.readings(list(policies)))}",
            *(f"warning: {warning}" for warning in (*evidence.warnings, *warnings)),
        ]

    def run(self, bench: Context) -> Outcome:
        """Reads, joins and decides every row, and counts."""
        prepare = capability(bench.engine, "prepare")
        if prepare and not capability(self.source, "scanned", False):
            prepare(type(self), type(self.source))
        source, evidence, raters = self._open(bench.by)
        policies, warnings = self._policies(raters)
        rules = self._rules(raters)
        decider = Decider(policies, raters, self.reference, self.arbitrate)
        tables = Tables(bench, raters, decider)
        whole = ConsistencyCounts()
        if not capability(source, "summed", False):  # else their checksums come of reading the records
            evidence = replace(evidence, inputs=Ahead(evidence.inputs))
        with tables:
            for part in self._parts(rules, evidence, bench, warnings):
                tables.add(part)
                whole.merge(part, bench.limits.max_examples, bench.limits.max_exhibits)
                bench.check_cells(len(whole.cells))
        evidence.check()
        self._refuse(whole)
        self._refuse_twice(whole, source)
        tables.close()
        return self._outcome(whole, tables, evidence, bench, warnings)

    def _open(self, by: Sequence[str]) -> tuple[Source, Evidence, tuple[str, ...]]:
        """The source as this audit needs it, opened, and the raters. Raises AuditError."""
        source = self._prepared()
        known, named = raters_of(source, by, self.reference)
        raters = self.raters or known
        check_raters(raters, "audit.raters")
        parts = [f"{rater}.{part}" for rater in raters for part in PARTS]
        wanted = ("id", *raters, RATER, LABEL, REASON, *EVIDENCE, *parts, FAULT, PLACE)
        try:
            evidence = source.open(tuple(by), tuple(dict.fromkeys(wanted)))
        except NothingAudited as error:
            if self.typing == "strict":
                raise
            evidence = Evidence((), ("id", *raters), 0, list, lambda: None, (str(error),))
        long = RATER in evidence.columns and LABEL in evidence.columns
        if long and not named and self.raters is None:
            raters = named_in(evidence)
            check_raters(raters, "audit.raters")
        check_reference(self.reference, raters)
        check_cells(by, raters)
        for rater in raters if long and named else ():
            if rater not in named:
                found = f"found: {', '.join(named)}"
                raise UsageError("source.paths", f"no file of rater '{rater}'", found, f"add it: {{{rater}: FILE}}")
        for rater in raters if not long else ():
            if rater not in evidence.columns and named:
                found = f"found: {', '.join(named)}"
                raise DataError("audit.raters", f"no record has a rater '{rater}'", found, nearest(rater, named))
            if rater not in evidence.columns:
                found = f"found: {', '.join(name for name in evidence.columns if not name.startswith('#'))}"
                do = f"write source.columns.{rater}=THEIR_NAME, or audit.raters=[...]"
                raise DataError("source", f"no column '{rater}'", found, do)
        return source, evidence, raters

    def _prepared(self) -> Source:
        """The source with duplicates left to this audit, and told what it makes of bad lines and missing ids."""
        source: Any = self.source
        if not is_dataclass(self.source):
            return self.source
        changes: dict[str, Any] = {}
        if capability(source, "duplicates", "") == "error":
            changes["duplicates"] = self.duplicates if self.duplicates in ("first", "last") else "all"
        for name in ("malformed", "missing_qid"):
            if capability(source, name) is not None:
                changes[name] = getattr(self, name)
        columns = capability(source, "columns")
        if columns is not None and "id" not in columns and capability(source, "malformed") is None:
            seen = source.open((), (QID,)).columns
            if QID in seen:
                changes["columns"] = {**columns, "id": QID}
        return cast(Source, replace(source, **changes))

    def _policies(self, raters: tuple[str, ...]) -> tuple[dict[str, Policy], list[str]]:
        """The policies of this run, each checked, and warnings on those left out. Raises UsageError."""
        kept: dict[str, Policy] = {}
        warnings = []
        labels = cast(tuple[str, ...], self.labels)
        for name, policy in self.policies.items():
            compared = capability(policy, "labels", ())
            if compared and not set(compared) & set(labels):
                said = f"policy {name} is for other labels ({', '.join(compared)}) and left out"
                warnings.append(f"{said}; choose others with policy=[...]")
                continue
            try:
                policy.check(raters, labels, self.reference if self.reference in raters else raters[-1])
            except UsageError as error:
                where = f"audit.policies.{name}.{error.where}".rstrip(".")
                raise UsageError(where, error.what, error.found, error.do) from None
            kept[name] = policy
            warnings += doubtful_finals(name, policy, labels, tuple(map(str, self.acceptable)))
        if self.reference.startswith(f"{FINAL}.") and self.reference.removeprefix(f"{FINAL}.") not in kept:
            what = f"no policy '{self.reference.removeprefix(f'{FINAL}.')}' in this run"
            raise UsageError(
                "audit.reference", what, None, nearest(self.reference, [f"{FINAL}.{name}" for name in kept])
            )
        return kept, warnings

    def _rules(self, raters: tuple[str, ...]) -> Rules:
        labels = cast(tuple[str, ...], self.labels)
        return Rules(raters, labels, self._aliases(raters), self.case == "fold", self.hard_flags, self.typing)

    def _aliases(self, raters: Sequence[str]) -> Aliases:
        common = {text: str(label) for text, label in self.aliases.items() if not isinstance(label, Mapping)}
        own = {name: given for name, given in self.aliases.items() if isinstance(given, Mapping)}
        for name in own:
            if name not in raters:
                raise UsageError(f"audit.aliases.{name}", f"no rater '{name}'", None, nearest(name, list(raters)))
        return {r: common | {str(text): str(label) for text, label in own.get(r, {}).items()} for r in raters}

    def _settings(self, raters: tuple[str, ...], by: Sequence[str], seed: int) -> Settings:
        labels = cast(tuple[str, ...], self.labels)
        return Settings(
            raters=raters,
            reference=self.reference,
            labels=labels,
            values=self.values,
            abstain=tuple(label for label in self.abstain if label in labels),
            acceptable=cast(tuple[str, ...], self.acceptable),
            valid=self.valid,
            by=tuple(by),
            seed=seed,
        )

    def _parts(
        self, rules: Rules, evidence: Evidence, bench: Context, warnings: list[str]
    ) -> Iterable[ConsistencyCounts]:
        """What every batch comes to, in order; judgements that are a record each are joined first."""
        long = RATER in evidence.columns and LABEL in evidence.columns
        join = long or self.duplicates == "votes"
        work = ConsistencyScorer(
            rules, bench.by, bench.seed, bench.limits.max_examples, self.validators,
            hashed=not join and self.duplicates == "error", browsed=bench.limits.max_exhibits,
            placed=bench.limits.max_places,
        )  # fmt: skip
        if not join:
            yield from _watched(bench.engine.map(work, evidence.tasks, evidence.rows), bench, evidence.rows)
            return
        tie = self.abstain[0] if self.abstain else str(self.labels[-1])
        joined = Join(rules, bench.by, self.duplicates, tie, self.evidence)
        done = 0
        for batch in bench.engine.map(Fetch(), evidence.tasks, evidence.rows):
            joined.add(batch)
            done += len(batch)
            bench.progress(done, evidence.rows)
        tasks: Iterable[Task] = joined.batches()
        yield joined.left_out()
        yield from map(work, tasks)
        if joined.strangers:
            listed = ", ".join(f"{name} × {n:,}" for name, n in sorted(joined.strangers.items())[:10])
            warnings.append(f"judgements of raters that are not in audit.raters: {listed}")

    def _refuse(self, whole: ConsistencyCounts) -> None:
        """Raises DataError or Findings for rows that stop the run: one for each kind of fault, with its first place."""
        faults = Faults()
        if self.malformed == "error" and whole.counts[MALFORMED]:
            rows = whole.findings.get(MALFORMED, [])
            for place, why in rows:
                faults.add(DataError(place, why, None, "mend it, or write audit.malformed=count"))
            faults.further(whole.found[MALFORMED] - len(rows))
        if self.unknown_labels == "error" and whole.counts[UNKNOWN]:
            faults.add(self._undeclared(whole))
        faults.refuse()

    def _undeclared(self, whole: ConsistencyCounts) -> DataError:
        """The error for labels that are not declared: the first one's place, and each with its number."""
        place, why = whole.findings[UNKNOWN][0]
        listed = ", ".join(f"{rater} '{label}' × {n:,}" for (rater, label), n in whole.unknown.most_common(LISTED))
        found = f"{whole.found[UNKNOWN]:,} such items: {listed}" if whole.found[UNKNOWN] > 1 else None
        do = "declare it (audit.labels), map it (audit.aliases), or write audit.case=fold or unknown_labels=count"
        return DataError(place, f"a label that is not declared: {why}", found, do)

    def _refuse_twice(self, whole: ConsistencyCounts, source: Source) -> None:
        """Raises DataError or Findings for items that stand twice, found by their hashes and looked at again."""
        if self.duplicates != "error" or not whole.hashes:
            return
        found = frozenset() if whole.mixed else suspects(whole.hashes)
        if not found and not whole.mixed:
            return
        own = whole.salt == hashes_of(())[1] and not whole.mixed
        refuse(twice(source.open((), ("id", PLACE)), found if own else None))

    def _outcome(
        self, whole: ConsistencyCounts, tables: Tables, evidence: Evidence, bench: Context, warnings: Sequence[str]
    ) -> Outcome:
        decider = tables.decider
        settings = replace(self._settings(decider.raters, bench.by, bench.seed), unfit=unfit(self, decider.policies))
        taken = samples(whole.cells, whole.faults, tuple(self.validators), decider, settings)
        counts = {"read": whole.counts.total(), "audited": whole.counts["audited"]}
        counts |= {bucket: n for bucket, n in sorted(whole.counts.items()) if n and bucket != "audited"}
        if counts["read"] == 0 and self.typing == "strict":
            raise NothingAudited("source", "not one record was read", None, "look at the path and the filters")
        overall = next(s.data for s in taken if s.reading.name == "all" and not s.cell)
        strangers = diagnosis.strangers(overall.ratings.only(settings.raters))
        few = diagnosis.too_few(overall.ratings.n)
        checks, known = tuple(self.validators), scaled(self.metrics)
        lacking = [*unseen(self.hard_flags, type(self).hard_flags, frozenset(whole.flags), counts["read"])]
        lacking += idle_aliases(self.aliases, self._rules(settings.raters), whole) if counts["read"] else []
        story = ConsistencyResults(whole, counts, settings, decider, taken, bench.limits, checks, known)
        return Outcome(
            counts=counts,
            readings=settings.readings(list(decider.policies)),
            samples=taken,
            inputs=evidence.inputs(),
            sections=partial(tell, story),
            warnings=[*evidence.warnings, *warnings, *story.warnings(), *lacking],
            tables=tables.closed,
            open="; ".join([*strangers, *([few] if few and self.typing == "strict" else [])]),
        )


def _watched(parts: Iterable[ConsistencyCounts], bench: Context, rows: int | None) -> Iterable[ConsistencyCounts]:
    done = 0
    for part in parts:
        done += len(part.ids)
        yield part
        bench.progress(done, rows)
