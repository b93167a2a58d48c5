"""The benchmark of logs: a made-up log that is read whole, and a line for each way."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditfw.benchmarks import logs
from auditfw.benchmarks.log_writer import write_log
from auditfw.components.source.inspect import Inspect


def test_the_made_up_log_is_one_of_inspect(tmp_path: Path) -> None:
    total = write_log(tmp_path / "a.eval", 40, 4000)
    assert logs.read(str(tmp_path / "a.eval")) == 40
    assert logs.unpack(str(tmp_path / "a.eval")) > total
    [task] = Inspect(path=str(tmp_path / "a.eval")).open(["raw_text", "ground_truth", "stored"], []).tasks
    columns = task().columns
    truths = [
        text.endswith(f"ANSWER: {truth}")
        for text, truth in zip(columns["raw_text"], columns["ground_truth"], strict=False)
    ]
    assert columns["stored"] == truths
    assert 0 < sum(truths) < 40


@pytest.mark.slow
def test_a_line_for_each_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert logs.run(["--samples", "200", "--bytes", "3000", "--rounds", "1"]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["unpack", "read"]
    assert lines[4].startswith("whole audit, two workers: ")
    assert {line.split(":")[0] for line in lines[5:]} <= {"reached", "MISSED"}
