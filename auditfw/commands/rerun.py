"""`auditfw rerun`: a stored config run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from auditfw.audits.spine import Run, check_plan
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import as_yaml, revised
from auditfw.config.quoting import is_path
from auditfw.config.stored import check_config
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import read_bytes
from auditfw.core.records import Result
from auditfw.core.result_json import RESULT

from .compare import tables
from .error_output import ignore_closed_pipe, print_error
from .run import Finish, Prepared, at_once, execute, failure, link_latest
from .run_folder import save_hydra
from .stored_run import StoredRun, config_file, stored
from .sweep.refusal import refuse_sweep
from .trust import Origin, code_in, made_here, may_start, remember


def rerun(argv: list[str]) -> int:
    """`auditfw rerun RUN [OVERRIDES]`: runs a stored config again and shows what differs."""
    if not argv or argv[0].startswith("-") or ("=" in argv[0] and not is_path(argv[0])):
        raise UsageError(
            "rerun", "needs a run folder first", " ".join(argv) or None, "write auditfw rerun RUN [OVERRIDES]"
        )
    refuse_sweep(Path(argv[0]), "rerun", argv[1:])
    before, words = stored(Path(argv[0])), argv[1:]
    file = config_file(before.folder)
    if not before.config:
        raise DataError(str(file), "no such file", None, "only a run with a stored config can be rerun")
    bridge.prepare()
    raw, settings = revised(check_config(file, before.config, words), [*words, *_typed_now(before.config, words)])
    built = bridge.build(settings)
    check_plan(built[0])
    Origin(before.folder, made_here(before.digest)).check(_started(built[0]))
    now = datetime.now()
    name = str(settings.get("audit", {}).get("use", "audit"))
    folder = Path("outputs") / name / f"{now:%Y-%m-%d}" / f"{now:%H-%M-%S-%f}"
    kept = {"config.yaml": as_yaml(raw), "overrides.yaml": as_yaml(words)}
    result = execute(settings, folder, prepared=Prepared(built, finishing=_stored_first(kept)))
    link_latest(folder)
    if may_start(settings):
        remember([config_file(folder), config_file(folder).with_name("overrides.yaml")])
    error = failure(result)
    if error is not None:
        print_error(error)
    if "console" in (settings.get("reports") or {}):
        with ignore_closed_pipe():
            _print_differences(before, stored(folder), result)
    return result.exit_code


def _typed_now(config: Mapping[str, Any], words: Sequence[str]) -> list[str]:
    """The word that takes out of what was guessed what is typed now."""
    guessed, own = config.get("guessed") or [], {word.partition("=")[0].lstrip("+~") for word in words}
    left = [key for key in guessed if key not in own]
    return [] if left == guessed or "guessed" in own else [f"guessed=[{','.join(left)}]"]


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


def _print_differences(before: StoredRun, after: StoredRun, result: Result) -> None:
    """What differs from the first time."""
    from auditfw.components.report.console import printing

    differences = [(head, table) for head, table in tables([before, after]) if head != "Runs"]
    same = read_bytes(before.folder / RESULT) == read_bytes(after.folder / RESULT)
    with printing() as page:
        page.head(f"Compared with {before.folder}")
        page.lines(["result.json has the same bytes" if same else "result.json differs"])
        for head, table in differences:
            page.head(f"{head}, before and now")
            page.rows(table, 1)
