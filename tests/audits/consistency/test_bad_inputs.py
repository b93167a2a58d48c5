"""Bad judgements: what is counted, what is refused with its place, and what the verdict is.

The numbers are those of the catalogue of bad inputs the command was built against: 93-108, agreement and arbitration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from running import Command

from auditfw.commands.run import execute
from auditfw.config import build as bridge
from auditfw.core.errors import AuditError

PAIRS = ("experiment=cross_agent", "source=pairs", "source.path=p.jsonl", "report=[json]", "hydra.run.dir=run")
FILES = ("experiment=cross_agent", "source=raters", "report=[json]", "hydra.run.dir=run")
TWO = (*FILES, "source.paths={scholar: s.jsonl, auditor: a.jsonl}")
LABELS = "# @package _global_\ndefaults: [override /audit: consistency]\naudit: {labels: [YES, NO]}\n"
VALID, REJECT, REFUSED, ABSTAIN = "VALID", "REJECT", "NOT_IN_CONTEXT", "ABSTAIN"
FLAGGED = {"flags": {"provenance_violation": True, "constraints_mismatch": False}}


def pair(qid: Any, scholar: Any, auditor: Any, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "scholar": {"label": scholar}, "auditor": {"label": auditor}, **more}


def pairs(*counts: tuple[str, str, int]) -> list[dict[str, Any]]:
    """So many records of each pair of labels."""
    labels = [(scholar, auditor) for scholar, auditor, n in counts for _ in range(n)]
    return [pair(f"q{i:03}", scholar, auditor) for i, (scholar, auditor) in enumerate(labels, 1)]


def lines(rows: list[Any]) -> str:
    return "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)


TWICE = """\
  - {when: "auditor <> 'VALID'", final: REJECT, why: a}
  - {when: "auditor = 'REJECT'", final: REJECT, why: b}
otherwise: {final: VALID, why: c}
"""
SOUND = pairs((VALID, VALID, 20), (REJECT, REJECT, 20))


def policy(rules: str) -> dict[str, str]:
    """A decision table of the user's own."""
    head = "# @package audit.policies.mine\n# Ours.\ndefaults: [table@_here_, _self_]\nrules:\n"
    return {"conf/policy/mine.yaml": head + rules}


@dataclass(frozen=True)
class Case:
    """One row of the catalogue: the files, what is typed, the exit code, and what is found.

    `said` are words of the error, or of the warnings and sections of a run that ends; `counts` its buckets; `values`
    are measurements by name; `gates` the statuses of some gates.
    """

    row: int
    what: str
    files: Mapping[str, str]
    argv: tuple[str, ...]
    code: int
    said: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, float | None] = field(default_factory=dict)
    gates: Mapping[str, str] = field(default_factory=dict)

    @property
    def ends(self) -> bool:
        """Whether the run ends with a result; otherwise it stops with an error."""
        return self.code < 2

    def __str__(self) -> str:
        return f"{self.row}-{self.what}".replace(" ", "-")


def of(*rows: Any) -> dict[str, str]:
    return {"p.jsonl": lines(list(rows))}


CASES = [
    Case(
        11,
        "YES for a label",
        {**of(*pairs((VALID, VALID, 1))), "conf/experiment/mine.yaml": LABELS},
        ("experiment=mine", *PAIRS[1:]),
        2,
        ("audit.labels[0]", "got true", "quote it"),
    ),
    Case(
        93,
        "one label throughout",
        of(*pairs((VALID, VALID, 50))),
        PAIRS,
        1,
        ("kappa is undefined, not bad",),
        values={"kappa@scholar": None, "percent_agreement@scholar": 1.0},
        gates={"agreement": "pass", "kappa": "inconclusive"},
    ),
    Case(
        94,
        "high agreement and low kappa",
        of(*pairs((VALID, VALID, 98), (VALID, REJECT, 1), (REJECT, VALID, 1))),
        PAIRS,
        1,
        ("yet kappa is -0.01", "AC1 is", "gate on gwet_ac1"),
        gates={"agreement": "pass", "kappa": "fail"},
    ),
    Case(
        95,
        "unknown labels",
        of(*SOUND, pair("a", "valid", VALID), pair("b", VALID, "Valid "), pair("c", "MAYBE", VALID)),
        PAIRS,
        3,
        (
            "p.jsonl:41: a label that is not declared: scholar says 'valid' (3 such items: scholar 'valid' × 1,"
            " auditor 'Valid ' × 1, scholar 'MAYBE' × 1) - ",
            "audit.case=fold or audit.unknown_labels=count",
        ),
    ),
    Case(
        95,
        "labels folded and unknown ones counted",
        of(*SOUND, pair("a", "valid", VALID), pair("b", VALID, "Valid "), pair("c", "MAYBE", VALID)),
        (*PAIRS, "audit.case=fold", "audit.unknown_labels=count"),
        0,
        ("p.jsonl:43", "'MAYBE'"),
        {"read": 43, "audited": 42, "unknown_label": 1},
    ),
    Case(
        95,
        "null and missing labels",
        of(*SOUND, pair("a", None, VALID), {"qid": "b", "scholar": {"label": VALID}}, {"qid": "c"}),
        PAIRS,
        0,
        ("p.jsonl:41 item a: no label by scholar", "p.jsonl:42 item b: no label by auditor"),
        {"read": 43, "audited": 40, "one_sided": 2, "missing": 1},
    ),
    Case(
        96,
        "twice in the pairs",
        of(*SOUND, pair("q003", VALID, REJECT)),
        PAIRS,
        3,
        ("p.jsonl:41: duplicate item 'q003' (first at p.jsonl:3)", "{qid}/{COLUMN}", "audit.duplicates=first"),
    ),
    Case(
        96,
        "twice in one table without a qid",
        {"t.jsonl": lines([{"id": "1", "who": who, "label": VALID} for who in ("scholar", "scholar", "auditor")])},
        (
            *("experiment=cross_agent", "source=raters", "source.path=t.jsonl"),
            "source.columns={rater: who, label: label}",
        ),
        3,
        ("t.jsonl:2: scholar labels the item '1' twice", "source.columns.id='\"{id}/{COLUMN}\"'"),
    ),
    Case(
        96,
        "twice in one table with an id of another name",
        {"t.jsonl": lines([{"key": "1", "who": who, "label": VALID} for who in ("scholar", "scholar", "auditor")])},
        (
            *("experiment=cross_agent", "source=raters", "source.path=t.jsonl"),
            "source.columns={id: key, rater: who, label: label}",
        ),
        3,
        ("t.jsonl:2: scholar labels the item '1' twice", "source.columns.id='\"{key}/{COLUMN}\"'"),
    ),
    Case(
        96,
        "twice in the pairs, the first kept",
        of(*SOUND, pair("q003", VALID, REJECT)),
        (*PAIRS, "audit.duplicates=first"),
        0,
        counts={"read": 41, "audited": 40, "duplicate": 1},
    ),
    Case(
        96,
        "twice in one file",
        {
            "s.jsonl": lines([{"qid": "1", "label": VALID}, {"qid": "1", "label": REJECT}]),
            "a.jsonl": lines([{"qid": "1", "label": VALID}]),
        },
        TWO,
        3,
        ("s.jsonl:2: scholar labels the item '1' twice (first at s.jsonl:1)", "votes"),
    ),
    Case(
        97,
        "on one side only",
        {
            "s.jsonl": lines([{"qid": str(i), "label": VALID if i % 2 else REJECT} for i in range(12)]),
            "a.jsonl": lines([{"qid": i, "label": VALID if i % 2 else REJECT} for i in range(10)]),
        },
        TWO,
        1,
        ("s.jsonl:11 item 10: no label by auditor",),
        {"read": 22, "audited": 20, "one_sided": 2},
        {"percent_agreement@scholar": 1.0},
        gates={"coverage": "fail"},
    ),
    Case(
        98,
        "abstentions by the auditor",
        of(*pairs((VALID, VALID, 95), (VALID, ABSTAIN, 5))),
        PAIRS,
        1,
        values={"abstain_rate@scholar": 0.0, "abstain_rate@auditor": 0.05, "abstain_rate@either": 0.05},
        gates={"abstain": "fail"},
    ),
    Case(
        99,
        "a red flag where both say VALID",
        of(*SOUND, pair("f", VALID, VALID, **FLAGGED)),
        PAIRS,
        1,
        values={"hard_flags@all": 1.0, "overruled@final.auditor_veto": 1.0},
        gates={"agreement": "pass", "kappa": "pass", "hard_flags": "fail"},
    ),
    Case(
        100,
        "evidence of a wrong type",
        of(
            *SOUND,
            pair("a", VALID, VALID, flags=None),
            pair("b", VALID, VALID, flags=[]),
            pair("c", VALID, VALID, flags={"provenance_violation": "false"}),
            pair("d", VALID, VALID, answer_json={"claim": "x", "citations": "p1"}, retrieved_ids=["p1"]),
        ),
        PAIRS,
        3,
        (
            "p.jsonl:41: flags is null, not an object",
            "p.jsonl:42: flags is a list '[]', not an object",
            "p.jsonl:43: flags.provenance_violation is text 'false', not true or false",
            "p.jsonl:44: answer_json.citations is text 'p1', not a list",
        ),
    ),
    Case(
        101,
        "citations without retrieved ids",
        of(*SOUND, pair("a", VALID, VALID, answer_json={"claim": "x", "citations": ["p1"]})),
        PAIRS,
        0,
        ("a\tVALID\tVALID\tREJECT\tevidence_missing",),
    ),
    Case(
        102,
        "both refuse",
        of(*SOUND, pair("a", REFUSED, REFUSED)),
        (*PAIRS, "policy=[auditor_veto,refusal_ships]"),
        0,
        ("a\tNOT_IN_CONTEXT\tNOT_IN_CONTEXT\tREJECT\tauditor_veto",),
        values={"overruled@final.auditor_veto": 1.0, "overruled@final.refusal_ships": 0.0},
    ),
    Case(
        103,
        "one rater",
        {"s.jsonl": lines([{"qid": "1", "label": VALID}])},
        (*FILES, "source.paths={scholar: s.jsonl}"),
        2,
        ("audit.raters: agreement needs two raters or more (found: scholar)",),
    ),
    Case(
        103,
        "three raters",
        {f"{n}.jsonl": lines([{"qid": i, "label": VALID if i % 3 else REJECT} for i in range(30)]) for n in "sat"},
        (*FILES, "source.paths={scholar: s.jsonl, third: t.jsonl, auditor: a.jsonl}", "policy=[auditor_veto,majority]"),
        0,
        values={"kappa@scholar": 1.0, "kappa@third": 1.0, "krippendorff_alpha@all": 1.0},
    ),
    Case(104, "no record", {"p.jsonl": ""}, PAIRS, 5, ("p.jsonl: holds no record",)),
    Case(104, "one record", of(pair("a", VALID, VALID)), PAIRS, 1, ("1 item is too few", "are needed")),
    Case(104, "two records", of(*pairs((VALID, VALID, 1), (REJECT, REJECT, 1))), PAIRS, 1, ("2 items are too few",)),
    Case(
        105,
        "a case that no rule covers",
        {**of(*SOUND), **policy("  - {when: \"auditor = 'VALID'\", final: VALID, why: ours}\n")},
        ("check", *PAIRS[:3], "policy=[mine]"),
        2,
        ("audit.policies.mine.rules: a case is not covered (auditor = 'NOT_IN_CONTEXT')", "otherwise"),
    ),
    Case(
        105,
        "a rule that is never reached",
        {**of(*SOUND), **policy(TWICE)},
        (*PAIRS, "policy=[mine]"),
        2,
        ("audit.policies.mine.rules[1]: is never reached (auditor = 'REJECT')",),
    ),
    Case(
        106,
        "a gate fails, and no runs folder is there",
        of(*pairs((VALID, VALID, 5), (VALID, REJECT, 5))),
        PAIRS,
        1,
        ("q006\tVALID\tREJECT\tREJECT\tauditor_veto",),
        gates={"agreement": "fail"},
    ),
    Case(
        108,
        "no disagreement",
        {**of(*SOUND), "run/.keep": ""},
        (*PAIRS[:4], "policy=[]", "hydra.run.dir=other"),
        0,
        ("qid\tscholar\tauditor\tfinal\twhy\n",),
    ),
]  # fmt: skip


COMMAND = [case for case in CASES if case.row == 106 or case.argv[0] == "check"]


@cache
def composed(words: tuple[str, ...]) -> dict[str, Any]:
    return bridge.compose(words)


def written(case: Case, folder: Path) -> Path:
    """The files of a case, in `folder`; returns where its run goes."""
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / ("other" if "hydra.run.dir=other" in case.argv else "run")


def hold(case: Case, run: Path) -> None:
    """Holds the files of a run that ended against the case."""
    told = json.loads((run / "result.json").read_text("utf-8"))
    assert told["exit_code"] == case.code
    assert told["counts"]["read"] == sum(n for name, n in told["counts"].items() if name != "read")
    values = {f"{m['metric']}@{m['reading']}": m["value"] for m in told["measurements"]}
    found = (run / "disagreements.tsv").read_text("utf-8") + " ".join(told["warnings"])
    found += json.dumps(json.loads((run / "sections.json").read_text("utf-8")), ensure_ascii=False)
    assert [words for words in case.said if words.lower() not in found.lower()] == []
    assert not case.counts or told["counts"] == case.counts
    assert {name: values[name] for name in case.values} == pytest.approx(case.values)
    gates = {gate["name"]: gate["status"] for gate in told["gates"]}
    assert {name: gates[name] for name in case.gates} == case.gates


@pytest.mark.parametrize("case", [case for case in CASES if case.argv[0] != "check"], ids=str)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Composed and run as the command does, in this process."""
    run = written(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    words = tuple(word for word in case.argv if not word.startswith("hydra."))
    compose = composed if not any(name.startswith("conf/") for name in case.files) else composed.__wrapped__
    settings = compose(words)
    if not case.ends:
        with pytest.raises(AuditError) as raised:
            execute(settings, run, show=False)
        assert raised.value.exit_code == case.code
        assert [words for words in case.said if words not in str(raised.value)] == []
        assert "audit.audit." not in str(raised.value)
        assert not (run / "result.json").exists()
        return
    result = execute(settings, run, show=False)
    assert result.exit_code == case.code
    hold(case, run)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if case in COMMAND else pytest.mark.slow) for case in CASES], ids=str
)
def test_case_as_typed(case: Case, command: Command, tmp_path: Path) -> None:
    run = written(case, tmp_path)
    done = command(*case.argv)
    assert done.returncode == case.code, done.stderr
    if not case.ends:
        assert done.stderr.startswith("auditfw: error: ")
        assert "Traceback" not in done.stderr
        assert [words for words in case.said if words not in done.stderr] == []
        return
    assert done.stdout == (run / "result.json").read_text("utf-8")
    hold(case, run)
