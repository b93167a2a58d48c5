"""Which jobs of an interrupted sweep are kept: those whose config, inputs and code are still the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from auditfw.commands.run_folder import check_tables, read_run
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import Composed
from auditfw.core.errors import DataError, UsageError
from auditfw.core.inputs import digest
from auditfw.samples import actual

DONE = (0, 1, 5)


def check_same_jobs(before: Sequence[Sequence[str]], now: Sequence[Sequence[str]], new_keys: Sequence[str]) -> None:
    """Raises UsageError where the words of the command make different jobs than the sweep had."""

    def bare(job: Sequence[str]) -> list[str]:
        return [word for word in job if word.partition("=")[0].lstrip("+~") not in new_keys]

    if [bare(job) for job in before] != [bare(job) for job in now]:
        counts = f"{len(before)} before, {len(now)} now"
        raise UsageError(
            "resume", "these overrides make different jobs than the sweep had", counts, "start a new sweep"
        )


def kept(sweep: Path, job: Composed) -> bool:
    """Whether a job's result still holds: finished, by the same config, of the same inputs."""
    if job.error is not None:
        return False
    try:
        result = read_run(sweep / job.folder)
        check_tables(sweep / job.folder, result)
    except DataError:
        return False
    if result["exit_code"] not in DONE:
        return False
    if result["config_hash"] != bridge.config_hash(bridge.settings_of(job.config)):
        return False
    return all(_digest(actual(one["path"])) == one["sha256"] for one in result["inputs"])


def _digest(path: str) -> str | None:
    """The checksum of a regular file, None for anything else: the path is what a folder says."""
    return digest(path) if os.path.isfile(path) else None
