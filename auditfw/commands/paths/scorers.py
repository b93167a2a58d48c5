"""From the rule that a harness says it scored by to the shipped one: its name, or why there is none.

Source of lm-evaluation-harness' definitions: lm_eval/filters/extraction.py, lm_eval/filters/transformation.py and
`exact_match_hf_evaluate` of lm_eval/api/metrics.py (github.com/EleutherAI/lm-evaluation-harness, commit 4e7e0d4).
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from auditfw.core.escaping import quoted
from auditfw.formulas.texts.pattern_bounds import PatternError, compiled
from auditfw.formulas.texts.patterns import as_re
from auditfw.kinds.evidence import ScorerRule

CHANGED = (0, 3, 221)  # of inspect-ai: match compares whole numbers, answer and choice read the last ANSWER
PROMPTFOO = {
    "equality": ("none", "exact"),
    "substring": ("none", "substring"),
    "prefix": ("none", "prefix"),
}
PATTERN = "#### (\\-?[0-9\\.\\,]+)"  # of a filter `regex` that names none
INVALID = "[invalid]"  # its fallback
GSM8K_IGNORED = [",", "\\$", "(?s).*#### ", "\\.$"]
SHIPPED = {  # filters of GSM8K, by their pattern and the place of the match
    (PATTERN, 0): "lm_eval_strict_match",
    ("(-?[$0-9.,]{2,})|(-?[0-9]+)", -1): "lm_eval_flexible_extract",
}
NAMED = {"strict-match": "lm_eval_strict_match", "flexible-extract": "lm_eval_flexible_extract"}
NAME = "lm_eval_filter"  # variants whose steps are set by overrides
BY_NAME = {"remove_whitespace": "strip", "lowercase": "lower", "uppercase": "upper"}


class KnownRule(NamedTuple):
    """A shipped rule: its parser, normalizer and matcher, and overrides that set these; or `why` there is none."""

    parser: str = ""
    normalizer: str = ""
    matcher: str = ""
    settings: tuple[str, ...] = ()
    why: str = ""

    def inline(self) -> str:
        """The rule as one of several, its settings with it."""
        places = {"parser": f"audit.parsers.{self.parser}.", "normalizer": f"audit.normalizers.{self.normalizer}."}
        names = {"parser": self.parser, "normalizer": self.normalizer, "matcher": self.matcher}
        parts = (f"{kind}: {self._part(name, places.get(kind, 'audit.matcher.'))}" for kind, name in names.items())
        return f"{{{', '.join(parts)}}}"

    def _part(self, name: str, place: str) -> str:
        own = [word.removeprefix(place).replace("=", ": ", 1) for word in self.settings if word.startswith(place)]
        return f"{{use: {', '.join([name, *own])}}}" if own else name


def of_one_name(name: str, *settings: str) -> KnownRule:
    """A rule whose parts all have its name."""
    return KnownRule(name, name, name, settings)


def _inspect(rule: ScorerRule) -> KnownRule:
    options, old = rule.options, _version(rule.version) < CHANGED
    if rule.name == "match":
        return _match(options, old)
    if rule.name == "includes":
        folded = options.get("ignore_case", True)
        return of_one_name("inspect_includes", *([] if folded else ["audit.matcher.ignore_case=false"]))
    if rule.name == "answer" and options.get("pattern") in ("letter", "word", "line"):
        return of_one_name(f"inspect_answer_{options['pattern']}{'_2025' * old}")
    if rule.name == "choice":
        name, which = f"inspect_choice{'_2025' * old}", ", which: first" * old
        steps = f"audit.parsers.{name}.steps=[{{use: inspect_choice, several: true{which}}}]"
        return of_one_name(name, *([steps] if options.get("multiple_correct") else []))
    if rule.name == "pattern" and isinstance(options.get("pattern"), str):
        folded = options.get("ignore_case", True)
        words = [f"audit.parsers.inspect_pattern.pattern={quoted(options['pattern'])}"]
        words += (
            [] if folded else [f"audit.{part}.ignore_case=false" for part in ("parsers.inspect_pattern", "matcher")]
        )
        words += ["audit.matcher.match_all=true"] if options.get("match_all") else []
        return of_one_name("inspect_pattern", *words)
    judged = "model_graded" in rule.name
    return KnownRule(why=f"the scorer {rule.name} {'asks a model' if judged else 'has no shipped rule'}")


def _match(options: Mapping[str, Any], old: bool) -> KnownRule:
    """The rule of `match`: its usual settings have names of their own, and so has that of numbers as it was."""
    location, numeric = options.get("location", "end"), options.get("numeric", False)
    if numeric and old:
        set_to = {"location": (location, "end"), "ignore_case": (options.get("ignore_case", True), True)}
        words = [f"audit.matcher.{key}={str(one).lower()}" for key, (one, usual) in set_to.items() if one != usual]
        return of_one_name("inspect_match_numeric_2025", *words)
    if not options.get("ignore_case", True) or (numeric and location != "end"):
        words = [f"audit.matcher.location={location}", f"audit.matcher.numeric={str(bool(numeric)).lower()}"]
        words.append(f"audit.matcher.ignore_case={str(bool(options.get('ignore_case', True))).lower()}")
        return KnownRule("inspect_match", "inspect_match", "inspect_match", tuple(words))
    ending = "_numeric" if numeric else "" if location == "end" else f"_{location}"
    return of_one_name(f"inspect_match{ending}")


def _promptfoo(rule: ScorerRule) -> KnownRule:
    """The rule of an assertion, which reads the output behind a transform: the stored text."""
    if "assertion" in rule.options:
        return KnownRule("stored", "none", "promptfoo", (f"audit.matcher.assertion={rule.options['assertion']}",))
    parts = PROMPTFOO.get(str(rule.options.get("compare")))
    return KnownRule("stored", *parts) if parts else KnownRule(why=f"the assertion {rule.name} has no shipped rule")


def _version(text: str) -> tuple[int, ...]:
    """The numbers of a version; without any a late one."""
    return tuple(map(int, re.findall(r"\d+", text)[:3])) or (9,)


def filter_rule(rule: ScorerRule) -> KnownRule:
    """The rule of a filter and of exact_match as a task sets them; or why there is none.

    Of log-likelihoods the text is the likeliest choice. Where the task is not known, the name of the filter says it.
    """
    if rule.options.get("output_type") == "multiple_choice":
        return KnownRule("stored", "none", "exact")
    if not rule.options.get("declared", True):
        name = NAMED.get(rule.name)
        return KnownRule(name, name, "exact") if name else KnownRule(why=f"the filter {rule.name} has no shipped rule")
    metric = next((one for one in rule.options.get("metrics") or [] if one.get("metric") == "exact_match"), None)
    if metric is None:
        return KnownRule(why=f"the filter {rule.name} has no shipped rule: its metric is not exact_match")
    functions = [one for one in rule.options.get("steps") or [] if one.get("function") != "take_first"]
    shipped = _shipped(functions, metric)
    if shipped is not None:
        return KnownRule(shipped, shipped, "exact")
    steps = [_step(one) for one in functions]
    if None in steps:
        unknown = functions[steps.index(None)].get("function")
        return KnownRule(why=f"the filter {rule.name} has no shipped rule: nothing here does what {unknown} does")
    settings = (
        f"audit.parsers.{NAME}.steps=[{', '.join(filter(None, steps))}]",
        f"audit.normalizers.{NAME}.steps=[{', '.join(_comparable(metric))}]",
    )
    return KnownRule(NAME, NAME, "exact", settings)


def _shipped(functions: Sequence[Mapping[str, Any]], metric: Mapping[str, Any]) -> str | None:
    """The name of the shipped rule that is the same."""
    usual = metric.get("ignore_case") and not metric.get("ignore_punctuation") and not metric.get("ignore_numbers")
    if len(functions) != 1 or not usual or metric.get("regexes_to_ignore") != GSM8K_IGNORED:
        return None
    [one] = functions
    if one.get("function") != "regex" or one.get("fallback", INVALID) != INVALID:
        return None
    return SHIPPED.get((str(one.get("regex_pattern", PATTERN)), one.get("group_select", 0)))


def _step(function: Mapping[str, Any]) -> str | None:
    """The steps of the parser that do what a function of a filter does, as words of an override."""
    name = str(function.get("function"))
    if name in BY_NAME:
        return BY_NAME[name]
    if name != "regex":
        return None
    pattern = str(function.get("regex_pattern", PATTERN))
    try:
        groups = compiled(as_re(pattern), rewritten=True).groups
    except PatternError:
        return None
    group = "filled" if groups else 0
    which, fallback = int(function.get("group_select", 0)), quoted(str(function.get("fallback", INVALID)))
    what = f"pattern: {quoted(pattern)}, group: {group}, which: {which}, fallback: {fallback}"
    return f"{{use: capture, {what}, classes: re}}, strip"


def _comparable(metric: Mapping[str, Any]) -> list[str]:
    """The steps of the normalizer that do what the settings of exact_match ask for, in the order of the harness."""
    ignored = metric.get("regexes_to_ignore") or []
    steps = [f"{{use: substitute, pattern: {quoted(str(pattern))}, classes: re}}" for pattern in ignored]
    steps += ["lower"] if metric.get("ignore_case") else []
    steps += ["remove_characters"] if metric.get("ignore_punctuation") else []
    numbers = f"{{use: remove_characters, characters: '{string.digits}'}}"
    return [*steps, numbers] if metric.get("ignore_numbers") else steps


DECLARING: Mapping[str, Callable[[ScorerRule], KnownRule]] = {  # sources whose logs say how they were scored
    "inspect": _inspect,
    "lm_eval": filter_rule,
    "promptfoo": _promptfoo,
}


def known_rule(source: str, rule: ScorerRule) -> KnownRule:
    """The shipped rule for one that a log declares."""
    return DECLARING[source](rule)
