"""The parsing audit's settings, and the readings that they choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from auditfw.audits.best_of import BestSettings
from auditfw.audits.findings import check_known
from auditfw.audits.parsing.conclusions.published_table import Published
from auditfw.audits.parsing.engine.grid import NO_BASELINE, Baseline, ReadingGrid, with_rules
from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import ReadingPlan, needs_of
from auditfw.audits.parsing.engine.shared_results import fitted
from auditfw.audits.parsing.kept.flips import MOST_CAUSES
from auditfw.audits.parsing.kept.keys import COMPARED
from auditfw.audits.parsing.kept.near import NEAR, FormSettings
from auditfw.audits.parsing.kept.row_facts import EndSettings, fact_columns
from auditfw.audits.parsing.kept.same import SameSettings
from auditfw.audits.parsing.probe import draw
from auditfw.audits.parsing.probe.pairs import LossyReading, lossy_readings, readings_asked, refusal
from auditfw.audits.scorer_changes import UpgradeSettings
from auditfw.core.errors import AuditError, DataError, UsageError, nearest
from auditfw.core.inputs import Watched, watch
from auditfw.core.results.findings import Known
from auditfw.formulas.markers import BLOCK_MARKERS, ROLE_MARKERS, THINK_END, MarkerScan
from auditfw.formulas.texts.truth_kinds import common_kind
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.evidence import Evidence, Source, one_pass_of
from auditfw.kinds.text import Matcher, Normalizer, Parser, Scorer

from .table import OWN, STORED, TABLE
from .trials import MODELS, PLACE, UNSCORED, Labels, TrialBatch, optional_columns

IN_POINTS = ("margin", "churn", "precision", "mismatch", "either_way")  # bounds of the answer, in percentage points
STORED_LABEL, BASELINE, SEARCH = "stored", "baseline", "search"
STORED_TRUE = ("1", "1.0", "true", "True", "TRUE")
STORED_FALSE = ("0", "0.0", "false", "False", "FALSE")


@dataclass(frozen=True)
class ParsingSettings(EndSettings, FormSettings, SameSettings, UpgradeSettings):
    """The settings of a parsing audit; `Parsing` says what each setting does."""

    source: Source
    matcher: Matcher
    parsers: dict[str, Parser]
    normalizers: dict[str, Normalizer]
    matchers: dict[str, Matcher] = field(default_factory=dict)
    scorers: dict[str, Scorer] = field(default_factory=dict)
    readings: tuple[str, ...] | None = None
    default_readings: tuple[str, ...] = ()
    baseline: Named[Scorer] | Baseline | Literal["search"] | None = NO_BASELINE
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
    reference: str | None = None
    decides: tuple[str, ...] | None = None
    alpha: float = 0.05
    margin: float = 0.5
    churn: float = 1.0
    precision: float = 3.0
    mismatch: float = 1.0
    known: dict[str, Known] = field(default_factory=dict)
    published: Published | None = None
    causes: int = 100
    probe: int | None = 1_200
    either_way: float = 5.0
    best: BestSettings | None = field(default_factory=BestSettings)
    lossy: Literal["flag", "refuse", "allow"] = "flag"

    def __post_init__(self) -> None:
        if not self.baseline and isinstance(self.baseline, Baseline):
            object.__setattr__(self, "baseline", None)
        for name, chosen in (("parsers", self.parsers), ("normalizers", self.normalizers)):
            if not chosen and not self.scorers:
                word = name[:-1]
                raise UsageError(name, f"no {word} is chosen", None, f"choose some: {word}=[...] (auditfw list {word})")
        for name in ("max_error_rate", "verify"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(name, "expected a number from 0 to 1", getattr(self, name))
        for name, most in {"alpha": 1.0, **dict.fromkeys(IN_POINTS, 100.0)}.items():
            if not 0.0 < getattr(self, name) <= most:
                raise UsageError(name, f"expected a number above 0 and at most {most:g}", getattr(self, name))
        for name, most in (("causes", MOST_CAUSES), ("probe", draw.MOST_PROBED)):
            number = getattr(self, name)
            if number is not None and not 0 <= number <= most:
                raise UsageError(name, f"expected a whole number from 0 to {most:,}", number, "write 0 for none")
        self.check_ends()
        self.keep_gates()
        matchers = (self.matcher, *self.matchers.values())
        if any(capability(one, "by_rule", False) for one in matchers) and not self._by_rule:
            do = "audit.baseline={by: COLUMN, rules: {VALUE: {parser: …, normalizer: …, matcher: …}}}"
            raise UsageError("matcher", "needs a rule with a matcher for each value", "of_rule", do)
        self._check_names()
        check_known(self.known)

    @property
    def _by_rule(self) -> bool:
        """Whether each value of a column has a rule with a matcher of its own."""
        rules = [] if self.configured is None else list(self.configured.by_value.values())
        return bool(rules) and all(rule.matcher is not None for rule in rules)

    def _check_names(self) -> None:
        """Refuses names of readings that are not computed, or that columns of the table bear. Raises UsageError."""
        names = self.chosen()
        for name in self.parsers:
            if name.startswith(OWN):
                raise UsageError(f"parsers.{name}", f"begins like a column of {TABLE}", name, "give it another name")
        for i, name in enumerate(self.decides or ()):
            if name not in (*names, NEAR):
                what = f"no reading '{name}' among those chosen"
                raise UsageError(f"decides[{i}]", what, None, self._near(name, names))
        known = [STORED_LABEL, BASELINE, *names]
        if self.reference is not None and self.reference not in known:
            raise UsageError("reference", f"no reading '{self.reference}'", None, self._near(self.reference, known))
        for name in self.scorers:
            if name in (STORED_LABEL, BASELINE, NEAR) or "+" in name or name.startswith(OWN):
                what = "is the name of a reading that is no scorer's"
                raise UsageError(f"scorers.{name}", what, name, "give it another name")
        if self.reference == BASELINE and self.configured is None:
            what = "there is no baseline" if self.baseline is None else "a baseline that is searched cannot be it"
            raise UsageError("reference", what, BASELINE, "set audit.baseline, or name a reading")
        own = self.published.reading if self.published is not None else None
        if own is not None and own not in (STORED_LABEL, *names):
            do = self._near(own, [STORED_LABEL, *names])
            raise UsageError("published.reading", f"no reading '{own}' among those chosen", None, do)

    @property
    def configured(self) -> Baseline | None:
        """The baseline that is configured; None where there is none, or where it is to be searched."""
        if isinstance(self.baseline, Named):
            return Baseline(scorer=self.baseline)
        return self.baseline if isinstance(self.baseline, Baseline) else None

    def _near(self, name: str, names: Sequence[str]) -> str:
        """The name that may be meant: one of several matchers may be missing in it."""
        whole = f"{name}{self.grid.ends[0]}"
        return nearest(whole if whole in names else name, names)

    def named_readings(self) -> list[str]:
        """The names of all readings of a run: the stored label, those chosen, the baseline."""
        baseline = [] if self.baseline_name is None else [self.baseline_name]
        return list(dict.fromkeys([STORED_LABEL, *self.chosen(), *baseline]))

    @property
    def signs(self) -> Signs:
        """What is looked for in texts."""
        return Signs({name: MarkerScan(markers) for name, markers in self.markers.items()}, self.delimiter.lower())

    @property
    def grid(self) -> ReadingGrid:
        """What readings can be chosen from."""
        return ReadingGrid(self.parsers, self.normalizers, self.matchers, self.scorers)

    @property
    def baseline_name(self) -> str | None:
        """The name of the baseline among the readings."""
        if self.configured is None:
            return None
        single = self.configured.single
        if single is None or single.scorer is not None:
            return BASELINE if single is None else single.scorer
        return f"{single.name}{self.grid.ends[0]}"

    @property
    def ruled_by(self) -> str | None:
        """The column whose values have rules of their own in the baseline; None where there is one rule, or none."""
        return None if self.configured is None else self.configured.column

    @property
    def row_rules(self) -> tuple[str, frozenset[str]] | None:
        """That column, and its values that have a rule."""
        if self.configured is None or self.ruled_by is None:
            return None
        return self.ruled_by, frozenset(self.configured.by_value)

    def chosen(self) -> list[str]:
        """The names of the readings wanted: picked, by default, or the whole grid. Raises UsageError."""
        grid = self.grid.names()
        if self.readings is not None:
            if not self.readings:
                raise UsageError("readings", "is empty", None, f"write null for all, or some of {', '.join(grid)}")
            for i, name in enumerate(self.readings):
                if name not in grid:
                    what = f"no reading '{name}' among those chosen"
                    raise UsageError(f"readings[{i}]", what, None, self._near(name, grid))
            return list(dict.fromkeys(self.readings))
        return self.grid.by_default(self.default_readings)

    def plan(self, columns: Sequence[str]) -> tuple[ReadingPlan, list[str]]:
        """The plan for the columns at hand, and the names of its candidates, which come first.

        After them comes a reading that is the reference, then the baseline if it is extra.
        """
        names = [name for name in self.chosen() if name != self.reference_name(columns)]
        wanted = [*names, *(name for name in self.chosen() if name not in names)]
        baseline, extra = self.configured, None
        has_rule = baseline is not None and self.has_baseline(columns)
        if baseline is not None and has_rule and baseline.single is not None:
            extra = baseline.single
            wanted += [name for name in [self.baseline_name] if name is not None and name not in wanted]
        plan = self.grid.plan(wanted, self.matcher, extra)
        if baseline is not None and has_rule and baseline.column is not None:
            plan = with_rules(plan, BASELINE, baseline.column, baseline.by_value)
        return plan, names

    def asked_in(self, plan: ReadingPlan, kinds: Mapping[str, int]) -> list[str]:
        """The readings of a plan that are asked whether they accept wrong answers; `kinds` are those of the truths."""
        return [] if self.lossy == "allow" else readings_asked(plan, common_kind(kinds))

    def lossy_in(self, plan: ReadingPlan, kinds: Mapping[str, int]) -> dict[str, LossyReading]:
        """Those of them that do. Raises UsageError where it is refused, but for the baseline and a named reference."""
        asked = self.asked_in(plan, kinds)
        lossy = lossy_readings(plan, asked, common_kind(kinds))
        refused = {name: one for name, one in lossy.items() if name not in (self.baseline_name, self.reference)}
        if self.lossy == "refuse" and refused:
            raise refusal(refused)
        return lossy

    def first_kinds(self, evidence: Evidence) -> tuple[Counter[str], str]:
        """The kinds of the truths of the first batch, and in words that there are more, where there are."""
        once = one_pass_of(evidence.tasks)
        labels = Labels(frozenset(self.stored_true), frozenset(self.stored_false), True, self.row_rules)
        kinds: Counter[str] = Counter()
        for number, task in enumerate(evidence.tasks if once is None else once.tasks):
            if number:
                return kinds, " (in the first rows)"
            try:
                kinds = TrialBatch(task(), fitted(self.truth, evidence), (), labels).kinds
            except AuditError:
                return Counter(), ""  # a run says which row it is
        return kinds, ""

    def open(self, by: Sequence[str], placed: bool = False, further: Sequence[str] = ()) -> Evidence:
        """Opens the source for the columns this audit reads, and for others if wanted. Raises DataError."""
        for name in (name for name in by if name.startswith(OWN)):
            do = f"write 'source.columns.OTHER={name}' 'by=[OTHER]'"
            raise UsageError("by", f"'{name}' begins like a column of {TABLE}", None, do)
        required = ["ground_truth", *(["raw_text"] if self.reads_raw else []), *self.needs]
        optional = [*optional_columns(self.keep_text, bool(self.probe)), *further]
        optional += [PLACE, *MODELS, UNSCORED, *fact_columns(self.source), *COMPARED] if placed else []
        asked = ({} if self.ruled_by is None else {"baseline.by": self.ruled_by}) | self.same_beside
        optional += [column for column in dict.fromkeys(asked.values()) if column not in (*required, *by, *optional)]
        evidence = self.source.open(list(dict.fromkeys([*required, *by])), optional)
        for where, column in asked.items():
            if column not in evidence.columns:
                known = self.source.open(required, None).columns
                what = f"no column '{column}'", f"columns {', '.join(known)}", nearest(column, known)
                raise (UsageError if where in self.same_beside else DataError)(f"audit.{where}", *what)
        return evidence

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the parsers read beside their texts, that of the baseline too."""
        rules = [] if self.configured is None else self.configured.every
        truth = [] if self.truth is None else [self.truth.part]
        return needs_of([*self._chosen_parsers, *(rule.parser.part for rule in rules), *truth])

    @property
    def reads_raw(self) -> bool:
        """Whether a chosen parser reads the raw text."""
        return any(part.column == "raw_text" for part in self._chosen_parsers)

    @property
    def _chosen_parsers(self) -> list[Parser]:
        return [*self.parsers.values(), *(scorer.parser for scorer in self.scorers.values())]

    def labelled(self, evidence: Evidence) -> Evidence:
        """The evidence; as if it had no stored labels where none of its rows has one, unless they are the reference.

        The first batch shows it as a rule.
        """
        if self.reference is not None or STORED_LABEL not in evidence.columns or STORED_LABEL in evidence.filled:
            return evidence
        once = one_pass_of(evidence.tasks)
        for task in evidence.tasks if once is None else once.tasks:
            if any(label is not None and label != "" for label in task().columns[STORED_LABEL]):
                return evidence
        columns = tuple(name for name in evidence.columns if name != STORED_LABEL)
        return replace(evidence, columns=columns, void=(*evidence.void, STORED_LABEL))

    def errors_allowed(self, evidence: Evidence) -> float | None:
        """On how many trials components may fail; None where it depends on how many there are, and nobody knows."""
        rows = evidence.counted().high if self.max_error_rate else 0
        return None if rows is None else self.max_error_rate * rows

    def further_files(self) -> list[Watched]:
        """The files that are read beside the source."""
        return [] if self.published is None else [watch([self.published.path])]

    def has_baseline(self, columns: Sequence[str]) -> bool:
        """Whether a baseline is configured whose text is at hand."""
        baseline = self.configured
        if baseline is None:
            return False
        return "parsed_text" in columns or all(one.parser.part.column != "parsed_text" for one in baseline.every)

    def reference_name(self, columns: Sequence[str]) -> str:
        """The name of the reading that others are compared with: as set, else the stored label where there is one.

        Without stored labels it is the baseline, or where that cannot be read the first reading. Raises DataError.
        """
        stored = "stored" in columns
        if self.reference == STORED_LABEL and not stored:
            do = f"name a reading: audit.reference={self.chosen()[0]}"
            raise DataError("audit.reference", "the source has no column 'stored'", STORED_LABEL, do)
        if self.reference not in (None, BASELINE):
            return str(self.reference)
        if self.reference is None and stored:
            return STORED_LABEL
        name = self.baseline_name
        return name if name is not None and self.has_baseline(columns) else self._first(columns)

    def _first(self, columns: Sequence[str]) -> str:
        """The first reading whose text is at hand; the first of all where there is none."""
        names, grid = self.chosen(), self.grid
        return next((name for name in names if grid.parser_of(name).column in columns), names[0])

    def reference_in(self, plan: ReadingPlan, columns: Sequence[str]) -> int:
        """The number of the reference among a plan's readings; STORED for the stored label."""
        name = self.reference_name(columns)
        return STORED if name == STORED_LABEL else plan.names().index(name)

    def baseline_in(self, plan: ReadingPlan, columns: Sequence[str]) -> int | None:
        """The number of the baseline among a plan's readings; None where there is none, or no stored label."""
        name = self.baseline_name
        if name is None or name not in plan.names():
            return None
        return plan.names().index(name) if "stored" in columns else None

    def absent(self, evidence: Evidence, baseline: int | None) -> dict[str, str]:
        """For each metric that the columns at hand cannot give the reason why."""
        reason = ""
        if STORED_LABEL not in evidence.columns:
            reason = evidence.lacks(STORED_LABEL)
        elif self.configured is not None and baseline is None:
            reason = evidence.lacks("parsed_text")
        elif self.baseline is None:
            reason = "audit.baseline is null"
        return {"mismatches": reason} if reason else {}
