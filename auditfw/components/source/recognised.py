"""Files that no harness wrote, recognised for the source that reads them: `NAME_proposes` and `NAME_lacks` of each."""

from __future__ import annotations

import glob
import json
import os
import re
from dataclasses import replace

from auditfw.components.files.columns.addresses import dig
from auditfw.components.files.looks.attempts import GAP, PROBLEMS, Attempts, cell_words, path_words, strata
from auditfw.components.files.looks.first_look import readable
from auditfw.components.files.looks.guessed import guessed
from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook, Looks, Recognised
from auditfw.kinds.judgements import LABEL

PARTS = {"train", "test"}  # of a task
START = 1 << 20  # bytes of a task in a folder that is looked at


def arc_proposes(looks: Looks) -> Recognised | None:
    """Tasks, beside them recorded attempts."""
    attempts = [look for look in looks if _is_attempts(look)]
    tasks = [look for look in looks if look not in attempts]
    if len(tasks) != 1 or len(attempts) > 1 or not _is_tasks(tasks[0]):
        return None
    words = ["experiment=self_audit", "source=arc", path_words("source.path", tasks)]
    if attempts:
        words += ["solver=replay", path_words("solver.path", attempts), "solver.past_end=stop"]
    return Recognised("ARC tasks" + (" with recorded attempts" if attempts else ""), tuple(words))


def _is_tasks(look: FirstLook) -> bool:
    if look.format == "object":
        return set(look.names) >= PARTS
    first = next((name for name in look.names if name.endswith(".json")), None)
    if look.format != "folder" or first is None or not all(map(_is_tasks, look.inside)):
        return False
    try:
        with open(f"{look.path}/{first}", "rb") as stream:
            task = json.loads(stream.read(START))
    except (ValueError, RecursionError):
        return False
    return isinstance(task, dict) and set(task) >= PARTS


def _is_attempts(look: FirstLook) -> bool:
    columns = set(look.columns)
    return look.format in ("jsonl", "json") and "problem" in columns and bool({"attempt", "attempts"} & columns)


METADATA = "metadata.json"


def conformity_proposes(looks: Looks) -> Recognised | None:
    """The one folder of this shape; where nobody named it, one of its files must be a database."""
    if len(looks) != 1 or looks[0].format != "folder" or METADATA not in looks[0].names:
        return None
    if looks[0].inside and not any(look.format == "sqlite" for look in looks[0].inside):
        return None
    folder = looks[0].path.rstrip("/")
    runs = value(f"{folder}/runs" if "runs/" in looks[0].names else folder)
    words = ("source=conformity", f"source.metadata={value(f'{folder}/{METADATA}')}", f"source.runs_dir={runs}")
    return Recognised("a folder of conformity runs", words)


QID = ("qid", "id")
FEWEST = 2  # raters, or files of one each


def pairs_proposes(looks: Looks) -> Recognised | None:
    """One file of merged judgements."""
    if len(looks) != 1 or looks[0].format != "jsonl":
        return None
    rows = looks[0].records
    parts = [(name, part) for row in rows for name, part in row.items() if isinstance(part, dict)]
    raters = list(dict.fromkeys(name for name, part in parts if LABEL in part))
    if len(raters) < FEWEST:
        return None
    others = [name for name in looks[0].columns if name not in (*raters, *QID)]
    words = ("source=pairs", path_words("source.path", looks), *cell_words(strata(others, rows)))
    return Recognised("judgements", words, raters=raters, labels=[part.get(LABEL) for _, part in parts])


MOST_BESIDE = 50  # files that are looked at beside one
TABLES = ("jsonl", "json", "csv", "parquet")


def raters_proposes(looks: Looks) -> Recognised | None:
    """A file for each of two or more raters."""
    if len(looks) < FEWEST or not all(map(_is_judged, looks)):
        return None
    paths = {_rater(look): value(look.path) for look in looks}
    if len(paths) < len(looks):
        return None
    words = ["source=raters", f"source.paths={{{','.join(f'{name}: {path}' for name, path in paths.items())}}}"]
    mapped = {} if all("qid" in look.columns for look in looks) else {"id": "id"}
    labels = [row.get(LABEL) for look in looks for row in look.records]
    first = [label for label in labels if label]
    if first and all(isinstance(label, list) and len(label) == 1 for label in first):  # as doccano writes them
        mapped[LABEL] = f"'{LABEL}[0]'"
        labels = [label[0] if label else label for label in labels]
    words += [f"source.columns={{{', '.join(f'{ours}: {one}' for ours, one in mapped.items())}}}"] if mapped else []
    shared = [name for name in looks[0].columns if all(name in look.columns for look in looks[1:])]
    words += cell_words(strata([name for name in shared if name not in (LABEL, *QID)], looks[0].records))
    return Recognised("judgements", tuple(words), raters=list(paths), labels=labels)


def raters_lacks(look: FirstLook) -> Recognised | None:
    """What the labels of one rater lack: those of another, whose file of the same shape may be beside."""
    if look.format not in TABLES or not _is_judged(look):
        return None
    if set(guessed(look.columns, look.records)) > {"id", "ground_truth"}:
        return None
    what, advice = "holds the labels of one rater", "name the file of another, too"
    detail = f"columns {', '.join(look.columns[:20])}"
    if (other := _other(look)) is not None and (run := raters_proposes([look, other])) is not None:
        return replace(run, what=what, detail=detail, advice=advice)
    paths = f"source.paths={{{_rater(look)}: {value(look.path)},other: {GAP}}}"
    words = ("experiment=cross_agent", "source=raters", paths, "audit.labels=found", "audit.reference=other")
    return Recognised(what, words, detail=detail, advice=advice)


def _is_judged(look: FirstLook) -> bool:
    return LABEL in look.columns and bool(set(QID) & set(look.columns))


def _rater(look: FirstLook) -> str:
    """The name of the rater of a file."""
    return re.sub(r"\W+", "_", os.path.basename(look.path.rstrip("/")).split(".")[0])


def _other(look: FirstLook) -> FirstLook | None:
    """A file beside one that has the same columns, and labels at least half of its items."""
    folder, ending = os.path.dirname(look.path), os.path.splitext(look.path)[1]
    key = next(name for name in QID if name in look.columns)
    items = {str(row.get(key)) for row in look.records}
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), f"*{ending}")))[:MOST_BESIDE]
    for other in readable(path for path in paths if path != look.path):
        shared = {str(row.get(key)) for row in other.records} & items
        if set(other.columns) == set(look.columns) and 2 * len(shared) >= len(items):
            return other
    return None


NAMES = ("id", *PROBLEMS, "name")  # of the id of problems


def problems_proposes(looks: Looks) -> Recognised | None:
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


def problems_lacks(look: FirstLook) -> Recognised | None:
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


EVENTS = {"run_id", "event_id", "type", "data"}
MATCH = "match"


def results_proposes(looks: Looks) -> Recognised | None:
    """One file of results."""
    if len(looks) != 1:
        return None
    [look] = looks
    columns = set(look.columns)
    path = path_words("source.path", looks)
    if look.records_at == "eval.*" and columns >= {"base_status", "plus_status"}:
        labels = ("audit.labels=[pass,fail,timeout]", "audit.acceptable=[pass]", "audit.reference=plus")
        more = ("policy=[]", "gate=[agreement,kappa,coverage,joins]")
        return Recognised("results of evalplus", ("experiment=cross_agent", "source=evalplus", path, *labels, *more))
    matches = [row for row in look.records if _is_match(row)] if look.format == "jsonl" and columns >= EVENTS else []
    if matches:
        truths = [dig(row, ("data", "expected")) for row in matches]
        rule = ("scorer=[openai_evals_match]", "audit.baseline=openai_evals_match")  # another one is searched
        return Recognised("events of openai/evals", ("source=openai_evals", path), truths=truths, then=rule)
    if look.records_at == "details.*" and columns >= {"predictions", "references"}:
        truths = [row.get("references") for row in look.records]
        stored = "audit.baseline=search" if "correct" in columns else "~source.columns.stored"
        return Recognised("results of OpenCompass", ("source=opencompass", path), truths=truths, then=(stored,))
    if look.records_at == "*" and columns >= {"origin_prompt", "prediction"}:
        return Recognised("predictions of OpenCompass", guess=True, then=("audit.baseline=null",))
    return None


def _is_match(row: object) -> bool:
    return isinstance(row, dict) and row.get("type") == MATCH and isinstance(row.get("data"), dict)
