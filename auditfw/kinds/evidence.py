"""Sources, and the evidence that they open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from auditfw.core.inputs import FileSum
from auditfw.core.notes import Size
from auditfw.core.records import Input

from .context import Task


@dataclass(frozen=True)
class Evidence:
    """An opened source: tasks that each give one batch, in an order that depends on the input alone.

    `columns` are the names every batch carries; `rows` is a rough number of rows (None: unknown);
    `inputs` computes the list of files with their SHA-256 when called (it may take a while);
    `check` raises DataError if a file changed since it was opened, and so does `inputs`; `size` counts the rows, as far
    as that is cheap. `void` are columns that are there but hold nothing in any row: they are left out of `columns`;
    `filled` are some that are known to hold something, without a look at any batch. `unsummed` are the files whose
    checksums the workers of a cluster may compute, which read them anyway.
    """

    tasks: Iterable[Task]
    columns: tuple[str, ...]
    rows: int | None
    inputs: Callable[[], list[Input]]
    check: Callable[[], None]
    warnings: tuple[str, ...] = ()
    size: Callable[[], Size] | None = None
    void: tuple[str, ...] = ()
    filled: frozenset[str] = frozenset()
    unsummed: Callable[[], Sequence[FileSum]] = tuple

    def lacks(self, column: str) -> str:
        """Why there is nothing in a column that is none of `columns`."""
        if column in self.void:
            return f"no row has a value in the column '{column}'"
        return f"the source has no column '{column}'"

    def counted(self) -> Size:
        """How many rows there are: counted where that is cheap."""
        return Size(0, None, self.rows) if self.size is None else self.size()


class OnePass(Protocol):
    """Tasks that are checked while they are done: each has a `note` behind its batch, for `take`, in any order.

    When all are taken, `finish` raises DataError for what only all of them together show.
    """

    @property
    def tasks(self) -> Iterable[Task]: ...

    def take(self, note: bytes) -> None: ...

    def finish(self) -> None: ...


@runtime_checkable
class CheckedTasks(Protocol):
    """Tasks that look over all records before the first of them, or can be checked on the way."""

    def one_pass(self) -> OnePass | None:
        """The same, checked while they are done; None where there is nothing to check, or it must be known before."""
        ...


def one_pass_of(tasks: Iterable[object]) -> OnePass | None:
    """The way to check tasks while they are done; None where there is none."""
    return tasks.one_pass() if isinstance(tasks, CheckedTasks) else None


class ScorerRule(NamedTuple):
    """A rule by which labels were stored: what its harness calls it, its options, and the version of the harness.

    Where no version is known, `date` may say when that was (2026-05-20), or `task_version` the version of its task.
    """

    name: str
    options: Mapping[str, Any]
    version: str
    date: str = ""
    task_version: str = ""


class ShippedScorer(NamedTuple):
    """The shipped scorer that is a rule of a log: its `name`, and what has to be set in it (`matcher.location=any`).

    Or there is none: `why`, and whether the rule is one that asks a model, `judged`.
    """

    name: str = ""
    settings: tuple[str, ...] = ()
    why: str = ""
    judged: bool = False


CONDITIONS = (  # what may be known of how a log was made, in the order in which it is shown
    "harness", "task", "task version", "dataset", "split", "model", "chat template", "system text", "shots",
    "temperature", "top_p", "seed", "repeats", "limit", "stop texts", "scorer", "judge",
)  # fmt: skip


@dataclass(frozen=True)
class LogConditions:
    """What a log was made under.

    `values` are plain values by the names of `CONDITIONS`; "" says that there was none (no system text, no judge), and
    what the log does not say is None or absent. `prompts` are the whole prompts of its first items, by item; `asked`
    says that the column `question` holds the whole prompt of every trial.
    """

    values: Mapping[str, Any]
    prompts: Mapping[str, str] = field(default_factory=dict)
    asked: bool = False


class Source(Protocol):
    """Yields evidence: `open(required, optional)` finds files and columns, raising DataError with file and column.

    `optional=None` asks for every column there is. It may also declare

    - `by`: the columns of a run's cells where the run itself names none;
    - `raters()`: the names of the raters whose labels it holds, () where only the records tell;
    - `titles`: who the raters of these names are, in words for people (`{"scholar": "GPT-4"}`);
    - `common()`: columns, besides those of judgements, that the records of two raters of an item may have both;
    - `rules()`: the rules that gave the stored labels, as far as its files declare them, a `ScorerRule` for each value
      of the column that `ruled_by` names (`scorer` where it names none);
    - `recognises(look)`, a static method: whether the files of a path are its own, by a `FirstLook`; with it `logs`,
      what they are, in words;
    - `proposes(looks)`, a static method, of one whose files are no logs: the run that several files are together, each
      by a `FirstLook`, as a `Recognised`, else None; and `lacks(look)`: the same of one file that is a part of a run;
    - `beside_logs(look, logs)`, a static method: the logs of its own beside which a file was written that is none, as
      samples and their results are; None for any other file;
    - `scorers_of(rule)`, a static method: the `ShippedScorer` that is a rule of its logs; of a rule that changed one
      for each state, the newest first, of which the first counts that holds for the version;
    - `conditions()`: what its logs were made under, a `LogConditions` for each, by no more than the start of each log;
    - `unfinished()`: in words how a run of its logs stands whose harness says that it has not ended well; else empty;
    - `assumed_limit`: the most tokens of an answer by its harness's defaults, where its files do not say it; else None;
    - `limit`: how many of its rows are read at most, None for all;
    - `chooses`: the names of its settings that choose one of the rules;
    - `rivals`: "rules" where its rules label the same answers, so that each is a rival of the others; "of_rule" where
      a rival is to be compared by the matcher of each row's own rule;
    - `scanned = True`: it opens in threads of this process, so that workers need not be ready before;
    - `summed = True`: reading its records gives the checksums of its files as well.

    Of a source whose settings are `columns` (our names to theirs), `where` (the condition on rows), `duplicates`,
    `malformed` or `missing_qid` (what becomes of such records) the consistency audit reads these or sets its own.
    """

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence: ...
