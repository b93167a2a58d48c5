"""One made-up parsing audit, plain and with hostile names and texts."""

from __future__ import annotations

import io

HOSTILE = "\x1b[31m[red]|`x`\n::error::y <img src=x onerror=z>\u202e@evil #12 :smile: \x9b ##vso[t] \ud800 漢字"


class Stream(io.TextIOWrapper):
    """A standard output that is no terminal, in an encoding."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def text(self) -> str:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)
