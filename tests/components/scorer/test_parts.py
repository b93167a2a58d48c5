"""Scorers: a parser, a normalizer and a matcher under one name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import Command

import auditfw
from auditfw.core.errors import AuditError

ROWS = [  # text, truth, and the label that `match(numeric=True)` of Inspect AI stored
    ("It is 4.", "4", 1),
    ("4, or 5", "4", 0),
    ("$1,000", "1000", 1),
    ("no number", "7", 0),
    ("25", "5", 0),
]
FRAME = pl.DataFrame(
    [{"id": n, "raw_text": text, "ground_truth": truth, "stored": label} for n, (text, truth, label) in enumerate(ROWS)]
)
PARTS = {"parser": ["inspect_match_numeric"], "normalizer": ["inspect_match_numeric"]}
ONE = {"parser": [], "normalizer": [], "scorer": ["inspect_match_numeric"]}


def run(**settings: Any) -> auditfw.Result:
    return auditfw.run({"source": {"use": "frame", "frame": FRAME}, "by": [], "report": [], **settings})


def labels(result: auditfw.Result, reading: str) -> list[bool]:
    return list(result.trials[reading])


def mismatches(result: auditfw.Result) -> tuple[str, float | None]:
    [one] = [one for one in result.measurements if one.metric == "mismatches"]
    return one.reading, one.estimate.value


def readings(result: auditfw.Result) -> set[str]:
    return {one.reading for one in result.measurements if one.metric == "n"}


def test_a_scorer_is_a_reading_of_its_name_beside_the_grid() -> None:
    result = run(
        scorer=["inspect_match_numeric", "inspect_match"],
        parser=["last_number"],
        normalizer=["none"],
        matcher="exact",
        audit={"baseline": "inspect_match_numeric"},
    )
    assert readings(result) == {"stored", "inspect_match_numeric", "inspect_match", "last_number+none"}
    assert labels(result, "inspect_match_numeric") == [True, False, True, False, False]
    assert labels(result, "inspect_match") == [True, False, False, False, True]
    assert labels(result, "last_number+none") == [True, False, False, False, False]
    assert mismatches(result) == ("inspect_match_numeric", 0)


def test_a_baseline_that_is_no_reading_is_computed_all_the_same() -> None:
    result = run(parser=["last_line"], normalizer=["none"], audit={"baseline": "inspect_match_numeric"})
    assert mismatches(result) == ("inspect_match_numeric", 0)
    assert readings(result) == {"stored", "last_line+none"}


def test_its_parts_under_its_name_are_the_same_rule_and_the_run_says_what_to_write() -> None:
    name = "inspect_match_numeric"
    whole = run(**ONE, audit={"baseline": name})
    parts = run(**PARTS, matcher=name, audit={"baseline": {"parser": name, "normalizer": name}})
    assert labels(whole, name) == labels(parts, f"{name}+{name}")
    assert (mismatches(whole)[1], mismatches(parts)) == (0, (f"{name}+{name}", 0))
    [said] = [one for one in parts.warnings if "scorer" in one]
    assert said == (
        f"parser={name} normalizer={name} is a scorer by its parts: write scorer=[{name}], audit.baseline={name}"
    )
    assert not [one for one in whole.warnings if "scorer" in one]


@pytest.mark.parametrize(
    ("rule", "right"),
    [
        ("inspect_match", [True, False, False, False, True]),
        ({"use": "inspect_match", "matcher": {"location": "begin"}}, [False, True, False, False, False]),
        ({"parser": "last_number", "normalizer": "none", "matcher": "numeric"}, [True, False, True, False, False]),
    ],
)
def test_a_rule_by_value_is_a_scorer_one_with_settings_or_parts(rule: Any, right: list[bool]) -> None:
    frame = FRAME.with_columns(scorer=pl.lit("a"))
    baseline = {"by": "scorer", "rules": {"a": rule}}
    result = auditfw.run(
        {"source": {"use": "frame", "frame": frame}, "by": [], "report": [], **ONE, "audit": {"baseline": baseline}}
    )
    assert labels(result, "baseline") == right


@pytest.mark.parametrize(
    ("audit", "message"),
    [
        (
            {"baseline": "inspect_mtch"},
            "audit.baseline: no scorer named 'inspect_mtch' - did you mean 'inspect_match'?",
        ),
        ({"scorers": {"stored": {"use": "parts"}}}, "audit.scorers.stored.parser: not set"),
        (
            {"scorers": {"stored": {"use": "parts", "parser": "raw", "normalizer": "none", "matcher": "exact"}}},
            "audit.scorers.stored: is the name of a reading that is no scorer's",
        ),
        (
            {"scorers": {"a": {"use": "parts", "parser": "rw", "normalizer": "none", "matcher": "exact"}}},
            "audit.scorers.a.parser: no parser named 'rw'",
        ),
    ],
)
def test_what_is_no_scorer(audit: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError) as refused:
        run(**ONE, audit=audit)
    assert message in str(refused.value)


def test_a_command_that_chooses_the_parts_says_what_to_write(command: Command, tmp_path: Path) -> None:
    FRAME.write_ndjson(tmp_path / "a.jsonl")
    name = "inspect_match_numeric"
    parts = [f"parser=[{name}]", f"normalizer=[{name}]", f"matcher={name}", f"audit.reference={name}+{name}"]
    done = command("source=jsonl", f"source.path={tmp_path / 'a.jsonl'}", "by=[]", *parts, "report=[]")
    assert done.stderr == (
        f"auditfw: warning: parser={name} normalizer={name} is a scorer by its parts: write scorer=[{name}], "
        f"audit.baseline={name}\n"
    )


def test_the_curve_shows_a_scorer_as_one_choice() -> None:
    sound = {"baseline": None, "lossy": "allow"}
    result = run(scorer=["inspect_match"], parser=["last_number"], normalizer=["none"], audit=sound)
    [curve] = [block for part in result.sections for block in part.blocks if getattr(block, "choices", None)]
    assert curve.series[0].x == ["inspect_match", "last_number+none"]
    assert curve.choices == {
        "scorer": ["inspect_match", ""],
        "parser": ["", "last_number"],
        "normalizer": ["", "none"],
    }
    alone = run(**ONE, audit={"baseline": None})
    [curve] = [block for part in alone.sections for block in part.blocks if getattr(block, "choices", None)]
    assert curve.choices == {"scorer": ["inspect_match_numeric"]}
