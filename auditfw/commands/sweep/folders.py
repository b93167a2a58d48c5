"""A job's own folder: its `.hydra` files, its log, and that this user made it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auditfw.commands.error_output import message_and_code, print_error, warn
from auditfw.commands.run_folder import note_error, save_hydra
from auditfw.commands.trust import may_start, remember
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import Composed, as_yaml
from auditfw.core.files import append, present, read_text, refusals, refuse_link
from auditfw.core.masking import hidden, masked

from .folder import note_failed
from .jobs import LOG


def settings_of(job: Composed) -> dict[str, Any]:
    """The settings of a job, every interpolation resolved. Raises UsageError naming the key."""
    return dict(job.raw) if job.plain else bridge.settings_of(job.config)


def keep_origin(folder: Path, settings: Mapping[str, Any]) -> None:
    """Records that this user made a run that may start code."""
    if may_start(settings):
        remember([folder / ".hydra" / name for name in ("config.yaml", "overrides.yaml")])


def mask_hydra(folder: Path) -> None:
    """Masks what the files that Hydra wrote show of the environment."""
    inside = folder / ".hydra"
    if hidden() and inside.is_dir():
        save_hydra(folder, {file.name: read_text(file) for file in sorted(inside.iterdir()) if present(file)})


def save(folder: Path, files: Mapping[str, Any]) -> None:
    """Writes a job's `.hydra` files."""
    save_hydra(folder, {name: as_yaml(content) for name, content in files.items()})


@contextmanager
def logged(file: Path) -> Iterator[None]:
    """What components log goes into the job's own file."""
    refuse_link(file)
    handler = logging.FileHandler(file, delay=True, encoding="utf-8")
    handler.setFormatter(logging.Formatter("[%(asctime)s][%(name)s][%(levelname)s] - %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


def report_failure(sweep: Path, folder: Path, number: int, overrides: Sequence[str], error: Exception | str) -> None:
    """Prints why a job failed, and leaves it in its folder; what the disk refuses of that is a warning."""
    work: list[Callable[[], object]] = []
    text = error
    if isinstance(error, Exception):
        message, code = message_and_code(error)
        text, trace = str(message), masked("".join(traceback.format_exception(error)))
        work.append(lambda: append(folder / LOG, trace))
        work.append(lambda: note_error(folder, code, str(message), overrides=list(overrides)))
    line = f"{' '.join(overrides)}: {text}"
    work.append(lambda: append(folder / LOG, masked(f"{line}\n")))
    work.append(lambda: note_failed(sweep, str(number)))
    print_error(f"{line} (log: {folder / LOG})")
    for refusal in filter(None, refusals(folder, work)):
        warn(str(refusal))
