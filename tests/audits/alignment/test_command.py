"""The alignment audit as typed: a user's model and scenarios in an empty folder, published reports, bad inputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import Command
from sentences import alignment as says

import auditfw
from auditfw.commands.check import check
from auditfw.commands.run import execute
from auditfw.config import build as bridge
from auditfw.samples import actual

Mine = Callable[[dict[str, Any]], dict[str, Any]]
MODEL = """
import random
import time

def run(params):
    x = params["x"]
    return {"fitness": 2 * x, "energy": 1 - x}

def third(params):
    if round(params["x"] * 10) % 3 == 0:
        raise RuntimeError("boom")
    return run(params)

def hangs(params):
    if params["x"] > 0.8:
        time.sleep(60)
    return run(params)

def nothing(params):
    return {"other": 1.0}

def seeded(params, seed):
    return {"fitness": random.Random(seed).random()}

CALLS = []

def drifts(params):
    CALLS.append(1)
    return {"energy": 1 - params["x"], "fitness": 2 * params["x"] + (len(CALLS) > 1_200)}

class Narrow:
    def __init__(self, name="x", high=0.5):
        self.spec = {name: (0, high)}

    def param_spec(self):
        return self.spec

    def run(self, params):
        return run(params)

class Spec:
    def param_spec(self):
        return {"x": (0, 1)}

    def run(self, params):
        return run(params)
"""
SCENARIOS = [
    {"label": f"x{i}", "group": "ab"[i % 2], "intended": {"fitness": 0.8, "energy": 0.5}, "params": {"x": i / 10}}
    for i in range(1, 10)
]
MINE = ("experiment=posiwid", "simulator=python", "scenarios=jsonl", "scenarios.path=mine.jsonl")
PYTHON = (*MINE, "simulator.function=mymodel:run", "simulator.bounds={x: [0, 1]}")
NARROW = {"simulator.function": "mymodel:Narrow", "simulator.bounds": {}}
REPORTS = ("sample_mito", "sample_mito_nuance")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mine")
    (made / "mymodel.py").write_text(MODEL)
    (made / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in SCENARIOS))
    return made


def inline(intended: dict[str, Any]) -> dict[str, Any]:
    return {"use": "inline", "rows": [{"intended": intended, "params": {"x": 0.1}}]}


@cache
def composed() -> dict[str, Any]:
    return bridge.compose([*PYTHON, "report=[]"])


@pytest.fixture
def mine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Mine:
    """The settings of a run in the user's folder, with changes by path."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))

    def changed(changes: dict[str, Any]) -> dict[str, Any]:
        settings = deepcopy(composed())
        for path, value in changes.items():
            *above, last = path.split(".")
            node = settings
            for name in above:
                node = node[name]
            node[last] = value
        return settings

    return changed


def told(output: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output)
    assert found["counts"]["read"] == sum(n for name, n in found["counts"].items() if name != "read")
    return found


def test_scenarios_join_a_second_file(folder: Path, command_in: Command) -> None:
    """By the real command, and what `check` says of it."""
    (folder / "cohorts.csv").write_text(
        "name,cohort\n" + "".join(f"x{i},{'no' if i > 4 else 'yes'}\n" for i in range(9))
    )
    words = [*PYTHON, "+scenarios.join.source={use: csv, path: cohorts.csv}", "by=[cohort]", "report=[json]", "gate=[]"]
    words += ["+scenarios.join.on={label: name}", "+scenarios.join.columns={cohort: cohort}"]
    ran = command_in(folder, *words)
    assert ran.returncode == 0, ran.stderr
    found = told(ran.stdout)
    assert [one["path"] for one in found["inputs"]] == ["mine.jsonl", "cohorts.csv"]
    assert says.ROWS_WITHOUT_A_MATCH_FILLED in found["warnings"]
    checked = command_in(folder, "check", *words)
    assert checked.returncode == 0, checked.stderr


def test_by_a_parameter_says_where_it_is_broken_down(folder: Path, command_in: Command) -> None:
    done = command_in(folder, "check", *PYTHON, "by=[x]")
    assert done.returncode == 2
    before, after = says.A_PARAMETER_IS_BROKEN_DOWN.split("{}")
    assert before in done.stderr
    assert after in done.stderr
    assert command_in(folder, "check", *PYTHON, "by=[param.x]").returncode == 0


@pytest.mark.parametrize("name", REPORTS)
def test_published_reports_score_exactly_again(name: str) -> None:
    """Every score that the authors stored: per key, per scenario, and the aggregate."""
    result = auditfw.run({"experiment": "posiwid_report", "scenarios": name, "simulator": name})
    assert result.exit_code == 0
    assert result.counts == {"read": 10, "audited": 10}
    [path] = [one.path for one in result.inputs]  # scenarios and simulator read the same file
    stored = json.loads(Path(actual(path)).read_text("utf-8"))
    for metric, value in stored["aggregate"].items():
        if metric == "per_key_mean":
            for key, scores in value.items():
                for part, number in scores.items():
                    found = result.measurement(part, "actual", key=key).estimate.value
                    assert found == pytest.approx(number, abs=1e-9)
        else:
            assert result.measurement(metric, "actual").estimate.value == pytest.approx(value, abs=1e-9)
    trials = result.trials.collect() if isinstance(result.trials, pl.LazyFrame) else result.trials
    overall = result.tables["scenarios"]["overall"].to_list()
    for i, one in enumerate(stored["individual_results"]):
        assert overall[i] == pytest.approx(one["alignment"]["overall"], abs=1e-9)
        for key, scores in one["alignment"]["per_key"].items():
            row = trials.row(by_predicate=(pl.col("scenario") == i) & (pl.col("key") == key), named=True)
            assert {name: row[name] for name in scores} == pytest.approx(scores, abs=1e-9)


def test_a_users_model_and_scenarios(folder: Path, command: Command) -> None:
    done = command(*PYTHON, "report=[json]", "by=[group]", "hydra.run.dir=mine", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = told(done.stdout)
    assert result["counts"] == {"read": 18, "audited": 18}
    assert result["audit"] == "alignment"
    assert result["verdict"] == "pass"
    by_key = {row["metric"] for row in result["measurements"] if row["cell"] == {"key": "energy"}}
    assert by_key == {"direction", "magnitude", "combined", "must_met"}
    assert pl.read_parquet(folder / "mine/scenarios.parquet")["param.x"].to_list() == [i / 10 for i in range(1, 10)]
    cells = pl.read_parquet(folder / "mine/measurements.parquet").select("group", "key").unique().rows()
    assert set(cells) >= {(None, None), ("a", None), (None, "fitness"), ("b", "energy")}


@pytest.mark.parametrize(
    ("changes", "code", "counts"),
    [
        ({"simulator.function": "mymodel:third"}, 4, {"read": 18, "audited": 12, "error": 6}),
        (
            {"simulator.function": "mymodel:third", "audit.max_error_rate": 0.4},
            0,
            {"read": 18, "audited": 12, "error": 6},
        ),
        (
            {"simulator.function": "mymodel:hangs", "simulator.timeout": 0.3},
            4,
            {"read": 18, "audited": 16, "timeout": 2},
        ),
        ({"simulator.function": "mymodel:nothing"}, 5, {"read": 18, "audited": 0, "missing": 18}),
    ],
)
def test_what_simulators_do(mine: Mine, changes: dict[str, Any], code: int, counts: dict[str, int]) -> None:
    result = execute(mine(changes))
    assert result.exit_code == code
    assert result.counts == counts


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({}, 0, says.ONLY_OF_SCENARIOS_SET_PARAMETER),
        (
            {"simulator.function": "mymodel:Spec"},
            3,
            says.SCENARIO_UNKNOWN_PARAMETER_WITHIN_KNOWN,
        ),
        ({"simulator.bounds": {"x": [0, 1]}}, 3, "scenario '2': unknown parameter 'z'"),
        (
            {"simulator.bounds": {"x": [0, 1], "z": [None, 2]}},
            3,
            says.SCENARIO_PARAMETER_IS_MISSING_WITHIN,
        ),
    ],
)
def test_parameters_that_a_simulator_does_not_know(mine: Mine, changes: dict[str, Any], code: int, said: str) -> None:
    rows = [{"intended": {"fitness": 0.8}, "params": {"x": 0.4, **more}} for more in ({}, {"z": 1})]
    changes = {"scenarios": {"use": "inline", "rows": rows}, "by": [], "simulator.bounds": {}, **changes}
    if code == 3:
        with pytest.raises(auditfw.AuditError, match=said):
            execute(mine(changes))
        return
    result = execute(mine(changes))
    assert (result.exit_code, said in "\n".join(result.warnings)) == (code, True), result.warnings
    rows[0]["params"]["z"] = 1  # one that all give is no more suspicious than any other
    if not changes["simulator.bounds"] and code == 0:
        assert "declares no parameters" not in "\n".join(execute(mine(changes)).warnings)


@pytest.mark.parametrize(("rule", "warned"), [("clip", True), ("allow", False)])
def test_bounds_that_a_class_declares_may_be_left(mine: Mine, rule: str, warned: bool) -> None:
    result = execute(mine({**NARROW, "audit.out_of_bounds": rule}))
    assert result.exit_code in (0, 1)
    assert any("clipped to their bounds" in warning for warning in result.warnings) is warned


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(("second", "audited"), [(0.5, 2), (None, 1)])
def test_recorded_outcomes_in_columns_of_the_scenarios(
    form: str, second: float | None, audited: int, tmp_path: Path
) -> None:
    """`actual.KEY` columns beside the scenarios are recorded outcomes, in every kind of file; null is none."""
    table = pl.DataFrame({"label": ["a", "b"], "intended.y": 1.0, "params.x": 0.1, "actual.y": [1.0, second]})
    file = tmp_path / f"s.{form}"
    {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}[form](file)
    scenarios = {"use": form, "path": str(file)}
    result = auditfw.run({"experiment": "posiwid", "simulator": {"use": "table"}, "scenarios": scenarios, "by": []})
    assert result.counts["audited"] == audited
    [mean] = [one.estimate.value for one in result.measurements if one.metric == "mean_overall" and one.overall]
    assert mean == (1.0 if second is None else 0.5 * (1 + 0.75))


def test_a_simulator_that_fails_as_typed(folder: Path, command: Command) -> None:
    done = command(*PYTHON, "simulator.function=mymodel:third", "report=[json]", cwd=folder)
    assert done.returncode == 4, done.stderr
    assert told(done.stdout)["counts"] == {"read": 18, "audited": 12, "error": 6}
    assert "failed in" in done.stderr
    assert "scenario 'x" in done.stderr


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"scenarios": inline({"fitness": float("nan")})}, 3, "fitness"),
        ({"scenarios": inline({})}, 3, "nothing is intended"),
        ({"simulator.bounds": {"x": [0, 0.5]}}, 3, says.SCENARIO_PARAMETER_IS_OUT_OF),
        ({"simulator.bounds": {"x": [0, 1], "y": [0, 0.5]}}, 3, "parameter 'y' is missing"),
        (NARROW, 3, says.SCENARIO_PARAMETER_IS_OUT_OF_BOUNDS),
        ({**NARROW, "simulator.isolation": "none"}, 3, says.SCENARIO_PARAMETER_IS_OUT_OF),
        ({**NARROW, "simulator.settings": {"name": "y"}}, 3, says.SCENARIO_UNKNOWN_PARAMETER_WITHIN),
        ({**NARROW, "simulator.settings": {"high": "lots"}}, 2, "simulator.function: its param_spec() does not give"),
        ({**NARROW, "simulator.settings": {"high": -1}}, 2, says.THE_LOW_BOUND_IS_ABOVE),
        ({"audit.weights": {"direction": 0, "magnitude": 0}}, 2, says.THE_WEIGHTS_ADD_UP_TO),
        ({"audit.key_weights": {"fitness": -1}}, 2, says.EXPECTED_A_WEIGHT_OF_OR),
        ({"by": ["gruop"]}, 2, "did you mean 'group'"),
        ({"audit.baseline": "x_1"}, 3, "did you mean 'x1'"),
    ],
)
def test_bad_inputs(mine: Mine, changes: dict[str, Any], code: int, message: str) -> None:
    """Built as the command does; one of them is typed below."""
    settings = mine(changes)
    with pytest.raises(auditfw.AuditError) as raised:
        execute(settings)
    assert raised.value.exit_code == code
    assert message in str(raised.value)


@pytest.mark.slow
def test_bad_inputs_as_typed(folder: Path, command: Command) -> None:
    done = command(*PYTHON, "simulator.bounds={x: [0, 0.5]}", cwd=folder)
    assert done.returncode == 3
    assert done.stderr.startswith(says.AUDITFW_ERROR_SCENARIO_PARAMETER_IS)
    assert done.stdout == ""


@pytest.mark.slow
def test_same_bytes_for_any_number_of_workers(folder: Path, mine: Mine) -> None:
    """Three batches, a picture among the files."""
    rows = [
        {"label": i, "intended": {"energy": 0.5, "fitness": i % 3}, "params": {"x": i / 5_000}} for i in range(5_000)
    ]
    (folder / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for workers in (1, 2):
        settings = mine({"scenarios.path": "many.jsonl", "reports": {"markdown": {"use": "markdown"}}, "gates": {}})
        settings["engine"]["workers"] = workers
        assert execute(settings, folder / f"w{workers}").exit_code == 0
    names = sorted(path.name for path in (folder / "w1").iterdir() if path.is_file())
    assert {"scenarios.parquet", "trials.parquet", "report.md", "chart-1.svg"} <= set(names)
    for name in names:
        if name != "manifest.json":
            assert (folder / "w1" / name).read_bytes() == (folder / "w2" / name).read_bytes(), name


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_drift_is_found_whatever_the_number_of_workers(folder: Path, mine: Mine, workers: int) -> None:
    """In the process that runs the last batch, after it; a seeded simulator gives the same there."""
    rows = [{"label": i, "intended": {"fitness": 1.0}, "params": {"x": i / 5_000}} for i in range(5_000)]
    (folder / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kinds = []
    for name in ("drifts", "seeded"):
        settings = mine({"scenarios.path": "many.jsonl", "simulator.function": f"mymodel:{name}", "gates": {}})
        settings["engine"]["workers"] = workers
        kinds.append([one.kind for one in execute(settings).findings if one.effect == "fragile"])
    assert kinds == [["not_deterministic"], []]


def test_check_runs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    assert check([*PYTHON, "simulator.function=mymodel:hangs"]) == 0
    told = capsys.readouterr().out
    assert "scenarios: 9\n" in told
    assert "parameters: x 0 to 1" in told
    assert "nothing was run" in told


@pytest.mark.slow
def test_sweep_of_weights(folder: Path, command: Command) -> None:
    words = ("experiment=posiwid", "scenarios=lhs,sobol", "audit.weights.direction=0.3,0.7")
    done = command("-m", *words, "report=[]", "hydra.sweep.dir=sweep", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    jobs = json.loads((folder / "sweep/sweep.json").read_text("utf-8"))["jobs"]
    assert len(jobs) == 4
    values = [job["measurements"]["mean_overall@actual"] for job in jobs]
    assert len(set(values)) == 4
    assert values[1] > values[0]
