"""How the models of a sweep's jobs stand: their error rates under each job, who is ahead in how many scorings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import NamedTuple

from auditfw.audits.answers import enumerated
from auditfw.audits.sweep_settings import SweepTable
from auditfw.core.document import Table, estimated, kept_places, some
from auditfw.core.records import Estimate, Measurement
from auditfw.core.result_json import finite
from auditfw.formulas.claims import RankedRates
from auditfw.formulas.two_rates import pair_sums

from .columns import Group, kept, numbers_of, ranked, ranking_column
from .comparable import comparable, names_of, reading_of
from .jobs import RATE, Job, codes_of

BY = "model"  # the column of by that is shown where there is one of this name
STORED = f"{RATE}@stored"
YOURS = -1  # the number of your labels among those of jobs
MOST, NUMBERS, NONE = 4, 3, "–"
RIGHT, LABELS, MISSING = 1, (0, 1, 2), 255  # the codes of a right label and of all; of none, in a digest
Rates = Mapping[str, Estimate]


class TestedLabels(NamedTuple):
    """The labels of a job as a digest, and the pairs of models of which the first has significantly fewer errors."""

    labels: bytes
    better: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class ModelOrders:
    """The error rates of models (values of the column `of`) under the stored labels, if known, and under each job.

    `groups` are the jobs that may be the best, the best first, those with equal numbers together. `tested` has for each
    job, and for YOURS, what is known of its labels.
    """

    of: str
    stored: Rates | None
    groups: Sequence[Group]
    rates: Mapping[int, Rates]  # by job
    tested: Mapping[int, TestedLabels] = field(default_factory=dict)

    @property
    def title(self) -> str:
        more = len(self.models) - len(self._shown)
        return f"Error by {self.of}, %{f' ({more:,} more in the jobs)' if more else ''}"

    @property
    def models(self) -> list[str]:
        """The models, the best first under what the jobs are compared with."""
        return sorted(self._reference, key=lambda name: (self._reference[name].value or 0.0, name))

    @property
    def _reference(self) -> Rates:
        return self.rates[self.groups[0][0].job] if self.stored is None else self.stored

    @property
    def _shown(self) -> list[str]:
        places = range(len(self.models))
        return [
            self.models[at]
            for at in kept_places(places, {self.models.index(name) for name in self.pair}, MOST, first=1)
        ]

    def table(self, most: int) -> Table:
        """The rates under the stored labels, in the `most` best scorings and in the last, and how many are between."""
        rows = [] if self.stored is None else [["your labels", *self._cells(YOURS)]]
        for group, between in kept(self.scorings, most):
            rows += [[f"… {between:,} more", *[""] * (len(self._shown) + 1)]] if between else []
            rows.append([numbers_of(group, NUMBERS), *self._cells(group[0].job)])
        return Table(["job", *self._shown, "fewest errors"], rows, "<" * (len(self._shown) + 2))

    def _cells(self, job: int) -> Iterator[str]:
        rates = self._rates(job)
        for name in self._shown:
            one = rates[name]
            value = finite(one.value)
            yield NONE if value is None else estimated(value, finite(one.low), finite(one.high))
        least = min(one.value or 0.0 for one in rates.values())
        first, *others = [name for name, one in rates.items() if one.value == least]
        clear = all(self._clear(job, first, name) is not False for name in rates if name != first)
        yield "equal" if others else first if clear else f"{first}, not clear"

    def _rates(self, job: int) -> Rates:
        return self.rates[job] if self.stored is None or job != YOURS else self.stored

    def _clear(self, job: int, a: str, b: str) -> bool | None:
        """Whether the job's own test says that the one or the other has fewer errors; None where it is not known."""
        return None if job not in self.tested else not self.tested[job].better.isdisjoint({(a, b), (b, a)})

    @cached_property
    def scorings(self) -> Sequence[Group]:
        """The jobs by their labels, those with equal labels together; where not known, with equal rates."""
        scorings: dict[object, list[Job]] = {}
        for place, group in enumerate(self.groups):
            for job in group:
                known = self.tested.get(job.job)
                alike = (place, *((name, one.value) for name, one in self.rates[job.job].items()))
                scorings.setdefault(alike if known is None else known.labels, []).append(job)
        return list(scorings.values())

    @cached_property
    def _others(self) -> Sequence[Group]:
        """The scorings whose labels are not yours."""
        return [group for group in self.scorings if not self._is_yours(group[0].job)]

    def _is_yours(self, job: int) -> bool:
        if self.stored is None:
            return False
        if {job, YOURS} <= {*self.tested}:
            return self.tested[job].labels == self.tested[YOURS].labels
        return {name: one.value for name, one in self.rates[job].items()} == {
            name: one.value for name, one in self.stored.items()
        }

    @cached_property
    def _turns(self) -> dict[tuple[str, str], int]:
        """For each pair, the one ahead in the reference first, in how many scorings the other is ahead."""
        return {
            (a, b): sum(_sign(self.rates[group[0].job], a, b) > 0 for group in self._others)
            for a, b in combinations(self.models, 2)
            if _sign(self._reference, a, b) < 0
        }

    @property
    def pair(self) -> tuple[str, str]:
        """The pair that turns in most scorings; the first two where all are equal in the reference."""
        return max(self._turns, key=self._turns.__getitem__, default=(self.models[0], self.models[1]))

    @property
    def sentence(self) -> str:
        """Which of that pair is ahead with your labels, in how many scorings, and in how many of them clearly."""
        (a, b), n = self.pair, len(self._others)
        of, other = (a, b), "scoring" if self.stored is None else "other scoring"
        ahead = [[group for group in self._others if _sign(self.rates[group[0].job], *two) < 0] for two in (of, (b, a))]
        counts = f"in {len(ahead[0])} of {some(n, other)}{self._described(ahead[0])}; {b} in {len(ahead[1])}"
        counts += self._described(ahead[1])
        if self.stored is None:
            start = f"{a} is ahead {counts}"
        elif not _sign(self.stored, a, b):
            start = f"{a} and {b} are equal with your labels{f'; {a} is ahead {counts}' if n else ''}"
        else:
            clear = self._clear(YOURS, a, b)
            known = "" if clear is None else " (clear)" if clear else " (not clear)"
            start = f"{a} is ahead with your labels{known}{f' and {counts}' if n else ', as in every job'}"
        equal = [group for group in self._others if not _sign(self.rates[group[0].job], a, b)]
        alike = f"; equal in {len(equal)} ({_named([job for group in equal for job in group])})" if equal else ""
        others = sum(map(bool, self._turns.values())) - bool(self._turns.get(of))
        return f"{start}{alike}{f'; {others:,} more of {len(self._turns):,} pairs turn' if others else ''}."

    def _described(self, scorings: Sequence[Group]) -> str:
        """` (2 clear; one is the best)`, of the scorings in which one of a pair is ahead."""
        clear = [self._clear(group[0].job, *self.pair) for group in scorings]
        n, alone = sum(map(bool, clear)), len(clear) == 1
        how = "" if alone else "all " if n == len(clear) else f"{n or 'none'} "
        words = [] if not clear or None in clear else ["not clear" if alone and not n else f"{how}clear"]
        if len(self._others) > 1 and any(self.groups[0][0] in group for group in scorings):
            words.append("the best" if alone else "one is the best")
        return f" ({'; '.join(words)})" if words else ""


def model_orders(sweep: Path, every: Sequence[Job], settings: SweepTable) -> ModelOrders | None:
    """The models under each of the jobs that may be the best; None where not all judged the same, of two or more.

    The jobs have their common names; their labels are read. Raises UsageError for a column that none has.
    """
    column = ranking_column(every, settings)
    groups = ranked(every, column, settings)
    jobs = [job for group in groups for job in group]
    if column.partition("@")[0] != RATE or not jobs or not comparable(column, every):
        return None
    columns = dict.fromkeys(name for one in _cells(jobs[0], column) for name in one.cell)
    of = next((name for name in [BY, *columns] if len(_rates(jobs[0], column, name)) > 1), None)
    if of is None:
        return None
    rates = {job.job: _rates(job, column, of) for job in jobs}
    stored = next((known for job in jobs if (known := _rates(job, STORED, of))), None)
    every_one = [*rates.values(), *([stored] if stored else [])]
    if any(each.keys() != every_one[0].keys() for each in every_one):
        return None
    if any(finite(one.value) is None for each in every_one for one in each.values()):
        return None
    tested = {
        job.job: one
        for job in jobs
        if (one := tested_labels(sweep / job.folder, reading_of(column, job), of, list(rates[job.job])))
    }
    if stored is not None:
        yours = (tested_labels(sweep / job.folder, "stored", of, list(stored)) for job in jobs)
        tested.update((YOURS, one) for one in [next(filter(None, yours), None)] if one is not None)
    return ModelOrders(of, stored, groups, rates, tested)


def _rates(job: Job, name: str, of: str) -> Rates:
    """A job's error rates by the values of a column; without intervals where several cells have a value."""
    cells: dict[str, list[Estimate]] = {}
    for one in _cells(job, name):
        if of in one.cell:
            cells.setdefault(str(one.cell[of]), []).append(one.estimate)
    return {value: _pooled(every) for value, every in cells.items()}


def _cells(job: Job, name: str) -> Sequence[Measurement]:
    """The cells of a column; of a metric those of the job's reading."""
    return job.cells.get(name if "@" in name else next(iter(names_of(name, job)), ""), ())


def _pooled(cells: Sequence[Estimate]) -> Estimate:
    if len(cells) == 1:
        return cells[0]
    counted = [(one.value, one.counted) for one in cells if finite(one.value) is not None and one.counted]
    n = sum(count for _, count in counted)
    return Estimate(fsum((value or 0.0) * count for value, count in counted) / n if n else None, n)


def _sign(rates: Rates, a: str, b: str) -> int:
    """-1 where the first has fewer errors, 1 where the other has, 0 where they are equal."""
    one, other = rates[a].value or 0.0, rates[b].value or 0.0
    return (one > other) - (one < other)


def _named(jobs: Sequence[Job]) -> str:
    """`job 4`, `jobs 6, 10, 11`."""
    names = enumerated([str(job.job) for job in sorted(jobs, key=lambda one: one.job)])
    return f"{'job' if len(jobs) == 1 else 'jobs'} {names}"


def tested_labels(folder: Path, reading: str, of: str, models: Sequence[str]) -> TestedLabels | None:
    """The labels of a job under a reading, and which of the models (values of `of`) are resolved as better than which.

    By the test of the parsing audit for the order of a column: items as clusters, pairs adjusted by Holm.
    """
    import numpy as np

    table = codes_of(folder, reading, of)
    if table is None or table.is_empty():
        return None
    numbers, codes = {name: i for i, name in enumerate(models)}, table["code"].to_numpy()
    cells = np.array([numbers.get(str(value), -1) for value in table[f"of.{of}"].to_list()], np.int64)
    items = np.unique(table["item"].to_numpy(), return_inverse=True)[1]
    labelled = np.isin(codes, LABELS)
    digest = sha256(np.where(labelled, codes == RIGHT, MISSING).astype(np.uint8).tobytes()).digest()
    kept = labelled & (cells >= 0)
    number = int(items.max()) + 1
    rows, into = np.unique(cells[kept] * number + items[kept], return_inverse=True)
    trials, right = np.bincount(into), np.bincount(into, codes[kept] == RIGHT).astype(np.int64)
    sums = pair_sums(rows // number, len(models), rows % number, trials, trials - right)
    better = RankedRates(sums, higher=False).better
    pairs = ((i, j) for i, row in enumerate(better) for j, is_better in enumerate(row) if is_better)
    return TestedLabels(digest, frozenset((models[i], models[j]) for i, j in pairs))
