"""Conditions that shape what a model writes: where they differ, what is left of a gap need not be the model's."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.errors import brief

from .conditions import CELL, ConditionRow, one_run

SHAPING = ("chat template", "system text", "shots", "temperature", "top_p", "seed", "limit", "stop texts")


def shaping(rows: Sequence[ConditionRow]) -> list[str]:
    """The conditions that shape what a model writes and differ, as prompts do, by name; none of one run."""
    return (
        []
        if one_run(rows)
        else [row.name for row in rows if row.name in ("prompts", *SHAPING) and row.status == "differs"]
    )


def of_one_model(rows: Sequence[ConditionRow]) -> bool:
    """Whether all sides are recorded to be of one model."""
    return next(row.status for row in rows if row.name == "model") == "same"


def shaping_line(rows: Sequence[ConditionRow]) -> str:
    """That conditions differ, so that what is left of a gap need not be the model's; "" where only prompts may."""
    names = [name for name in shaping(rows) if name in SHAPING]
    if not names:
        return ""
    values = next(row.values for row in rows if row.name == names[0])
    which = f" ({', '.join(brief(value, CELL // 2) for value in values)})" if len(names) == 1 else ""
    left = "is theirs, or chance: the model is the same" if of_one_model(rows) else "may be theirs, not the model's"
    return f"{', '.join(names)}{which}: not the same on both sides; what is left of the gap {left}."
