"""What two or more logs were made under: a row for each condition, the same, another, or not recorded.

What a side's log says is read from its own files when a comparison asks, by the head of each log: so runs of any age
have it, and no run pays for it. A log that is gone or changed leaves its conditions not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from auditfw.commands.labelling.texts import stored_audit
from auditfw.commands.stored_run import StoredRun
from auditfw.components.report.wording import NONE
from auditfw.core.document import Table, some
from auditfw.core.errors import AuditError, brief
from auditfw.core.imports import np
from auditfw.core.masking import masked_data
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import CONDITIONS, LogConditions

from .condition_values import (
    AssumedValue,
    Status,
    are_settings,
    canonical,
    differing_settings,
    marks_in,
    printed,
    shots_in,
    status_of,
    template_words,
    text_of,
)
from .pairing import PairedSides

WORDS: Mapping[Status, str] = {"differs": "differs", "not_recorded": "not recorded", "same": "same"}
FACTS = ("items", "truths", "prompts")  # of common items, after the model
LAST = "completions"
CELL = 80
MOST_VALUES = 5
BY_RULE = ("filter", "assertion", "metric", "scorer")  # columns of sources with a row for each rule
CELLS = ("model", "task")  # columns that tell one log of a side from another
OF_ROWS = ("model", "task", "temperature", "seed", "split", "dataset", "judge")  # columns that a table may have


@dataclass(frozen=True)
class SideConditions:
    """What one side was made under: the values of `CONDITIONS`, its first prompts by item; `why` if nothing is known.

    `asked` says that the hash of its questions is that of its whole prompts. `rule` is the name, with its settings, of
    the rule by which its labels were stored, where the comparison knows it.
    """

    values: Mapping[str, Any]
    prompts: Mapping[str, str] = field(default_factory=dict)
    asked: bool = False
    rule: str | None = None
    why: str = ""


@dataclass(frozen=True)
class ConditionRow:
    """A condition, whether it is the same on all sides, and its values as text.

    There is a value a side; of what common items show one for each further side, against the first.
    """

    name: str
    status: Status
    values: Sequence[str]


def side_conditions(run: StoredRun, frame: Any) -> SideConditions:
    """What the logs of a finished run were made under; `frame` is its table of labels.

    Where its files cannot be read, or reading them would start code that is not trusted, `why` says so, and only what
    the table itself shows is known.
    """
    why = ""
    logs: Sequence[LogConditions] = ()
    try:
        source = stored_audit(run.folder).source
        declared = capability(source, "conditions")
        logs = declared() if callable(declared) else ()
    except AuditError as error:
        why = str(AuditError(*error.args[:3]))  # what to do is of a run that is made now
    side = of_logs(logs_of_rows(logs, frame))
    values = dict(side.values)
    values |= {name: value for name in OF_ROWS if values[name] is None and (value := _of_column(frame, name))}
    values["repeats"] = values["repeats"] or _repeats(frame)
    values["limit"] = values["limit"] or _of_column(frame, "row.limit") or _taken_limit(run)
    return replace(side, values=values, why=why)


def logs_of_rows(logs: Sequence[LogConditions], frame: Any) -> Sequence[LogConditions]:
    """The logs that the rows are of, by model and task: a side may be a cell of several logs, or chosen rows."""
    for name in CELLS:
        column = _of_column(frame, name)
        values = column if isinstance(column, list) else [column]
        own = [log for log in logs if log.values.get(name) is None or log.values[name] in values]
        logs = own if column is not None and own else logs
    return logs


def of_logs(logs: Sequence[LogConditions]) -> SideConditions:
    """The conditions of a side that is these logs."""
    values = {name: _together([one.values.get(name) for one in logs]) for name in CONDITIONS}
    prompts = {item: prompt for one in logs for item, prompt in one.prompts.items()}
    if values["shots"] is None and prompts:
        values["shots"] = shots_in(list(prompts.values()))
    return SideConditions(masked_data(values), prompts, bool(logs) and all(one.asked for one in logs))


def _together(values: Sequence[Any]) -> Any:
    """The one value of several logs, or the list of those that differ; None where a log does not say it."""
    different = {canonical(value): value for value in values}
    if None in different.values() or not different:
        return None
    return next(iter(different.values())) if len(different) == 1 else list(different.values())


def _of_column(frame: Any, name: str) -> Any:
    """The value of a column of labels, or a few of them; None where it has none, or many."""
    column = next((one for one in (name, f"row.{name}") if one in frame.columns), None)
    if column is None:
        return None
    values = frame[column].drop_nulls().unique().sort().to_list()
    return None if not 0 < len(values) <= MOST_VALUES else values[0] if len(values) == 1 else values


def _repeats(frame: Any) -> int | None:
    """How many trials each item has; None where items differ in that, or have several trials by rule."""
    if "row.item" not in frame.columns or any(name in frame.columns for name in BY_RULE):
        return None
    counts = frame["row.item"].drop_nulls().value_counts()["count"]
    return int(counts[0]) if len(counts) and counts.n_unique() == 1 else None


def _taken_limit(run: StoredRun) -> Any:
    """The limit that the audit took to hold, which may be one of a harness's defaults; None where it took none."""
    value, assumed = (run.result["budget"]["limit"][name] for name in ("value", "assumed"))
    return AssumedValue(value) if assumed and value is not None else value


def compared(sides: Sequence[SideConditions], pairs: Sequence[PairedSides], alike: bool = False) -> list[ConditionRow]:
    """The conditions of sides, and what the common items of the first with each further one show.

    `alike`: the rules of all sides label the texts of all common trials the same. The rows are in the order of
    `CONDITIONS`; what is of one trial is compared trial by trial of an item, in the order of both tables.
    """
    rows = [_row(name, sides, alike) for name in CONDITIONS]
    at = CONDITIONS.index("model") + 1
    facts = [_items(pairs), _truths(pairs), _prompts(sides, pairs)]
    scored = any(row.name == "scorer" and row.status == "differs" for row in rows)
    return [*rows[:at], *facts, *rows[at:], _completions(pairs, scored)]


def _row(name: str, sides: Sequence[SideConditions], alike: bool) -> ConditionRow:
    if name == "chat template":
        return _template(sides)
    values: list[Any] = [side.values.get(name) for side in sides]
    if name == "scorer" and all(side.rule for side in sides):
        values = [side.rule for side in sides]
    words = list(map(text_of, differing_settings(values) if are_settings(values) else values))
    if name == "scorer" and alike and None not in values and len(set(words)) > 1:
        return ConditionRow(name, "same", [*words[:-1], f"{words[-1]} (labels all common texts alike)"])
    unknown = name == "harness" and None not in values and _lack_version(values)
    return ConditionRow(name, "not_recorded" if unknown else status_of(values), words)


def _lack_version(harnesses: Sequence[Any]) -> bool:
    """Whether all sides are of one harness, and only some of them say of which version."""
    names = {str(one).partition(" ")[0] for one in harnesses}
    return len(names) == 1 and len({*harnesses}) > 1 and names <= {*harnesses}


# Chat templates, as a log names them and as the prompts show them.


def _template(sides: Sequence[SideConditions]) -> ConditionRow:
    """Whether prompts were put into a template: by its hash where a log has it, and by its marks."""
    named = [side.values.get("chat template") for side in sides]
    shares = [marks_in(list(side.prompts.values())) for side in sides]
    known = [column for column in (named, shares) if None not in column]
    status: Status = "not_recorded" if not known else "same"
    if any(len(set(column)) > 1 for column in known):
        status = "differs"
    words = [", ".join(template_words(*pair)) or NONE for pair in zip(named, shares, strict=True)]
    return ConditionRow("chat template", status, words)


# What common items show, of the first side with each further one.


def _items(pairs: Sequence[PairedSides]) -> ConditionRow:
    sets = [both.sets() for both in pairs]
    alone = [(one["only_a"] + one["unscored_b"], one["only_b"] + one["unscored_a"]) for one in sets]
    words = [
        f"{some(one['common'], 'common item')}, {a:,} only in A, {b:,} only in {letter}"
        if a or b
        else f"all {one['common']:,}"
        for one, (a, b), letter in zip(sets, alone, letters(len(sets) + 1)[1:], strict=True)
    ]
    return ConditionRow("items", "differs" if any(map(any, alone)) else "same", words)


def _truths(pairs: Sequence[PairedSides]) -> ConditionRow:
    shares = []
    for both in pairs:
        rows = both.rows()
        known = [_hashes(both, side, "row.truth", rows) is not None for side in (0, 1)]
        sets = both.sets()
        shares.append((sets["other_truth"], sets["common"]) if all(known) else None)
    return _shared("truths", shares, "{} of {} common items ({})", "the same on all {} common items")


def _prompts(sides: Sequence[SideConditions], pairs: Sequence[PairedSides]) -> ConditionRow:
    shares, heads = [], False
    for place, both in enumerate(pairs, 1):
        rows, two = both.rows(), (sides[0], sides[place])
        share = _other(both, rows, "row.prompt", "row.prompt")
        if share is None and all(side.asked for side in two):
            share = _other(both, rows, "row.question", "row.question")
        first = _first_prompts(two, both, rows)
        if share is None or (not share[0] and first is not None and first[0]):  # case and blanks are in texts alone
            share, heads = first, True
        shares.append(share)
    where = " looked at" if heads else ""
    other, same = f"differ on {{}} of {{}} common items{where} ({{}})", f"the same on all {{}} common items{where}"
    return _shared("prompts", shares, other, same)


def _first_prompts(two: Sequence[SideConditions], both: PairedSides, rows: Any) -> tuple[int, int] | None:
    """How many of the common items among the first of both logs have another prompt, and of how many."""
    if not all(side.prompts and "row.item" in one.frame.columns for side, one in zip(two, both.sides, strict=True)):
        return None
    items = [one.frame["row.item"].gather(rows[name]).to_list() for one, name in zip(both.sides, ROWS, strict=True)]
    seen = [(two[0].prompts.get(a), two[1].prompts.get(b)) for a, b in zip(*items, strict=True)]
    known = [pair for pair in seen if None not in pair]
    return (sum(a != b for a, b in known), len(known)) if known else None


ROWS = ("row_a", "row_b")


def _hashes(both: PairedSides, side: int, name: str, rows: Any) -> Any:
    """The hashes of the common items on one side; None where it lacks one."""
    frame = both.sides[side].frame
    if name not in frame.columns:
        return None
    column = frame[name].gather(rows[ROWS[side]])
    return None if column.null_count() else column


def _other(both: PairedSides, rows: Any, one: str, other: str) -> tuple[int, int] | None:
    """How many common items have other hashes, and of how many; None where they are not all known."""
    a, b = _hashes(both, 0, one, rows), _hashes(both, 1, other, rows)
    return None if a is None or b is None else (int((a != b).sum()), len(rows))


def _completions(pairs: Sequence[PairedSides], scored: bool) -> ConditionRow:
    shares = [_texts(both) for both in pairs]
    other, same = "differ on {} of {} common trials ({})", "byte-equal on 100 % of {} common trials: one run"
    return _shared(LAST, shares, other, f"{same}, two scorings" if scored else same)


def _texts(both: PairedSides) -> tuple[int, int] | None:
    """How many common trials have other texts: the first of an item with the first, the second with the second."""
    sides = []
    for side in (0, 1):
        frame, rows = both.sides[side].frame, both.counted[side]
        if "row.text" not in frame.columns:
            return None
        sides.append((both.matched.numbers[side][rows], frame["row.text"].gather(rows)))
    (ours, one), (theirs, other) = sides
    if not np.array_equal(ours, theirs):
        _, at, there = np.intersect1d(both.trials(0), both.trials(1), True, return_indices=True)
        one, other = one.gather(at), other.gather(there)
    if not len(one) or one.null_count() or other.null_count():
        return None
    return int((one != other).sum()), len(one)


def _shared(name: str, shares: Sequence[tuple[int, int] | None], other: str, same: str) -> ConditionRow:
    """The row of what common items show: of each pair how many are not alike, of how many."""
    words = [
        NONE
        if one is None
        else other.format(f"{one[0]:,}", f"{one[1]:,}", _percent(*one))
        if one[0]
        else same.format(f"{one[1]:,}")
        for one in shares
    ]
    status: Status = (
        "not_recorded" if None in shares else "differs" if any(one and one[0] for one in shares) else "same"
    )
    return ConditionRow(name, status, words)


def _percent(n: int, of: int) -> str:
    return f"{100 * n / of:.1f} %"


# The table, and what other parts of a comparison ask of the rows.


def conditions_table(rows: Sequence[ConditionRow], sides: int, everything: bool = False) -> tuple[str, Table]:
    """The heading and the table of conditions: what differs first, then what is not recorded; `everything`: all.

    Where nothing differs and all is recorded the table is empty. Values are cut to one short line each.
    """
    ordered = [row for status in WORDS for row in rows if row.status == status]
    counts = {status: sum(row.status == status for row in rows) for status in WORDS}
    shown = ordered if everything else [row for row in ordered if row.status != "same"]
    summary = f"{counts['differs']} differ, {counts['not_recorded']} not recorded, {counts['same']} the same"
    values = [[brief(one, CELL) for one in _filled(row.values, sides)] for row in shown]
    cells = [[printed(row.name), WORDS[row.status], *own] for row, own in zip(shown, values, strict=True)]
    head = f"Conditions ({summary})" if everything else f"Conditions ({summary}: --all)"
    return head, Table(["condition", "", *letters(sides)], cells, "<" * (2 + sides))


def letters(sides: int) -> list[str]:
    """What sides are called: A, B, C."""
    return [chr(ord("A") + i) for i in range(sides)]


def _filled(values: Sequence[str], sides: int) -> list[str]:
    """A value for each side: what two sides share stands once, of several sides below each further one."""
    if len(values) == sides:
        return list(values)
    return [*values, ""] if sides == 2 else ["", *values]


def one_run(rows: Sequence[ConditionRow]) -> bool:
    """Whether the common trials of all sides have the same texts, to the byte."""
    return next(row.status for row in rows if row.name == LAST) == "same"
