"""The report a program reads: result.json's document on standard output."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from auditfw.core.records import Result
from auditfw.core.result_json import dumps, result_document
from auditfw.kinds.registry import register


@register("report", "json")
@dataclass(frozen=True)
class JsonReport:
    """Prints the document of result.json, and nothing else, to standard output."""

    prints: ClassVar[bool] = True

    print: bool = True

    @property
    def alone(self) -> bool:
        """Nothing else may be printed on standard output."""
        return self.print

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if self.print:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            narrow = not encoding.lower().startswith("utf")
            sys.stdout.write(dumps(result_document(result), ascii_only=narrow))
            sys.stdout.flush()
        return ()
