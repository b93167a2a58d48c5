"""Pages of results in a real browser, and reports of the shipped samples to open in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import Seen, browser, driver, opened_file  # noqa: F401
from page_reading import text_of
from running import Command

from auditfw.core.records import Result


@pytest.fixture
def opened(opened_file: Callable[..., tuple[Any, Seen]], tmp_path: Path) -> Callable[..., tuple[Any, Seen]]:  # noqa: F811
    """Opens a page from disk, or that of a result, and watches it."""

    def look(what: Result | Path, **settings: Any) -> tuple[Any, Seen]:
        file = what if isinstance(what, Path) else tmp_path / f"page-{len(list(tmp_path.iterdir()))}.html"
        if isinstance(what, Result):
            file.write_text(text_of(what), "utf-8", errors="replace")
        return opened_file(file, **settings)

    return look


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, command_in: Command) -> Path:
    """A report of each audit, from the shipped samples."""
    folder = tmp_path_factory.mktemp("reports")
    for name in ("answer_parsing", "posiwid", "cross_agent", "self_audit"):
        limit = ["source.limit=6"] if name == "self_audit" else []
        done = command_in(folder, f"experiment={name}", "report=[html]", f"hydra.run.dir={name}", *limit)
        assert done.returncode in (0, 1), done.stderr
    return folder
