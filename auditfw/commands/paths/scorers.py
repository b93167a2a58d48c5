"""From the rule that a harness says it scored by to the shipped one: its name, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from auditfw.kinds.evidence import ScorerRule

from .quoting import quoted

LAST_ANSWER = (0, 3, 222)  # of inspect-ai: the first release known to read the last ANSWER; 0.3.218 reads the first
LM_EVAL_IGNORED = [",", "\\$", "(?s).*#### ", "\\.$"]
LM_EVAL = {
    "#### (\\-?[0-9\\.\\,]+)": "lm_eval_strict_match",
    "(-?[$0-9.,]{2,})|(-?[0-9]+)": "lm_eval_flexible_extract",
}
LM_EVAL_NAMES = {"strict-match": "lm_eval_strict_match", "flexible-extract": "lm_eval_flexible_extract"}
PROMPTFOO = {
    ("equality", True): ("none", "exact"),
    ("substring", True): ("none", "substring"),
    ("substring", False): ("casefold", "substring"),
    ("prefix", True): ("none", "prefix"),
}


class KnownRule(NamedTuple):
    """A shipped rule: its parser, normalizer and matcher, and overrides that set these; or `why` there is none."""

    parser: str = ""
    normalizer: str = ""
    matcher: str = ""
    settings: tuple[str, ...] = ()
    why: str = ""

    def inline(self) -> str:
        """The rule as one of several, its settings with it."""
        parts = {"parser": self.parser, "normalizer": self.normalizer, "matcher": self.matcher}
        return f"{{{', '.join(f'{kind}: {self._part(kind, name)}' for kind, name in parts.items())}}}"

    def _part(self, kind: str, name: str) -> str:
        place = {"parser": f"audit.parsers.{name}.", "matcher": "audit.matcher."}.get(kind, "?")
        own = [word.removeprefix(place).replace("=", ": ", 1) for word in self.settings if word.startswith(place)]
        return f"{{use: {', '.join([name, *own])}}}" if own else name


def of_one_name(name: str, *settings: str) -> KnownRule:
    """A rule whose parts all have its name."""
    return KnownRule(name, name, name, settings)


def known_rule(source: str, rule: ScorerRule) -> KnownRule:
    """The shipped rule for one that a log declares."""
    return {"inspect": _inspect, "lm_eval": _lm_eval, "promptfoo": _promptfoo}[source](rule)


def _inspect(rule: ScorerRule) -> KnownRule:
    options, old = rule.options, _version(rule.version) < LAST_ANSWER
    if rule.name == "match":
        return _match(options)
    if rule.name == "includes":
        folded = options.get("ignore_case", True)
        return of_one_name("inspect_includes", *([] if folded else ["audit.matcher.ignore_case=false"]))
    if rule.name == "answer" and options.get("pattern") in ("letter", "word", "line"):
        return of_one_name(f"inspect_answer_{options['pattern']}{'_2025' * old}")
    if rule.name == "choice":
        return of_one_name(f"inspect_choice{'_2025' * old}")
    if rule.name == "pattern" and isinstance(options.get("pattern"), str):
        folded = options.get("ignore_case", True)
        words = [f"audit.parsers.inspect_pattern.pattern={quoted(options['pattern'])}"]
        words += [] if folded else ["audit.parsers.inspect_pattern.ignore_case=false"]
        return of_one_name("inspect_pattern", *words)
    judged = "model_graded" in rule.name
    return KnownRule(why=f"the scorer {rule.name} {'asks a model' if judged else 'has no shipped rule'}")


def _match(options: Mapping[str, Any]) -> KnownRule:
    """The rule of `match`: its usual settings have names of their own."""
    location, numeric = options.get("location", "end"), options.get("numeric", False)
    if not options.get("ignore_case", True) or (numeric and location != "end"):
        words = [f"audit.matcher.location={location}", f"audit.matcher.numeric={str(bool(numeric)).lower()}"]
        words.append(f"audit.matcher.ignore_case={str(bool(options.get('ignore_case', True))).lower()}")
        return KnownRule("inspect_match", "inspect_match", "inspect_match", tuple(words))
    ending = "_numeric" if numeric else "" if location == "end" else f"_{location}"
    return of_one_name(f"inspect_match{ending}")


def _lm_eval(rule: ScorerRule) -> KnownRule:
    if rule.options.get("output_type") == "multiple_choice":
        return KnownRule("stored", "none", "exact")  # its text is the likeliest choice, the truth the right one
    if not rule.options.get("declared", True):
        name = LM_EVAL_NAMES.get(rule.name)
        return KnownRule(name, name, "exact") if name else KnownRule(why=f"the filter {rule.name} has no shipped rule")
    steps = rule.options.get("steps") or []
    patterns = [step.get("regex_pattern") for step in steps if step.get("function") == "regex"]
    ignored = [one.get("regexes_to_ignore") for one in rule.options.get("metrics") or []]
    name = LM_EVAL.get(patterns[0]) if len(patterns) == 1 else None
    if name is None or LM_EVAL_IGNORED not in ignored:
        return KnownRule(why=f"the filter {rule.name} has no shipped rule")
    return KnownRule(name, name, "exact")


def _promptfoo(rule: ScorerRule) -> KnownRule:
    parts = PROMPTFOO.get((str(rule.options.get("compare")), bool(rule.options.get("case"))))
    if parts is None:
        return KnownRule(why=f"the assertion {rule.name} has no shipped rule")
    return KnownRule("raw", *parts)


def _version(text: str) -> tuple[int, ...]:
    """The numbers of a version; without any a late one."""
    return tuple(map(int, re.findall(r"\d+", text)[:3])) or (9,)
