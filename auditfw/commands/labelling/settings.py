"""What can be set of `auditfw label`: read from its words, each number within its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from auditfw.audits.adjudication.draw_files import FIRST
from auditfw.config.choices import parsed
from auditfw.core.errors import UsageError, nearest

HTML, CSV, STUDIO = FORMATS = ("html", "csv", "label_studio")
LEAST_LABELS, MOST_LABELS, MOST_PEOPLE = 10, 20_000, 20
LEAST_CHARACTERS, MOST_CHARACTERS = 100, 10_000_000
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class LabelSettings:
    """How many new labels, within which cells, by which readings, for how many people, in which files.

    None stands for what the run, or the draw so far, has.
    """

    n: int = 150
    by: tuple[str, ...] | None = None
    readings: tuple[str, ...] | None = None
    people: int = 1
    overlap: int = 0
    format: tuple[str, ...] = (HTML,)
    show: tuple[str, ...] = ()
    max_chars: int = 20_000
    name: str = FIRST
    out: str | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, least, most in (
            ("n", LEAST_LABELS, MOST_LABELS),
            ("people", 1, min(MOST_PEOPLE, self.n)),
            ("overlap", 0, self.n // 2 if self.people > 1 else 0),
            ("max_chars", LEAST_CHARACTERS, MOST_CHARACTERS),
            ("seed", 0, LARGEST_SEED),
        ):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                only = " for one person" if name == "overlap" and self.people == 1 else ""
                raise UsageError(name, f"expected a whole number from {least} to {most:,}{only}", value)
        for form in self.format:
            if form not in FORMATS:
                raise UsageError("format", f"no format '{form}'", None, nearest(form, FORMATS))
        if not self.format:
            raise UsageError("format", "is empty", None, f"write some of {', '.join(FORMATS)}")
        if self.show and HTML not in self.format:
            raise UsageError("show", "is for the page alone", ", ".join(self.show), f"add {HTML} to format=[...]")
        if self.out is not None and self.name != FIRST:
            raise UsageError("name", "names a folder of the run, and out= another one", self.name, "write one of both")

    @property
    def place(self) -> str:
        """The draw as `draw_files` names it: a name, or the path of a folder."""
        if self.out is None:
            return self.name
        return self.out if "/" in self.out else f"./{self.out}"


SETTINGS = tuple(one.name for one in fields(LabelSettings))
NUMBERS = ("n", "people", "overlap", "max_chars", "seed")
LISTS = ("by", "readings", "format", "show")


def read_settings(words: Sequence[str]) -> LabelSettings:
    """The settings that words of a command write. Raises UsageError."""
    values: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in SETTINGS:
            raise UsageError(name, "unknown setting", text or None, nearest(name, SETTINGS))
        if name in NUMBERS:
            values[name] = _number(name, text)
        elif name in LISTS:
            values[name] = _names(word)
        elif not text:
            raise UsageError(name, "is empty", None, f"write {name}=NAME, or leave it out")
        else:
            values[name] = text
    return LabelSettings(**values)


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise UsageError(name, "expected a whole number", text)
    return int(text)


def _names(word: str) -> tuple[str, ...]:
    """A name, or a list of them in brackets, each once."""
    [one] = parsed([word])
    value = one.value()
    names = value if isinstance(value, list) else [] if value is None else [value]
    if one.is_sweep_override() or not all(isinstance(name, str | int | float) for name in names):
        raise UsageError(one.key_or_group, "expected names", word.partition("=")[2], "write them as [a,b]")
    return tuple(dict.fromkeys(map(str, names)))
