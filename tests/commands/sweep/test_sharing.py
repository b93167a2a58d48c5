"""What jobs of a sweep share: an audit is run once, and every job has files of its own with the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from failing_steps import FAILS_ON

from auditfw.audits import spine
from auditfw.audits.parsing.conclusions import origin
from auditfw.commands.run import Prepared, execute
from auditfw.commands.sweep.progress import SharedWork, share
from auditfw.config import build as bridge
from auditfw.core.errors import DataError

pytestmark = pytest.mark.slow  # whole runs, or very many texts

TRIALS = [("It is Paris.", "Paris", 1), ("Rome, I think", "Rome", 1), ("no idea", "Oslo", 1), ("Bern", "Bern", 0)]
WORDS = ("source=jsonl", "by=[]", "report=[sarif,markdown]", "parser=[stored]", "normalizer=[v1]")
TABLES = ("measurements.parquet", "trials.parquet", "sections.json", "report.sarif", "report.md")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [
        {"id": str(i), "raw_text": text, "parsed_text": text, "ground_truth": truth, "stored": label}
        for i, (text, truth, label) in enumerate(TRIALS)
    ]
    path = tmp_path / "trials.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def settings(file: Path, *words: str) -> dict[str, Any]:
    return bridge.compose([*WORDS, f"source.path={file}", *words])


def shared(jobs: list[dict[str, Any]], scratch: Path) -> list[Prepared]:
    built = [bridge.build(job) for job in jobs]
    both = share(dict(enumerate(run for run, _ in built)), scratch)
    return [Prepared((both[n][0], built[n][1]), both[n][1]) for n in range(len(jobs))]


def test_jobs_that_differ_in_gates_are_measured_once_and_have_their_own_files(file: Path, tmp_path: Path) -> None:
    """Two gates, one of them with a bound of its own; the third job has other metrics, the fourth another matcher."""
    changes = (
        ("gate=[]",),
        ("gate=[baseline_reproduces]", "gates.baseline_reproduces.max=3"),
        ("gate=[]", "metric=[flips]"),
        ("gate=[]", "matcher=exact"),
    )
    jobs = [settings(file, *words) for words in changes]
    prepared = shared(jobs, tmp_path / "scratch")
    works = [one.measuring for one in prepared]
    assert works[0] is works[1] is works[2]
    assert works[3] is not works[0]
    results = [
        execute(job, tmp_path / str(n), show=False, prepared=one)
        for n, (job, one) in enumerate(zip(jobs, prepared, strict=True))
    ]
    assert results[1].measurements is results[0].measurements
    assert all(one is other for one, other in zip(results[0].sections, results[1].sections, strict=True))
    assert [len(result.gates) for result in results] == [0, 1, 0, 0]
    assert {m.metric for m in results[2].measurements} == {"flips"}
    for n, job in enumerate(jobs):
        execute(job, tmp_path / f"alone-{n}", show=False)
        ours, alone = tmp_path / str(n), tmp_path / f"alone-{n}"
        assert sorted(path.name for path in ours.iterdir()) == sorted(path.name for path in alone.iterdir())
        for name in (*TABLES, "result.json"):
            assert (ours / name).read_bytes() == (alone / name).read_bytes(), (n, name)


def test_jobs_with_several_matchers_have_the_bytes_of_runs_alone(file: Path, tmp_path: Path) -> None:
    changes = (
        ("gate=[]", "matcher=[containment,exact]"),
        ("gate=[]", "matcher=[containment,exact]", "parser=[raw]"),
        ("gate=[]", "matcher=[exact,numeric]", "parser=[raw,stored]"),
        ("gate=[]", "matcher=exact"),
    )
    jobs = [settings(file, *words) for words in changes]
    for n, (job, prepared) in enumerate(zip(jobs, shared(jobs, tmp_path / "scratch"), strict=True)):
        execute(job, tmp_path / str(n), show=False, prepared=prepared)
        execute(job, tmp_path / f"alone-{n}", show=False)
        for name in (*TABLES, "result.json"):
            assert (tmp_path / str(n) / name).read_bytes() == (tmp_path / f"alone-{n}" / name).read_bytes(), (n, name)


PICKY = (
    f"+audit.parsers.picky={{use: steps, column: raw_text, steps: [{{use: {FAILS_ON}, text: Rome}}]}}",
    "audit.max_error_rate=1",
)


def test_jobs_of_one_pass_have_the_bytes_of_runs_alone(file: Path, tmp_path: Path) -> None:
    """Other seeds, draws, references and reports; under the readings of two jobs a component fails on a trial."""
    changes = (
        ("seed=1", "parser=[raw]", "audit.probe=2"),
        ("seed=2", "parser=[raw]", "audit.probe=2"),
        ("seed=1", "parser=[raw,stored]", "audit.probe=2", "audit.undefined=drop", "audit.baseline=null"),
        ("parser=[raw]", "normalizer=[v1,v2]", "audit.reference=raw+v2", "report=[texts,sarif,markdown]"),
        ("parser=[raw]", "audit.verify=1", "report=[texts,sarif,markdown]", "report.max_exhibits=3"),
        ("parser=[raw]", *PICKY),
        ("parser=[raw]", "seed=2", "matcher=exact", *PICKY),
    )
    jobs = [settings(file, "gate=[]", *words) for words in changes]
    prepared = shared(jobs, tmp_path / "scratch")
    assert len({id(job.measuring) for job in prepared}) == len(jobs)
    for n, (job, one) in enumerate(zip(jobs, prepared, strict=True)):
        execute(job, tmp_path / str(n), show=False, prepared=one)
        execute(job, tmp_path / f"alone-{n}", show=False)
        texts = ("texts.parquet",) if n in (3, 4) else ()
        for name in (*TABLES, *texts, "result.json"):
            assert (tmp_path / str(n) / name).read_bytes() == (tmp_path / f"alone-{n}" / name).read_bytes(), (n, name)
    audits: list[Any] = [one.built[0].audit for one in prepared if one.built is not None]
    [made] = {audit.shared._made for audit in audits}
    assert made is not None  # they read their trials in one pass
    failed = [json.loads((tmp_path / str(n) / "result.json").read_text("utf-8"))["counts"] for n in range(len(jobs))]
    assert [counts.get("error", 0) for counts in failed] == [0, 0, 0, 0, 0, 1, 1]


def test_the_rule_of_the_labels_is_searched_once_for_all_jobs(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under `exact` no job's own rule gives all labels, so that every job searches; trials are drawn once.

    The rules that any of the jobs will check are checked in one pass.
    """
    names = ["none", "v1", "v2", "squad"]
    jobs = [settings(file, "gate=[]", "matcher=exact", "parser=[raw]", f"normalizer=[{name}]") for name in names]
    passes = []
    plain = origin.RulePasses._pass
    monkeypatch.setattr(origin.RulePasses, "_pass", lambda self, *work: (passes.append(work), plain(self, *work))[1])
    for n, (job, prepared) in enumerate(zip(jobs, shared(jobs, tmp_path / "scratch"), strict=True)):
        execute(job, tmp_path / str(n), show=False, prepared=prepared)
    assert [type(work).__name__ for work, _ in passes] == ["DrawTrials", "CheckRules"]
    for n, job in enumerate(jobs):
        execute(job, tmp_path / f"alone-{n}", show=False)
        for name in (*TABLES, "result.json"):
            assert (tmp_path / str(n) / name).read_bytes() == (tmp_path / f"alone-{n}" / name).read_bytes(), (n, name)
    assert [type(work).__name__ for work, _ in passes] == ["DrawTrials", "CheckRules"] * (1 + len(names))


def test_labels_that_differ_late_are_drawn_in_a_pass_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batches have no label that the configured rule does not give, so that nothing is drawn from them."""
    rows = [
        {"id": str(i), "item": str(i % 50), "raw_text": f"It is {i}.", "parsed_text": f"{i}", "stored": int(i % 3 == 0)}
        | {"ground_truth": f"{i}" if i % 3 == 0 or i > 9_990 else "no"}
        for i in range(10_000)
    ]
    file = tmp_path / "late.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    jobs = [settings(file, "gate=[]", "audit.probe=40", f"normalizer=[{name}]") for name in ("none", "v1", "squad")]
    passes = []
    plain = origin.RulePasses._pass
    monkeypatch.setattr(origin.RulePasses, "_pass", lambda self, *work: (passes.append(work), plain(self, *work))[1])
    for n, (job, prepared) in enumerate(zip(jobs, shared(jobs, tmp_path / "scratch"), strict=True)):
        execute(job, tmp_path / str(n), show=False, prepared=prepared)
    assert [type(work).__name__ for work, _ in passes] == ["DrawTrials", "CheckRules"]
    for n, job in enumerate(jobs):
        execute(job, tmp_path / f"alone-{n}", show=False)
        for name in (*TABLES, "result.json", "items.parquet"):
            assert (tmp_path / str(n) / name).read_bytes() == (tmp_path / f"alone-{n}" / name).read_bytes(), (n, name)


def test_a_job_whose_predecessor_lost_its_tables_audits_by_itself(file: Path, tmp_path: Path) -> None:
    jobs = [settings(file, "gate=[]")] * 2
    first, second = shared(jobs, tmp_path / "scratch")
    execute(jobs[0], tmp_path / "0", show=False, prepared=first)
    (tmp_path / "0" / "trials.parquet").unlink()
    result = execute(jobs[1], tmp_path / "1", show=False, prepared=second)
    assert result.counts["audited"] == len(TRIALS)
    assert (tmp_path / "1" / "trials.parquet").is_file()


def test_a_file_that_changes_between_two_jobs_ends_the_second(file: Path, tmp_path: Path) -> None:
    jobs = [settings(file, "gate=[]")] * 2
    first, second = shared(jobs, tmp_path / "scratch")
    execute(jobs[0], tmp_path / "0", show=False, prepared=first)
    file.write_text(file.read_text("utf-8").replace("Bern", "Lima"), "utf-8")
    with pytest.raises(DataError, match="changed"):
        execute(jobs[1], tmp_path / "1", show=False, prepared=second)


def test_nothing_is_held_when_the_last_job_has_asked(file: Path, tmp_path: Path) -> None:
    jobs = [settings(file, "gate=[]")] * 2
    prepared = shared(jobs, tmp_path / "scratch")
    work = prepared[0].measuring
    assert isinstance(work, SharedWork)
    for n, left in enumerate((1, 0)):
        assert (work.jobs, work._outcome is None) == (left + 1, n == 0)
        execute(jobs[n], tmp_path / str(n), show=False, prepared=prepared[n])
    assert (work.jobs, work._outcome, work._measured) == (0, None, [])


def test_other_audits_and_single_jobs_share_nothing(file: Path, tmp_path: Path) -> None:
    run, _ = bridge.build(settings(file, "gate=[]"))
    other, _ = bridge.build(bridge.compose(["experiment=cross_agent"]))
    assert share({0: run, 1: other}, tmp_path) == {}
    assert Prepared().measuring is spine.measured
