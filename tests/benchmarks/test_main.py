"""The benchmarks are listed."""

from __future__ import annotations

import pytest

from benchmarks import startup
from benchmarks.__main__ import main

pytest.importorskip("pandas")


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["--help"], 0), (["nonsense"], 2)])
def test_benchmarks_are_listed(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    told = capsys.readouterr().out
    assert "parsing" in told
    assert str(startup.run.__doc__) in told
