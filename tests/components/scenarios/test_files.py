"""Scenarios in files: the same whatever they are written in, and what cannot be one is told with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scenario_files import jsonl, read, scenarios

import auditfw
from auditfw.components.scenarios.files import ParquetScenarios
from auditfw.config import build as bridge
from auditfw.config.schema import Builder
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError
from auditfw.kinds.simulation import Columns

bridge.prepare()

ROWS: list[dict[str, Any]] = [
    {"label": "a", "intended": {"y": 1.0, "z": 0.5}, "params": {"x": 0.5}, "group": "g", "team": "red"},
    {"label": "b", "intended": {"y": 2.0}, "params": {"x": 1.0}, "group": "h", "team": "blue"},
]


def array(path: Path, rows: list[Any]) -> dict[str, Any]:
    path.write_text(json.dumps({"individual_results": rows}), "utf-8")
    return {"use": "json", "path": str(path), "records": "individual_results"}


def csv(path: Path, rows: list[Any]) -> dict[str, Any]:
    lines = ["label,group,team,intended.y,intended.z,params.x"]
    lines += [
        f"{r['label']},{r['group']},{r['team']},{r['intended']['y']},{r['intended'].get('z', '')},{r['params']['x']}"
        for r in rows
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return {"use": "csv", "path": str(path)}


def nested(path: Path, rows: list[Any]) -> dict[str, Any]:
    pl.DataFrame(rows).write_parquet(path)
    return {"use": "parquet", "path": str(path)}


def flat(path: Path, rows: list[Any]) -> dict[str, Any]:
    frame = pl.DataFrame(rows)
    inner = [frame[kind].struct.unnest().rename(lambda n, k=kind: f"{k}.{n}") for kind in ("intended", "params")]
    pl.concat([frame.drop("intended", "params"), *inner], how="horizontal").write_parquet(path)
    return {"use": "parquet", "path": str(path)}


def inline(_path: Path, rows: list[Any]) -> dict[str, Any]:
    return {"use": "inline", "rows": rows}


def frame(_path: Path, rows: list[Any]) -> dict[str, Any]:
    return {"use": "frame", "frame": rows}


FORMS = [jsonl, array, csv, nested, flat, inline, frame]
Form = Callable[[Path, list[Any]], dict[str, Any]]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_in_every_form(form: Form, tmp_path: Path) -> None:
    evidence = scenarios(**form(tmp_path / "s", ROWS)).open()
    found = read(evidence)
    assert [{name: row[name] for name in ROWS[0]} for row in found] == ROWS
    assert all(row["place"] for row in found)
    files = evidence.inputs()
    assert len(files) == (0 if form in (inline, frame) else 1)
    evidence.check()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_column_of_tolerances_makes_bands(tmp_path: Path, ending: str) -> None:
    """Of an outcome that is in no column, and where a cell is empty, there is none."""
    table = pl.DataFrame({"intended.y": [1.5, 2.0], "intended.y.tolerance": [0.1, None], "params.x": [1.0, 2.0]})
    table = table.with_columns(pl.lit(1.0).alias("intended.z.tolerance"))
    path = tmp_path / f"s.{ending}"
    {"csv": table.write_csv, "parquet": table.write_parquet}[ending](path)
    found = [row["intended"] for row in read(scenarios(use=ending, path=str(path)).open())]
    assert found == [{"y": {"value": 1.5, "tolerance": 0.1}}, {"y": 2.0}]


@pytest.mark.parametrize("form", [jsonl, array, inline, frame])
def test_labels_of_those_that_have_none(form: Form, tmp_path: Path) -> None:
    rows = [{k: v for k, v in row.items() if k not in ("label", "group")} for row in ROWS]
    assert [row["label"] for row in read(scenarios(**form(tmp_path / "s", rows)).open())] == ["1", "2"]
    mixed = [rows[0], {**rows[1], "label": "mine"}]
    found = read(scenarios(**form(tmp_path / "m", mixed)).open())
    assert [(row["label"], row["group"]) for row in found] == [("1", None), ("mine", None)]


def test_an_id_is_a_label_and_numbers_are_text(tmp_path: Path) -> None:
    rows = [{"id": 7, "intended": {"y": 1}, "params": {}, "group": 3}]
    found = read(scenarios(**jsonl(tmp_path / "s", rows)).open())
    assert [(row["label"], row["group"]) for row in found] == [("7", "3")]


def test_columns_are_renamed_and_rows_filtered(tmp_path: Path) -> None:
    rows = [{"name": row["label"], "goal": row["intended"], "at": row["params"], "team": row["team"]} for row in ROWS]
    columns = {"label": "name", "intended": "goal", "params": "at"}
    settings = jsonl(tmp_path / "s", rows)
    found = read(scenarios(**settings, columns=columns, where="team = 'blue'").open())
    assert [(row["label"], row["params"]) for row in found] == [("b", {"x": 1.0})]


def test_whole_numbers_stay_whole(tmp_path: Path) -> None:
    rows = [{"intended": {"y": 1}, "params": {"n": 3}}]
    assert type(read(scenarios(**jsonl(tmp_path / "s", rows)).open())[0]["params"]["n"]) is int


PARTNERS = [{"team": "red", "at": 0.5, "note": "r"}, {"team": "green", "at": 9, "note": "g"}]


@pytest.mark.parametrize("form", [jsonl, array, csv, nested, flat, frame])
@pytest.mark.parametrize("second", ["jsonl", "csv", "parquet"])
def test_a_second_file_adds_columns(form: Form, second: str, tmp_path: Path) -> None:
    other = tmp_path / f"source.{second}"  # a name that is no setting
    table = pl.DataFrame(PARTNERS)
    {"jsonl": table.write_ndjson, "csv": table.write_csv, "parquet": table.write_parquet}[second](other)
    join = {"source": {"use": second, "path": str(other)}, "on": {"team": "team"}, "columns": {"remark": "note"}}
    evidence = scenarios(**form(tmp_path / "s", ROWS), join={**join, "otherwise": {"remark": "none"}}).open()
    assert [(row["label"], row["params"], row["remark"]) for row in read(evidence)] == [
        ("a", ROWS[0]["params"], "r"),
        ("b", ROWS[1]["params"], "none"),
    ]
    assert str(other) in [one.path for one in evidence.inputs()]


def test_what_is_intended_may_be_in_the_second_file(tmp_path: Path) -> None:
    (tmp_path / "aims.csv").write_text("name,wanted\na,0.5\nb,2\n", "utf-8")
    bare = [{key: value for key, value in row.items() if key != "intended"} for row in ROWS]
    source = {"use": "csv", "path": str(tmp_path / "aims.csv")}
    join = {"source": source, "on": {"label": "name"}, "columns": {"intended.y": "wanted"}}
    found = read(scenarios(**jsonl(tmp_path / "s", bare), join=join).open())
    assert [row["intended"] for row in found] == [{"y": 0.5}, {"y": 2}]


JOINS = [
    ({"source": {"use": "csv"}}, "scenarios.join.source.path: not set - write scenarios.join.source.path=FILE"),
    ({"source": {"use": "cvs"}}, "scenarios.join.source: no source named 'cvs' - did you mean 'csv'?"),
    ({"source": None}, "scenarios.join.source: expected a source: a name, or a mapping with 'use'; got nothing"),
    ({}, "scenarios.join.source: not set - write scenarios.join.source=..."),
    ({"source": {"use": "csv", "path": "{}/source.csv"}}, "/source.csv: no column 'note' (found: team) - write "
     "scenarios.join.source.columns.note=THEIR_NAME"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), JOINS)
def test_a_wrong_join_is_told_by_its_own_place(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "source.csv").write_text("team\nred\n", "utf-8")
    join = {"on": {"team": "team"}, "columns": {"note": "note"}, **change}
    if "path" in (join.get("source") or {}):
        join["source"] = {"use": "csv", "path": str(tmp_path / "source.csv")}
    with pytest.raises(AuditError) as caught:
        scenarios(**jsonl(tmp_path / "s.jsonl", ROWS), join=join).open()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "settings", "path", "place"),
    [
        ("scenarios", {"use": "lhs", "simulator": {"use": "sir"}}, "scenarios.simulator", "simulator"),
        ("audit", {"use": "parsing", "source": {"use": "csv"}}, "audit.source", "source"),
        ("audit", {"use": "alignment", "metrics": {}}, "audit.metrics", "metrics"),
        ("source", {"use": "intentions", "scenarios": {"use": "csv"}}, "source.scenarios", "scenarios"),
    ],
)
def test_a_component_is_not_set_beside_its_place(kind: str, settings: Any, path: str, place: str) -> None:
    builder = Builder({})
    builder._component(kind, settings, kind)
    found = {error.where: error for error in builder.errors}[path]
    assert (found.what, found.do) == ("settings in the wrong place", f"they belong at {place}")


def test_more_than_a_number_may_be_intended(tmp_path: Path) -> None:
    band = {"between": [1, 2], "unit": "m"}
    rows = [{"intended": {"y": band}, "params": {}}]
    for form in (jsonl, inline, frame):
        assert read(scenarios(**form(tmp_path / "s", rows)).open())[0]["intended"] == {"y": band}


BAD = [
    ({"params": {"x": 1}}, "expected a mapping of numbers in 'intended', got null"),
    ({"intended": {"y": 1}}, "expected a mapping of numbers in 'params', got null"),
    ({"intended": 3, "params": {}}, "expected a mapping of numbers in 'intended', got a number"),
    ({"intended": {"y": "high"}, "params": {}}, "expected a finite number in 'intended.y', got 'high'"),
    ({"intended": {"y": None}, "params": {}}, "expected a finite number in 'intended.y', got null - leave it out"),
    ({"intended": {"y": 1}, "params": {"x": "a"}}, "expected a finite number in 'params.x', got 'a'"),
    ({"intended": {"y": 1}, "params": {"x": True}}, "expected a finite number in 'params.x', got True"),
    ({"intended": {"y": 1}, "params": {"x": [1]}}, "expected a finite number in 'params.x', got [1]"),
    ({"intended": {"y": 1}, "params": {}, "label": "a"}, "duplicate label 'a' (first at"),
    ({"intended": {"y": 1}, "params": {}, "label": ["a"]}, "the label is not text (['a'])"),
]


@pytest.mark.parametrize("form", [jsonl, inline])
@pytest.mark.parametrize(("row", "told"), BAD)
def test_what_is_no_scenario_is_told_with_its_place(form: Form, row: dict[str, Any], told: str, tmp_path: Path) -> None:
    def look() -> None:
        read(scenarios(**form(tmp_path / "s.jsonl", [ROWS[0], row])).open())

    with pytest.raises(DataError) as caught:
        look()
    place = "s.jsonl:2: " if form is jsonl else "scenarios.rows[1]: "
    assert place + told in str(caught.value)


def test_messages_name_settings_of_the_scenarios(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        scenarios(**jsonl(tmp_path / "s.jsonl", [{"goal": {}, "params": {}}])).open()
    assert str(caught.value).endswith("(found: goal, params) - write scenarios.columns.intended=THEIR_NAME")
    with pytest.raises(UsageError, match=r"^scenarios\.path: not set"):
        scenarios("jsonl").open()
    with pytest.raises(NothingAudited):
        scenarios(**jsonl(tmp_path / "s.jsonl", [])).open()
    (tmp_path / "s.jsonl").write_text('{"intended": {"y": NaN}, "params": {}}\n', "utf-8")
    with pytest.raises(DataError, match=r"s\.jsonl:1: expected a finite number in 'intended\.y', got nan"):
        read(scenarios("jsonl", path=str(tmp_path / "s.jsonl")).open())


def test_labels_that_stand_twice_are_found_far_apart(tmp_path: Path) -> None:
    rows = [{"label": f"n{i % 9_000}", "intended": {"y": 1}, "params": {}} for i in range(9_001)]
    settings = jsonl(tmp_path / "s.jsonl", rows)
    with pytest.raises(DataError, match=r"s\.jsonl:9001: duplicate label 'n0' \(first at .*s\.jsonl:1\)"):
        scenarios(**settings).open()
    assert len(read(scenarios(**settings, duplicates="all").open())) == 9_001


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        ({}, True),
        ({"label": ["a", "b", "c"]}, True),
        ({"actual.y": [1, 2, 3]}, True),
        ({"intended.y": [1.0, None, 2.0]}, False),
        ({"params.x": [1.0, 2.0, None]}, False),
        ({"team": ["red", "blue", "red"]}, False),
        ({"label": ["a", None, "c"]}, False),
        ({"params.x": ["1", "2", "3"]}, False),
    ],
)
def test_flat_columns_stay_columns(change: dict[str, Any], whole: bool, tmp_path: Path) -> None:
    """The fast way gives what the slow one does, and is taken only where no row needs a look of its own."""
    plain = {"intended.y": [1.0, 2.0, 3.0], "params.x": [0.5, 1.0, 1.5], "params.n": [1, 2, 3]}
    path = str(tmp_path / "s.parquet")
    pl.DataFrame({**plain, **change}).write_parquet(path)
    fast = scenarios("parquet", path=path).open()
    slow = scenarios("parquet", path=path, where="true").open()
    assert isinstance(next(iter(fast.tasks))().columns["params"], Columns) is whole
    nested = [{k: row.get(k) for k in ("label", "intended", "params", "group", "place")} for row in read(fast)]
    assert nested == [{k: row.get(k) for k in nested[0]} for row in read(slow)]
    pl.DataFrame({**plain, "label": ["a", "b", "a"]}).write_parquet(path)
    with pytest.raises(DataError, match="duplicate label 'a'"):
        scenarios("parquet", path=path).open()


def test_recorded_outcomes_need_no_parameters(tmp_path: Path) -> None:
    (tmp_path / "meant.jsonl").write_text('{"label": "a", "intended": {"y": 1.0}}\n')
    (tmp_path / "came.jsonl").write_text('{"label": "a", "actual": {"y": 0.5}}\n')
    result = auditfw.run(
        {
            "experiment": "posiwid",
            "scenarios": {"use": "jsonl", "path": str(tmp_path / "meant.jsonl")},
            "simulator": {"use": "table", "path": str(tmp_path / "came.jsonl")},
            "by": [],
        }
    )
    assert result.measurement("mean_overall", "actual").estimate.value == 0.75


@pytest.mark.parametrize("place", ["scenarios", "simulator"])
def test_an_error_column_that_no_record_has_is_no_column(tmp_path: Path, place: str) -> None:
    """It may come later in a log; a file of scenarios or of recorded outcomes is none."""
    (tmp_path / "s.jsonl").write_text('{"label": "a", "intended": {"x": 1}, "params": {}}\n', "utf-8")
    (tmp_path / "a.csv").write_text("label,x\na,1\n", "utf-8")
    parts: dict[str, dict[str, Any]] = {
        "scenarios": {"use": "jsonl", "path": str(tmp_path / "s.jsonl")},
        "simulator": {"use": "table", "path": str(tmp_path / "a.csv")},
    }
    parts[place]["columns"] = {"error": "nix"}
    result = auditfw.run({"experiment": "posiwid", **parts})
    assert result.counts["audited"] == 1
    assert result.measurement("mean_overall", "actual").estimate.value == 1.0


def test_scenarios_of_several_parquet_files(tmp_path: Path) -> None:
    for run in ("a", "b"):
        frame = pl.DataFrame({"label": [f"{run}1", f"{run}2"], "intended.x": [1.0, 2.0], "params.p": [0.5, 1.0]})
        frame.write_parquet(tmp_path / f"{run}.parquet")
    for path in (tmp_path, tmp_path / "{run}.parquet"):
        evidence = ParquetScenarios(path=str(path)).open()
        labels = [label for task in evidence.tasks for label in task().columns["label"]]
        assert labels == ["a1", "a2", "b1", "b2"]
