"""Jobs through the real launchers, the float a job returns to a sweeper, and engines on a cluster: same bytes."""

from __future__ import annotations

import json
import random
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from running import Command, run_auditfw
from sentences import commands as says
from signalling import CODES, SLACK, TERMINAL, WORDS, start, sweep
from twelve_jobs import QUICK, TWELVE, check_twelve, write_project

FILES = ("result.json", "trials.parquet", "measurements.parquet", "report.md", "sections.json", "junit.xml")
LAUNCHERS = {
    "basic": ("hydra", ()),
    "joblib": ("hydra_plugins.hydra_joblib_launcher", ("hydra.launcher.n_jobs=2",)),
    "submitit_local": ("hydra_plugins.hydra_submitit_launcher", ("hydra.launcher.timeout_min=5",)),
    "ray": ("hydra_plugins.hydra_ray_launcher", ("+hydra.launcher.ray.init.num_cpus=2",)),
}
ENGINES = {"dask": "distributed", "ray": "ray"}
CLIMBER = '''from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper


class Climber(Sweeper):
    """Asks for one value after another, as long as the objective grows."""

    def setup(self, *, hydra_context, task_function, config):
        self.launcher = Plugins.instance().instantiate_launcher(hydra_context, task_function, config)

    def sweep(self, arguments):
        best, number = None, 0
        for limit in (5, 10, 15, 12, 20):
            words = [*arguments, f"source.limit={limit}"]
            [done] = self.launcher.launch([words], initial_job_idx=number)
            assert isinstance(done.return_value, float)
            if best is not None and done.return_value <= best:
                return best
            best, number = done.return_value, number + 1


ConfigStore.instance().store(
    group="hydra/sweeper", name="climber", node={"_target_": "hydra_plugins.climber.Climber"}, provider="climber"
)
'''


def there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (module, _) in LAUNCHERS.items() if there(module)])
def test_every_job_is_told_under_each_launcher(name: str, tmp_path: Path) -> None:
    write_project(tmp_path)
    words = ("-m", f"hydra/launcher={name}", *LAUNCHERS[name][1], TWELVE, "report=[markdown]", "hydra.sweep.dir=sweep")
    check_twelve(tmp_path / "sweep", run_auditfw(words, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, (m, _) in LAUNCHERS.items() if there(m) and n not in ("basic", "ray")])
@pytest.mark.parametrize("number", CODES)
def test_a_signal_ends_the_jobs_of_each_launcher(name: str, number: signal.Signals, tmp_path: Path) -> None:
    """Nothing of what the launcher started is left, and resume does the rest."""
    work = sweep(tmp_path)
    running = start(tmp_path, (*work.words, "engine.workers=1", f"hydra/launcher={name}", *LAUNCHERS[name][1]))
    running.until(lambda: any((tmp_path / "run").glob("*/manifest.json")))  # jobs run: the launcher is ready itself
    running.send(number, group=number in TERMINAL)
    code, lines, seconds = running.ended()
    line = says.AUDITFW_ERROR_FINISHED_WORK_IS.format(WORDS[number])
    assert (code, lines) == (CODES[number], [line])
    assert seconds < 2.0 + SLACK
    assert running.left() == []
    assert [path for name in (".*.part", ".parts-*", ".shared-*") for path in (tmp_path / "run").rglob(name)] == []
    assert run_auditfw(("resume=run",), tmp_path).returncode == 0
    assert work.finished(tmp_path)


OWN = """from dataclasses import dataclass
from auditfw.kinds.registry import register


@register("matcher", "own")
@dataclass(frozen=True)
class Own:
    \"\"\"Agrees with everything.\"\"\"

    named: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        return True
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, (m, _) in LAUNCHERS.items() if there(m) and n != "ray"])
def test_a_component_of_the_project_is_chosen_under_each_launcher(name: str, tmp_path: Path) -> None:
    """The process that composes a job has imported nothing of the project when it begins."""
    write_project(tmp_path)
    (tmp_path / "plugins" / "own.py").write_text(OWN, "utf-8")
    (tmp_path / "conf" / "matcher").mkdir()
    (tmp_path / "conf" / "matcher" / "named.yaml").write_text(
        "# @package audit.matcher\n# The same by a name.\ndefaults: [own@_here_, _self_]\nnamed: true\n", "utf-8"
    )
    launcher = (f"hydra/launcher={name}", *LAUNCHERS[name][1])
    words = ("-m", *launcher, *QUICK, "gate=[]", "matcher=own,named,exact", "hydra.sweep.dir=s")
    done = run_auditfw(words, tmp_path)
    assert (done.returncode, [job["exit_code"] for job in told(tmp_path / "s")]) == (0, [0, 0, 0]), done.stderr
    results = [json.loads((tmp_path / "s" / str(i) / "result.json").read_text("utf-8")) for i in range(3)]
    rates = [[m["value"] for m in r["measurements"] if m["metric"] == "error_rate"][-1] for r in results]
    assert rates == [0.0, 0.0, 100.0]


@pytest.mark.slow
@pytest.mark.skipif(not there("joblib"), reason="needs the extra joblib")
def test_an_experiment_chooses_its_launcher(tmp_path: Path) -> None:
    """It comes before auditfw's own, and the command line before both; other sweepers end with the table, too."""
    write_project(tmp_path)
    (tmp_path / "conf" / "experiment" / "apart.yaml").write_text(APART, "utf-8")
    words = ("-m", "experiment=apart", "seed=1,2")
    stock = ("hydra/launcher=basic", "hydra/sweeper=basic")
    for launcher, chosen in (("joblib", ("hydra.launcher.n_jobs=2",)), ("basic", stock)):
        done = run_auditfw((*words, *chosen, f"hydra.sweep.dir={launcher}"), tmp_path)
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, "╭ Sweep: 2 jobs, exit code 0"), done.stderr
        assert ("Joblib.Parallel(n_jobs=2" in done.stderr) is (launcher == "joblib")
        assert [job["overrides"] for job in told(tmp_path / launcher)] == [
            ["experiment=apart", "seed=1"],
            ["experiment=apart", "seed=2"],
        ]


APART = """# @package _global_
# Jobs in processes.
defaults: [answer_parsing, override /source: jsonl, override /hydra/launcher: joblib, _self_]
by: []
source: {path: good.jsonl}
"""


@pytest.mark.slow
def test_a_sweep_that_is_hydras_alone_ends_with_the_table_and_the_code(command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    stock = ("hydra/launcher=basic", "hydra/sweeper=basic")
    done = command("-m", *stock, "experiment=x5,x7", "report=[markdown]", "hydra.sweep.dir=sweep")
    assert (done.returncode, done.stdout.splitlines()[0]) == (3, "╭ Sweep: 2 jobs, exit code 3"), done.stderr
    assert [job["exit_code"] for job in told(tmp_path / "sweep")] == [3, 1]


@pytest.mark.slow
def test_an_experiment_of_the_project_says_that_it_is_a_sweep(tmp_path: Path) -> None:
    """It is written without -m; another experiment of the same project is a single run."""
    write_project(tmp_path)
    (tmp_path / "conf" / "experiment" / "both.yaml").write_text(BOTH, "utf-8")
    done = run_auditfw(("experiment=both", "hydra.sweep.dir=s", "hydra.run.dir=r"), tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "╭ Sweep: 2 jobs, exit code 0"), done.stderr
    assert [job["overrides"] for job in told(tmp_path / "s")] == [
        ["seed=1", "experiment=both"],
        ["seed=2", "experiment=both"],
    ]
    assert not (tmp_path / "r").exists()
    alone = run_auditfw((*QUICK, "gate=[]", "hydra.run.dir=r"), tmp_path)
    assert (alone.returncode, (tmp_path / "r" / "result.json").exists()) == (0, True), alone.stderr


BOTH = """# @package _global_
# Two seeds.
defaults: [answer_parsing, override /source: jsonl, override /gate: [], _self_]
by: []
source: {path: good.jsonl}
hydra: {mode: MULTIRUN, sweeper: {params: {seed: "1,2"}}}
"""


def told(sweep: Path) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = json.loads((sweep / "sweep.json").read_text("utf-8"))["jobs"]
    return jobs


def write_evidence(folder: Path) -> None:
    """Evidence of several tasks for each audit: trials, scenarios, judgements."""
    draw = random.Random(7)
    words = ["Paris", "rome", "8", "H₂O", "none", "the Seine."]
    with (folder / "trials.jsonl").open("w", encoding="utf-8") as file:
        for i in range(12_000):
            said, truth = draw.choice(words), draw.choice(words)
            raw = f"Perhaps {draw.choice(words)}?</think>{said}\nUser: next"
            row = {"id": str(i), "raw_text": raw, "parsed_text": said, "ground_truth": truth, "group": f"g{i % 7}"}
            file.write(json.dumps({**row, "stored": draw.randrange(2)}) + "\n")
    (folder / "meant.py").write_text("def run(params):\n    return {'y': params['x'] ** 2}\n", "utf-8")
    with (folder / "meant.jsonl").open("w", encoding="utf-8") as file:
        for i in range(9_000):
            row = {"label": f"s{i}", "intended": {"y": draw.random()}, "params": {"x": draw.random()}}
            file.write(json.dumps({**row, "group": f"g{i % 5}"}) + "\n")
    with (folder / "pairs.jsonl").open("w", encoding="utf-8") as file:
        for i in range(20_000):
            labels = [draw.choice(["VALID", "VALID", "REJECT", "ABSTAIN"]) for _ in range(2)]
            both = {
                name: {"label": label, "reason": "r"}
                for name, label in zip(("scholar", "auditor"), labels, strict=True)
            }
            file.write(json.dumps({"qid": f"q{i}", **both}) + "\n")


EVIDENCE = {
    "answer_parsing": ("source=jsonl", "source.path=trials.jsonl", "by=[group]"),
    "posiwid": ("simulator=python", "simulator.function=meant:run", "scenarios=jsonl", "scenarios.path=meant.jsonl"),
    "cross_agent": ("source=pairs", "source.path=pairs.jsonl"),
    "self_audit": ("source.limit=6", "stop_rule=[one_attempt,target_90]"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, module in ENGINES.items() if there(module)])
@pytest.mark.parametrize("experiment", EVIDENCE)
def test_an_engine_on_a_cluster_gives_the_same_bytes(name: str, experiment: str, tmp_path: Path) -> None:
    """Two workers of a real cluster, beside one process and two of this machine."""
    write_evidence(tmp_path)
    words = (f"experiment={experiment}", *EVIDENCE[experiment], "report=[markdown,junit]")
    for folder, engine, workers in (("one", "local", 1), ("two", "local", 2), (name, name, 2)):
        chosen = (f"engine={engine}", f"engine.workers={workers}", f"hydra.run.dir={folder}")
        done = run_auditfw((*words, *chosen), tmp_path)
        assert done.returncode in (0, 1), done.stderr
    for folder in ("two", name):
        for file in FILES:
            assert (tmp_path / folder / file).read_bytes() == (tmp_path / "one" / file).read_bytes(), (folder, file)


@pytest.mark.slow
def test_jobs_that_share_evidence_give_the_same_bytes(tmp_path: Path) -> None:
    """Beside Hydra's own launcher, whose jobs know nothing of each other; in one of the parsers a step fails."""
    write_project(tmp_path)
    (tmp_path / "plugins" / "explodes.py").write_text(STEP, "utf-8")
    (tmp_path / "conf" / "parser").mkdir()
    (tmp_path / "conf" / "parser" / "picky.yaml").write_text(PICKY, "utf-8")
    swept = ("parser=[stored,raw],[raw],[picky]", "matcher=containment,[exact,choice]", "gate=[],[baseline_reproduces]")
    fixed = ("normalizer=[v1,v2]", "report=[markdown,junit,html,sarif]", "audit.max_error_rate=1.0", "seed=3")
    both = "engine.workers=2"
    for name, words in (("ours", ()), ("two", (both,)), ("hydras", ("hydra/launcher=basic",))):
        done = run_auditfw(("-m", *words, *swept, *fixed, f"hydra.sweep.dir={name}"), tmp_path)
        assert done.returncode == 1, done.stderr
        assert not (tmp_path / name / ".shared").exists()
    for job in range(12):
        for file in (*FILES, "report.html", "report.sarif"):
            ours, two, hydras = ((tmp_path / name / str(job) / file).read_bytes() for name in ("ours", "two", "hydras"))
            assert ours == two == hydras, (job, file)
    counts = json.loads((tmp_path / "ours" / "8" / "result.json").read_text("utf-8"))["counts"]
    assert counts["error"] > 0


STEP = '''from dataclasses import dataclass
from auditfw.kinds.registry import register


@register("step", "picky")
@dataclass(frozen=True)
class Picky:
    """Raises where a text holds a 7."""

    def __call__(self, text: str) -> str:
        if "7" in text:
            raise ValueError("seven")
        return text
'''
PICKY = """# @package audit.parsers.picky
# Fails on some texts.
defaults: [steps@_here_, _self_]
steps: [picky]
"""


@pytest.mark.slow
def test_a_job_returns_its_objective_to_any_sweeper(command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "hydra_plugins").mkdir()
    (tmp_path / "hydra_plugins" / "climber.py").write_text(CLIMBER, "utf-8")
    fixed = ("source=jsonl", "source.path=good.jsonl", "by=[]", "objective=n@stored", "hydra.sweep.dir=sweep")
    done = command("-m", "hydra/sweeper=climber", *fixed, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    jobs: list[dict[str, Any]] = json.loads((tmp_path / "sweep" / "sweep.json").read_text("utf-8"))["jobs"]
    assert [job["measurements"]["n@stored"] for job in jobs] == [5, 10, 15, 12]


NOT_SET = "objective: is not set: no job gave the sweeper a number, and it stopped"


@pytest.mark.parametrize(
    ("objective", "code", "error"),
    [("null", 2, NOT_SET), ("n@stored", 4, says.HYDRA_THE_SWEEP_STOPPED_EARLY)],
)
def test_a_sweeper_that_gives_up(objective: str, code: int, error: str, command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "hydra_plugins").mkdir()
    sweeper = CLIMBER.replace("assert isinstance", "assert not isinstance") if code == 4 else CLIMBER
    (tmp_path / "hydra_plugins" / "climber.py").write_text(sweeper, "utf-8")
    words = ("-m", "hydra/sweeper=climber", "source=jsonl", "source.path=good.jsonl", "by=[]", "hydra.sweep.dir=sweep")
    done = command(*words, f"objective={objective}", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == code
    assert f"auditfw: error: {error}" in done.stderr
