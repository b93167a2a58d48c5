"""Kinds of component that measure, judge and report: metrics, gates and reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Protocol

from auditfw.core.records import Estimate, GateResult, Measurement, Result, Role

Span = tuple[str, str | None, float, float]
Undefined = Literal["inconclusive", "fail", "pass"]  # what an undefined number means to a gate


class Metric(Protocol):
    """A number made from the sample of one reading and one cell; None where it does not apply to that sample.

    `roles` says of which readings it is taken. It may also declare

    - `takes`: the sort of sample it is made from (or sorts, a tuple); a run with another is refused;
    - `range`: the two numbers between which it always lies; a gate with a bound outside is refused;
    - `cells_only = True`: it leaves the overall sample out;
    - `across(estimates)`: sees all estimates of a reading at once (to adjust p-values, say) and returns as many;
    - `each(outcomes)`: a number for every single outcome; an alignment audit hands their mean to the metric;
    - `at_once(samples)`: the same as calling it on each of the samples of a reading, and quicker;
    - `keeps`: what it needs an audit to work out beyond its counts, by name, where that is done for those alone that
      ask;
    - `better`: which of two numbers is the better one, the "lower" or the "higher" (as a class variable).

    and how it prints, as class variables (a field `weights` with a word, `linear`, stands behind the title, too):

    - `title`: the head of its columns; without one, or where a run calls it by another name, that name;
    - `unit`: what follows the title ("%", "pp", "s");
    - `digits`: how many decimal places; without it four, none for whole numbers;
    - `notation`: "signed" puts a + before what is above 0, "p_value" writes <0.0001 for what is less, "any_size" is for
      a number in units of its own, which is never too small to be more than noise.
    """

    roles: ClassVar[frozenset[Role]]

    def __call__(self, sample: Any) -> Estimate | None: ...


class Gate(Protocol):
    """A bound on measurements. Raises UsageError for a metric or reading that does not exist.

    It may also declare

    - `span()`: what it bounds, of which reading (None: every candidate), and between which numbers, so that gates
      that nothing can meet are reported;
    - `cells(name, measurements, reference, most)`: what each cell comes to, for a gate that judges cells;
    - `judge_outcome(name, outcome)`: judges what the audit concludes or finds, in place of measurements;
    - `optional = True`: it is left out with a warning where the input cannot have its metric.
    """

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult: ...

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        """The (metric, reading or None) pairs it needs."""
        ...


class Report(Protocol):
    """Presents a result: on the terminal, or into files of the run folder. Returns the names of files written.

    It may also declare

    - `prints = True`: it uses standard output, and is called when all files are written;
    - `alone = True`: nothing else may be printed there;
    - `begin(result)`: called before any report is written, to begin what takes long;
    - `announce(result)`: called when all files are written, where the run prints;
    - `keeps`: what it needs an audit to keep beyond the counts, by name (`texts`, `scores`); audits that do not keep
      that are refused; `reading`: the name of a reading that it needs, None for any;
    - `sends = True`: it hands the files of a run on, and is called when all of them are written; what goes wrong then
      is a warning;
    - `starts`: where it sends them, in words that follow its name; a run read back from a folder asks before;
    - `browses = True`: it needs the exhibits to look through (`report.max_exhibits`).
    """

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]: ...
