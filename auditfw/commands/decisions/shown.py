"""Decisions in a report: beside their exhibits, and counted by reading and direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from auditfw.core.digits import fixed
from auditfw.core.document import Block, Exhibit, Gallery, Note, Section, Table, some
from auditfw.core.records import Result
from auditfw.core.statistics import wilson

from .file import Decision, read_decisions

OPPOSITE = {"right": "wrong", "wrong": "right"}
FLIPS = {"right": "flips_to_true", "wrong": "flips_to_false"}
CANNOT_TELL = "cannot_tell"


def with_decisions(result: Result, path: str) -> Result:
    """A result whose exhibits bear the decisions of a file, with a section that counts them. Raises DataError."""
    exhibits = {one.key: one for one in _exhibits(result.sections) if one.key}
    decided = read_decisions(path, exhibits)
    sections: list[Section] = []
    for section in result.sections:
        sections.append(replace(section, blocks=[_marked(block, decided) for block in section.blocks]))
        if any(one.key for one in _exhibits([section])):
            sections.append(_counted(result, {key: (exhibits[key], one) for key, one in decided.items()}, section))
    return replace(result, sections=sections)


def _exhibits(sections: Iterable[Section]) -> Iterator[Exhibit]:
    blocks = (block for section in sections for block in section.blocks if isinstance(block, Gallery))
    return (one for block in blocks for one in block.exhibits)


def _marked(block: Block, decided: Mapping[str, Decision]) -> Block:
    if not isinstance(block, Gallery):
        return block
    return replace(block, exhibits=[_with(one, decided.get(one.key)) for one in block.exhibits])


def _with(exhibit: Exhibit, decision: Decision | None) -> Exhibit:
    if decision is None:
        return exhibit
    by = f" ({decision.labeller})" if decision.labeller else ""
    facts = [("decided", _word(decision.label) + by)] if decision.label else []
    facts += [("note", decision.note)] if decision.note else []
    return replace(exhibit, facts=[*exhibit.facts, *facts])


def _word(label: str) -> str:
    return label.replace("_", " ")


def _counted(result: Result, decided: Mapping[str, tuple[Exhibit, Decision]], beside: Section) -> Section:
    """The decisions by reading and direction, as sentences and as a table."""
    by: dict[tuple[str, str], list[str]] = {}
    for exhibit, decision in decided.values():
        for reading, to in (exhibit.changes or {}).items() if decision.label else ():
            by.setdefault((reading, to), []).append(decision.label)
    order = {one.reading: n for n, one in enumerate(result.measurements)}
    strata = sorted(by.items(), key=lambda one: (order.get(one[0][0], len(order)), one[0]))
    rows, lines = [], []
    for (reading, to), labels in strata:
        line, row = counts_line(reading, to, labels, _all(result, reading, to))
        rows.append([reading, f"to {to}", *row])
        lines.append(f"{reading}: {line}")
    table = Table(
        ["reading", "direction", "all", "read", "yours", "reading's", "cannot tell", "yours, %"], rows, "<<>>>>>>"
    )
    whole = some(sum(bool(one.label) for _, one in decided.values()), "decision")
    how = (
        f"{whole} by readers who saw the labels: not blind, and no rate of errors. Each range holds if exhibits were"
        " read in the order in which they came, not picked."
    )
    blocks: list[Block] = [Note(how), *map(Note, lines), *([table] if rows else [])]
    return Section("Your Decisions", blocks, beside.level, console=True, group=beside.group)


def _all(result: Result, reading: str, to: str) -> int | None:
    """How many labels change so in the whole run, where that was measured."""
    try:
        value = result.measurement(FLIPS[to], reading).estimate.value
    except KeyError:
        return None
    return None if value is None else round(value)


def counts_line(reading: str, to: str, labels: list[str], total: int | None) -> tuple[str, list[str]]:
    """What was decided of `labels`, read of `total` changed labels, in one sentence and as the cells of a row."""
    own = labels.count(OPPOSITE[to])  # the answer is what the reference says, and not the label it changes to
    other, open_ = labels.count(to), labels.count(CANNOT_TELL)
    share = "" if total is None or total < len(labels) else share_text(own, len(labels), total)
    parts = [f"your label right in {own}", f"{reading} in {other}", f"cannot tell {open_}"]
    of = f"of {total:,} to {to}" if total is not None else f"to {to}"
    line = f"{of} you read {len(labels):,}: {', '.join(parts)}"
    line += f" ({share} of the {total:,})" if share else ""
    return line, [
        "" if total is None else f"{total:,}",
        *map(str, (len(labels), own, other, open_)),
        share.replace(" %", ""),
    ]


def share_text(yes: int, n: int, total: int) -> str:
    """A share in percent of n drawn without replacement from `total`, with Wilson's 95 % interval.

    n is that of a sample from a population without end, n (N - 1) / (N - n): the variance of the draw is smaller by the
    finite population correction (Cochran 1977, Sampling Techniques, 2.6). Without an interval where all were read.
    """
    share = f"{fixed(100 * yes / n, 0)} %"
    if n == total:
        return share
    size = n * (total - 1) / (total - n)
    low, high = wilson(yes / n * size, size)
    return f"{share} [{fixed(100 * low, 0)}, {fixed(100 * high, 0)}]"
