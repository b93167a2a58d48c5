"""The identity of the kernel's sources, in one word: a compiled kernel says which it was made from."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest(folder: Path) -> str:
    """A checksum of the C sources in a folder; "" where there are none, as in an installed wheel."""
    sources = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
    if not sources:
        return ""
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]
