"""Data that no harness made: judgements, reports, tasks, folders of runs, tables of our own columns."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from auditfw.audits.consistency.conclusions.scale import label_order
from auditfw.audits.consistency.rules import as_label
from auditfw.audits.consistency.settings import FOUND, LABELS
from auditfw.audits.parsing.trials import SUSPECT
from auditfw.components.files.file_settings import PEEKED
from auditfw.config.quoting import value
from auditfw.core.errors import DataError

from .columns import NEEDED, OURS, AnswerKind, answer_kind, cells, guessed, strata
from .first_look import BY_SOURCE, FirstLook, first_look, tables_in
from .proposal import Own, Proposal, Recogniser, path_words, spelt
from .scan import Scan

RIVALS: Mapping[AnswerKind, tuple[str, str, str]] = {  # parsers that compete, normalizers, the matcher
    "letter": ("choice_letter,mmlu_pro_three_step", "casefold", "exact"),
    "number": ("last_number,flexible_extract", "none", "numeric"),
    "text": ("answer_v2,last_line", "v1,v2", "containment"),
}
QID = ("qid", "id")
NUMBERED = "source.columns.id='#'"
SEARCHED = "audit.baseline=search"
LABEL = "label"
FEWEST, MOST = 2, 20  # labels of a judge


def rivals(truths: Sequence[Any], stored_text: bool) -> list[str]:
    """The parsers, normalizers and the matcher that compete for the kind of answer that truths are."""
    parsers, normalizers, matcher = RIVALS[answer_kind(truths)]
    first = "stored," if stored_text else ""
    return [f"parser=[{first}{parsers}]", f"normalizer=[{normalizers}]", f"matcher={matcher}"]


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


def _pairs(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
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
    plain = [name for name in looks[0].columns if name not in raters and name not in QID]
    words += _strata_words(strata(plain, rows))
    return _consistency(looks, words, raters, labels)


def _raters(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A file for each of two or more raters."""
    if len(looks) < FEWEST or not all(LABEL in look.columns and set(QID) & set(look.columns) for look in looks):
        return None
    names = [re.sub(r"\W+", "_", look.path.rstrip("/").rsplit("/", 1)[-1].split(".")[0]) for look in looks]
    if len(set(names)) < len(names):
        return None
    paths = ",".join(f"{name}: {value(look.path)}" for name, look in zip(names, looks, strict=True))
    words = ["source=raters", f"source.paths={{{paths}}}"]
    if not all("qid" in look.columns for look in looks):
        words.append("source.columns={id: id}")
    shared = [name for name in looks[0].columns if all(name in look.columns for look in looks[1:])]
    words += _strata_words(strata([name for name in shared if name not in (LABEL, *QID)], looks[0].records))
    labels = _labels(row.get(LABEL) for look in looks for row in look.records)
    return _consistency(looks, words, names, labels)


def _strata_words(names: Sequence[str]) -> list[str]:
    return [f"by=[{','.join(map(value, names))}]"] if names else []


def _labels(values: Iterator[Any] | Sequence[Any]) -> list[str]:
    """The labels among values, spelt and sorted as the reader spells and sorts them."""
    return sorted({label for value in values if (label := as_label(value)).strip()}, key=label_order)


def _consistency(
    looks: Sequence[FirstLook], words: list[str], raters: Sequence[str], labels: Sequence[str]
) -> Proposal | None:
    words = ["experiment=cross_agent", *words, f"audit.raters=[{','.join(map(value, raters))}]"]
    words.append(f"audit.reference={value(raters[-1])}")
    if not set(labels) <= set(LABELS):
        if not FEWEST <= len(labels) <= MOST:
            return None
        whole = all(len(look.records) < PEEKED for look in looks)  # else further records may hold further labels
        listed = f"[{','.join(map(value, labels))}]" if whole else FOUND
        words += [f"audit.labels={listed}", f"audit.acceptable=[{value(labels[0])}]", "audit.unknown_labels=count"]
        words += ["policy=[]", "gate=[agreement,kappa,abstain,coverage,joins]"]
    return Proposal("judgements of " + ", ".join(raters), tuple(words))


def _own_names(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """A table whose columns have our names."""
    if len(looks) != 1 or looks[0].format not in ("jsonl", "json", "csv", "parquet"):
        return None
    look = looks[0]
    if not set(NEEDED) <= set(look.columns):
        return None
    words = _table_words(look)
    words += [] if "id" in look.columns else [NUMBERED]
    words += rivals([row.get("ground_truth") for row in look.records], "parsed_text" in look.columns)
    words += _cell_words(look)
    return Proposal(
        f"stored answers ({look.format})",
        (*words, SEARCHED if "stored" in look.columns else "audit.baseline=null"),
    )


def _table_words(look: FirstLook) -> list[str]:
    """The words that name a table."""
    words = [f"source={look.format}", path_words("source.path", [look])]
    return [*words, 'source.delimiter="\\t"'] if look.delimiter else words


def _cell_words(look: FirstLook) -> list[str]:
    return [f"by=[{','.join(cells(look.columns, look.records))}]"]


def _null_words(truths: Sequence[Any]) -> list[str]:
    """The words for texts among truths that are likely to mean that there is none."""
    texts = sorted({truth for truth in truths if isinstance(truth, str)} & SUSPECT)
    listed = ",".join(f"'{text}'" for text in texts)
    return [f"source.nulls={{ground_truth: [{listed}]}}"] if texts else []


RECOGNISERS: tuple[Recogniser, ...] = (_report, _tasks, _conformity, _pairs, _raters, _own_names)


def of_tables(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
    """The one run that fits all of these; None where none does."""
    return next((run for recognise in RECOGNISERS if (run := recognise(looks, own)) is not None), None)


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
    for path, look in list(left.items()):
        run = of_tables([look], own)
        if run is not None:
            runs.append(replace(run, files=(path,)))
            del left[path]
    judged = [look for look in left.values() if LABEL in look.columns]
    run = _raters(judged, own)
    return [*runs, replace(run, files=tuple(look.path for look in judged))] if run is not None else runs


def _of_folder(folder: str, inside: Sequence[FirstLook], own: Own) -> Proposal | None:
    """The run for a folder of runs, or of several tasks."""
    if len(inside) < FEWEST or not folder:
        return None
    whole = first_look(folder)
    tasks = [look for look in inside if _is_tasks(look)]
    if len(tasks) == len(inside):
        return _tasks([whole], own)
    return _conformity([whole], own) if any(look.format == "sqlite" for look in inside) else None


def unknown(looks: Sequence[FirstLook]) -> DataError:
    """The error for paths that no run fits: what was seen, and a command that maps columns, as far as one can guess."""
    look = next((one for one in looks if one.columns), looks[0])
    if len(look.columns) < FEWEST:
        if look.format == "sqlite" and not look.names:
            try:
                tables_in(look.path)
            except DataError as error:
                return error
        inside = f"{look.format} with {', '.join(look.names[:8])}" if look.names else look.format
        return DataError(look.path, "not recognised as a log", inside, f"name the files themselves, or {BY_SOURCE}")
    ours = guessed(look.columns, look.records)
    gaps = [name for name in NEEDED if name not in ours]
    mapped = {name: ours.get(name, "THEIRS") for name in OURS if name in (*ours, *gaps) and ours.get(name) != name}
    listed = ", ".join(f"{name}: {theirs}" for name, theirs in mapped.items())
    words = [*_table_words(look), f"source.columns={{{listed}}}", *([] if "id" in ours else [NUMBERED])]
    words += _cell_words(look)
    if "ground_truth" in ours:
        truths = [row.get(ours["ground_truth"]) for row in look.records]
        words += _null_words(truths) + rivals(truths, "parsed_text" in ours)
    words += [SEARCHED] if "stored" in ours else []
    found = f"columns {', '.join(look.columns[:20])}"
    return DataError(look.path, "not recognised as a log", found, f"say which columns are which: {spelt(words)}")
