"""The files of a draw: read as they were written, and refused where they are of another run or were changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from auditfw.audits.adjudication.draw import CellClasses
from auditfw.audits.adjudication.draw_files import (
    COLUMNS,
    DrawPage,
    DrawRound,
    StoredDraw,
    draw_folder,
    read_draw,
    write_draw,
)
from auditfw.components.files.run_tables import digest_of
from auditfw.core.errors import AuditError

TABLE = {
    "key": ["k1", "k2"], "id": ["a-1", "b-1"], "item": ["1", None], "model": ["a", None], "class": [2, 0],
    "round": [1, 1], "page": [1, 1], "position": [1, 2], "probability": [0.5, 0.25], "question": ["2 + 2?", None],
    "ground_truth": [["4"], ["5"]], "raw_text": ["four", "five"], "stored": [True, None], "raw+v1": [False, True],
}  # fmt: skip


def written(run: Path, name: str = "labels") -> StoredDraw:
    run.mkdir(exist_ok=True)
    (run / "result.json").write_text("{}")
    folder = draw_folder(run, name)
    folder.mkdir()
    draw = StoredDraw(
        folder,
        digest_of(run / "result.json"),
        7,
        ["stored", "raw+v1"],
        ["model"],
        [CellClasses(("a",), (1, 0, 2, 0), (0, 0, 1, 0)), CellClasses((None,), (4, 0, 0, 0), (1, 0, 0, 0))],
        [DrawRound(2, 1, 0, [DrawPage("page-1.html", ["k1", "k2"])])],
        {(): 3.5, ("a",): 2.0, (None,): None},
    )
    write_draw(draw, TABLE)
    return draw


def test_a_draw_is_read_as_it_was_written(tmp_path: Path) -> None:
    draw = written(tmp_path / "run")
    read = read_draw(tmp_path / "run", "labels")
    assert replace(read, digests={}) == draw
    assert (read.reference, read.drawn) == ("stored", 2)
    assert read.rows().equals(pl.DataFrame(TABLE))
    document = json.loads((draw.folder / "draw.json").read_text())
    assert list(document) == [
        *("schema", "run", "seed", "readings", "reference", "by", "groups", "rounds", "n_eff", "digests"),
    ]
    assert document["groups"][2] == {"cell": {"model": "a"}, "class": 2, "trials": 2, "drawn": 1}
    assert document["n_eff"] == [
        {"cell": {}, "value": 3.5},
        {"cell": {"model": "a"}, "value": 2.0},
        {"cell": {"model": None}, "value": None},
    ]


def test_a_cell_that_is_called_as_a_column_of_the_table() -> None:
    draw = StoredDraw(Path(), "", 0, ["stored"], ["class", "model", "stored"], [], [], {})
    assert draw.cell_columns == {"class": "cell.class", "model": "model", "stored": "cell.stored"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"run": "0" * 64}, "belongs to another result.json (000000000000) - name the run"),
        ({"schema": "auditfw.draw/2"}, "is not of schema auditfw.draw/1"),
        ({"groups": 3}, "groups: expected a list, got a whole number"),
        ({"groups": []}, None),
        ({"readings": ["raw+v1"]}, "readings: does not begin with the reference"),
        ({"by": []}, "groups: names another cell or class"),
        ({"groups": [{"cell": {"model": "a"}, "class": 0, "trials": 1, "drawn": 2}]}, "has more drawn than trials"),
        ({"groups": [{"cell": {"model": "a"}, "class": 0, "trials": 1, "drawn": 1}]}, "groups: lacks a class"),
        ({"groups": [{"cell": {"model": "a"}, "class": 4, "trials": 1, "drawn": 1}]}, "another cell or class"),
    ],
)
def test_a_changed_draw_json(tmp_path: Path, change: dict[str, object], message: str | None) -> None:
    file = written(tmp_path / "run").folder / "draw.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    if message is None:
        assert read_draw(tmp_path / "run", "labels").groups == []
        return
    with pytest.raises(AuditError) as error:
        read_draw(tmp_path / "run", "labels")
    assert error.value.exit_code == 3
    assert message in str(error.value)
    assert str(error.value).startswith(str(file))


def test_a_changed_table(tmp_path: Path) -> None:
    folder = written(tmp_path / "run").folder
    draw = read_draw(tmp_path / "run", "labels")
    pl.DataFrame({**TABLE, "class": [2, 1]}).write_parquet(folder / "draw.parquet")
    with pytest.raises(AuditError, match=r"draw\.parquet: does not match its SHA-256 in draw\.json"):
        draw.rows()
    (folder / "draw.parquet").unlink()
    with pytest.raises(AuditError, match=r"no such file \(draw\.json lists it"):
        draw.rows()


def test_a_table_that_lacks_a_column(tmp_path: Path) -> None:
    draw = written(tmp_path / "run")
    write_draw(draw, {name: column for name, column in TABLE.items() if name != "raw+v1"})
    with pytest.raises(AuditError, match=r"is not the table of a draw \(no column raw\+v1\)"):
        read_draw(tmp_path / "run", "labels").rows()


def test_what_cannot_be_written_leaves_the_draw_as_it_was(tmp_path: Path) -> None:
    draw = written(tmp_path / "run")
    before = [(draw.folder / name).read_bytes() for name in ("draw.json", "draw.parquet")]
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_draw(replace(draw, n_eff={(): float("nan")}), {**TABLE, "class": [1, 1]})
    assert [(draw.folder / name).read_bytes() for name in ("draw.json", "draw.parquet")] == before


def test_no_draw(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "result.json").write_text("{}")
    what = f"{run}: no labels were drawn from this run - auditfw label {run}, or audit.sampling=random for labels"
    with pytest.raises(AuditError) as error:
        read_draw(run, "labels")
    assert str(error.value).startswith(what)
    assert error.value.exit_code == 2
    written(run, "second")
    with pytest.raises(AuditError, match=r"is named 'secnd' - did you mean 'second'\?"):
        read_draw(run, "secnd")
    assert read_draw(run, "second").drawn == read_draw(run, str(run / "labels-second")).drawn == 2


def test_where_a_draw_is() -> None:
    assert draw_folder(Path("run"), "labels") == Path("run/labels")
    assert draw_folder(Path("run"), "second") == Path("run/labels-second")
    assert draw_folder(Path("run"), "./mine") == Path("mine")
    for name in ("", "a b", "..x", "é", "x" * 65):
        with pytest.raises(AuditError, match="name: expected letters"):
            draw_folder(Path("run"), name)


def test_the_columns_of_the_table_are_those_that_are_declared() -> None:
    assert {*COLUMNS} == {*TABLE} - {"model", "stored", "raw+v1"}
