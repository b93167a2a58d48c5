"""Answers that are wrong by their $ alone, and what a run says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.engine.plan import FALSE, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import sign_keepers, wrong_by_sign
from auditfw.kinds.capabilities import Named

ROWS = [
    ("He pays $5.", "5", 1),
    ("So $1,000", ("7", "1,000"), 1),
    ("It is $5", "$5", 0),  # right as it is
    ("It is $6", "$5", 0),  # the truth has a sign
    ("It is $6", "5", 0),  # wrong without its sign, too
    ("$5 a day for 3 days", "5", 0),  # another number is the last
    ("5", "5", 0),
    (None, "5", 0),
    ("", "5", 0),
]


@pytest.mark.parametrize(
    ("parser", "normalizer", "matcher", "keeps"),
    [
        ("last_number", "none", "exact", True),
        ("last_number", "casefold", "prefix", True),
        ("last_number", "number", "exact", False),
        ("last_number", "none", "numeric", False),
        ("last_number", "none", "containment", False),
        ("raw", "none", "exact", False),
        ("last_line", "none", "exact", False),
    ],
)
def test_which_readings_tell_7_dollars_from_7(parser: str, normalizer: str, matcher: str, keeps: bool) -> None:
    plan = planned(parser, normalizer, matcher)
    assert sign_keepers(plan) == [0] * keeps
    codes = [bytearray(TRUE if text == truth else FALSE for text, truth, _ in ROWS)]
    texts, truths = [text for text, *_ in ROWS], [truth for _, truth, _ in ROWS]
    counted = wrong_by_sign(plan, sign_keepers(plan), codes, (texts, None), truths)
    assert counted[0] == keeps * sum(n for *_, n in ROWS)


def planned(parser: str, normalizer: str, matcher: str) -> ReadingPlan:
    parts = {kind: auditfw.load(kind, name) for kind, name in (("parser", parser), ("normalizer", normalizer))}
    named = [Named(kind, part) for kind, part in parts.items()]
    return ReadingPlan((named[0],), (named[1],), auditfw.load("matcher", matcher), ((0, 0),))


@pytest.mark.parametrize(
    ("currency", "matcher", "truth", "warned"),
    [
        ("keep", "exact", "5", True),
        ("keep", "exact", "$5", False),
        ("keep", "numeric", "5", False),
        ("drop", "exact", "5", False),
    ],
)
def test_a_run_warns_of_them(tmp_path: Path, currency: str, matcher: str, truth: str, warned: bool) -> None:
    row = {"raw_text": "He pays $5.", "ground_truth": truth}
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"id": i, **row}) + "\n" for i in range(3)), "utf-8")
    step = {"use": "last_number", "currency": currency}
    settings: dict[str, Any] = {
        **{"experiment": "answer_parsing", "source": {"use": "jsonl", "path": str(tmp_path / "rows.jsonl")}},
        **{"by": [], "gate": [], "parser": ["last_number"], "normalizer": ["none"], "matcher": matcher},
        "audit": {"baseline": None, "parsers": {"last_number": {"steps": [step]}}},
    }
    result = auditfw.run(settings, folder=tmp_path / "run")
    assert [warning for warning in result.warnings if "$" in warning] == [says.LAST_NUMBER_NONE_KEEPS_THE] * warned
