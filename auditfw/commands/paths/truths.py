"""The readings that are proposed for a table or a log, by what its truths are, and what answers look like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from auditfw.audits.parsing.engine.default_readings import DEFAULTS
from auditfw.audits.parsing.trials import SUSPECT
from auditfw.components.parser.options import bare, options_of
from auditfw.formulas.texts.options import OPTIONS, announced_option
from auditfw.formulas.texts.truth_kinds import SHARE, common_kind, kind_of, kinds_of, kinds_sentence

LETTERS = ("none", "choice")  # normalizer and matcher of truths such as (A): equality with a bare letter is never met
ENDS = {"letter": ("casefold", "exact"), "number": ("none", "numeric"), "text": ("v1", "containment")}  # of logs
_MARKED = re.compile(r"\([A-Ja-j]\)?\.?|[A-Ja-j][).]\.?")
_SOLVED = re.compile(r"(?:####|answer is:?)\s*[-$]?[\d,.]*\d\D{0,2}\Z", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*\{")
_NUMBERED = re.compile(r"\d")
_LETTER = re.compile(r"\(?[A-Ja-j]\)?\.?|[A-J](?:, ?[A-J])+")
_ALONE = re.compile(r"[\W_]*[A-Ja-j][\W_]*")
_INDEX = re.compile(r"\d(?:\.0+)?")


@dataclass(frozen=True)
class Truths:
    """The truths of the first rows, beside them the answers and the options where these are known."""

    values: Sequence[Any]
    answers: Sequence[Any] = ()
    choices: Sequence[Any] = ()

    @cached_property
    def texts(self) -> list[str]:
        """All truths that are neither empty nor a word for none, as texts; a row may have several."""
        several = (truth if isinstance(truth, list) else [truth] for truth in self.values)
        texts = [text for one in several for each in one if each is not None and (text := str(each).strip())]
        return [text for text in texts if text not in SUSPECT] or texts

    def _are(self, test: Any) -> bool:
        return bool(self.texts) and sum(map(bool, map(test, self.texts))) >= SHARE * len(self.texts)

    @cached_property
    def truth_words(self) -> list[str]:
        """The words that take what answers hold out of the truths, where these are written in another way."""
        if self._are(_INDEX.fullmatch) and self._letters:
            return ["audit.truth=letter_of_index"]
        if self._are_options and self._letters:
            return ["audit.truth=letter_of_option"]
        if not self._are(lambda text: kind_of(text) in ("text", "long", "latex", "code")):
            return []
        if self._are(_SOLVED.search):
            return ["audit.truth=last_number"]
        return ["audit.truth=boxed"] if self._are(_BOXED.search) else []

    @property
    def _letters(self) -> bool:
        """Whether almost all answers name the letter of an option, and nothing else."""
        texts = [str(text) for text in self.answers if text]
        return bool(texts) and sum(map(_names_letter, texts)) >= SHARE * len(texts)

    @property
    def _are_options(self) -> bool:
        """Whether almost all truths are the text of one of the options."""
        rows = [(bare(str(truth)), options_of(own)) for truth, own in zip(self.values, self.choices, strict=False)]
        same = sum(truth != "" and truth in map(bare, options) for truth, options in rows)
        return bool(rows) and not self._are(_LETTER.fullmatch) and same >= SHARE * len(rows)

    @cached_property
    def kind(self) -> str:
        """What kind of answer almost all truths are, once they are taken out of what is stored."""
        taken = dict.fromkeys(("audit.truth=letter_of_index", "audit.truth=letter_of_option"), "letter")
        taken |= {"audit.truth=last_number": "number", "audit.truth=boxed": "latex"}
        if self.truth_words:
            return taken[self.truth_words[0]]
        return "letter" if self._are(_LETTER.fullmatch) else common_kind(kinds_of(self.texts))

    @property
    def kind_of_log(self) -> str:
        """The same as far as the readings of logs tell kinds apart."""
        return self.kind if self.kind in ENDS else "text"

    @property
    def why(self) -> str:
        """`384 of 384 truths are numbers`: the reason for the readings."""
        kinds = kinds_of([str(text) for text in self.texts])
        empty = sum(value in (None, "") for value in self.values)
        sentence = kinds_sentence(kinds | ({"empty": empty} if empty else {}))
        return f"{sentence}, answers letters" if self.truth_words[:1] == ["audit.truth=letter_of_index"] else sentence

    def ends(self, usual: tuple[str, str]) -> tuple[str, str]:
        """The normalizer and the matcher: the usual ones of their kind, unless the truths are letters with marks."""
        marked = self.kind == "letter" and not self.truth_words and any(map(_MARKED.fullmatch, self.texts))
        return LETTERS if marked else usual

    def words(self, stored_text: bool) -> list[str]:
        """The words for the readings that compete, and for what their truths are."""
        parsers, normalizers, matcher = DEFAULTS[self.kind]
        if matcher == "math" and find_spec("math_verify") is None:
            matcher = "forms"
        normalizer, matcher = self.ends((",".join(normalizers), matcher))
        compared = ",".join([*(["stored"] if stored_text else []), *parsers])
        words = [f"parser=[{compared}]", f"normalizer=[{normalizer}]", *f"matcher={matcher}".split()]
        return [*words, *self.truth_words]


def _names_letter(text: str) -> bool:
    return bool(_ALONE.fullmatch(text) or (announced_option(text, OPTIONS) and not _NUMBERED.search(text)))
