"""The shipped scorers for those of Inspect AI, by what the head of a log declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.escaping import quoted
from auditfw.kinds.evidence import ScorerRule, ShippedScorer

PAST: Mapping[str, Sequence[str]] = {  # how the names of past rules end, the newest first: by the last version
    "inspect_match_numeric": ("", "_0_3_260", "_0_3_252", "_2025"),
    "inspect_answer_letter": ("", "_2025"),
    "inspect_answer_word": ("", "_0_3_220", "_2025"),
    "inspect_answer_line": ("", "_2025"),
    "inspect_exact": ("", "_0_3_276", "_0_3_252"),
    "inspect_f1": ("", "_0_3_276", "_0_3_269", "_0_3_252"),
    "inspect_choice": ("", "_0_3_263", "_0_3_259", "_0_3_258", "_2025"),
}
SEVERAL_OF_CHOICE = (
    "",
    ", marks: false",
    ", marks: false, commas: several",
    ", marks: false, commas: kept",
    ", which: first",
)


def inspect_scorers(rule: ScorerRule) -> list[ShippedScorer]:
    """The shipped scorer for a scorer with its options: of one that changed, as it is and as it was."""
    options, name = rule.options, rule.name
    if name == "match":
        return _match(options)
    folded = () if options.get("ignore_case", True) else ("matcher.ignore_case=false",)
    if name == "includes":
        return [ShippedScorer("inspect_includes", folded)]
    if name == "answer" and options.get("pattern") in ("letter", "word", "line"):
        return _states(f"inspect_answer_{options['pattern']}")
    if name == "choice" and options.get("multiple_correct"):
        several = [f"parser.steps=[{{use: inspect_choice, several: true{one}}}]" for one in SEVERAL_OF_CHOICE]
        return [one._replace(settings=(word,)) for one, word in zip(_states("inspect_choice"), several, strict=True)]
    if name in ("exact", "f1") and not any(options.get(own) for own in ("answer_fn", "stop_words")):
        return _states(f"inspect_{name}")
    if name == "choice":
        return _states("inspect_choice")
    if name == "pattern" and isinstance(options.get("pattern"), str):
        words = [f"parser.pattern={quoted(options['pattern'])}"]
        words += ["parser.ignore_case=false", *folded] if folded else []
        words += ["matcher.match_all=true"] if options.get("match_all") else []
        return [ShippedScorer("inspect_pattern", tuple(words))]
    judged = "model_graded" in name
    why = f"the scorer {name} {'asks a model' if judged else 'has no shipped rule'}"
    return [ShippedScorer(why=why, judged=judged)]


def _match(options: Mapping[str, Any]) -> list[ShippedScorer]:
    """The scorers for `match`: its usual settings have names of their own, and so has that of numbers as it was."""
    location, folded = str(options.get("location", "end")), bool(options.get("ignore_case", True))
    case = () if folded else ("matcher.ignore_case=false",)
    if options.get("numeric", False):
        place = () if location == "end" else (f"matcher.location={location}",)
        return _states("inspect_match_numeric", *place, *case)
    return [ShippedScorer(f"inspect_match{'' if location == 'end' else f'_{location}'}", case)]


def _states(name: str, *settings: str) -> list[ShippedScorer]:
    """A scorer that changed, as it is and as it was."""
    return [ShippedScorer(f"{name}{end}", settings) for end in PAST[name]]
