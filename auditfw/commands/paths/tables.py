"""Files that are no harness's logs: what components recognise, and tables of our own columns or of judgements."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from auditfw.components.files.looks.attempts import table_words
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.files.looks.guessed import NEEDED, OURS
from auditfw.kinds.first_look import FirstLook, Looks, Recognised
from auditfw.kinds.judgements import LABEL

from .guesses.mapping import (
    NUMBERED,
    SEARCHED,
    GuessedColumns,
    cell_words,
    column_words,
    ending_columns,
    null_words,
    unused,
    with_records,
)
from .judgements import TABLES, judged, judging_words
from .proposal import Proposal
from .sources import Scan, recognisers
from .truths import Truths

FEWEST = 2  # files of a folder, or of raters


def _own_names(looks: Looks) -> Proposal | None:
    """A table whose columns have our names."""
    if len(looks) != 1 or looks[0].format not in TABLES:
        return None
    look = looks[0]
    if not set(NEEDED) <= set(look.columns):
        return None
    words = [*table_words(look), *column_words(ending_columns(look.columns, look.records, OURS))]
    words += [] if "id" in look.columns else [NUMBERED]
    columns = {name: [row.get(name) for row in look.records] for name in ("ground_truth", "raw_text", "choices")}
    truths = Truths(columns["ground_truth"], columns["raw_text"], columns["choices"])
    words += null_words(truths.values) + truths.words("parsed_text" in look.columns)
    words += cell_words(look)
    return Proposal(
        f"stored answers ({look.format}; {truths.why}{unused(look, {name: name for name in OURS})})",
        (*words, SEARCHED if "stored" in look.columns else "audit.baseline=null"),
    )


def _recognised(looks: Looks) -> Proposal | None:
    """What a component recognises, with the words of the audit."""
    parts = (part for proposes in recognisers("proposes") if (part := proposes(looks)) is not None)
    return next((run for part in parts if (run := completed(looks, part)) is not None), None)


def completed(looks: Looks, part: Recognised) -> Proposal | None:
    """The run for what a component recognised; None where its columns cannot be guessed, or its labels are none."""
    if part.raters:
        return judging_words(looks, part)
    words = part.words
    if part.guess:
        guesses = GuessedColumns(looks[0])
        if not guesses.complete:
            return None
        words += tuple(guesses.words())
    words += tuple(Truths(part.truths).words(True)) if part.truths is not None else ()
    return Proposal(part.what, (*words, *part.then), part.files)


RECOGNISERS: tuple[Callable[[Looks], Proposal | None], ...] = (_recognised, _own_names, judged)


def of_tables(looks: Looks) -> Proposal | None:
    """The one run that fits all of these; None where none does."""
    run = next((run for recognise in RECOGNISERS if (run := recognise(looks)) is not None), None)
    inside = [with_records(look) for look in looks] if run is None else looks
    return run if inside == looks else of_tables(inside)


def of_others(scan: Scan) -> list[Proposal]:
    """The runs for files beside logs: of whole folders, of each file, and of those that are only something together."""
    runs: list[Proposal] = []
    left = {look.path: look for look in scan.others}
    logs = [path for paths in scan.logs.values() for path in paths]
    for folder in dict.fromkeys(os.path.dirname(path) for path in list(left)):
        inside = [path for path in left if os.path.dirname(path) == folder or path.startswith(f"{folder}/")]
        run = _of_folder(folder, [left[path] for path in inside])
        if run is not None and not any(path.startswith(f"{folder}/") for path in logs):
            runs.append(replace(run, files=tuple(inside)))
            left = {path: look for path, look in left.items() if path not in inside}
    runs_of = [(look, run) for look in left.values() if (run := of_tables([look])) is not None]
    for look, run in sorted(runs_of, key=lambda one: not one[1].files):  # first those that take files beside theirs
        if look.path in left:
            runs.append(replace(run, files=run.files or (look.path,)))
            left = {path: one for path, one in left.items() if path not in runs[-1].files}
    labelled = [look for look in left.values() if LABEL in look.columns]
    together = of_tables(labelled) if len(labelled) >= FEWEST else None
    return [*runs, replace(together, files=tuple(look.path for look in labelled))] if together is not None else runs


def _of_folder(folder: str, inside: Sequence[FirstLook]) -> Proposal | None:
    """The run for a folder of runs, or of several tasks, which nobody named."""
    if len(inside) < FEWEST or not folder:
        return None
    return of_tables([replace(first_look(folder), inside=inside)])
