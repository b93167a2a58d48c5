"""Scenarios of a simulated system and its models, which are a run together; each looks for the other beside it."""

from __future__ import annotations

import ast
import glob
import os
import re
from collections.abc import Sequence

from auditfw.config.quoting import value
from auditfw.core.errors import DataError
from auditfw.kinds.first_look import FirstLook

from .first_look import readable
from .proposal import GAP, Own, Proposal, path_words, spelt

START = ("experiment=posiwid", "by=[]")
PARTS = {
    "params": ("params", "parameters", "inputs", "input"),
    "intended": ("intended", "expected", "targets", "target", "goals", "goal"),
    "actual": ("actual", "outcomes", "observed", "outputs", "output"),
}
MODELS = (".mdl", ".xmile", ".stmx")
TIME = re.compile(r"time\b.*", re.IGNORECASE)  # the first column of a table of time series
RUN = re.compile(r"\s+:\s+.*")  # what Vensim writes behind a name: that of the run
LARGEST, MOST = 1 << 20, 50  # bytes of a model or of code, files that are looked at beside one


def systems(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """Scenarios with recorded outcomes; or a model, and scenarios or a table of time series for it."""
    models = [look for look in looks if look.format == "model"]
    others = [look for look in looks if look not in models]
    if len(models) > 1 or len(others) != 1:
        return None
    if not models:
        actual = "actual" in _parts(others[0]) or any(name.startswith("actual.") for name in others[0].columns)
        recorded = is_scenarios(others[0]) and actual
        words = (*START, *_scenarios(others[0]), "simulator=table") if recorded else ()
        return Proposal("scenarios with their outcomes", words) if recorded else None
    words = _together(models[0].path, others[0])
    return Proposal("a model and its scenarios", words) if words else None


def is_scenarios(look: FirstLook) -> bool:
    """Whether records are scenarios: parameters, and what is intended."""
    heads = {name.partition(".")[0] for name in look.columns}
    flat = look.format in ("csv", "parquet") and {"params", "intended"} <= heads
    return flat or (look.format in ("jsonl", "json") and {"params", "intended"} <= set(_parts(look)))


def _parts(look: FirstLook) -> dict[str, str]:
    """The parts of a scenario with the names of theirs: each is an object of numbers, or of what a number is to be."""
    names = {ours: next((name for name in known if _numbers(look, name)), None) for ours, known in PARTS.items()}
    return {ours: name for ours, name in names.items() if name is not None}


def _numbers(look: FirstLook, name: str) -> bool:
    held = [row[name] for row in look.records if row.get(name)]
    cells = [cell for one in held if isinstance(one, dict) for cell in one.values()]
    return bool(cells) and all(isinstance(cell, int | float | dict | None) for cell in cells)


def _scenarios(look: FirstLook) -> tuple[str, ...]:
    mapped = {ours: name for ours, name in _parts(look).items() if ours != name}
    columns = f"scenarios.columns={{{', '.join(f'{ours}: {name}' for ours, name in mapped.items())}}}"
    return f"scenarios={look.format}", path_words("scenarios.path", [look]), *([columns] if mapped else [])


def _together(model: str, look: FirstLook) -> tuple[str, ...]:
    """The words for a model and what it is to do; none where they do not fit."""
    runs = _runs(model)
    if not runs:
        return ()
    known = _text(model).casefold()
    if is_scenarios(look):
        given = [row.get(_parts(look).get("params", "")) for row in look.records]
        params = {str(key) for one in given if isinstance(one, dict) for key in one}
        fits = all(name.casefold() in known for name in params)
        return (*START, *runs, *_scenarios(look)) if fits else ()
    if not _is_series(look) or not model.lower().endswith(MODELS):
        return ()
    if not all(RUN.sub("", name).strip('" ').casefold() in known for name in look.columns[1:]):
        return ()
    path = value(look.path)
    series = ("simulator.outcomes=series", f"simulator.times={path}", "scenarios=series", f"scenarios.path={path}")
    return (*START, *runs, *series)


def _is_series(look: FirstLook) -> bool:
    return look.format == "csv" and len(look.columns) > 1 and TIME.fullmatch(look.columns[0].strip('" ')) is not None


def _runs(path: str) -> tuple[str, ...]:
    """The words that run a model, by its file or by the first function in it that takes parameters."""
    if path.lower().endswith(MODELS):
        return "simulator=pysd", f"simulator.model={value(path)}"
    functions = _functions(path)
    if not functions or os.path.dirname(path):
        return ()  # modules are imported from the current folder
    return "simulator=python", f"simulator.function={os.path.basename(path)[:-3]}:{functions[0]}"


def _functions(path: str) -> list[str]:
    """The functions of a Python file that take one object, without running it."""
    try:
        body = ast.parse(_text(path)).body
    except (SyntaxError, ValueError, RecursionError):
        return []
    taken = [one for one in body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
    return [one.name for one in taken if len(one.args.args) - len(one.args.defaults) == 1 and not one.args.kwonlyargs]


def _text(path: str) -> str:
    with open(path, "rb") as stream:
        return stream.read(LARGEST).decode("utf-8", "replace")


def lacking(look: FirstLook) -> DataError | None:
    """The error for a model without scenarios, or scenarios without a model: the command with what lies beside."""
    if look.format == "model":
        fitting = [
            words for one in _beside(look, ("*.jsonl", "*.json", "*.csv")) if (words := _together(look.path, one))
        ]
        gap = (*START, *_runs(look.path), "scenarios=jsonl", f"scenarios.path={GAP}")
        what, do = "is a model, and what it should do is not known", "name what is intended, too"
        runs = _runs(look.path) or look.path.lower().endswith(".py")
        return DataError(look.path, what, None, f"{do}: {spelt(fitting[0] if fitting else gap)}") if runs else None
    if not is_scenarios(look) and not _is_series(look):
        return None
    fitting = [
        words
        for one in _beside(look, ("*.py", *(f"*{ending}" for ending in MODELS)))
        if (words := _together(one.path, look))
    ]
    if not fitting and _is_series(look):
        return None
    gap = (*START, "simulator=python", f"simulator.function={GAP}", *_scenarios(look))
    do = f"name the model, too: {spelt(fitting[0] if fitting else gap)}"
    what = "holds a time series" if _is_series(look) else "holds scenarios without outcomes"
    return DataError(look.path, what, None, do)


def _beside(look: FirstLook, patterns: Sequence[str]) -> list[FirstLook]:
    """The files of these endings in the same folder, as far as they can be read."""
    folder = glob.escape(os.path.dirname(look.path))
    paths = sorted(path for pattern in patterns for path in glob.glob(os.path.join(folder, pattern)))
    return list(readable(paths[:MOST]))
