"""Scenarios of a simulated system: parameters with what is intended of them, under any usual names."""

from __future__ import annotations

from auditfw.components.files.looks.words import path_words
from auditfw.kinds.first_look import FirstLook

START = ("experiment=posiwid", "by=[]")
PARTS = {
    "params": ("params", "parameters", "inputs", "input"),
    "intended": ("intended", "expected", "targets", "target", "goals", "goal"),
    "actual": ("actual", "outcomes", "observed", "outputs", "output"),
}


def is_scenarios(look: FirstLook) -> bool:
    """Whether records are scenarios: parameters, and what is intended."""
    heads = {name.partition(".")[0] for name in look.columns}
    flat = look.format in ("csv", "parquet") and {"params", "intended"} <= heads
    return flat or (look.format in ("jsonl", "json") and {"params", "intended"} <= set(parts(look)))


def parts(look: FirstLook) -> dict[str, str]:
    """The parts of a scenario with the names of theirs: each is an object of numbers, or of what a number is to be."""
    names = {ours: next((name for name in known if _numbers(look, name)), None) for ours, known in PARTS.items()}
    return {ours: name for ours, name in names.items() if name is not None}


def _numbers(look: FirstLook, name: str) -> bool:
    held = [row[name] for row in look.records if row.get(name)]
    cells = [cell for one in held if isinstance(one, dict) for cell in one.values()]
    return bool(cells) and all(isinstance(cell, int | float | dict | None) for cell in cells)


def scenario_words(look: FirstLook) -> tuple[str, ...]:
    """The words that read scenarios."""
    mapped = {ours: name for ours, name in parts(look).items() if ours != name}
    columns = f"scenarios.columns={{{', '.join(f'{ours}: {name}' for ours, name in mapped.items())}}}"
    return f"scenarios={look.format}", path_words("scenarios.path", [look]), *([columns] if mapped else [])
