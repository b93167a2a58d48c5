"""A question on the terminal, answered by one key."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from auditfw.core.escaping import terminal

termios: Any = None
tty: Any = None
try:
    import termios
    import tty
except ImportError:  # on Windows
    pass

MOST = 9  # choices, of a key each


def ask(question: str, choices: Sequence[str]) -> int | None:
    """Asks on standard error, and returns the place of the choice; None for any other key, or without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or not 0 < len(choices) <= MOST:
        return None
    print(terminal(f"auditfw: {question}?"), file=sys.stderr)
    for number, choice in enumerate(choices, 1):
        print(terminal(f"  {number}  {choice}"), file=sys.stderr)
    print("one key (any other: the command to complete): ", end="", file=sys.stderr, flush=True)
    key = _key()
    print(terminal(key.strip()), file=sys.stderr)
    return int(key) - 1 if key.isdecimal() and 1 <= int(key) <= len(choices) else None


def _key() -> str:
    """The next key, as it is pressed; a line where single keys cannot be read."""
    if termios is None:
        return sys.stdin.readline()[:1]
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSANOW)  # a key that was pressed early counts
        return os.read(sys.stdin.fileno(), 1).decode("ascii", "replace")
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
