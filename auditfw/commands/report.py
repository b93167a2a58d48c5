"""`auditfw report`: the reports of finished runs, written again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from auditfw.components.files.run_tables import table_errors
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import revised
from auditfw.config.quoting import is_path
from auditfw.config.schema import load
from auditfw.config.stored import check_config
from auditfw.core.errors import UsageError
from auditfw.core.files import refusals
from auditfw.core.interrupts import look
from auditfw.kinds.capabilities import capability
from auditfw.kinds.metrics import Report

from .decisions.shown import with_decisions
from .error_output import print_error
from .labelling.adjudicate import with_people
from .run import speak, writing
from .stored_run import config_file, read_result, stored_config
from .sweep import worst
from .sweep.refusal import refuse_sweep
from .trust import Origin, code_in, made_here

DECISIONS = "decisions="


def report(argv: list[str]) -> int:
    """`auditfw report RUN... [report=[NAMES]] [reports.NAME.KEY=VALUE]`: writes the reports of finished runs again.

    They are each run's own, with its settings, unless others are named. With `decisions=FILE` they show what a reader
    decided in the gallery.
    """
    decisions = [word for word in argv if word.startswith(DECISIONS)]
    argv = [word for word in argv if word not in decisions]
    folders = [word for word in argv if is_path(word) or ("=" not in word and word[:1] != "-")]
    words = [word for word in argv if word not in folders]
    if not folders:
        raise UsageError("report", "needs a run folder", " ".join(argv) or None, "write auditfw report RUN")
    for word in words:
        key = word.partition("=")[0].lstrip("+~")
        if key != "report" and not key.startswith("reports."):
            raise UsageError(key, "cannot change a finished run", word, "write report=[NAMES] or reports.NAME.KEY=...")
    path = decisions[-1].removeprefix(DECISIONS) if decisions else None
    return worst([_report(Path(folder), words, path) for folder in folders])


def _report(folder: Path, words: list[str], decisions: str | None) -> int:
    refuse_sweep(folder, "report")
    result = read_result(folder)
    if decisions is not None:
        result = with_decisions(result, decisions)
    result = with_people(result, folder)
    bridge.prepare()
    config, digest = stored_config(folder)
    kept = check_config(config_file(folder), config, words, only="reports")
    _, settings = revised(kept or bridge.compose([]), words)
    parts = [load("report", chosen, f"reports.{name}") for name, chosen in (settings.get("reports") or {}).items()]
    if not parts:
        raise UsageError("report", "the run has no report of its own", str(folder), "write report=[NAMES]")
    Origin(folder, made_here(digest)).check(code_in(parts))

    def write(part: Report) -> None:
        look()
        if begin := capability(part, "begin"):
            begin(result)
        part(result, str(folder))

    with table_errors(str(folder)):
        refused = list(filter(None, refusals(folder, [partial(write, part) for part in writing(parts)])))
        speak(parts, result, str(folder))
    for error in refused:
        print_error(error)
    return worst([result.exit_code, *(error.exit_code for error in refused)])
