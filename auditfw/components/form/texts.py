"""Forms of texts: the whole answer, or a part of it, is the truth in other words."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from auditfw.formulas.forms.texts import (
    elsewhere,
    form_name,
    inside_form,
    other_script,
    part_of_truth,
    plain_latex,
    text_form,
    text_value,
)
from auditfw.formulas.forms.words import bare, choice_form
from auditfw.kinds.registry import declare
from auditfw.kinds.text import beside


class _TextForm:
    """A form of whole texts: two of them are the same if they differ by it, or by what is trusted more."""

    kinds: ClassVar[tuple[str, ...]] = ("text", "yes_no", "long", "structured", "code")
    counts: ClassVar[bool] = True

    def value(self, text: str) -> Hashable | None:
        """What the form makes of a text."""
        return text_value(form_name(type(self)), text)

    def same(self, answer: str, truth: str) -> bool:
        """Whether the texts differ by this form alone."""
        return text_form(answer, truth) in ("equal", form_name(type(self)))


class _PartForm:
    """A form of texts of which one is part of the other."""

    kinds: ClassVar[tuple[str, ...]] = ("text",)
    counts: ClassVar[bool] = True

    def value(self, text: str) -> str | None:
        """The plain words of a text."""
        return bare(text) or None

    def same(self, answer: str, truth: str) -> bool:
        """Whether the truth is part of the answer in this form."""
        return inside_form(answer, truth) == form_name(type(self))


@declare("form", "case")
class AsCase(_TextForm):
    """London for LONDON, and any white space."""


@declare("form", "punctuation")
class AsPunctuation(_TextForm):
    """The same words without punctuation; that of a number stays."""


@declare("form", "articles")
class AsArticles(_TextForm):
    """The same words without a, an and the."""


@declare("form", "diacritics")
class AsDiacritics(_TextForm):
    """São Paulo for Sao Paulo."""


@declare("form", "lead_in")
class AsLeadIn(_TextForm):
    """“The answer is Paris” for Paris."""


@declare("form", "parentheses")
class AsParentheses(_TextForm):
    """“Paris (France)” for Paris: parentheses that hold letters."""


@declare("form", "spacing")
class AsSpacing(_TextForm):
    """“New Town” for Newtown; without digits."""


@declare("form", "and")
class AsAnd(_TextForm):
    """“salt & pepper” for “salt and pepper”."""


@declare("form", "roman")
class AsRoman(_TextForm):
    """“World War II” for “World War 2”: numerals in two words or more."""


@declare("form", "plural")
class AsPlural(_TextForm):
    """Cats for cat."""


@declare("form", "date")
class AsDate(_TextForm):
    """One day in two spellings: the month in letters, or ISO 8601."""


@declare("form", "clock")
class AsClock(_TextForm):
    """“2 PM” for 14:00."""


@declare("form", "order")
class AsOrder(_TextForm):
    """The same words in another order; without digits."""


@declare("form", "initials")
class AsInitials(_TextForm):
    """“J. F. Kennedy” for “John Fitzgerald Kennedy”."""


@declare("form", "acronym")
class AsAcronym(_TextForm):
    """UN for “United Nations”: two to six capitals."""


@declare("form", "inside")
class AsInside(_PartForm):
    """The truth is among the words of the answer."""


@declare("form", "inside_words")
class AsInsideWords(_PartForm):
    """The truth is among the words of the answer, numbers in words as digits."""


@declare("form", "inside_spacing")
class AsInsideSpacing(_PartForm):
    """The truth is among the words of the answer, one blank more or less."""


@declare("form", "inside_date")
class AsInsideDate(_PartForm):
    """The day of the truth is named in the answer."""


@declare("form", "inside_initials")
class AsInsideInitials(_PartForm):
    """The name of the truth is in the answer, with initials or fewer forenames."""


@declare("form", "inside_plural")
class AsInsidePlural(_PartForm):
    """The truth is among the words of the answer, in the singular or plural."""


@declare("form", "part_of_truth")
class AsPartOfTruth(_PartForm):
    """The answer is part of the truth, at least half of its words; listed only."""

    counts: ClassVar[bool] = False

    def same(self, answer: str, truth: str) -> bool:
        """Whether the answer is such a part."""
        return part_of_truth(answer, truth)


@declare("form", "elsewhere")
class AsElsewhere(_PartForm):
    """The truth is in the last line of the text, which no reading extracted; listed only."""

    counts: ClassVar[bool] = False

    def same(self, answer: str, truth: str) -> bool:
        """Whether the truth is in the last line."""
        return elsewhere(answer, truth)


@declare("form", "other_script")
class AsOtherScript(_PartForm):
    """The answer has letters, and none in a script of the truth; listed only."""

    counts: ClassVar[bool] = False

    def same(self, answer: str, truth: str) -> bool:
        """Whether no script is common to both."""
        return other_script(answer, truth)


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


@declare("form", "latex")
class AsLatex:
    r"""LaTeX in another spelling: \left, \dfrac, \text, spaces, “x =”, degrees or % at the end, trailing zeros."""

    kinds: ClassVar[tuple[str, ...]] = ("latex",)
    counts: ClassVar[bool] = True

    def value(self, text: str) -> str | None:
        """The formula in one spelling."""
        return plain_latex(text)
