"""`auditfw probe`: what it prints, its codes, the same bytes for any number of workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says

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
    assert says.ALL_TRIALS_OF_ITEMS_THE in done.stdout
    assert "Constant Answers" in done.stdout
    assert says.STORED_ANSWERS_VS_PARSED_ANSWERS in done.stdout
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
    assert says.TRIALS_OF_ITEMS_A_RANDOM in outputs[0]
    assert says.EITHER_WAY_OF_ACCEPTED_ANSWERS in outputs[0]


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
        (("-m",), 2, says.PROBE_NO_SUCH_FLAG_PROBE),
        (("experiment=posiwid",), 2, says.PROBE_THE_ALIGNMENT_AUDIT_HAS),
        (("audit.probe=0",), 2, says.DRAWS_NO_TRIAL_WRITE_A),
        (("audit.probe=null",), 2, says.DRAWS_NO_TRIAL_WRITE_A_NUMBER),
        (
            ("audit.probe=30000",),
            2,
            says.EXPECTED_A_WHOLE_NUMBER_FROM,
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
