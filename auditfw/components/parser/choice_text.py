"""The parser of answers that repeat the text of an option."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal

from auditfw.formulas.texts.inspect_numbers import option_names
from auditfw.kinds.registry import declare
from auditfw.kinds.text import beside

CHOICES = "choices"


@declare("parser", "choice_text")
class ChoiceText:
    """Keeps the letter of the option whose text occurs in the answer, in any case; of several the last and longest.

    The column `choices` holds the options: a list of texts in the order of their letters (A to Z, then 1, 2 …), or a
    JSON list. An option must not be part of a longer word or number. `gives: text` keeps the text of the option
    instead.
    """

    needs: ClassVar[tuple[str, ...]] = (CHOICES,)
    family: ClassVar[str] = "last_letter"

    gives: Literal["letter", "text"] = "letter"
    column: Literal["raw_text", "parsed_text"] = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        options = options_of(beside(text).get(CHOICES))
        words = _words(str(text)) if text else ""
        ends = [(*_last(words, _words(option)), -i) for i, option in enumerate(options)]
        end, _, place = max(ends, default=(-1, 0, 0))
        if end < 0:
            return ""
        return options[-place] if self.gives == "text" else option_names(len(options))[-place]


def options_of(value: Any) -> Sequence[str]:
    """The texts of the options in a column: a list, one written as JSON, or an object with the list `text`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
    if isinstance(value, Mapping):
        value = value.get("text")
    return [str(option) for option in value] if isinstance(value, list | tuple) else ()


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _last(words: str, option: str) -> tuple[int, int]:
    """Where an option occurs for the last time, as its end and its length; -1 where it does not."""
    edges = r"(?<!\w)" * option[:1].isalnum(), r"(?!\w)" * option[-1:].isalnum()
    places = [match.end() for match in re.finditer(re.escape(option).join(edges), words)] if option else []
    return (places[-1] if places else -1, len(option))
