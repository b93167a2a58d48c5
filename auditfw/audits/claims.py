"""What claims say, checked before a run and against its cells: columns, metrics, sides, and what contradicts what."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

from auditfw.core.errors import AuditError, Findings, UsageError, nearest
from auditfw.core.records import PERCENT, Cell, MetricStyle, Range, Side, Value
from auditfw.kinds.capabilities import capability
from auditfw.kinds.conditions import condition, kind_of
from auditfw.kinds.context import BoundStatement, Claim, ClaimStatement, OrderStatement, SideStatement
from auditfw.kinds.metric_styles import style_of
from auditfw.kinds.registry import component, names

from .answers import named

Sides = tuple[Hashable, ...]  # the conditions of a claim as what is compared: texts before a run, then sets of cells
_TEXT = re.compile(r"'((?:[^']|'')*)'")


def check_claims(claims: Mapping[str, Claim], by: Sequence[str], audit: str, claimed: Sequence[str]) -> None:
    """Refuses claims that cannot be read whatever the data is; `claimed` are the metrics they may be about.

    Raises UsageError, or Findings.
    """
    if not claims:
        return
    if not claimed:
        raise UsageError("claims", f"the {audit} audit reads no claims", ", ".join(claims), "leave them out: claim=[]")
    errors: list[AuditError] = []
    for name, claim in claims.items():
        try:
            _check(f"claims.{name}", claim(), by, claimed)
        except AuditError as error:
            errors.append(error)
    errors = errors or contradictions({name: (claim(), texts_of(claim())) for name, claim in claims.items()})
    if errors:
        raise errors[0] if len(errors) == 1 else Findings(errors)


def conditions_of(statement: ClaimStatement) -> dict[str, str | None]:
    """The SQL conditions of a statement by the setting they are written in; None where all trials are meant."""
    if isinstance(statement, SideStatement):
        return {"better": statement.better, "than": statement.than}
    return {"where": statement.where} if isinstance(statement, BoundStatement) else {}


def texts_of(statement: ClaimStatement) -> Sides:
    """The conditions as texts, whatever their blanks."""
    if isinstance(statement, OrderStatement):
        return (statement.of,)
    return tuple(None if sql is None else " ".join(sql.split()) for sql in conditions_of(statement).values())


def contradictions(claims: Mapping[str, tuple[ClaimStatement, Sides]]) -> list[AuditError]:
    """For each two claims of which not both can hold, or that are the same order, an error."""
    errors: list[AuditError] = []
    for (name, (one, sides)), (other_name, (other, others)) in combinations(claims.items(), 2):
        if one.metric != other.metric:
            continue
        if _opposed(one, sides, other, others):
            do = "leave one of the two out"
            errors.append(UsageError(f"claims.{other_name}", f"contradicts claims.{name}", None, do))
        elif isinstance(one, OrderStatement) and isinstance(other, OrderStatement) and one.of == other.of:
            do = "leave one of the two out"
            errors.append(UsageError(f"claims.{other_name}", f"is the same as claims.{name}", other.of, do))
    return errors


def _opposed(one: ClaimStatement, sides: Sides, other: ClaimStatement, others: Sides) -> bool:
    if isinstance(one, SideStatement) and isinstance(other, SideStatement):
        return sides == others[::-1] and one.by + other.by >= 0
    if isinstance(one, BoundStatement) and isinstance(other, BoundStatement) and one.at_most != other.at_most:
        most, least = (one, other) if one.at_most else (other, one)
        return sides == others and most.value < least.value
    return False


def _check(where: str, statement: ClaimStatement, by: Sequence[str], claimed: Sequence[str]) -> None:
    _check_metric(where, statement.metric, claimed)
    low, high = range_of(statement.metric)
    if isinstance(statement, OrderStatement):
        _check_columns(f"{where}.of", [statement.of], by)
    elif isinstance(statement, BoundStatement) and not low <= statement.value <= high:
        raise UsageError(f"{where}.value", f"{statement.metric} is always in [{low:g}, {high:g}]", statement.value)
    elif isinstance(statement, SideStatement) and not abs(statement.by) < high - low:
        raise UsageError(f"{where}.by", f"no difference of {statement.metric} is that large", statement.by)
    for setting, sql in conditions_of(statement).items():
        if sql is not None:
            _check_columns(f"{where}.{setting}", condition(sql, f"{where}.{setting}").names, by)
    if isinstance(statement, SideStatement) and len(set(texts_of(statement))) == 1:
        raise UsageError(f"{where}.than", "is the same condition as better", statement.than, "name two sides")


def _check_metric(where: str, metric: str, claimed: Sequence[str]) -> None:
    if metric in claimed and side_of(metric) is not None:
        return
    known = metric in names("metric")
    what = "claims are about rates that have a better side" if known else f"no metric '{metric}'"
    do = f"write one of {', '.join(claimed)}" if known else nearest(metric, claimed)
    raise UsageError(f"{where}.metric", what, metric if known else None, do)


def _check_columns(where: str, columns: Sequence[str], by: Sequence[str]) -> None:
    for column in columns:
        if column not in by:
            near = nearest(column, by) if by else ""
            do = near if near.startswith("did you mean") else f"add it: by=[{','.join((*by, column))}]"
            raise UsageError(where, "is about a column that is not in by", column, do)


def side_of(metric: str) -> Side | None:
    """Which of two numbers of a metric is the better one; None where neither is."""
    side: Side | None = capability(component("metric", metric).cls, "better")
    return side


def range_of(metric: str) -> Range:
    """The two numbers between which a rate lies; its share is the place between them."""
    limits: Range = capability(component("metric", metric).cls, "range", PERCENT)
    return limits


def scale_of(metric: str) -> float:
    """What a share is multiplied by to be in the metric's unit."""
    return range_of(metric)[1]


def unit_of(metric: str) -> str:
    """What follows a difference of a metric in a sentence."""
    unit = metric_style(metric).unit
    return " pp" if unit == "%" else f" {unit}".rstrip()


def metric_style(metric: str) -> MetricStyle:
    """How a metric prints."""
    return style_of(metric, {})


def select(sql: str | None, setting: str, cells: Sequence[Cell], by: Sequence[str]) -> list[int]:
    """The numbers of the cells for which a condition holds, all where it is None. Raises UsageError for none."""
    if sql is None:
        return list(range(len(cells)))
    held = condition(sql, setting)
    columns = {name: [cell[by.index(name)] for cell in cells] for name in held.names}
    kept = held.keep(columns, len(cells), setting)
    chosen = [i for i, keep in enumerate(kept) if keep]
    if not chosen:
        raise UsageError(setting, "matches no cell", sql, _nearest_value(sql, columns))
    return chosen


def _nearest_value(sql: str, columns: Mapping[str, Sequence[Value]]) -> str:
    """What there is in place of a text that no column has; else the values of the columns that are named."""
    values = {name: sorted({str(one) for one in column if one is not None}) for name, column in columns.items()}
    known = [value for column in values.values() for value in column]
    for text in (match.replace("''", "'") for match in _TEXT.findall(sql)):
        if text not in known and kind_of(known) == "text":
            return nearest(text, known)
    some_values = "; ".join(f"{name}: {', '.join(column[:12])}" for name, column in values.items())
    return f"there is {some_values}" if some_values else "write a condition that matches a cell"


def check_sides(name: str, sides: Sequence[Sequence[int]], cells: Sequence[Mapping[str, Value]]) -> None:
    """Refuses two sides with a common cell. Raises UsageError."""
    common: Any = sorted(set(sides[0]) & set(sides[1]))
    if common:
        do = "name two sides without a common cell"
        raise UsageError(
            f"claims.{name}.than", "shares a cell with better", named(cells[common[0]]) or "all trials", do
        )
