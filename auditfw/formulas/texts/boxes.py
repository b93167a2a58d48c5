r"""The content of the last \boxed{…} of a text."""

from __future__ import annotations

import re

_BRACE = re.compile(r"\\[\\{}]|[{}]")
_BOXED = ("\\boxed", "\\fbox")
_OPENINGS = tuple(f"{word}{{" for word in _BOXED)


def last_box(text: str) -> str:
    r"""The content of the last \boxed{…} whose braces balance; "" without one: the definition."""
    opened: list[int] = []
    last: tuple[int, int] | None = None
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            start = opened.pop()
            if text.endswith(_BOXED, 0, start) and (last is None or start > last[0]):
                last = start, brace.start()
    return text[last[0] + 1 : last[1]].strip() if last else ""


def quick_last_box(text: str) -> str:
    """The same, looked for from the end."""
    if "\\" not in text:
        return ""
    start = -1
    for opening in _OPENINGS:  # from the end: that is where answers stand
        start = max(start, text.rfind(opening, max(start, 0)))
    if start < 0:
        return ""
    # A brace right after these words is no escaped one, so its partner depends on what follows it alone.
    start = text.index("{", start)
    end = text.find("}", start)
    content = text[start + 1 : end]
    if end > start and "{" not in content and "\\" not in content:
        return content.strip()
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start + 1 : brace.start()].strip()
    return last_box(text)
