"""Labels that two raters mean otherwise."""

from __future__ import annotations

import csv
import json
import random
import shlex
import subprocess
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from judging import REJECT, VALID, Counted, answer, fired, judged, rows
from omegaconf import OmegaConf
from running import run_auditfw
from sentences import consistency as says

import auditfw
from auditfw.audits.consistency.conclusions.renaming import Renaming

NUMBERS = {"labels": ["0", "1", "2"], "valid": "1", "acceptable": ["1"]}
EQUAL: Counted = {("0", "0"): 90, ("1", "1"): 90, ("0", "1"): 2, ("1", "0"): 2}
TURNED: Counted = {("0", "1"): 10, ("1", "2"): 10, ("2", "0"): 10, ("0", "2"): 1, ("1", "1"): 1}


def cells(*counted: Counted) -> list[dict[str, Any]]:
    return [row for name, one in zip("abcdef", counted, strict=False) for row in rows(one, part=name)]


def test_a_cell_of_other_numbers_passed_beside_two_good_ones() -> None:
    """0/1/2 against 1/2/0 on 32 of 400 items: the whole keeps its bounds, so kappa passes."""
    table = cells(EQUAL, EQUAL, TURNED)
    result = judged(table, by=["part"], audit=NUMBERS, gate=["kappa"])
    assert result.exit_code == 0
    drawn = answer(result)
    assert drawn.status == "fragile"
    assert drawn.headline == says.LABELS_OF_SCHOLAR_AND_AUDITOR
    assert says.AGREEMENT_OF_ITEMS_RISES_FROM in drawn.because[0]
    assert drawn.next == says.FIX_THE_LABELS_WHERE_PART


def test_a_renaming_of_all_items_is_reported_once() -> None:
    worded = {
        (f"l{one}", f"l{other}"): n for (one, other), n in TURNED.items()
    }  # turned numbers may be a reversed scale
    labels = {"labels": ["l0", "l1", "l2"], "valid": "l1", "acceptable": ["l1"]}
    result = judged(cells(worded, worded), by=["part"], audit=labels, gate=["kappa"])
    assert [dict(rule.cell) for rule in answer(result).rules if rule.rule == "renamed"] == [{}]


def test_the_cell_mended_raises_no_alarm() -> None:
    mended = {(one, str((int(other) - 1) % 3)): n for (one, other), n in TURNED.items()}
    result = judged(cells(EQUAL, EQUAL, mended), by=["part"], audit=NUMBERS, gate=["kappa"])
    assert (answer(result).status, fired(result)) == ("stable", set())


def test_what_the_answer_says_can_be_typed(tmp_path: Path) -> None:
    """The overrides of `next`, as a shell reads them, give the agreement that was promised."""
    lines = [
        ",".join(row[name] for name in ("id", "part", "scholar", "auditor")) for row in cells(EQUAL, EQUAL, TURNED)
    ]
    (tmp_path / "wide.csv").write_text("\n".join(["id,part,scholar,auditor", *lines]) + "\n", "utf-8")
    words = ["experiment=cross_agent", "source=csv", "source.path=wide.csv", 'audit.labels=["0","1","2"]', "gate=[]"]
    words += [
        "by=[part]",
        "report=[json]",
        "metric=[percent_agreement]",
        "source.columns={scholar: scholar, auditor: auditor}",
    ]
    before = json.loads(run_auditfw(words, tmp_path).stdout)
    typed = shlex.split(before["answer"]["next"].partition("alone: ")[2])
    after = json.loads(run_auditfw([*words, *typed], tmp_path).stdout)
    assert after["counts"] == {"read": 400, "audited": 32, "filtered": 368}
    [agreed] = [m["value"] for m in after["measurements"] if m["metric"] == "percent_agreement"]
    assert agreed == pytest.approx(30 / 32)


ODD = [
    ("sí", "si\u0301"), ("quizás", "quiza\u0301s"), ("a:b", "a,b"), ("p>q", "f(x)"), ("it's", 'say "hi"'),
    ("${HOME}", "$HOME"), ("a\\b", "b\\"), (" yes", "yes"), ("1.0", "1"), ("true", "yes"), ("Null", "007"),
    ("日本", "[x]"), ("{y}", "a=b"), ("`ls`", "!x"), ("1e3", "-"), ("a b", "a\u00a0b"), ("#tag", "~"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), [*ODD, *((other, one) for one, other in ODD)])
def test_aliases_can_be_typed_whatever_the_labels_are(here: Path, one: str, other: str) -> None:
    """What a shell and Hydra make of the printed words gives the agreement that was promised."""
    table = rows({(one, other): 60, ("p", "q"): 60, ("x", "x"): 60, (one, "x"): 2})
    with (here / "wide.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ("id", "scholar", "auditor"))
        writer.writeheader()
        writer.writerows(table)
    words = [
        "experiment=cross_agent", "source=csv", "source.path=wide.csv", "audit.labels=found", "gate=[]",
        "report=[]", "metric=[percent_agreement]", "policy=[]",
        "source.columns={scholar: scholar, auditor: auditor}",
    ]  # fmt: skip
    printed = answer(auditfw.run(words)).next.removeprefix("Map these labels: ")
    typed = subprocess.run(
        ["sh", "-c", f"printf '%s\\0' {printed}"],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    [word, end] = typed.stdout.split("\0")
    after = auditfw.run([*words, word])
    assert (end, answer(after).status) == ("", "stable")
    [agreed] = [m.estimate.value for m in after.measurements if m.metric == "percent_agreement"]
    assert agreed == pytest.approx(180 / 182)


def test_aliases_that_nobody_can_type_are_yaml() -> None:
    odd = {("ye\u200bs", "yes"): 60, ("no", "no"): 60}
    drawn = answer(judged(rows(odd), audit={"labels": "found"}, policy=[], gate=[]))
    start, _, yaml = drawn.next.partition("`: ")
    assert start == says.MAP_THESE_LABELS_IN_AN
    assert yaml == 'audit: {"aliases": {"scholar": {"ye\\U0000200bs": "yes"}}}'
    assert OmegaConf.create(yaml) == {"audit": {"aliases": {"scholar": {"ye\u200bs": "yes"}}}}


@pytest.mark.parametrize(
    ("one", "other", "kind", "arrow"),
    [
        ("si\u0301", "sí", "by Unicode form", "sí (NFD)→sí"),
        ("👍\ufe0f", "👍", "by hidden characters", "👍<U+FE0F>→👍"),
        (" yes", "yes", "by blanks", "' yes'→yes"),
        ("a\u00a0b", "a b", "by blanks", "a<U+00A0>b→a b"),
        ("Yes", "yes", "by case", "Yes→yes"),
        ("Yes ", "yes", "by case and blanks", "'Yes '→yes"),
        ("1.0", "1", says.BY_HOW_NUMBERS_ARE_WRITTEN, "1.0→1"),
        ("3", "1", "by a shift of -2", "3→1"),
        ("oui", "yes", "by a renaming", "oui→yes"),
    ],
)
def test_what_labels_differ_by_is_named_and_visible(one: str, other: str, kind: str, arrow: str) -> None:
    renaming = Renaming("a", {}, {one: other}, 10, 0.1, 0.9, 0.001)
    assert (renaming.kind, normalize("NFC", renaming.arrows)) == (kind, arrow)


@pytest.mark.parametrize(
    ("counted", "labels", "kind", "do"),
    [
        (
            {("YES", VALID): 60, ("NO", REJECT): 58, ("YES", REJECT): 2},
            ["YES", "NO", VALID, REJECT],
            "by a renaming",
            "'audit.aliases={scholar: {YES: VALID, NO: REJECT}}'",
        ),
        (
            {("valid", VALID): 60, (REJECT, REJECT): 58, ("valid", REJECT): 2},
            ["valid", VALID, REJECT],
            "by case",
            "'audit.aliases={auditor: {VALID: valid}}'",
        ),
        (
            {("1", "0"): 60, ("0", "1"): 58, ("0", "0"): 2, ("2", "2"): 40},
            ["0", "1", "2"],
            "by a renaming",
            '\'audit.aliases={scholar: {0: "1", 1: "0"}}\'',
        ),
    ],
)
def test_renamings_of_all_items(counted: Counted, labels: list[str], kind: str, do: str) -> None:
    result = judged(rows(counted), audit={"labels": labels}, gate=["kappa"])
    drawn = answer(result)
    assert drawn.status in ("fragile", "broken")
    assert any(f"Labels of scholar and auditor differ {kind}: read as" in reason for reason in drawn.because)
    assert drawn.next == f"Map these labels: {do}"


@pytest.mark.parametrize(
    ("counted", "kind", "do", "rises"),
    [
        (
            {("yes", "yes"): 20, ("yes", "Yes"): 9, ("yes", "YES"): 8, ("no", "no"): 30, ("no", "No"): 13},
            "by case",
            '{auditor: {No: "no", YES: "yes", Yes: "yes"}}',
            "62.5 % to 100.0 %",
        ),
        (
            {("Yes", "yes"): 9, ("yes", "Yes"): 9, ("yes", "yes"): 30, ("no", "no"): 30, ("no", "yes"): 2},
            "by case",
            '{scholar: {Yes: "yes"}, auditor: {Yes: "yes"}}',
            "75.0 % to 97.5 %",
        ),
        (
            {("no ", "no"): 9, ("yes", "yes"): 40, ("no", "no"): 30, ("no", "yes"): 1},
            "by blanks",
            '{scholar: [["no ", "no"]]}',
            "87.5 % to 98.8 %",
        ),
        (
            {("1.0", "1"): 9, ("1", "1"): 20, ("2", "2"): 20, ("2.00", "2"): 1},
            says.BY_HOW_NUMBERS_ARE_WRITTEN,
            '{scholar: [["1.0", "1"], ["2.00", "2"]]}',
            "80.0 % to 100.0 %",
        ),
    ],
)
def test_several_spellings_of_a_label(counted: Counted, kind: str, do: str, rises: str) -> None:
    """No one-to-one renaming mends what one rater writes in several ways."""
    drawn = answer(judged(rows(counted), audit={"labels": "found"}, policy=[], gate=["kappa"]))
    assert (drawn.status, drawn.next) == ("fragile", f"Map these labels: 'audit.aliases={do}'")
    assert f"differ {kind}: read as" in drawn.because[0]
    assert f"rises from {rises}." in drawn.because[0]


def test_labels_that_differ_by_case_may_be_two() -> None:
    """Raters confuse A with a no more often than with B or b: 14 of 120 items, and no alarm."""
    same: Counted = {(label, label): 26 for label in "ABab"}
    confused = same | {("A", "a"): 5, ("A", "B"): 4, ("a", "b"): 4, ("b", "A"): 4, ("B", "a"): 4, ("B", "b"): 3}
    assert "renamed" not in {rule for rule, _ in fired(judged(rows(confused), audit={"labels": "found"}, policy=[]))}


def test_renamed_labels_agree() -> None:
    counted = {("YES", VALID): 60, ("NO", REJECT): 58, ("YES", REJECT): 2}
    audit = {"labels": ["YES", "NO", VALID, REJECT], "aliases": {"scholar": {"YES": VALID, "NO": REJECT}}}
    assert answer(judged(rows(counted), audit=audit, gate=["kappa"])).status == "stable"


def test_too_few_items_prove_no_renaming() -> None:
    labels = {"labels": ["a", "b", "c"], "valid": "a", "acceptable": ["a"]}
    six = {("a", "b"): 3, ("b", "c"): 3, ("c", "a"): 3}
    assert "renamed" not in {rule for rule, _ in fired(judged(rows(six), audit=labels, gate=[]))}
    many = dict.fromkeys(six, 10)
    assert "renamed" in {rule for rule, _ in fired(judged(rows(many), audit=labels, gate=[]))}


@pytest.mark.parametrize(
    "counted",
    [
        {("0", "0"): 60, ("1", "1"): 60, ("2", "1"): 60},  # two labels of the reference merged
        {("0", "1"): 60, ("1", "2"): 60, ("2", "2"): 60},  # a chain that ends in a label that the rater gives
        {("0", "1"): 60, ("1", "0"): 60},  # two labels exchanged: a judge that is wrong says the same
        {("0", "1"): 20, ("0", "0"): 40, ("1", "0"): 20, ("1", "1"): 40, ("2", "2"): 60},
        {("0", "0"): 500, ("1", "1"): 500, ("2", "2"): 500, ("0", "1"): 40, ("1", "0"): 40},  # a little confused
    ],
)
def test_a_wrong_judge_is_never_called_mislabelled(counted: Counted) -> None:
    assert "renamed" not in {rule for rule, _ in fired(judged(rows(counted), audit=NUMBERS, gate=[]))}


def test_chance_proves_no_renaming() -> None:
    """Raters who label at random: of 200 tables with 30 items and 4 labels at most a few look renamed."""
    rng = random.Random(0)
    table = [
        {"id": f"{part}-{i}", "part": part, "scholar": rng.choice("0123"), "auditor": rng.choice("0123")}
        for part in range(200)
        for i in range(30)
    ]
    result = judged(table, by=["part"], audit={"labels": list("0123")}, gate=[], metric=["kappa"], metrics=QUICK)
    assert sum(rule == "renamed" for rule, _ in fired(result)) == 0


QUICK = {"kappa": {"interval": {"method": "none"}}}


def test_a_label_of_one_rater_alone_is_reported() -> None:
    counted = {(VALID, VALID): 80, (REJECT, REJECT): 80, ("NOT_IN_CONTEXT", REJECT): 10, ("ABSTAIN", VALID): 10}
    drawn = answer(judged(rows(counted), gate=["kappa"]))
    assert "Only scholar uses 'NOT_IN_CONTEXT' × 10" in drawn.scope
    assert "ABSTAIN" not in drawn.scope
    rare = answer(judged(rows(counted | {("NOT_IN_CONTEXT", REJECT): 3}), gate=["kappa"]))
    assert "Only" not in rare.scope


def test_among_several_raters_a_label_is_not_said_to_be_of_one_alone() -> None:
    """h uses B as k does; j alone does not."""
    table = [{"id": str(i), "h": "AB"[i % 5 == 0], "j": "A", "k": "AB"[i % 6 == 0]} for i in range(60)]
    audit = {"labels": "found", "raters": ["h", "j", "k"], "reference": "h"}
    drawn = answer(judged(table, audit=audit, policy=[], gate=["kappa"]))
    assert says.OF_AND_ONLY_USES in drawn.scope
    assert "Only" not in drawn.scope
