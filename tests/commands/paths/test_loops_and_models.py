"""Attempts, problems, scenarios and models: each of them is a run, with what lies beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw.commands.paths.command import recognised
from auditfw.core.errors import AuditError

PROBLEMS = [{"id": f"p{i}", "train": [{"input": "x", "output": 1}]} for i in range(3)]
GRIDS = [{"id": f"g{i}", "train": [{"input": [[0]], "output": [[1]]}], "test": []} for i in range(2)]
SCENES = [{"label": f"s{i}", "params": {"load": i}, "intended": {"power": 2 * i}} for i in range(3)]
CODE = "def power(p):\n    return {'power': 2 * p['load']}\n"
MODEL = "{UTF-8}\ndemand=\n\t100\n\t~\tunit\n\t~\t|\n"
FLAT = "case,load,power,power_tol\nc0,1,2,0.5\nc1,2,4,0.5\n"
MAPPED = "{label: case, intended.power: power, intended.power.tolerance: power_tol, params.load: load}"
SERIES = "Time (Day),demand : run1\n0,100\n1,100\n"


def attempts(**more: Any) -> list[dict[str, Any]]:
    return [
        {"task": f"p{i}", "attempt": k + 1, **{name: make(i, k) for name, make in more.items()}}
        for i in range(3)
        for k in range(2)
    ]


def put(folder: Path, name: str, rows: Any) -> str:
    text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (attempts(score=lambda i, k: k / 2),
         ["solver.columns={problem: task, output: score}", "stop.max_iterations=2"]),
        (attempts(score=lambda i, k: 50 * k + 50, cost_usd=lambda i, k: 0.1),
         ["solver.columns={problem: task, output: score, cost: cost_usd}", "audit.scoring.range=[0,100]"]),
        (attempts(passed=lambda i, k: k == 1), ["solver.columns={problem: task, output: passed}", "scoring=recorded"]),
        (attempts(score=lambda i, k: 0.4, passed=lambda i, k: k == 1),
         ["solver.columns={problem: task, output: passed}"]),
        ([{"task_id": "t", "completion": "c", "passed": one} for one in (False, True)],
         ["solver.columns={problem: task_id, output: passed}", "stop.max_iterations=2"]),
        ([{"problem": "p", "output": one} for one in (0.5, 0.7)], ["scoring=recorded", "stop.max_iterations=2"]),
    ],
)  # fmt: skip
def test_attempts_alone(tmp_path: Path, rows: list[dict[str, Any]], words: list[str]) -> None:
    [run] = recognised([put(tmp_path, "x.jsonl", rows)])[1]
    assert run.what == "recorded attempts"
    assert [word for word in words if word not in run.words] == []


def test_problems_find_their_attempts(tmp_path: Path) -> None:
    path = put(tmp_path, "a_problems.jsonl", PROBLEMS)
    with pytest.raises(AuditError, match=r"holds problems without attempts .*solver\.path=THEIRS"):
        recognised([path])
    other = put(tmp_path, "a_attempts.jsonl", attempts(score=lambda i, k: k))
    runs = [recognised([path])[1], recognised([path, other])[1], recognised([str(tmp_path)])[1]]
    assert [len(run) for run in runs] == [1, 1, 1]
    assert {run[0].what for run in runs} == {"problems with recorded attempts"}


def test_grids_are_searched_and_attempts_inside_problems_replayed(tmp_path: Path) -> None:
    assert recognised([put(tmp_path, "g.jsonl", GRIDS)])[1][0].words[1:] == (
        "source=problems", f"source.path={tmp_path / 'g.jsonl'}",
    )  # fmt: skip
    inside = [{**problem, "attempts": [0.5, 1.0]} for problem in PROBLEMS]
    words = recognised([put(tmp_path, "i.jsonl", inside)])[1][0].words
    assert words[3:] == ("solver=replay", "solver.past_end=stop", "scoring=recorded", "stop.max_iterations=2")


def test_scenarios_with_outcomes(tmp_path: Path) -> None:
    rows = [{**scene, "actual": {"power": 1}} for scene in SCENES]
    [run] = recognised([put(tmp_path, "x.jsonl", rows)])[1]
    assert (run.what, run.words[-1]) == ("scenarios with their outcomes", "simulator=table")


@pytest.mark.parametrize(
    ("named", "others", "words"),
    [
        ("meant.jsonl", {}, "simulator=python simulator.function=THEIRS scenarios=jsonl scenarios.path=meant.jsonl"),
        ("meant.jsonl", {"tank.py": CODE}, "simulator.function=tank:power scenarios=jsonl scenarios.path=meant.jsonl"),
        ("meant.jsonl", {"other.mdl": MODEL}, "simulator.function=THEIRS"),  # whose names it does not have
        ("flat.csv", {}, f"function=THEIRS scenarios=csv scenarios.path=flat.csv 'scenarios.columns={MAPPED}'"),
        ("flat.csv", {"tank.py": CODE}, "simulator.function=tank:power scenarios=csv"),
        ("flat.csv", {"other.mdl": MODEL}, "simulator.function=THEIRS"),
        ("tank.py", {"meant.jsonl": SCENES}, "simulator.function=tank:power scenarios=jsonl"),
        ("m.mdl", {}, "simulator=pysd simulator.model=m.mdl scenarios=jsonl scenarios.path=THEIRS"),
        ("m.mdl", {"out.csv": SERIES}, "simulator.outcomes=series simulator.times=out.csv scenarios=series"),
        ("out.csv", {"m.mdl": MODEL}, "simulator=pysd simulator.model=m.mdl simulator.outcomes=series"),
    ],
)  # fmt: skip
def test_models_and_scenarios_look_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, others: dict[str, Any], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"meant.jsonl": SCENES, "flat.csv": FLAT, "tank.py": CODE, "m.mdl": MODEL, "out.csv": SERIES, **others}
    for name in (named, *others):
        put(tmp_path, name, texts[name])
    with pytest.raises(AuditError) as caught:
        recognised([named])
    assert words in str(caught.value.do)


def test_what_is_printed_for_scenarios_runs(tmp_path: Path) -> None:
    put(tmp_path, "tank.py", CODE)
    put(tmp_path, "meant.jsonl", SCENES)
    words = ("experiment=posiwid", "by=[]", "simulator=python", "simulator.function=tank:power", "scenarios=jsonl")
    done = run_auditfw((*words, "scenarios.path=meant.jsonl"), tmp_path, None)
    assert done.returncode in (0, 1), done.stderr
    put(tmp_path, "flat.csv", FLAT)
    done = run_auditfw(("tank.py", "flat.csv"), tmp_path, None)
    assert (done.returncode, f"'scenarios.columns={MAPPED}'" in done.stderr) == (0, True), done.stderr


@pytest.mark.parametrize(
    "table",
    [
        "case,load,power\nc0,1,2\nc1,2,4\n",  # which are intended is not known
        "case,load,power,other_tol\nc0,1,2,0.5\n",
        "case,load,power_a,power_b,power_tol\nc0,1,2,3,0.5\n",
        "case,power,power_tol\nc0,1,0.5\n",  # no parameter
        "case,answer,truth,truth_tol\nc0,It is 2,2,0.5\n",  # texts
    ],
)
def test_other_tables_are_no_scenarios(tmp_path: Path, table: str) -> None:
    with pytest.raises(AuditError, match="which columns"):
        recognised([put(tmp_path, "t.csv", table)])


def test_answers_of_several_models_are_no_attempts(tmp_path: Path) -> None:
    rows = [{"task_id": "t", "model": one, "completion": "c", "passed": True} for one in "ab"]
    with pytest.raises(AuditError, match="say which columns are which: auditfw source=jsonl"):
        recognised([put(tmp_path, "x.jsonl", rows)])


def test_scenarios_and_problems_of_other_names(tmp_path: Path) -> None:
    scenes = [{"inputs": {"x": i}, "expected": {"y": i}, "observed": {"y": 1}} for i in range(3)]
    words = recognised([put(tmp_path, "s.jsonl", scenes)])[1][0].words
    assert says.TEXT_2 in words
    grids = [{"task": i, "train": GRIDS[0]["train"]} for i in range(2)]
    assert recognised([put(tmp_path, "p.jsonl", grids)])[1][0].words[-1] == "source.columns={id: task}"
