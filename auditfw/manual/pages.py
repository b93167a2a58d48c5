"""The pages of the manual, and the verb that shows them: `auditfw help [TOPIC]`."""

from __future__ import annotations

import sys
from importlib.resources import files

from auditfw.errors import UsageError, nearest

END = ".md"


def topics() -> dict[str, str]:
    """The text of every page by its topic, sorted."""
    found = {page.name.removesuffix(END): page for page in files(__package__).iterdir() if page.name.endswith(END)}
    return {name: found[name].read_text("utf-8") for name in sorted(found)}


def title(page: str) -> str:
    """What a page is about: its first line."""
    return page.partition("\n")[0].lstrip("# ")


def show(argv: list[str]) -> int:
    """Shows a page, through a pager on a terminal; without a topic, the pages there are. Raises UsageError."""
    pages = topics()
    if not argv:
        print("auditfw help TOPIC shows a page of the manual; auditfw --help says what to type.\n")
        width = max(map(len, pages)) + 2
        print("\n".join(f"  {name:{width}}{title(page)}" for name, page in pages.items()))
        return 0
    if len(argv) > 1 or argv[0] not in pages:
        wrong = argv[0] if argv[0] not in pages else argv[1]
        raise UsageError(f"help {wrong}", "no such page", None, nearest(wrong, list(pages)))
    _shown(pages[argv[0]])
    return 0


def _shown(page: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    text = Markdown(page, hyperlinks=False)
    if sys.stdout.isatty():
        with console.pager(styles=not console.no_color):
            console.print(text)
    else:
        console.print(text)
