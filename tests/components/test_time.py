"""The time that shipped components take: of a text four times as long about four times as much.

What is compared is processor time, the least of several, and only where it is no trifle: a ratio of 16 is quadratic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from hostile_readings import NORMALIZERS, PARSERS, SIGNS

import auditfw
from auditfw.audits.parsing.conclusions.pipelines import signs_of
from auditfw.audits.parsing.engine.kernels import Native, Plain
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.exhibits import truth_at
from auditfw.components.matcher.texts import Exact
from auditfw.components.step.cuts import BeforeFirst
from auditfw.components.step.field import MarkedChoice
from auditfw.components.step.patterns import JsonField
from auditfw.config.variants import variants
from auditfw.formulas.answer_signs import answer_signs
from auditfw.formulas.texts.patterns import forget_late
from auditfw.kinds.capabilities import Named, call_capability
from auditfw.kinds.component_index import FAMILIES, OPTIONS
from auditfw.kinds.registry import component

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "after_last": {"delimiter": "</think>"},
    "before_last": {"delimiter": "</think>"},
    "before_first": {"markers": ("user:", "assistant:")},
    "replace_characters": {"characters": ".,"},
    "capture": {"pattern": r"(?im)^\s*answer\s*:\s*(\S+)"},
    "substitute": {"pattern": r"\s+$"},
    "inspect_answer": {"form": "word"},
    "first_of": {"choices": ((BeforeFirst(("user:", "assistant:")), MarkedChoice()), (JsonField(),))},
}
STEPS = [name for names in FAMILIES["step"].values() for name in names.split()]
MATH_VERIFY = (
    "math",
    "lighteval_extractive",
    "minerva_math_verify",
)  # in a process of its own, which is ended at its deadline
MATCHERS = sorted({*OPTIONS["matcher"].split(), *variants("matcher")} - {*MATH_VERIFY})
[RAW], [NONE] = ([one for one in some if one.name == name] for some, name in ((PARSERS, "raw"), (NORMALIZERS, "none")))
WHOLES = [
    *((one, NONE) for one in PARSERS if one is not RAW and not call_capability(one.part, "needs")),
    *((RAW, one) for one in NORMALIZERS),
]
TAILS = (" ", "\n", "A", "x ", "ANSWER: ")
UNITS = [
    " ", "\n", "\r\n", "```\n", "(", "[", "{", "}", "\\boxed{", "<think>", "</think>", "A", "A.", "A ", "I ", "1,", "1",
    "-", ".", "**", "*", "_", "`", "~~", "$", "\\", "answer", "answer is ", "the answer is (", "ANSWER: ", "is", "|",
    "é", "e\u0301", "\u0301", "\u200b", "漢", "٣", "Ａ", "答案", '"a b "', '{"a": ', '{"a": "b', "[a](", "> ", "# ",
    "- ", "a.", "1/", "<answer>", "<answer ", "</answer>", "$a ", "\\frac{", "not ",
]  # fmt: skip
STARTS = ["", "ANSWER:", "x", "\\boxed{", "1", "$A", "**A"]
SHORT, LONG, TRIFLE, RATIO = 3_000, 12_000, 0.03, 9.0  # below, a search in C is not bounded yet


def seconds(call: Callable[[str], object], text: str) -> float:
    """The processor time of a call; one that reaches a deadline of its own has taken it."""
    forget_late()
    start = time.process_time()
    try:
        call(text)
    except TimeoutError:
        return 1.0
    return time.process_time() - start


def repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def texts(size: int) -> Iterator[str]:
    """Texts of about this size: a unit repeated after each beginning, and two units repeated one after the other."""
    for unit in UNITS:
        yield from (f"{start}{repeated(unit, size)}#" for start in STARTS)
        yield from (f"{repeated(unit, size // 2)}\n{repeated(tail, size // 2)}\né" for tail in TAILS)


def superlinear(call: Callable[[str], object]) -> list[str]:
    """The repeated texts on which a call takes far more than its share."""
    slow = []
    for short, long in zip(texts(SHORT), texts(LONG), strict=True):
        if seconds(call, long) > TRIFLE:
            least = min(seconds(call, long) for _ in range(3))
            if least > TRIFLE and least > RATIO * min(seconds(call, short) for _ in range(3)):
                slow.append(f"{short[:20]!r} … {short[-20:]!r}: {least:.2f} s")
    return slow


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_steps_take_linear_time(name: str) -> None:
    step = component("step", name, "").cls(**SETTINGS.get(name, {}))
    fast = getattr(step, "fast", None)
    assert superlinear(step) == []
    assert fast is None or superlinear(fast) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("truth", ["4", "Paris", "A"])
def test_matchers_take_linear_time(name: str, truth: str) -> None:
    matcher = auditfw.load("matcher", name)
    assert superlinear(lambda text: matcher(text, truth)) == []


@pytest.mark.slow
@pytest.mark.parametrize("whole", WHOLES, ids=lambda whole: "+".join(one.name for one in whole))
def test_parsers_and_normalizers_take_linear_time_in_both_kernels(whole: tuple[Named[Any], Named[Any]]) -> None:
    """By their definition, and with what both kernels count in a text."""
    parser, normalizer = whole
    plan = ReadingPlan((parser,), (normalizer,), Exact(), ((0, 0),))
    assert superlinear(parser.part if normalizer is NONE else normalizer.part) == []
    for kernel in (Native(plan, SIGNS), Plain(plan, SIGNS)):
        assert superlinear(partial(read, kernel)) == []


def read(kernel: Native | Plain, text: str) -> None:
    """Reads one text by a kernel. Raises TimeoutError where a part of the reading does."""
    scores = kernel.score([text], None, ["4"])
    scores.answers(0)
    if scores.problems:
        raise TimeoutError(scores.problems[0])


@pytest.mark.slow
@pytest.mark.parametrize("truth", ["4", "A", "a b"])
def test_signs_take_linear_time(truth: str) -> None:
    """Those of the probe, whose options may be letters or words, and those of a changed label."""
    for options in ("A", "B", "C"), ("a", "a b", "x"):
        assert superlinear(lambda text, options=options: answer_signs(text, [truth], options)) == []
    assert superlinear(lambda text: signs_of(text, [text, text[:50]], [truth], SIGNS)) == []
    assert superlinear(lambda text: truth_at(text, text.lower(), truth)) == []
