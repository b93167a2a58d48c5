"""Scenario sets: the same scenarios whatever they are written in, and what cannot be one is told with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from running import Command

import auditfw
from auditfw.config import build as bridge
from auditfw.config.schema import Builder
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.simulation import Columns

bridge.prepare()

ROWS: list[dict[str, Any]] = [
    {"label": "a", "intended": {"y": 1.0, "z": 0.5}, "params": {"x": 0.5}, "group": "g", "team": "red"},
    {"label": "b", "intended": {"y": 2.0}, "params": {"x": 1.0}, "group": "h", "team": "blue"},
]


def scenarios(use: str, root: Mapping[str, Any] | None = None, **settings: Any) -> Any:
    builder = Builder(root or {})
    made = builder._component("scenarios", {"use": use, **settings}, "scenarios")
    if builder.errors:
        raise builder.errors[0]
    return made


def read(evidence: Evidence) -> list[dict[str, Any]]:
    """All scenarios as rows."""
    found: list[dict[str, Any]] = []
    for task in evidence.tasks:
        columns = task().columns
        assert tuple(columns) == evidence.columns
        found += [{name: column[i] for name, column in columns.items()} for i in range(len(columns["label"]))]
    return found


def jsonl(path: Path, rows: list[Any]) -> dict[str, Any]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return {"use": "jsonl", "path": str(path)}


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
    ({"source": None}, "scenarios.join.source: expected a source: a name, or a mapping with 'use' (found nothing)"),
    ({}, "scenarios.join.source: not given - set scenarios.join.source=..."),
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
    assert (found.what, found.do) == ("settings in the wrong place", f"they lie at {place}")


def test_more_than_a_number_may_be_intended(tmp_path: Path) -> None:
    band = {"between": [1, 2], "unit": "m"}
    rows = [{"intended": {"y": band}, "params": {}}]
    for form in (jsonl, inline, frame):
        assert read(scenarios(**form(tmp_path / "s", rows)).open())[0]["intended"] == {"y": band}


BAD = [
    ({"params": {"x": 1}}, "'intended' is no mapping of numbers (null)"),
    ({"intended": {"y": 1}}, "'params' is no mapping of numbers (null)"),
    ({"intended": 3, "params": {}}, "'intended' is no mapping of numbers (3, a int)"),
    ({"intended": {"y": "high"}, "params": {}}, "'intended.y' is no number (high) - write a finite number"),
    ({"intended": {"y": None}, "params": {}}, "'intended.y' is no number (null) - leave it out"),
    ({"intended": {"y": 1}, "params": {"x": "a"}}, "'params.x' is no number (a)"),
    ({"intended": {"y": 1}, "params": {"x": True}}, "'params.x' is no number (True)"),
    ({"intended": {"y": 1}, "params": {"x": [1]}}, "'params.x' is no number ([1])"),
    ({"intended": {"y": 1}, "params": {}, "label": "a"}, "the label 'a' stands twice (first at"),
    ({"intended": {"y": 1}, "params": {}, "label": ["a"]}, "the label is no text (['a'])"),
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
    with pytest.raises(DataError, match=r"s\.jsonl:1: 'intended\.y' is no number \(nan\)"):
        read(scenarios("jsonl", path=str(tmp_path / "s.jsonl")).open())


def test_labels_that_stand_twice_are_found_far_apart(tmp_path: Path) -> None:
    rows = [{"label": f"n{i % 9_000}", "intended": {"y": 1}, "params": {}} for i in range(9_001)]
    settings = jsonl(tmp_path / "s.jsonl", rows)
    with pytest.raises(DataError, match=r"s\.jsonl:9001: the label 'n0' stands twice \(first at .*s\.jsonl:1\)"):
        scenarios(**settings).open()
    assert len(read(scenarios(**settings, duplicates="all").open())) == 9_001


# Designs

SIR = {"simulator": {"use": "python", "function": "toy_simulators:double", "bounds": {"x": [0, 2], "k": [1, 3]}}}
GOAL = {"fitness": 1.0}


def test_linspace() -> None:
    evidence = scenarios("linspace", name="x", start=0, stop=1, steps=5, intended=GOAL, fixed={"k": 2}).open()
    found = read(evidence)
    assert [row["params"] for row in found] == [{"x": x, "k": 2.0} for x in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert [row["label"] for row in found] == ["x=0", "x=0.25", "x=0.5", "x=0.75", "x=1"]
    assert all(row["intended"] == GOAL and row["group"] is None for row in found)
    assert evidence.rows == 5


def test_labels_of_close_values_differ() -> None:
    found = read(scenarios("linspace", name="x", start=1, stop=1.0000001, steps=3, intended=GOAL).open())
    assert len({row["label"] for row in found}) == 3


def test_grid() -> None:
    found = read(scenarios("grid", axes={"x": [0, 1], "k": [1, 2, 3]}, intended=GOAL, group="all").open())
    assert [tuple(row["params"].values()) for row in found] == list(product((0, 1), (1, 2, 3)))
    assert found[1]["label"] == "x=0 k=2"
    assert found[1]["group"] == "all"


@pytest.mark.parametrize("use", ["lhs", "sobol"])
def test_samples(use: str) -> None:
    settings: dict[str, Any] = {"bounds": {"x": [10, 20], "k": [-1, 1]}, "n": 64, "intended": GOAL}
    found = read(scenarios(use, **settings, seed=1).open())
    x = np.array([row["params"]["x"] for row in found])
    assert ((x >= 10) & (x < 20)).all()
    for bins in (2, 8, 64):  # one dimension of either holds one point a stratum
        assert set(np.histogram(x, bins, (10, 20))[0]) == {64 // bins}
    assert [row["label"] for row in found] == [str(i) for i in range(1, 65)]
    assert found == read(scenarios(use, **settings, seed=1).open())
    assert found != read(scenarios(use, **settings, seed=2).open())


@pytest.mark.parametrize("use", ["lhs", "sobol", "grid", "linspace"])
def test_a_design_takes_bounds_from_the_simulator(use: str) -> None:
    found = read(scenarios(use, SIR, intended=GOAL).open())
    assert {name for row in found for name in row["params"]} == ({"x"} if use == "linspace" else {"x", "k"})
    assert all(0 <= row["params"]["x"] <= 2 for row in found)
    fixed = read(
        scenarios(use, SIR, intended=GOAL, fixed={"x": 1.5}, **({"name": "k"} if use == "linspace" else {})).open()
    )
    assert {row["params"]["x"] for row in fixed} == {1.5}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"use": "lhs", "bounds": {"x": [0, 1]}}, "scenarios.intended: not set - write scenarios.intended="),
        ({"use": "lhs", "intended": GOAL}, "scenarios.bounds: not set"),
        ({"use": "lhs", "intended": GOAL, "bounds": {"x": [1, 0]}}, "scenarios.bounds.x: is not [low, high]"),
        ({"use": "lhs", "intended": GOAL, "bounds": {"x": [0, 1]}, "fixed": {"x": 1}}, "fixed.x: is varied too"),
        ({"use": "lhs", "n": 0}, "n: must give 1 to 10,000,000 scenarios (0)"),
        ({"use": "sobol", "seed": -1}, "seed: expected a whole number"),
        ({"use": "grid", "axes": {"x": [1, 1]}, "intended": GOAL}, "scenarios.axes.x: must be values that differ"),
        ({"use": "linspace", "intended": GOAL}, "scenarios.bounds: not set"),
        ({"use": "linspace", "name": "x", "start": 0, "stop": 1, "intended": {"y": "a"}}, "'intended.y' is no number"),
    ],
)
def test_designs_that_cannot_be(settings: dict[str, Any], told: str) -> None:
    def look() -> None:
        scenarios(**settings).open()

    with pytest.raises(AuditError) as caught:
        look()
    assert told in str(caught.value)


def test_big_designs_come_in_bounded_batches() -> None:
    evidence = scenarios("linspace", name="x", start=0, stop=1, steps=10_000, intended=GOAL).open()
    sizes = [len(task().columns["label"]) for task in evidence.tasks]
    assert sum(sizes) == 10_000
    assert max(sizes) <= 4_096
    labels = [label for task in evidence.tasks for label in task().columns["label"]]
    assert len(set(labels)) == 10_000
    larger = scenarios("linspace", name="x", start=0, stop=1, steps=10_001, intended=GOAL).open()
    assert [row["label"] for row in read(larger)][-1] == "10001"


def test_the_seed_of_a_run_is_that_of_its_designs() -> None:
    for chosen, seed in (([], 5), (["scenarios.seed=9"], 9)):
        settings = bridge.compose(["experiment=posiwid", "scenarios=sobol", "seed=5", *chosen])
        assert settings["scenarios"]["seed"] == seed
    assert scenarios("sobol").seed == 0


# Series


def test_series(tmp_path: Path) -> None:
    path = tmp_path / "out.tab"
    path.write_text("Time\tStock\tFlow\n0\t1\t0.5\n0.5\t2\t\n1.0\t3\t0.25\n", "utf-8")
    found = read(scenarios("series", path=str(path), params={"k": 1}, label="native").open())
    assert found[0]["intended"] == {
        "Stock@0": 1.0, "Flow@0": 0.5, "Stock@0.5": 2.0, "Stock@1.0": 3.0, "Flow@1.0": 0.25,
    }  # fmt: skip
    assert (found[0]["label"], found[0]["params"]) == ("native", {"k": 1.0})
    end = read(scenarios("series", path=str(path), outcomes="end", columns=["Stock"]).open())
    assert end[0]["intended"] == {"Stock": 3.0}
    assert list(read(scenarios("series", path=str(path), every=2).open())[0]["intended"])[2:] == [
        "Stock@1.0",
        "Flow@1.0",
    ]
    with pytest.raises(DataError, match=r"no column 'Stok' - did you mean 'Stock'\?"):
        scenarios("series", path=str(path), columns=["Stok"]).open()
    path.write_text("Time,Stock\n0,1\n1,one\n", "utf-8")
    with pytest.raises(DataError, match=r"out\.tab:3: 'Stock' is no number \(one\)"):
        read(scenarios("series", path=str(path)).open())


# As a newcomer


@pytest.fixture(scope="module")
def shipped() -> auditfw.Result:
    return auditfw.run({"experiment": "posiwid"})


def test_the_shipped_set(shipped: auditfw.Result) -> None:
    """The rule that is right about epidemics is aligned best, the proportional one least."""
    assert shipped.counts == {"read": 96, "audited": 96}
    means = {m.cell["group"]: m.estimate.value for m in shipped.measurements if m.metric == "mean_overall" and m.cell}
    assert {name: round(value or 0, 3) for name, value in means.items()} == {
        "final_size": 0.946,
        "threshold": 0.85,
        "proportional": 0.723,
    }


MODEL = 'def run(p):\n    return {"fitness": p["x"] * 2, "energy": 1 - p["x"]}\n'


def test_a_model_of_ones_own(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mymodel.py").write_text(MODEL, "utf-8")
    goal = {"fitness": 1.0, "energy": 0.5}
    rows = [{"label": str(x), "intended": goal, "params": {"x": x}} for x in (0.5, 0.1)]
    settings = jsonl(tmp_path / "mine.jsonl", rows)
    words = ["experiment=posiwid", "simulator=python", "scenarios=jsonl", "scenarios.path=mine.jsonl"]
    done = command(*words, "simulator.function=mymodel:run", "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "run/result.json").read_text("utf-8"))
    assert told["counts"] == {"read": 4, "audited": 4}
    overall = {m["metric"]: m["value"] for m in told["measurements"] if not m["cell"]}
    assert overall["mean_overall"] == pytest.approx((1 + 0.6) / 2)
    assert settings["path"].endswith(told["inputs"][0]["path"])
    safe = command(*words, "simulator.function=mymodel:run", env={"AUDITFW_SAFE": "1"})
    assert safe.returncode == 2
    assert "switched off by AUDITFW_SAFE" in safe.stderr


@pytest.mark.slow
def test_sweep_over_designs(command: Command, tmp_path: Path) -> None:
    words = ["experiment=posiwid", "scenarios=lhs,sobol", "audit.weights.direction=0.3,0.5", "++scenarios.n=8"]
    done = command("-m", *words, "report=[]", "hydra.sweep.dir=sweep")
    assert done.returncode == 0, done.stderr
    jobs = json.loads((tmp_path / "sweep/sweep.json").read_text("utf-8"))["jobs"]
    assert len({job["measurements"]["mean_overall@actual"] for job in jobs}) == 4


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
    with pytest.raises(DataError, match="the label 'a' stands twice"):
        scenarios("parquet", path=path).open()


@pytest.mark.parametrize(
    ("function", "counts", "code"),
    [
        ("every_third_fails", {"read": 6, "audited": 4, "error": 2}, 4),
        ("slow", {"read": 6, "audited": 3, "error": 1, "timeout": 2}, 4),
        ("odd", {"read": 6, "audited": 1, "error": 4, "nonfinite": 1}, 4),
        ("double", {"read": 6, "audited": 0, "missing": 6}, 5),
    ],
)
def test_a_run_over_a_bad_simulator_ends_and_adds_up(function: str, counts: dict[str, int], code: int) -> None:
    settings = {"use": "python", "function": f"toy_simulators:{function}", "timeout": 0.2}
    rows = [{"label": str(n), "intended": {"y": 1.0}, "params": {"x": float(n)}} for n in range(6)]
    chosen = {"experiment": "posiwid", "by": [], "simulator": settings, "scenarios": {"use": "inline", "rows": rows}}
    result = auditfw.run(chosen)
    assert (result.counts, result.exit_code) == (counts, code)


def test_a_run_may_be_allowed_its_errors() -> None:
    settings = {"use": "python", "function": "toy_simulators:every_third_fails"}
    rows = [{"label": str(n), "intended": {"y": 1.0}, "params": {"x": float(n)}} for n in range(6)]
    chosen = {"experiment": "posiwid", "by": [], "simulator": settings, "scenarios": {"use": "inline", "rows": rows}}
    assert auditfw.run({**chosen, "audit": {"max_error_rate": 0.4}}).exit_code in (0, 1)


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
