"""The component; what makes the page is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.records import Result
from auditfw.core.result_json import write_whole
from auditfw.kinds.registry import register

FILE = "report.html"


@register("report", "html")
@dataclass(frozen=True)
class HtmlReport:
    """Writes report.html, one page that needs no network: verdict, charts, tables, and the exhibits to look through.

    Exhibits of galleries are left out from the end where the page would be larger than `max_bytes`; it says so.
    """

    browses: ClassVar[bool] = True

    max_bytes: int = 5_000_000

    def __post_init__(self) -> None:
        if self.max_bytes < 0:
            raise UsageError("max_bytes", "must not be negative", self.max_bytes)

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if folder is None:
            return ()
        from auditfw.components.report.page.page import page_text
        from auditfw.components.report.page.telling import tell

        return (write_whole(folder, FILE, page_text(tell(result), self.max_bytes)),)
