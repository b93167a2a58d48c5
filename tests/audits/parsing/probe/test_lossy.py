"""Lossy readings in a run: the warning, the mark, that they decide nothing, and the three values of audit.lossy."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.probe.lossy import lossy_argument
from auditfw.audits.parsing.probe.pairs import LossyReading, refusal
from auditfw.core.errors import UsageError
from auditfw.core.records import Result

SOUND = ("lossy", "stored+none", False)  # asked, and not lossy
V1 = "stored+v1 accepts 2.97 for 2.7: v1 takes the decimal point away; use normalizer=[none]"


def numbers(n: int = 200, empty: int = 0, text: int = 0) -> list[dict[str, Any]]:
    """Decimal truths; three of ten answers have the same whole part and are stored as wrong."""
    rng = random.Random(1)
    rows = []
    for i in range(n):
        truth = f"{rng.randint(10, 99)}.{rng.randint(1, 9)}"
        answer = truth if i % 10 > 2 else f"{truth}7"
        truth = "" if i < empty else "ten" if i < empty + text else truth
        row = {"id": f"q{i}", "parsed_text": answer, "raw_text": f"So it is {answer}", "ground_truth": truth}
        rows.append({**row, "stored": answer == truth})
    return rows


def audited(rows: list[dict[str, Any]], folder: Path | None = None, **more: Any) -> Result:
    chosen = {"parser": ["stored"], "normalizer": ["none", "v1"], "matcher": "numeric", "by": [], "gate": []}
    audit = {"baseline": {"parser": "stored", "normalizer": "none"}, **more.pop("audit", {})}
    source = {"use": "frame", "frame": rows, "nulls": {"ground_truth": []}}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, "audit": audit, **more}, folder)


def rules(result: Result) -> list[tuple[str, str, bool]]:
    assert result.answer is not None
    return [(one.rule, one.reading, one.fired) for one in result.answer.rules if one.rule.startswith("lossy")]


@pytest.mark.parametrize(
    ("audit", "status", "warned", "noted"),
    [
        ({}, "unknown", [V1], [SOUND, ("lossy", "stored+v1", True)]),
        ({"lossy": "allow"}, "fragile", [], []),
        ({"decides": ["stored+v1"]}, "fragile", [V1], [SOUND, ("lossy_named", "stored+v1", True)]),
    ],
)
def test_it_decides_only_if_it_is_named(audit: Any, status: str, warned: list[str], noted: list[Any]) -> None:
    result = audited(numbers(), audit=audit)
    assert result.answer is not None
    assert (result.answer.status, result.warnings, rules(result)) == (status, warned, noted)
    assert ("stored+v1" in result.answer.headline) is (status != "stable")
    assert result.titles == ({"stored+v1": "lossy"} if warned else {})


def test_where_no_other_reading_is_compared_the_answer_says_why() -> None:
    answer = audited(numbers()).answer
    assert answer is not None
    assert answer.headline == says.NO_OTHER_SOUND_READING_WAS
    assert answer.because[0] == f"{V1}."
    assert answer.next == says.ADD_SOUND_READINGS_TO_LET


@pytest.mark.parametrize(
    "audit", [{}, pytest.param({"baseline": {"parser": "stored", "normalizer": "v1"}}, marks=pytest.mark.slow)]
)
def test_what_it_says_to_write_compares_sound_readings(audit: dict[str, Any]) -> None:
    answer = audited(numbers(), normalizer=["v1"], audit=audit).answer
    assert answer is not None
    assert answer.headline == says.NO_SOUND_READING_WAS_COMPARED or not audit
    do = shlex.split(answer.next.removeprefix("Add sound readings: ").partition(";")[0])
    assert ("audit.baseline=search" in do) is bool(audit)
    words = yaml.safe_load("{" + ", ".join(word.replace("=", ": ", 1) for word in do) + "}")
    searched = {"audit": {"baseline": words.pop("audit.baseline")}} if audit else {}
    again = audited(numbers(), **words, **searched).answer
    assert again is not None
    assert (again.status, again.next) == ("stable", says.REPORT_THE_ERROR_RATE_WITH)


def test_what_to_add_where_nothing_is_compared_is_sound_for_the_kind_of_the_truths() -> None:
    answer = audited(numbers(), normalizer=["none"]).answer
    assert answer is not None
    assert answer.next == "Add readings: 'parser=[last_number,answer_v2]' 'normalizer=[none]' matcher=numeric"


def test_beside_a_sound_reading_it_is_in_no_number_of_the_answer() -> None:
    answer = audited(numbers(), parser=["stored", "last_number"], audit={"baseline": None}).answer
    assert answer is not None
    assert answer.status == "stable"
    assert "30.0 %" in answer.headline
    assert says.STORED_LAST_NUMBER_ACCEPT_WRONG in answer.scope


def test_it_is_marked_where_it_is_shown(tmp_path: Path) -> None:
    audited(
        numbers(),
        tmp_path,
        reports={"md": {"use": "markdown"}},
        gates={"low": {"use": "bound", "metric": "flips", "max": 0}},
    )
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "| lossy (stored+v1) |" in report.split("## Measurements")[1]
    assert report.count("lossy (stored+v1)") > 3


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({}, "stored+v1"),
        ({"normalizer": ["none"]}, ""),
        ({"audit": {"baseline": {"parser": "stored", "normalizer": "v1"}}}, ""),
        ({"audit": {"reference": "stored+v1"}}, ""),
        ({"parser": ["stored", "raw"], "audit": {"reference": "stored+v1"}}, "raw+v1"),
        ({"matcher": "exact"}, ""),
    ],
)
def test_refused(more: dict[str, Any], refused: str) -> None:
    audit = {"lossy": "refuse", **more.pop("audit", {})}
    if not refused:
        assert audited(numbers(), audit=audit, **more).answer is not None
        return
    with pytest.raises(UsageError) as error:
        audited(numbers(), audit=audit, **more)
    where, write = f"audit.lossy: {refused} accepts 2.97 for 2.7", "use normalizer=[none], or write audit.lossy=flag"
    assert where in str(error.value)
    assert write in str(error.value)


@pytest.mark.parametrize(
    ("rows", "warnings"),
    [
        (numbers(200, empty=100), [V1, says.OF_TRUTHS_ARE_NUMBERS_ARE]),
        (numbers(200, text=10), [V1, says.OF_TRUTHS_ARE_NUMBERS_ARE_TEXT]),
        (numbers(200, text=11), []),
        ([{**row, "ground_truth": "ten"} for row in numbers(20)], []),
    ],
)
def test_only_truths_of_one_kind_are_asked_about(rows: list[dict[str, Any]], warnings: list[str]) -> None:
    found = audited(rows, audit={"baseline": None}).warnings
    assert [one for one in found if "truths are" in one or "accept" in one] == warnings


def test_several_matchers_name_the_reading_with_its_matcher() -> None:
    result = audited(numbers(), matcher=["exact", "numeric"])
    assert [one for one in result.warnings if "accept" in one] == [V1.replace("stored+v1", "stored+v1+numeric")]


def test_the_number_of_processes_cannot_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in numbers(400, empty=16)), "utf-8")
    source = {"use": "jsonl", "path": str(path), "nulls": {"ground_truth": []}}
    run = {"experiment": "answer_parsing", "source": source, "matcher": "numeric", "by": [], "gate": [], "report": []}
    run["audit"] = {"baseline": {"parser": "stored", "normalizer": "none"}}  # else the rule of the labels is searched
    for n in (1, 2):
        auditfw.run({**run, "engine": {"workers": n}}, tmp_path / str(n))
    one, two = ((tmp_path / str(n) / "result.json").read_bytes() for n in (1, 2))
    assert one == two
    assert b"384 of 400 truths are numbers, 16 are empty" in one


@pytest.mark.parametrize(
    ("lossy", "named", "rules", "scope"),
    [
        ("", "a", [("a", "lossy", False), ("b", "lossy", False)], []),
        ("a", "a", [("a", "lossy_named", True), ("b", "lossy", False)], []),
        ("a", "b", [("a", "lossy", True), ("b", "lossy", False)], [says.A_ACCEPTS_WRONG_ANSWERS_AND]),
        ("ab", "", [("a", "lossy", True), ("b", "lossy", True)], [says.A_ACCEPT_WRONG_ANSWERS_AND]),
    ],
)
def test_a_rule_for_each_reading(lossy: str, named: str, rules: list[tuple[str, str, bool]], scope: list[str]) -> None:
    found = {name: LossyReading(name, "2.97", "2.7", 1, "why", ("do", "it"), "x") for name in lossy}
    argument = lossy_argument("ab", found, named)
    assert [(rule.reading, rule.rule, rule.fired) for rule in argument.rules] == rules
    assert list(argument.scope) == [f"{line} not decide (audit.decides)" for line in scope]


def test_a_refusal_counts_the_further_readings() -> None:
    found = {name: LossyReading(name, "2.97", "2.7", 1, "why", ("do", "it"), "x") for name in "ab"}
    assert says.A_ACCEPTS_FOR_AND_MORE in str(refusal(found))
    assert "more" not in str(refusal({"a": found["a"]}))
