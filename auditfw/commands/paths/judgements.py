"""Runs for judgements: merged records, a file or a column for each rater, a row or a list for each judgement."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from auditfw.audits.consistency.conclusions.scale import label_order
from auditfw.audits.consistency.rules import as_label
from auditfw.audits.consistency.settings import FOUND, LABELS
from auditfw.components.files.file_settings import PEEKED
from auditfw.config.quoting import value
from auditfw.core.errors import DataError
from auditfw.kinds.first_look import FirstLook

from .columns import strata
from .first_look import readable
from .guesses.column_names import plain
from .guesses.guessed import guessed
from .guesses.judged_names import RATERS
from .guesses.judged_tables import JudgedTable, counted, listed_judgements, long_table, wide_table
from .guesses.mapping import table_words
from .proposal import GAP, Own, Proposal, path_words, spelt

QID = ("qid", "id")
LABEL = "label"
FEWEST, MOST = 2, 20  # labels of a judge
NAMED = 12  # raters
MOST_BESIDE = 50  # files that are looked at beside one
TABLES = ("jsonl", "json", "csv", "parquet")


def pairs(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """Merged judgements: records with an object for each of two or more raters that holds its label."""
    if len(looks) != 1 or looks[0].format != "jsonl":
        return None
    rows = looks[0].records
    raters = list(
        dict.fromkeys(name for row in rows for name, part in row.items() if isinstance(part, dict) and LABEL in part)
    )
    if len(raters) < FEWEST:
        return None
    labels = _labels(part.get(LABEL) for row in rows for part in row.values() if isinstance(part, dict))
    words = ["source=pairs", path_words("source.path", looks)]
    others = [name for name in looks[0].columns if name not in raters and name not in QID]
    words += _strata_words(strata(others, rows))
    return _consistency(looks, words, raters, labels)


def raters(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A file for each of two or more raters."""
    if len(looks) < FEWEST or not all(LABEL in look.columns and set(QID) & set(look.columns) for look in looks):
        return None
    names = [re.sub(r"\W+", "_", look.path.rstrip("/").rsplit("/", 1)[-1].split(".")[0]) for look in looks]
    if len(set(names)) < len(names):
        return None
    paths = ",".join(f"{name}: {value(look.path)}" for name, look in zip(names, looks, strict=True))
    words = ["source=raters", f"source.paths={{{paths}}}"]
    mapped: dict[str, str] = {}
    if not all("qid" in look.columns for look in looks):
        mapped["id"] = "id"
    first = [row[LABEL] for look in looks for row in look.records if row.get(LABEL)]
    if first and all(isinstance(label, list) and len(label) == 1 for label in first):  # as doccano writes them
        mapped[LABEL] = f"'{LABEL}[0]'"
    words += [f"source.columns={{{', '.join(f'{ours}: {one}' for ours, one in mapped.items())}}}"] if mapped else []
    shared = [name for name in looks[0].columns if all(name in look.columns for look in looks[1:])]
    words += _strata_words(strata([name for name in shared if name not in (LABEL, *QID)], looks[0].records))
    held = (row.get(LABEL) for look in looks for row in look.records)
    labels = _labels(one[0] if LABEL in mapped and one else one for one in held)
    return _consistency(looks, words, names, labels)


def _strata_words(names: Sequence[str]) -> list[str]:
    return [f"by=[{','.join(map(value, names))}]"] if names else []


def _labels(values: Iterable[Any]) -> list[str]:
    """The labels among values, spelt and sorted as the reader spells and sorts them."""
    return sorted({label for value in values if (label := as_label(value)).strip()}, key=label_order)


def _consistency(
    looks: Sequence[FirstLook], words: list[str], raters: Sequence[str], labels: Sequence[str], later: bool = False
) -> Proposal | None:
    """The run for judgements; further raters may come `later`."""
    words = ["experiment=cross_agent", *words]
    words += [] if later else [f"audit.raters=[{','.join(map(value, raters))}]"]
    words.append(f"audit.reference={value(raters[-1])}")
    if not set(labels) <= set(LABELS):
        if not FEWEST <= len(labels) <= MOST:
            return None
        whole = all(len(look.records) < PEEKED for look in looks)  # else further records may hold further labels
        listed = f"[{','.join(map(value, labels))}]" if whole else FOUND
        words += [f"audit.labels={listed}", f"audit.acceptable=[{value(labels[0])}]", "audit.unknown_labels=count"]
        words += ["policy=[]", "gate=[agreement,kappa,abstain,coverage,joins]"]
    named = [*raters[:NAMED], *([f"{len(raters) - NAMED} more"] if len(raters) > NAMED else [])]
    return Proposal("judgements of " + ", ".join(named), tuple(words))


def judged(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A table with a row for each item and rater, or records with a list of judgements each."""
    if len(looks) != 1 or looks[0].format not in TABLES:
        return None
    table = long_table(looks[0]) or listed_judgements(looks[0])
    return None if table is None else _of_table(looks[0], table, len(looks[0].records) >= PEEKED)


def by_column(look: FirstLook) -> Proposal | None:
    """A table with a column for each rater, as far as one can guess."""
    table = wide_table(look) if look.format in TABLES else None
    return None if table is None else _of_table(look, table)


def _of_table(look: FirstLook, table: JudgedTable, later: bool = False) -> Proposal | None:
    """The run for a table of judgements."""
    single = [name for name in look.columns if not set(name) & set('.[]{}#"')]
    left = [name for name in single if name not in table.taken and plain(name) not in RATERS]
    words = [*table_words(look), *table.words, *_strata_words(strata(left, look.records))]
    return _consistency([look], words, table.at_last(), _labels(table.labels), later)


def lone(look: FirstLook) -> DataError | None:
    """The error for the labels of one rater: the command with another's file of the same shape, or a gap for it."""
    if look.format not in TABLES or LABEL not in look.columns or not set(QID) & set(look.columns):
        return None
    if set(guessed(look.columns, look.records)) > {"id", "ground_truth"}:
        return None
    other = _other(look)
    run = raters([look, other], {}) if other is not None else None
    words = run.words if run is not None else _with_gap(look)
    what, do = "holds the labels of one rater", f"name the file of another, too: {spelt(words)}"
    return DataError(look.path, what, f"columns {', '.join(look.columns[:20])}", do)


def _with_gap(look: FirstLook) -> list[str]:
    """The words for one rater's file, with a gap for that of another."""
    name = re.sub(r"\W+", "_", os.path.basename(look.path).split(".")[0])
    words = ["experiment=cross_agent", "source=raters", f"source.paths={{{name}: {value(look.path)},other: {GAP}}}"]
    return [*words, f"audit.labels={FOUND}", "audit.reference=other"]


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


def counts(look: FirstLook) -> DataError | None:
    """The error for a table of how often each label was given, which does not say who gave it."""
    numbers = [name for name in look.columns[1:] if all(str(row.get(name)).strip().isdecimal() for row in look.records)]
    if look.format not in TABLES or len(numbers) <= FEWEST or not counted(look, numbers):
        return None
    what, do = "holds how often each label was given, not by whom", "name a table of items, raters and labels"
    return DataError(look.path, what, f"columns {', '.join(look.columns[:20])}", do)
