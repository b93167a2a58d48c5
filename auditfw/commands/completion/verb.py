"""`auditfw completion SHELL`: prints what a shell is to read so that it completes commands."""

from __future__ import annotations

import sys
from importlib.resources import files

from auditfw.core.errors import UsageError, nearest

from .query import answer
from .verbs import SHELLS


def completion(argv: list[str]) -> int:
    """`auditfw completion bash|zsh|fish`: prints the script for a shell."""
    if argv[:1] == ["query"]:
        return answer(argv[1:])
    if len(argv) != 1:
        do = f"write auditfw completion {'|'.join(SHELLS)}"
        raise UsageError("completion", "needs the name of a shell", " ".join(argv) or None, do)
    if argv[0] not in SHELLS:
        raise UsageError(f"completion {argv[0]}", "no such shell", None, nearest(argv[0], SHELLS))
    sys.stdout.write((files(__package__) / f"completion.{argv[0]}").read_text("utf-8"))
    return 0
