"""What a result prints on a terminal of a width and a height, as plain lines."""

from __future__ import annotations

import io
import re
import sys

import pytest

from auditfw.components.report.console import printing
from auditfw.core.records import Result


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def screen(one: Result, folder: str | None = "run", width: int = 80, high: int = 24) -> list[str]:
    """The lines of the report on a terminal of this size, with its bars."""
    stream = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"COLUMNS": str(width), "LINES": str(high), "TERM": "xterm", "NO_COLOR": "1"}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", stream)
        with printing() as page:
            page.write(one, folder)
    plain = re.sub("\x1b(\\[[0-9;]*m|][^\x1b]*\x1b\\\\)", "", stream.getvalue())
    return [line.rstrip() for line in plain.splitlines()]
