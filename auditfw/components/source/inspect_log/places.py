"""Which files of a folder are Inspect logs."""

from __future__ import annotations

NAMES = ("*.eval", "*.json")
LOOKED_AT = 1 << 16
KEYS = (b'"version"', b'"status"', b'"eval"')


def may_be_log(path: str) -> bool:
    """Whether a .json file begins as a log does; an .eval file is one, a compressed file is none."""
    if not path.endswith(".json"):
        return path.endswith(".eval")
    try:
        with open(path, "rb") as stream:
            start = stream.read(LOOKED_AT)
    except OSError:
        return True  # whoever reads it says what is wrong
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and all(key in start for key in KEYS)
