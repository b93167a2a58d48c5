"""Label codes as they are counted and shown."""

from __future__ import annotations

from typing import Literal

from auditfw.audits.parsing.engine.plan import BLANK, FALSE, MISSING, TRUE, UNDEFINED, UNREAD

WORDS = {FALSE: "wrong", TRUE: "right", BLANK: "wrong (no answer)", UNDEFINED: "undefined", MISSING: "missing"}
WORDS[UNREAD] = "missing (truth not read)"

Undefined = Literal["zero", "drop"]


def label_of(code: int, undefined: Undefined) -> bool | None:
    """A label code as the metrics count it: right, wrong, or not at all."""
    if code == TRUE:
        return True
    return False if code in (FALSE, BLANK) or (code == UNDEFINED and undefined == "zero") else None


def word_of(code: int) -> str:
    """A label code as it is shown of one trial."""
    return WORDS.get(code, "error")
