"""Raters that are one and the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judging import REJECT, VALID, answer, fired, joined, judged, rows
from sentences import consistency as says

LABELS = [VALID, REJECT] * 90


def records(labels: list[str], **more: Any) -> list[dict[str, Any]]:
    return [{"qid": f"q{i}", "label": label, **more} for i, label in enumerate(labels)]


def test_one_file_as_two_judges_passed_with_a_kappa_of_one(tmp_path: Path) -> None:
    """Every gate passes: kappa is 1.0 with its lower end at 0.93."""
    result = joined(tmp_path, {"scholar": records(LABELS), "auditor": records(LABELS)})
    assert result.exit_code == 0
    drawn = answer(result)
    assert drawn.status == "unknown"
    assert drawn.headline == says.IDENTICAL_RATERS_THE_AGREEMENT_OF
    assert "scholar.jsonl and " in drawn.because[0]
    assert "are identical (SHA-256 " in drawn.because[0]
    assert sum("identical" in warning for warning in result.warnings) == 2


def test_equal_labels_in_files_that_differ(tmp_path: Path) -> None:
    result = joined(tmp_path, {"scholar": records(LABELS), "auditor": records(LABELS, source="copy")})
    assert fired(result) == {("identical_labels", "scholar and auditor")}
    assert says.SCHOLAR_AND_AUDITOR_ARE_IDENTICAL in result.warnings


def test_equal_files_of_which_other_columns_are_read(tmp_path: Path) -> None:
    """One file, two columns: no copy. Two files of the same bytes: a copy, whatever is read from it."""
    table = "".join(f"q{i},{label},{REJECT if i % 15 == 0 else label}\n" for i, label in enumerate(LABELS))
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(f"qid,first,second\n{table}", "utf-8")
    found = {}
    for other in ("one.csv", "two.csv"):
        files = {"scholar": ("one.csv", "first"), "auditor": (other, "second")}
        paths = {r: {"use": "csv", "path": str(tmp_path / f), "columns": {"label": c}} for r, (f, c) in files.items()}
        result = joined(tmp_path, {}, source={"use": "raters", "paths": paths})
        found[other] = {rule for rule, _ in fired(result)}
    assert found == {"one.csv": set(), "two.csv": {"identical_files"}}


def test_equal_reasons() -> None:
    table = rows({(VALID, VALID): 60, (REJECT, REJECT): 60, (VALID, REJECT): 1})
    for i, row in enumerate(table):
        row |= {"scholar.reason": f"because {i}", "auditor.reason": f"because {i}"}
    result = judged(table)
    assert fired(result) == {("identical_reasons", "scholar and auditor")}
    assert answer(result).status == "unknown"
    table[0]["auditor.reason"] = "other words"
    assert answer(judged(table)).status == "stable"


def test_two_of_three_raters_are_named() -> None:
    table = rows({(VALID, VALID): 90, (REJECT, REJECT): 90, (VALID, REJECT): 20})
    copied = [{**row, "copy": row["scholar"]} for row in table]
    result = judged(copied, audit={"raters": ["scholar", "copy", "auditor"]})
    assert {one for one in fired(result) if "identical" in one[0]} == {("identical_labels", "scholar and copy")}


def test_agreement_that_is_expected_is_no_copy() -> None:
    """Twelve items, or a third rater who differs on one of 200 only: that two never differ is what they would."""
    few = judged(rows({(VALID, VALID): 6, (REJECT, REJECT): 6}))
    assert not any("identical" in rule for rule, _ in fired(few))
    table = rows({(VALID, VALID): 100, (REJECT, REJECT): 99, (VALID, REJECT): 1})
    alike = judged(
        [{**row, "third": row["scholar"]} for row in table], audit={"raters": ["scholar", "third", "auditor"]}
    )
    assert not any("identical" in rule for rule, _ in fired(alike))


def test_raters_that_agree_but_once_are_two() -> None:
    result = judged(rows({(VALID, VALID): 60, (REJECT, REJECT): 60, (VALID, REJECT): 1}))
    assert (answer(result).status, result.warnings) == ("stable", [])
    assert fired(judged(rows({(VALID, VALID): 1, (REJECT, REJECT): 1}), gate=[])) == {("kappa_open", "scholar")}
