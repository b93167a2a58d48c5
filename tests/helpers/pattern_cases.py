"""Regular expressions, shipped ones and made-up ones, hostile texts for them, and what each engine says of them."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import regex

import auditfw
from auditfw.components.step import answers, field, patterns
from auditfw.config.variants import variants
from auditfw.formulas import markers
from auditfw.formulas.texts import options
from auditfw.formulas.texts.finders import FILLED, JOINED, REPLACED, REST, Engine, KeptPart
from auditfw.formulas.texts.pattern_syntax import ENDLESS, Either, Group, Look, Node, One, Parts, Repeat

BETWEEN = "\x1f"
ALPHABET = (
    *"aAbBcCiIkKsS0123456789_.,:;$-−#()[]{}<>/\\'\"’*`°%= \n\t\r\x00\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0",
    *"²³½¼①٣४İıſK\u212aΣσςẞßéÉå\u212bµμ\u0301\u0345ᾳ\u200d\u200b\u2028\u2029\u3000ǅ中🙂𝟠\U00010400\U00010428",
    "answer", "ANSWER:", "Answer : ", "answer is (", "Answer: ", "option ",
    "choice", "#### 12", "####  ", "Question:", "\\boxed{",
    "A: ", "\n\n",
    "12", "1e3", "e+7", "-3.5", "1,000", "$4.50", "(B)", "C.", " A ", "II",
    "5 12", "...", "$$", "\n(C)", "F. Scott", "I think",
    "AN\u017fWER: B",
    "答案是", "正解は", "정답은 ", "입니다", "选项", "不选", "选", "正确",
    "B is correct", "choose ", "over", "not ", "because",
    "\u0412", "\u0391", "\uff23", "\uff42", "（", "：", "。", "ที่",
    "ans\u017fer", "\u212a.", "item", "answer:\n", "Answer", "\"answer\": ", "<answer>", "</answer>",
)  # fmt: skip
PIECES = (
    r"a", r"B", r"\.", r"[A-J]", r"[^a]", r".", r"\d", r"\w", r"\s", r"\S", r"\W", r"\D", r"[^\w]",
    r"[\s:*_`$]", r"[$0-9.,]", r"[i-kK]",
    r"s", r"k", r"i", r"é", r"ß", r"µ", r"[^\W_]", r"\n", r"#", r"[’']", r"\$", r"ans", r"[0-9]",
    r"²", r"σ", r"[^ſ]", r"\u017f", r"Å",
)  # fmt: skip
PLACES = (r"^", r"$", r"\A", r"\Z", r"\b", r"\B", r"(?=%s)", r"(?!%s)", r"(?<=%s)", r"(?<!%s)")
REPEATS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{,2}", "{2,}", "{2,}?", "{1,2}?")


def text(draw: random.Random, most: int = 24) -> str:
    """A text of troublesome characters and of what rules look for; half of them of few different ones."""
    few = [*draw.sample(ALPHABET, 4), "a", "B", "1"] if draw.random() < 0.5 else ALPHABET
    return "".join(draw.choices(few, k=draw.randint(0, most)))


def pattern(draw: random.Random, deep: int = 3) -> str:
    """A made-up pattern, perhaps one that no engine takes."""
    flags = "".join(draw.sample("ims", draw.choice((0, 0, 1, 2))))
    return f"(?{flags})" * bool(flags) + _either(draw, deep)


def _either(draw: random.Random, deep: int) -> str:
    return "|".join(_sequence(draw, deep) for _ in range(draw.choice((1, 1, 1, 2, 3))))


def _sequence(draw: random.Random, deep: int) -> str:
    return "".join(_part(draw, deep) for _ in range(draw.randint(1, 4)))


def _part(draw: random.Random, deep: int) -> str:
    kind = draw.random()
    if kind < 0.12:
        place = draw.choice(PLACES)
        return place % draw.choice(PIECES) if "%" in place else place
    if kind < 0.3 and deep:
        opening = draw.choice(("(", "(?:", "(?i:", "(?s-i:", "(?=", "(?!"))
        body = f"{opening}{_either(draw, deep - 1)})"
    elif kind < 0.32:
        return r"\1"
    else:
        body = draw.choice(PIECES)
    return body + (draw.choice(REPEATS) if draw.random() < 0.4 else "")


def ways(node: Node) -> float:
    """How often a search may go on in two ways, endless repeats of such parts counted as endless.

    With more than a few of them an engine takes exponential time, or that of a high power, on all but short texts.
    """
    match node:
        case Repeat(body=One(), least=least, most=most):
            return int(least != most)
        case Repeat(body=body, most=most) if most == ENDLESS:
            return math.inf if ways(body) else 1
        case Repeat(body=body, least=least, most=most):
            return ways(body) * most + most - least
        case Group(body=body) | Look(body=body):
            return ways(body)
        case Parts(parts=parts):
            return sum(map(ways, parts))
        case Either(parts=parts):
            return sum(map(ways, parts)) + 1
    return 0


def searched(pattern: str, text: str, kept: KeptPart, engine: Engine) -> str:
    """What an engine says, plainly."""
    module: Any = regex if engine == "regex" else re
    late = {"timeout": 0.5} if engine == "regex" else {}
    if kept.part == REPLACED:
        return str(module.compile(pattern).sub(lambda match: kept.text, text, **late))
    matches = list(module.compile(pattern).finditer(text, **late))
    if not (matches if kept.which < 0 else matches[kept.which :]):
        return kept.text
    match = matches[kept.which]
    if kept.part == REST:
        return text[match.end() :].split("\n", 1)[0]
    if kept.part == JOINED:
        return BETWEEN.join(group for group in match.groups() or (match[0],) if group is not None)
    return (next(filter(None, match.groups()), "") if kept.part == FILLED else match[kept.part]) or kept.text


def shipped_steps() -> Iterator[Any]:
    """The steps of all shipped parsers and normalizers that have a quicker form by patterns, each once."""
    kinds = (
        patterns.Capture, patterns.Substitute, patterns.JsonField, field.MarkedChoice, field.AnnouncedAnswer,
        answers.LastNumber, answers.FirstNumber, answers.Boxed, answers.ChoiceLetter, answers.Tag, answers.AnswerIs,
    )  # fmt: skip
    known: list[Any] = [field.MarkedChoice(several=True), answers.ChoiceLetter("ABCDE"), answers.FirstNumber()]
    known += [answers.LastNumber("drop"), answers.FirstNumber("drop")]
    yield from known
    for kind in ("parser", "normalizer"):
        for name in variants(kind):
            for step in _steps(getattr(auditfw.load(kind, name), "steps", ())):
                if isinstance(step, kinds) and step not in known:
                    known.append(step)
                    yield step


def _steps(steps: Sequence[Any]) -> Iterator[Any]:
    for step in steps:
        yield step
        for choice in getattr(step, "choices", ()):
            yield from _steps(choice)


def own_patterns() -> list[tuple[str, Engine]]:
    """The patterns of the package's own code, with their engines."""
    own = [*options.option_patterns(options.OPTIONS), options.ROMAN, markers.NUMBER]
    return [(one.pattern, "re") for one in own]
