"""Kind of component that knows another way to write a truth."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Protocol


class Form(Protocol):
    """Says when an answer is the truth in another form.

    `kinds` are the kinds of truths that it is tried on ("number", "text", "latex", "yes_no", "letter", …); `counts`
    says whether an answer that fits counts as right, or is only listed. `value(text)` is what the form makes of a text,
    the same for texts that are the same under it; None where it says nothing of one. Where that needs both sides it may
    declare `same(answer, truth)` instead, whose word then counts.
    """

    kinds: ClassVar[tuple[str, ...]]
    counts: ClassVar[bool]

    def value(self, text: str) -> Hashable | None: ...
