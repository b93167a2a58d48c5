"""Matchers of other programs that compare in a line: of HELM, Inspect AI and OpenCompass."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, get_args

from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import Refusal
from auditfw.formulas.texts.inspect_numbers import helm_number
from auditfw.formulas.texts.javascript import NEGATION, SEVERAL, Assertion, translated
from auditfw.formulas.texts.pattern_bounds import PatternError
from auditfw.formulas.texts.patterns import BETWEEN_GROUPS, search
from auditfw.kinds.registry import declare


@declare("matcher", "helm_final_number")
class HelmFinalNumber:
    """Accepts what HELM's final_number_exact_match accepts: an answer that is the last number of the truth.

    Use it with the parser helm_final_number. A truth without a number is never matched.

    Source: `final_number_exact_match` of src/helm/benchmark/metrics/evaluate_reference_metrics.py
    (github.com/stanford-crfm/helm, commit 63754d0).
    """

    family: ClassVar[str] = "equality"

    def __call__(self, answer: str, truth: str) -> bool:
        number = answer.strip()
        return bool(number) and number == helm_number(truth).strip()


@declare("matcher", "opencompass_gsm8k")
class OpencompassGsm8k:
    """Accepts what OpenCompass's Gsm8kEvaluator accepts: the truth itself, or a number within 1e-6 of a whole truth.

    Source: `Gsm8kEvaluator.is_equal` of opencompass/datasets/gsm8k.py (github.com/open-compass/opencompass, commit
    a5acc4b).
    """

    family: ClassVar[str] = "equality"

    def __call__(self, answer: str, truth: str) -> bool:
        if answer == truth:
            return True
        try:
            return abs(float(answer) - int(truth)) < 1e-6
        except (ValueError, OverflowError):
            return False


@declare("matcher", "inspect_includes")
class InspectIncludes:
    """Accepts what the scorer includes of Inspect AI accepts: a completion in which the target occurs, case folded.

    Source: `includes` of inspect_ai/scorer/_match.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    family: ClassVar[str] = "containment"

    compares_empty: ClassVar[bool] = True

    ignore_case: bool = True

    def __call__(self, answer: str, truth: str) -> bool:
        return truth.casefold() in answer.casefold() if self.ignore_case else truth in answer


@declare("matcher", "inspect_pattern")
class CapturedGroups:
    """Accepts what the scorer pattern of Inspect AI accepts: one captured group equals the target, both in lower case.

    With `match_all` every group must equal a target. Several targets are then one truth, separated by U+001F.

    Source: `pattern` of inspect_ai/scorer/_pattern.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    family: ClassVar[str] = "equality"

    ignore_case: bool = True
    match_all: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        groups, wanted = (answer.lower(), truth.lower()) if self.ignore_case else (answer, truth)
        if self.match_all:
            return set(groups.split(BETWEEN_GROUPS)) <= set(wanted.split(BETWEEN_GROUPS))
        return wanted in groups.split(BETWEEN_GROUPS)


UNREAD = Refusal("are no list of texts, or a regular expression that cannot be read as JavaScript reads it")


@declare("matcher", "promptfoo")
class PromptfooAssertion:
    """Accepts what an assertion of promptfoo accepts, including the `not-` types; `assertion` is its type.

    For `contains-any`, `contains-all` and the like the truth is a JSON list of texts. The pattern of `regex` is read as
    JavaScript reads it; a character beyond U+FFFF counts as one. A pattern that JavaScript refuses, such as (?i), or
    that the two engines read differently makes the truth unreadable. An empty answer is wrong, as everywhere.

    Source: src/assertions of promptfoo 0.121.20 (github.com/promptfoo/promptfoo).
    """

    family: ClassVar[str] = "containment"

    assertion: str = "contains"
    deadline: float = 1.0

    def __post_init__(self) -> None:
        if self._kind not in get_args(Assertion):
            known = [f"{start}{kind}" for kind in get_args(Assertion) for start in ("", NEGATION)]
            raise UsageError("assertion", "no such assertion", self.assertion, nearest(self.assertion, known))
        if self.deadline <= 0:
            raise UsageError("deadline", "expected a number of seconds above 0", self.deadline)

    @property
    def _kind(self) -> str:
        return self.assertion.removeprefix(NEGATION)

    @property
    def compares_empty(self) -> bool:
        """Equality alone knows an empty text; with the other types promptfoo refuses to compare."""
        return self._kind == "equals"

    @property
    def negative(self) -> bool:
        return self.assertion.startswith(NEGATION)

    def __call__(self, answer: str, truth: str) -> bool | None:
        if self.refuses(truth) is not None:
            return None
        kind = self._kind
        if kind == "regex":
            passed = search(translated(truth), answer, 0, self.deadline) is not None
        else:
            folded = kind.startswith("i")
            text, wanted = (answer.lower(), truth.lower()) if folded else (answer, truth)
            passed = COMPARED[kind.removeprefix("i")](text, wanted)
        return passed is not self.negative

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that is no list, or no pattern that can be read; None otherwise."""
        if self._kind in SEVERAL:
            return None if _listed(truth) else UNREAD
        if self._kind == "regex":
            try:
                translated(truth)
            except PatternError:
                return UNREAD
        return None


@lru_cache(maxsize=4096)
def _listed(truth: str) -> tuple[str, ...]:
    """The texts of a list; none where it is something else."""
    try:
        parts = json.loads(truth)
    except (ValueError, RecursionError):
        return ()
    return tuple(map(str, parts)) if isinstance(parts, list) else ()


COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "equals": lambda answer, truth: answer == truth,
    "contains": lambda answer, truth: truth in answer,
    "starts-with": lambda answer, truth: answer.startswith(truth),
    "contains-any": lambda answer, truth: any(part in answer for part in _listed(truth)),
    "contains-all": lambda answer, truth: all(part in answer for part in _listed(truth)),
}
