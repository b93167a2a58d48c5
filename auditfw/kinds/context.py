"""What an audit works with, and what it hands back: the context, samples and the outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from auditfw.core.document import Section
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.records import Answer, Batch, Detail, Input, Measurement, Reading, Value
from auditfw.core.results.findings import Finding, NotChecked
from auditfw.core.tables import TrialTable

# Claims: what is to hold of an audit's rates under every reading, as data.


@dataclass(frozen=True)
class SideStatement:
    """A metric is better where one condition holds than where the other does, by more than `by` in its unit."""

    metric: str
    better: str
    than: str
    by: float = 0.0


@dataclass(frozen=True)
class BoundStatement:
    """A metric is at most `value`, or with `at_most` false at least, where a condition holds (None: everywhere)."""

    metric: str
    where: str | None
    value: float
    at_most: bool = True


@dataclass(frozen=True)
class OrderStatement:
    """The values of a column of `by` are in some order by a metric: all pairs of them are compared."""

    metric: str
    of: str


ClaimStatement = SideStatement | BoundStatement | OrderStatement


class Claim(Protocol):
    """A claim: called, it states what is to hold.

    A statement's conditions are SQL over the columns of `by`; an audit reads it against each of its readings. Its
    metric is one of those that the audit's `claimed` names.
    """

    def __call__(self) -> ClaimStatement: ...


S = TypeVar("S")
T = TypeVar("T")
Task = Callable[[], Batch]
Variants = Callable[[], Mapping[str, Mapping[str, Any]]]

MOST_CELLS = 10_000
LEAST_LINES = 16  # of a first screen


class Engine(Protocol):
    """Where work runs: applies `work` to each task and yields the outcomes in the order of the tasks.

    It may also declare

    - `starts`: what it starts on this machine or another, in words that follow its name ("starts processes"); a run
      read back from a folder asks before it builds such a component;
    - `prepare(*classes)`: begins to start workers, which will need the modules of these classes, while a source opens;
    - `map_beside(work, tasks, others)`: as `map`, with the outcomes of further tasks, begun at once, before them;
    - `reached()`: for `auditfw check`, what answers at the address that is set, in words; raises where nothing does;
    - `parts`: a folder, or an address, that its workers share with the command, for the rows of tables, and
      `most_joined`, the most rows that are joined to one file then.
    """

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]: ...


@dataclass(frozen=True)
class ReportLimits:
    """How much a report shows: exhibits a section, rows a table, exhibits that a page lets one look through.

    `detail` is what the terminal shows:
    the answer, the picture of it and the gates on one screen (`short`), or every table (`full`). `who` is the column
    of `by` whose values the first screen of the parsing audit compares; None: `model`, else the one that tells most.
    `lines` is how many lines the first screen has on a terminal, None: as many as that has, and at least 24. `picture`
    shows the picture there even where the table above it has intervals, `example` one case verbatim, in every report;
    without `texts` no report shows a text of an answer.
    """

    max_examples: int = 30
    max_rows: int = 40
    max_exhibits: int = 400
    detail: Detail = "short"
    who: str | None = None
    picture: bool = False
    example: bool = True
    texts: bool = True
    lines: int | None = 24

    def __post_init__(self) -> None:
        for name in ("max_examples", "max_rows", "max_exhibits"):
            if getattr(self, name) < 0:
                raise UsageError(name, "expected a whole number of 0 or more", getattr(self, name))
        if self.lines is not None and self.lines < LEAST_LINES:
            raise UsageError("lines", f"expected {LEAST_LINES} or more", self.lines, "null: as high as the terminal")

    @property
    def of_terminal(self) -> dict[str, Any]:
        """What a result keeps of them, by its field."""
        return {"detail": self.detail, "lines": self.lines, "picture": self.picture}


@dataclass(frozen=True)
class Context:
    """What an audit works with: the engine, the cell columns, the seed, the limits, and where trials are put.

    `folder` is the run folder, None where nothing is written; `table(name)` makes a further table beside the trials,
    written as `<name>.parquet` when it is closed. `resume` is the folder of the interrupted run to go on with;
    `variants()` builds, when it is called, what is shipped of the kinds of text with all settings at their defaults:
    kind, name, component. `max_cells` is the most cells that `by` may make, None for any number; `claims` are to be
    read against every reading; `keeps` is what the reports and metrics need beyond the counts, of what the audit says
    it `keeps`; `guessed` are settings that nobody typed.
    """

    engine: Engine
    by: tuple[str, ...]
    seed: int
    limits: ReportLimits
    trials: TrialTable
    progress: Callable[[int, int | None], None] = lambda done, total: None
    folder: str | None = None
    resume: str | None = None
    max_cells: int | None = MOST_CELLS
    variants: Variants = dict
    claims: Mapping[str, Claim] = field(default_factory=dict)
    keeps: frozenset[str] = frozenset()
    guessed: Sequence[str] = ()

    def check_cells(self, cells: int) -> None:
        """Raises UsageError for more cells than `max_cells` allows: each has measurements and memory of its own."""
        if self.max_cells is not None and cells > self.max_cells:
            count = f"at least {cells:,} cells, at most {self.max_cells:,} are allowed"
            do = "name columns with fewer values, or allow more with max_cells=N (null: any number)"
            raise UsageError("by", f"{', '.join(self.by)} make too many cells", count, do)

    def table(self, name: str) -> TrialTable:
        """A further table of this run."""
        return TrialTable(self.folder, name)


@dataclass(frozen=True)
class Sample:
    """What the metrics read for one reading and one cell; `cell` is empty for the overall sample."""

    reading: Reading
    cell: Mapping[str, Value]
    data: Any


@dataclass
class Outcome:
    """What an audit found, before it is measured.

    `counts` are the buckets of the rows read, `errors` how many trials a component failed on; `absent` gives for a
    metric the reason why this input cannot have it; `open` says why no run on this input can pass; `tables` are the
    further tables, closed; `notes` go into the manifest; `answer` is what follows from the numbers; `titles` say what
    readings are called for people; `findings` and `not_checked` are what questions came to, `asked` the
    kinds of findings that they look for, `document` further keys of result.json with plain
    data; `weights` say of metrics that show none which weights they have.
    """

    counts: dict[str, int]
    readings: Sequence[Reading]
    samples: Iterable[Sample]
    inputs: list[Input]
    sections: Callable[[list[Measurement]], list[Section]]
    warnings: list[str] = field(default_factory=list)
    absent: Mapping[str, str] = field(default_factory=dict)
    incomplete: AuditError | None = None
    open: str = ""
    tables: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    answer: Answer | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    not_checked: Sequence[NotChecked] = ()
    asked: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, str] = field(default_factory=dict)


class Audit(Protocol):
    """Which readings, which reference: turns parts of a run into counts, samples and sections.

    It may also declare

    - `look(by)`: what a run would do, line by line, for `auditfw check`: opens what it reads and runs nothing; with
      `look(by, keeps)` where the reports need what is in `keeps`;
    - `resumes = True`: it keeps a journal, from which an interrupted run goes on;
    - `reguessed(guessed)`: itself with those of its settings that nobody typed made to fit the others;
    - `keeps`: what it keeps for reports and metrics that ask for it (`Context.keeps`); `named_readings()`: the names of
      all its readings, for a report that needs one of them;
    - `measures`: the names of metrics that it measures beside those that are chosen;
    - `claimed`: the names of the metrics that claims may be about; an audit without it reads no claims;
    - `acceptable`: the labels of its raters that count as right where people label the trials of its run;
    - `source`, `scenarios`: its parts, whose `by` names the columns of cells where the run itself names none;
    - `share_work(runs, scratch)`, a class method: the audits of several runs of a sweep that share their work, one
      object for those that are equal; each has `check()`, which raises where the input has changed. Such an audit has
      `work_key`, what must be equal for that, and `work(bench, evidence)`, the work on each batch.
    """

    name: ClassVar[str]

    def run(self, context: Context) -> Outcome: ...
