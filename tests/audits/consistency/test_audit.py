"""The consistency audit: what it reads otherwise than the scorer it comes from, joins, decisions, files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from quick_consistency import LABELS, QUICK, value
from running import Command
from sentences import consistency as says

import auditfw
from auditfw.audits.consistency.rules import Pattern
from auditfw.core.records import Result
from auditfw.kinds.judgements import FaultError

V, N, R, A = LABELS


def pair(qid: Any, scholar: Any, auditor: Any, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "scholar": {"label": scholar}, "auditor": {"label": auditor}, **more}


SOUND = [pair(f"q{i:02}", label, label) for i, label in enumerate([V, R] * 20)]

Runs = Callable[..., Result]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Runs cross_agent on records, written as merged pairs."""

    def run(rows: list[Any], experiment: str = "cross_agent", **changes: Any) -> Result:
        file = tmp_path / "p.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        quick = QUICK if experiment == "cross_agent" else {}
        given = {"experiment": experiment, "source": {"use": "pairs", "path": str(file)}, "metrics": quick}
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        return auditfw.run(given | changes, folder)

    return run


def listed(result: Result) -> list[list[str]]:
    text = (Path(result.folder or "") / "disagreements.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


def test_w1_w2_agreed_refusals_and_lenient_scholars(runs: Runs) -> None:
    rows = [*SOUND, pair("n", N, N), pair("m", N, V)]
    found = runs(rows, policy=["auditor_veto", "strict", "refusal_ships"])
    finals = found.trials.collect().filter(pl.col("id").is_in(["n", "m"])) if hasattr(found.trials, "collect") else None
    assert finals is not None
    by_id = {row["id"]: row for row in finals.to_dicts()}
    assert [by_id["n"][f"final.{p}"] for p in ("auditor_veto", "strict", "refusal_ships")] == [R, R, N]
    assert [by_id["m"][f"final.{p}"] for p in ("auditor_veto", "strict", "refusal_ships")] == [V, R, V]


def test_w3_every_row_is_arbitrated(runs: Runs) -> None:
    flagged = pair("f", V, V, flags={"provenance_violation": True})
    rows = [*SOUND, flagged]
    honest, reference = runs(rows), runs(rows, "cross_agent_reference")
    assert ["f", V, V, R, "hard_flag"] in listed(honest)
    assert [row for row in listed(reference) if row[0] == "f"] == []
    assert (honest.verdict, reference.verdict) == ("fail", "pass")
    assert value(honest, "hard_flags@all") == 1


def test_w4_missing_sides_are_counted(runs: Runs) -> None:
    found = runs([*SOUND, {"qid": "x", "scholar": {"label": V}}, pair("y", None, V)])
    assert found.counts == {"read": 42, "audited": 40, "one_sided": 2}


def test_w5_abstentions_of_either(runs: Runs) -> None:
    rows = [*SOUND, pair("a", V, A), pair("b", A, V), pair("c", A, A)]
    found = runs(rows)
    assert [value(found, f"abstain_rate@{r}") for r in ("scholar", "auditor", "either")] == [2 / 43, 2 / 43, 3 / 43]
    gate = next(gate for gate in runs(rows, "cross_agent_reference").gates if gate.name == "abstain")
    assert (gate.reading, gate.value) == ("scholar", 2 / 43)


def test_w6_kappa_of_one_label_is_undefined(runs: Runs) -> None:
    rows = [pair(i, V, V) for i in range(40)]
    honest, reference = runs(rows), runs(rows, "cross_agent_reference")
    assert (value(honest, "kappa@scholar"), honest.verdict) == (None, "inconclusive")
    assert (value(reference, "kappa@scholar"), reference.verdict) == (0.0, "fail")


def test_w7_w13_files_and_unrounded_gates(runs: Runs) -> None:
    """0.89996 prints as 0.9 and fails; the list of disagreements has its header whatever happens."""
    agreed = [pair(i, *((V, V) if i % 2 else (R, R))) for i in range(22_499)]
    found = runs([*agreed, *(pair(f"d{i}", V, R) for i in range(2_501))], "cross_agent_reference")
    report = json.loads((Path(found.folder or "") / "consistency.json").read_text("utf-8"))
    assert (report["percent_agreement"], report["pass"], found.exit_code) == (0.9, False, 1)
    clean = runs(SOUND, policy=[])
    assert (Path(clean.folder or "") / "disagreements.tsv").read_text() == says.QID_SCHOLAR_AUDITOR_FINAL_WHY


def test_w8_duplicates(runs: Runs) -> None:
    rows = [*SOUND, pair("q00", V, R), pair("q00", V, R)]
    with pytest.raises(auditfw.AuditError, match=r"p\.jsonl:41: duplicate item 'q00'"):
        runs(rows)
    kept = {rule: runs(rows, audit={"duplicates": rule}) for rule in ("first", "last", "all", "votes")}
    agreement = {rule: value(found, "percent_agreement@scholar") for rule, found in kept.items()}
    assert agreement == {"first": 1.0, "last": 39 / 40, "all": 40 / 42, "votes": 39 / 40}
    assert kept["first"].counts == {"read": 42, "audited": 40, "duplicate": 2}
    assert kept["votes"].counts == {"read": 42, "audited": 42}


def test_w9_unknown_labels(runs: Runs) -> None:
    rows = [*SOUND, pair("x", "MAYBE", V), pair("y", "MAYBE", "MAYBE"), pair("z", "MAYBE", "PERHAPS")]
    with pytest.raises(auditfw.AuditError, match=r"p\.jsonl:41: a label that is not declared: scholar says 'MAYBE'"):
        runs(rows)
    honest = runs(rows, audit={"unknown_labels": "count"})
    assert honest.counts == {"read": 43, "audited": 40, "unknown_label": 3}
    assert value(honest, "disagreements@all") == 0
    reference = runs(rows, "cross_agent_reference")
    assert value(reference, "disagreements@all") == 2
    assert [row[:3] for row in listed(reference)] == [["x", "MAYBE", V], ["z", "MAYBE", "PERHAPS"]]


def test_w10_validators(runs: Runs) -> None:
    rows = [
        *SOUND,
        pair("a", N, N, answer_json={"claim": "Not in context.", "citations": []}),
        pair("b", V, V, answer_json={"claim": "x", "citations": []}),
        {**pair("c", V, V, answer_json={"claim": "x", "citations": ["1"]}, retrieved_ids=["1"])}
        | {"scholar": {"label": V, "retrieved_ids": ["1"]}, "auditor": {"label": V, "retrieved_ids": ["2"]}},
        {**pair("d", R, R), "scholar": {"label": R, "reason": "mail jo@example.org"}},
    ]
    chosen = ["refusal_token", "grounded", "same_evidence", "reasons"]
    metrics = {name: {"use": "findings", "of": name} for name in chosen}
    gates = {"tokens": {"use": "bound", "metric": "refusal_token", "reading": "all", "max": 0}}
    lax = {"validators": {"reasons": {"shortest": 0}}}
    found = runs(rows, validator=chosen, metrics=QUICK | metrics, gates=gates, audit=lax)
    assert value(found, "refusal_token@all") == 1
    assert value(found, "grounded@all") == 21  # the 20 sound VALID rows have no answer at all
    assert value(found, "same_evidence@all") == 1
    assert value(found, "reasons@all") == 1
    assert next(gate for gate in found.gates if gate.name == "tokens").status == "fail"
    told = json.dumps([str(block) for s in found.sections if s.title == "Validators" for block in s.blocks])
    assert "e-mail address" in told
    assert "jo@example.org" not in told


def test_inputs_and_warnings(tmp_path: Path) -> None:
    """The file with its size; first the raters who were not asked for, then what the result says."""
    file = tmp_path / "long.csv"
    rows = [f"{n},{rater},{V}\n" for n in range(3) for rater in ("scholar", "auditor", "third", "fourth")]
    file.write_text("id,rater,label\n" + "".join(rows), "utf-8")
    source = {"use": "raters", "path": str(file), "columns": {"id": "id", "rater": "rater", "label": "label"}}
    audit = {"raters": ["scholar", "auditor", "third"]}
    result = auditfw.run({"experiment": "cross_agent", "source": source, "audit": audit, "metrics": QUICK, "gate": []})
    assert [(one.path, one.bytes) for one in result.inputs] == [(str(file), file.stat().st_size)]
    assert result.warnings[:2] == [
        says.JUDGEMENTS_OF_RATERS_THAT_ARE,
        says.POLICY_AUDITOR_VETO_USES_ONLY,
    ]


def test_w11_evidence_of_separate_files(tmp_path: Path) -> None:
    flags = {"flags": {"provenance_violation": True}}
    rows = {
        "scholar": [{"qid": "1", "label": V, **flags}, {"qid": "2", "label": V, "retrieved_ids": ["a"]}],
        "auditor": [{"qid": "1", "label": V}, {"qid": "2", "label": V, "retrieved_ids": ["b"]}],
    }
    for name, records in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    source = {"use": "raters", "paths": {name: str(tmp_path / f"{name}.jsonl") for name in rows}}
    honest = auditfw.run({"experiment": "cross_agent", "source": source, "metrics": QUICK})
    assert value(honest, "hard_flags@all") == 1
    assert any("retrieved_ids differ" in warning for warning in honest.warnings)
    reference = auditfw.run({"experiment": "cross_agent_reference", "source": source})
    assert [row["final"] for row in reference.tables["disagreements"].to_dicts()] == []


def test_w14_aliases_and_case(runs: Runs) -> None:
    rows = [*SOUND, pair("a", "INVALID", R), pair("b", " valid", V)]
    found = runs(rows, audit={"aliases": {"INVALID": R}, "case": "fold"})
    assert (found.counts["audited"], value(found, "percent_agreement@scholar")) == (42, 1.0)
    by_rater = runs([*SOUND, pair("a", "1", R)], audit={"aliases": {"scholar": {"1": R}}})
    assert value(by_rater, "percent_agreement@scholar") == 1.0


def test_cells(runs: Runs) -> None:
    rows = [pair(i, V if i % 5 else R, V if i % 7 else R, model="xyz"[i % 3]) for i in range(90)]
    found = runs(rows, by=["model"])
    for model in "xyz":
        own = [row for row in rows if row["model"] == model]
        agreed = sum(row["scholar"] == row["auditor"] for row in own)
        assert value(found, "percent_agreement@scholar", model=model) == pytest.approx(agreed / len(own))


def test_a_table_of_items_with_their_trials_and_flips(runs: Runs, tmp_path: Path) -> None:
    """In b the scholar differs once, of three that are audited: one of two labels is not there in the fourth."""
    rows = [pair("1", V, R, of="b"), pair("2", V, V, of="b"), pair("3", R, R, of="b"), pair("4", None, R, of="b")]
    rows += [pair("5", R, V, of="a"), pair("6", V, N, of="a")]
    found = runs(rows, source={"use": "pairs", "path": str(tmp_path / "p.jsonl"), "columns": {"item": "of"}})
    table = found.tables["items"].collect()
    assert table.drop("flips.final.auditor_veto").to_dicts() == [
        {"item": "a", "trials": 2, "flips.scholar": 2}, {"item": "b", "trials": 3, "flips.scholar": 1},
    ]  # fmt: skip
    assert "items.parquet" in found.digests
    assert "items" not in runs(rows).tables


def test_items_without_a_cell_are_a_cell_of_their_own(runs: Runs) -> None:
    """A missing cell value has a name, so that its row is not taken for the overall one; it comes last."""
    found = runs([pair(i, V, V, model=[None, "z", "a"][i % 3]) for i in range(30)], by=["model"])
    cells = [m.cell.get("model") for m in found.measurements if m.name == "percent_agreement@scholar"]
    assert cells == [None, "a", "z", "(missing)"]


@pytest.mark.parametrize("labels", [("0", "1"), ("1", "2")])
def test_label_spaces_that_differ(runs: Runs, labels: tuple[str, str]) -> None:
    """One rater says 0 and 1, the other 1 and 2: told before any coefficient is believed."""
    rows = [pair(i, "01"[i % 2], labels[i % 2]) for i in range(40)]
    found = runs(rows, audit={"labels": ["0", "1", "2"]}, policy=[], gates={})
    told = [warning for warning in found.warnings if "do not use the same labels" in warning]
    assert bool(told) == (labels == ("1", "2"))


def test_same_bytes_for_any_number_of_workers(command: Command, tmp_path: Path) -> None:
    """6,000 records in several stretches, some of them odd: escapes, nulls, flags, citations out of scope."""
    rows = [
        pair(f"q{i}", LABELS[i % 3], LABELS[i % 3 if i % 11 else 0], model="ab"[i % 2])
        | {"flags": {"provenance_violation": i % 97 == 0, "constraints_mismatch": False}}
        | {"answer_json": {"claim": f"c{i}" if i % 50 else "ü \\ \n", "citations": ["p1"] if i % 2 else ["p9"]}}
        | {"retrieved_ids": ["p1", "p2"]}
        for i in range(6_000)
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    files = ("result.json", "trials.parquet", "measurements.parquet", "report.md", "disagreements.tsv", "junit.xml")
    found = []
    for workers in (1, 2):
        words = (f"engine.workers={workers}", f"hydra.run.dir=run{workers}", "report=[markdown,junit]", "by=[model]")
        done = command("experiment=cross_agent", "source=pairs", "source.path=p.jsonl", *words)
        assert done.returncode == 1, done.stderr
        found.append([(tmp_path / f"run{workers}" / name).read_bytes() for name in files])
    assert found[0] == found[1]


def test_sweep_of_gates_and_policies(command: Command, tmp_path: Path) -> None:
    words = ("gates.kappa.min=0.5,0.75", "policy=auditor_veto,strict", "report=[]", "hydra.sweep.dir=sweep")
    done = command("-m", "experiment=cross_agent", "gate=[kappa]", *words)
    told = json.loads((tmp_path / "sweep/sweep.json").read_text("utf-8"))
    assert done.returncode == 1, done.stderr
    assert [job["exit_code"] for job in told["jobs"]] == [0, 0, 1, 1]
    assert "shipped_rate@final.strict" in told["jobs"][1]["measurements"]


@pytest.mark.parametrize(
    ("labels", "status"),
    [((V, V), "audited"), ((V, None), "one_sided"), ((None, None), "missing"), ((V, None, R), "audited")],
)
def test_status_of_a_pattern(labels: tuple[str | None, ...], status: str) -> None:
    assert Pattern(labels).status == status


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"flags": None}, "flags is null, not an object"),
        ({"flags": ["provenance_violation"]}, "flags is a list"),
        ({"answer_json": "p1"}, "answer_json is text 'p1', not an object"),
        ({"answer_json": {"citations": 5}}, "answer_json.citations is a number '5', not a list"),
        ({"answer_json": {"citations": [{"id": "p1"}]}}, "answer_json.citations holds an object"),
        ({"answer_json": {"citations": ["p1"]}, "retrieved_ids": [["p1"]]}, "retrieved_ids holds a list"),
    ],
)
def test_what_the_reference_scorer_breaks_on_is_told_in_our_words(record: dict[str, Any], said: str) -> None:
    both = pair("a", V, R)
    with pytest.raises(FaultError, match=re.escape(said)):
        auditfw.arbitrate({**both, **record}, auditfw.load("policy", "auditor_veto"))


def test_a_bad_first_line_is_counted_where_that_is_asked_for(tmp_path: Path) -> None:
    good = '{"qid": "%s", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}\n'
    (tmp_path / "pairs.jsonl").write_text("not json\n" + "".join(good % n for n in "abc"))
    result = auditfw.run(
        {
            "experiment": "cross_agent",
            "source": {"use": "pairs", "path": str(tmp_path / "pairs.jsonl")},
            "audit": {"malformed": "count"},
        }
    )
    assert result.counts == {"read": 4, "audited": 3, "malformed": 1}
