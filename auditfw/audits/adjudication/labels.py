"""Labels of people read back: one word a row, one code a trial, and what became of every row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from auditfw.components.files.filled_rows import filled_rows
from auditfw.core.document import some
from auditfw.core.errors import DataError, UsageError, nearest

from .numbers import RIGHT, UNDECIDED, WRONG
from .settings import MAJORITY, AdjudicationSettings, folded
from .settings import UNDECIDED as LEFT_OPEN

GALLERY = ("reading", "kind")  # columns of the decisions that a gallery's page saves


@dataclass(frozen=True)
class PersonsLabel:
    """One row of a label file: the trial's key or id, its code (None: an empty cell), who gave it, a note, where."""

    trial: str
    code: int | None
    word: str
    labeller: str
    note: str
    file: str
    row: int
    probability: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.row}"


@dataclass
class TrialLabels:
    """What people say of trials, by key or id: the code of each that has one, and all labels there are.

    `others` counts rows about trials of other draws.
    """

    codes: dict[str, int] = field(default_factory=dict)
    labels: dict[str, list[PersonsLabel]] = field(default_factory=dict)
    rows: list[PersonsLabel] = field(default_factory=list)
    others: int = 0

    def pairs(self) -> list[tuple[int, int]]:
        """The codes of two labellers each, of trials that two people decided: the first two by name."""
        decided = ({one.labeller: one.code for one in labels} for labels in self.labels.values())
        codes = ([code for _, code in sorted(by.items()) if code in (RIGHT, WRONG)] for by in decided)
        return [(two[0], two[1]) for two in codes if len(two) > 1 and two[0] is not None and two[1] is not None]


def read_labels(settings: AdjudicationSettings) -> tuple[list[PersonsLabel], bool]:
    """The rows of all label files, in their order, and whether they name trials by ids.

    Raises DataError for a file that cannot be used, or a word.
    """
    codes = {folded(word): code for code, named in _words(settings) for word in named}
    columns, rows = settings.columns, []
    names: set[str] = set()
    for file in settings.labels:
        read = list(filled_rows(file))
        column = _check_columns(file, [row for _, row in read], settings, codes)
        names.add(column)
        for at, row in read:
            word = row.get(columns.label, "").strip()
            trial, who = row.get(column, "").strip(), row.get(columns.labeller, row.get("annotator", "")).strip()
            further = (row.get(columns.note, ""), file, at, row.get(columns.probability, ""))
            rows.append(PersonsLabel(trial, codes.get(folded(word), -1) if word else None, word, who, *further))
    if len(names) > 1:
        raise DataError(settings.labels[-1], "names trials by another column than the files before", sorted(names))
    _check_words(rows, settings)
    return rows, settings.columns.id in names


def _words(settings: AdjudicationSettings) -> list[tuple[int, Sequence[str]]]:
    return [(RIGHT, settings.right), (WRONG, settings.wrong), (UNDECIDED, settings.unsure)]


def _check_columns(
    file: str, rows: Sequence[Mapping[str, str]], settings: AdjudicationSettings, words: Container[str]
) -> str:
    """The column that names trials. Raises DataError where it or that of the labels is missing."""
    columns, first = settings.columns, rows[0] if rows else {}
    if set(GALLERY) <= set(first):
        what, do = "holds decisions of a gallery, whose readers saw the labels", "they are shown by: auditfw report RUN"
        raise DataError(file, what, ", ".join(first), f"{do} decisions={file}")
    if not first:
        return columns.key
    free = [name for name in first if name not in {*vars(columns).values(), "question", "expected", "answer"}]
    if columns.key not in first and columns.id not in first:
        what = f"no column '{columns.key}' or '{columns.id}'"
        raise DataError(file, what, ", ".join(first), f"audit.columns.id={next(iter(free), 'NAME')}")
    if columns.label not in first:
        spelt = [name for name in free if all(folded(row[name]) in words for row in rows if row[name].strip())]
        do = f"audit.columns.label={next(iter([*spelt, *free]), 'NAME')}"
        raise DataError(file, f"no column '{columns.label}'", ", ".join(first), do)
    return columns.key if columns.key in first else columns.id


def _check_words(rows: Sequence[PersonsLabel], settings: AdjudicationSettings) -> None:
    unknown = [row for row in rows if row.code == -1]
    if unknown:
        first, times = unknown[0], sum(folded(row.word) == folded(unknown[0].word) for row in unknown)
        words = ", ".join(named[0] for _, named in _words(settings) if named)
        do = f"{words}, or audit.unsure=[{first.word}] (audit.right and audit.wrong likewise, with all words of theirs)"
        raise DataError(first.place, f"{first.word!r} is no label", some(times, "row"), do)


def labels_of_trials(
    rows: Iterable[PersonsLabel], known: Collection[str], elsewhere: Collection[str], settings: AdjudicationSettings
) -> TrialLabels:
    """The labels of trials that are `known`; those of `elsewhere` are counted.

    Raises DataError for others, and UsageError where nobody has the name of the labeller who decides.
    """
    drawn = settings.sampling == "drawn"
    made = TrialLabels(rows=list(rows))
    names = [LEFT_OPEN, MAJORITY, *sorted({row.labeller for row in made.rows} - {""})]
    if settings.disagree not in names:
        what = f"no labeller is named '{settings.disagree}'"
        raise UsageError("audit.disagree", what, None, nearest(settings.disagree, names))
    strangers = [row for row in made.rows if row.trial not in known and row.trial not in elsewhere]
    if strangers:
        first = strangers[0]
        named = first.trial or "(empty)"
        what = f"key {named} was not drawn from this run" if drawn else f"id {named} is no trial of this run"
        count = f"{len(strangers)} of {some(len(made.rows), 'row')}"
        do = "name the run that the labels are of"
        if drawn:
            do = "labels of hand-picked trials give no rate; chosen at random elsewhere: audit.sampling=random"
        raise DataError(first.place, what, count, do)
    by_trial: dict[str, dict[str, PersonsLabel]] = defaultdict(dict)
    for row in made.rows:
        if row.trial not in known:
            made.others += 1
        elif row.code is not None:
            before = by_trial[row.trial].setdefault(row.labeller, row)
            if before.code != row.code:
                who = f" by {row.labeller}" if row.labeller else ""
                both = f"{before.word} at {before.place}, {row.word}"
                raise DataError(
                    row.place,
                    f"another label{who} for {'key' if drawn else 'id'} {row.trial}",
                    both,
                    "leave one of them",
                )
    for trial, labels in by_trial.items():
        made.labels[trial] = list(labels.values())
        made.codes[trial] = _decided(labels, settings.disagree)
    return made


def _decided(labels: Mapping[str, PersonsLabel], disagree: str) -> int:
    """What the labellers of a trial come to; an undecided one among others counts as one that differs."""
    codes = {row.code for row in labels.values()}
    if len(codes) == 1:
        return next(code for code in codes if code is not None)
    if disagree == MAJORITY:
        votes = Counter(row.code for row in labels.values() if row.code in (RIGHT, WRONG))
        right, wrong = votes[RIGHT], votes[WRONG]
        return UNDECIDED if right == wrong else RIGHT if right > wrong else WRONG
    if disagree != LEFT_OPEN and disagree in labels:
        code = labels[disagree].code
        return UNDECIDED if code is None else code
    return UNDECIDED


def not_reached(pages: Iterable[Sequence[str]], labels: TrialLabels) -> tuple[set[str], set[str]]:
    """Of the drawn trials without a label those that were skipped, and those that were not reached.

    One is skipped if a later one of its page has a label; each page lists its keys in order.
    """
    skipped: set[str] = set()
    there: set[str] = set()
    for page in pages:
        there.update(page)
        last = max((at for at, key in enumerate(page) if key in labels.codes), default=0)
        skipped.update(key for key in page[:last] if key not in labels.codes)
    return skipped, there - skipped - set(labels.codes)
