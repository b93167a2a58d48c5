"""`auditfw init`: a project that runs."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from files_read import lines
from running import Command
from sentences import commands as says

from auditfw.commands.paths.experiment import experiment_text

COUNTS = "1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)"


@pytest.mark.slow
def test_init_makes_a_project_that_runs(command: Command, tmp_path: Path) -> None:
    done = command("init", "demo")
    assert (done.returncode, done.stdout) == (0, says.CREATED_DEMO_CD_DEMO_AUDITFW)
    demo = tmp_path / "demo"
    assert COUNTS in command("experiment=mine", cwd=demo).stdout
    assert "unhedged+v1" in command("parser=[stored,unhedged]", cwd=demo).stdout
    again = command("init", "demo")
    assert (again.returncode, again.stderr) == (2, says.AUDITFW_ERROR_DEMO_IS_NOT)


ROWS = [{"q": f"q{i}", "response": f"{i}", "gold": str(i), "ok": 1} for i in range(12)]
MADE = ["conf/experiment/mine.yaml", ".github/workflows/audit.yml", "tests/test_audit.py"]


def project(folder: Path, **more: str) -> str:
    """A folder with answers and other files; the path of the answers."""
    (folder / "p").mkdir()
    for name, text in more.items():
        (folder / "p" / name).write_text(text, "utf-8")
    return lines(*ROWS, name=str(folder / "p" / "a.jsonl"))


def test_a_file_gets_an_experiment_a_workflow_and_a_test(tmp_path: Path, command: Command) -> None:
    path = project(tmp_path, README="mine")
    done = command("init", "p", path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"added to p: {', '.join(MADE)}",
        says.NEXT_CD_AUDITFW_PYTHON_PYTEST,
    ]
    written = yaml.safe_load((tmp_path / "p" / MADE[0]).read_text("utf-8"))
    assert written["source"] == {
        "path": "a.jsonl", "columns": {"raw_text": "response", "ground_truth": "gold", "stored": "ok", "id": "#"}
    }  # fmt: skip
    assert {"override /gate": ["baseline_reproduces", "stable"]} in written["defaults"]
    ran = command("experiment=mine", "report=[json]", cwd=tmp_path / "p")
    result = json.loads(ran.stdout)
    assert (result["counts"], len(result["gates"])) == ({"read": 12, "audited": 12}, 2)
    words = done.stderr.splitlines()[0].partition(": auditfw ")[2]
    same = command(*shlex.split(words), "gate=[baseline_reproduces,stable]", "report=[json]", cwd=tmp_path / "p")
    assert json.loads(same.stdout) == result
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", MADE[2]], cwd=tmp_path / "p", check=False
    )
    assert tested.returncode == 0


@pytest.mark.parametrize("name", MADE)
def test_nothing_is_overwritten(tmp_path: Path, name: str, command: Command) -> None:
    path = project(tmp_path)
    (tmp_path / "p" / name).parent.mkdir(parents=True)
    (tmp_path / "p" / name).write_text("mine", "utf-8")
    before = sorted((tmp_path / "p").rglob("*"))
    done = command("init", "p", path)
    assert (done.returncode, done.stdout) == (2, "")
    do = says.IS_IN_THE_WAY_MOVE
    assert done.stderr.splitlines()[1:] == [f"auditfw: error: p/{name}: {do}"]
    assert (sorted((tmp_path / "p").rglob("*")), (tmp_path / "p" / name).read_text("utf-8")) == (before, "mine")


def test_what_is_in_doubt_is_not_written(tmp_path: Path, command: Command) -> None:
    path = lines(*[{**row, "passed": 0} for row in ROWS], name=str(tmp_path / "a.jsonl"))
    done = command("init", "new", path)
    assert (done.returncode, done.stdout, (tmp_path / "new").exists()) == (3, "", False)
    done = command("init", "new", path, "source.columns.stored=passed")
    assert (done.returncode, "a.jsonl lies outside of new" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["source=jsonl", "a.b={c: 1}", "a.b.d='#'"], {"a": {"b": {"c": 1, "d": "#"}}}),
        (["experiment=cross_agent", "policy=[]", "by=[x]"], {"by": ["x"]}),
        (["audit.a.b=last", "audit.baseline=null"], {"audit": {"a": {"b": "last"}, "baseline": None}}),
    ],
)  # fmt: skip
def test_words_are_a_file(words: list[str], wanted: dict[str, object]) -> None:
    made = yaml.safe_load(experiment_text("what", words))
    defaults = made.pop("defaults")
    assert made == wanted
    assert ({"override /policy": []} in defaults) == (defaults[0] == "cross_agent")
    assert ({"override /gate": ["stable"]} in defaults) == (defaults[0] == "answer_parsing")
