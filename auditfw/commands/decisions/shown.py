"""Decisions in a report: beside their exhibits, and counted by reading and direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile

from auditfw.components.files.filled_rows import delimited, text_of
from auditfw.core.digits import fixed
from auditfw.core.document import Block, Exhibit, Gallery, Note, Section, Table, some
from auditfw.core.errors import DataError
from auditfw.core.records import Result
from auditfw.formulas.people.shares import share_interval

# The file that the page saves: `key,id,label,note,labeller,reading,kind`, a row a decision.

LABELS = ("right", "wrong", "cannot_tell")
KIND = "label"
NEEDED = ("key", "label")


@dataclass(frozen=True)
class Decision:
    """What a reader says of one exhibit: whether the answer is right ("" for a note alone), and on which line."""

    label: str
    note: str
    labeller: str
    line: int


def read_decisions(path: str, known: Collection[str]) -> dict[str, Decision]:
    """The decisions of a file by the keys of exhibits, all of which must be `known`. Raises DataError."""
    read: dict[str, Decision] = {}
    rows = [(line, row) for line, row in _rows(path) if row["label"].strip() or row.get("note", "").strip()]
    _check_words(path, rows)
    strangers = [(line, row["key"]) for line, row in rows if row["key"] not in known]
    if strangers:
        line, key = strangers[0]
        what = f"key {key or '(empty)'} is of no exhibit of this run"
        raise DataError(f"{path}:{line}", what, f"{len(strangers)} of {len(rows)} rows", "name the run that it is from")
    for line, row in rows:
        one = Decision(row["label"].strip().lower(), row.get("note", ""), row.get("labeller", "").strip(), line)
        before = read.get(row["key"])
        if before is not None and before.label and one.label and before.label != one.label:
            what = f"two labels for key {row['key']}"
            both = f"{before.label} in line {before.line}, {one.label} in line {line}"
            raise DataError(f"{path}:{line}", what, both, "leave one of them")
        if before is None or (one.label and not before.label):
            read[row["key"]] = one
    return read


def _check_words(path: str, rows: Collection[tuple[int, Mapping[str, str]]]) -> None:
    """Raises DataError where a label or a kind is another word."""
    for column, words, what in (("label", LABELS, "label"), ("kind", (KIND,), "kind")):
        cells = [(line, row.get(column, "").strip().lower()) for line, row in rows]
        unknown = [(line, word) for line, word in cells if word and word not in words]
        if unknown:
            (line, word), times = unknown[0], Counter(word for _, word in unknown)
            count = f"{times[word]} row{'s' * (times[word] > 1)}"
            raise DataError(f"{path}:{line}", f"{word!r} is no {what}", count, f"write {', '.join(words)}")


def _rows(path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by the header's names, each with its first line."""
    do = "name the file that the page saved"
    for line, row in delimited(path, text_of(path, do)):
        for name in NEEDED:
            if name not in row:
                raise DataError(f"{path}:1", f"no column '{name}'", ", ".join(row), "save the page's file")
        yield line, row


Placed = tuple[int | None, str]  # how many were drawn before it for the reading, None if it was not; its label
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
    facts = [("decided", decision.label.replace("_", " ") + by)] if decision.label else []
    facts += [("note", decision.note)] if decision.note else []
    return replace(exhibit, facts=[*exhibit.facts, *facts])


def _counted(result: Result, decided: Mapping[str, tuple[Exhibit, Decision]], beside: Section) -> Section:
    """The decisions by reading and direction, as sentences and as a table."""
    by: dict[tuple[str, str], list[Placed]] = {}
    for exhibit, decision in decided.values():
        for reading, to in (exhibit.changes or {}).items() if decision.label else ():
            by.setdefault((reading, to), []).append((exhibit.order.get(reading), decision.label))
    order = {one.reading: n for n, one in enumerate(result.measurements)}
    strata = sorted(by.items(), key=lambda one: (order.get(one[0][0], len(order)), one[0]))
    rows, lines = [], []
    for (reading, to), read in strata:
        line, row = counts_line(reading, to, read, _all(result, reading, to))
        rows.append([reading, f"to {to}", *row])
        lines.append(f"{reading}: {line}")
    table = Table(
        ["reading", "direction", "all", "read", "yours", "reading's", "cannot tell", "yours, %"], rows, "<<>>>>>>"
    )
    whole = some(sum(bool(one.label) for _, one in decided.values()), "decision")
    how = (
        f"{whole} by readers who saw the labels: not blind, and no rate of errors. Each range is by those drawn first"
        " for the reading, up to one without a decision; others were drawn for other readings, or picked."
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


def counts_line(reading: str, to: str, read: Sequence[Placed], total: int | None) -> tuple[str, list[str]]:
    """What was decided of those read of `total` changed labels, in one sentence and as the cells of a row."""
    labels = [label for _, label in read]
    own = labels.count(OPPOSITE[to])  # the answer is what the reference says, and not the label it changes to
    other, open_ = labels.count(to), labels.count(CANNOT_TELL)
    first = labels if len(labels) == total else drawn_first(read)
    share = share_text(first.count(OPPOSITE[to]), len(first), total) if first and total and total >= len(first) else ""
    parts = [f"your label right in {own}", f"{reading} in {other}", f"cannot tell {open_}"]
    of = f"of {total:,} to {to}" if total is not None else f"to {to}"
    line = f"{of} you read {len(labels):,}: {', '.join(parts)}"
    by = "" if len(first) == len(labels) else f", by the first {len(first):,}"
    line += f" ({share} of the {total:,}{by})" if share else ""
    return line, [
        "" if total is None else f"{total:,}",
        *map(str, (len(labels), own, other, open_)),
        share.replace(" %", ""),
    ]


def drawn_first(read: Sequence[Placed]) -> list[str]:
    """The labels of those drawn first, up to one that was not read: a random sample, which all that were read are not.

    A trial that was drawn for another reading is more likely one that several readings change.
    """
    labels = {place: label for place, label in read if place is not None}
    return [labels[n] for n in takewhile(labels.__contains__, count())]


def share_text(yes: int, n: int, total: int) -> str:
    """A share in percent of n drawn without replacement from `total`; with its interval where not all were read."""
    share = f"{fixed(100 * yes / n, 0)} %"
    if n == total:
        return share
    low, high = share_interval(yes, n, total)
    return f"{share} [{fixed(100 * low, 0)}, {fixed(100 * high, 0)}]"
