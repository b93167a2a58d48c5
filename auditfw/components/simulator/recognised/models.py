"""Models of Vensim, Stella and Python with what they are to do; each looks for the other beside it."""

from __future__ import annotations

import ast
import glob
import os
import re
from collections.abc import Sequence

from auditfw.components.files.looks.first_look import readable
from auditfw.components.files.looks.words import GAP
from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook, Looks, Recognised

from .scenarios import START, is_scenarios, parameters, scenario_words

MODELS = (".mdl", ".xmile", ".stmx")
TIME = re.compile(r"time\b.*", re.IGNORECASE)  # the first column of a table of time series
RUN = re.compile(r"\s+:\s+.*")  # what Vensim writes behind a name: that of the run
LARGEST, MOST = 1 << 20, 50  # bytes of a model or of code, files that are looked at beside one


def proposes(looks: Looks) -> Recognised | None:
    """A model, and scenarios or a table of time series for it."""
    models = [look for look in looks if look.format == "model"]
    others = [look for look in looks if look not in models]
    words = _together(models[0].path, others[0]) if len(models) == len(others) == 1 else ()
    return Recognised("a model and its scenarios", words) if words else None


def lacks(look: FirstLook) -> Recognised | None:
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
