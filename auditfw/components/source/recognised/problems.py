"""Problems of a refine loop, which are recognised by their training examples, with recorded attempts beside them."""

from __future__ import annotations

import os

from auditfw.components.files.looks.attempts import PROBLEMS, Attempts
from auditfw.components.files.looks.first_look import readable
from auditfw.components.files.looks.words import GAP, path_words
from auditfw.kinds.first_look import FirstLook, Looks, Recognised

NAMES = ("id", *PROBLEMS, "name")  # of the id of problems


def proposes(looks: Looks) -> Recognised | None:
    """Problems with recorded attempts, in one file or two, or with grids, which are searched."""
    problems = [look for look in looks if _is_problems(look)]
    others = [look for look in looks if look not in problems]
    if len(problems) != 1 or len(others) > 1:
        return None
    [problem] = problems
    recorded = Attempts.of(others[0]) if others else _beside(problem)
    if others and recorded is None:
        return None
    more = recorded.words() if recorded is not None else _alone(problem)
    if more is None:
        return None
    what = "problems" if recorded is None else "problems with recorded attempts"
    files = [problem.path, *([recorded.look.path] if recorded is not None else [])]
    return Recognised(what, (*_words(problem), *more), tuple(files))


def lacks(look: FirstLook) -> Recognised | None:
    """What problems alone lack: the attempts."""
    if not _is_problems(look):
        return None
    words = (*_words(look), "solver=replay", f"solver.path={GAP}", "solver.past_end=stop")
    return Recognised("holds problems without attempts", words, advice="name the recorded attempts, too")


def _is_problems(look: FirstLook) -> bool:
    """Whether records are problems, with training examples each."""
    trains = [row.get("train") for row in look.records]
    examples = [one[0] for one in trains if isinstance(one, list) and one]
    shaped = all(isinstance(one, dict) and {"input", "output"} <= set(one) for one in examples)
    whole = bool(examples) and len(examples) == len(trains) and shaped
    return look.format == "jsonl" and whole and any(name in look.columns for name in NAMES)


def _words(look: FirstLook) -> list[str]:
    """The words that read problems, and map their id where it has another name."""
    words = ["experiment=self_audit", "source=problems", path_words("source.path", [look])]
    name = next(name for name in NAMES if name in look.columns)
    return words if name == "id" else [*words, f"source.columns={{id: {name}}}"]


def _alone(look: FirstLook) -> list[str] | None:
    """The words for problems that hold their attempts, or whose outputs are grids, which are searched; else None."""
    output = look.records[0]["train"][0]["output"]
    grid = isinstance(output, list) and output and all(isinstance(row, list) for row in output)
    if "attempts" not in look.columns:
        return [] if grid else None
    most = max(len(row.get("attempts") or []) for row in look.records)
    lines = isinstance(output, str) and output.replace("\n", "").isdecimal() and "\n" in output
    scoring = ['scoring=grid audit.scoring.rows="\\n"'] if lines else [] if grid else ["scoring=text"]
    if not isinstance(output, str) and not grid:
        scoring = ["scoring=recorded"]
    return ["solver=replay", "solver.past_end=stop", *" ".join(scoring).split(), f"stop.max_iterations={max(most, 1)}"]


def _beside(look: FirstLook) -> Attempts | None:
    """The attempts at problems in a file beside theirs of the same name but for this word."""
    folder, name = os.path.split(look.path)
    path = os.path.join(folder, name.replace("problems", "attempts"))
    if path == look.path or not os.path.isfile(path) or "attempts" in look.columns:
        return None
    return next(map(Attempts.of, readable([path])), None)
