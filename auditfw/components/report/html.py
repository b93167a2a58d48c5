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
    """Writes report.html, one page that needs no network: verdict, charts, tables, and examples to browse.

    The last examples are left out where the page would be larger than `max_bytes`; the page says how many.
    """

    browses: ClassVar[bool] = True

    max_bytes: int = 5_000_000

    def __post_init__(self) -> None:
        if self.max_bytes < 0:
            raise UsageError("max_bytes", "expected a whole number of 0 or more", self.max_bytes)

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if folder is None:
            return ()
        from auditfw.components.report.page.content import result_page
        from auditfw.components.report.page.page import page_text

        return (write_whole(folder, FILE, page_text(result_page(result), self.max_bytes)),)
