"""What flows along the spine: batches of trials, samples, measurements, gate results, the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, get_args

from .errors import UsageError
from .results.findings import Finding, NotChecked
from .results.views import Bound, BoundSide, GateTerm, ResultViews

Value = str | int | float | bool | None
Cell = tuple[Value, ...]
Status = Literal["pass", "fail", "inconclusive"]
STATUSES: tuple[Status, ...] = ("fail", "inconclusive", "pass")  # the worst first
Verdict = Literal["pass", "fail", "inconclusive", "none"]
AnswerStatus = Literal["stable", "fragile", "broken", "unknown"]
ORDER: tuple[AnswerStatus, ...] = ("broken", "fragile", "unknown", "stable")  # the first that applies is the status
Role = Literal["reference", "candidate", "baseline", "group", "decision"]
Range = tuple[float, float]
Side = Literal["lower", "higher"]  # which of two numbers is the better one
SHARE: Range = (0.0, 1.0)
COEFFICIENT: Range = (-1.0, 1.0)
PERCENT: Range = (0.0, 100.0)
OVERALL: Cell = ()


@dataclass
class Batch:
    """A bounded slice of a source's rows, column by column.

    `columns` maps our column names to equally long lists; `dropped` counts the rows that were read but are not
    among them, by bucket; `notes` counts remarks that end as warnings ("text replaced: not UTF-8").
    """

    columns: dict[str, list[Any]]
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


@dataclass(frozen=True)
class Input:
    """One file a source reads: the path as configured, its SHA-256 and its size in bytes."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Reading:
    """One named column with a value for each trial, and the part it plays in the comparison."""

    name: str
    role: Role


@dataclass(frozen=True)
class Refusal:
    """Why a matcher cannot read a truth: `why` completes "they …"; which `setting` would change that, if `write`."""

    why: str = "have nothing to compare with"
    setting: str = ""
    write: str = ""


@dataclass(frozen=True)
class Estimate:
    """A number with what it is based on; `value` is None exactly when `undefined` gives the reason.

    `between` are the ends between which it lies whatever is not known of its trials; None where all is known.
    """

    value: float | None
    counted: int = 0
    missing: int = 0
    low: float | None = None
    high: float | None = None
    undefined: str | None = None
    between: tuple[float, float] | None = None


Notation = Literal["plain", "signed", "p_value", "any_size"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)
MOST_DIGITS = 15


@dataclass(frozen=True)
class MetricStyle:
    """How the numbers of a metric print: the title of its columns ("": its name), what follows that, decimal places.

    With `digits` None whole numbers print as such and others with four places. `notation`: a + before what is above 0,
    a p-value (<0.0001), or a number in units of its own, never too small to be more than noise; `weights`: which.
    """

    title: str = ""
    unit: str = ""
    digits: int | None = None
    notation: Notation = "plain"
    weights: str = ""

    def __post_init__(self) -> None:
        for name in ("title", "unit", "weights"):
            if not isinstance(getattr(self, name), str):
                raise UsageError(name, "must be text", getattr(self, name))
        if self.digits is not None and (type(self.digits) is not int or not 0 <= self.digits <= MOST_DIGITS):
            raise UsageError("digits", f"must be a whole number from 0 to {MOST_DIGITS}", self.digits)
        if self.notation not in NOTATIONS:
            raise UsageError("notation", "is unknown", self.notation, f"write one of {', '.join(NOTATIONS)}")

    def heading(self, name: str) -> str:
        """The title of the columns of a metric of this name."""
        return f"{self.title or name} {self.unit}".rstrip() + (f" ({self.weights})" if self.weights else "")


@dataclass(frozen=True)
class Measurement:
    """A metric's estimate for one reading and one cell; `cell` is empty for the overall one.

    `cell` maps the `by` columns to their values; a per-key measurement has the single key `key`.
    """

    metric: str
    reading: str
    cell: Mapping[str, Value]
    estimate: Estimate

    @property
    def overall(self) -> bool:
        return not self.cell

    @property
    def name(self) -> str:
        return f"{self.metric}@{self.reading}"


@dataclass(frozen=True)
class GateResult:
    """The result of one gate: its `rule` in words, and the numbers behind it.

    `value` is what is bounded: `on` says whether that is the metric's value, one end or the whole of its interval, or
    its change. `low` and `high` are the interval of the metric's value, `cell` the worst one of a gate on every cell. A
    `strict` bound is itself outside. A gate of several numbers has `terms` instead of a metric; `answer` is the
    status that a gate on the answer judged.
    """

    name: str
    rule: str
    reading: str | None
    value: float | None
    status: Status
    why: str = ""
    metric: str | None = None
    bound: Bound = None
    side: BoundSide | None = None
    low: float | None = None
    high: float | None = None
    on: Literal["value", "low", "high", "interval", "change"] | None = None
    strict: bool = False
    cell: Mapping[str, Value] = field(default_factory=dict)
    terms: Sequence[GateTerm] = ()
    answer: AnswerStatus | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The numbers between which it has to be, infinite where there is none."""
        low, high = self.bound if isinstance(self.bound, tuple) else (self.bound, self.bound)
        least = low if low is not None and self.side in ("min", "between") else -inf
        return least, high if high is not None and self.side in ("max", "between") else inf

    @property
    def metrics(self) -> list[str]:
        """The metrics that it is about."""
        return [self.metric] if self.metric is not None else [term.metric for term in self.terms]


@dataclass(frozen=True)
class CellResult:
    """The result of a gate on every cell for one cell of one reading."""

    reading: str
    cell: Mapping[str, Value]
    value: float | None
    status: Status
    why: str = ""


@dataclass(frozen=True)
class GateCells:
    """The cells that one gate judged, the worst first; `left_out` counts those that are not listed, by status."""

    gate: str
    cells: Sequence[CellResult]
    left_out: Mapping[str, int]


Detail = Literal["short", "full"]  # what the terminal shows: one screen, or every table
HEADLINE = 140  # characters at most
REASONS = 3


@dataclass(frozen=True)
class AnswerRule:
    """A rule that was tried on a reading, of all trials or of one cell, and whether it `fired`.

    `value` with its interval is the number that is compared with `bound`, `p` its adjusted p-value; None where there is
    none. `asks` is its question, `number` says what the value is, in which `unit`, and `test` how it is compared (a key
    of the words in `explain`). `setting` is where the bound is set, `status` what the answer is where the rule fires:
    None for one that is only reported.
    """

    rule: str
    reading: str
    cell: Mapping[str, Value]
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    bound: float | None
    fired: bool
    asks: str = ""
    number: str = ""
    unit: str = ""
    test: str = ""
    setting: str | None = None
    status: AnswerStatus | None = None


@dataclass(frozen=True)
class Answer:
    """Whether to believe the number, why, and what to do next.

    `words` say what the status means to who asked, `headline` says it in at most 140 characters, `because` in three
    sentences at most, the strongest first; `change` what would make it another answer, `next` one thing to do; `scope`
    what was looked at, in the sentences `scopes`; `rules` are all tried, `because_rules` places of those in a reason.
    """

    status: AnswerStatus
    headline: str
    because: Sequence[str]
    next: str
    scope: str
    rules: Sequence[AnswerRule] = ()
    because_rules: Sequence[Sequence[int]] = ()
    scopes: Sequence[str] = ()
    kinds: Sequence[str] = ()
    words: str = ""
    change: str = ""

    @property
    def title(self) -> str:
        """The words with the status in brackets; without words the status."""
        return titled_answer(self.words, self.status)

    def __post_init__(self) -> None:
        object.__setattr__(self, "headline", shortened(self.headline))
        object.__setattr__(self, "because", list(self.because)[:REASONS])
        object.__setattr__(self, "because_rules", [list(places) for places in self.because_rules][:REASONS])
        for name in ("scopes", "kinds"):
            object.__setattr__(self, name, list(getattr(self, name)))


def titled_answer(words: str, status: str) -> str:
    """What an answer says in words, with its status in brackets."""
    return f"{words} ({status})" if words not in ("", status.upper()) else status.upper()


def shortened(text: str, most: int = HEADLINE) -> str:
    """A text of at most so many characters: the rest is cut off at a blank, with an ellipsis."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"


@dataclass(repr=False)
class Result(ResultViews):
    """A finished audit: verdict, counts by bucket, measurements, gates, warnings and the sections of its report.

    `reference` is the reading that the others are compared with, "" where none is known. `cells` holds those of the
    gates that judge every cell; `trials` and the further `tables` by name are polars frames (read lazily from the run
    folder where there is one). `answer` is None where the audit draws no conclusion; `digests` is the SHA-256 of each
    table of the folder, once all are written. `styles` says how metrics print, `titles` what readings are called for
    people; `detail`, `lines` and `picture` go to the terminal. `findings` and `not_checked` are of questions.
    """

    audit: str
    verdict: Verdict
    exit_code: int
    counts: dict[str, int]
    by: tuple[str, ...]
    measurements: list[Measurement]
    gates: list[GateResult]
    warnings: list[str]
    inputs: list[Input]
    config_hash: str
    seed: int
    versions: dict[str, str]
    sections: list[Any] = field(default_factory=list)
    folder: str | None = None
    trials: Any = None
    tables: Mapping[str, Any] = field(default_factory=dict)
    cells: Sequence[GateCells] = ()
    answer: Answer | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    styles: Mapping[str, MetricStyle] = field(default_factory=dict)
    reference: str = ""
    detail: Detail = "full"
    lines: int | None = None
    picture: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    not_checked: Sequence[NotChecked] = ()
    document: Mapping[str, Any] = field(default_factory=dict)

    def measurement(self, metric: str, reading: str, **cell: Value) -> Measurement:
        """Finds one measurement; without cell values the overall one. Raises KeyError when there is none."""
        for measurement in self.measurements:
            if measurement.metric == metric and measurement.reading == reading and dict(measurement.cell) == cell:
                return measurement
        raise KeyError(f"{metric}@{reading} {cell or ''}".strip())


NO_VALUE = "(missing)"


def sorted_cells(cells: Iterable[Cell]) -> list[Cell]:
    """Cells in ascending order: numbers by size, then text by code point, nulls last."""
    return sorted(cells, key=lambda cell: [_order(value) for value in cell])


def named_cells(keys: Sequence[Cell], by: Sequence[str]) -> list[dict[str, Value]]:
    """Cells as mappings of the `by` columns. A column with a null somewhere becomes text, the null "(missing)"."""
    columns: list[list[Value]] = []
    for values in zip(*keys, strict=True):
        gaps = None in values or len({isinstance(value, str) for value in values}) > 1
        columns.append([NO_VALUE if v is None else str(v) if gaps else v for v in values])
    return [dict(zip(by, cell, strict=True)) for cell in zip(*columns, strict=True)] if columns else [{} for _ in keys]


def _order(value: Value) -> tuple[int, Any]:
    if value is None:
        return (2, "")
    return (1, value) if isinstance(value, str) else (0, value)
