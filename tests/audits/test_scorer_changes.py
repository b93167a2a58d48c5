"""The known changes of scorers against the versions for which shipped rules say that they hold."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from packaging.version import Version
from sentences import all_audits as says

from auditfw.audits.scorer_changes import (
    EFFECTS,
    LAST,
    NO_LABEL,
    RELEASED,
    Upgrade,
    changes_between,
    scorer_changes,
    version_at,
    version_with,
)
from auditfw.commands.paths.sources import states_of
from auditfw.commands.paths.upgrade import names_of
from auditfw.components.source.inspect_log.scorers import PAST
from auditfw.config.variants import variants
from auditfw.core.errors import UsageError
from auditfw.kinds.evidence import ScorerRule

VERSIONS = [Version(f"0.3.{number}") for number in range(1, int(LAST["inspect_ai"].rpartition(".")[2]) + 1)]
CHOICE = {"choice", "choice(single)", "choice(several)"}


def state(rule: ScorerRule, at: Version) -> list[str]:
    """The shipped rules that hold at a version."""
    return [one.name for one in states_of("inspect", rule) if one.holds(at)]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("match", {}),
        ("match", {"numeric": True}),
        ("match", {"numeric": True, "location": "begin"}),
        ("answer", {"pattern": "letter"}),
        ("answer", {"pattern": "word"}),
        ("answer", {"pattern": "line"}),
        ("choice", {}),
        ("choice", {"multiple_correct": True}),
        ("exact", {}),
        ("f1", {}),
    ],
)
def test_rules_change_where_their_scorer_does(name: str, options: dict[str, Any]) -> None:
    """From the first version on that has a rule each has exactly one, and another where a label may be another."""
    rule = ScorerRule(name, options, "")
    holding = [state(rule, at) for at in VERSIONS]
    first = next(i for i, one in enumerate(holding) if one)
    assert {len(one) for one in holding[first:]} == {1}
    turned = {str(at) for at, (old, new) in zip(VERSIONS[1:], pairwise(holding), strict=True) if old and old != new}
    names = {*names_of(rule), *(CHOICE if name == "choice" else ())}
    since = str(VERSIONS[first])
    changed = {one.version for one in changes_between("inspect_ai", names, since, LAST["inspect_ai"])}
    assert turned == (changed if name != "match" or options else set())
    before = {one.version for one in changes_between("inspect_ai", names, "0.3.0", since)}
    assert not first or since in before


def test_the_names_of_past_rules_are_their_files() -> None:
    holds = {name: one.settings["holds"] for name, one in variants("scorer").items() if "holds" in one.settings}
    of_inspect = {name for name, one in holds.items() if "inspect_ai" in one}
    assert of_inspect == {f"{name}{end}" for name, ends in PAST.items() for end in ends}
    assert {program for one in holds.values() for program in one} <= {*LAST}
    for name, one in holds.items():  # a past rule is named by its last version
        last = name.partition("_0_")[2]
        if last:
            at = Version(f"0.{last.replace('_', '.')}")
            assert one["inspect_ai"].endswith(f"<0.3.{at.micro + 1}")


def test_the_table_reads_well() -> None:
    rows = scorer_changes()
    assert {one.harness for one in rows} == {*LAST}
    assert {one.effect for one in rows} == {*EFFECTS}
    for harness, last in LAST.items():
        versions = [Version(one.version) for one in rows if one.harness == harness]
        assert versions == sorted(versions, reverse=True)
        assert versions[0] <= Version(last)
    assert len(set(rows)) == len(rows)


def test_the_version_of_a_day() -> None:
    known = {one.version for one in scorer_changes()} | {"0.3.130", LAST["inspect_ai"]}
    assert {*RELEASED["inspect_ai"].values()} <= known
    days = ("2025-09-06", "2025-09-07", "2026-05-15", "2026-05-16", "2027-01-01", "")
    assert [version_at("inspect_ai", day) for day in days] == [None, "0.3.130", "0.3.206", "0.3.221", "0.3.285", None]
    assert version_at("lm_eval", "2026-05-16") is None


def test_changes_between_two_versions() -> None:
    """The first version is not one of them, the last one is; what keeps every label is no change."""
    numeric = [one.version for one in changes_between("inspect_ai", ["match(numeric)"], "0.3.220", "0.3.253")]
    assert numeric == ["0.3.221", "0.3.253"]
    assert changes_between("inspect_ai", ["match(numeric)"], "0.3.221", "0.3.252") == []
    assert changes_between("inspect_ai", ["pattern"], "0.3.200", "0.3.285") == []
    assert [one for one in scorer_changes() if one.scorer == "pattern" and one.effect == NO_LABEL]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"harness": "inspect"}, says.HARNESS_NO_SUCH_PROGRAM),
        ({"versions": {"one": "0.3.1"}}, says.VERSIONS_NEEDS_TWO_READINGS),
    ],
)
def test_a_setting_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        Upgrade(**{"scorer": "match", "to": "0.3.285", "versions": {"one": "0.3.1", "two": "0.3.2"}} | settings)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("tasks", "task_version", "version"),
    [
        (["gsm8k"], "2.0", "0.4.1"),
        (["gsm8k_cot"], "3.0", None),
        (["minerva_math_algebra", "minerva_math_geometry"], "2.0", "0.4.8"),
        (["minerva_math_algebra", "mmlu_pro_law"], "3.0", None),
        (["hendrycks_math500"], "1.0", "0.4.3"),
        (["hendrycks_math500"], "9.0", None),
        ([], "1.0", None),
    ],
)
def test_a_version_by_that_of_a_task(tasks: list[str], task_version: str, version: str | None) -> None:
    assert version_with("lm_eval", tasks, task_version) == version
