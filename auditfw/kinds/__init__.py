"""The kinds of component: one protocol each, and the place of each kind in the config tree.

A component is a frozen dataclass that can be called; it knows neither the run nor another component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from auditfw.core.records import Estimate, GateResult, Input, Measurement, Result, Role, Size

from .context import Bench, Engine, Outcome, Task
from .ledger import Ledger, StopReason, Ties
from .simulation import Simulator
from .solving import Clock, Executor, Scoring, Solver

T = TypeVar("T")
Span = tuple[str, str | None, float, float]


@dataclass(frozen=True)
class Named(Generic[T]):
    """A component together with the name it goes by in this run."""

    name: str
    part: T


def said(part: object, name: str) -> Any:
    """What a component says of its call under this name, None where nothing.

    A class that defines its call anew says nothing by what it inherits: that was said of another call.
    """
    for cls in type(part).__mro__:
        if name in vars(cls):
            return getattr(part, name)
        if "__call__" in vars(cls):
            return None
    return None


class Step(Protocol):
    """Text to text. `__call__` is its definition; a shipped step may also say what kind of change it is:

    - `fast(text)`: the same function, quicker;
    - `cut(text, low)`: the same function, given `low = text.lower()` computed once for all;
    - `blanks`: the characters (a string) of which each becomes one blank, nothing else changes;
    - `tidy`: "collapse" or "strip" for the two white-space steps;
    - `lowers`: True for `str.lower` itself.
    Nothing said means opaque: it is called, once for each distinct text.
    """

    def __call__(self, text: str) -> str: ...


class Parser(Protocol):
    """Finds the answer in a completion: falsy gives "", anything else goes through `str()` first.

    `column` is the trial column read ("raw_text" or "parsed_text"); `only_with` is a text without which (ignoring
    case) there is nothing to read, or None. One with `by_steps = True` says that it does nothing but its `steps`, so
    that these can be shared with others; any other is called as it is.
    """

    column: str
    only_with: str | None

    def __call__(self, text: object) -> str: ...


class Normalizer(Protocol):
    """Makes texts comparable: falsy gives "", anything else goes through `str()` first. `by_steps` as for parsers."""

    def __call__(self, text: object) -> str: ...


class Matcher(Protocol):
    """Says whether a normalised answer agrees with a normalised, non-empty truth; None where it cannot read the truth.

    Such a trial has no label under this matcher: null, counted as missing, and warned of. A matcher may offer
    `refuses(truth)`: None for a truth that it can read, else what is wrong with it, as a `Refusal`. Then an empty
    answer has no label either where the truth cannot be read; without it an empty answer is wrong.

    A matcher may offer `needle(truth, blanks)`: a test on un-normalised text that equals the definition. `blanks` is
    the set of characters that, runs together, count as one blank (and are stripped at both ends), or None where the
    text is compared as it stands.
    """

    def __call__(self, answer: str, truth: str) -> bool | None: ...


@dataclass(frozen=True)
class Evidence:
    """An opened source: tasks that each give one batch, in an order that depends on the input alone.

    `columns` are the names every batch carries; `rows` is a rough number of rows (None: unknown);
    `inputs` computes the list of files with their SHA-256 when called (it may take a while);
    `check` raises DataError if a file changed since it was opened, and so does `inputs`; `size` counts the rows, as far
    as that is cheap.
    """

    tasks: Iterable[Task]
    columns: tuple[str, ...]
    rows: int | None
    inputs: Callable[[], list[Input]]
    check: Callable[[], None]
    warnings: tuple[str, ...] = ()
    size: Callable[[], Size] | None = None

    def counted(self) -> Size:
        """How many rows there are: counted where that is cheap."""
        return Size(0, None, self.rows) if self.size is None else self.size()


class Source(Protocol):
    """Yields evidence: `open(required, optional)` finds files and columns, raising DataError with file and column.

    `optional=None` asks for every column there is. An optional `by` names the columns of a run's cells where the run
    itself names none; a set of scenarios may have it as well.
    """

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence: ...


class ScenarioSet(Protocol):
    """Yields scenarios: batches with the columns `label`, `intended`, `params`, `group` and any others.

    `intended` and `params` are mappings, `label` and `group` text or None.
    """

    def open(self) -> Evidence: ...


class Policy(Protocol):
    """Decides judged rows by rule, each on its own: the final label (null: none) and why.

    `rows` has a column for each rater (its label or null), those derived from them, and the flags of the evidence
    (auditfw.kinds.judgements). `check` finds a case that no rule covers or a rule that is never reached, and raises
    UsageError. An optional `labels` says which labels it compares with: one that knows none of a run's is left out.
    An optional `finals` says what it can give: labels, and names of columns in braces.
    """

    def check(self, raters: Sequence[str], labels: Sequence[str], reference: str) -> None: ...

    def __call__(self, rows: Mapping[str, Sequence[Any]]) -> Sequence[tuple[str | None, str]]: ...


class Validator(Protocol):
    """Says of each judged row what is wrong with it; "" where nothing is.

    `rows` has a column for each of the `raters` (its label or null), `<rater>.reason`, `answer_json`,
    `retrieved_ids`, `flags` and `conflict` (the evidence in which the raters' own records differ); also
    `<rater>.answer_json` and `<rater>.retrieved_ids` where raters have their own.
    """

    def __call__(self, rows: Mapping[str, Sequence[Any]], raters: Sequence[str]) -> Sequence[str]: ...


class StopRule(Protocol):
    """Says of a loop's ledger why to stop before the next request, or None to go on.

    It may have a `pick` ("best" or "last") and `ties` ("latest" or "earliest"): which stored attempt is returned.
    """

    def __call__(self, ledger: Ledger) -> StopReason | None: ...


class Stop(Protocol):
    """The stop rule of the live loop: its budgets, how often a failed request is repeated, what is returned.

    `timeout(ledger)` is the most seconds of the next request; `pause(failures, asked)` the seconds to wait after so
    many failures within one iteration, where the other side may ask for some.
    """

    max_iterations: int
    max_total_time: float | None
    request_timeout: float | None
    max_cost: float | None
    retries: int
    return_best_result: bool
    ties: Ties
    clock: Clock | None

    def timeout(self, ledger: Ledger) -> float | None: ...

    def pause(self, failures: int, asked: float | None) -> float: ...

    def __call__(self, ledger: Ledger) -> StopReason | None: ...


class Metric(Protocol):
    """A number made from the sample of one reading and one cell; None where it does not apply to that sample.

    `roles` says of which readings it is taken, an optional `takes` of which sort of sample (or sorts, a tuple): a run
    with another is refused; an optional `range` between which two numbers it always lies: a gate with a bound outside
    of it is refused. An optional `cells_only = True` leaves the overall sample out; an optional
    `across(estimates)` sees all estimates of a reading at once (to adjust p-values, say) and returns as many.
    """

    roles: ClassVar[frozenset[Role]]

    def __call__(self, sample: Any) -> Estimate | None: ...


class Gate(Protocol):
    """A bound on measurements. Raises UsageError for a metric or reading that does not exist.

    An optional `span()` says what it bounds, of which reading (None: every candidate), and between which numbers, so
    that gates nothing can meet are told. An optional `cells(name, measurements, reference, most)` says of each cell
    what it comes to, for a gate that judges cells.
    """

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult: ...

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        """The (metric, reading or None) pairs it needs."""
        ...


class Report(Protocol):
    """Tells a result: to the terminal, or into files of the run folder. Returns the names of files written.

    One with `prints = True` tells standard output, and is called when all files are written; `alone = True` says that
    nothing else may stand there. An optional `announce(result)` is called then too, where the run speaks aloud.
    `locates = True` asks the audit for the places (FILE:LINE) of what it found.
    """

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]: ...


class Audit(Protocol):
    """Which readings, which reference: turns parts of a run into counts, samples and sections."""

    name: ClassVar[str]

    def run(self, bench: Bench) -> Outcome: ...


@dataclass(frozen=True)
class Kind:
    """A kind's protocol, its place in the config tree, and whether a run may go without one.

    A place with `{name}` is a group of which a run takes several.
    """

    protocol: Any
    place: str | None
    doc: str = field(default="")

    @property
    def several(self) -> bool:
        return self.place is not None and "{name}" in self.place


KINDS: Mapping[str, Kind] = {
    "audit": Kind(Audit, "audit", "what is compared with what"),
    "source": Kind(Source, "source", "where the trials come from"),
    "scenarios": Kind(ScenarioSet, "scenarios", "what is simulated, and what was meant to happen"),
    "simulator": Kind(Simulator, "simulator", "parameters to outcomes"),
    "solver": Kind(Solver, "solver", "problem and history to one attempt"),
    "executor": Kind(Executor, "executor", "runs candidate programs"),
    "stop": Kind(Stop, "stop", "when the live loop ends"),
    "engine": Kind(Engine, "engine", "where the work runs"),
    "parser": Kind(Parser, "audit.parsers.{name}", "finds the answer in a completion"),
    "normalizer": Kind(Normalizer, "audit.normalizers.{name}", "makes texts comparable"),
    "matcher": Kind(Matcher, "audit.matcher", "does an answer agree with the truth?"),
    "policy": Kind(Policy, "audit.policies.{name}", "decides one trial by rule"),
    "validator": Kind(Validator, "audit.validators.{name}", "what is wrong with a judged row"),
    "stop_rule": Kind(StopRule, "audit.stop_rules.{name}", "a stop rule replayed on stored attempts"),
    "scoring": Kind(Scoring, "audit.scoring", "how close an output is to the expected one"),
    "metric": Kind(Metric, "metrics.{name}", "a number made from readings"),
    "gate": Kind(Gate, "gates.{name}", "a bound on measurements"),
    "report": Kind(Report, "reports.{name}", "tells a result"),
    "step": Kind(Step, None, "text to text, in the lists of parsers and normalizers"),
}
