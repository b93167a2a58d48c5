"""A small JSON file that lies beside a log, read as a whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.formats.strict_json import Reader, RefusedError
from auditfw.core.errors import DataError, kind_of_value

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
