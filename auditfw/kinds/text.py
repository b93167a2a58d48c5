"""Kinds of component that read text: steps, parsers, normalizers and matchers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Protocol


class TextBeside(str):
    """A text of a trial with values of further columns. Two of them are equal if the texts and the values are."""

    __slots__ = ("_key", "columns")

    columns: Mapping[str, Any]
    _key: str

    def __new__(cls, text: str, columns: Mapping[str, Any]) -> TextBeside:
        made = super().__new__(cls, text)
        made.columns, made._key = columns, repr(list(columns.items()))
        return made

    def __eq__(self, other: object) -> bool:
        same = str.__eq__(self, other)
        return same is True and (not isinstance(other, TextBeside) or self._key == other._key)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[type, tuple[str, Mapping[str, Any]]]:
        return TextBeside, (str(self), self.columns)


def beside(text: object) -> Mapping[str, Any]:
    """The values of the columns that a parser needs beside its text; none where it is called with a plain one."""
    return text.columns if isinstance(text, TextBeside) else {}


def with_columns(texts: Sequence[str | None], columns: Mapping[str, Sequence[Any]]) -> list[str | None]:
    """Texts that bring the values of these columns along, those that are not empty."""
    names = list(columns)
    rows = zip(texts, *columns.values(), strict=True)
    return [TextBeside(text, dict(zip(names, values, strict=True))) if text else text for text, *values in rows]


FAMILIES = (
    "first_number", "last_number", "announced_number", "first_letter", "last_letter", "announced_letter", "first_line",
    "last_line", "announced", "boxed", "json", "tag", "whole", "stored",
)  # fmt: skip


class Step(Protocol):
    """Text to text. `__call__` is its definition; a step may also declare what kind of change it is:

    - `fast(text)`: the same function, quicker; None where its settings allow no quicker one;
    - `cut(text, low)`: the same function, given `low = text.lower()` computed once for all;
    - `blanks`: the characters (a string) of which each becomes one blank, nothing else changes;
    - `tidy`: "collapse" or "strip" for the two white-space steps;
    - `lowers`: True for `str.lower` itself;
    - `native`: the step as the native kernel knows it, a tuple led by its name there;
    - `family`: how it finds an answer, as a parser's; one that only cuts or tidies a text declares none.

    Nothing declared means opaque: it is called, once for each distinct text. What a class inherits of these counts no
    more where it defines `__call__` anew. Beside these `lint()` may give a warning on its settings, None for none.
    """

    def __call__(self, text: str) -> str: ...


class Parser(Protocol):
    """Finds the answer in a completion: falsy gives "", anything else goes through `str()` first.

    `column` is the trial column read ("raw_text" or "parsed_text"); `only_with` is a text without which (ignoring
    case) there is nothing to read, or None. It may also declare

    - `by_steps = True`: it does nothing but its `steps`, so that these can be shared with others; any other is called
      as it is;
    - `steps`: what it is made of;
    - `family`: how it finds the answer, as one of FAMILIES: readings of one family, of parser and matcher, are no
      different rules. A list of steps has that of the last step that has one. Without one it is like no other;
    - `needs`: names of further columns of the trial that it reads, which `beside(text)` gives;
    - `fitted(truths)`: the same parser with what it must know of all truths, where it takes truths from that column;
    - `fast(text)`: the same function of a plain text, quicker;
    - `lint()`: a warning on its settings, None for none.
    """

    column: str
    only_with: str | None

    def __call__(self, text: object) -> str: ...


class Normalizer(Protocol):
    """Makes texts comparable: falsy gives "", anything else goes through `str()` first.

    It may declare `by_steps`, `steps` and `lint()` as a parser may.
    """

    def __call__(self, text: object) -> str: ...


class Matcher(Protocol):
    """Says whether a normalised answer agrees with a normalised, non-empty truth; None where it cannot read the truth.

    Such a trial has no label under this matcher: null, counted as missing, and warned of. It may also declare

    - `refuses(truth)`: None for a truth that it can read, else what is wrong with it, as a `Refusal`; then an empty
      answer has no label either where the truth cannot be read, without it an empty answer is wrong;
    - `needle(truth, blanks)`: a test on un-normalised text that equals the definition; `blanks` is the set of
      characters that, runs together, count as one blank (and are stripped at both ends), or None where the text is
      compared as it stands;
    - `shape(truth, blanks)`: the same test as the native kernel knows it, None where it does not;
    - `compares_empty = True`: a truth that normalises to nothing is compared, too (else its trial is undefined);
    - `slow = True`: comparing takes milliseconds, so that fewer trials are probed (with False a matcher of a user's own
      says that it does not);
    - `negative`: whether it accepts what does *not* have the truth in it: then the probe, which asks whether an answer
      is accepted for another truth, does not apply;
    - `by_rule = True`: it stands for the matcher of each row's own rule in the baseline;
    - `ours = True`: no other program labels by it, so that it is not tried as the rule of stored labels;
    - `family`: how it compares: equality, containment, symbolic or judge.

    What a class inherits of these counts no more where it defines `__call__` anew.
    """

    def __call__(self, answer: str, truth: str) -> bool | None: ...


class Scorer(Protocol):
    """A named rule that labels answers: one parser, one normalizer, one matcher. A reading bears its name.

    It may also declare

    - `inside = True`: its parts are settings of its own, at `audit.scorers.NAME.parser` and so on;
    - `holds`: the versions of a program for which the rule is that program's, as version specifiers by package.
    """

    @property
    def parser(self) -> Parser: ...

    @property
    def normalizer(self) -> Normalizer: ...

    @property
    def matcher(self) -> Matcher: ...


def apply(steps: tuple[Step, ...], text: object) -> str:
    """Sends a value through steps, in order: falsy gives "", anything else goes through `str()` first."""
    if not text:
        return ""
    result = str(text)
    for step in steps:
        result = step(result)
    return result


# Kind of component that knows another way to write a truth.


class Form(Protocol):
    """Says when an answer is the truth in another form.

    `kinds` are the kinds of truths that it is tried on ("number", "text", "latex", "yes_no", "letter", …); `counts`
    says whether an answer that fits counts as right, or is only listed. `value(text)` is what the form makes of a text,
    the same for texts that are the same under it; None where it says nothing of one. Where that needs both sides it may
    declare `same(answer, truth)` instead, whose word then counts.
    """

    kinds: ClassVar[tuple[str, ...]]
    counts: ClassVar[bool]

    def value(self, text: str) -> Hashable | None: ...
