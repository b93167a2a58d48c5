"""Names, acronyms, dates and times of day that two texts write differently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .words import modern, unmarked

Date = tuple[int | None, int, int | None]

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_MONTH = {**_MONTHS, **{name[:3]: number for name, number in _MONTHS.items()}, "sept": 9}
_ISO = re.compile(r"\W*(\d{4})-(\d{1,2})-(\d{1,2})\W*")
_YEAR = re.compile(r"\b(?:1\d|20)\d{2}\b")
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")
_DAY_OF_MONTH = r"\d{1,2}(?!\d)(?:st|nd|rd|th)?"
_DATES = re.compile(
    rf"(?:{_DAY_OF_MONTH}\s+(?:of\s+)?)?(?:{'|'.join(_MONTHS)})\.?(?:\s+{_DAY_OF_MONTH})?(?:,?\s+\d{{4}})?"
)
_CLOCK = re.compile(r"\W*(\d{1,2})(?::(\d{2}))?\s*([ap])\.?\s?m\.?\W*")
_HOURS = re.compile(r"\W*(\d{1,2}):(\d{2})\W*")

_TITLES = "mr mrs ms dr sir king queen saint st president lord captain prince princess professor prof jr sr"
_SMALL = "of and in at for on to by with the"
_LAST_FIRST = re.compile(r"\s*([^,\d]+),\s*([^,\d]+)\s*")
_CAPITALS = re.compile(r"(?:[A-Z][\w.'’-]*\s+){1,4}[A-Z][\w'’-]+")
MOST_NAMES = 5


@lru_cache(maxsize=4_096)
def date_of(text: str) -> Date | None:
    """Year, month and day of a text that names one day or month, the month in letters or all of it as in ISO 8601."""
    text = modern(text).casefold()
    iso = _ISO.fullmatch(text)
    if iso:
        return int(iso[1]), int(iso[2]), int(iso[3])
    months = [_MONTH[word] for word in re.findall(r"[a-z]+", text) if word in _MONTH]
    if len(months) != 1:
        return None
    years = _YEAR.findall(text)
    days = [day for day in map(int, _DAY.findall(text)) if 1 <= day <= 31]
    if len(years) > 1 or len(days) > 1:
        return None
    return int(years[0]) if years else None, months[0], days[0] if days else None


def holds_date(text: str, date: Date | None) -> bool:
    """Whether a text names this day, of a month in letters."""
    if date is None or date[2] is None:
        return False
    return any(date_of(match[0]) == date for match in _DATES.finditer(text.casefold()))


def clock_of(text: str) -> tuple[int, int] | None:
    """Hours and minutes of a text that is nothing but a time of day."""
    text = text.strip().casefold()
    match = _CLOCK.fullmatch(text)
    if match:
        return int(match[1]) % 12 + 12 * (match[3] == "p"), int(match[2] or 0)
    match = _HOURS.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None


def same_name(one: str, other: str) -> bool:
    """Whether two names are of one person: equal last names, and forenames or their initials in the same order."""
    if re.search(r"[&\d]", one + other) or not (re.search("[A-Z]", one) and re.search("[A-Z]", other)):
        return False
    (*forenames, last), (*others, other_last) = _names(one) or ("",), _names(other) or ("",)
    if last != other_last or len(last) < 3 or not (0 < len(forenames) < MOST_NAMES and 0 < len(others) < MOST_NAMES):
        return False
    words = {*forenames, *others, last}
    if words.intersection(_SMALL.split()) or words & _MONTH.keys():
        return False
    few, many = sorted((forenames, others), key=len)
    return _same_forename(few[0], many[0]) and _in_order(few, many)


def _in_order(few: list[str], many: list[str]) -> bool:
    left = iter(many)
    return all(any(_same_forename(name, other) for other in left) for name in few)


def _same_forename(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


@lru_cache(maxsize=4_096)
def _names(text: str) -> tuple[str, ...]:
    """The words of a name without titles, the forenames first."""
    text = modern(text)
    match = _LAST_FIRST.fullmatch(text)
    plain = unmarked(f"{match[2]} {match[1]}" if match else text).casefold()
    return tuple(word for word in re.findall(r"[a-z0-9']+", plain) if word not in _TITLES.split())


def holds_name(text: str, name: str) -> bool:
    """Whether words of a text that begin with capitals are another writing of a name."""
    text, names = modern(text), _names(name)
    if not names or names[-1] not in unmarked(text).casefold():
        return False
    return any(same_name(part, name) for part in _capitalised(text))


def _capitalised(text: str) -> Iterator[str]:
    for run in _CAPITALS.findall(text):
        words = run.split()
        for start in range(len(words)):
            for end in range(start + 2, len(words) + 1):
                yield " ".join(words[start:end])


def same_acronym(one: str, other: str) -> bool:
    """Whether one of two texts is the acronym of the other."""
    return _is_acronym(one, other) or _is_acronym(other, one)


def _is_acronym(short: str, long: str) -> bool:
    letters = re.sub(r"[.\s]", "", modern(short).strip())
    words = re.findall(r"[A-Za-z]+", long)
    if not (2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper() and len(words) >= 2):
        return False
    large = [word for word in words if word.casefold() not in _SMALL.split()]
    return letters in ("".join(word[0] for word in of).upper() for of in (words, large))
