"""Forms of numbers: one number of the answer, written in another way."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from auditfw.formulas.forms.numbers import number_form, numbers_of
from auditfw.formulas.forms.texts import form_name, text_form
from auditfw.kinds.registry import declare


class _NumberForm:
    """A form of numbers: two of them are the same if they differ in nothing but this way of writing."""

    kinds: ClassVar[tuple[str, ...]] = ("number", "text")
    counts: ClassVar[bool] = True

    def value(self, text: str) -> Fraction | None:
        """The only number of a text."""
        values = {number.value for number in numbers_of(text).numbers}
        return values.pop() if len(values) == 1 else None

    def same(self, answer: str, truth: str) -> bool:
        """Whether the numbers differ by this form alone."""
        return number_form(answer, truth) in ("equal", form_name(type(self)))


class _NumberOrTextForm(_NumberForm):
    """A form of numbers, and of words beside it."""

    def same(self, answer: str, truth: str) -> bool:
        """Whether the numbers, or the texts, differ by this form alone."""
        return super().same(answer, truth) or text_form(answer, truth) in ("equal", form_name(type(self)))


@declare("form", "equal")
class AsEqual(_NumberOrTextForm):
    """The same number, spelled alike: readings compared the texts."""


@declare("form", "last")
class AsLast(_NumberForm):
    """Several numbers, the last one announced: after =, :, is, equals, total, boxed{ or ####."""


@declare("form", "currency")
class AsCurrency(_NumberForm):
    """$18 for 18."""


@declare("form", "thousands")
class AsThousands(_NumberForm):
    """2,664, 2 664 or 2'664 for 2664: groups of three."""


@declare("form", "decimal_comma")
class AsDecimalComma(_NumberForm):
    """3,14 for 3.14, and 1.234,5 for 1234.5."""


@declare("form", "zeros")
class AsZeros(_NumberForm):
    """2.00 for 2."""


@declare("form", "unit")
class AsUnit(_NumberForm):
    """18 dollars or 5km for the number alone: letters after it."""


@declare("form", "percent")
class AsPercent(_NumberForm):
    """8% for 8."""


@declare("form", "percent_fraction")
class AsPercentFraction(_NumberForm):
    """75% for 0.75."""


@declare("form", "exponent")
class AsExponent(_NumberForm):
    """1.5e3 or 1.5×10³ for 1500."""


@declare("form", "scale")
class AsScale(_NumberForm):
    """3 million, 2.5M or 3k for the whole number."""


@declare("form", "fraction")
class AsFraction(_NumberForm):
    r"""3/4, ½, 1 1/2 or \frac34 for the decimal number."""


@declare("form", "words")
class AsWords(_NumberOrTextForm):
    """A number in words: two hundred and five; of texts also an ordinal: third for 3rd."""


@declare("form", "unicode")
class AsUnicode(_NumberOrTextForm):
    """Digits of other scripts, another minus; of texts composed characters, plain quotes and dashes."""


@declare("form", "float_noise")
class AsFloatNoise(_NumberForm):
    """Numbers of seven digits or more that differ by at most a millionth of the truth."""


@declare("form", "rounding")
class AsRounding(_NumberForm):
    """The truth rounded, or the reverse, to three digits or more; listed only."""

    counts: ClassVar[bool] = False


@declare("form", "rounding_coarse")
class AsRoundingCoarse(_NumberForm):
    """The truth rounded, or the reverse, to one or two digits; listed only."""

    counts: ClassVar[bool] = False


@declare("form", "comma")
class AsComma(_NumberForm):
    """1,234 for 1.234; listed only."""

    counts: ClassVar[bool] = False


@declare("form", "last_loose")
class AsLastLoose(_NumberForm):
    """Several numbers, the last one not announced; listed only."""

    counts: ClassVar[bool] = False
