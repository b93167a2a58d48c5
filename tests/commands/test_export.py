"""`auditfw export`: every table and chart of the shipped samples read back, and what is refused."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from exported_files import csv_rows, latex_rows, latex_text
from running import Command
from sentences import commands as says

import auditfw
from auditfw.commands.export.command import export
from auditfw.commands.stored_run import read_result
from auditfw.components.report.export.exhibits import exported, sections_of
from auditfw.core.document import Chart, NumberText
from auditfw.core.errors import AuditError, DataError, UsageError

EXPERIMENTS = ("answer_parsing", "posiwid", "cross_agent", "self_audit")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "run"
    auditfw.run({"experiment": "posiwid", "report": []}, folder)
    return folder


def wanted(cells: list[str], wide: list[bool]) -> list[str]:
    """The fields of a row: an interval, where its column has some, in two of their own."""
    fields = []
    for cell, spread in zip(cells, wide, strict=True):
        if not spread:
            fields.append(str(cell))
        elif isinstance(cell, NumberText):
            fields += [cell.shown, *cell.ends[1:-1].split(", ")]
        else:
            fields += [cell, "", ""]
    return fields


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_table_and_chart_reads_back(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    auditfw.run({"experiment": name, "report": ["html"]}, tmp_path / "run")
    every = exported(sections_of(read_result(tmp_path / "run")))
    assert len({one.name for one in every}) == len({one.number for one in every}) == len(every) > 10
    for form in ("csv", "latex", "svg"):
        assert export([str(tmp_path / "run"), f"format={form}", f"out={tmp_path / form}"]) == 0
    capsys.readouterr()
    for one in every:
        table = one.table
        assert csv_rows((tmp_path / "csv" / f"{one.name}.csv").read_text("utf-8"))[1:] == [
            wanted(
                list(row), [any(isinstance(other[at], NumberText) for other in table.rows) for at in range(len(row))]
            )
            for row in table.rows
        ]
        caption, label, cells = latex_rows((tmp_path / "latex" / f"{one.name}.tex").read_text("utf-8"))
        assert (caption, label) == (one.caption, one.name)
        plain = [[" ".join(cell.split()) for cell in row] for row in [table.columns, *table.rows]]
        assert [[cell.replace("−", "-") for cell in row] for row in cells] == plain
    pictures = {f"{one.name}.svg" for one in every if isinstance(one.block, Chart)}
    assert {file.name for file in (tmp_path / "svg").iterdir()} == pictures
    for file in (tmp_path / "svg").iterdir():
        root = ET.parse(file).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.get("font-family") == "sans-serif"


def test_one_goes_to_standard_output(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for name in ("units-and-floor", "Units and Floor", number_of(run, "units-and-floor")):
        assert export([str(run), name]) == 0
        texts.append(capsys.readouterr().out)
    assert len(set(texts)) == 1
    assert texts[0].startswith(says.KEY_COMBINED_WITHOUT_THE_FLOOR)
    assert export([str(run), "who"]) == 0
    assert capsys.readouterr().out.startswith("outcome,")
    assert export([str(run), "coverage", "format=latex"]) == 0
    assert latex_rows(capsys.readouterr().out)[:2] == ("Coverage", "coverage")


def number_of(run: Path, name: str) -> str:
    return next(one.number for one in exported(sections_of(read_result(run))) if one.name == name)


def test_without_names_all_are_listed(run: Path, command: Command) -> None:
    done = command("export", str(run))
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.removeprefix("│ ").split("  ") for line in done.stdout.splitlines()]
    assert lines[0] == ["╭ Tables and Charts"]
    assert ["groups", "Groups"] in [[cell.strip() for cell in line if cell.strip()][1::2] for line in lines]
    assert lines[-1] == [f"auditfw export {run} NUMBER|NAME"]


def test_the_sentences_for_a_paper(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export([str(run), "paper"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(says.WE_SCORED_ALL_INTENDED_OUTCOMES)
    assert export([str(run), "paper", "format=latex"]) == 0
    assert latex_text(capsys.readouterr().out).strip() == text.strip()


REFUSED = [
    ([], "export: needs a run folder - write auditfw export RUN [TABLE...] [format=csv|latex|svg] [out=FOLDER]"),
    (["RUN", "--json"], "export: needs a run folder (RUN --json) - write auditfw export RUN"),
    (["RUN", "coverige"], "export coverige: no such table or chart - did you mean 'coverage'?"),
    (["RUN", "coverage", "format=cvs"], "format: expected csv, latex or svg; got cvs"),
    (
        ["RUN", "paper", "format=csv"],
        "export paper: is a text for standard output (format=csv) - write format=latex or",
    ),
    (["RUN", "fmt=csv"], "fmt: unknown setting (csv) - did you mean 'format'?"),
    (["RUN", "coverage", "format=svg"], "coverage: is a table and has no picture (format=svg) - write format=csv or"),
    (["RUN", "coverage", "keys"], "export: several tables need a folder (coverage, keys) - write out="),
]


def test_export_refuses_what_it_cannot_do(run: Path) -> None:
    for words, line in REFUSED:
        with pytest.raises(UsageError) as error:
            export([str(run) if word == "RUN" else word for word in words])
        assert str(error.value).replace(str(run), "RUN").startswith(line)


def test_a_run_without_sections_is_unusable(run: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for file in run.iterdir():
        if file.name != "sections.json" and file.is_file():
            (tmp_path / "run" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(DataError) as error:
        export([str(tmp_path / "run"), "coverage"])
    assert str(error.value).startswith(f"{tmp_path / 'run' / 'sections.json'}: no such file")


def test_files_of_others_stay(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = f"out={tmp_path / 'o'}"
    export([str(run), "coverage", out])
    assert capsys.readouterr().out == f"wrote 1 file into {tmp_path / 'o'}: coverage.csv\n"
    file = tmp_path / "o" / "coverage.csv"
    text = file.read_text("utf-8")
    file.write_text(text + "older,1\n", "utf-8")
    export([str(run), "coverage", "units-and-floor", out])
    said = says.WROTE_FILES_INTO_OF_THEM.format(tmp_path / "o")
    assert capsys.readouterr().out == said
    assert file.read_text("utf-8") == text
    file.unlink()
    for theirs in (b"mine\n", b"\xff\xfe", b""):
        (tmp_path / "o" / "units-and-floor.csv").write_bytes(theirs)
        with pytest.raises(
            AuditError, match=r"units-and-floor.csv: exists and is not this table or chart - move it, or"
        ):
            export([str(run), "coverage", "units-and-floor", out])
        assert (tmp_path / "o" / "units-and-floor.csv").read_bytes() == theirs
        assert not file.exists()
