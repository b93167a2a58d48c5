"""What a command took for what in a table that nobody described: one sentence, the first warning of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from auditfw.audits.spine import Run
from auditfw.kinds.capabilities import capability

REFERENCE = "audit.reference"
CHANGED_BY = {"source.columns": "source.columns.{}=COLUMN", REFERENCE: "audit.reference=RATER"}  # the likeliest
ROW_NUMBER, AUDIT = "#", "audit."
MOST = 12  # names of a list


def fitted(run: Run) -> Run:
    """A run whose settings that were guessed fit those that somebody typed, as its audit knows."""
    reguessed = capability(run.audit, "reguessed") if run.guessed else None
    return run if reguessed is None else replace(run, audit=reguessed(run.guessed))


def guessed_note(settings: Mapping[str, Any], audit: Any, reference: str = "") -> list[str]:
    """`Guessed: item: qid, ground_truth: target; by: model. If one is wrong: source.columns.item=COLUMN`.

    It is of the settings that `guessed` lists, which nobody typed, those of the audit as it runs; nothing where there
    are none. `reference` is the one that a run came to, which its data may change.
    """
    changed = {REFERENCE: reference} if reference else {}
    keys = settings.get("guessed") or ()
    listed = {key: value for key in keys if (value := _known(changed.get(key) or _at(settings, audit, key)))}
    if not listed:
        return []
    words = [CHANGED_BY[key].format(next(iter(listed[key]))) for key in CHANGED_BY if key in listed]
    change = f" If one is wrong: {' or '.join(words)}" if words else ""
    return [f"Guessed: {'; '.join(_text(key, value) for key, value in listed.items())}.{change}"]


def _at(settings: Mapping[str, Any], audit: Any, key: str) -> Any:
    if key.startswith(AUDIT):
        return getattr(audit, key.removeprefix(AUDIT), None)
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
