"""Whom a run folder comes from: what a stranger's folder holds starts nothing."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says
from stored_runs import write

from auditfw.commands.trust import Origin, code_in, made_here, may_start, remember, take_flag
from auditfw.config import build as bridge
from auditfw.core.errors import UsageError

MODEL = "def outcomes(params):\n    open('ran', 'a').write('x')\n    return {'y': params['x']}\n"
SCENARIOS = (
    "experiment=posiwid",
    "simulator=python",
    "simulator.function=mymodel:outcomes",
    "simulator.isolation=none",
    "scenarios=inline",
    "scenarios.rows=[{label: a, intended: {y: 1.0}, params: {x: 1.0}}]",
    "gate=[]",
    "report=[]",
)


def test_a_strangers_folder_runs_nothing(tmp_path: Path, command: Command) -> None:
    """The proof of the attack: a sitecustomize.py that the workers of a resumed run would import."""
    write(
        tmp_path,
        {
            "R/sitecustomize.py": f"open({str(tmp_path / 'pwned')!r}, 'w')",
            "R/.hydra/overrides.yaml": "- +hydra.job.env_set.PYTHONPATH=R\n- engine.workers=2\n",
        },
    )
    for env in (None, {"AUDITFW_SAFE": "1"}):
        done = command("resume=R", env=env)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert says.HYDRA_A_STORED_OVERRIDE_THAT in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["R"]
    flag = command("--experimental-rerun=R/job.pickle")
    assert (flag.returncode, "auditfw rerun RUN" in flag.stderr, flag.stderr.count("\n")) == (2, True, 1)


STARTS: dict[tuple[str, ...], list[str]] = {
    (): [],
    ("experiment=posiwid",): [],
    ("experiment=cross_agent",): [],
    ("experiment=self_audit",): [],
    ("engine=dask",): [],
    ("engine=dask", "engine.address=tcp://h:1"): ["the engine 'dask' sends the work to tcp://h:1"],
    ("experiment=posiwid", "simulator=python", "simulator.function=m:f"): ["the simulator 'python' runs m:f"],
    ("experiment=posiwid", "simulator=subprocess", "simulator.command=[rm,x]"): [
        "the simulator 'subprocess' starts rm x"
    ],
    ("experiment=posiwid", "simulator=fmu", "simulator.model=a.fmu"): [
        "the simulator 'fmu' runs the compiled code of a.fmu"
    ],
    ("experiment=posiwid", "simulator=pysd", "simulator.model=a.mdl"): ["the simulator 'pysd' runs code made of a.mdl"],
    ("experiment=posiwid", "simulator=gymnasium", "simulator.environment=m:E"): [
        "the simulator 'gymnasium' makes the environment m:E"
    ],
    ("experiment=posiwid", "simulator=sir"): [],
    ("experiment=posiwid", "simulator=sir", "simulator.start=os:system"): ["the simulator 'ode' imports os:system"],
    ("experiment=self_audit", "solver=python", "solver.function=m:f"): ["the solver 'python' runs m:f"],
    ("experiment=self_audit", "solver=openai", "solver.model=m", "solver.base_url=http://h", "executor=subprocess"): [
        "the solver 'openai' sends the problems with the key in OPENAI_API_KEY to http://h",
        "the executor 'subprocess' runs candidate programs without a sandbox",
    ],
    ("experiment=self_audit", "executor=sandlock"): [
        "the executor 'sandlock' runs candidate programs, isolated by the kernel"
    ],
}


@pytest.mark.parametrize("words", STARTS, ids=" ".join)
def test_what_a_config_starts(words: tuple[str, ...]) -> None:
    settings = bridge.compose(words)
    assert code_in(bridge.build(settings)[0]) == STARTS[words]
    assert may_start(settings) or not STARTS[words]


def test_whom_a_folder_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("AUDITFW_TRUST", raising=False)
    run = write(tmp_path, {"run/.hydra/config.yaml": "seed: 1\n"}) / "run"
    mark = sha256(b"seed: 1\n").hexdigest()
    found = ["the simulator 'python' runs m:f", "the executor 'x' runs y"]
    Origin(run, False).check([])
    with pytest.raises(UsageError, match=r"runs m:f; the executor 'x' runs y - .* add --trust or set AUDITFW_TRUST="):
        Origin(run, False).check(found)
    assert not made_here(mark)
    remember([run / ".hydra/config.yaml", run / "absent.yaml"])
    assert made_here(mark)
    Origin(run, made_here(mark)).check(found)
    for trusted, enough in ((run, True), (tmp_path, True), (tmp_path / "ru", False), (tmp_path / "other", False)):
        monkeypatch.setenv("AUDITFW_TRUST", os.pathsep.join(("/nowhere", str(trusted))))
        if enough:
            Origin(run, False).check(found)
        else:
            with pytest.raises(UsageError):
                Origin(run, False).check(found)
    try:
        assert take_flag(["rerun", "--trust", "R"]) == ["rerun", "R"]
        Origin(run, False).check(found)
        monkeypatch.setenv("AUDITFW_TRUST", str(tmp_path))
        monkeypatch.setenv("AUDITFW_SAFE", "1")
        with pytest.raises(UsageError, match="switched off by AUDITFW_SAFE"):
            Origin(run, False).check(found)
    finally:
        take_flag([])


def test_a_run_made_here_runs_again_and_a_strangers_does_not(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write(tmp_path, {"mymodel.py": MODEL})
    first = command(*SCENARIOS, "hydra.run.dir=one")
    assert first.returncode == 0, first.stderr
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    for name in ("one", "copy"):
        assert command("rerun", name).returncode == 0
    shutil.rmtree(tmp_path / "outputs")
    text = (tmp_path / "one/.hydra/config.yaml").read_text("utf-8")
    write(tmp_path, {"copy/.hydra/config.yaml": text.replace("mymodel:outcomes", "evil:outcomes"), "ran": ""})
    edited = command("rerun", "copy")
    told = says.COPY_YOU_DID_NOT_MAKE
    assert (edited.returncode, told in edited.stderr, edited.stderr.count("\n")) == (2, True, 1)
    shutil.rmtree(tmp_path / "state")
    assert command("rerun", "one").returncode == 2
    assert ((tmp_path / "ran").read_text(), (tmp_path / "outputs").exists()) == ("", False)
    assert command("rerun", "one", "--trust").returncode == 0
    assert command("rerun", "one").returncode == 0  # the run that was trusted has the same settings


@pytest.mark.slow
def test_a_strangers_sweep_is_asked_for_its_jobs(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write(tmp_path, {"mymodel.py": MODEL})
    done = command("-m", *SCENARIOS, "seed=1,2", "hydra.sweep.dir=s")
    assert done.returncode == 0, done.stderr
    (tmp_path / "s/1/result.json").unlink()
    assert command("resume=s").returncode == 0
    (tmp_path / "s/1/result.json").unlink()
    shutil.rmtree(tmp_path / "state")
    refused = command("resume=s")
    assert says.YOU_DID_NOT_MAKE_THIS in refused.stderr
    assert (refused.returncode, (tmp_path / "s/1").is_dir()) == (2, True)
    assert command("resume=s", "--trust").returncode == 0


def test_no_home_to_remember_in(tmp_path: Path, command: Command) -> None:
    write(tmp_path, {"mymodel.py": MODEL, "state": "a file"})
    done = command(*SCENARIOS, env={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert says.CANNOT_RECORD_THAT_THIS_RUN in done.stderr
