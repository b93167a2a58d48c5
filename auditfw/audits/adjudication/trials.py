"""The trials of the run that people labelled: what its readings say, its cells and classes, and the labels beside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from auditfw.core.digits import chance
from auditfw.core.document import some
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.imports import np
from auditfw.core.inputs import watch
from auditfw.core.records import OVERALL, Cell, Input
from auditfw.core.remote.places import actual
from auditfw.formulas.people.shares import joined_classes, not_at_random
from auditfw.formulas.people.strata import CLASSES, classes_of

from .draw import distinct
from .draw_files import DRAW, FIRST, StoredDraw, read_draw
from .labels import PersonsLabel, TrialLabels, labels_of_trials, not_reached, read_labels
from .numbers import NO_LABEL, RIGHT, UNDECIDED, WRONG, PeoplesRows
from .run_trials import ID, AuditedRun, RunTrials, audited_run
from .settings import AdjudicationSettings

if TYPE_CHECKING:
    from .draw import Codes

PARTS = ("where readings differ", *CLASSES)
FAR = 3.0  # standard deviations
HAND_PICKED = 0.001  # the p-value below which labels are not of trials at random

Status = Literal["audited", "undecided", "skipped", "not_reached"]
STATUSES: Mapping[int, Status] = {RIGHT: "audited", WRONG: "audited", UNDECIDED: "undecided", NO_LABEL: "not_reached"}


class LabelledTrial(NamedTuple):
    """A trial that people were to label: its place among the rows, id, key, class, probability, what became of it."""

    place: int
    id: str
    key: str
    kind: int
    probability: float | None
    status: Status


class NamedTrial(NamedTuple):
    """A drawn trial for people: its cell, what people say (1, 0, 2 undecided, -1), the labels of the readings."""

    drawn: LabelledTrial
    cell: Cell
    people: int
    labels: Mapping[str, int]


@dataclass(frozen=True)
class LabelledTrials:
    """The trials of a run that have a class, with what people say of them.

    `rows` are those with a label, and the others once for each sort; `cell` numbers the cell of each row in `cells`,
    which are those of the columns `by`. `trials` were to be labelled, `labelled` is what the files say, `counts` what
    became of them (or of the rows of files). `effective_items` are the questions that the error rate of the reference
    is worth, by cell and () for all; `items` says whether the run knows them.
    """

    run: AuditedRun
    draw: StoredDraw | None
    rows: PeoplesRows
    by: Sequence[str]
    cells: Sequence[Cell]
    cell: Any
    trials: Sequence[NamedTrial]
    labelled: TrialLabels
    counts: Mapping[str, int]
    effective_items: Mapping[Cell, float]
    items: bool
    inputs: Sequence[Input]

    @property
    def reference(self) -> str:
        """The reading that people are held against first."""
        return next(iter(self.rows.readings))

    def inside(self, cell: Cell) -> Any:
        """Which rows are in a cell; None where that is all of them."""
        return None if cell == OVERALL else self.cell == list(self.cells).index(cell)


class _Labels(NamedTuple):
    """What one way to choose trials comes to: the group of each row, the trials, counts, weights.

    `people` has the code of each row, `items` a number for the item of each labelled one, None where none is known.
    """

    labelled: TrialLabels
    people: Codes
    group: Any
    groups: int
    drawn: Sequence[LabelledTrial]
    counts: Mapping[str, int]
    items: Any
    probability: Any = None


def labelled_trials(settings: AdjudicationSettings, by: Sequence[str]) -> LabelledTrials:
    """Reads the run, the draw if there is one, and all labels. Raises UsageError or DataError."""
    run = audited_run(Path(settings.run_))
    draw = read_draw(run.folder, settings.draw) if settings.sampling == "drawn" else None
    names = list(draw.readings) if draw else [run.reference, *(one for one in run.readings if one != run.reference)]
    reference = _checked(settings.reference or names[0], names, run, by)
    codes = {name: run.codes(name) for name in names}
    trials = RunTrials(run, classes_of(list(codes.values())))
    read, by_id = read_labels(settings)
    if draw is not None:
        chosen = _drawn(settings, trials, draw, read, by_id)
    else:
        chosen = _elsewhere(settings, trials, read, by_id)
    kept = {name: codes[name][trials.kept] for name in (reference, *(one for one in names if one != reference))}
    kept = dict(kept if draw else distinct(kept))
    cells, cell = trials.coded(by)
    as_drawn = draw is not None and tuple(draw.by) == tuple(by) and reference == draw.reference
    effective = draw.n_eff if draw and as_drawn else trials.effective_items(kept[reference], cells, cell)
    named = [
        NamedTrial(one, cells[int(cell[one.place])], int(chosen.people[one.place]), labels)
        for one in chosen.drawn
        for labels in [{name: int(codes[one.place]) for name, codes in kept.items()}]
    ]
    rows, at = _rows(settings, trials, chosen, kept, cell)
    files = [*([str(draw.folder / DRAW)] if draw else []), *settings.labels]
    inputs = [run.input, *(one for file in dict.fromkeys(files) for one in watch([actual(file)]).inputs())]
    worth = {name: n for name, n in effective.items() if n is not None}
    further = (named, chosen.labelled, chosen.counts, worth, chosen.items is not None, inputs)
    return LabelledTrials(run, draw, rows, by, cells, cell[at], *further)


def _checked(reference: str, readings: Sequence[str], run: AuditedRun, by: Sequence[str]) -> str:
    """The reading that is held against people first. Raises UsageError where it, or a column of cells, is unknown."""
    if reference not in readings:
        raise UsageError("audit.reference", f"no reading '{reference}'", None, nearest(reference, readings))
    for name in by:
        if name not in run.cells:
            what = f"no column '{name}' among the cells of the run"
            raise UsageError("by", what, None, nearest(name, run.cells) if run.cells else "leave it out: by=[]")
    return reference


def _rows(
    settings: AdjudicationSettings, trials: RunTrials, chosen: _Labels, kept: Mapping[str, Codes], cell: Any
) -> tuple[PeoplesRows, Any]:
    """The labelled rows, and each sort of the others once; and which rows of the run these are."""
    at, times = _sorts(chosen.people, [chosen.group, cell, *(codes + 1 for codes in kept.values())])
    items = (np.arange(len(trials.kept)) if chosen.items is None else chosen.items)[at]
    chances = None if chosen.probability is None else chosen.probability[at]
    few = {name: codes[at] for name, codes in kept.items()}
    parts = (chosen.group[at], chosen.groups, items, chosen.people[at], few, times)
    return PeoplesRows(*parts, settings.sampling == "items", chances), at


def _sorts(people: Codes, columns: Sequence[Any]) -> tuple[Any, Any]:
    """The rows with a label, then one row of each sort of the others, and how many rows each stands for."""
    labelled, others = np.flatnonzero(people != NO_LABEL), np.flatnonzero(people == NO_LABEL)
    code = np.zeros(len(others), np.int64)
    for column in columns:
        values, at = np.unique(column[others], return_inverse=True)
        _, code = np.unique(code * len(values) + at, return_inverse=True)
    _, first, times = np.unique(code, return_index=True, return_counts=True)
    return np.concatenate([labelled, others[first]]), np.concatenate([np.ones(len(labelled), np.int64), times])


def _drawn(
    settings: AdjudicationSettings, trials: RunTrials, draw: StoredDraw, read: Sequence[PersonsLabel], by_id: bool
) -> _Labels:
    """Labels of the trials that `auditfw label` drew."""
    frame = draw.rows()
    keys, ids, kinds = (frame[name].to_list() for name in ("key", "id", "class"))
    if by_id:
        key_of = dict(zip(ids, keys, strict=True))
        read = [replace(row, trial=key_of.get(row.trial, row.trial)) for row in read]
    elsewhere = _other_keys(trials.run.folder, draw.folder)
    labelled = labels_of_trials(read, set(keys), elsewhere, settings)
    skipped, _ = not_reached([page.keys for one in draw.rounds for page in one.pages], labelled)
    people, drawn, places = np.full(len(trials.kept), NO_LABEL, np.int8), [], trials.places(ids)
    for key, name, kind, probability in zip(keys, ids, kinds, frame["probability"].to_list(), strict=True):
        place, code = places[name], labelled.codes.get(key, UNDECIDED if key in skipped else NO_LABEL)
        people[place] = code
        drawn.append(
            LabelledTrial(place, name, key, kind, probability, "skipped" if key in skipped else STATUSES[code])
        )
    counts = _counts([one.status for one in drawn])
    cells, cell = trials.coded(draw.by)
    group = cell * len(CLASSES) + trials.kinds[trials.kept]
    items = _items(trials, [places[name] for name in ids], frame["item"].to_list())
    return _Labels(labelled, people, group, len(cells) * len(CLASSES), drawn, counts, items)


def _items(trials: RunTrials, places: Sequence[int], items: Sequence[Any]) -> Any:
    """A number for the item of each drawn trial, as the draw names it; None where it names none."""
    if all(item is None for item in items):
        return None
    codes, number = np.full(len(trials.kept), -1, np.int64), dict[Any, int]()
    for place, item in zip(places, items, strict=True):
        codes[place] = number.setdefault(("", place) if item is None else item, len(number))
    return codes


def _counts(became: Sequence[str]) -> dict[str, int]:
    return {"read": len(became), "audited": 0, **dict(sorted(Counter(became).items()))}


def _other_keys(run: Path, own: Path) -> set[str]:
    """The keys of the other draws of a run."""
    keys = set[str]()
    for file in sorted(run.glob(f"{FIRST}*/{DRAW}")):
        if file.parent.resolve() != own.resolve():
            keys.update(read_draw(run, f"{file.parent}/").rows()["key"].to_list())
    return keys


def _elsewhere(settings: AdjudicationSettings, trials: RunTrials, read: Sequence[PersonsLabel], by_id: bool) -> _Labels:
    """Labels of trials that were chosen elsewhere, as the settings state."""
    file = settings.labels[0]
    if not by_id:
        what = "names trials by the keys of a draw, not by their ids"
        raise DataError(file, what, None, "audit.columns.id=NAME, or audit.sampling=drawn")
    named = {row.trial for row in read}
    known = trials.places(named)
    unlabelled = {name for name in trials.run.frame[ID] if name in named} - known.keys()
    labelled = labels_of_trials(read, known, unlabelled, settings)
    places = [known[name] for name in labelled.codes]
    people, kinds = np.full(len(trials.kept), NO_LABEL, np.int8), trials.kinds[trials.kept]
    people[places] = list(labelled.codes.values())
    group, chances = np.zeros(len(people), np.int64), None
    if settings.sampling == "random":
        group = _at_random(file, people, kinds)
        _single_trials(file, trials, places)
    elif settings.sampling == "items":
        _whole_items(file, trials, places)
    else:
        chances = np.ones(len(people))
        chances[places] = [_probability(labelled.labels[name]) for name in labelled.codes]
    drawn = [
        LabelledTrial(place, name, "", int(kinds[place]), None if chances is None else float(chances[place]), status)
        for place, name in sorted(zip(places, labelled.codes, strict=True))
        for status in [STATUSES[int(people[place])]]
    ]
    counts = _counts([_became(row, labelled, unlabelled) for row in labelled.rows])
    items = None if trials.items is None else trials.item_numbers
    return _Labels(labelled, people, group, len(CLASSES), drawn, counts, items, chances)


def _became(row: PersonsLabel, labelled: TrialLabels, unlabelled: Container[str]) -> str:
    """What became of a row: `audited` or `undecided` with its trial, no truth in the run, or an empty cell."""
    if row.trial in unlabelled:
        return "not_audited"
    return "empty" if row.code is None else STATUSES[labelled.codes[row.trial]]


def _at_random(file: str, people: Codes, kinds: Codes) -> Any:
    """The joined classes that labels of trials at random count within. Raises DataError where they are not."""
    number = len(CLASSES)
    trials = np.bincount(kinds, minlength=number).tolist()
    labels = np.bincount(kinds[people != NO_LABEL], minlength=number).tolist()
    p = not_at_random(list(zip(trials, labels, strict=True)))
    if p < HAND_PICKED:
        where, chosen, every = _apart(labels, trials)
        what = f"these are no random trials: {chosen:.0f} % {where}, {every:.0f} % of all"
        raise DataError(file, what, chance(p), "give their probabilities: audit.sampling=probability")
    decided = np.bincount(kinds[(people == RIGHT) | (people == WRONG)], minlength=number).tolist()
    joined = np.array(joined_classes(decided))
    return joined[kinds].astype(np.int64)


def _single_trials(file: str, trials: RunTrials, places: Sequence[int]) -> None:
    """Raises DataError where labels lie in far fewer items than those of single trials at random would.

    Of N trials n are chosen: an item of s trials has none of them by (1 - s/N) (1 - s/(N - 1)) ... in n steps; the
    number of items with one varies less than if they were independent.
    """
    if trials.items is None or len(places) < 2:
        return
    _, sizes = np.unique(trials.item_numbers, return_counts=True)
    left = len(trials.kept) - np.arange(len(places))
    sorts, times = np.unique(sizes, return_counts=True)
    none = np.array([np.prod(np.clip(1 - size / left, 0, 1)) for size in sorts])
    expected, spread = float((times * (1 - none)).sum()), float((times * none * (1 - none)).sum()) ** 0.5
    items = len(set(trials.item_numbers[places].tolist()))
    if items < expected - FAR * spread - 1:
        what = f"these are no random single trials: {some(len(places), 'label')} of {some(items, 'question')}"
        do = "whole questions at random: audit.sampling=items, all trials of each labelled"
        raise DataError(file, what, f"{expected:.0f} are expected", do)


def _apart(labels: Sequence[int], trials: Sequence[int]) -> tuple[str, float, float]:
    """Where labels are most over- or underrepresented, and the shares in percent of the labels and of the trials."""
    parts = [[100 * n / math.fsum(counts) for n in (counts[2] + counts[3], *counts)] for counts in (labels, trials)]
    return max(zip(PARTS, *parts, strict=True), key=lambda part: abs(part[1] - part[2]))


def _whole_items(file: str, trials: RunTrials, places: Sequence[int]) -> None:
    """Raises DataError where an item is labelled in part, or where the run knows no items."""
    if trials.items is None:
        do = "audit.sampling=random if single trials were chosen"
        raise DataError(file, "the run knows no items", None, do)
    labels, sizes = Counter(trials.items[place] for place in places), Counter(trials.items)
    for item, n in labels.items():
        if n < sizes[item]:
            raise DataError(
                file, f"item {item}: {n} of {some(sizes[item], 'trial')} have a label", None, "label all of them"
            )


def _probability(rows: Sequence[PersonsLabel]) -> float:
    """By which probability a trial was chosen. Raises DataError for anything else."""
    for row in rows:
        with suppress(ValueError):
            if 0 < (chosen := float(row.probability)) <= 1:
                return chosen
        raise DataError(row.place, "expected a probability above 0, at most 1", row.probability or "nothing")
    raise AssertionError  # a trial with a code has a row
