"""Policies: decision tables checked by trying every case, the shipped ones row by row, and the majority."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditfw
from auditfw.components.policy.table import Majority, Otherwise, PolicyRule, TablePolicy
from auditfw.core.errors import UsageError
from auditfw.kinds.judgements import FLAGS, derived_columns, reduced

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
RATERS = ("scholar", "auditor")


def decide(policy: Any, *labels: str | None, flags: tuple[bool, ...] = (False, False, False)) -> tuple[str | None, str]:
    raters = (*RATERS, "third", "fourth")[: len(labels)]
    rows: dict[str, list[Any]] = {name: [label] for name, label in zip(raters, labels, strict=True)}
    rows |= derived_columns(rows, "auditor")
    rows |= {name: [flag] for name, flag in zip(FLAGS, flags, strict=True)}
    return policy(rows)[0]


V, N, R, A = LABELS
# scholar, auditor, and what auditor_veto, strict and refusal_ships decide
DECIDED = [
    (V, V, (V, "auditor_ok"), (V, "agreed_valid"), (V, "auditor_ok")),
    (N, V, (V, "auditor_ok"), (R, "incoherent_pair"), (V, "auditor_ok")),
    (R, V, (R, "incoherent_pair"), (R, "incoherent_pair"), (R, "incoherent_pair")),
    (A, V, (R, "incoherent_pair"), (R, "incoherent_pair"), (R, "incoherent_pair")),
    (V, N, (R, "auditor_veto"), (R, "incoherent_pair"), (R, "auditor_veto")),
    (N, N, (R, "auditor_veto"), (R, "agreed_not_valid"), (N, "agreed_refusal")),
    (R, R, (R, "auditor_veto"), (R, "agreed_not_valid"), (R, "auditor_veto")),
    (V, A, (R, "auditor_veto"), (R, "incoherent_pair"), (R, "auditor_veto")),
]


@pytest.mark.parametrize(("scholar", "auditor", "veto", "strict", "ships"), DECIDED)
def test_shipped_tables(scholar: str, auditor: str, veto: Any, strict: Any, ships: Any) -> None:
    for name, expected in (("auditor_veto", veto), ("strict", strict), ("refusal_ships", ships)):
        assert decide(auditfw.load("policy", name), scholar, auditor) == expected


@pytest.mark.parametrize("name", ["auditor_veto", "strict", "refusal_ships"])
def test_red_flags_reject_first(name: str) -> None:
    policy = auditfw.load("policy", name)
    whys = ("hard_flag", "citation_out_of_scope", "evidence_missing")
    for labels in product(LABELS, repeat=2):
        for flags in product((True, False), repeat=3):
            if any(flags):
                assert decide(policy, *labels, flags=flags) == ("REJECT", whys[flags.index(True)])


@pytest.mark.parametrize("name", ["auditor_veto", "strict", "refusal_ships"])
@pytest.mark.parametrize("raters", [RATERS, (*RATERS, "third"), ("a", "b")])
def test_shipped_tables_cover_every_case(name: str, raters: tuple[str, ...]) -> None:
    auditfw.load("policy", name).check(raters, LABELS, raters[1])


def refusal(table: TablePolicy, labels: tuple[str, ...] = LABELS) -> str:
    with pytest.raises(UsageError) as refused:
        table.check(RATERS, labels, "auditor")
    return str(refused.value)


def test_uncovered_case_is_shown() -> None:
    table = TablePolicy(
        (PolicyRule("auditor = 'VALID' OR scholar <> 'REJECT'", "VALID", "a"), PolicyRule("hard_flag", "REJECT", "b"))
    )
    said = refusal(table)
    assert said.startswith("rules: a case is not covered (auditor = 'NOT_IN_CONTEXT', scholar = 'REJECT'")
    assert "hard_flag = false" in said
    TablePolicy(table.rules, Otherwise("REJECT", "c")).check(RATERS, LABELS, "auditor")


def test_rule_never_reached_is_shown() -> None:
    rules = (PolicyRule("auditor <> 'VALID'", "REJECT", "a"), PolicyRule("auditor = 'ABSTAIN'", "REJECT", "b"))
    assert "rules[1]: is never reached (auditor = 'ABSTAIN')" in refusal(TablePolicy(rules, Otherwise("VALID", "c")))


def test_two_raters_always_have_a_label() -> None:
    """Of three one may have none, as an item that was not given to it."""
    table = TablePolicy((PolicyRule("scholar IS NULL", "REJECT", "a"),), Otherwise("VALID", "b"))
    assert "rules[0]: is never reached" in refusal(table)
    table.check((*RATERS, "third"), LABELS, "auditor")


def test_rule_on_the_same_rater_under_two_names() -> None:
    """`reference` is the auditor, so they never differ."""
    rules = (PolicyRule("reference <> auditor", "REJECT", "a"),)
    assert "rules[0]: is never reached" in refusal(TablePolicy(rules, Otherwise("VALID", "b")))


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("audtor = 'VALID'", "rules[0].when: no column 'audtor' for a decision (found: scholar, auditor,"),
        ("auditor = ", "rules[0].when: cannot be read as SQL"),
        ("auditor", "rules[0].when: is not a condition (it gives String)"),
        ("auditor > 3", "rules[0].when: cannot be evaluated (cannot compare"),
        ("MAX(auditor) = 'VALID'", "rules[0].when: expected a condition on one row at a time"),
        (
            "auditor IN (SELECT 1)",
            "rules[0].when: expected a condition on one row at a time, got auditor IN (SELECT 1)",
        ),
    ],
)
def test_bad_conditions(sql: str, said: str) -> None:
    assert said in refusal(TablePolicy((PolicyRule(sql, "VALID", "a"),), Otherwise("REJECT", "b")))


OK, NO = "it's ok", 'say "no"'
# the condition, and the labels that a run must have one of; none where a text may be something else than a label
COMPARED = [
    ("scholar = 'it''s ok' AND auditor <> 'say \"no\"'", (OK, NO)),
    ("NOT (scholar NOT IN ('x', 'y')) or 'z' = auditor", ("x", "y", "z")),
    ("\"the 'first' rater\" == 'x' OR hard_flag", ("x",)),
    ("reference IS NULL OR reference != 'x'", ("x",)),
    ("hard_flag", ()),
    ("scholar = 'x' AND auditor LIKE 'VAL%'", ()),
    ("LOWER(scholar) = 'x'", ()),
    ("scholar || auditor = 'xy'", ()),
    ("scholar = 'x' || 'y'", ()),
    ("scholar BETWEEN 'x' AND 'y'", ()),
    ("scholar > 'x'", ()),
    ("COALESCE(scholar, 'x') = 'y' AND auditor = 'z'", ()),
    ("CASE WHEN scholar = 'x' THEN auditor = 'y' END", ()),
    ("agreed = 'x'", ()),
]


@pytest.mark.parametrize(("sql", "labels"), COMPARED)
def test_only_what_is_compared_with_a_rater_is_a_label(sql: str, labels: tuple[str, ...]) -> None:
    assert TablePolicy((PolicyRule(sql, None, "a"),)).labels == labels
    second = TablePolicy((PolicyRule(sql, None, "a"), PolicyRule("scholar = 'w'", None, "b")))
    assert second.labels == ((*labels, "w") if labels or "'" not in sql else ())


def test_labels_with_quotes_are_arbitrated() -> None:
    """Such a policy was taken for one of other labels, and left out."""
    table = {"use": "table", "rules": [{"when": "agreed AND scholar = 'it''s ok'", "final": OK, "why": "a"}]}
    result = consistency(table | {"otherwise": {"final": NO, "why": "b"}}, labels=[OK, NO], acceptable=[OK])
    assert not any("policy" in warning for warning in result.warnings)
    assert result.measurement("shipped_rate", "final.mine").estimate.value == 0.5


def consistency(policy: dict[str, Any], **audit: Any) -> auditfw.Result:
    rows = [("1", OK, OK), ("2", NO, OK)]
    frame = [{"id": qid, "scholar": one, "auditor": other} for qid, one, other in rows]
    audit |= {"policies": {"mine": policy}}
    chosen = {"experiment": "cross_agent", "policy": [], "gate": []}
    return auditfw.run({**chosen, "source": {"use": "frame", "frame": frame}, "audit": audit})


NEAR = f"policy mine returns 'it's OK', which is not a label of this run - did you mean '{OK}'?"
NONE_SHIPS = "policy mine returns no acceptable label ({}): nothing counts as shipped"


@pytest.mark.parametrize(
    ("final", "acceptable", "told"),
    [
        (OK, OK, []),
        ("it's OK", OK, [NEAR, NONE_SHIPS.format(OK)]),
        ("SHIP", OK, [NONE_SHIPS.format(OK)]),
        ("SHIP", "SHIP", []),
        ("ESCALATE", NO, []),
        (None, OK, [NONE_SHIPS.format(OK)]),
        ("{majority}", OK, []),
    ],
)
def test_doubtful_final_labels_are_told(final: str | None, acceptable: str, told: list[str]) -> None:
    """Any label may be a decision; what can only be a mistake is told."""
    rules = [{"when": "agreed", "final": final, "why": "a"}]
    policy = {"use": "table", "rules": rules, "otherwise": {"final": NO, "why": "b"}}
    result = consistency(policy, labels=[OK, NO], acceptable=[acceptable])
    assert [warning for warning in result.warnings if warning.startswith("policy")] == told


def test_a_policy_of_other_labels_is_left_out() -> None:
    foreign = {"use": "table", "rules": [{"when": "scholar = 'YES'", "final": "SHIP", "why": "a"}]}
    found = consistency(foreign, labels=[OK, NO], acceptable=[OK]).warnings
    assert found[0].startswith("policy mine is for other labels (YES)")


CONDITIONS = (
    "majority = 'VALID'", "majority = 'REJECT'", "majority IS NULL", "agreed", "NOT agreed", "reference = 'VALID'",
    "candidate IS NULL", "third = 'REJECT'", "scholar = auditor", "hard_flag", "NOT evidence_missing",
    "majority = reference AND NOT hard_flag",
)  # fmt: skip


def plain_error(policy: TablePolicy, raters: tuple[str, ...], labels: tuple[str, ...]) -> str | None:
    """What a check of every case, one by one, finds wrong with a table whose rule n says why "n"."""
    derived = {"reference", "candidate", "majority", "agreed"} & set(policy.names)
    own = raters if derived else tuple(name for name in policy.names if name in raters)
    flags = [name for name in policy.names if name in FLAGS]
    reached: set[str] = set()
    for case in product(*[[*labels, None]] * len(own), *[[True, False]] * len(flags)):
        row: dict[str, list[Any]] = {name: [value] for name, value in zip((*own, *flags), case, strict=True)}
        row |= derived_columns({name: row[name] for name in raters}, "auditor") if derived else {}
        [(_, why)] = policy({key: [None] for key in (*raters, *FLAGS)} | row)
        if why == "uncovered":
            shown = ", ".join(f"{name} = {spelt(row[name][0])}" for name in dict.fromkeys((*own, *policy.names)))
            return f"rules: a case is not covered ({shown})"
        reached.add(why)
    never = next((i for i in range(len(policy.rules)) if str(i) not in reached), None)
    return None if never is None else f"rules[{never}]: is never reached ({policy.rules[never].when})"


def spelt(value: object) -> str:
    return json.dumps(value).replace('"', "'")


@given(conditions=st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=4), ends=st.booleans())
def test_a_check_finds_what_every_case_one_by_one_shows(conditions: list[str], ends: bool) -> None:
    rules = tuple(PolicyRule(when, "VALID", str(i)) for i, when in enumerate(conditions))
    policy = TablePolicy(rules, Otherwise("REJECT", "else") if ends else None)
    raters, labels = (*RATERS, "third"), (V, R)
    expected = plain_error(policy, raters, labels)
    shown = re.escape((expected or "")[:120])  # the rest may be cut
    with nullcontext() if expected is None else pytest.raises(UsageError, match=shown):
        policy.check(raters, labels, "auditor")


def test_too_many_cases_are_refused_before_they_are_tried() -> None:
    raters = tuple("abcdefghi")
    rule = PolicyRule(" AND ".join(f"{name} = 'VALID'" for name in raters), "VALID", "all")
    with pytest.raises(UsageError, match=r"rules: name columns with 1,953,125 cases \(at most 1,000,000\)"):
        TablePolicy((rule,), Otherwise("REJECT", "else")).check(raters, LABELS, "a")


def test_final_may_name_a_column() -> None:
    table = TablePolicy((PolicyRule("majority IS NOT NULL", "{majority}", "majority"),), Otherwise(None, "none"))
    table.check((*RATERS, "third"), LABELS, "auditor")
    assert decide(table, "VALID", "REJECT", "REJECT") == ("REJECT", "majority")
    assert decide(table, "VALID", "REJECT", None) == (None, "none")


def test_null_is_a_case_with_three_raters() -> None:
    rules = tuple(PolicyRule(f"third = '{label}'", "VALID", label) for label in LABELS)
    with pytest.raises(UsageError, match="third = null"):
        TablePolicy(rules).check((*RATERS, "third"), LABELS, "auditor")


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        (("VALID", "VALID", "REJECT"), ("VALID", "majority")),
        (("VALID", "VALID", None), ("VALID", "unanimous")),
        (("VALID", "REJECT", "ABSTAIN"), (None, "no_majority")),
        (("VALID", "REJECT", None), (None, "no_majority")),
        ((None, None, None), (None, "no_majority")),
    ],
)
def test_majority(votes: tuple[str | None, ...], expected: tuple[str | None, str]) -> None:
    assert decide(Majority(), *votes) == expected


def test_majority_of_some() -> None:
    policy = Majority(("scholar", "auditor", "third"), "ABSTAIN")
    assert decide(policy, "VALID", "REJECT", "ABSTAIN", "VALID") == ("ABSTAIN", "no_majority")
    with pytest.raises(UsageError, match="no rater 'third'"):
        policy.check(RATERS, LABELS, "auditor")


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=9))
def test_votes(votes: list[str]) -> None:
    most = max(map(votes.count, LABELS))
    best = [label for label in LABELS if votes.count(label) == most]
    assert reduced(votes, "tie") == (best[0] if len(best) == 1 else "tie")
