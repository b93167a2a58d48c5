"""The parsing audit's settings, and its run: from evidence to samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE, UNDEFINED, ReadingPlan
from auditfw.audits.parsing.engine.shared_pass import together
from auditfw.audits.parsing.engine.verify import changing
from auditfw.core.document import some
from auditfw.core.errors import AuditError, IncompleteError, NothingAudited, UsageError, nearest
from auditfw.core.native import kernel_name
from auditfw.core.notes import remarks
from auditfw.core.records import Input, Reading
from auditfw.formulas.markers import MarkerScan
from auditfw.kinds.capabilities import Named
from auditfw.kinds.context import Audit, Context, Outcome
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.registry import register
from auditfw.kinds.text import Matcher, Normalizer, Parser

from . import unmapped
from .counts import ParsingCounts
from .facts import BLOCK_MARKERS, ROLE_MARKERS, THINK_END
from .flips import FlipLimits
from .places import PLACE, table_of
from .report import Teller
from .samples import LabelRules, samples
from .scoring import STATUS, ParsingScorer, Show
from .story import ParsingResults
from .trials import optional_columns
from .warnings import likely_nulls, no_labels, slow_patterns, unread_truths, void_truths

STORED_TRUE = ("1", "1.0", "true", "True", "TRUE")
STORED_FALSE = ("0", "0.0", "false", "False", "FALSE")


@dataclass(frozen=True)
class Baseline:
    """The parser and normalizer that, with the same matcher, should reproduce the stored labels."""

    parser: Named[Parser]
    normalizer: Named[Normalizer]

    @property
    def name(self) -> str:
        return f"{self.parser.name}+{self.normalizer.name}"


@dataclass(frozen=True)
class Scored:
    """The merged outcome of all batches, with what it was computed from; `baseline` is its number in the plan."""

    whole: ParsingCounts
    plan: ReadingPlan
    names: list[str]
    baseline: int | None
    evidence: Evidence
    inputs: list[Input]

    @property
    def baseline_name(self) -> str | None:
        return None if self.baseline is None else self.plan.names()[self.baseline]

    def blind(self) -> dict[str, str]:
        """For each reading whose column the source does not have, the reason why it has no label."""
        columns = self.evidence.columns
        read = {
            name: self.plan.parsers[p].part.column
            for name, (p, _) in zip(self.plan.names(), self.plan.readings, strict=True)
        }
        absent = {"stored": "stored", **read}
        return {
            name: f"the source has no column '{column}'" for name, column in absent.items() if column not in columns
        }

    def readings(self) -> list[tuple[Reading, int]]:
        """Every reading with its number in the plan; -1 is the stored label itself."""
        places = self.plan.names()
        found = [(Reading("stored", "reference"), -1)]
        found += [(Reading(name, "candidate"), places.index(name)) for name in self.names]
        if self.baseline is not None:
            found.append((Reading(places[self.baseline], "baseline"), self.baseline))
        return found


@register("audit", "parsing")
@dataclass(frozen=True)
class Parsing:
    """Recomputes stored correctness labels under other parsers, normalizers and matchers, and shows what moves.

    `readings` picks from the grid of parsers and normalizers (null: all); `default_readings` does so as long as the
    chosen parsers and normalizers are exactly those it names. `truth` names a parser that takes the truth out of the
    ground-truth column. `undefined` says how metrics count a truth that normalises to nothing: as a wrong answer
    ("zero") or not at all ("drop"). `unknown_stored`: a label neither in `stored_true` nor in `stored_false` ends the
    run ("error"), or its row is left out and counted ("count"). A few trials of every run are computed twice more
    by the definitions; `verify` is the share of all trials with which that is done.
    """

    name: ClassVar[str] = "parsing"

    source: Source
    matcher: Matcher
    parsers: dict[str, Parser]
    normalizers: dict[str, Normalizer]
    readings: tuple[str, ...] | None = None
    default_readings: tuple[str, ...] = ()
    baseline: Baseline | None = None
    truth: Named[Parser] | None = None
    undefined: Literal["zero", "drop"] = "zero"
    markers: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"role": ROLE_MARKERS, "block": BLOCK_MARKERS})
    delimiter: str = THINK_END
    stored_true: tuple[str, ...] = STORED_TRUE
    stored_false: tuple[str, ...] = STORED_FALSE
    unknown_stored: Literal["error", "count"] = "error"
    keep_text: bool = False
    max_error_rate: float = 0.0
    verify: float = 0.0

    def __post_init__(self) -> None:
        for name, chosen in (("parsers", self.parsers), ("normalizers", self.normalizers)):
            if not chosen:
                word = name[:-1]
                raise UsageError(name, f"no {word} is chosen", None, f"choose some: {word}=[...] (auditfw list {word})")
        for name in ("max_error_rate", "verify"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(name, "must lie between 0 and 1", getattr(self, name))
        self.chosen()

    def chosen(self) -> list[str]:
        """The names of the readings wanted: picked, by default, or the whole grid. Raises UsageError."""
        grid = [f"{p}+{n}" for n in self.normalizers for p in self.parsers]
        if self.readings is not None:
            if not self.readings:
                raise UsageError("readings", "is empty", None, f"write null for all, or some of {', '.join(grid)}")
            for i, name in enumerate(self.readings):
                if name not in grid:
                    what = f"no reading '{name}' among those chosen"
                    raise UsageError(f"readings[{i}]", what, None, nearest(name, grid))
            return list(dict.fromkeys(self.readings))
        usual = [name.split("+", 1) for name in self.default_readings if "+" in name]
        if {p for p, _ in usual} == set(self.parsers) and {n for _, n in usual} == set(self.normalizers):
            return [name for name in dict.fromkeys(self.default_readings) if name in grid]
        return grid

    def plan(self, columns: Sequence[str]) -> tuple[ReadingPlan, list[str]]:
        """The plan for the columns at hand, and the names of its readings; the baseline comes last if it is extra."""
        names = self.chosen()
        have = "parsed_text" in columns
        parsers = [Named(name, part) for name, part in self.parsers.items()]
        normalizers = [Named(name, part) for name, part in self.normalizers.items()]
        wanted = names[:]
        if self.baseline is not None and (have or self.baseline.parser.part.column != "parsed_text"):
            wanted += [self.baseline.name] if self.baseline.name not in wanted else []
            parsers += [self.baseline.parser] if self.baseline.parser.name not in self.parsers else []
            normalizers += [self.baseline.normalizer] if self.baseline.normalizer.name not in self.normalizers else []
        places = {f"{p.name}+{n.name}": (i, j) for i, p in enumerate(parsers) for j, n in enumerate(normalizers)}
        return ReadingPlan(
            tuple(parsers), tuple(normalizers), self.matcher, tuple(places[name] for name in wanted)
        ), names

    def open(self, by: Sequence[str], placed: bool = False) -> Evidence:
        """Opens the source for the columns this audit reads, with FILE:LINE if wanted. Raises DataError."""
        raw = any(part.column == "raw_text" for part in self.parsers.values())
        required = ["ground_truth", *(["raw_text"] if raw else [])]
        optional = [*optional_columns(self.keep_text), *([PLACE] if placed else [])]
        return self.source.open(list(dict.fromkeys([*required, *by])), optional)

    def look(self, by: Sequence[str]) -> list[str]:
        """What a run would do, for `auditfw check`: opens the source and reads no further than its columns."""
        kernel_name()
        evidence = self.open(by)
        plan, names = self.plan(evidence.columns)
        size = evidence.counted()
        lines = [f"rows: {size}", f"columns: {', '.join(evidence.columns)}", f"by: {', '.join(by) or 'nothing'}"]
        lines += [f"readings: {', '.join(names)}", f"labels to compute: {size.short} x {len(plan.readings)}"]
        lines += [f"warning: {warning}" for warning in (*evidence.warnings, *self._slow())]
        return lines + [
            f"warning: {metric}: {why}"
            for metric, why in self._absent(evidence, self._baseline_at(plan, evidence)).items()
        ]

    def run(self, bench: Context) -> Outcome:
        """Reads, scores and counts every trial."""
        kernel_name()  # refuses one that is not there, before anything is read
        if prepare := getattr(bench.engine, "prepare", None):
            prepare()
        evidence = self.open(bench.by, bench.limits.max_places > 0)
        plan, names = self.plan(evidence.columns)
        baseline = self._baseline_at(plan, evidence)
        work = self._as_work(plan, bench, baseline, len(names))
        whole, inputs = self._work(work, evidence, bench)
        evidence.check()
        return self._outcome(Scored(whole, plan, names, baseline, evidence, inputs), bench)

    def work(self, bench: Context, evidence: Evidence) -> ParsingScorer:
        """The work on each batch of the evidence."""
        plan, names = self.plan(evidence.columns)
        return self._as_work(plan, bench, self._baseline_at(plan, evidence), len(names))

    @property
    def kin(self) -> tuple[object, ...]:
        """What must be equal for runs to share their work."""
        return self.source, any(part.column == "raw_text" for part in self.parsers.values())

    @classmethod
    def together(cls, runs: Sequence[tuple[Parsing, Context]], scratch: Path) -> list[Audit]:
        """The audits of several runs over equal sources, cells and engines, so that each text is read once."""
        return together(runs, scratch)

    def _as_work(self, plan: ReadingPlan, bench: Context, baseline: int | None, candidates: int) -> ParsingScorer:
        return ParsingScorer(
            plan=plan,
            by=bench.by,
            seed=bench.seed,
            most=bench.limits.max_examples,
            signs=Signs({name: MarkerScan(markers) for name, markers in self.markers.items()}, self.delimiter.lower()),
            kernel=kernel_name(),
            stored_true=frozenset(self.stored_true),
            stored_false=frozenset(self.stored_false),
            truth=self.truth,
            baseline=baseline,
            shows=self._shows(plan, candidates),
            keep_text=self.keep_text,
            verify=self.verify,
            page=self._page(bench.limits.max_exhibits, candidates),
            placed=bench.limits.max_places,
            undefined=self.undefined,
            counted=self.unknown_stored == "count",
        )

    def _page(self, exhibits: int, candidates: int) -> FlipLimits | None:
        """What a page shows of the trials: more of each reading and direction than its share, for many are the same."""
        return FlipLimits(candidates, max(1, exhibits // candidates), self.undefined) if exhibits else None

    def _work(self, work: ParsingScorer, evidence: Evidence, bench: Context) -> tuple[ParsingCounts, list[Input]]:
        """Scores every batch, while a thread takes the checksums of the inputs."""
        whole, done = ParsingCounts(), 0
        with ThreadPoolExecutor(1) as aside:
            inputs = aside.submit(evidence.inputs)
            for part in bench.engine.map(work, evidence.tasks, evidence.rows):
                if part.rows:
                    bench.trials.add(part.rows)
                    done += len(part.rows[STATUS])
                each = work.page.each if work.page is not None else 0
                whole.merge(part, bench.limits.max_examples, each, work.placed)
                bench.check_cells(len(whole.joint) // (len(work.plan.readings) + 1))
                bench.progress(done, evidence.rows)
            self._refuse(whole)
            return whole, inputs.result()

    def _refuse(self, whole: ParsingCounts) -> None:
        if whole.unmapped and self.unknown_stored == "error":
            raise unmapped.refusal(whole, lambda: self.source.open((), ("id", "stored", PLACE)))
        if whole.differing:
            raise RuntimeError(f"the planned path differs from the definitions: {whole.differing[:3]}")

    def _baseline_at(self, plan: ReadingPlan, evidence: Evidence) -> int | None:
        if self.baseline is None or self.baseline.name not in plan.names():
            return None
        return plan.names().index(self.baseline.name) if "stored" in evidence.columns else None

    def _shows(self, plan: ReadingPlan, candidates: int) -> tuple[Show, ...]:
        """Exhibits: where a think delimiter decides, and a draw of flips of the last whole reading."""
        cut = [i for i, (p, _) in enumerate(plan.readings[:candidates]) if plan.parsers[p].part.only_with is not None]
        whole = [i for i in range(candidates) if i not in cut]
        shows = [Show("think", cut[0], (TRUE,), (FALSE, BLANK, UNDEFINED), 380, 260)] if cut else []
        if whole:
            shows.append(Show("flips", whole[-1], (TRUE, FALSE), (TRUE, FALSE, BLANK, UNDEFINED), 320, 420))
        return tuple(shows)

    def _outcome(self, scored: Scored, bench: Context) -> Outcome:
        whole, evidence = scored.whole, scored.evidence
        counts = {"read": whole.counts.total(), "audited": whole.counts["audited"]}
        counts |= {bucket: n for bucket, n in sorted(whole.counts.items()) if n and bucket != "audited"}
        if counts["read"] == 0:
            raise NothingAudited("source", "not one row was read", None, "look at the path, the query and the filters")
        readings = scored.readings()
        why = "no trial with both labels" if "stored" in evidence.columns else "the source has no column 'stored'"
        taken = samples(whole.joint, readings, bench.by, LabelRules(self.undefined, why, scored.blind()))
        absent = self._absent(evidence, scored.baseline)
        story = ParsingResults(
            whole=whole,
            plan=scored.plan,
            candidates=scored.names,
            baseline=scored.baseline_name,
            by=bench.by,
            limits=bench.limits,
            seed=bench.seed,
            counts=counts,
            absent=absent,
            samples=taken,
            markers=tuple(self.markers),
            delimiter=self.delimiter,
            columns=evidence.columns,
        )
        return Outcome(
            counts=counts,
            readings=[reading for reading, _ in readings],
            samples=taken,
            inputs=scored.inputs,
            sections=Teller(story),
            warnings=[*evidence.warnings, *self._warnings(whole, scored.plan, evidence)],
            absent=absent,
            incomplete=self._incomplete(whole, counts),
            tables=table_of(whole.places, bench),
            notes={"paths": dict(sorted(whole.paths.items())), "kernel": kernel_name()},
        )

    def _absent(self, evidence: Evidence, baseline: int | None) -> Mapping[str, str]:
        reason = ""
        if "stored" not in evidence.columns:
            reason = "the source has no column 'stored'"
        elif self.baseline is not None and baseline is None:
            reason = "the source has no column 'parsed_text'"
        elif self.baseline is None:
            reason = "audit.baseline is null"
        return {"mismatches": reason} if reason else {}

    def _incomplete(self, whole: ParsingCounts, counts: Mapping[str, int]) -> AuditError | None:
        if whole.unsteady:
            return changing(whole.unsteady[0])
        failed = whole.counts["error"] + whole.counts["timeout"]
        tried = failed + counts["audited"]
        if not failed or failed / tried <= self.max_error_rate:
            return None
        shown = "; ".join(whole.problems)
        return IncompleteError(
            "audit",
            f"a component failed on {failed} of {some(tried, 'trial')}",
            shown,
            "mend it, or allow them with audit.max_error_rate",
        )

    def _slow(self) -> list[str]:
        return slow_patterns(parser=self.parsers, normalizer=self.normalizers)

    def _warnings(self, whole: ParsingCounts, plan: ReadingPlan, evidence: Evidence) -> list[str]:
        found = [*remarks(whole.notes), *unmapped.warning(whole)]
        found += [f"a component failed: {problem}" for problem in whole.problems]
        found += likely_nulls(whole.suspects)
        found += void_truths(whole.joint, plan, self.undefined) + unread_truths(whole.unread, plan)
        found += self._slow()
        found += no_labels(evidence.columns, whole.joint)
        blind = [name for name, part in self.parsers.items() if part.column not in evidence.columns]
        if blind:
            found.append(f"the source has no column 'parsed_text': undefined for parser {', '.join(blind)}")
        return found
