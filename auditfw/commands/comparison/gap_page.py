"""The page of a comparison: the answer, the parts as a chart, the conditions, and the items that make the gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from auditfw.audits.adjudication.run_trials import audited_run
from auditfw.commands.labelling.sources import TrialText
from auditfw.commands.labelling.texts import texts_of
from auditfw.components.report.html import FILE, HtmlReport
from auditfw.components.report.page.content import Fitted, Folded, HtmlPage, Items, PagePart
from auditfw.core.digits import fixed
from auditfw.core.document import Block, Chart, Exhibit, Gallery, Note, Series, Snippet, Table, snippet, some
from auditfw.core.errors import AuditError
from auditfw.core.imports import np
from auditfw.core.masking import masked
from auditfw.core.records import Answer
from auditfw.core.result_json import write_whole
from auditfw.formulas.gaps.intervals import GapPart
from auditfw.formulas.gaps.parts import PARTS, contributions

from .gap_answer import advice, because, headline
from .gap_screen import conditions_shown
from .gap_tables import gap_head, gap_table, paired_lines, sides_table
from .pair import ComparedPair, every_side
from .several import cautions, lead_line, tiers_of, tiers_table
from .sides import ComparedSide

MOST_ITEMS = 30  # of those that make the gap, the largest first
HEAD, TAIL = 1_000, 1_500  # characters of a text


def write_gap_page(folder: Path, pairs: Sequence[ComparedPair], gated: bool = False) -> None:
    """Writes report.html into the folder of a comparison. Raises IncompleteError."""
    from auditfw.components.report.page.page import page_text

    write_whole(str(folder), FILE, page_text(gap_page(pairs, gated), HtmlReport().max_bytes))


def gap_page(pairs: Sequence[ComparedPair], gated: bool = False) -> HtmlPage:
    """The content of the page: the answer is that of the first pair, further pairs have theirs with their parts.

    `gated`: `gate=[stable]` asks for gaps that are the model's.
    """
    first = pairs[0]
    answer = Answer(first.status, headline(first), because(first)[:3], advice(first), _scope(first), words=first.words)
    parts = []
    if len(pairs) > 1:
        made = tiers_of(pairs)
        leads = Items([lead_line(pairs, made), *cautions(pairs)])
        parts.append(PagePart("Who Leads", [leads, tiers_table(pairs, made)]))
    for pair in pairs:
        reasons: list[Note | Items] = []
        if pair is not first:
            reasons = [Note(f"{pair.title}. {headline(pair)}"), Items(because(pair))]
        parts.append(PagePart(gap_head(pair), [*reasons, gap_chart(pair), gap_table(pair), Items(paired_lines(pair))]))
    parts += [PagePart(f"Items That Make {_between(pair)}", list(_items(pair)), group="look") for pair in pairs]
    head, table, notes = conditions_shown(pairs, everything=True)
    parts.append(PagePart(head, [*([table] if table.rows else []), *map(Note, notes)], group="sound"))
    parts.append(PagePart("Sides", [Fitted(**vars(sides_table(pairs)))], group="rest"))
    lines = [f"{side.letter}: {side.called}" for side in (pair.sides[at] for pair, at in every_side(pairs))]
    passed = all(pair.status == "stable" for pair in pairs)
    status, word = (("pass", "PASS") if passed else ("fail", "FAIL")) if gated else ("none", "no gates")
    return HtmlPage("Comparison", status, word, lines, parts, answer=answer)


def _between(pair: ComparedPair) -> str:
    return f"the Gap Between {pair.sides[0].letter} and {pair.sides[1].letter}"


def _scope(pair: ComparedPair) -> str:
    return f"{some(pair.gap.common, 'common item')}, {pair.sides[0].letter} less {pair.sides[1].letter}."


def gap_chart(pair: ComparedPair) -> Chart:
    """The parts that have a number and the whole gap, in points, with their intervals."""
    shown = [part for part in pair.gap.parts.values() if part.name != "repeats" or part.why != "same"]
    parts = [part for part in (*shown, pair.lead) if part.value is not None]
    ends = [_ends(part) for part in parts]
    points = Series(
        "points",
        [pair.part_name(part.name) if part.name in PARTS else "all of it" for part in parts],
        [100 * (part.value or 0.0) for part in parts],
        low=[low for low, _ in ends],
        high=[high for _, high in ends],
    )
    title = f"Parts of the gap, in points ({pair.sides[0].letter} less {pair.sides[1].letter})"
    return Chart(title, "part", "points", [points], "points")


def _ends(part: GapPart) -> tuple[float | None, float | None]:
    return (None, None) if part.low is None or part.high is None else (100 * part.low, 100 * part.high)


def _items(pair: ComparedPair) -> Iterator[Block | Folded]:
    """The items that add most to the gap in either direction, with the texts of both sides where these are known."""
    logs = pair.trials.logs
    items = np.unique(logs.items)
    added = np.nan_to_num(contributions(logs))
    size = np.abs(added).max(axis=0)
    order = [place for place in np.argsort(-size, kind="stable")[:MOST_ITEMS].tolist() if size[place] > 0]
    if not order:
        yield Note("No item adds anything: both sides have the same labels.")
        return
    trials_a, right_a, trials_b, right_b = (column[items] for column in pair.both.sums)
    names = pair.both.matched.names.gather(items[order]).to_list()
    counts = [(f"{right_a[place]} of {trials_a[place]}", f"{right_b[place]} of {trials_b[place]}") for place in order]
    shares = [PARTS[int(np.abs(added[:, place]).argmax())] for place in order]
    rows = [
        [str(name), *count, pair.part_name(part), fixed(100 * added[PARTS.index(part), place], 3, signed=True)]
        for name, count, part, place in zip(names, counts, shares, order, strict=True)
    ]
    letters = [side.letter for side in pair.sides]
    columns = ["item", *(f"right in {letter}" for letter in letters), "part", "points"]
    table = Table(columns, rows, "<>><>")
    try:
        texts = [_texts(pair, side, items[order]) for side in (0, 1)]
    except AuditError as error:
        yield table
        yield Note(f"The texts are not shown: {error}")
        return
    facets = [("part",), ("leads",)]
    exhibits = [
        Exhibit(
            str(name),
            list(zip(columns[1:], row[1:], strict=True)),
            list(_snippets(pair, [texts[side].get(int(items[place])) for side in (0, 1)])),
            tags=[[(pair.part_name(part),)], [(letters[0] if row[-1].startswith("+") else letters[1],)]],
        )
        for name, row, part, place in zip(names, rows, shares, order, strict=True)
    ]
    if any(exhibit.snippets for exhibit in exhibits):
        yield Gallery(facets, exhibits, len(exhibits), "items")
        yield Folded(some(len(rows), "item"), table)
    else:
        yield table
    yield Note(f"{some(int((size > 0).sum()), 'item')} add to the gap, the largest are here: gap.parquet has all.")


def _texts(pair: ComparedPair, side: int, items: Any) -> dict[int, TrialText]:
    """The text of a trial of each of some items: its first. Raises AuditError."""
    one: ComparedSide = pair.sides[side]
    if not one.run.config.get("report", {}).get("texts", True):
        return {}
    numbers = pair.both.matched.numbers[side]
    there, places = np.unique(numbers, return_index=True)
    first = dict(zip(there.tolist(), places.tolist(), strict=True))
    rows = {item: first[item] for item in items.tolist() if item in first}
    ids = dict(zip(rows, one.labels.frame["id"].gather(list(rows.values())).to_list(), strict=True))
    texts = texts_of(audited_run(one.run.folder), set(ids.values()), []).texts
    return {item: texts[name] for item, name in ids.items()}


def _snippets(pair: ComparedPair, texts: Sequence[TrialText | None]) -> Iterator[Snippet]:
    """The question, the expected answers and the completion of each side; where they are the same once."""
    seen: dict[str, str] = {}
    for letter, text in zip((side.letter for side in pair.sides), texts, strict=True):
        if text is None:
            continue
        expected = ", ".join(text.expected)
        for label, value in (("question", text.question), ("expected", expected), (f"answer of {letter}", text.answer)):
            if value is not None and seen.get(label) != value:
                again = f" in {letter}" if label in seen else ""
                seen[label] = value
                yield snippet(f"{label}{again}", masked(value), HEAD, TAIL)
