"""From counted patterns to what metrics read: one sample a reading and cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditfw.core.records import OVERALL, Reading, Value, named_cells, sorted_cells
from auditfw.formulas.agreement import MISSING, Judged, Ratings
from auditfw.formulas.agreement.items import Preferences, clustered
from auditfw.formulas.agreement.ratings import ITEMS, JOINED, JOINED_DIFFER, LABELLED
from auditfw.kinds.context import Sample

from .conclusions.orders import Placed, Presentations
from .decisions import FINAL, Decider, flagged
from .rules import AUDITED, MALFORMED, ONE_SIDED, UNKNOWN, Pattern, is_unknown
from .table import CellKey

MOST_DRAWN = 1_000  # samples of pairs in cells: of more the intervals are those of the large-sample error

Counted = Mapping[Pattern, int]


@dataclass(frozen=True)
class SampleSettings:
    """What samples are made by: raters and the one they are held against, labels, and what labels mean.

    `unfit` says of `acceptable` and `valid` why nothing can be counted by them, where that is so; `titles` who the
    raters are; `ordered`: a user says that the labels are steps of a scale; `truth`: the rater that
    labelled a part of the items, to correct the others.
    """

    raters: tuple[str, ...]
    reference: str
    labels: tuple[str, ...]
    values: tuple[float, ...] | None
    abstain: tuple[str, ...]
    acceptable: tuple[str, ...]
    valid: str
    by: tuple[str, ...]
    seed: int
    unfit: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False
    truth: str = ""

    def called(self, name: str) -> str:
        """A reading in words: who the rater is, where that is known, else its name."""
        return self.titles.get(name, name)

    def against(self, name: str) -> str:
        """A rater and the one that it is held against, in words."""
        return f"{self.called(name)} against {self.called(self.reference)}"

    def introduced(self, name: str) -> str:
        """Who a rater is, with its name."""
        return f"{self.titles[name]} ({name})" if name in self.titles else name

    def readings(self, policies: Sequence[str]) -> list[Reading]:
        """Every reading: the reference, the candidates, the groups, and a decision a policy."""
        names = [f"{FINAL}.{policy}" for policy in policies]
        readings = [Reading(self.reference, "reference")] if self.reference in self.raters else []
        readings += [Reading(rater, "candidate") for rater in self.raters if rater != self.reference]
        readings += [Reading("either", "group"), Reading("all", "group")]
        return [*readings, *(Reading(name, "decision") for name in names)]


@dataclass(frozen=True)
class SampleRows:
    """The rows that samples are made of, by cell, item and order; and the faults of each cell."""

    placed: Placed
    faults: Mapping[CellKey, Mapping[str, int]]
    shown: Presentations | None = None

    def items(self, cell: CellKey | None) -> list[Counter[Pattern]]:
        """The patterns of each item of a cell, of all cells for None; none where items are not known."""
        items: dict[str | None, Counter[Pattern]] = {}
        for row in self.placed.rows(cell) if self.placed.itemised else ():
            items.setdefault(row.item, Counter())[row.pattern] += row.n
        return list(items.values())

    def preferences(self, cell: CellKey | None) -> dict[str, Preferences]:
        """How often each rater prefers the answer that came first."""
        shown = self.shown
        if shown is None:
            return {}
        rows = self.placed.rows(cell)
        if not shown.order.raters:
            return {judge: shown.preferences(judge, rows) for judge in shown.judges}
        return dict.fromkeys(shown.order.raters, shown.preferences(shown.judges[0], rows))


def samples(rows: SampleRows, validators: Sequence[str], decider: Decider, settings: SampleSettings) -> list[Sample]:
    """The overall samples, then those of the cells in sorted order."""
    cells, faults = rows.placed.by_cell, rows.faults
    wrong: Counter[str] = Counter()
    for wrong_by_validator in faults.values():
        wrong.update(wrong_by_validator)
    many = len(cells) * (len(settings.raters) - 1) > MOST_DRAWN
    maker = _SampleMaker(settings, decider, tuple(validators), rows, many)
    all_samples = maker.of(None, {}, wrong)
    if settings.by:
        keys = sorted_cells(cells)
        for cell, named in zip(keys, named_cells(keys, settings.by), strict=True):
            all_samples += maker.of(cell, named, faults.get(cell, {}))
    return all_samples


@dataclass(frozen=True)
class _SampleMaker:
    """Makes the samples of every reading, cell by cell."""

    settings: SampleSettings
    decider: Decider
    validators: tuple[str, ...]
    rows: SampleRows
    many: bool = False

    def of(self, cell: CellKey | None, named: Mapping[str, Value], wrong: Mapping[str, int]) -> list[Sample]:
        """The samples of all readings of one cell, of all cells for None."""
        settings, names, placed = self.settings, list(self.decider.policies), self.rows.placed
        counted = placed.every_pattern if cell is None else placed.patterns[cell]
        audited = {pattern: n for pattern, n in counted.items() if pattern.status == AUDITED}
        items, preferences = self.rows.items(cell), self.rows.preferences(cell)
        raters = self._ratings(audited, None, items)
        lone = self._ratings({p: n for p, n in counted.items() if p.status == ONE_SIDED and not p.unknown}, None, items)
        decided = {f"{FINAL}.{name}": self._ratings(audited, i, items) for i, name in enumerate(names)}
        facts = self._facts(counted, wrong)
        samples_of_cell = []
        for reading in settings.readings(names):
            ratings = decided.get(reading.name, decided.get(settings.reference, raters))
            single = reading.role != "group"
            judged = Judged(
                ratings=ratings,
                candidate=reading.name if single else None,
                reference=settings.reference if reading.role == "candidate" else None,
                group=None if single else "either" if reading.name == "either" else "all",
                raters=settings.raters,
                abstain=settings.abstain,
                acceptable=settings.acceptable,
                facts=facts,
                lone=lone,
                unfit=settings.unfit,
                cell=cell or OVERALL,
                preferences=preferences,
                seed=settings.seed,
                many=self.many and cell is not None,
                ordered=settings.ordered,
                truth=settings.truth,
            )
            samples_of_cell.append(Sample(reading, named, judged))
        return samples_of_cell

    def _ratings(self, audited: Counted, policy: int | None, items: Sequence[Counter[Pattern]]) -> Ratings:
        """The ratings of the raters, with the final labels of one policy as a further rater."""
        settings = self.settings
        rows: dict[Pattern, tuple[str | None, ...]] = {}
        for pattern in audited:
            final = () if policy is None else (self.decider.decide(pattern)[policy][0],)
            rows[pattern] = (*pattern.labels, *final)
        labels_used = {label for row in rows.values() for label in row if label is not None}
        used = sorted(labels_used - set(settings.labels))
        labels = (*settings.labels, *used)
        code: dict[str | None, int] = {label: i for i, label in enumerate(labels)} | {None: MISSING}
        names = [*settings.raters, *([] if policy is None else [f"{FINAL}.{list(self.decider.policies)[policy]}"])]
        codes = {pattern: tuple(code[label] for label in row) for pattern, row in rows.items()}
        sums = _summed(audited, codes)
        clusters = clustered(_summed(item, codes) for item in items)
        return Ratings.of(labels, names, sums, None if used else settings.values, clusters)

    def _facts(self, counted: Counted, wrong: Mapping[str, int]) -> dict[str, int]:
        """Whole numbers that need more than the labels of audited rows."""
        statuses = (AUDITED, UNKNOWN) if self.decider.which == "disagreements" else (AUDITED,)
        facts = {
            "disagreements": sum(n for p, n in counted.items() if p.status in statuses and _differs(p)),
            "hard_flags": sum(n for p, n in counted.items() if p.status == AUDITED and flagged(p, self.settings.valid)),
            "overruled": sum(n for p, n in counted.items() if p.status == AUDITED and self.decider.overruled(p)),
        }
        if "valid" in self.settings.unfit and any(p.status == AUDITED and p.flagged for p in counted):
            del facts["hard_flags"]  # some items are flagged, and nobody knows which label calls them valid
        facts |= {name: wrong.get(name, 0) for name in (*self.validators, JOINED, JOINED_DIFFER)}
        return facts | self._labelled(counted)

    def _labelled(self, counted: Counted) -> dict[str, int]:
        """How many items there are, and how many of them each rater gave a label that is declared."""
        sound = [(pattern, n) for pattern, n in counted.items() if pattern.status != MALFORMED]
        by_rater = {
            f"{LABELLED}{rater}": sum(n for p, n in sound if p.labels[j] is not None and not is_unknown(p.labels[j]))
            for j, rater in enumerate(self.settings.raters)
        }
        return {ITEMS: sum(n for _, n in sound), **by_rater}


def _summed(counted: Counted, codes: Mapping[Pattern, tuple[int, ...]]) -> Counter[tuple[int, ...]]:
    """Counted patterns as codes of labels; a pattern without codes is left out."""
    sums: Counter[tuple[int, ...]] = Counter()
    for pattern, n in counted.items():
        if pattern in codes:
            sums[codes[pattern]] += n
    return sums


def _differs(pattern: Pattern) -> bool:
    return len(set(pattern.labels)) > 1 if pattern.status == UNKNOWN else pattern.differs
