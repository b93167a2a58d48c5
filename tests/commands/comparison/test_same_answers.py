"""The same answers as logs of six harnesses: nothing but the harness, with its own name for the rule, is another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run_auditfw
from same_answers_as_logs import WRITERS, answered

from auditfw.commands.comparison.conditions import ConditionRow, SideConditions, compared, of_logs, side_conditions
from auditfw.commands.comparison.pairing import paired_runs
from auditfw.commands.stored_run import stored
from auditfw.components.source.every_eval_ever import EveryEvalEver
from auditfw.components.source.helm import Helm
from auditfw.components.source.inspect import Inspect
from auditfw.components.source.lighteval import Lighteval
from auditfw.components.source.lm_eval import LmEval
from auditfw.components.source.promptfoo import Promptfoo

SOURCES = {
    "inspect": Inspect, "lm_eval": LmEval, "lighteval": Lighteval, "helm": Helm, "promptfoo": Promptfoo,
    "every_eval_ever": EveryEvalEver,
}  # fmt: skip
OTHERS = [name for name in SOURCES if name != "inspect"]
PARTS = ("items", "repeats", "truths", "scoring", "ended", "rest")
KNOWN = ("task", "model", "temperature", "limit")  # what every one of them records


def conditions(name: str, folder: Path) -> SideConditions:
    return of_logs(SOURCES[name](path=WRITERS[name](folder)).conditions())


def of_status(status: str, rows: list[ConditionRow]) -> list[str]:
    return [row.name for row in rows if row.status == status]


@pytest.mark.parametrize("name", OTHERS)
def test_conditions_differ_in_the_harness(name: str, tmp_path: Path) -> None:
    sides = [conditions("inspect", tmp_path), conditions(name, tmp_path)]
    assert of_status("differs", compared(sides, [], alike=True)) == ["harness"]
    assert set(of_status("differs", compared(sides, []))) <= {"harness", "scorer"}
    assert set(KNOWN) <= set(of_status("same", compared(sides, [])))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of each log."""
    folder = tmp_path_factory.mktemp("runs")
    for name, write in WRITERS.items():
        done = run_auditfw((write(folder), f"hydra.run.dir={name}", "report=[]"), folder)
        assert done.returncode in (0, 1), done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_runs_differ_in_the_harness(runs: Path, name: str) -> None:
    pairs = paired_runs(runs / "inspect", runs / name)
    rows = compared([side_conditions(stored(side.folder), side.frame) for side in pairs.sides], [pairs], alike=True)
    assert pairs.sets() | {"common": 0} == dict.fromkeys(pairs.sets(), 0)
    assert (pairs.sets()["common"], pairs.paired().rates.difference) == (len(answered()), 0)
    assert of_status("differs", rows) == ["harness"]
    assert {"items", "truths", "completions"} <= set(of_status("same", rows))


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_part_of_the_gap_is_zero(name: str, tmp_path: Path) -> None:
    logs = [WRITERS["inspect"](tmp_path), WRITERS[name](tmp_path)]
    done = run_auditfw(("compare", *logs, "--json"), tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {part["part"]: part["value"] for part in document["parts"]} == dict.fromkeys(PARTS, 0)
    assert [row["name"] for row in document["conditions"] if row["status"] == "differs"] == ["harness"]
