"""The scorer that is made of a parser, a normalizer and a matcher."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from auditfw.kinds.registry import declare
from auditfw.kinds.text import Matcher, Normalizer, Parser


@declare("scorer", "parts")
class ScorerParts:
    """Labels answers by a parser, a normalizer and a matcher of its own; `holds` says for which versions of a program.

    These are version specifiers by package, as in `{inspect_ai: ">=0.3.221"}`.
    """

    inside: ClassVar[bool] = True

    parser: Parser
    normalizer: Normalizer
    matcher: Matcher
    holds: dict[str, str] = field(default_factory=dict)
