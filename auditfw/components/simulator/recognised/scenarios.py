"""Scenarios of a simulated system: parameters with what is intended of them, under any usual names."""

from __future__ import annotations

import re

from auditfw.components.files.looks.words import path_words
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.scenarios import spelled

START = ("experiment=posiwid", "by=[]")
PARTS = {
    "params": ("params", "parameters", "inputs", "input"),
    "intended": ("intended", "expected", "targets", "target", "goals", "goal"),
    "actual": ("actual", "outcomes", "observed", "outputs", "output"),
}
WIDTH = re.compile(r"(.+)[_.](?:tol|tolerance)", re.IGNORECASE)  # a column of tolerances, by what they are of
PLAIN = re.compile(r"[A-Za-z]\w*")
LABELS = ("label", "id", "case", "scenario", "name")


def is_scenarios(look: FirstLook) -> bool:
    """Whether records are scenarios: parameters, and what is intended."""
    if flat_columns(look):
        return True
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


def flat_columns(look: FirstLook) -> dict[str, str]:
    """A table of numbers, with tolerances of some of them in columns of their own: our names with theirs; else {}."""
    names = list(look.columns)
    if look.format not in ("csv", "parquet") or not all(map(PLAIN.fullmatch, names)):
        return {}
    widths = {name: match[1] for name in names if (match := WIDTH.fullmatch(name))}
    label = next((name for name in names if name.lower() in LABELS), None)
    mapped = {} if label is None else {"label": label}
    for name, stem in widths.items():
        of = [one for one in names if one not in widths and (one == stem or one.startswith(f"{stem}_"))]
        if len(of) != 1:
            return {}
        mapped |= {f"intended.{of[0]}": of[0], f"intended.{of[0]}.tolerance": name}
    params = [name for name in names if name not in mapped.values()]
    numbers = [row.get(name) for row in look.records for name in names if name != label]
    if not (widths and params and numbers) or any(
        spelled(str(one)) is None for one in numbers if one not in (None, "")
    ):
        return {}
    return mapped | {f"params.{name}": name for name in params}


def parameters(look: FirstLook) -> set[str]:
    """The names of the parameters of scenarios."""
    flat = [ours.removeprefix("params.") for ours in flat_columns(look) if ours.startswith("params.")]
    held = (row.get(parts(look).get("params", "")) for row in look.records)
    return {*flat, *(str(key) for one in held if isinstance(one, dict) for key in one)}


def scenario_words(look: FirstLook) -> tuple[str, ...]:
    """The words that read scenarios."""
    mapped = flat_columns(look) or {ours: name for ours, name in parts(look).items() if ours != name}
    columns = f"scenarios.columns={{{', '.join(f'{ours}: {name}' for ours, name in mapped.items())}}}"
    return f"scenarios={look.format}", path_words("scenarios.path", [look]), *([columns] if mapped else [])
