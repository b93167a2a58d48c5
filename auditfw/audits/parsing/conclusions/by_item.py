"""The view by item: which questions the changed labels belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auditfw.audits.parsing.results import ParsingResults
from auditfw.core.document import Note, Section, Table

from .items import CrossedItems

TABLE = "items"
TITLE = "Changed Labels by Item"
SHOWN = 80  # characters of an item

Rows = Mapping[str, list[Any]]


def rows_by_item(crossed: CrossedItems | None, reference: int, readings: Mapping[str, int]) -> Rows:
    """A column of the items in order of their names, of their trials, and for each reading of its flips by direction.

    `readings` are numbers in the plan by name. {} where the source has no items.
    """
    if crossed is None:
        return {}
    order = sorted(crossed.items)
    numbers = [crossed.items[item] for item in order]
    columns = {"trials": crossed.trials()}
    for name, number in readings.items():
        columns[f"to_true.{name}"], columns[f"to_false.{name}"] = crossed.changes(number, reference)
    return {"item": order} | {name: [column[i] for i in numbers] for name, column in columns.items()}


def ask(results: ParsingResults) -> Rows:
    """The same of a run."""
    compared = {one.reading.name: one.number for one in results.readings if one.reading.role == "candidate"}
    return rows_by_item(results.crossed, results.numbers[0], compared)


def item_table(results: ParsingResults) -> Mapping[str, Any]:
    """The table `items` of a run, by its name."""
    table = results.context.table(TABLE)
    table.add(results.of(ask))
    return {TABLE: table.close()}


def by_item(rows: Rows, readings: Sequence[str], most: int) -> Section:
    """The items with most changed labels, and what share of all changes the first makes."""
    section = Section(TITLE)
    if not rows:
        return section
    flips: dict[str, list[int]] = {
        name: [a + b for a, b in zip(rows[f"to_true.{name}"], rows[f"to_false.{name}"], strict=True)]
        for name in readings
    }
    items: Iterable[tuple[int, ...]] = zip(*flips.values(), strict=True)
    totals = list(map(sum, items))
    ranked = sorted((i for i, n in enumerate(totals) if n), key=lambda i: (-totals[i], rows["item"][i]))
    if not ranked:
        return section
    first, whole = ranked[0], sum(totals)
    share = f"{totals[first]:,} of the {whole:,} changed labels of all readings"
    section.blocks.append(Note(f"One of {len(totals):,} items accounts for {share}."))
    shown = [
        [_short(rows["item"][i]), f"{rows['trials'][i]:,}", *(f"{flips[name][i]:,}" for name in readings)]
        for i in ranked[:most]
    ]
    columns = ["item", "trials", *readings]
    section.blocks.append(Table(columns, shown, "<" + ">" * (len(columns) - 1), left_out=len(ranked) - len(shown)))
    return section


def _short(item: str) -> str:
    return item if len(item) <= SHOWN else f"{item[:SHOWN]}…"
