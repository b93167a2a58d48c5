"""A shipped rule that gives the labels of a log, or why there is none."""

from __future__ import annotations

from typing import NamedTuple


class KnownRule(NamedTuple):
    """A shipped rule: its parser, normalizer and matcher, and overrides that set these; or `why` there is none."""

    parser: str = ""
    normalizer: str = ""
    matcher: str = ""
    settings: tuple[str, ...] = ()
    why: str = ""


def of_one_name(name: str, *settings: str) -> KnownRule:
    """A rule whose parts all have its name."""
    return KnownRule(name, name, name, settings)
