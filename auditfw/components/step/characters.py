"""Steps that change characters wherever they occur."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from auditfw.core.errors import UsageError
from auditfw.formulas.lowercase import lowered
from auditfw.kinds.registry import declare

_ASCII = bytes(range(128))
_DIGITS = {sign: str(i) for signs in ("₀₁₂₃₄₅₆₇₈₉", "⁰¹²³⁴⁵⁶⁷⁸⁹") for i, sign in enumerate(signs)}
_DIGITS_TABLE = str.maketrans(_DIGITS)
_BLANK_RUN = re.compile(r"\s+")


def foreign(data: bytes) -> str:
    """The characters of a UTF-8 text that are not ASCII, in order."""
    return data.translate(None, _ASCII).decode("utf-8", "surrogatepass")


@declare("step", "lower")
class Lower:
    """Converts the text to lower case."""

    lowers: ClassVar[bool] = True
    native: ClassVar[tuple[object, ...]] = ("lower",)

    def __call__(self, text: str) -> str:
        return text.lower()

    def fast(self, text: str) -> str:
        return lowered(text)


@declare("step", "upper")
class Upper:
    """Converts the text to upper case."""

    def __call__(self, text: str) -> str:
        return text.upper()


@declare("step", "casefold")
class Casefold:
    """Folds the case of the text, so that ß and SS are equal."""

    native: ClassVar[tuple[object, ...]] = ("casefold",)

    def __call__(self, text: str) -> str:
        return text.casefold()

    def fast(self, text: str) -> str:
        if text.isascii():
            return text.lower()
        data = text.encode("utf-8", "surrogatepass")
        rest = foreign(data)
        if rest != rest.casefold():
            return text.casefold()
        return data.lower().decode("utf-8", "surrogatepass")


@declare("step", "strip")
class Strip:
    """Removes white space at both ends."""

    tidy: ClassVar[str] = "strip"
    native: ClassVar[tuple[object, ...]] = ("strip",)
    fast = staticmethod(str.strip)

    def __call__(self, text: str) -> str:
        return text.strip()


@declare("step", "collapse")
class Collapse:
    """Replaces each run of white space with one space."""

    tidy: ClassVar[str] = "collapse"
    native: ClassVar[tuple[object, ...]] = ("collapse",)

    def __call__(self, text: str) -> str:
        return _BLANK_RUN.sub(" ", text)

    def fast(self, text: str) -> str:
        words = text.split()
        if not words:
            return " " if text else ""
        joined = " ".join(words)
        if text[0].isspace():
            joined = " " + joined
        return joined + " " if text[-1].isspace() else joined


@declare("step", "replace_characters")
class ReplaceCharacters:
    """Replaces each of the given characters with a text, by default a space."""

    characters: str
    by: str = " "

    def __call__(self, text: str) -> str:
        return "".join(self.by if c in self.characters else c for c in text)

    @property
    def blanks(self) -> str | None:
        """The characters where each becomes a blank, else None."""
        return self.characters if self.by == " " else None

    @property
    def native(self) -> tuple[object, ...] | None:
        """The step in the form the native kernel takes; None where it is not."""
        return ("replace", self.characters, self.by) if len(self.by) == 1 and self.by.isascii() else None

    @cached_property
    def _table(self) -> dict[int, str]:
        return str.maketrans(dict.fromkeys(self.characters, self.by))

    @cached_property
    def _bytes(self) -> bytes | None:
        """The table of bytes, where all is ASCII and one character stays one character."""
        if not (self.characters + self.by).isascii() or len(self.by) != 1:
            return None
        return bytes.maketrans(self.characters.encode(), self.by.encode() * len(self.characters))

    def fast(self, text: str) -> str:
        if self._bytes is None:
            return text.translate(self._table)
        return text.encode("utf-8", "surrogatepass").translate(self._bytes).decode("utf-8", "surrogatepass")


@declare("step", "remove_characters")
class RemoveCharacters:
    """Removes the given characters, by default ASCII punctuation."""

    characters: str = string.punctuation

    @property
    def native(self) -> tuple[object, ...]:
        """The step in the form the native kernel takes."""
        return ("remove", self.characters)

    def __call__(self, text: str) -> str:
        return "".join(c for c in text if c not in self.characters)

    def fast(self, text: str) -> str:
        if not self.characters.isascii():
            return text.translate(dict.fromkeys(map(ord, self.characters)))
        data = text.encode("utf-8", "surrogatepass").translate(None, self.characters.encode())
        return data.decode("utf-8", "surrogatepass")


@declare("step", "strip_characters")
class StripCharacters:
    """Removes characters at both ends or at one end: by default white space and ASCII punctuation."""

    characters: str = string.whitespace + string.punctuation
    ends: Literal["both", "start", "end"] = "both"

    def __post_init__(self) -> None:
        if not self.characters:
            raise UsageError("characters", "expected at least one character", "''", 'write for example "*_`"')

    def __call__(self, text: str) -> str:
        if self.ends == "both":
            return text.strip(self.characters)
        return text.lstrip(self.characters) if self.ends == "start" else text.rstrip(self.characters)


@declare("step", "digits")
class Digits:
    """Replaces subscript and superscript digits with plain digits."""

    native: ClassVar[tuple[object, ...]] = ("digits",)

    def __call__(self, text: str) -> str:
        return text.translate(_DIGITS_TABLE)

    def fast(self, text: str) -> str:
        if text.isascii():
            return text
        for sign in [sign for sign in _DIGITS if sign in text]:
            text = text.replace(sign, _DIGITS[sign])
        return text


_DECIMAL = re.compile(r"\d")


@declare("step", "decimal_digits")
class DecimalDigits:
    """Replaces the decimal digits of all scripts with 0 to 9."""

    def __call__(self, text: str) -> str:
        return text if text.isascii() else _DECIMAL.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


@declare("step", "unicode_form")
class UnicodeForm:
    """Converts the text to one of the Unicode normalisation forms."""

    form: Literal["NFC", "NFD", "NFKC", "NFKD"] = "NFC"

    @property
    def native(self) -> tuple[object, ...]:
        """The step in the form the native kernel takes: it asks only about texts beyond ASCII."""
        return ("foreign", self.fast)

    def __call__(self, text: str) -> str:
        return unicodedata.normalize(self.form, text)

    def fast(self, text: str) -> str:
        if text.isascii():
            return text
        changes = _changes(self.form, frozenset(foreign(text.encode("utf-8", "surrogatepass"))))
        if changes is None:
            return unicodedata.normalize(self.form, text)
        for c, form in changes:
            text = text.replace(c, form)
        return text


@lru_cache(maxsize=256)  # a text of a script with many characters has a large set of its own
def _changes(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"], characters: frozenset[str]
) -> tuple[tuple[str, str], ...] | None:
    """Which of these characters the form changes, and to what; None where neighbours might matter to one."""
    forms = [(c, _alone(form, c)) for c in sorted(characters)]
    changes = tuple((c, normal) for c, normal in forms if normal is not None and normal != c)
    return None if any(normal is None for _, normal in forms) else changes


@lru_cache(maxsize=8192)
def _alone(form: Literal["NFC", "NFD", "NFKC", "NFKD"], c: str) -> str | None:
    """The form of a character whose neighbours cannot matter to it, nor it to them; None where they might.

    Such are the Latin letters and the signs whose form holds no combining character: nothing composes with what
    is before it but combining characters, and letters of scripts beyond these blocks.
    """
    normal = unicodedata.normalize(form, c)
    apart = all((x < "\u0300" or "\u2000" <= x < "\u2c00") and not unicodedata.combining(x) for x in c + normal)
    return normal if apart else None
