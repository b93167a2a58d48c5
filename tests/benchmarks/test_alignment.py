"""The alignment benchmark finds no difference."""

from __future__ import annotations

import pytest


@pytest.mark.slow
def test_benchmark_finds_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import alignment

    assert alignment.run(["--scenarios", "20000", "--loop", "2000"]) == 0
    assert "different: 0\n" in capsys.readouterr().out
