"""What a change did to an audit, as Markdown for a comment on a pull request: answer, changed labels, gates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.commands.stored_run import StoredRun
from auditfw.components.report.markdown import table_text
from auditfw.components.report.wording import counts_text, gates_table, left_out
from auditfw.core.document import Table, some
from auditfw.core.errors import brief
from auditfw.core.escaping import markdown_text
from auditfw.core.records import STATUSES, titled_answer

from .label_changes import LabelChanges, flips_table

LIMIT = 60_000  # bytes; GitHub refuses a comment of more than 65,536 characters
ROWS = (20, 10, 5, 2, 0)
CELL = 80
NOT_PAIRED = "The trials cannot be compared one by one: their ids differ, or the accepted run keeps no labels."


@dataclass(frozen=True)
class Difference:
    """How a run differs from the one before: trials in both (None if they cannot be paired), labels, numbers, answer.

    `answers` says that the answer is another one, and why; it is empty where the answer stayed.
    """

    both: int | None
    changes: Sequence[LabelChanges]
    numbers: Table
    answers: Sequence[str]


def pull_request_text(before: StoredRun, run: StoredRun, difference: Difference) -> str:
    """The whole comment, with as many rows as have room."""
    for rows in ROWS:
        text = "\n\n".join(part for part in _parts(before, run, difference, rows) if part) + "\n"
        if len(text.encode()) <= LIMIT:
            break
    return text


def _parts(before: StoredRun, run: StoredRun, difference: Difference, rows: int) -> Iterator[str]:
    yield from _answer(run.result, difference.answers)
    name = before.folder.name if before.folder.is_file() else f"the run {before.folder}"
    yield f"#### Labels that changed since {markdown_text(name)}"
    yield from _labels(difference, rows)
    yield _list(_other_changes(before.result, run.result))
    yield from _numbers(difference.numbers, rows)
    yield from _gates(run, rows)


def _answer(result: Mapping[str, Any], changes: Sequence[str]) -> Iterator[str]:
    answer = result["answer"]
    verdict = f"verdict {result['verdict']}, exit code {result['exit_code']}"
    yield f"### auditfw: {markdown_text(result['audit'])}"
    if answer is None:
        yield f"**{markdown_text(verdict.capitalize())}.** The {markdown_text(result['audit'])} audit draws no answer."
    else:
        title = markdown_text(titled_answer(answer.get("words", ""), answer["status"]))
        yield f"**Answer: {title}.** {_text(answer['headline'])}"
        changed = [f"The {change}" for change in changes]
        yield _list([*(changed or answer["because"][:1]), f"Next: {answer['next']}"])
    yield f"{markdown_text(counts_text(result['counts']))}; {markdown_text(verdict)}."


def _labels(difference: Difference, most: int) -> Iterator[str]:
    changes = difference.changes
    if difference.both is None:
        yield NOT_PAIRED
        return
    trials = some(difference.both, "trial")
    if not changes:
        yield f"None: all labels of the {trials} in both are as they were." if difference.both else NOT_PAIRED
        return
    labels = sum(one.changed for one in changes)
    yield f"{some(labels, 'label')} of {some(len(changes), 'reading')} changed, of {trials} in both."
    yield from _table(flips_table(changes), most)
    rows = _in_turns(changes)
    table = Table(["reading", "trial", "before", "now"], rows, "<<<<", left_out=labels - len(rows))
    yield from _table(table, most // 2)


def _in_turns(changes: Sequence[LabelChanges]) -> list[list[str]]:
    """A row for each label that is named, the first of every reading before the second of any."""
    named = [
        (place, [one.reading, name, old, new])
        for one in changes
        for place, (name, old, new) in enumerate(zip(one.ids, one.before, one.after, strict=True))
    ]
    return [row for _, row in sorted(named, key=lambda pair: pair[0])]


def _other_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What else is not as it was, so that nobody takes it for the work of one change."""
    known = {one["path"]: one["sha256"] for one in before["inputs"]}
    others = [one["path"] for one in now["inputs"] if known.get(one["path"]) != one["sha256"]]
    versions = [
        f"{name} {before['versions'].get(name, 'none')} → {version}"
        for name, version in now["versions"].items()
        if before["versions"].get(name) != version
    ]
    return [
        *([f"Other input: {', '.join(others[:3])}{_more(len(others) - 3)}"] if others else []),
        *(["Other settings than before."] if before["config_hash"] != now["config_hash"] else []),
        *([f"Other versions: {', '.join(versions)}"] if versions else []),
    ]


def _numbers(numbers: Table, most: int) -> Iterator[str]:
    if numbers.rows:
        yield f"<details><summary>{some(len(numbers.rows), 'number')} changed</summary>"
        yield from _table(numbers, most)
        yield "</details>"


def _gates(run: StoredRun, most: int) -> Iterator[str]:
    yield "#### Gates"
    gates = sorted(run.result["gates"], key=lambda gate: STATUSES.index(gate.status))
    if not gates:
        yield "This run has no gates."
        return
    passed = sum(gate.status == "pass" for gate in gates)
    yield f"{passed} of {len(gates)} passed."
    table, why = gates_table(gates, run.styles)
    yield from _table(table, most)
    yield _list(why[:most])


def _table(table: Table, most: int) -> Iterator[str]:
    rows = [[brief(cell, CELL) for cell in row] for row in table.rows[:most]]
    if rows:
        yield table_text(Table(table.columns, rows, table.align))
    yield left_out(len(table.rows) - len(rows) + table.left_out)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_text(line)}" for line in lines)


def _text(line: str) -> str:
    return markdown_text(brief(line, 6 * CELL))


def _more(left: int) -> str:
    return f" and {left} more" if left > 0 else ""
