"""What the parsing audit puts on the page: pictures and the gallery, against what one can count by hand."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from benchmarks.data.generator import generate
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.charts import MOST_COMPARED
from auditfw.audits.parsing.kept.flips import RIGHT, WRONG
from auditfw.commands import stored_run
from auditfw.core.document import FEW, Chart, Exhibit, Gallery, Matrix, Note, Section, Snippet
from auditfw.core.records import Result

GRID = ["parser=[stored,answer_v2,after_think]", "normalizer=[v1,v2]", "report=[html]"]
ROOM = 40


def audited(command_in: Callable[..., Any], folder: Path, *words: str) -> None:
    given = ["source=conformity", "source.metadata=data/metadata.json", "source.runs_dir=data/runs"]
    done: subprocess.CompletedProcess[str] = command_in(folder, *words, *given, *GRID, f"report.max_exhibits={ROOM}")
    assert done.returncode in (0, 1), done.stderr


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, command_in: Callable[..., Any]) -> Path:
    folder = tmp_path_factory.mktemp("page")
    generate(folder / "data", 2_400, runs=6)
    audited(command_in, folder, "engine.workers=2", "hydra.run.dir=alone")
    return folder


@pytest.mark.slow
def test_the_page_is_the_same_by_any_number_of_processes_and_in_a_sweep(
    runs: Path, command_in: Callable[..., Any]
) -> None:
    audited(command_in, runs, "-m", "engine.workers=1", "audit.undefined=zero,drop", "hydra.sweep.dir=sweep")
    for name in (stored_run.SECTIONS, "report.html"):
        assert (runs / "sweep" / "0" / name).read_bytes() == (runs / "alone" / name).read_bytes()


@pytest.fixture(scope="module")
def result(runs: Path) -> Result:
    return stored_run.read_result(runs / "alone")


def page(result: Result, title: str) -> Section:
    (section,) = [section for section in result.sections if section.title == title]
    assert section.page
    return section  # type: ignore[no-any-return]


def candidates(result: Result) -> list[str]:
    return list(dict.fromkeys(m.reading for m in result.measurements if m.metric == "flips"))


def test_the_curve_tells_each_reading_once_sorted(result: Result) -> None:
    chart = page(result, "Specification Curve").blocks[0]
    assert isinstance(chart, Chart)
    reading, stored = chart.series
    assert sorted(reading.x) == sorted(candidates(result))
    assert list(reading.y) == sorted(reading.y)
    for i, name in enumerate(reading.x):
        told = result.measurement("error_rate", str(name)).estimate
        assert (reading.y[i], reading.interval(i)) == (told.value, (told.low, told.high))
        shift = result.measurement("delta_pp", str(name)).estimate.value
        paired = stored.y[i] + shift if shift is not None else 0.0
        assert paired == pytest.approx(reading.y[i])  # every trial here has a stored label
        assert name == f"{chart.choices['parser'][i]}+{chart.choices['normalizer'][i]}"


def test_the_heat_map_has_the_shifts(result: Result) -> None:
    note, matrix = page(result, "Shifts by Cell").blocks
    assert isinstance(note, Note)
    assert isinstance(matrix, Matrix)
    assert list(matrix.columns) == candidates(result)
    shifts = {
        (" · ".join(map(str, m.cell.values())), m.reading): m.estimate.value
        for m in result.measurements
        if m.metric == "delta_pp" and m.cell
    }
    flips = {
        (" · ".join(map(str, m.cell.values())), m.reading): m.estimate
        for m in result.measurements
        if m.metric == "flips" and m.cell
    }
    assert len(matrix.rows) == 40
    changed = {cell for (cell, _), estimate in flips.items() if estimate.value}
    assert matrix.left_out == len(changed) - 40 > 0
    unchanged = len({cell for cell, _ in shifts}) - len(changed)
    assert note.text == says.CELLS_WITHOUT_CHANGED_LABELS_LEFT.format(unchanged)
    assert set(matrix.rows) < changed
    moved = []
    for cell, values, shown, counts in zip(matrix.rows, matrix.values, matrix.shown, matrix.counts, strict=True):
        assert list(counts) == [flips[cell, name].counted if (cell, name) in flips else 0 for name in matrix.columns]
        assert list(values) == [shifts.get((cell, name)) for name in matrix.columns]
        assert list(shown) == ["" if value is None else f"{value:+.2f}" for value in values]
        known = [abs(value) for value, n in zip(values, counts, strict=True) if value is not None and n >= FEW]
        moved.append(max(known, default=0.0))
    assert moved == sorted(moved, reverse=True)


def test_flips_between_readings_are_those_of_the_trials(result: Result, runs: Path) -> None:
    chart, matrix = page(result, "Changed Labels by Reading").blocks
    assert isinstance(chart, Chart)
    assert isinstance(matrix, Matrix)
    for one, metric in zip(chart.series, ("flips_to_true", "flips_to_false"), strict=True):
        assert list(one.y) == [result.measurement(metric, str(name)).estimate.value for name in one.x]
    trials = pl.read_parquet(runs / "alone" / "trials.parquet").filter(pl.col("status") == "audited")
    names = ["stored", *candidates(result)]
    assert list(matrix.rows) == list(matrix.columns) == names
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            expected = None if i == j else int((trials[one] != trials[other]).sum())
            assert matrix.values[i][j] == expected, (one, other)


def gallery_of(result: Result) -> Gallery:
    gallery = page(result, "Browse Changed Labels").blocks[-1]
    assert isinstance(gallery, Gallery)
    return gallery


def test_the_gallery_has_something_for_every_filter_and_counts_all(result: Result, runs: Path) -> None:
    gallery = gallery_of(result)
    names = candidates(result)
    trials = pl.read_parquet(runs / "alone" / "trials.parquet").filter(pl.col("status") == "audited")
    flips = {name: trials.filter(pl.col(name) != pl.col("stored")) for name in names}
    assert gallery.total == len({id for frame in flips.values() for id in frame["id"]}) > ROOM
    assert ROOM / 2 < len(gallery.exhibits) <= ROOM
    assert [tuple(facet) for facet in gallery.facets] == [
        *((name,) for name in result.by), ("reading", "direction", "cause"), ("marker",), ("sign",)
    ]  # fmt: skip
    had = Counter(tuple(tag)[:2] for told in gallery.exhibits for tag in told.tags[-3])
    for name, frame in flips.items():
        for direction, label in ((RIGHT, True), (WRONG, False)):
            there = frame.filter(pl.col(name) == label).height
            assert min(there, ROOM // (2 * len(names))) <= had[name, direction] <= there
    for told in gallery.exhibits:
        row = trials.row(by_predicate=pl.col("id") == dict(told.facts)["id"], named=True)
        turned = [[name, RIGHT if row[name] else WRONG] for name in names if row[name] not in (None, row["stored"])]
        assert [list(tag)[:2] for tag in told.tags[-3]] == turned
        assert all(tag[2] for tag in told.tags[-3])  # each of its flips has a cause


def test_marks_lie_within_their_texts(result: Result) -> None:
    texts = [snippet for told in gallery_of(result).exhibits for snippet in told.snippets]
    assert any(mark.name == "answer_v2" for snippet in texts for mark in snippet.marks)
    for snippet in texts:
        size = len(snippet.head) + snippet.omitted + len(snippet.tail)
        assert all(0 <= mark.start < mark.end <= size for mark in snippet.marks)
        truths = [snippet.head[m.start : m.end] for m in snippet.marks if m.name == "truth" and not snippet.omitted]
        assert len({text.lower() for text in truths}) <= 1


def told_of(**more: Any) -> list[Section]:
    rows = [
        {"raw_text": "8", "parsed_text": "8", "ground_truth": "8", "stored": "0"},
        {"raw_text": "9\n8", "parsed_text": "9", "ground_truth": "8", "stored": "0"},
        {"raw_text": "7", "parsed_text": "7", "ground_truth": "8", "stored": "1"},
    ]
    kept = more.pop("columns", tuple(rows[0]))
    found = [{name: value for name, value in row.items() if name in kept} for row in rows]
    source = {"use": "frame", "frame": found}
    common = {"experiment": "answer_parsing", "normalizer": ["none"], "by": [], "source": source, "gate": []}
    result = auditfw.run({**common, "parser": ["raw", "first_line"], "audit": {"baseline": None}, **more})
    return [section for section in result.sections if section.page]


BROWSED = {"reports": {"page": {"use": "html"}}}


def test_without_a_report_that_browses_there_is_no_gallery() -> None:
    assert [s.title for s in told_of()] == ["Specification Curve", "Changed Labels by Reading"]
    assert [s.title for s in told_of(**BROWSED)][1] == "Browse Changed Labels"
    none = told_of(**BROWSED, report={"max_exhibits": 0})
    assert [s.title for s in none] == ["Specification Curve", "Changed Labels by Reading"]
    assert not any(isinstance(block, Matrix) for section in none for block in section.blocks)


def test_room_for_fewer_than_there_are_strata() -> None:
    (gallery,) = [b for s in told_of(**BROWSED, report={"max_exhibits": 1}) for b in s.blocks if isinstance(b, Gallery)]
    assert (len(gallery.exhibits), gallery.total) == (1, 3)


def test_without_stored_labels_readings_are_compared_with_the_first() -> None:
    told = told_of(**BROWSED, columns=("raw_text", "ground_truth"))
    assert [s.title for s in told] == ["Specification Curve", "Browse Changed Labels", "Changed Labels by Reading"]
    (chart, note), _, (flips, matrix) = (section.blocks for section in told)
    assert isinstance(chart, Chart)
    assert [one.name for one in chart.series] == ["reading", says.RAW_NONE_ON_THE_SAME]
    assert note == Note(
        "first_line+none: parser first_line, normalizer none; lines are 95 % intervals. raw+none: 33.33 % overall.",
        "first_line+none: parser first_line, normalizer none.",
    )
    assert isinstance(flips, Chart)
    assert flips.title == says.CHANGED_LABELS_AGAINST_RAW_NONE
    assert isinstance(matrix, Matrix)
    marked = ["lossy (raw+none)", "lossy (first_line+none)"]  # letters by containment
    assert (list(matrix.rows), list(matrix.values)) == (marked, [[None, 1], [1, None]])


def test_a_reading_without_labels_is_told_and_left_blank() -> None:
    columns = ("raw_text", "ground_truth", "stored")
    told = told_of(**BROWSED, columns=columns, parser=["raw", "stored"])
    chart, *notes = told[0].blocks
    assert isinstance(chart, Chart)
    assert list(chart.series[0].x) == ["lossy (raw+none)"]
    assert [one.text.partition(";")[0] for one in notes[:-1]] == [says.RAW_NONE_PARSER_RAW_NORMALIZER]
    assert notes[-1] == Note("stored+none: no rate, the source has no column 'parsed_text'.")
    matrix = told[-1].blocks[-1]
    assert isinstance(matrix, Matrix)
    assert list(matrix.shown[-1]) == ["", "", ""]


def test_a_large_grid_compares_its_first_readings() -> None:
    names = ["raw", "first_line", "last_line", "last_number", "first_word", "answer_line"]
    told = told_of(**BROWSED, parser=names, normalizer=["none", "v1", "v2", "nfkc", "casefold"])
    (matrix,) = [block for section in told for block in section.blocks if isinstance(block, Matrix)]
    assert (len(matrix.rows), matrix.left_out) == (MOST_COMPARED + 1, 30 - MOST_COMPARED)


def test_the_page_survives_being_stored(tmp_path: Path) -> None:
    sections = told_of(**BROWSED)
    stored_run.save_sections(str(tmp_path), sections)
    told = json.loads((tmp_path / stored_run.SECTIONS).read_text("utf-8"))["sections"]
    again = [block for one in told for block in stored_run._section(one).blocks]
    shown = [block for section in sections for block in section.blocks]
    assert [_plain(block) for block in again] == [_plain(block) for block in shown]
    (gallery,) = [block for block in again if isinstance(block, Gallery)]
    assert all(isinstance(told, Exhibit) for told in gallery.exhibits)
    assert all(isinstance(snippet, Snippet) for told in gallery.exhibits for snippet in told.snippets)


def _plain(block: Any) -> Any:
    return json.loads(json.dumps(dataclasses.asdict(block)))


FLIPLESS = "No reading changes a label in any cell."


@pytest.mark.parametrize(
    ("more", "sentence", "warning", "check"),
    [
        ({}, "", "", says.NOT_CHECKED_THE_SOURCE_HAS),
        (
            {"stored": [None] * 4, "parsed_text": list("abcd")},
            FLIPLESS,
            "",
            says.NOT_CHECKED_NO_ROW_HAS,
        ),
        (
            {"stored": [1, 1, 0, 1], "parsed_text": list("abcd")},
            FLIPLESS,
            "",
            says.DIFFERS_FROM_THE_STORED_LABEL,
        ),
        (
            {"stored": [1, 1, 0, 1]},
            f"{FLIPLESS} Unknown for stored+v1:",
            "",
            says.NOT_CHECKED_THE_SOURCE_HAS_NO,
        ),
    ],
)
def test_what_is_undefined_is_not_told_as_none(more: dict[str, Any], sentence: str, warning: str, check: str) -> None:
    rows = {"raw_text": ["a", "b", "c", "d user: e"], "ground_truth": list("abxd"), "g": list("ppqq"), **more}
    found = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    given = {"parser": ["stored", "raw"], "normalizer": ["v1"], "by": ["g"], "gate": []}
    result = auditfw.run({"experiment": "answer_parsing", "source": {"use": "frame", "frame": found}, **given})
    blocks = {section.title: section.blocks for section in result.sections}
    assert [note.text.startswith(sentence) for note in blocks.get("Largest Shifts", [])] == [True] * bool(sentence)
    undefined = [told for told in result.warnings if says.CHANGED_LABELS_AND_SHIFTS_ARE_UNDEFINED in told]
    assert undefined == ([says.CHANGED_LABELS_AND_SHIFTS_ARE.format(warning)] if warning else [])
    compared = [told for told in result.warnings if "readings are compared with raw+v1" in told]
    assert len(compared) == (0 if more else 1)
    checked = blocks.get("Stored-Label Consistency Check") or blocks["Which Rule Produced the Labels"]
    assert check in str(checked[0])
    (table,) = blocks["Garbage-Marker Incidence"]
    assert any("stored text" in row[0] for row in table.rows) == ("parsed_text" in more)


@pytest.mark.parametrize("audit", [{}, {"causes": 5}])
def test_a_reading_that_is_its_own_reference_has_no_flips_to_show(audit: dict[str, Any], tmp_path: Path) -> None:
    """Without stored labels the only reading is what readings are compared with: there is no other."""
    rows = [{"id": str(i), "raw_text": text, "ground_truth": "yes"} for i, text in enumerate(["yes", "no"])]
    chosen = {
        "experiment": "answer_parsing",
        "parser": ["answer_v2"],
        "normalizer": ["v1"],
        "gate": [],
        "report": ["html"],
    }
    source = {"use": "frame", "frame": rows}
    result = auditfw.run({**chosen, "source": source, "audit": audit, "by": []}, tmp_path / "run")
    assert result.exit_code == 0
    assert result.measurement("error_rate", "answer_v2+v1").estimate.value == 50
    assert (tmp_path / "run" / "report.html").is_file()
