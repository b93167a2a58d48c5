"""Rules of other programs, past versions too, against labels that these gave: 2,000 hard texts each, no difference."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from field_cases import cases
from past_labels import LABELS, NUMBER, RULES, digest, unpacked
from rule_labels import labels_of

STORED = json.loads(LABELS.read_text("utf-8"))


def settings_of(rule: str) -> tuple[str, Any, Any]:
    """The shipped rule, another parser where several options may be chosen, and the location of a number."""
    place = re.search(r"_(begin|any|exact)(?=_0)", rule)
    if place is not None and "numeric" in rule:
        name = rule.replace(place[0], "")
        version = {"escapes": not name.endswith("252"), "trimmed": False}
        return "inspect_match", None, {"numeric": True, "location": place[1], **version}
    if "_several" in rule:
        commas = {"258": "kept", "259": "several", "263": "dropped"}[rule[-3:]]
        step = {"use": "inspect_choice", "several": True, "marks": False, "commas": commas}
        return "inspect_choice", {"use": "steps", "steps": [step]}, {}
    return rule, None, None


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_no_label_differs_from_the_version_itself(rule: str) -> None:
    if rule == "minerva_math_verify":
        pytest.importorskip("math_verify", reason="the extra math is not installed")
    pairs = cases(rule, NUMBER)
    assert digest(pairs) == STORED[rule]["cases"]
    theirs = unpacked(STORED[rule]["labels"])
    assert NUMBER / 80 < sum(theirs) < NUMBER * 79 / 80
    for kind, ours in labels_of(*settings_of(rule), pairs).items():
        assert [
            (kind, *pair, label)
            for pair, label, other in zip(pairs, ours, theirs, strict=True)
            if bool(label) is not other
        ] == []
