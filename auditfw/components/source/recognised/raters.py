"""Judgements in a file for each rater, which are known by the columns of an item and its label."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import replace

from auditfw.components.files.looks.cells import strata
from auditfw.components.files.looks.first_look import readable
from auditfw.components.files.looks.guessed import guessed
from auditfw.components.files.looks.words import GAP, cell_words
from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook, Looks, Recognised
from auditfw.kinds.judgements import LABEL

QID = ("qid", "id")
FEWEST = 2  # files
MOST_BESIDE = 50  # files that are looked at beside one
TABLES = ("jsonl", "json", "csv", "parquet")


def proposes(looks: Looks) -> Recognised | None:
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


def lacks(look: FirstLook) -> Recognised | None:
    """What the labels of one rater lack: those of another, whose file of the same shape may be beside."""
    if look.format not in TABLES or not _is_judged(look):
        return None
    if set(guessed(look.columns, look.records)) > {"id", "ground_truth"}:
        return None
    what, advice = "holds the labels of one rater", "name the file of another, too"
    detail = f"columns {', '.join(look.columns[:20])}"
    if (other := _other(look)) is not None and (run := proposes([look, other])) is not None:
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
