"""What is looked for in texts: markers and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

THINK_END = "</think>"
ROLE_MARKERS = ("user:", "assistant:", "system:", "\nuser", "\nassistant", "\nsystem")
BLOCK_MARKERS = ("passage:", "question:", "article:", "movie title:", "movie plot:")
REFUSALS = ("i can't", "i cannot", "sorry", "i'm unable", "i am unable", "as an ai")


class MarkerScan:
    """Looks for markers in lower-cased text, by one search for each sign that markers depend on.

    A marker whose last character is a sign it holds only once ("user:") is looked for at each such sign; one that
    begins with a sign ("\\nuser") at each such beginning; any other one by itself.
    """

    def __init__(self, markers: Sequence[str]) -> None:
        self.markers = tuple(markers)
        ends: dict[str, list[str]] = {}
        starts: dict[str, list[str]] = {}
        alone: list[str] = []
        for marker in self.markers:
            if marker and _sign(marker[-1]) and marker.count(marker[-1]) == 1:
                ends.setdefault(marker[-1], []).append(marker)
            elif marker and _sign(marker[0]):
                starts.setdefault(marker[0], []).append(marker)
            else:
                alone.append(marker)
        self._ends = [(_ending(sign, group), tuple(group)) for sign, group in ends.items()]
        self._starts = [_starting(sign, group) for sign, group in starts.items()]
        self._alone = tuple(alone)
        self._searches = [ending.search for ending, _ in self._ends] + [starting.search for starting in self._starts]

    def first(self, low: str) -> int:
        """The earliest of the markers' first occurrences, each counted only if it is past position 0; else -1."""
        if not self.present(low):
            return -1
        if low.startswith(self.markers):
            # A marker at position 0 hides its own later occurrences, so each must be looked at by itself.
            return min((at for at in map(low.find, self.markers) if at > 0), default=-1)
        return min(self._found(low), default=-1)

    def present(self, low: str) -> bool:
        """Is any marker anywhere in the text, position 0 included?"""
        for search in self._searches:
            if search(low) is not None:
                return True
        return any(marker in low for marker in self._alone) if self._alone else False

    def _found(self, low: str) -> Iterator[int]:
        """Positions of markers, the earliest of all among them."""
        for ending, markers in self._ends:
            if match := ending.search(low):
                # Of two markers that end at one sign the longer one begins earlier.
                yield match.end() - max(len(marker) for marker in markers if low.endswith(marker, 0, match.end()))
        for starting in self._starts:
            if match := starting.search(low):
                yield match.start()
        for marker in self._alone:
            at = low.find(marker)
            if at >= 0:
                yield at


def _sign(character: str) -> bool:
    return not character.isalnum() and character != " "


def _ending(sign: str, markers: Sequence[str]) -> re.Pattern[str]:
    """The sign comes first, so that it can be searched for; then the one letter before it is looked at, then all."""
    before = "".join(re.escape(marker[-2]) for marker in markers if len(marker) > 1)
    quick = f"(?<=[{before}]{re.escape(sign)})" if all(len(marker) > 1 for marker in markers) else ""
    return re.compile(re.escape(sign) + quick + f"(?:{'|'.join(f'(?<={re.escape(marker)})' for marker in markers)})")


def _starting(sign: str, markers: Sequence[str]) -> re.Pattern[str]:
    return re.compile(f"{re.escape(sign)}(?:{'|'.join(re.escape(marker[1:]) for marker in markers)})")


# A minus sign counts wherever it touches the number, after a digit too ("10-5" holds 10 and -5): so read the field's
# own parsers. Commas count only between groups of three digits. An exponent has at most three digits.
_WHOLE = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
_EXPONENT = r"(?:[eE][-−+]?[0-9]{1,3}(?![0-9]))?"
_DIGITS = rf"(?:{_WHOLE}|(?<![\w.])\.[0-9]+){_EXPONENT}"
_MENTIONED = re.compile(rf"[-−]?\$?{_WHOLE}{_EXPONENT}")
_BEYOND = re.compile(r"[eE][-−+]?[0-9]")
NUMBER = re.compile(rf"[-−]?\$?{_DIGITS}")
_OVER = re.compile(rf"\s*/\s*\$?({_DIGITS})")
_FRAC = re.compile(r"\\[dt]?frac\s*\{\s*([-−]?[0-9.,]+)\s*\}\s*\{\s*([0-9.,]+)\s*\}")
_DROPPED = str.maketrans({"−": "-", ",": None, "$": None})


# What begins a further turn in the languages of common benchmarks, with a number or a title before the colon.
_TURN = re.compile(
    r"(?im)^[ \t#*>]*(?:(?:question|q|problem|exercise|human|user|passage|instruction|frage|aufgabe|pregunta|problema"
    r"|domanda|вопрос|задача|swali|prob[lè]me|questão)(?:[ \t]*\d{1,4})?[ \t*]*[:：]"
    r"|(?:问题|問題|题目|題目|問|问|질문|문제|প্রশ্ন|ప్రశ్న|โจทย์|คำถาม|प्रश्न|سؤال|السؤال)(?:[ \t]*\d{1,4})?[ \t*]*[:：])"
    r"|<\|(?:im_start|start_header_id|user|human)\b"
)


def run_on(text: str) -> int | None:
    """Where a further turn begins in a text; None where none does. One that it begins with is its own."""
    for match in _TURN.finditer(text):
        if text[: match.start()].strip():
            return match.start()
    return None


def mentioned(text: str) -> Iterator[Decimal]:
    """All numbers of a text, read as loosely as can be: the digits of .5 count as a 5."""
    return (_decimal(match[0]) for match in _MENTIONED.finditer(text))


def last_number(text: str) -> str:
    """The last number of a text as it is written, or ""; looked for from the end.

    Every digit belongs to a number, and no number reaches beyond the characters that numbers are made of: so the last
    number is the last one in the run of such characters around the last digit.
    """
    at = end = max(map(text.rfind, "0123456789")) + 1
    while at > 0 and text[at - 1] in "0123456789.,$-−+eE":
        at -= 1
    last = ""
    for match in NUMBER.finditer(text, at, end + 1):
        last = match[0]
    return last


def first_value(text: str) -> Decimal | None:
    """The first number or fraction of a text; None without one, divided by zero, or with an exponent of four digits."""
    text = _FRAC.sub(r"\1/\2", text)
    match = NUMBER.search(text)
    if match is None or _BEYOND.match(text, match.end()):
        return None
    value = _decimal(match[0])
    over = _OVER.match(text, match.end())
    if over is None:
        return value
    divisor = _decimal(over[1])
    return value / divisor if divisor else None


def canonical(value: Decimal) -> str:
    """A number in its one plain spelling: "18.00" is "18", "-0" is "0"."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _decimal(text: str) -> Decimal:
    return Decimal(text.translate(_DROPPED))


_refusals = MarkerScan(REFUSALS)


def has_marker(text: object, markers: tuple[str, ...]) -> bool:
    """Whether a text holds any of the (lower-case) markers anywhere, ignoring case. Falsy: no."""
    return bool(text) and MarkerScan(markers).present(str(text).lower())


def has_think_end(text: object) -> bool:
    """Whether a text holds the think delimiter, ignoring case. Falsy: no."""
    return has_marker(text, (THINK_END,))


def is_refusal(text: object) -> bool:
    """Whether a completion holds one of six refusal phrases, ignoring case; straight apostrophes only."""
    return bool(text) and _refusals.present(str(text).lower())
