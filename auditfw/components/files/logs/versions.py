"""Versions of logs that were not known when this was written: their records are read as far as they have the form."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.formats.strict_json import Reader, RefusedError
from auditfw.core.errors import AuditError, DataError, kind_of_value

LM_EVAL = ("0.3", "0.4")  # of the harness, as the results file names it
PROMPTFOO = ("2", "3")  # of promptfoo's results, which name it at their start
EVERY_EVAL_EVER = ("0.1", "0.2", "0.3")  # of its schema, as each record names it
PROMPTFOO_RESULTS = "promptfoo's results"
START = 1 << 16
_RESULTS = re.compile(rb'\A[\s\xef\xbb\xbf]*\{.*?"results"\s*:\s*\{\s*"version"\s*:\s*"?([\w.+-]{1,20})', re.DOTALL)


def lm_eval_remark(path: str, whole: Mapping[str, Any]) -> str:
    """The remark on a results file by another version of the harness; none on one that names no version."""
    version = str(whole.get("lm_eval_version") or "")
    return "" if _is_known(version, LM_EVAL) else f"{path}: {_not_known(version, 'lm-evaluation-harness', LM_EVAL)}"


def every_eval_ever_remark(record: Mapping[str, Any]) -> str:
    """The remark on a record of another version of the schema; none on one that names no version."""
    version = record.get("schema_version")
    if not isinstance(version, str | int | float) or _is_known(str(version), EVERY_EVAL_EVER):
        return ""
    return _not_known(version, "Every Eval Ever", EVERY_EVAL_EVER)


def _is_known(version: str, known: Sequence[str]) -> bool:
    return not version or version in known or version.startswith(tuple(f"{one}." for one in known))


def promptfoo_version(path: str) -> str | None:
    """The version of promptfoo's results that a file says at its start, if it is not known."""
    with open(path, "rb") as stream:
        match = _RESULTS.match(stream.read(START))
    version = match[1].decode() if match is not None else "null"
    return None if version == "null" or _is_known(version, PROMPTFOO) else version


def promptfoo_remark(path: str, version: str) -> str:
    """The remark on results of a version that is not known."""
    return f"{path}: {_not_known(version, PROMPTFOO_RESULTS, PROMPTFOO)}"


def promptfoo_error(path: str, version: str, error: AuditError) -> DataError:
    """The error for records that have not the form of a known version, where the version is not known either."""
    what = _not_known(version, PROMPTFOO_RESULTS, PROMPTFOO)
    return DataError(path, what, f"{error.where}: {error.what}", "update")


def _not_known(version: object, what: str, known: Sequence[str]) -> str:
    return f"version {version} of {what} is not known (known: {', '.join(known[:-1])} and {known[-1]})"


# A small JSON file that lies beside a log, read as a whole.

LARGEST = 256 << 20


def whole_object(path: str) -> Mapping[str, Any]:
    """The object that a JSON file holds. Raises DataError where it cannot be read."""
    facts = os.stat(path)
    return _whole_object(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=16)
def _whole_object(path: str, _size: int, _changed: int) -> Mapping[str, Any]:
    with open_bytes(File(path)) as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise DataError(path, "is too large to be read as a whole", f"over {LARGEST:,} bytes", "move it away")
    try:
        whole = Reader().parse(data.decode("utf-8-sig", "replace"))
    except RefusedError as error:
        line = data[: error.at or 0].count(b"\n") + 1
        raise error.as_error(f"{path}:{line}") from None
    if not isinstance(whole, dict):
        raise DataError(path, "expected an object", kind_of_value(whole))
    return whole
