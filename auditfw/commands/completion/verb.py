"""`auditfw completion SHELL`: prints what a shell is to read so that it completes commands, and answers it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from auditfw.core.errors import UsageError, nearest

from .candidates import SHELLS, TypedLine, candidates, escaped_for, typed, unquoted


def completion(argv: list[str]) -> int:
    """`auditfw completion bash|zsh|fish`: prints the script for a shell."""
    if argv[:1] == ["query"]:
        return answer(argv[1:])
    if len(argv) != 1:
        do = f"write auditfw completion {'|'.join(SHELLS)}"
        raise UsageError("completion", "needs the name of a shell", " ".join(argv) or None, do)
    if argv[0] not in SHELLS:
        raise UsageError(f"completion {argv[0]}", "no such shell", None, nearest(argv[0], SHELLS))
    sys.stdout.write(Path(__file__).with_name(f"completion.{argv[0]}").read_text("utf-8"))
    return 0


def answer(argv: Sequence[str]) -> int:
    """`auditfw completion query SHELL [-- WORDS... WORD]`: a candidate a line. It never fails, and prints no error.

    Bash hands the line on in its own variables; the others hand on words.
    """
    with contextlib.suppress(Exception):
        sys.stdout.write("".join(f"{text}\n" for text in _answer(argv)))
        sys.stdout.flush()
    return 0


def _answer(argv: Sequence[str]) -> list[str]:
    if argv[0] == "bash":
        text = os.environ["COMP_LINE"]
        line = typed(text[: int(os.environ.get("COMP_POINT", len(text)))], os.environ.get("COMP_WORDBREAKS", ""))
        return [_for_bash(one, line) for one in candidates(line.words[1:], line.word)]
    *words, word = map(unquoted, argv[argv.index("--") + 1 :] or [""])
    answers = candidates(words, word)
    return answers if argv[0] == "zsh" else [one.rstrip(" ") for one in answers]


def _for_bash(candidate: str, line: TypedLine) -> str:
    """What readline puts in place of the part of the word behind its last break."""
    text = candidate.rstrip(" ")
    end = f"{line.quote} " if text != candidate else ""
    return escaped_for(text[line.cut :], line.quote) + end
