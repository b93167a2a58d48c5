"""Versions of logs that were not known when this was written: their records are read as far as they have the form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.errors import DataError

LM_EVAL = ("0.3", "0.4")  # of the harness, as the results file names it
PROMPTFOO = (2, 3)  # of promptfoo's results, which name it at their start
PROMPTFOO_RESULTS = "promptfoo's results"
START = 1 << 16
_RESULTS = re.compile(rb'\A[\s\xef\xbb\xbf]*\{.*?"results"\s*:\s*\{\s*"version"\s*:\s*(\d{1,9})\b', re.DOTALL)


def lm_eval_remark(path: str, whole: Mapping[str, Any]) -> str:
    """The remark on a results file by another version of the harness; none on one that names no version."""
    version = str(whole.get("lm_eval_version") or "")
    if not version or version.startswith(tuple(f"{known}." for known in LM_EVAL)) or version in LM_EVAL:
        return ""
    return f"{path}: {_not_known(version, 'lm-evaluation-harness', LM_EVAL)}"


def promptfoo_version(path: str) -> int | None:
    """The version of promptfoo's results that a file says at its start, if it is not known."""
    with open(path, "rb") as stream:
        match = _RESULTS.match(stream.read(START))
    return int(match[1]) if match is not None and int(match[1]) not in PROMPTFOO else None


def promptfoo_remark(path: str, version: int) -> str:
    """The remark on results of a version that is not known."""
    return f"{path}: {_not_known(version, PROMPTFOO_RESULTS, PROMPTFOO)}"


def promptfoo_error(path: str, version: int, error: DataError) -> DataError:
    """The error for records that have not the form of a known version, where the version is not known either."""
    what = _not_known(version, PROMPTFOO_RESULTS, PROMPTFOO)
    return DataError(path, what, f"{error.where}: {error.what}", "update")


def _not_known(version: object, what: str, known: Sequence[object]) -> str:
    return f"version {version} of {what} is not known (known: {' and '.join(map(str, known))})"
