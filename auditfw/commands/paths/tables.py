"""Data that no harness made: judgements, reports, tasks, folders of runs, tables of our own columns."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace

from auditfw.config.quoting import value
from auditfw.kinds.first_look import FirstLook

from .first_look import first_look
from .guesses.ending_columns import ending_columns
from .guesses.guessed import NEEDED, OURS
from .guesses.inside import with_records
from .guesses.mapping import (
    NUMBERED,
    SEARCHED,
    GuessedColumns,
    cell_words,
    column_words,
    null_words,
    table_words,
    unused,
)
from .judgements import LABEL, judged, pairs, raters
from .loops import is_problems, loops
from .models import systems
from .proposal import Own, Proposal, Recogniser, path_words
from .results import expected, is_evalplus, is_openai_evals, is_opencompass, is_opencompass_predictions
from .scan import Scan
from .truths import Truths

FEWEST = 2  # files of a folder of tasks or runs


def _conformity(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A folder with metadata.json and the runs that it lists."""
    if len(looks) != 1 or looks[0].format != "folder" or "metadata.json" not in looks[0].names:
        return None
    folder = looks[0].path.rstrip("/")
    within = "runs" if "runs/" in looks[0].names else "."
    metadata, runs = value(f"{folder}/metadata.json"), value(f"{folder}/{within}" if within != "." else folder)
    words = ("source=conformity", f"source.metadata={metadata}", f"source.runs_dir={runs}")
    return Proposal("a folder of conformity runs", words)


def _tasks(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """ARC tasks: a file of one, or a folder of them; beside them recorded attempts."""
    attempts = [look for look in looks if _is_attempts(look)]
    tasks = [look for look in looks if look not in attempts]
    if len(tasks) != 1 or len(attempts) > 1 or not _is_tasks(tasks[0]):
        return None
    words = ["experiment=self_audit", "source=arc", path_words("source.path", tasks)]
    if attempts:
        words += ["solver=replay", path_words("solver.path", attempts), "solver.past_end=stop"]
    return Proposal("ARC tasks" + (" with recorded attempts" if attempts else ""), tuple(words))


def _is_tasks(look: FirstLook) -> bool:
    if look.format == "object":
        return {"train", "test"} <= set(look.names)
    first = next((name for name in look.names if name.endswith(".json")), None)
    if look.format != "folder" or first is None:
        return False
    try:
        with open(f"{look.path}/{first}", "rb") as stream:
            task = json.loads(stream.read(1 << 20))
    except (ValueError, RecursionError):
        return False
    return isinstance(task, dict) and {"train", "test"} <= set(task)


def _is_attempts(look: FirstLook) -> bool:
    return (
        look.format in ("jsonl", "json")
        and "problem" in look.columns
        and bool({"attempt", "attempts"} & set(look.columns))
    )


def _report(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A stored report of an alignment audit."""
    if len(looks) != 1 or looks[0].format != "object" or "individual_results" not in looks[0].names:
        return None
    path = value(looks[0].path)
    words = (
        "experiment=posiwid_report", "scenarios=posiwid_report", f"scenarios.path={path}", "simulator=table",
        "simulator.format=posiwid_report", f"simulator.path={path}",
    )  # fmt: skip
    return Proposal("a POSIWID report", words)


def truths_of(look: FirstLook) -> Truths:
    """The truths of a table whose columns have our names, beside them the answers."""
    columns = {name: [row.get(name) for row in look.records] for name in ("ground_truth", "raw_text", "choices")}
    return Truths(columns["ground_truth"], columns["raw_text"], columns["choices"])


def _own_names(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A table whose columns have our names."""
    if len(looks) != 1 or looks[0].format not in ("jsonl", "json", "csv", "parquet"):
        return None
    look = looks[0]
    if not set(NEEDED) <= set(look.columns):
        return None
    words = [*table_words(look), *column_words(ending_columns(look.columns, look.records, OURS))]
    words += [] if "id" in look.columns else [NUMBERED]
    truths = truths_of(look)
    words += null_words(truths.values) + truths.words("parsed_text" in look.columns)
    words += cell_words(look)
    return Proposal(
        f"stored answers ({look.format}; {truths.why}{unused(look, {name: name for name in OURS})})",
        (*words, SEARCHED if "stored" in look.columns else "audit.baseline=null"),
    )


def _results(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """Results of a harness that a shipped mapping reads."""
    if len(looks) != 1:
        return None
    [look] = looks
    path = path_words("source.path", looks)
    if is_evalplus(look):
        words = ["experiment=cross_agent", "source=evalplus", path, "audit.labels=[pass,fail,timeout]"]
        words += ["audit.acceptable=[pass]", "audit.reference=plus", "policy=[]"]
        return Proposal("results of evalplus", (*words, "gate=[agreement,kappa,coverage,joins]"))
    if is_openai_evals(look):
        rule = ["scorer=[openai_evals_match]", "audit.baseline=openai_evals_match"]  # another one is searched
        words = ["source=openai_evals", path, *Truths(expected(look)).words(True), *rule]
        return Proposal("events of openai/evals", tuple(words))
    if is_opencompass(look):
        words = ["source=opencompass", path, *Truths([row.get("references") for row in look.records]).words(True)]
        scored = "correct" in look.columns
        return Proposal("results of OpenCompass", (*words, *([SEARCHED] if scored else ["~source.columns.stored"])))
    if is_opencompass_predictions(look) and (guesses := GuessedColumns(look)).complete:
        return Proposal("predictions of OpenCompass", (*guesses.words(), "audit.baseline=null"))
    return None


RECOGNISERS: tuple[Recogniser, ...] = (
    _report, _tasks, _conformity, pairs, raters, _own_names, loops, systems, _results, judged,
)  # fmt: skip


def of_tables(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """The one run that fits all of these; None where none does."""
    run = next((run for recognise in RECOGNISERS if (run := recognise(looks, own)) is not None), None)
    inside = [with_records(look) for look in looks] if run is None else looks
    if run is not None or inside == looks:
        return run
    return next((run for recognise in RECOGNISERS if (run := recognise(inside, own)) is not None), None)


def of_others(scan: Scan, own: Own) -> list[Proposal]:
    """The runs for files beside logs: of whole folders, of each file, and of those that are only something together."""
    runs: list[Proposal] = []
    left = {look.path: look for look in scan.others}
    logs = [path for paths in scan.logs.values() for path in paths]
    for folder in dict.fromkeys(os.path.dirname(path) for path in list(left)):
        inside = [path for path in left if os.path.dirname(path) == folder or path.startswith(f"{folder}/")]
        run = _of_folder(folder, [left[path] for path in inside], own)
        if run is not None and not any(path.startswith(f"{folder}/") for path in logs):
            runs.append(replace(run, files=tuple(inside)))
            left = {path: look for path, look in left.items() if path not in inside}
    for look in sorted(left.values(), key=lambda look: not is_problems(look)):
        run = of_tables([look], own) if look.path in left else None
        if run is not None:
            runs.append(replace(run, files=run.files or (look.path,)))
            left = {path: one for path, one in left.items() if path not in runs[-1].files}
    labelled = [look for look in left.values() if LABEL in look.columns]
    run = raters(labelled, own)
    return [*runs, replace(run, files=tuple(look.path for look in labelled))] if run is not None else runs


def _of_folder(folder: str, inside: Sequence[FirstLook], own: Own) -> Proposal | None:
    """The run for a folder of runs, or of several tasks."""
    if len(inside) < FEWEST or not folder:
        return None
    whole = first_look(folder)
    tasks = [look for look in inside if _is_tasks(look)]
    if len(tasks) == len(inside):
        return _tasks([whole], own)
    return _conformity([whole], own) if any(look.format == "sqlite" for look in inside) else None
