"""Merged judgements: records with an object for each of two or more raters that holds its label."""

from __future__ import annotations

from auditfw.components.files.looks.cells import strata
from auditfw.components.files.looks.words import cell_words, path_words
from auditfw.kinds.first_look import Looks, Recognised
from auditfw.kinds.judgements import LABEL

QID = ("qid", "id")
FEWEST = 2  # raters


def proposes(looks: Looks) -> Recognised | None:
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
