"""What a reading does to a text, step by step, and what each step is called.

A reading is a pipeline: the steps of its parser, those of its normalizer, and last the comparison. Its *prefixes* are
the text alone, then the text after the first step, after the second, and so on. A prefix has a text and no label: that
takes a comparison. The *label of a prefix* is the one that the reference's own comparison gives it. Its text and the
truth go through the normalizer of the reference, and the matcher of the reference compares them. Steps of the
reading's normalizer act on both sides, so the truth goes through those within the prefix, too.

So the labels lead from the reference to the reading. Where the first of them is the final one already, no step changed
the label: the reference had another text. A normalizer or matcher that is the reference's own is no step. A normalizer
that is not takes the place of the reference's: after its steps there is one more, `without NAME`, by which texts are
compared as they are then, no longer normalised by the reference's. Last comes the reading's matcher in place of
the reference's.

The comparison of stored labels is that of the baseline; where there is none, the run's first normalizer and matcher.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar

from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.texts import checked, steps_of
from auditfw.audits.parsing.table import STORED
from auditfw.formulas.texts.options import LINE_BLANKS, OPTIONS
from auditfw.kinds.registry import name_of
from auditfw.kinds.text import Matcher, Normalizer, Parser, Step

WITHOUT = "without"
SETTING_SHOWN = 30  # characters of a setting in the name of a step


@dataclass(frozen=True)
class StepList:
    """Steps in order, as a parser or a normalizer; nothing is done to an empty text."""

    by_steps: ClassVar[bool] = True

    steps: tuple[Step, ...]
    column: str = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        result = str(text) if text else ""
        for call in self.calls if result else ():
            result = call(result)
        return result

    @cached_property
    def calls(self) -> tuple[Callable[[str], str], ...]:
        """The steps in their quicker forms, where they have one."""
        return tuple(map(checked, self.steps))


@dataclass(frozen=True)
class Rule:
    """How a label comes about: a parser; steps on what it keeps and on the truth; a normalizer and a matcher."""

    parser: StepList
    both: StepList
    normalizer: Normalizer
    matcher: Matcher


@dataclass(frozen=True)
class Pipeline:
    """The steps of a reading by name; for each the rule of the prefix that ends before it, and that without it alone.

    The label of a prefix is what its rule gives. `without` are rules of the reading: its own normalizer and matcher
    compare.
    """

    names: tuple[str, ...]
    prefixes: tuple[Rule, ...]
    without: tuple[Rule, ...]


NOTHING_DONE = StepList(())


def comparison_of(plan: ReadingPlan, reference: int, baseline: int | None) -> int:
    """The number of the normalizer, which stands for its matcher too, by which the reference compares texts."""
    number = reference if reference != STORED else baseline
    return 0 if number is None else plan.readings[number][1]


@dataclass
class _StepRules:
    """The steps of a pipeline while they are listed."""

    names: list[str] = field(default_factory=list)
    prefixes: list[Rule] = field(default_factory=list)
    without: list[Rule] = field(default_factory=list)

    def add(self, name: str, prefix: Rule, without: Rule) -> None:
        self.names.append(name)
        self.prefixes.append(prefix)
        self.without.append(without)


def pipeline_of(plan: ReadingPlan, reading: int, comparison: int) -> Pipeline:
    """The pipeline of a reading of a plan; `comparison` is the number by which the reference compares."""
    p, n = plan.readings[reading]
    parser, own, theirs = plan.parsers[p].part, plan.normalizers[n].part, plan.normalizers[comparison]
    matcher, other = plan.matcher_of(n), plan.matcher_of(comparison)
    whole = StepList(steps_of(parser))
    steps = _StepRules()
    for name, before, without in _cuts(parser):
        first = Rule(before, NOTHING_DONE, theirs.part, other)
        steps.add(name, first, Rule(without, NOTHING_DONE, own, matcher))
    if own != theirs.part:
        for name, before, without in _cuts(own):
            steps.add(name, Rule(whole, before, theirs.part, other), Rule(whole, NOTHING_DONE, without, matcher))
        normalised = StepList(steps_of(own))
        left = Rule(whole, normalised, theirs.part, matcher)
        steps.add(f"{WITHOUT} {theirs.name}", Rule(whole, normalised, theirs.part, other), left)
    if matcher != other:
        swapped = Rule(whole, NOTHING_DONE, own, other)
        steps.add(f"matcher {step_name(matcher)}", swapped, swapped)
    return Pipeline(tuple(_numbered(steps.names)), tuple(steps.prefixes), tuple(steps.without))


def _cuts(part: Parser | Normalizer) -> Iterable[tuple[str, StepList, StepList]]:
    """For each step of a part its name, the steps before it, and all others."""
    steps = steps_of(part)
    for i, step in enumerate(steps):
        yield step_name(step), StepList(steps[:i]), StepList(steps[:i] + steps[i + 1 :])


def _numbered(names: Sequence[str]) -> list[str]:
    """Names of which each is one step: the second of a name has a (2)."""
    met: Counter[str] = Counter()
    numbered = []
    for name in names:
        met[name] += 1
        numbered.append(name if met[name] == 1 else f"{name} ({met[name]})")
    return numbered


def step_name(step: object) -> str:
    """A step as a user writes it, with the setting that says most: `after_last "</think>"`.

    That is the first that has no default, else the first that is not its default. Of a choice the first step of each
    list is named.
    """
    name = name_of(step)
    choices = _choices(step)
    if choices:
        return f"{name} ({' | '.join(choices)})"
    setting = _decisive(step)
    return name if setting is None else f"{name} {_brief(setting)}"


def _choices(step: object) -> list[str]:
    """The names of the first steps of a choice's lists."""
    values = [getattr(step, one.name) for one in fields(step)] if is_dataclass(step) else []
    lists = [value for value in values if isinstance(value, tuple) and value and all(map(_is_list, value))]
    return [name_of(one[0]) if one else "nothing" for one in lists[0]] if lists else []


def _is_list(value: object) -> bool:
    return isinstance(value, tuple) and all(callable(one) for one in value)


def _decisive(step: object) -> Any:
    """The setting that says most of a component, None where all are as usual."""
    if not is_dataclass(step):
        return None
    settings = fields(step)
    wanted = [one.name for one in settings if one.default is MISSING and one.default_factory is MISSING]
    wanted += [one.name for one in settings if one.default is not MISSING and one.default != getattr(step, one.name)]
    return getattr(step, wanted[0]) if wanted else None


def _brief(setting: object) -> str:
    """A setting on one line, cut where it is long; of several texts the first."""
    several = isinstance(setting, tuple | list) and setting
    one = setting[0] if several else setting  # type: ignore[index]  # a tuple or a list
    text = one if isinstance(one, str) else str(one)
    more = len(text) > SETTING_SHOWN or (several and len(setting) > 1)  # type: ignore[arg-type]  # it has a length
    shown = text[:SETTING_SHOWN]
    return f"{json.dumps(shown, ensure_ascii=False) if isinstance(one, str) else shown}{'…' if more else ''}"


# Signs in texts that often go with a changed label: what to look at first.

THINK, MARKER, SEVERAL, NUMBERS, CASE, MARKDOWN, LATEX, UNICODE, EMPTY = NAMES = (
    "think delimiter",
    "garbage marker",
    "several candidates",
    "number format",
    "case",
    "Markdown",
    "LaTeX",
    "Unicode form",
    "empty answer",
)
MEANINGS = {
    THINK: "the text has the end of its thinking, as </think>",
    MARKER: "the text runs on, as with Question:",
    SEVERAL: "what is compared holds several answers",
    NUMBERS: "a number with separators, $ or %, as 1,234",
    CASE: "answer and truth differ in capital letters",
    MARKDOWN: "the text has marks of Markdown, as **",
    LATEX: "the text has LaTeX, as \\boxed",
    UNICODE: "a character in another form, as ² for 2",
    EMPTY: "nothing is left to compare",
}
ENDS = 2_000  # characters at either end of a long text that are looked at

_MARKDOWN = ("**", "__", "~~", "`", "](", *(f"\n{mark} " for mark in ("#", "##", "###", "####", "-", "*", "+", ">")))
_ANNOUNCED = ("answer is", "answer:", "\\boxed")
_LATEX = re.compile(r"\\(?:[A-Za-z]+|[()\[\]])|\$[^$\s](?:[^$\n]*[^$\s])?\$(?!\d)")
_FORMAT = re.compile(r"\d,\d|[$€£¥]\s?[-−]?[.\d]|\d\s?[%€£¥]")
_OPTION = re.compile(rf"[(\[]([{OPTIONS}{OPTIONS.lower()}])[)\]]|(?m:^[{LINE_BLANKS}*_`]*([{OPTIONS}])[.):])")
_DIGIT = re.compile("[0-9]")
_NUMBER = re.compile("[0-9]+(?:[.,][0-9]+)*")
_LETTER = re.compile(rf"\W*[{OPTIONS}{OPTIONS.lower()}]\W*")


def signs_of(whole: str, sides: Sequence[str], truths: Sequence[str], signs: Signs) -> tuple[str, ...]:
    """The signs in the texts of a flip, in the order of their names.

    Delimiters, markers, Markdown and LaTeX are looked for in the whole text; the others in the truths and the
    `sides`, what the reading and the reference kept of it (the reading first). A long text is looked at by its ends.
    """
    whole, sides = ends(whole), [ends(side) for side in sides]
    low = whole.lower()
    present = (
        signs.delimiter in low,
        any(marker in low for marker in signs.any_marker.markers),
        any(several_candidates(side, truths) for side in sides),
        any(map(_digits, truths)) and any(map(number_format, (*sides, *truths))),
        any(other_case(side, truth) for side in sides for truth in truths),
        has_markdown(whole),
        has_latex(whole),
        any(map(other_form, (*sides, *truths))),
        not any(side.strip() for side in sides[:1]),
    )
    return tuple(name for name, there in zip(NAMES, present, strict=True) if there)


def ends(text: str) -> str:
    """A text; of a long one its two ends."""
    return text if len(text) <= 2 * ENDS else f"{text[:ENDS]}\n{text[-ENDS:]}"


def several_candidates(text: str, truths: Sequence[str]) -> bool:
    """Whether a text holds several different answers of the truth's sort.

    Several numbers where the truth holds a digit, several options where it is the letter of one, else several
    announcements ("answer is", \\boxed).
    """
    if any(map(_digits, truths)):
        return _differ(match[0] for match in _NUMBER.finditer(text))
    if any(map(_LETTER.fullmatch, truths)):
        return _differ((match[1] or match[2]).upper() for match in _OPTION.finditer(text))
    low = text.lower()
    return sum(map(low.count, _ANNOUNCED)) > 1


def _differ(values: Iterator[str]) -> bool:
    first = next(values, None)
    return any(value != first for value in values)


def number_format(text: str) -> bool:
    """Whether a number of a text has a separator or decimal comma, a currency sign or a percent sign."""
    return _FORMAT.search(text) is not None


def _digits(text: str) -> bool:
    return _DIGIT.search(text) is not None


def other_case(text: str, truth: str) -> bool:
    """Whether a text holds a truth in other case alone."""
    return bool(truth.strip()) and truth not in text and truth.casefold() in text.casefold()


def has_markdown(text: str) -> bool:
    """Whether a text holds marks of Markdown."""
    lines = f"\n{text}"
    return any(mark in lines for mark in _MARKDOWN)


def has_latex(text: str) -> bool:
    r"""Whether a text holds a LaTeX command or $…$."""
    return ("\\" in text or "$" in text) and _LATEX.search(text) is not None


def other_form(text: str) -> bool:
    """Whether a text changes by Unicode's compatibility composition (NFKC): ², full-width letters, é in two parts."""
    return not text.isascii() and not unicodedata.is_normalized("NFKC", text)
