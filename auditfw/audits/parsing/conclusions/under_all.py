"""How many answers are right under every reading, under some, under none; and those that are right under none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from auditfw.audits.answers import Argument
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.kept.near import NearTrial
from auditfw.audits.parsing.probe.lossy import deciding
from auditfw.audits.parsing.questions.label_rows import label_rows
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.audits.parsing.table import STORED, label_of
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.imports import np
from auditfw.core.records import NO_VALUE, Value
from auditfw.core.results.excerpts import brief_line, quoted
from auditfw.core.tables import NO_CODE

TITLE = "Wrong Under Every Reading"


class WrongTrial(NamedTuple):
    """An answer that nothing calls right: FILE:LINE, else its id; its item and cell; with its texts where drawn."""

    place: str
    item: str
    cell: tuple[Value, ...]
    drawn: NearTrial | None


@dataclass(frozen=True)
class UnderAll:
    """How many audited answers the reference and the `readings` that decide call right: `every` one, `some`, `none`.

    A reading has no say where it has no label. The numbers add up to all trials; `wrong` are the first
    of those of none, in the order of the input.
    """

    reference: str
    readings: Sequence[str]
    every: int
    some: int
    none: int
    wrong: Sequence[WrongTrial] = ()

    @property
    def sentence(self) -> str:
        """The three numbers in words; "" where nothing decides."""
        if not self.readings:
            return ""
        n = self.every + self.some + self.none
        return (
            f"{some(n, 'answer')}: {self.every:,} right by every reading, {self.some:,} by some, {self.none:,} by none"
        )


def ask(results: ParsingResults) -> UnderAll:
    """The numbers, and as many of the trials that nothing calls right as the page lists."""
    names = deciding(results)
    numbers = [results.numbers[0], *(STORED if name == STORED_LABEL else results.names.index(name) for name in names)]
    right, wrong = (
        np.any([_flags(label, results)[results.table.codes(number)] for number in numbers], axis=0)
        for label in (True, False)
    )
    every, between, none = int((right & ~wrong).sum()), int((right & wrong).sum()), np.flatnonzero(~right)
    listed = _listed(results, none[: results.context.limits.max_exhibits].tolist()) if names else []
    return UnderAll(results.reference, names, every, between, len(none), listed)


def _flags(label: bool, results: ParsingResults) -> Any:
    """Which label codes are this label."""
    return np.array([label_of(code, results.settings.undefined) is label for code in range(256)], bool)


def _listed(results: ParsingResults, audited: Sequence[int]) -> list[WrongTrial]:
    """Trials by their numbers among those that are audited."""
    rows = results.of(label_rows)
    if not len(audited):
        return []
    at = np.flatnonzero(rows.numbers("code.stored") != NO_CODE)[audited].tolist()
    drawn = {trial.id: trial for trial in results.whole.near.wrong()}
    known = rows.rows(["id", "row.item", "row.place", *rows.by], at)
    return [
        WrongTrial(place or str(id), item or "", tuple(cell), drawn.get(str(id))) for id, item, place, *cell in known
    ]


def argument(results: ParsingResults) -> Argument:
    """The numbers as a part of what the answer is based on: they decide nothing."""
    sentence = results.of(ask).sentence
    return Argument(scope=[sentence] if sentence else [])


def counts_section(results: ParsingResults) -> Section | None:
    """The numbers for the first screen, and where the answers that are wrong throughout are listed."""
    facts = results.of(ask)
    if not facts.sentence:
        return None
    n, whole = facts.every + facts.some + facts.none, results.counts["audited"] == results.counts["read"]
    read = [Note(f"{n:,} of {some(n, 'trial')} audited")] if whole else []  # the screen says it where some are not
    listed = " (see page)" if facts.wrong else ""
    return Section("Right Under Which Readings", [*read, Note(f"{facts.sentence}{listed}")], screen="data")


def wrong_section(results: ParsingResults) -> Section | None:
    """The answers that are wrong under every reading: where each stands, what is expected, how its text ends."""
    facts, texts, by = results.of(ask), results.context.limits.texts, results.context.by
    if not facts.wrong:
        return None
    columns = ["place", "item", *by, *(["expected", "the text ends"] if texts else [])]
    rows = [
        [
            one.place,
            brief_line(one.item),
            *(NO_VALUE if value is None else str(value) for value in one.cell),
            *(_texts(one.drawn) if texts else []),
        ]
        for one in facts.wrong
    ]
    names = ", ".join([facts.reference, *facts.readings])
    note = f"None of {names} calls these right: the answer is wrong, its truth is, or no reading finds it."
    table = Table(columns, rows, "<" * len(columns), left_out=facts.none - len(rows))
    return Section(TITLE, [Note(note), table], page=True, folded=some(facts.none, "answer"))


def _texts(trial: NearTrial | None) -> list[str]:
    """The truth and the end of the text of a trial; blank where it was not drawn."""
    if trial is None:
        return ["", ""]
    return [
        brief_line(" | ".join(alternatives(trial.truth))),
        quoted(trial.line or next(filter(None, trial.texts), "")),
    ]
