"""What a command took for what in a table that nobody described: one sentence, the first warning of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHANGED_BY = {"source.columns": "source.columns.{}=COLUMN", "audit.reference": "audit.reference=RATER"}  # the likeliest
ROW_NUMBER = "#"
MOST = 12  # names of a list


def guessed_note(settings: Mapping[str, Any]) -> list[str]:
    """`Guessed: item: qid, ground_truth: target; by: model. If one is wrong: source.columns.item=COLUMN`.

    It is of the settings that `guessed` lists, which nobody typed; nothing where there are none.
    """
    listed = {key: value for key in settings.get("guessed") or () if (value := _known(_at(settings, key)))}
    if not listed:
        return []
    words = [CHANGED_BY[key].format(next(iter(listed[key]))) for key in CHANGED_BY if key in listed]
    change = f" If one is wrong: {' or '.join(words)}" if words else ""
    return [f"Guessed: {'; '.join(_text(key, value) for key, value in listed.items())}.{change}"]


def _at(settings: Mapping[str, Any], key: str) -> Any:
    part: Any = settings
    for name in key.split("."):
        part = part.get(name) if isinstance(part, Mapping) else None
    return part


def _known(value: Any) -> Any:
    """A value less the columns that are none: the numbers of rows."""
    return {ours: at for ours, at in value.items() if at != ROW_NUMBER} if isinstance(value, Mapping) else value


def _text(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{ours}: {theirs}" for ours, theirs in value.items())
    names = [value] if isinstance(value, str) else list(map(str, value))
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"{key.rpartition('.')[2]}: {', '.join(names[:MOST])}{more}"
