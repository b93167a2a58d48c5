"""A real browser for pages opened from disk: what it asks of a network, and what it complains of.

Needs Chromium: `chromium` or a kin on the PATH, else its path in AUDITFW_BROWSER.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NO_STORAGE = (
    "Object.defineProperty(globalThis, 'localStorage',"
    " { configurable: true, get() { throw new DOMException('', 'SecurityError'); } }) && null"
)
FULL = "Object.assign(Storage.prototype, { setItem() { throw new DOMException('', 'QuotaExceededError'); } }) && null"


@dataclass
class Seen:
    """What happened while a page was open, besides what it should do."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def program() -> str:
    """Where Chromium is; without one the test is skipped."""
    found = os.environ.get("AUDITFW_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on the PATH; name one in AUDITFW_BROWSER")
    return found


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    program()
    expect.set_options(timeout=30_000)
    with sync_playwright() as one:
        yield one


@pytest.fixture(scope="module")
def browser(driver: Any) -> Iterator[Any]:
    one = driver.chromium.launch(executable_path=program(), args=FLAGS)
    yield one
    one.close()


@pytest.fixture
def opened_file(browser: Any) -> Iterator[Callable[..., tuple[Any, Seen]]]:
    """Opens a page from disk and watches it; at the end nothing may have left, nothing may have complained."""
    contexts, all_seen = [], []

    def look(file: Path, **settings: Any) -> tuple[Any, Seen]:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        seen = Seen()
        context.route("**/*", lambda route: (_note(seen, route.request.url), route.continue_()))
        tab = context.new_page()
        tab.on("console", lambda said: seen.complaints.append(f"{said.type}: {said.text}"))
        tab.on("pageerror", lambda error: seen.complaints.append(str(error)))
        tab.on("dialog", lambda dialog: (seen.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        tab.add_init_script("addEventListener('securitypolicyviolation', (e) => console.error(e.violatedDirective))")
        tab.goto(file.as_uri())
        contexts.append(context)
        all_seen.append(seen)
        return tab, seen

    yield look
    for context in contexts:
        context.close()
    assert [one.requests for one in all_seen] == [[] for _ in all_seen]
    assert [one.complaints for one in all_seen] == [[] for _ in all_seen]


def _note(seen: Seen, url: str) -> None:
    if not url.startswith(("file:", "data:")):
        seen.requests.append(url)
