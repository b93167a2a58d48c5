"""Models, scenarios and their outcomes, recognised for the simulator that runs or reads them."""

from __future__ import annotations

import ast
import glob
import os
import re
from collections.abc import Sequence

from auditfw.components.files.looks.attempts import GAP, path_words
from auditfw.components.files.looks.first_look import readable
from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook, Looks, Recognised
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


REPORT = "individual_results"  # a key of a report


def table_proposes(looks: Looks) -> Recognised | None:
    """One file of scenarios with their outcomes, or a report."""
    if len(looks) != 1:
        return None
    [look] = looks
    if look.format == "object" and REPORT in look.names:
        words = ("experiment=posiwid_report", "scenarios=posiwid_report", path_words("scenarios.path", looks))
        reads = ("simulator=table", "simulator.format=posiwid_report", path_words("simulator.path", looks))
        return Recognised("a POSIWID report", (*words, *reads))
    actual = "actual" in parts(look) or any(name.startswith("actual.") for name in look.columns)
    if not actual or not is_scenarios(look):
        return None
    return Recognised("scenarios with their outcomes", (*START, *scenario_words(look), "simulator=table"))


MODELS = (".mdl", ".xmile", ".stmx")
TIME = re.compile(r"time\b.*", re.IGNORECASE)  # the first column of a table of time series
RUN = re.compile(r"\s+:\s+.*")  # what Vensim writes behind a name: that of the run
LARGEST, MOST = 1 << 20, 50  # bytes of a model or of code, files that are looked at beside one


def models_proposes(looks: Looks) -> Recognised | None:
    """A model, and scenarios or a table of time series for it."""
    models = [look for look in looks if look.format == "model"]
    others = [look for look in looks if look not in models]
    words = _together(models[0].path, others[0]) if len(models) == len(others) == 1 else ()
    return Recognised("a model and its scenarios", words) if words else None


def models_lacks(look: FirstLook) -> Recognised | None:
    """What a model alone lacks, or scenarios without a model: the command with what is beside."""
    if look.format == "model":
        runs = _runs(look.path)
        if not runs and not look.path.lower().endswith(".py"):
            return None
        what, advice = "is a model, and what it should do is not known", "name what is intended, too"
        fitting = [
            words for one in _beside(look, ("*.jsonl", "*.json", "*.csv")) if (words := _together(look.path, one))
        ]
        return Recognised(
            what, fitting[0] if fitting else (*START, *runs, "scenarios=jsonl", f"scenarios.path={GAP}"), advice=advice
        )
    series = _is_series(look)
    if not series and not is_scenarios(look):
        return None
    patterns = ("*.py", *(f"*{ending}" for ending in MODELS))
    fitting = [words for one in _beside(look, patterns) if (words := _together(one.path, look))]
    if not fitting and series:
        return None
    gap = (*START, "simulator=python", f"simulator.function={GAP}", *scenario_words(look))
    what = "holds a time series" if series else "holds scenarios without outcomes"
    return Recognised(what, fitting[0] if fitting else gap, advice="name the model, too")


def _together(model: str, look: FirstLook) -> tuple[str, ...]:
    """The words for a model and what it is to do; none where they do not fit."""
    runs = _runs(model)
    if not runs:
        return ()
    known = _text(model).casefold()
    if is_scenarios(look):
        fits = all(name.casefold() in known for name in parameters(look))
        return (*START, *runs, *scenario_words(look)) if fits else ()
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


def _beside(look: FirstLook, patterns: Sequence[str]) -> list[FirstLook]:
    """The files of these endings in the same folder, as far as they can be read."""
    folder = glob.escape(os.path.dirname(look.path))
    paths = sorted(path for pattern in patterns for path in glob.glob(os.path.join(folder, pattern)))
    return list(readable(paths[:MOST]))
