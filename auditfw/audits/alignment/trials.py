"""A batch of scenarios as the alignment audit reads it: labels, what was meant, parameters that fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from zlib import crc32

from auditfw.core.errors import UsageError
from auditfw.core.imports import NDArray, np
from auditfw.formulas.parameter_search import OutOfBounds, fitted
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.simulation import ScenarioBatch

from .intended import Meaning, meaning

# A whole number for each scenario and replicate, keyed by the run's seed and the scenario's label.

AUDIT = "alignment"


class Seeds(Sequence[int]):
    """A number below 2**63 for each scenario, made when the first is asked for.

    It is keyed by the label, so equal labels have equal ones, or by the scenario's number where none has a label.
    """

    def __init__(self, seed: int, replicate: int, labels: Sequence[str | None], start: int) -> None:
        self.labels, self.start, self.key = labels, start, stream(seed, f"replicate {replicate}")
        self._made: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: Any) -> Any:
        return self.__array__()[at].tolist()

    def __iter__(self) -> Iterator[int]:
        return iter(self.__array__().tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All of them as a column."""
        if self._made is None:
            numbers = range(self.start, self.start + len(self.labels))
            hashed: Any = np.arange(numbers.start, numbers.stop, dtype=np.uint64)
            if self.labels.count(None) < len(self.labels):
                words = (str(n) if label is None else label for n, label in zip(numbers, self.labels, strict=True))
                hashed = [crc32(word.encode("utf-8", "replace")) for word in words]
            seeds = mixed(np.asarray(hashed, dtype=np.uint64), self.key) >> np.uint64(1)
            self._made = seeds.astype(np.int64)
        return self._made if dtype is None else self._made.astype(dtype)


def ranks(seed: int, numbers: NDArray[np.uint64], purpose: str) -> NDArray[np.uint64]:
    """A place in a seeded draw for each number."""
    return mixed(numbers, stream(seed, purpose))


def stream(seed: int, purpose: str) -> np.uint64:
    """The key of a random stream: of the seed, this audit and the purpose."""
    return np.uint64(int.from_bytes(blake2b(f"{seed}\0{AUDIT}\0{purpose}".encode(), digest_size=8).digest()))


def mixed(numbers: NDArray[np.uint64], key: np.uint64) -> NDArray[np.uint64]:
    """Numbers stirred with a key (the finaliser of SplitMix64, Steele, Lea and Flood 2014, OOPSLA)."""
    with np.errstate(over="ignore"):
        word = numbers * np.uint64(0x9E3779B97F4A7C15) + key
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(word ^ (word >> np.uint64(31)))


OWN = ("label", "intended", "params", "id")


@dataclass(frozen=True)
class Numbered:
    """A task with the number of its first scenario, where that is known already."""

    task: Task
    start: int


@dataclass(frozen=True)
class ReadScenarios:
    """The scenarios of a batch: labels, what was meant, parameters that fit, and which of them are the baseline.

    `moved` is how many values of parameters were moved to their bounds.
    """

    labels: list[str | None]
    meant: Meaning
    params: Sequence[Mapping[str, Any]]
    moved: int
    baseline: Any

    @property
    def repeated(self) -> int:
        """The place of the scenario that runs again: the first that is not the baseline."""
        return int(np.argmin(self.baseline))


@dataclass(frozen=True)
class Names(Sequence[str]):
    """The labels of scenarios, the number of one that has none; `quoted` as messages name them, with their `places`."""

    labels: Sequence[str | None]
    start: int
    quoted: bool = False
    places: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: Any) -> Any:
        label = self.labels[at]
        if label is None:
            return str(self.start + range(len(self.labels))[at])
        return f"'{label}'{f' ({self.places[at]})' if self.places else ''}" if self.quoted else label


@dataclass(frozen=True)
class ScenarioRules:
    """What the scenarios of a batch are read by.

    - `baseline` is the label of the scenario that others are compared with (None: there is none);
    - `limits` are the bounds of the simulator's parameters, `optional` those that it can do without;
    - `no_data_is_zero` says that a scenario may give nothing.
    """

    baseline: str | None
    no_data_is_zero: bool
    limits: Mapping[str, tuple[float, float]] | None
    optional: frozenset[str]
    out_of_bounds: OutOfBounds

    def read(self, columns: Mapping[str, Sequence[Any]], start: int) -> ReadScenarios:
        """The scenarios of a batch.

        Raises DataError for what cannot be meant and for parameters that do not fit, UsageError for a missing baseline.
        """
        size = len(columns["intended"])
        labels = list(columns.get("label") or [None] * size)
        if labels.count(None) != size and not {str, type(None)}.issuperset(map(type, labels)):
            labels = [None if label is None else str(label) for label in labels]
        baseline = np.zeros(size, dtype=bool)
        if self.baseline is not None:
            baseline[:] = [label == self.baseline for label in labels]
        names = Names(labels, start, quoted=True, places=columns.get("place", ()))
        meant = meaning(columns["intended"], names, baseline | self.no_data_is_zero)
        if self.baseline is None and any(aims.change is not None for aims in meant.aims.values()):
            key = next(key for key, aims in meant.aims.items() if aims.change is not None)
            what = f"is not set, but scenarios intend '{key}' to change, or not to change, from a baseline"
            raise UsageError("audit.baseline", what, None, "write audit.baseline=LABEL of a scenario")
        params_column: Any = columns.get("params")
        rows = [{}] * size if params_column is None else params_column
        params, moved = fitted(Names(labels, start), rows, self.limits, self.out_of_bounds, self.optional)
        return ReadScenarios(labels, meant, params, moved, baseline)


def batch_of(
    seed: int,
    columns: Mapping[str, Sequence[Any]],
    read: ReadScenarios,
    start: int,
    run: tuple[int, Sequence[int] | None],
) -> ScenarioBatch:
    """The scenarios of a batch as a simulator gets them in `run`: which replicate, and which of them (None: all).

    `further` are the set's own columns.
    """
    replicate, rows = run
    further = {name: column for name, column in columns.items() if name not in OWN}
    labels: Any = Names(read.labels, start) if None in read.labels else read.labels
    numbers = range(start, start + len(read.labels))
    whole = ScenarioBatch(numbers, labels, read.params, Seeds(seed, replicate, read.labels, start), further)
    if rows is None:
        return whole
    return ScenarioBatch(
        [whole.numbers[i] for i in rows],
        [labels[i] for i in rows],
        [dict(whole.params[i]) for i in rows],
        [whole.seeds[i] for i in rows],
        {name: [column[i] for i in rows] for name, column in further.items()},
    )


def numbered(evidence: Evidence, starts: Sequence[int] | None) -> Iterator[Numbered]:
    """The tasks with the numbers of their first scenarios where known."""
    for place, task in enumerate(evidence.tasks):
        yield Numbered(task, 0 if starts is None else starts[place])
