"""The ARC benchmark counts what the loop solved."""

from __future__ import annotations

import pytest

from benchmarks import arc


@pytest.mark.slow
def test_the_benchmark_counts_what_the_loop_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert arc.run(["--every", "80", "--seconds", "0.01", "--show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    tasks, table = lines[:5], lines[5:]
    assert [line.split()[0] for line in tasks] == ["007bbfb7", "3aa6fb7a", "6cdd2623", "9dfd6313", "cf98881b"]
    solved = [line for line in tasks if "attempt" in line]
    assert table[0] == "5 tasks, 0.01 s of work per attempt"
    assert table[-1].split()[:2] == ["10", str(len(solved))]
