"""What the benchmark of reports prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reports import run

pytest.importorskip("resource")


@pytest.mark.slow
def test_the_page_is_timed_beside_the_numbers_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--trials", "400", "--rounds", "2", "--keep", str(tmp_path)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-3].split() == ["processor", "seconds", "numbers", "with", "page", "more", "from", "to"]
    for line, name in zip(told[-2:], ("400 trials", "the sample"), strict=True):
        numbers, page, more, least, most = line.removeprefix(name).split()
        assert 0 < float(numbers) < float(page)
        assert float(least) <= float(more) <= float(most)
    assert not (tmp_path / "reports").exists()
