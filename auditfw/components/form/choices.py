"""Forms of options: the text where the letter is wanted, and the reverse; where the source has a column `options`."""

from __future__ import annotations

from typing import ClassVar

from auditfw.formulas.forms.choices import choice_form
from auditfw.formulas.forms.near import form_name
from auditfw.formulas.forms.words import bare
from auditfw.kinds.registry import declare
from auditfw.kinds.text import beside


class _ChoiceForm:
    """A form of options."""

    kinds: ClassVar[tuple[str, ...]] = ("letter", "text")
    counts: ClassVar[bool] = False

    def value(self, text: str) -> str | None:
        """The plain words of a text."""
        return bare(text) or None

    def same(self, answer: str, truth: str) -> bool:
        """Whether one is the letter of the option that the other is; without options nothing is known."""
        return choice_form(answer, truth, beside(answer).get("options") or ()) == form_name(type(self))


@declare("form", "letter_text")
class AsLetterText(_ChoiceForm):
    """The text of exactly one option, whose letter is the truth; listed only."""


@declare("form", "text_letter")
class AsTextLetter(_ChoiceForm):
    """The letter of the option whose text is the truth; listed only."""
