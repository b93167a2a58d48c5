"""The verbs over finished runs: compare, accept, rerun, report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from auditfw.audits.spine import Run, check_plan
from auditfw.components.gate.change import BASELINE
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import as_yaml, revised
from auditfw.config.schema import load
from auditfw.config.stored import check_config
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import read_bytes, read_text
from auditfw.core.interrupts import look
from auditfw.core.records import Result
from auditfw.core.result_json import RESULT, dumps, write_whole

from .compare import (
    LabelChanges,
    StoredRun,
    config_file,
    differing,
    flat,
    flips,
    flips_table,
    stored,
    stored_config,
    tables,
)
from .error_output import heard_or_not, say, warn
from .run import Finish, Prepared, at_once, execute, failure, speak, writing
from .run_folder import link_latest, reading, save_hydra
from .trust import Origin, code_in, made_here, may_start, remember

DEFAULT = "baseline.json"


def compare(argv: list[str]) -> int:
    """`auditfw compare RUN RUN... [--json]`: what differs between finished runs, each beside the first."""
    folders = [word for word in argv if word != "--json"]
    if len(folders) < 2 or any(word.startswith("-") for word in folders):
        raise UsageError("compare", "needs two run folders or more", " ".join(argv) or None, "auditfw compare RUN RUN")
    runs = [stored(Path(folder)) for folder in folders]
    found = tables(runs)
    changes = [(run, flips(runs[0].folder, run.folder)) for run in runs[1:]]
    if "--json" in argv:
        print(dumps(_as_document(runs, changes)), end="")
    else:
        _print(found, changes)
    return 0


def _as_document(
    runs: Sequence[StoredRun], changes: Sequence[tuple[StoredRun, Sequence[LabelChanges]]]
) -> dict[str, Any]:
    def rows(sides: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
        return [{"key": row[0], "values": row[1:]} for row in differing(sides)]

    names = dict.fromkeys(name for run in runs for name in run.numbers)
    numbers = {name: [run.numbers.get(name) for run in runs] for name in names}
    return {
        "schema": "auditfw.comparison/1",
        "runs": [str(run.folder) for run in runs],
        "config": rows([flat(run.config) for run in runs]),
        "versions": rows([dict(run.result["versions"]) for run in runs]),
        "inputs": rows([{one["path"]: one["sha256"] for one in run.result["inputs"]} for run in runs]),
        "gates": rows([{gate["name"]: gate["status"] for gate in run.result["gates"]} for run in runs]),
        "measurements": [{"key": name, "values": v} for name, v in numbers.items() if len(set(v)) > 1],
        "flips": [{"run": str(run.folder), **asdict(one)} for run, found in changes for one in found],
    }


def _print(found: Sequence[tuple[str, Any]], changes: Sequence[tuple[StoredRun, Sequence[LabelChanges]]]) -> None:
    from auditfw.components.report.console import printing

    with printing() as page:
        for head, table in found:
            page.head(head)
            page.rows(table, 1)
        for place, (_, told) in enumerate(changes, 2):
            page.head(f"Trials that changed from run 1 to run {place}")
            if not told:
                page.lines(["none, or they cannot be paired by id"])
                continue
            page.rows(flips_table(told), 1)
            page.lines([f"{one.reading}: {', '.join(one.ids)}{_more(one)}" for one in told])


def _more(one: LabelChanges) -> str:
    left = one.changed - len(one.ids)
    return f" and {left:,} more" if left else ""


def accept(argv: list[str]) -> int:
    """`auditfw accept RUN [baseline=FILE]`: stores a finished run's numbers, from which gates bound the change."""
    named = [word.partition("=")[2] for word in argv if word.startswith("baseline=")]
    folders = [word for word in argv if not word.startswith("baseline=")]
    if len(folders) != 1 or len(named) > 1:
        raise UsageError("accept", "needs one run folder", " ".join(argv) or None, "auditfw accept RUN [baseline=FILE]")
    run, file = stored(Path(folders[0])), Path(named[0] if named else DEFAULT)
    if run.result["exit_code"] not in (0, 1):
        found = f"exit code {run.result['exit_code']}"
        raise DataError(folders[0], "the run is incomplete and cannot be a baseline", found, "mend it and run again")
    kept = ("audit", "verdict", "counts", "measurements", "inputs", "config_hash", "seed", "versions")
    document = {"schema": BASELINE, **{name: run.result[name] for name in kept}}
    file.parent.mkdir(parents=True, exist_ok=True)
    before = _accepted_before(file)
    write_whole(str(file.parent), file.name, dumps(document))
    said = f"accepted {len(run.numbers)} numbers of {folders[0]} in {file}"
    if before is not None:
        moved = sum(before.get(name) != value for name, value in run.numbers.items())
        said += f", in place of others: {moved} of them differ"
    print(said)
    if run.result["verdict"] == "fail":
        warn("a gate of this run failed; it is the baseline all the same")
    return 0


def _accepted_before(file: Path) -> dict[str, float | None] | None:
    try:
        told = json.loads(read_text(file, links=True))
        if told["schema"] != BASELINE:
            raise ValueError
        return StoredRun(file, told, {}).numbers
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise UsageError(str(file), "exists and is no baseline", None, "name another with baseline=FILE") from None


def rerun(argv: list[str]) -> int:
    """`auditfw rerun RUN [OVERRIDES]`: runs a stored config again, and tells what differs."""
    if not argv or argv[0].startswith("-") or "=" in argv[0]:
        raise UsageError("rerun", "needs a run folder first", " ".join(argv) or None, "auditfw rerun RUN [OVERRIDES]")
    before, words = stored(Path(argv[0])), argv[1:]
    file = config_file(before.folder)
    if not before.config:
        raise DataError(str(file), "no such file", None, "only such runs run again")
    bridge.prepare()
    given, settings = revised(check_config(file, before.config, words), words)
    built = bridge.build(settings)
    check_plan(built[0])
    Origin(before.folder, made_here(before.mark)).check(_started(built[0]))
    now = datetime.now()
    name = str(settings.get("audit", {}).get("use", "audit"))
    folder = Path("outputs") / name / f"{now:%Y-%m-%d}" / f"{now:%H-%M-%S-%f}"
    kept = {"config.yaml": as_yaml(given), "overrides.yaml": as_yaml(words)}
    result = execute(settings, folder, prepared=Prepared(built, _stored_first(kept)))
    link_latest(folder)
    if may_start(settings):
        remember([config_file(folder), config_file(folder).with_name("overrides.yaml")])
    told = failure(result)
    if told is not None:
        say(told)
    if "console" in (settings.get("reports") or {}):
        with heard_or_not():
            _tell(before, stored(folder), result)
    return result.exit_code


def _stored_first(files: Mapping[str, str]) -> Finish:
    """Finishes a run when its `.hydra` files are written: result.json vouches for them too."""

    def finishing(folder: Path, result: Result, plan: Run, manifest: dict[str, Any]) -> None:
        save_hydra(folder, files)
        at_once(folder, result, plan, manifest)

    return finishing


def _started(run: Run) -> list[str]:
    """What a stored config starts; going on with a run that it names counts as well."""
    goes_on = [] if run.resume is None else [f"resume={run.resume}, which writes into that folder"]
    return [*code_in(run), *goes_on]


def report(argv: list[str]) -> int:
    """`auditfw report RUN [report=[NAMES]] [reports.NAME.KEY=VALUE]`: writes the reports of a finished run again.

    They are the run's own, with its settings, unless others are named.
    """
    from .stored_run import read_result

    folders = [word for word in argv if "=" not in word and word[:1] != "-"]
    words = [word for word in argv if word not in folders]
    if len(folders) != 1:
        raise UsageError("report", "needs one run folder", " ".join(argv) or None, "auditfw report RUN")
    for word in words:
        key = word.partition("=")[0].lstrip("+~")
        if key != "report" and not key.startswith("reports."):
            raise UsageError(key, "changes nothing of a finished run", word, "report=[NAMES], reports.NAME.KEY=... do")
    folder = Path(folders[0])
    result = read_result(folder)
    bridge.prepare()
    config, mark = stored_config(folder)
    kept = check_config(config_file(folder), config, words, only="reports")
    _, settings = revised(kept or bridge.compose([]), words)
    parts = [load("report", given, f"reports.{name}") for name, given in (settings.get("reports") or {}).items()]
    if not parts:
        raise UsageError("report", "the run has no report of its own", folders[0], "write report=[NAMES]")
    Origin(folder, made_here(mark)).check(code_in(parts))
    with reading(folders[0]):
        for part in writing(parts):
            look()
            part(result, folders[0])
        speak(parts, result, folders[0])
    return result.exit_code


def _tell(before: StoredRun, after: StoredRun, result: Result) -> None:
    """What differs from the first time."""
    from auditfw.components.report.console import printing

    found = [(head, table) for head, table in tables([before, after]) if head != "Runs"]
    same = read_bytes(before.folder / RESULT) == read_bytes(after.folder / RESULT)
    with printing() as page:
        page.head(f"Beside {before.folder}")
        page.lines(["result.json has the same bytes" if same else "result.json differs"])
        for head, table in found:
            page.head(f"{head}, then and now")
            page.rows(table, 1)
