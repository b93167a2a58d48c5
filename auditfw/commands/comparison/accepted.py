"""An accepted run beside logs: its labels have no texts, so of a comparison the paired part alone is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from auditfw.commands.stored_run import StoredRun
from auditfw.components.files.run_tables import read_table
from auditfw.components.report.console import ConsolePage
from auditfw.components.report.markdown import table_text
from auditfw.components.report.wording import STYLES
from auditfw.core.document import Table, capital, some, verb
from auditfw.core.errors import DataError
from auditfw.core.escaping import markdown_text
from auditfw.core.files import present
from auditfw.core.imports import np, pl
from auditfw.core.records import titled_answer
from auditfw.formulas.clusters import ClusteredRate, rate
from auditfw.formulas.gaps.intervals import GapPart
from auditfw.formulas.gaps.paired import PairedLogs
from auditfw.formulas.gaps.verdict import GapStatus

from .gap_answer import lead_text
from .gap_tables import SCHEMA, level, paired_document, paired_sentences
from .items import ID, ITEM, STORED, LabelledSide, columns_of
from .label_changes import labels_file
from .pair import WORDS, needed_for
from .pairing import PairedSides, paired_sides
from .settings import CompareSettings
from .sides import ComparedSide

STATUS: GapStatus = "unknown"
WITHOUT_TEXTS = "labels without texts"


@dataclass(frozen=True)
class PairedLabels:
    """An accepted run and a side, their labels paired by the ids of trials; numbers are shares, A less B."""

    accepted: ComparedSide
    side: ComparedSide
    both: PairedSides
    settings: CompareSettings

    @cached_property
    def paired(self) -> PairedLogs:
        return self.both.paired()

    @property
    def letters(self) -> list[str]:
        return [self.accepted.letter, self.side.letter]

    @property
    def lead(self) -> GapPart:
        rates = self.paired.rates
        return GapPart("gap", rates.difference, rates.low, rates.high, None, int(self.both.common.sum()))

    @property
    def title(self) -> str:
        return titled_answer(self.words, STATUS)

    @property
    def words(self) -> str:
        ahead = self.lead.direction
        return f"{self.letters[0 if ahead > 0 else 1]} LEADS, WHY IS NOT RECORDED" if ahead else WORDS[STATUS]

    @property
    def headline(self) -> str:
        common = some(self.lead.items, "common item")
        return f"{capital(lead_text(self.lead, self.letters))}; on {common}, paired by the ids of trials."

    @property
    def because(self) -> list[str]:
        lines = [
            f"{self.accepted.called} has {WITHOUT_TEXTS}: the labels are compared, what the gap is made of is not."
        ]
        alone = [int((~np.isin(one, other)).sum()) for one, other in self._names()]
        lines += [
            f"{some(n, 'trial')} {verb(n, 'is', 'are')} only in {letter}."
            for n, letter in zip(alone, self.letters, strict=True)
            if n
        ]
        readings = [one.reading for one in self.both.sides]
        return lines if readings[0] == readings[1] else [*lines, f"Labels of {readings[0]} against {readings[1]}."]

    def _names(self) -> Iterator[tuple[Any, Any]]:
        one, other = (side.frame[ID].to_numpy() for side in self.both.sides)
        yield one, other
        yield other, one

    @property
    def advice(self) -> str:
        return f"compare the run that was accepted, or its log, with {self.side.called}: then the gap has parts"

    @property
    def right(self) -> list[ClusteredRate]:
        """The share right of all trials of each side, by item."""
        trials_a, right_a, trials_b, right_b = self.both.sums
        return [rate(n[n > 0], right[n > 0]) for n, right in ((trials_a, right_a), (trials_b, right_b))]


def labels_beside(file: Path, beside: LabelledSide, reading: str) -> tuple[LabelledSide, LabelledSide] | None:
    """The labels of an accepted run, by the file of its numbers, and a side; their items are those of the side.

    What sources put before ids of several files is taken off. None where it has no such labels.
    """
    if not present(table := labels_file(file)):
        return None
    frame = read_table(table)
    if not {ID, reading} <= {*frame.columns}:
        return None
    old = LabelledSide(file, frame, reading)
    ours, theirs = (names.alias(ID) for names in columns_of(ID, (old, beside)).sides)
    there = beside.frame.with_columns(theirs)
    item = pl.coalesce(pl.col(ITEM), pl.col(ID)) if beside.has(ITEM) else pl.col(ID)
    there = there.with_columns(item.alias(ITEM))
    known = there.select(ID, ITEM).unique(ID, keep="first")
    here = frame.with_columns(ours).join(known, on=ID, how="left", maintain_order="left")
    here = here.with_columns(pl.coalesce(pl.col(ITEM), pl.col(ID)).alias(ITEM))
    return LabelledSide(file, here, reading), replace(beside, frame=there)


def paired_labels(accepted: ComparedSide, side: ComparedSide, settings: CompareSettings) -> PairedLabels:
    """An accepted run and a side by their stored labels, or where none are stored those of the side's reading.

    Raises DataError where the accepted run has no labels of it, NothingAudited where no trial is common.
    """
    file = accepted.run.folder
    for reading in dict.fromkeys((STORED, side.labels.reading)):
        pair = labels_beside(file, side.labels, reading)
        if pair is not None and pair[0].has(reading):
            return PairedLabels(accepted, side, paired_sides(*pair), settings)
    what = f"has no labels of '{side.labels.reading}'"
    raise DataError(str(file), what, None, f"accept such a run: auditfw accept RUN baseline={file}")


# The same on the screen, as Markdown, and for programs.


def write_paired(page: ConsolePage, pairs: Sequence[PairedLabels]) -> None:
    """Prints the answer of each pair, the sides, and the paired comparisons."""
    for pair in pairs:
        name = f" ({' and '.join(pair.letters)})" if len(pairs) > 1 else ""
        page.head(f"Answer{name}: {pair.title}", STYLES.get(STATUS, "bold"))
        page.lines([pair.headline, *pair.because, f"Next: {pair.advice}"])
    page.head("Sides")
    page.rows(_sides(pairs), 1)
    for pair in pairs:
        page.head(_head(pair))
        page.lines(_lines(pair))


def _head(pair: PairedLabels) -> str:
    return f"Labels of {' and '.join(pair.letters)}, paired ({some(pair.lead.items, 'common item')})"


def _lines(pair: PairedLabels) -> list[str]:
    return paired_sentences(pair.paired, pair.letters, pair.settings.difference)


def _sides(pairs: Sequence[PairedLabels]) -> Table:
    sides = [(pairs[0], pairs[0].accepted, 0), *((pair, pair.side, 1) for pair in pairs)]
    rows = []
    for pair, side, at in sides:
        right = pair.right[at]
        reading = pair.both.sides[at].reading
        rows.append([side.letter, side.called, reading, f"{right.trials:,}", f"{right.items:,}", level(right)])
    return Table(["side", "of", "labels", "trials", "items", "right, %"], rows, "<<<>>>")


def paired_markdown(pairs: Sequence[PairedLabels]) -> str:
    """The same as Markdown."""
    parts = []
    for pair in pairs:
        parts += [
            f"### auditfw: the gap between {' and '.join(pair.letters)}",
            f"**{markdown_text(pair.title)}.** {markdown_text(pair.headline)}",
            "\n".join(f"- {markdown_text(line)}" for line in (*pair.because, f"Next: {pair.advice}")),
        ]
    parts.append(table_text(_sides(pairs)))
    for pair in pairs:
        parts += [f"#### {markdown_text(_head(pair))}", "\n".join(f"- {markdown_text(line)}" for line in _lines(pair))]
    return "\n\n".join(parts) + "\n"


def labels_document(pairs: Sequence[PairedLabels]) -> dict[str, Any]:
    """What compare.json holds of it: the keys of a comparison, of which those of parts are empty."""
    documents = [_document(pair) for pair in pairs]
    return {"schema": SCHEMA, **documents[0], **({"pairs": documents} if len(pairs) > 1 else {})}


def _document(pair: PairedLabels) -> dict[str, Any]:
    answer = {"words": pair.words, "headline": pair.headline, "because": pair.because, "next": pair.advice}
    runs: list[tuple[ComparedSide, StoredRun]] = [(side, side.run) for side in (pair.accepted, pair.side)]
    return {
        "sides": [
            {
                "side": side.letter,
                "path": side.called,
                "folder": str(run.folder),
                "reading": labels.reading,
                "rule": None,
                "trials": right.trials,
                "items": right.items,
                **{
                    name: 100 * getattr(right, of)
                    for name, of in (("right", "share"), ("low", "low"), ("high", "high"))
                },
            }
            for (side, run), labels, right in zip(runs, pair.both.sides, pair.right, strict=True)
        ],
        "key": ID,
        "sets": pair.both.sets(),
        "conditions": [],
        "paired": paired_document(pair.paired, needed_for(pair.paired, pair.settings.difference / 100)),
        "gap": None,
        "parts": [],
        "order": [],
        "other_truths": None,
        "unknown": {"parts": WITHOUT_TEXTS},
        "answer": {"status": STATUS, **answer, "rules": []},
    }
