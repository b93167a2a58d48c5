"""Simulators: what they give, and that a scenario which fails, hangs or gives nonsense costs only itself."""

from __future__ import annotations

import json
import math
import os
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditfw
from auditfw.config import build as bridge
from auditfw.config.schema import Builder
from auditfw.core.errors import DataError, IncompleteError, UsageError
from auditfw.formulas.bounds import fitted
from auditfw.kinds.simulation import Columns, ScenarioBatch, Simulated

bridge.prepare()
BOTH = pytest.mark.parametrize("isolation", ["process", "none"])


def simulator(use: str, **settings: Any) -> Any:
    builder = Builder({})
    made = builder._component("simulator", {"use": use, **settings}, "simulator")
    if builder.errors:
        raise builder.errors[0]
    return made


def python(name: str, **settings: Any) -> Any:
    return simulator("python", function=f"toy_simulators:{name}", **settings)


def stretch(rows: Sequence[Mapping[str, float]], seeds: Sequence[int] | None = None) -> ScenarioBatch:
    labels = [f"s{i}" for i in range(len(rows))]
    return ScenarioBatch(range(len(rows)), labels, rows, seeds or list(range(len(rows))))


def xs(*values: float) -> ScenarioBatch:
    return stretch([{"x": value} for value in values])


def each(found: Simulated) -> list[Any]:
    """The outcomes of each scenario, from columns or as they are; None where it failed."""
    if not found.columns:
        return list(found.outcomes)
    rows = [{key: float(column[i]) for key, column in found.columns.items()} for i in range(len(found.status))]
    return [row if status == "ok" else None for row, status in zip(rows, found.status, strict=True)]


@BOTH
def test_a_function_of_a_dict(isolation: str) -> None:
    found = python("double", isolation=isolation)(xs(0.5, 0.1))
    assert each(found) == [{"fitness": 1.0, "energy": 0.5}, {"fitness": 0.2, "energy": 0.9}]
    assert found.status == ["ok", "ok"]


def test_columns_of_parameters_are_the_same_as_rows() -> None:
    part = python("double", isolation="none")
    rows = ScenarioBatch(range(2), ["a", "b"], Columns({"x": np.array([0.5, 0.1])}, 2), [0, 0])
    assert each(part(rows)) == each(part(xs(0.5, 0.1)))


@BOTH
def test_a_failing_scenario_costs_itself(isolation: str) -> None:
    given_rows = [{"x": float(n)} for n in range(7)]
    found = python("every_third_fails", isolation=isolation)(stretch(given_rows))
    assert found.status == ["error", "ok", "ok", "error", "ok", "ok", "error"]
    assert found.why[0] == "ValueError: bad\\nluck"
    assert [row and row["y"] for row in each(found)] == [None, 1, 2, None, 4, 5, None]
    assert given_rows[1] == {"x": 1.0}, "the parameters it cleared were its own"


@BOTH
def test_odd_outcomes(isolation: str) -> None:
    found = python("odd", isolation=isolation)(xs(*range(17)))
    got = each(found)
    assert found.status == ["ok", *["error"] * 4, *["ok"] * 12]
    assert found.why[1:5] == [
        "it gave nothing, not a mapping of outcomes",
        "it gave a list, not a mapping of outcomes",
        "it gave a str, not a mapping of outcomes",
        "it gave a ndarray, not a mapping of outcomes",
    ]
    values = [row["y"] for row in got[5:16]]
    assert math.isnan(values[0])
    assert values[1] == "text"
    assert (values[3], values[4], values[5], values[9], values[10]) == (0.5, 2.5, None, True, 10**400)
    assert [values[i].sort for i in (2, 6, 7)] == ["ndarray", "Decimal", "MaskedConstant"]
    assert values[8].sort.startswith("bool"), "a NumPy truth value is no number"
    assert got[16] == {"2": 1.0}


@BOTH
def test_hangs_are_interrupted(isolation: str) -> None:
    started = time.monotonic()
    found = python("slow", isolation=isolation, timeout=0.2)(xs(0, 1, 2, 3, 4, 5, 6))
    assert time.monotonic() - started < 5
    assert found.status == ["ok", "timeout", "ok", "timeout", "ok", "error", "ok"]
    assert found.why[1] == "no answer within 0.2 s"
    assert found.why[5] == "it asked to exit (code 3)"


def test_what_does_not_answer_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = python("deadly", timeout=0.2)(xs(*range(50)))
    assert {i: s for i, s in enumerate(found.status) if s != "ok"} == {20: "timeout", 30: "error", 31: "error"}
    assert found.why[30] == "its process ended (exit code 7)"
    assert found.why[31] == "its process died (SIGSEGV)"
    assert [int(row["y"]) for row in each(found) if row] == [n for n in range(50) if n not in (20, 30, 31)]
    assert list(tmp_path.iterdir()) == [], "it wrote into a folder of its own"


@BOTH
def test_random_numbers_are_the_scenarios_own(isolation: str) -> None:
    import random

    random.seed(5)
    before = random.getstate()
    part = python("dice", isolation=isolation, stochastic=True)
    rows = [{"x": 0.0}] * 4
    first = each(part(stretch(rows, [1, 2, 3, 1])))
    again = each(part(stretch(rows[:2], [3, 1])))
    assert first[0] == first[3] != first[1]
    assert again == [first[2], first[0]], "whatever ran before"
    assert random.getstate() == before
    assert each(python("with_seed", isolation=isolation)(stretch(rows, [7, 8, 9, 10])))[3] == {"y": 10.0}


def test_one_dict_given_again_and_again_is_copied() -> None:
    assert [row["y"] for row in each(python("same_dict_again", isolation="none")(xs(1, 2, 3)))] == [1, 2, 3]


@BOTH
def test_a_class_is_made_once(isolation: str) -> None:
    part = python("Scaled", settings={"factor": 3}, isolation=isolation)
    assert each(part(xs(1, 2)))[1]["y"] == 6
    assert each(part(xs(1)))[0]["made"] == each(part(xs(5)))[0]["made"]


@BOTH
def test_batches(isolation: str) -> None:
    """Many at once where that works; where it fails, one by one."""
    part = python("Vectorised", settings={"factor": 2}, isolation=isolation)
    assert [row["y"] for row in each(part(xs(1, 2)))] == [2, 4]
    mixed = part(xs(1, 3, 2))
    assert mixed.status == ["ok", "error", "ok"]
    assert [row and row["y"] for row in each(mixed)] == [-2, None, -4]


def test_which_batch_function() -> None:
    assert each(python("run", isolation="none")(xs(1)))[0]["y"] == 1.5, "run_batch stands beside run"
    assert each(python("run", isolation="none", batch=None)(xs(1)))[0]["y"] == 1
    named = python("double", isolation="none", batch="toy_simulators:run_batch")
    assert each(named(xs(1)))[0] == {"y": 1.5}
    wrong = python("double", isolation="none", batch="toy_simulators:batch_of_wrong_length")
    assert each(wrong(xs(1)))[0] == {"fitness": 2, "energy": 0}


def test_an_object_of_this_process() -> None:
    """What cannot be sent to another process runs in this one."""
    part = simulator("python", function=lambda params: {"y": params["x"] + 1})
    assert each(part(xs(1)))[0] == {"y": 2}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"function": "toy_simulators:doubel"}, "simulator.function: no 'doubel' in toy_simulators"),
        ({"function": "toy_simulatros:double"}, "simulator.function: no module 'toy_simulatros'"),
        ({"function": "toy_simulators"}, "simulator.function: is not an import path (toy_simulators)"),
        ({"function": "toy_simulators:ODD"}, "simulator.function: cannot be called"),
        ({"function": "toy_simulators:double", "settings": {"a": 1}}, "settings: only a class takes settings (a)"),
        ({"function": "toy_simulators:Scaled", "settings": {"a": 1}}, "settings: Scaled cannot be made with them"),
        ({"function": "toy_simulators:double", "bounds": {"x": [1, 0]}}, "bounds.x: the low bound is above"),
        ({"function": "toy_simulators:double", "timeout": 0}, "timeout: must be more than 0 seconds"),
    ],
)
def test_what_cannot_be_called_is_told_before_the_first_scenario(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        simulator("python", isolation="none", **settings).check()
    assert told in str(caught.value)


def test_safe_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    for settings in (
        {"use": "python", "function": "toy_simulators:double"},
        {"use": "subprocess", "command": ["cat"]},
        {"use": "pysd", "model": "a.mdl"},
        {"use": "fmu", "model": "a.fmu"},
        {"use": "gymnasium", "environment": "mine:Own-v0"},
        {"use": "ode", "right_hand_side": "toy_simulators:decay", "start": "toy_simulators:decay", "states": ["y"]},
    ):
        with pytest.raises(UsageError, match="switched off by AUDITFW_SAFE"):
            simulator(**settings)
    assert auditfw.load("simulator", "sir").limits()["beta"] == (0.0, 1.0)


# Bounds


LIMITS = {"x": (0.0, 1.0), "y": (-math.inf, 5.0)}


@pytest.mark.parametrize("columns", [False, True])
def test_bounds(columns: bool) -> None:
    def rows(*values: float) -> Any:
        made = [{"x": value, "y": 0.0} for value in values]
        whole = {name: np.array([row[name] for row in made]) for name in ("x", "y")}
        return Columns(whole, len(made)) if columns else made

    assert fitted(["a", "b"], rows(0, 1), LIMITS)[1] == 0, "bounds belong to the range"
    with pytest.raises(DataError) as caught:
        fitted(["a", "b"], rows(0.5, 1.5), LIMITS)
    assert str(caught.value).startswith("scenario 'b': parameter 'x' is out of bounds (1.5 is not within [0.0, 1.0])")
    clipped, moved = fitted(["a", "b", "c"], rows(0.5, 1.5, -1), LIMITS, "clip")
    assert ([row["x"] for row in clipped], moved) == ([0.5, 1.0, 0.0], 2)
    kept, moved = fitted(["a", "b"], rows(0.5, 1.5), LIMITS, "allow")
    assert ([row["x"] for row in kept], moved) == ([0.5, 1.5], 0)
    for rule in ("error", "clip"):
        with pytest.raises(DataError, match="out of bounds"):
            fitted(["a"], rows(math.nan), LIMITS, rule)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["error", "clip", "allow"])
def test_names_are_checked_whatever_the_rule(rule: Any) -> None:
    with pytest.raises(DataError, match="scenario 'b': unknown parameter 'z'"):
        fitted(["a", "b"], [{"x": 0, "y": 0}, {"x": 0, "y": 0, "z": 0}], LIMITS, rule)
    with pytest.raises(DataError, match="scenario 'a': parameter 'y' is missing"):
        fitted(["a"], [{"x": 0}], LIMITS, rule)
    assert fitted(["a"], [{"x": 0}], LIMITS, rule, frozenset({"y"}))[1] == 0
    assert fitted(["a"], [{"anything": 9}], None, rule)[1] == 0


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=20))
def test_clipping_moves_nothing_further_than_it_must(values: list[float]) -> None:
    labels = [str(i) for i in range(len(values))]
    made, moved = fitted(labels, [{"x": v} for v in values], {"x": (-1.0, 1.0)}, "clip")
    assert [row["x"] for row in made] == [min(1.0, max(-1.0, v)) for v in values]
    assert moved == sum(abs(v) > 1 for v in values)


# Recorded outcomes


def write(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def of_labels(*labels: str) -> ScenarioBatch:
    return ScenarioBatch(range(len(labels)), labels, [{}] * len(labels), [0] * len(labels))


def csv_file(path: Path) -> str:
    path.write_text("label,y,note\na,1,\nb,,n\n", "utf-8")
    return str(path)


def parquet_file(path: Path) -> str:
    pl.DataFrame({"label": ["a", "b"], "actual.y": [1.0, None], "other": [1, 2]}).write_parquet(path)
    return str(path)


def report_file(path: Path) -> str:
    path.write_text(json.dumps({"individual_results": [{"actual": {"y": 1}}, {"actual": {}}], "more": 1}), "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "made", "settings", "labels"),
    [
        ("t.jsonl", lambda p: write(p, {"label": "a", "actual": {"y": 1}}, {"label": "b", "actual": {}}), {}, "ab"),
        ("t.jsonl", lambda p: write(p, {"id": 7, "actual": {"y": 1}}, {"id": 8, "actual": {}}), {}, "78"),
        ("t.jsonl", lambda p: write(p, {"actual": {"y": 1}}, {"actual": {}}), {}, "12"),
        (
            "t.ndjson",
            lambda p: write(p, {"n": "a", "got": {"y": 1}}),
            {"columns": {"label": "n", "actual": "got"}},
            "ab",
        ),
        ("t.csv", csv_file, {}, "ab"),
        ("t.parquet", parquet_file, {}, "ab"),
        ("t.json", report_file, {"format": "posiwid_report"}, "12"),
    ],
)
def test_recorded(
    tmp_path: Path, name: str, made: Callable[[Path], str], settings: dict[str, Any], labels: str
) -> None:
    part = simulator("table", path=made(tmp_path / name), **settings)
    part.check()
    found = part(of_labels(labels[0], labels[1], "none"))
    assert [row.get("y") for row in found.outcomes] == [1, None, None]
    assert found.status == ["ok"] * 3
    assert found.why[2].startswith("no record of it in ")


def test_recorded_beside_the_scenarios() -> None:
    rows = ScenarioBatch([0], ["a"], [{}], [0], {"actual": [{"y": 1}]})
    assert simulator("table")(rows).outcomes == [{"y": 1}]
    with pytest.raises(UsageError, match=r"simulator\.path: not set"):
        simulator("table")(of_labels("a"))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"label": "a", "actual": {}}, {"label": "a", "actual": {}}], ":2: the label 'a' stands twice"),
        ([{"label": "a", "result": {}}], "no column 'actual' (found: label, result) - write simulator.columns.actual"),
        ([{"label": "a", "actual": 3}], ":1: 'actual' is no mapping of outcomes (a int)"),
    ],
)
def test_recordings_that_cannot_be_used(tmp_path: Path, rows: list[Any], told: str) -> None:
    def look() -> None:
        part = simulator("table", path=write(tmp_path / "t.jsonl", *rows))
        part.check()
        part(of_labels("a"))

    with pytest.raises(DataError) as caught:
        look()
    assert told in str(caught.value)


# Programs


PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    n = int(asked["params"]["x"])
    if n == 1: sys.exit("boom")
    if n == 2: time.sleep(60)
    if n == 3: print("no json", flush=True); continue
    if n == 4: print("x" * 3000, flush=True); continue
    if n == 5: print(json.dumps({"error": "no way"}), flush=True); continue
    if n == 6: print(json.dumps({"label": "other", "y": 1}), flush=True); continue
    if n == 7: open("left_behind", "w").close()
    print(json.dumps({"label": asked["label"], "y": n, "pid": os.getpid()}), flush=True)
"""


@pytest.mark.slow
def test_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(textwrap.dedent(PROGRAM), "utf-8")
    part = simulator("subprocess", command=[sys.executable, "model.py"], timeout=3.0, most=2000)
    part.check()
    found = part(xs(*range(9)))
    assert found.status == ["ok", "error", "timeout", "error", "error", "error", "error", "ok", "ok"]
    assert found.why[1] == "its process ended (exit code 1): boom"
    assert found.why[2] == "no answer within 3 s"
    assert found.why[3] == "its answer is not JSON (no json)"
    assert found.why[4] == "its answer has more than 2,000 bytes"
    assert found.why[5:7] == ["no way", "its answer is for another scenario"]
    got = each(found)
    assert got[7]["pid"] == got[8]["pid"], "one process serves many scenarios"
    assert os.listdir() == ["model.py"], "it wrote into a folder of its own"


def test_program_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="no such program"):
        simulator("subprocess", command=["no-such-program"]).check()


# Equations


def test_sir_against_what_is_known_of_it() -> None:
    """The final size solves z = s0 (1 - exp(-R0 (z + i0))); the peak is 1 - (1 + ln(R0 s0)) / R0, with s0 + i0 = 1."""
    part = auditfw.load("simulator", "sir")
    part.check()
    found = part(stretch([{"beta": 0.5, "gamma": 0.2}, {"beta": 0.05, "gamma": 0.1}]))
    ratio, start = 2.5, 0.001
    size = 1.0
    for _ in range(200):
        size = (1 - start) * (1 - math.exp(-ratio * (size + start)))
    assert found.columns["attack_rate"][0] == pytest.approx(size, abs=1e-6)
    peak = 1 - (1 + math.log(ratio * (1 - start))) / ratio
    assert found.columns["peak_infected"][0] == pytest.approx(peak, abs=1e-7)
    assert found.columns["peak_infected"][1] == start, "where it only dies out the peak is the start"
    assert found.columns["peak_infected_time"][1] == 0


def test_lotka_volterra_comes_round() -> None:
    """delta x - gamma ln x + beta y - alpha ln y is the same at the end as at the start."""
    p = {"alpha": 1.1, "beta": 0.4, "delta": 0.1, "gamma": 0.4, "prey": 10.0, "predators": 5.0}
    found = auditfw.load("simulator", "lotka_volterra")(stretch([p]))

    def constant(x: float, y: float) -> float:
        return p["delta"] * x - p["gamma"] * math.log(x) + p["beta"] * y - p["alpha"] * math.log(y)

    end = constant(found.columns["final_prey"][0], found.columns["final_predators"][0])
    assert end == pytest.approx(constant(10, 5), abs=1e-6)


def test_equations_of_ones_own() -> None:
    settings = {"right_hand_side": "toy_simulators:decay", "start": "toy_simulators:decay_start", "states": ["y"]}
    part = simulator("ode", **settings, until=2.0, falls={"lost": "y"})
    found = each(part(stretch([{"rate": 0.5}, {}])))
    assert found[0]["final_y"] == pytest.approx(math.exp(-1), abs=1e-8)
    assert found[0]["lost"] == pytest.approx(1 - math.exp(-1), abs=1e-8)
    assert found[1] is None
    with pytest.raises(UsageError, match=r"falls\.lost: no state 'z'"):
        simulator("ode", **settings, falls={"lost": "z"})


@pytest.mark.parametrize(
    ("package", "extra", "settings"),
    [
        ("pysd", "pysd", {"use": "pysd", "model": "a.mdl"}),
        ("gymnasium", "gym", {"use": "gymnasium", "environment": "CartPole-v1"}),
    ],
)
def test_an_extra_that_is_absent_is_named(
    package: str, extra: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == package else found(name, *rest)
    )
    with pytest.raises(UsageError) as caught:
        simulator(**settings).check()
    assert str(caught.value).endswith(f"pip install 'auditfw[{extra}]'")


def test_a_process_that_cannot_open_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ends_at_import.py").write_text("import os\nos._exit(5)\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(IncompleteError, match=r"could not be opened in a process of its own .*exit code 5"):
        simulator("python", function="ends_at_import:run").check()


def test_an_object_of_the_originals_protocol_brings_its_bounds() -> None:
    wrapped = auditfw.SimulatorWrapper(lambda p: {"y": p["x"]}, {"x": (0.0, 1.0)})
    assert simulator("python", function=wrapped).limits() == {"x": (0.0, 1.0)}
    own = simulator("python", function=wrapped, bounds={"x": [0, 5]})
    assert own.limits() == {"x": (0.0, 5.0)}
    assert not simulator("python", function=wrapped.run).limits()
