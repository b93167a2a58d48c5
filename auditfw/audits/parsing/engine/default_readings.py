"""The readings that are proposed where nobody chose any, by the kind of the truths."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple


class DefaultReadings(NamedTuple):
    """Parsers and normalizers that compete, and the matcher with its settings, as it is typed."""

    parsers: tuple[str, ...]
    normalizers: tuple[str, ...]
    matcher: str


NUMBERS = "numeric audit.matcher.which=last"
DEFAULTS: Mapping[str, DefaultReadings] = {
    "number": DefaultReadings(("answer_v2", "last_number", "announced_number"), ("none",), NUMBERS),
    "letter": DefaultReadings(("choice_letter", "mmlu_pro_three_step", "first_letter"), ("casefold",), "exact"),
    "yes_no": DefaultReadings(("yes_no", "last_yes_no", "last_line"), ("casefold",), "exact"),
    "text": DefaultReadings(("answer_v2", "last_line"), ("v1", "squad"), "containment"),
    "latex": DefaultReadings(("boxed", "last_line"), ("none",), "math"),
    "long": DefaultReadings(("last_line",), ("nfkc",), "exact"),
}
DEFAULTS = {**DEFAULTS, "mixed": DEFAULTS["text"], "code": DEFAULTS["long"], "structured": DEFAULTS["long"]}
OF_LOGS: Mapping[str, tuple[str, ...]] = {  # parsers that compete with the rule of a log
    "letter": ("choice_letter", "first_letter", "inspect_answer_letter"),
    "number": ("last_number", "announced_number", "first_turn", "inspect_answer_line"),
    "text": ("last_line", "inspect_answer_line"),
}


def are_default(parsers: Collection[str]) -> bool:
    """Whether the parsers of a run are those that are proposed for a kind of truths, and no others."""
    chosen = set(parsers) - {"stored"}
    if any(chosen == set(one.parsers) for one in DEFAULTS.values()):
        return True
    return any(names[0] in chosen and chosen <= set(names) for names in OF_LOGS.values())
