"""The benchmark of sources: made-up files of every format, read as plain Python reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditfw.components.source.inspect import Inspect
from benchmarks import sources
from benchmarks.data.log_writer import write_log
from benchmarks.data.writer import FILES
from benchmarks.plain.decoders import DECODERS, unpacked
from benchmarks.sources import FormatCost, ProcessCost

SIZE = 60_000
LOG = 300_000


@pytest.mark.parametrize("name", FILES)
def test_rows_are_those_of_plain_python(name: str, tmp_path: Path) -> None:
    """So are the numbers of records that the fastest decoder finds."""
    file, write = FILES[name]
    path = str(tmp_path / file)
    write(tmp_path / file, LOG if name == "inspect" else SIZE)
    rows = sources.compared(name, path)
    assert rows > 3
    assert DECODERS[name](path) == rows
    if name not in ("inspect", "parquet"):
        assert 0.7 * SIZE < unpacked(path) < 1.5 * SIZE


def test_the_made_up_log_is_one_of_inspect(tmp_path: Path) -> None:
    total = write_log(tmp_path / "a.eval", 40, 4000)
    assert unpacked(str(tmp_path / "a.eval")) > total
    [task] = Inspect(path=str(tmp_path / "a.eval")).open(["raw_text", "ground_truth", "stored"], []).tasks
    columns = task().columns
    assert len(columns["raw_text"]) == 40
    truths = [
        text.endswith(f"ANSWER: {truth}")
        for text, truth in zip(columns["raw_text"], columns["ground_truth"], strict=False)
    ]
    assert columns["stored"] == truths
    assert 0 < sum(truths) < 40


def test_every_format_has_its_source_and_decoder() -> None:
    assert set(FILES) == set(DECODERS) == set(sources.SOURCES)


def test_rows_read_otherwise_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FILES["jsonl"][1](tmp_path / "trials.jsonl", 5_000)
    monkeypatch.setattr(sources, "plain", lambda *_: iter([("a", "b", "c", True)]))
    with pytest.raises(SystemExit, match="jsonl: rows that plain Python reads otherwise"):
        sources.compared("jsonl", str(tmp_path / "trials.jsonl"))


def cost(name: str, ours: float, memory: float) -> FormatCost:
    return FormatCost(name, 2.0, ProcessCost(ours, memory), ProcessCost(1, 100), ProcessCost(2, 50), ProcessCost(1, 50))


def test_goals_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    costs = [cost("jsonl", 4.0, 110), cost("csv", 5.5, 140)]
    assert not sources._met(costs)
    assert capsys.readouterr().out.splitlines() == [
        "MISSED: at most 2.5 x the decoder with its unpacking (csv)",
        "MISSED: memory at most 1.3 x that of the small file (csv)",
    ]
    assert sources._met(costs[:1])
    assert sources.figures(costs[:1]) == {"jsonl CPU s/GB": 2.0, "jsonl x decoder": 2.0, "jsonl MB": 110}


@pytest.mark.slow
def test_a_line_for_each_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    sizes = ["--mb", "2", "--small", "1", "--rounds", "1", "--formats", "jsonl,parquet", "--figures", str(figures)]
    assert sources.run(sizes) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["jsonl", "parquet"]
    assert len(json.loads(figures.read_text("utf-8"))) == 6
    with pytest.raises(SystemExit):
        sources.run(["--formats", "xml"])
