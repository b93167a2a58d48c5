"""The matcher math: Math-Verify in a process of its own, handed its texts as its makers intend."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

from auditfw.core.background import Child, EndedError, Running, started
from auditfw.core.errors import UsageError, brief
from auditfw.core.processes import follow_parent, in_main_thread, python_code
from auditfw.core.records import Refusal
from auditfw.formulas.texts.options import OPTIONS, announced_option, option_letter
from auditfw.kinds.registry import declare

READINGS_KEPT = 8_192  # texts: a truth is read when it is looked at, and again beside each answer


@declare("matcher", "math")
class Math:
    r"""Compares as mathematics with Math-Verify (an extra); a pair that takes longer than the deadline is an error.

    Answer and truth are read in the same way. A text with $…$, \(…\), \[…\] or \boxed{…} goes to Math-Verify as it is;
    a bare formula or word is put between $ signs; in prose each part with a LaTeX command is, else the numbers are
    read. LaTeX is preferred to a plain expression, as is Math-Verify's default. If the truth is the letter of an
    option, A to J, the option that a text in prose chooses is its answer.
    """

    family: ClassVar[str] = "symbolic"

    slow: ClassVar[bool] = True

    deadline: float = 5.0

    def __post_init__(self) -> None:
        _check("math", self.deadline)

    def __call__(self, answer: str, truth: str) -> bool | None:
        return ask("math", answer, truth, self.deadline)

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth in which Math-Verify finds nothing, None otherwise."""
        try:
            return Refusal("hold nothing that Math-Verify reads") if self("", truth) is None else None
        except TimeoutError:
            return None  # an answer that is compared with it is an error of its own


def _check(name: str, deadline: float) -> None:
    """Raises UsageError where Math-Verify is not installed, or a deadline is none."""
    if find_spec("math_verify") is None:
        raise UsageError("", f"the matcher {name} needs Math-Verify", None, "pip install 'auditfw[math]'")
    if deadline <= 0:
        raise UsageError("deadline", "expected a number of seconds above 0", deadline)


def ask(name: str, answer: str, truth: str, deadline: float, gold: str = "") -> bool | None:
    """The verdict on one pair by a matcher of this module; of lighteval's the truth is `gold`, "expr" or "latex".

    Raises TimeoutError, and ChildProcessError where the process that compares has ended; the next pair starts another.
    """
    try:
        child = _running.get("math", _start)
        child.send(json.dumps([gold or name, answer, truth]).encode() + b"\n")
        verdict: bool | None = json.loads(child.line(deadline))
    except EndedError:
        _running.end("math")
        raise ChildProcessError("the process that runs Math-Verify has ended") from None
    except TimeoutError:
        _running.end("math")
        raise TimeoutError(f"{name}: no result for {brief(truth, 60)!r} within {deadline:g} s") from None
    except BaseException:
        _running.end("math")  # an answer that nobody took must not be the next pair's
        raise
    return verdict


def _start() -> Child:
    # SymPy orders some sets by hash: one seed for all processes, so that a pair has one verdict.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    code = f"from auditfw.components.matcher.math import serve; serve({in_main_thread()})"
    child = Child(started(python_code(code), errors=False, env=environment))
    child.line(math.inf)  # it says that the modules are loaded: that time is not the pair's
    return child


_running: Running[Child] = Running(1)


def serve(follows: bool = False) -> None:
    """Answers the questions on standard input until it ends."""
    if follows:
        follow_parent()
    verdict("$1$", "$1$")  # what is loaded at the first pair is not that pair's time
    print("ready", flush=True)
    for line in sys.stdin:
        rule, answer, truth = json.loads(line)
        label = VERDICTS[rule](answer, truth) if rule in VERDICTS else extractive_verdict(rule, answer, truth)
        print(json.dumps(label), flush=True)


def _seed() -> None:
    """SymPy tries some equalities on random numbers: the same ones for each text and pair, whatever came before."""
    from sympy.core.random import seed

    seed(0)


def verdict(answer: str, truth: str) -> bool | None:
    """Whether an answer equals a truth by Math-Verify; None where nothing is found in the truth."""
    from math_verify import verify

    letter = _LETTER.fullmatch(truth.strip())
    wanted = [*reading(truth), *_option(letter[1])] if letter else list(reading(truth))
    if not wanted:
        return None
    chosen = _chosen(answer) if letter else ""
    read = _option(chosen) if chosen else list(reading(answer))
    _seed()
    return bool(verify(wanted, read, timeout_seconds=None))


def extractive_verdict(rule: str, answer: str, truth: str) -> bool:
    """Whether lighteval's metric extractive_match, as Math-Verify has it, finds an answer equal to a truth.

    A truth in which nothing is found is compared as text; expressions are compared to six decimals.
    """
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify
    from math_verify.parser import NormalizationConfig

    form = NormalizationConfig(
        basic_latex=True, units=True, malformed_operators=True, nits=True, boxed="all", equations=True
    )
    latex = LatexExtractionConfig(normalization_config=form)
    boxed_first = LatexExtractionConfig(boxed_match_priority=0, normalization_config=form)
    _seed()
    wanted = parse(truth, [latex if rule == "latex" else ExprExtractionConfig()], parsing_timeout=None)
    read = parse(answer, [ExprExtractionConfig(), boxed_first], parsing_timeout=None)
    return bool(verify(wanted or [truth], read, float_rounding=6, timeout_seconds=None))


def whole_verdict(answer: str, truth: str) -> bool:
    """Whether Math-Verify, as it is by default, finds the same in a whole answer as in a whole solution."""
    from math_verify import parse, verify

    _seed()
    wanted, read = (parse(text, parsing_timeout=None) for text in (truth, answer))
    return bool(verify(wanted, read, timeout_seconds=None))


VERDICTS: Mapping[str, Callable[[str, str], bool | None]] = {"math": verdict, "minerva_math_verify": whole_verdict}


@lru_cache(maxsize=READINGS_KEPT)
def reading(text: str) -> tuple[Any, ...]:
    """What Math-Verify finds in a text, read for LaTeX first and for plain expressions then."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse

    _seed()
    configs = [LatexExtractionConfig(), ExprExtractionConfig()]
    expressions: list[Any] = parse(handed(text), configs, parsing_timeout=None)
    if not expressions and len(text) <= WORDS_KEPT and not _marked(text):
        expressions = parse(_between(text), configs, parsing_timeout=None)  # a few words, none of which is a number
    return tuple(expressions)


def _option(letter: str) -> list[Any]:
    from math_verify import StringExtractionConfig, parse

    expressions: list[Any] = parse(letter, [StringExtractionConfig(strings=tuple(OPTIONS))], parsing_timeout=None)
    return expressions


WORDS_KEPT = 60
_SET = r"(?<!\\)\$.*?(?<!\\)\$|(?<!\\)\\\(.*?\\\)|(?<!\\)\\\[.*?\\\]"
_ENVIRONMENT = re.compile(_SET, re.DOTALL)
_DOLLAR = re.compile(r"(?<!\\)\$")
_FACE = r"\\(?:boxed|text|textbf|textrm|mathrm|mathbf|mbox)\s*\{\s*"
_LETTER = re.compile(rf"\$?(?:{_FACE})*\(?([{OPTIONS}])\)?\.?(?:\s*\}})*\.?\$?")
_SPACED = re.compile(r"[-+]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?")
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_COMMAND = re.compile(r"\\(?:(?:text\w*|math\w+|mbox|operatorname\*?|begin|end)\s*\{[^{}]*\}|[A-Za-z]+)")
# Words of prose: no names of functions, and no products of variables between signs of operation.
_L = r"[^\W\d_]"
_FUNCTIONS = "sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|exp|sqrt|pi|gcd|lcm|mod|max|min|and|or"
_WORD = rf"(?<!{_L})(?<![-+*/^=<>])(?<![-+*/^=<>]\s)(?!(?i:{_FUNCTIONS})(?!{_L}))"
_PROSE = re.compile(
    rf"{_WORD}{_L}(?:{_L}{{2,}}|['’]{_L}+)(?!{_L}|\s?[-+*/^=<>])"
    rf"|{_WORD}{_L}{{2}}[.,:;!?]?\s+(?={_L}|\d|[$\\(])"
    rf"|\d\s+{_L}{{2,}}\.?\Z|\d(?:st|nd|rd|th)(?!{_L})|\A\(?{_L}\)\s"
)
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_PIECE = rf"(?:\\[A-Za-z]+|\\.|{_BRACES}|[^\s\\{{}}A-Za-z]|(?<![A-Za-z])[A-Za-z](?![A-Za-z])(?!(?<=\s.)\s))"
_FORMULA_TEXT = re.compile(rf"{_PIECE}(?:\s*{_PIECE})*")
_ANNOUNCED = re.compile(r"(?im)^(.*\banswer\b(?:[ \t]+is)?(?:[ \t]*:)?[ \t]*)(\S.*)$")
_ALGEBRA = re.compile(r"(?=.*[A-Za-z])(?=.*[-+*/^=])(?!.*[A-Za-z]{2})")


def handed(text: str) -> str:
    """A text as Math-Verify is handed it: with $ signs around what is LaTeX, unless it marks that itself."""
    if _marked(text):
        return text
    bare = text.strip()
    while whole := _EMPHASIS.fullmatch(bare):
        bare = whole[2]
    if formula(bare):
        return _between(bare)
    return _ANNOUNCED.sub(_announced, _FORMULA_TEXT.sub(_enclosed, text))


def formula(text: str) -> bool:
    """Whether a text without marks of its own is a formula or one word, and neither prose nor a number like 1 000."""
    if not text or _SPACED.fullmatch(text):
        return False
    if "\n" in text and "\\" not in text:
        return False
    return len(text.split()) == 1 or _PROSE.search(_COMMAND.sub(" 0 ", text)) is None


def _marked(text: str) -> bool:
    r"""Whether a text says itself what of it is LaTeX; a single $ sign is one of money."""
    return "\\boxed" in text or _ENVIRONMENT.search(text) is not None


def _between(text: str) -> str:
    line = _DOLLAR.sub(r"\\$", " ".join(text.split()))
    return f"${line} $" if line.endswith("\\") else f"${line}$"


def _enclosed(match: re.Match[str]) -> str:
    """A part of prose between $ signs if it holds a command, without the marks of the sentence at its ends."""
    inner = match[0].strip(".,;:!?= ")
    if re.search(r"\\[A-Za-z]", inner) is None:
        return match[0]
    before, _, after = match[0].partition(inner)
    return f"{before}{_between(inner)}{after}"


def _announced(match: re.Match[str]) -> str:
    """A line of prose that announces an answer in algebra, such as "the answer is 2x+3", with $ signs around that."""
    rest = match[2].rstrip(" \t.")
    algebra = "$" not in rest and _ALGEBRA.match(_COMMAND.sub("", rest)) is not None and formula(rest)
    return f"{match[1]}{_between(rest)}{match[2][len(rest) :]}" if algebra else match[0]


def _chosen(answer: str) -> str:
    """The option that an answer in prose chooses; beside formulas only one that is announced; else ""."""
    if "\\boxed" in answer or formula(answer.strip()):
        return ""
    if _marked(answer):
        return announced_option(_ENVIRONMENT.sub(" ", answer), OPTIONS)
    return option_letter(answer, OPTIONS)


@declare("matcher", "lighteval_extractive")
class LightevalExtractive:
    """Compares a completion with a truth as lighteval's extractive_match does, by Math-Verify (an extra).

    `gold` says how the truth is read: as a plain expression ("expr", as in GSM8K) or as LaTeX ("latex", as in MATH). In
    the completion boxed LaTeX comes first, then the last expression; what cannot be parsed is compared as text.
    Math-Verify grew out of lighteval's own code and reads a few texts differently, such as one with two boxes, or 50%
    as LaTeX.

    Source: `MultilingualExtractiveMatchMetric` of src/lighteval/metrics/dynamic_metrics.py
    (github.com/huggingface/lighteval, commit 3fd1526).
    """

    family: ClassVar[str] = "symbolic"

    slow: ClassVar[bool] = True

    gold: Literal["expr", "latex"] = "expr"
    deadline: float = 5.0

    def __post_init__(self) -> None:
        _check("lighteval_extractive", self.deadline)

    def __call__(self, answer: str, truth: str) -> bool | None:
        return ask("lighteval_extractive", answer, truth, self.deadline, self.gold)


@declare("matcher", "minerva_math_verify")
class MinervaMathVerify:
    """Compares as the metric math_verify of minerva_math in lm-evaluation-harness does, by Math-Verify (an extra).

    The truth is the whole solution of the problem (version 3 of the task) or its answer (version 2).

    Source: `process_results` of lm_eval/tasks/minerva_math/utils.py (github.com/EleutherAI/lm-evaluation-harness,
    releases 0.4.8 to 0.4.13), with Math-Verify 0.9.
    """

    family: ClassVar[str] = "symbolic"

    slow: ClassVar[bool] = True

    compares_empty: ClassVar[bool] = True

    deadline: float = 5.0

    def __post_init__(self) -> None:
        _check("minerva_math_verify", self.deadline)

    def __call__(self, answer: str, truth: str) -> bool | None:
        return ask("minerva_math_verify", answer, truth, self.deadline)
