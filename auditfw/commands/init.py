"""`auditfw init`: a new project of a user."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from auditfw.core.errors import UsageError
from auditfw.core.escaping import terminal, typed
from auditfw.core.files import guarded
from auditfw.core.remote.addresses import is_remote

FILES = {  # of a new project, each by what it is in the folder `project`
    "README.md": "README.md",
    "conf/experiment/mine.yaml": "experiment.yaml",
    "conf/parser/unhedged.yaml": "parser.yaml",
    "plugins/drop_hedge.py": "plugin.txt",
}
FILES_FOR_DATA = {".github/workflows/audit.yml": "workflow.yaml", "tests/test_audit.py": "test.txt"}


def written_by(files: Mapping[str, str]) -> dict[str, str]:
    """The texts of shipped files by the names that a project has them under."""
    return {name: Path(__file__).with_name("project").joinpath(of).read_text("utf-8") for name, of in files.items()}


def init(argv: list[str]) -> int:
    """`auditfw init FOLDER [FILE]`: a user's project that runs; of a file an experiment, a workflow and a test."""
    if not argv or (len(argv) > 1 and "=" in argv[1]):
        raise UsageError("init", "needs a folder", " ".join(argv) or None, "write auditfw init FOLDER [FILE]")
    folder = Path(argv[0])
    if len(argv) > 1:
        return _init_for(folder, argv[1], argv[2:])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(str(folder), "is not an empty folder", None, "name a new one")
    _write(folder, written_by(FILES))
    print(f"created {folder}: cd {folder} && auditfw experiment=mine")
    return 0


def _init_for(folder: Path, file: str, words: Sequence[str]) -> int:
    """Adds what audits a file to a folder, which may hold other files. Raises AuditError where one is in the way."""
    from auditfw.components.files.files import missing

    from .paths.command import with_paths
    from .paths.experiment import experiment_text

    remote = is_remote(file)
    if not remote and not os.path.exists(file):
        raise missing(file)
    if folder.exists() and not folder.is_dir():
        raise UsageError(str(folder), "is no folder", None, "name a folder")
    new = not folder.exists()
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        within = file if remote else os.path.relpath(file, folder)
        with contextlib.chdir(folder):
            run = with_paths([within, *words]).words
        experiment = experiment_text(f"what fits {os.path.basename(file)}", run)
        files = {"conf/experiment/mine.yaml": experiment, **written_by(FILES_FOR_DATA)}
        for name in files:
            if os.path.lexists(folder / name):
                do = "move it away, or name another folder; nothing was written"
                raise UsageError(str(folder / name), "is in the way", None, do)
        _write(folder, files)
    except BaseException:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    print(terminal(f"added to {folder}: {', '.join(files)}"))
    print(terminal(f"next: cd {typed(str(folder))} && auditfw experiment=mine && python -m pytest tests/test_audit.py"))
    if within.startswith(os.pardir):
        print(terminal(f"{file} lies outside of {folder}: copy it in before another machine runs the audit"))
    return 0


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files that are not there yet, all or none. Raises AuditError."""
    there = [path for name in files for path in [folder / name, *(folder / name).parents] if path.exists()]
    try:
        for name, text in files.items():
            path = folder / name
            with guarded(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
    except BaseException:
        made = {path for name in files for path in [folder / name, *(folder / name).parents]}.difference(there)
        for path in sorted(made, key=lambda one: -len(one.parts)):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise
