"""Whether a parser finds an answer only where one is announced."""

from __future__ import annotations

from auditfw.kinds.capabilities import capability
from auditfw.kinds.text import Parser, TextBeside

WITHOUT_ANSWER = ("this text holds nothing", "this text names 7, 12, (B), C. and Paris")


def finds_only_announced(parser: Parser) -> bool:
    """Whether a parser finds nothing in a text that names answers without announcing one: it is marked."""
    columns = dict.fromkeys(capability(parser, "needs", ()))
    return not any(_found(parser, TextBeside(text, columns)) for text in WITHOUT_ANSWER)


def _found(parser: Parser, text: str) -> str:
    try:
        return parser(text)
    except Exception:  # a component of anyone's; one that fails finds nothing
        return ""
