"""The labels that a reading changes, in a terminal: each trial with its place, what was expected, and both labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.audits.parsing.conclusions.pipelines import MEANINGS
from auditfw.audits.parsing.conclusions.tracing import NO_STEP
from auditfw.commands.notebook.exhibits import READING, TRUTH, ShownTrial, marked, trials_of
from auditfw.commands.stored_run import StoredRun, read_reference, read_sections
from auditfw.components.files.run_tables import has_table, read_table
from auditfw.core.document import Mark, Note, Section, Snippet, some
from auditfw.core.errors import AuditError
from auditfw.core.results.excerpts import KEPT, around, brief_line, quoted
from auditfw.kinds.registry import component

STORED = "stored"  # the reading of the labels that were there before
LABELLED = ("parsing", "consistency")  # audits whose readings give labels
PLACE = "row.place"
ID, EXPECTED, RAW = "id", "ground truth", "raw_text"  # in an exhibit
CAUSES, TEXTS = 3, 4  # that are shown: of a reading, of a trial that has several


@dataclass(frozen=True)
class ChangedLabel:
    """A trial whose label a reading changes: where it is, its texts around what was kept of them, the two labels.

    What each label compares is "" where that is not known.
    """

    place: str
    title: str
    expected: str
    texts: Sequence[str]
    before: str
    after: str
    compared_before: str
    compared: str
    causes: Sequence[str]


@dataclass(frozen=True)
class ChangedLabels:
    """The changed labels of a reading that a run kept, in the order of their draw, of `total`.

    `called` are the reading and the reference for people.
    """

    reading: str
    reference: str
    called: tuple[str, str]
    total: int
    kept: Sequence[ChangedLabel]

    @property
    def causes(self) -> Mapping[str, int]:
        """Why labels changed, the most frequent causes first."""
        counts = Counter(name for one in self.kept for name in one.causes)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def readings_that_change(run: StoredRun) -> list[str]:
    """The readings of a run that can be asked for: all but the reference."""
    reference = read_reference(run.folder) if run.result["audit"] in LABELLED else ""
    named = dict.fromkeys(row["reading"] for row in run.result["measurements"])
    return [name for name in named if name != reference] if reference else []


def changed_labels(run: StoredRun, reading: str) -> ChangedLabels:
    """The changed labels of a reading."""
    reference = read_reference(run.folder)
    rule = _rule(run) if reference == STORED else ""
    own, other = (run.titles.get(name, name) for name in (reading, reference))
    shown = [(one, one.changed([reading], reference).get(reading, "")) for one in _kept(run)]
    chosen = [(one, after) for one, after in shown if after]
    places = _places(run, {_id(one) for one, _ in chosen})
    kept = [
        ChangedLabel(
            places.get(_id(one), _id(one)),
            one.exhibit.title,
            one.values.get(EXPECTED, ""),
            list(_texts(one.exhibit.snippets, reading)),
            one.values.get(other, ""),
            after,
            _compared(one.exhibit.snippets, rule) if rule else "",
            _compared(one.exhibit.snippets, reading),
            _causes(one, reading),
        )
        for one, after in chosen
    ]
    total = max(len(kept), int(run.numbers.get(f"flips@{reading}") or 0))
    return ChangedLabels(reading, reference, (own, "your label" if reference == STORED else other), total, kept)


def _rule(run: StoredRun) -> str:
    """The reading that gives every stored label; "" where none is known."""
    fit = (one for one in run.result["measurements"] if one["metric"] == "mismatches" and not one["cell"])
    return next((one["reading"] for one in fit if one["value"] == 0), "")


def _kept(run: StoredRun) -> Sequence[ShownTrial]:
    """The trials that the reports show; none where they cannot be read."""
    try:
        return trials_of(read_sections(run.folder)[0])
    except AuditError:
        return []


def _id(one: ShownTrial) -> str:
    return one.values.get(ID, one.exhibit.title)


def _places(run: StoredRun, ids: Collection[str]) -> Mapping[str, str]:
    """Where trials are in their files, by id; {} where the run did not keep it."""
    file = run.folder / "trials.parquet"
    frame = read_table(file) if has_table(file) else None
    if frame is None or not {ID, PLACE} <= {*frame.columns}:
        return {}
    rows = zip(frame[ID].to_list(), frame[PLACE].to_list(), strict=True)
    return {str(id): place for id, place in rows if place is not None and str(id) in ids}


def _texts(snippets: Sequence[Snippet], reading: str) -> Iterator[str]:
    """The raw text around what a reading's parser kept; of a trial without one the starts of its first texts."""
    if snippets and snippets[0].label == RAW:
        first = snippets[0]
        mark = _focus(first, _mark(first, reading))
        place, length = (-1, 0) if mark is None else (mark.start, mark.end - mark.start)
        gap = "…" if first.omitted else ""
        place -= first.omitted - len(gap) if place > len(first.head) else 0
        yield around(f"{first.head}{gap}{first.tail}", place, length)
    else:
        yield from (f"{one.label}: {brief_line(one.head)}" for one in snippets[:TEXTS])


def _mark(first: Snippet, reading: str) -> Mark | None:
    parser = reading.partition("+")[0]
    return next((mark for mark in first.marks if mark.name == parser), None)


def _focus(first: Snippet, mark: Mark | None) -> Mark | None:
    """What to show of a long part that was kept: the last truth in it, else its end."""
    if mark is None or mark.end - mark.start <= KEPT:
        return mark
    within = [one for one in first.marks if one.name == TRUTH and mark.start <= one.start and one.end <= mark.end]
    return max(within, key=lambda one: one.end, default=Mark(mark.name, mark.end - KEPT, mark.end))


def _compared(snippets: Sequence[Snippet], reading: str) -> str:
    """What a reading's parser kept, its end where it is long; "" where that is not known."""
    mark = _mark(snippets[0], reading) if snippets else None
    own = next((one.head for one in snippets if one.label == reading.partition("+")[0]), "")
    kept = marked(snippets[0], mark) if mark is not None else own
    return "" if not kept else quoted(kept if len(kept) <= KEPT else f"…{kept.strip()[1 - KEPT :]}")


def _causes(one: ShownTrial, reading: str) -> list[str]:
    """Why a label changed: the step, or where the reference reads another text what stands in the texts."""
    for names, tags in zip(one.facets, one.exhibit.tags, strict=False):
        if names[:1] == (READING,) and len(names) > 2:
            steps = [tag[2] for tag in tags if tag[0] == reading]
            signs = [sign for sign in one.tags.get("sign", ()) if sign in MEANINGS]
            return signs if NO_STEP in steps else [f"step {step}" for step in steps]
    return []


def meaning(cause: str) -> str:
    """What a cause is, in words."""
    if cause in MEANINGS:
        return MEANINGS[cause]
    try:
        step = component("step", cause.removeprefix("step ").partition(" ")[0])
    except AuditError:
        return "the normalizer of the reference changes the text, the reading has none"
    doc = step.doc.partition(";")[0].rstrip(".")
    return f"{doc[:1].lower()}{doc[1:]}"


def changed_sections(labels: ChangedLabels, run: str, limit: int) -> list[Section]:
    """The first of the changed labels, each under its place, and how many more there are."""
    shown, n, own = labels.kept[:limit], len(labels.kept), labels.called[0]
    ways = Counter(one.after for one in labels.kept)
    to = ", ".join(f"{times:,} to {label}" for label, times in sorted(ways.items()))
    head = f"{some(labels.total, 'changed label')} of {own}{f': {to}' if n == labels.total and n else ''}"
    about = _about(labels)
    if not n:
        kept_by = (
            "a run whose reference is stored keeps them" if labels.reading == STORED else "run it with report=[html]"
        )
        about = [f"The run kept none of them: {kept_by}." if labels.total else "It changes no label."]
    sections = [Section(head, [Note(text) for text in about]), *(_section(labels, one) for one in shown)]
    more = [f"auditfw explain {run} {labels.reading} limit={n}"] if n > len(shown) else []
    if labels.total > n > 0:
        more.append(f"{labels.total - n:,} of them were not kept (report.max_exhibits)")
    rest = Section(f"{labels.total - len(shown):,} more", [Note(text) for text in more])
    return [*sections, *([rest] if more else [])]


def _about(labels: ChangedLabels) -> list[str]:
    """The most frequent causes with their labels, and where a label has several that they do not add up."""
    about = [f"{name} ({some(n, 'label')}): {meaning(name)}" for name, n in list(labels.causes.items())[:CAUSES]]
    if any(len(one.causes) > 1 for one in labels.kept):
        about.append(f"A label may have several: these do not add up to {len(labels.kept):,}.")
    return about


def _section(labels: ChangedLabels, one: ChangedLabel) -> Section:
    own, other = labels.called
    expected = f", expected: {brief_line(one.expected)}" if one.expected else ""
    read = f" (read {one.compared_before})" if one.compared_before else ""
    sides = f"{other}: {one.before}{read}; {own}: {one.after}{f', {one.compared}' if one.compared else ''}"
    return Section(f"{one.place}: {one.title}{expected}", [Note(text) for text in (*one.texts, sides) if text])


def changed_document(labels: ChangedLabels, limit: int) -> dict[str, Any]:
    """The same for JSON."""
    causes = {name: {"labels": n, "means": meaning(name)} for name, n in labels.causes.items()}
    head = {"reading": labels.reading, "reference": labels.reference, "changed_labels": labels.total}
    return {**head, "causes": causes, "first": [vars(one) for one in labels.kept[:limit]]}
