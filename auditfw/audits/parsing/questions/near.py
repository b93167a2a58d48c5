"""Answers that count as wrong and are right in another form, and answers that count as right and are wrong numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from auditfw.audits.answers import named
from auditfw.audits.parsing.kept.near import NEAR
from auditfw.audits.table_rows import cell_counts, located
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.imports import np
from auditfw.core.results.findings import CellCount, Effect, Finding, FindingKind, NotChecked
from auditfw.core.tables import cell_names
from auditfw.formulas.forms.texts import part_of
from auditfw.formulas.label_counts import error_percent, flip_rates
from auditfw.kinds.context import Sample
from auditfw.kinds.registry import declare

from .label_rows import ParsingRows
from .near_facts import FalseRights, NearFacts, NearMiss, false_rights, measured, near_facts, near_moves

MISSES = FindingKind("near_misses", "Answers that count as wrong and are right in another form.")
RIGHTS = FindingKind("false_rights", "Answers that a reading calls right though their last number is another one.")
TITLE = "Answers That Are Right in Another Form"
SHOWN = 60  # characters of an answer in a table or a sentence
TABLE_COLUMNS = ("id", "item", "form", "counted", "answer", "truth", "place")  # of the table, besides cells
KEPT = 200  # characters of an answer in near.parquet
COLUMNS = 6  # values of the first column of cells


@declare("question", "near")
class Near:
    """Whether wrong answers are the truth in another form, and right ones another number."""

    finds: ClassVar[tuple[FindingKind, ...]] = (MISSES, RIGHTS)

    def __call__(self, rows: ParsingRows) -> Iterator[Finding | NotChecked]:
        """The near misses with what they do to the rate, and each reading with many wrong numbers among its right."""
        facts = rows.of(near_facts)
        if facts.why is not None:
            yield MISSES.unchecked(facts.why)
        elif facts.misses:
            yield _near_misses(rows, facts)
        for name, rights in rows.of(false_rights).items():
            if 100 * rights.rate.low > rows.settings.margin:
                yield _false_rights(name, rights)

    def measured(self, rows: ParsingRows, sample: Sample) -> dict[str, Any]:
        """The share of near misses of the reference, and of each reading how many right answers are another number."""
        return measured(rows, sample)

    def tables(self, rows: ParsingRows) -> Mapping[str, Any]:
        """A row for each answer in another form; no table where there is none."""
        listed: Sequence[NearMiss] = rows.of(near_facts).fitting
        if not listed:
            return {}
        by, counted = rows.results.context.by, rows.of(near_facts).counted
        at = np.flatnonzero(rows.among("id", {one.trial.id for one in listed})).tolist()
        places = {str(id): place for id, place in rows.rows(["id", "row.place"], at)}
        cells = enumerate(cell_names(by, TABLE_COLUMNS).values())
        columns: dict[str, list[Any]] = {
            "id": [one.trial.id for one in listed],
            "item": [one.trial.item for one in listed],
            **{called: [one.trial.cell[at] for one in listed] for at, called in cells},
            "form": [one.form for one in listed],
            "counted": [one.form in counted for one in listed],
            "answer": [one.answer[-KEPT:] if _texts(rows) else None for one in listed],
            "truth": [one.truth[:KEPT] if _texts(rows) else None for one in listed],
            "place": [places.get(one.trial.id) for one in listed],
        }
        table = rows.results.context.table("near")
        table.add(columns)
        return {"near": table.close()}

    def sections(self, rows: ParsingRows) -> list[Section]:
        """A table of the forms."""
        facts = rows.of(near_facts)
        if not facts.fitting:
            return []
        rows_shown = [_row(rows, facts, form) for form, _ in _ordered(facts) if form in facts.counted]
        values = _values(rows, facts)
        columns = ["form", "answers", *values, "by chance", *(["example"] if _texts(rows) else [])]
        align = ("<>" + ">" * len(values) + "><")[: len(columns)]
        section = Section(TITLE)
        if rows_shown:
            section.blocks.append(Table(columns, rows_shown, align))
        listed = [f"{form} {n:,}" for form, n in _ordered(facts) if form not in facts.counted]
        if listed:
            section.blocks.append(Note(f"Not counted: {', '.join(listed)}."))
        if not facts.whole:
            section.blocks.append(Note(_examined(facts)))
        return [section]


# The findings


def _near_misses(rows: ParsingRows, facts: NearFacts) -> Finding:
    moves = rows.of(near_moves)
    assert moves is not None  # there are near misses
    whole, p = moves.whole
    labels, n = whole.labels, len(facts.misses)
    up, _ = flip_rates(labels)
    effect: Effect = "reported"
    settings = rows.settings
    asked = not rows.results.judged if settings.decides is None else NEAR in settings.decides

    def moved(one: Any, chance: float | None) -> bool:
        return asked and chance is not None and chance <= settings.alpha and abs(one.moved) >= settings.margin

    cells = [one for one, chance in moves.cells if moved(one, chance)]
    if moved(whole, p) or cells:
        effect = "fragile"
    right, before = (
        fixed(100 - error_percent(kept + labels.kept_right, labels.paired), 1) for kept in (labels.to_true, 0)
    )
    forms = ", ".join(f"{_said(form)} {times:,}" for form, times in _ordered(facts) if form in facts.counted)
    count = f"{n:,} of {some(labels.paired, 'answer')} {verb(n, 'is', 'are')} right in another form ({forms})"
    rates = f"and {verb(n, 'counts', 'count')} as wrong: {right} % right, not {before}."
    text = f"{count} {rates}" if moved(whole, p) else _small(facts, _texts(rows))
    if not moved(whole, p) and cells:
        text = f"{text} The error rate moves where {named(cells[0].sample.cell)}."
    if not facts.whole:
        text = f"{text} {_examined(facts)}"
    return MISSES(
        n,
        labels.paired,
        text,
        effect=effect,
        points=abs(whole.moved),
        low=100 * up.low,
        high=100 * up.high,
        expected=facts.by_chance,
        p=p,
        detail={form: times for form, times in _ordered(facts) if form in facts.counted},
        brief=f"{some(n, 'answer')} right in another form",
        next=_next(rows, facts) if effect == "fragile" else "",
        **_places(rows, facts),
    )


def _texts(rows: ParsingRows) -> bool:
    """Whether reports may show texts of answers."""
    return rows.results.context.limits.texts


def _small(facts: NearFacts, texts: bool) -> str:
    """Near misses in a sentence: the one pair of answer and truth, or the forms."""
    misses = facts.misses
    n, items = len(misses), some(len({one.trial.item for one in misses}), "question")
    pairs = Counter((part_of(one.answer, one.truth, one.form), one.truth) for one in misses)
    [((answer, truth), _)] = pairs.most_common(1)
    pair = f'"{_short(answer)}" where {_short(truth)} is expected'
    if len(pairs) == 1 and texts:
        says, calls = verb(n, "says", "say"), verb(n, "it", "them")
        return f"{some(n, 'answer')} {says} {pair}; every reading calls {calls} wrong ({items})."
    forms = ", ".join(f"{_said(form)} {times:,}" for form, times in _ordered(facts) if form in facts.counted)
    right, no = verb(n, "is right", "are right"), "no reading accepts them" if n > 1 else "no reading accepts it"
    as_pair = f", as {pair}" if texts else ""
    return f"{some(n, 'answer')} {right} in another form ({forms}){as_pair}; {no} ({items})."


def _examined(facts: NearFacts) -> str:
    return f"{facts.examined:,} of {facts.wrong:,} wrong answers were examined."


def _false_rights(name: str, rights: FalseRights) -> Finding:
    share = fixed(100 * rights.rate.share, 1)
    calls = f"{name} calls {some(rights.flagged, 'answer')} right"
    return RIGHTS(
        rights.flagged,
        rights.of,
        f"{calls} whose last number is another one ({share} % of {rights.of:,}).",
        low=100 * rights.rate.low,
        high=100 * rights.rate.high,
        detail={"reading": name},
        brief=f"{some(rights.flagged, 'answer')} called right for another number",
    )


def _places(rows: ParsingRows, facts: NearFacts) -> Mapping[str, Any]:
    """Where near misses are: cells, items, places."""
    chosen = rows.among("id", {one.trial.id for one in facts.misses})
    cells: list[CellCount] = cell_counts(rows, chosen)
    return {"cells": cells, **located(rows, np.flatnonzero(chosen))}


def _next(rows: ParsingRows, facts: NearFacts) -> str:
    """A reading that accepts them: the parser that finds most of them, with the matcher `forms`."""
    names = [named.name for named in rows.results.plan.parsers]
    listed = Counter(
        place for one in facts.misses for place, text in enumerate(one.trial.texts) if text and one.answer in text
    )
    place, n = max(listed.items(), key=lambda one: (one[1], -one[0]))
    forms = ",".join(sorted({one.form for one in facts.misses}))
    accepts = f"accepts {n:,} of {len(facts.misses):,}"
    typed = f"'parser=[{names[place]}]' 'normalizer=[none]' matcher=forms 'audit.matcher.forms=[{forms}]'"
    return f"Score with {typed} ({accepts})"


# The table


def _ordered(facts: NearFacts) -> list[tuple[str, int]]:
    """The forms with their trials, the most frequent first."""
    return sorted(facts.times.items(), key=lambda one: (-one[1], one[0]))


def _said(form: str) -> str:
    return form.replace("_", " ")


def _values(rows: ParsingRows, facts: NearFacts) -> Sequence[str]:
    """The values of the first column of cells that hold most near misses."""
    times = Counter(str(one.trial.cell[0]) for one in facts.misses if one.trial.cell)
    return [value for value, _ in times.most_common(COLUMNS)]


def _row(rows: ParsingRows, facts: NearFacts, form: str) -> list[str]:
    own = [one for one in facts.misses if one.form == form]
    by_value = Counter(str(one.trial.cell[0]) for one in own if one.trial.cell)
    counts = [f"{by_value[value]:,}" for value in _values(rows, facts)]
    chance = fixed(facts.expected.get(form, 0.0), 1)
    shown = [f"{_short(own[0].answer)} → {_short(own[0].truth)}"] if _texts(rows) else []
    return [form, f"{len(own):,}", *counts, chance, *shown]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"…{line[-SHOWN:]}"
