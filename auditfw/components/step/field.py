"""Steps that the rules of other evaluation programs need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

from auditfw.core.errors import UsageError
from auditfw.formulas.texts.finders import FILLED, Find, KeptPart, searcher
from auditfw.formulas.texts.inspect_numbers import option_names, option_positions
from auditfw.formulas.texts.pattern_bounds import compiled
from auditfw.formulas.texts.patterns import as_re, replace, search
from auditfw.kinds.registry import declare


@declare("step", "placeholder")
class Placeholder:
    """Replaces an empty text with a placeholder, so that two empty texts are equal."""

    text: str = "[nothing]"

    def __post_init__(self) -> None:
        if not self.text:
            raise UsageError("text", "expected a text", "''", 'write for example "[nothing]"')

    def __call__(self, text: str) -> str:
        return text or self.text


# Inspect's patterns, written so that blanks and letters are divided in one way: theirs take the third power of their
# number. After the colon come blanks and the option; where that fails, one of the blanks is the option.
_OTHER_BLANKS = r"[\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_OPTION = r"[A-Za-z\d ,]"
_LINE = as_re(rf"(?im)^ANSWER\s*:\s*((?!\s){_OPTION}+(?!{_OPTION})\s*| {_OTHER_BLANKS}*)(?:$|\.)")
_LOOSE = as_re(rf"(?i)ANSWER\s*:\s*((?!\s){_OPTION}+| )(?:\W|$)")
_MARKED = rf"\s*([A-Za-z\d](?:{_OPTION}*[A-Za-z\d,])?)\s*"
_MARKS = (
    (as_re(rf"\x24{_MARKED}\x24"), r"\1"),
    (as_re(rf"\*\*{_MARKED}\*\*"), r"\1"),
    (as_re(r"(?i)(^|[:,])(\s*)\(([A-Za-z\d])\)(?=\s*(?:,|\.|\n|\Z))"), r"\1\2\3"),
)


@declare("step", "inspect_choice")
class MarkedChoice:
    """Keeps the option after "ANSWER:" as the solver multiple_choice of Inspect AI reads it; "" if there is none.

    A line that begins with "ANSWER:" is preferred to any other; the `last` one counts, in any case, without Markdown,
    LaTeX and brackets. With `which: first` the first one counts as it is written, which was Inspect's earlier rule.
    Anything that is not one of the first `options` options (A to Z, then 1, 2 ...) is no answer. With `several`, more
    than one may be given. Without `marks` Markdown, LaTeX and brackets stay, as until 0.3.263; stray commas are
    `dropped`, between `several` alone (0.3.259), or are `kept`, as until 0.3.258.

    Source: `parse_answers` of inspect_ai/solver/_multiple_choice.py (github.com/UKGovernmentBEIS/inspect_ai, commit
    499e615; the first one: release 0.3.130).
    """

    family: ClassVar[str] = "announced_letter"

    several: bool = False
    options: int = 26
    which: Literal["last", "first"] = "last"
    marks: bool = True
    commas: Literal["dropped", "several", "kept"] = "dropped"
    deadline: float = 1.0

    def __post_init__(self) -> None:
        for setting in ("options", "deadline"):
            if getattr(self, setting) <= 0:
                raise UsageError(setting, "expected a number above 0", getattr(self, setting))

    def __call__(self, text: str) -> str:
        for pattern, by in self._marks:
            text = replace(pattern, by, text, self.deadline)
        number = -1 if self.which == "last" else 0
        match = search(_LINE, text, number, self.deadline) or search(_LOOSE, text, number, self.deadline)
        return self._chosen(match[1] if match else "")

    @property
    def fast(self) -> Find:
        marks = [(searcher(one, deadline=self.deadline), one, by) for one, by in self._marks]
        kept = KeptPart(-1 if self.which == "last" else 0, 1)
        line, loose = (searcher(one, kept, deadline=self.deadline) for one in (_LINE, _LOOSE))

        def chosen(text: str) -> str:
            for found, pattern, by in marks:
                if found(text):
                    text = replace(pattern, by, text, self.deadline)
            return self._chosen(line(text) or loose(text))

        return chosen

    def _chosen(self, announced: str) -> str:
        announced = announced.strip()
        chosen = self._several(announced) if self.several else self._single(announced)
        return ", ".join(sorted(chosen, key=option_positions))

    def _single(self, announced: str) -> Sequence[str]:
        parts = [announced]
        if self.which == "last":
            dropped = self.commas == "dropped"
            parts = [part for part in announced.upper().split(",") if part] if dropped else [announced.upper()]
        return parts if len(parts) == 1 and parts[0] in self._names else []

    def _several(self, announced: str) -> Sequence[str]:
        if self.which == "last":
            joined = announced.upper().replace(" AND ", ",").replace(" ", "")
            parts = {part for part in joined.split(",") if part or self.commas == "kept"}
        else:
            joined = announced.replace(" and ", "").replace(" ", "")
            parts = set(joined.split(","))
        return next((sorted(each) for each in (parts, set(joined)) if each <= self._names), [])

    @property
    def _marks(self) -> Sequence[tuple[str, str]]:
        """What marks an option, and what is left of it."""
        return _MARKS if self.marks and self.which == "last" else ()

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(option_names(self.options))


# Inspect's patterns of an answer, divided in one way as those above; the second group of a line is a blank.
_ANNOUNCING = r"ANSWER\s*:\s*"
_NO_OTHER = r"(?!(?s:.*?)ANSWER\s*:)"
_LINE_BLANK = r"[\t\x0b-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_ANSWERS = {
    "letter": as_re(rf"{_ANNOUNCING}([A-Za-z])(?:\W|$){_NO_OTHER}"),
    "word": as_re(rf"{_ANNOUNCING}(\S+?)(?=[.,;:!?]?\s*(?:\n|$)){_NO_OTHER}"),
    "line": as_re(rf"{_ANNOUNCING}(?:((?!\s)[^\n]+)(?:\n\s*)?|({_LINE_BLANK})\n*)\Z"),
}
MOST_STEPS = 1_000_000  # colons times characters: so few announcements can be tried one after another


@declare("step", "inspect_answer")
class AnnouncedAnswer:
    """Keeps the letter, the word or the line after the last "ANSWER:" as the scorer answer of Inspect AI does.

    Nothing may follow the line; the word ends a line, and a final sign is dropped. "" if there is none.

    Source: ANSWER_PATTERN_LETTER, ANSWER_PATTERN_WORD and ANSWER_PATTERN_LINE of inspect_ai/_util/pattern.py, `pattern`
    of inspect_ai/scorer/_pattern.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    form: Literal["letter", "word", "line"]
    deadline: float = 1.0

    def __post_init__(self) -> None:
        if self.deadline <= 0:
            raise UsageError("deadline", "expected a number above 0", self.deadline)

    def __call__(self, text: str) -> str:
        pattern = rf"(?i)\A{_ANSWERS[self.form]}"
        for start in self._starts(text):
            match = search(pattern, text[start:], 0, self.deadline)
            if match is not None:
                return next(filter(None, match.groups()), "")
        return ""

    @property
    def family(self) -> str:
        """How it finds the answer."""
        return "announced_letter" if self.form == "letter" else "announced"

    @property
    def fast(self) -> Find:
        find = searcher(f"(?i){_ANSWERS[self.form]}", KeptPart(0, FILLED), deadline=self.deadline)
        return lambda text: find(text) if text.count(":") * len(text) <= MOST_STEPS else self(text)

    def _starts(self, text: str) -> Sequence[int]:
        """Where a match may begin: the announcements are tried of which others do not say that they fail.

        A letter is after the last one. So is a word, but for one that holds the last announcement: of such the first is
        tried, as all end where it does. A line is the last that is not blank, and the first one before it is tried.
        """
        places = [match.span() for match in compiled(f"(?i){_ANNOUNCING}", "re").finditer(text)]
        if not places or self.form == "letter":
            return [start for start, _ in places[-1:]]
        if self.form == "line":
            least = text.rstrip().rfind("\n") + 1
        else:
            least = places[-1][0]
            while least > 0 and not text[least - 1].isspace():
                least -= 1
        first = [start for start, end in places if end >= least][:1]
        return first if self.form == "line" else [*first, places[-1][0]]
