"""The texts of drawn trials: as the run kept them, else from its source, which must be what it was."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from auditfw.audits.adjudication.run_trials import AuditedRun
from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.audits.parsing.trials import ITEM, as_text
from auditfw.commands.error_output import warn
from auditfw.commands.stored_run import StoredRun, config_file, stored_config, table
from auditfw.commands.trust import Origin, code_in, made_here
from auditfw.components.files.run_tables import table_errors
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import revised
from auditfw.config.stored import check_config
from auditfw.core.errors import AuditError, DataError
from auditfw.core.masking import masked
from auditfw.core.remote.addresses import is_remote
from auditfw.core.remote.places import actual
from auditfw.kinds.evidence import Evidence, one_pass_of

from .sources import ID, RAW, TRUTH, TrialText, opened_texts

TEXTS = "texts"  # the table, and the report that writes it
PUT_BACK = f"put it back, or run with report=[{TEXTS}]"


class DrawnTexts(NamedTuple):
    """The texts of drawn trials by id; the items of all trials, where the run does not keep them."""

    texts: dict[str, TrialText]
    items: Mapping[str, str] = {}


def texts_of(run: AuditedRun, ids: Collection[str], show: Sequence[str]) -> DrawnTexts:
    """The texts of these trials. Raises AuditError.

    The table of texts has no questions: where it is there, a source that cannot be read costs only these.
    """
    kept = _kept(run, ids)
    if kept is None:
        return _read(run, ids, show)
    if not show and not run.asks:
        return DrawnTexts(kept)
    try:
        return _read(run, ids, show)
    except AuditError as error:
        if show:
            raise
        warn(f"the questions are not shown: {error}")
        return DrawnTexts(kept)


def _kept(run: AuditedRun, ids: Collection[str]) -> dict[str, TrialText] | None:
    """The texts of the run's own table; None where it has none."""
    import polars as pl

    frame = table(run.folder, TEXTS)
    if frame is None:
        return None
    with table_errors(str(run.folder / f"{TEXTS}.parquet")):
        chosen = frame.filter(pl.col(ID).is_in(list(ids))).select(ID, ITEM, TRUTH, RAW).unique(ID, keep="first")
        rows = chosen.collect(engine="streaming").rows()
    return _complete(run, ids, {name: TrialText(None, truths, raw, item) for name, item, truths, raw in rows})


def _complete(run: AuditedRun, ids: Collection[str], texts: dict[str, TrialText]) -> dict[str, TrialText]:
    lacking = next((name for name in ids if name not in texts), None)
    if lacking is not None:
        raise DataError(str(run.folder), f"no text of the trial '{lacking}' is there any more", None, "run it again")
    return texts


def _read(run: AuditedRun, ids: Collection[str], show: Sequence[str]) -> DrawnTexts:
    """The texts of the source, read once again under the stored config, with the trust that `rerun` needs."""
    audit, wanted = stored_audit(run.folder), frozenset(ids)
    texts: dict[str, TrialText] = {}
    items: dict[str, str] = {}
    try:
        opened = opened_texts(audit, show)
        for columns in batches_of(opened.evidence):
            if opened.item:
                named = zip(columns[ID], columns[opened.item], strict=True)
                items |= {name: as_text(item) for name, item in named if item is not None}
            rows = [row for row, name in enumerate(columns[ID]) if name in wanted]
            if rows:
                read = opened.read({name: [values[row] for row in rows] for name, values in columns.items()})
                texts |= {name: text for name, text in read.items() if name not in texts or texts[name].answer is None}
    except AuditError:
        _check_there(run)
        raise
    check_inputs(run, opened.evidence)
    return DrawnTexts(_complete(run, ids, texts), items)


def stored_audit(folder: Path) -> Any:
    """The audit of a run as its stored config has it.

    Raises UsageError where that would start code that is not trusted, and DataError where no config was kept.
    """
    file = config_file(folder)
    config, digest = stored_config(folder)
    if not config:
        do = f"run it again, with report=[{TEXTS}] for texts that stay"
        raise DataError(str(file), "no such file", "it says where the texts are", do)
    bridge.prepare()
    _, settings = revised(check_config(file, config, ()), [])
    audit: Any = bridge.build(settings)[0].audit
    parts = [audit.source, *([audit.truth] if isinstance(audit, ParsingSettings) else [])]
    Origin(folder, made_here(digest)).check([one for part in parts for one in code_in(part)])
    return audit


def batches_of(evidence: Evidence) -> Iterator[dict[str, list[Any]]]:
    """The columns of each batch, ids as the run wrote them."""
    once = one_pass_of(evidence.tasks)
    for task in evidence.tasks if once is None else once.tasks:
        columns = task().columns
        yield {**columns, ID: [masked(str(name)) for name in columns[ID]]}


def _check_there(run: AuditedRun | StoredRun) -> None:
    """Raises DataError where a file of the run is gone."""
    for one in run.result["inputs"]:
        if not is_remote(one["path"]) and not os.path.exists(actual(one["path"])):
            raise DataError(one["path"], "no such file", None, PUT_BACK)


def check_inputs(run: AuditedRun | StoredRun, evidence: Evidence) -> None:
    """Raises DataError where a file that was read is not the one that the run read."""
    known = {one["path"]: one["sha256"] for one in run.result["inputs"]}
    for one in evidence.inputs():
        if known.get(one.path) != one.sha256:
            raise DataError(one.path, "changed since the run", None, "run it again, or put the file back")
    _check_there(run)
