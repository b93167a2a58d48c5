"""`auditfw probe`: what it prints, its codes, the same bytes for any number of workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import Command

OWN = ("source=jsonl", "source.path=mine.jsonl", "by=[]", "parser=[stored]", "normalizer=[none]")
BASELINE = "audit.baseline={parser: stored, normalizer: none}"


def write(file: Path, rows: int) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for at in range(rows):
            truth = ("yes", "no")[at % 3 == 0]
            text = "yes, or no"
            stream.write(
                json.dumps({"id": at, "raw_text": text, "parsed_text": text, "ground_truth": truth, "stored": 1})
            )
            stream.write("\n")


def test_the_shipped_sample(command: Command, tmp_path: Path) -> None:
    done = command("probe")
    assert (done.returncode, done.stderr) == (0, "")
    assert "All 1,080 trials of 20 items; the scorer of the reference is stored+v1." in done.stdout
    assert "Constant Answers" in done.stdout
    assert "Stored Answers vs Parsed Answers" in done.stdout
    assert "High-Level Sensitivity" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_broken_scorer_and_its_workers(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "mine.jsonl", 9_000)
    outputs = []
    for workers in (1, 2):
        done = command("probe", *OWN, BASELINE, f"engine.workers={workers}", "audit.probe=300")
        assert done.returncode == 0
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert "300 trials of 300 items, a random sample of whole items (seed 0)" in outputs[0]
    assert "Either way: 300 of 300 accepted answers" in outputs[0]


def test_the_files_of_a_run_for_any_number_of_workers(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "mine.jsonl", 9_000)
    files = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        done = command(*OWN, BASELINE, f"engine.workers={workers}", f"hydra.run.dir={folder}", "report=[json,markdown]")
        assert done.returncode == 0
        files.append([(folder / name).read_bytes() for name in ("result.json", "report.md", "measurements.parquet")])
    assert files[0] == files[1]
    assert json.loads(files[0][0])["answer"]["status"] == "broken"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("-m",), 2, "probe -m: no such flag - probe takes paths, overrides and --config-dir"),
        (("experiment=posiwid",), 2, "probe: the alignment audit has no scorer to probe - choose a parsing audit"),
        (("audit.probe=0",), 2, "audit.probe: draws no trial (0) - write a number up to 20000, or leave it out"),
        (("audit.probe=null",), 2, "audit.probe: draws no trial - write a number"),
        (
            ("audit.probe=30000",),
            2,
            "audit.probe: expected a whole number from 0 to 20,000, got 30000 - write 0 for none",
        ),
        (("source.where='temperature > 9'",), 5, "audit: nothing was audited"),
        ((*OWN,), 3, "mine.jsonl"),
        (("parser=answer_v9",), 2, "parser=answer_v9: no parser named 'answer_v9'"),
    ],
)
def test_mistakes(command: Command, words: tuple[str, ...], code: int, message: str) -> None:
    done = command("probe", *words)
    assert done.returncode == code
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
