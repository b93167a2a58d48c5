"""Matchers of options: the letters, as we read them and as Inspect AI does."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.records import Refusal
from auditfw.formulas.texts.finders import quick_option_letter
from auditfw.formulas.texts.inspect_numbers import option_positions, options_named
from auditfw.formulas.texts.options import ALPHABET, OPTIONS, option_beyond, option_letter
from auditfw.kinds.registry import declare


@declare("matcher", "choice")
class Choice:
    """Compares the letters of the chosen options; a truth that names none, or one beyond `letters`, is not scored."""

    family: ClassVar[str] = "equality"

    letters: str = OPTIONS

    def __post_init__(self) -> None:
        if not (self.letters.isascii() and self.letters.isalpha()):
            raise UsageError(
                "letters", "expected the letters of the options", repr(self.letters), "write letters: ABCDE"
            )

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted, _ = _wanted(truth, self.letters)
        return quick_option_letter(self.letters)(answer) == wanted if wanted else None

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that names no option, or one beyond `letters`; None otherwise."""
        wanted, beyond = _wanted(truth, self.letters)
        if wanted:
            return None
        if not beyond:
            return Refusal("name no option")
        why = f"name an option beyond audit.matcher.letters={self.letters}"
        return Refusal(why, "letters", _with(self.letters.upper(), beyond))


@lru_cache(maxsize=65536)
def _wanted(truth: str, letters: str) -> tuple[str, str]:
    """The option that a truth names, or that beyond the letters."""
    beyond = option_beyond(truth, letters)
    return ("", beyond) if beyond else (option_letter(truth, letters), "")


def _with(letters: str, letter: str) -> str:
    """The letters, and those up to another one where they are the first of the alphabet."""
    first = ALPHABET[: ALPHABET.index(letter) + 1]
    return first if ALPHABET.startswith(letters) else "".join(sorted({*letters, letter}))


@declare("matcher", "inspect_choice")
class InspectChoice:
    """Accepts what the scorer choice of Inspect AI accepts: exactly the options of the target, such as "B" or "A, C".

    Use it with the parser inspect_choice. All options of one truth must be chosen. If there are several truths, any may
    match, so write a target that is a list of options as one text.

    Source: `choice` of inspect_ai/scorer/_choice.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    family: ClassVar[str] = "equality"

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted = _options_wanted(truth)
        if not wanted:
            return None
        return options_named(answer) == len(wanted) and _named(answer) == wanted

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that names something else than options, None otherwise."""
        return None if _options_wanted(truth) else Refusal("name no option of a multiple-choice question")


def _named(text: str) -> list[int] | None:
    try:
        return option_positions(text)
    except ValueError:
        return None


_options_wanted = lru_cache(maxsize=4096)(_named)  # of truths, which come again
