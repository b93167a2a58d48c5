"""`auditfw.run` in other people's programs: what it takes, and that it leaves their Hydra and their process alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from global_state import changes, global_state
from omegaconf import OmegaConf
from places import HELPERS, ROOT
from sentences import commands as says

import auditfw

SMALL: dict[str, Any] = {"source": {"where": "temperature = 0"}, "parser": ["stored"], "normalizer": ["v1"]}
WORDS = ["source.where='temperature = 0'", "parser=[stored]", "normalizer=[v1]"]
START = f"""
import os, sys
sys.path.insert(0, {str(HELPERS)!r})
import auditfw, hydra
from global_state import changes, global_state
WORDS = {WORDS!r}

def judged(what=WORDS):
    before = global_state()
    verdict = auditfw.run(what).verdict
    return [verdict, *changes(before, global_state())]
"""


def program(text: str, here: Path, *words: str) -> str:
    """What another program prints."""
    (here / "app.py").write_text(START + text)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HYDRA", "AUDITFW"))}
    done = subprocess.run(
        [sys.executable, "app.py", *words], cwd=here, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept(folder: Path) -> list[dict[str, Any]]:
    """Completions in a file, which is what a path can name."""
    lines = [{"id": n, "raw_text": f"Answer: {n % 7}", "ground_truth": "3", "stored": n % 7 == 3} for n in range(40)]
    (folder / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines


# What it takes


def test_words_are_those_of_the_command(here: Path) -> None:
    of_words, of_settings = auditfw.run([*WORDS, "seed=3"]), auditfw.run({**SMALL, "seed": 3})
    assert of_words.config_hash == of_settings.config_hash
    assert of_words.measurements == of_settings.measurements
    assert (of_words.seed, of_words.verdict) == (3, "pass")


@pytest.mark.parametrize("what", ["mine.jsonl", Path("mine.jsonl"), ".", ["mine.jsonl"], ["mine.jsonl", "seed=0"]])
def test_a_path_is_the_first_word_of_the_command(what: Any, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(here)
    result = auditfw.run(what)
    assert (result.audit, result.counts["read"]) == ("parsing", 40)
    assert capsys.readouterr().out == ""


def test_a_config_is_resolved_by_its_own_program(here: Path) -> None:
    OmegaConf.register_new_resolver("test.half", lambda n: n // 2, replace=True)
    config = OmegaConf.create({"n": 6, "audited": {**SMALL, "seed": "${test.half:${n}}"}, "hydra": {"x": 1}})
    assert auditfw.run(config.audited).seed == 3
    assert auditfw.run(OmegaConf.create(WORDS)).verdict == "pass"


def test_names_in_a_config_choose_variants(here: Path) -> None:
    assert auditfw.run(OmegaConf.create({"experiment": "posiwid"})).audit == "alignment"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("nothing.jsonl", "nothing.jsonl: no such file"),
        ("seed=3", says.RUN_NO_SUCH_FILE_OR),
        (["-m", "seed=1,2"], says.RUN_RUNS_ONE_AUDIT_WITHOUT),
        (["hydra.run.dir=x"], says.RUN_RUNS_ONE_AUDIT_WITHOUT_FLAGS),
        (["seed=1,2"], says.SEVERAL_VALUES_WITHOUT_A_SWEEP),
        (["sede=3"], says.SEDE_NO_SUCH_KEY_DID),
        (["a._target_=os.getcwd"], "_target_ is not supported"),
        (OmegaConf.create({"seed": "${nope}"}), "seed: "),
        (7, says.RUN_EXPECTED_SETTINGS_A_LIST),
        ([1, 2], says.RUN_EXPECTED_SETTINGS_A_LIST_OF),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(what: Any, message: str, here: Path) -> None:
    before = global_state()
    with pytest.raises(auditfw.AuditError) as error:
        auditfw.run(what)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert changes(before, global_state()) == []


def test_the_version_is_that_of_the_package() -> None:
    code = "import sys, auditfw; print(auditfw.__version__, 'importlib.metadata' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split()[0] in (ROOT / "pyproject.toml").read_text("utf-8")


# Other people's programs


def test_a_program_without_hydra_is_as_before(here: Path) -> None:
    """Run twice; by words, a path and settings; with an error; and what an exception of a component leaves."""
    kept(here)
    (here / "bad.py").write_text("import os\n\ndef f(**p):\n    os.environ['LEFT'] = '1'\n    raise SystemExit(3)\n")
    text = """
print(judged(), judged(), judged("mine.jsonl"), judged({"experiment": "posiwid"}))
for what in (["sede=1"], {"source": {"use": "jsonl", "path": "none.jsonl"}}, ["simulator=python"],
             {"experiment": "posiwid", "simulator": {"use": "python", "function": "bad:f"}}):
    before = global_state()
    try: print(auditfw.run(what).exit_code, end=" ")
    except auditfw.AuditError as error: print(type(error).__name__, end=" ")
    print(changes(before, global_state()))
"""
    lines = program(text, here).splitlines()
    assert lines[0] == "['pass'] ['pass'] ['pass'] ['pass']"
    assert [line.partition(" ")[2] for line in lines[1:]] == ["[]"] * 4


APP = """
from hydra.core.hydra_config import HydraConfig
from omegaconf import OmegaConf
OmegaConf.register_new_resolver("double", lambda n: 2 * n)

@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def app(config):
    before = HydraConfig.get().job.name
    print(config.twice, config.home, *judged(), *judged(), HydraConfig.get().job.name == before)
app()
"""
CONFIG = """
defaults: [gate: mine, _self_]
seed: 4
on: 3
twice: ${double:${seed}}
home: ${oc.env:GUEST}
hydra: {job: {env_set: {GUEST: set}}, run: {dir: out}, sweep: {dir: sweep}}
"""


def project(here: Path) -> None:
    """A Hydra project with a conf/ of its own: a primary config named as ours is, and a group with the name of ours."""
    (here / "conf" / "gate").mkdir(parents=True)
    (here / "conf" / "config.yaml").write_text(CONFIG)
    (here / "conf" / "gate" / "mine.yaml").write_text("_target_: os.getcwd\n")


def test_within_an_application_of_hydra(here: Path) -> None:
    project(here)
    assert program(APP, here).splitlines() == ["8 set pass pass True"]


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["basic", "joblib"])
def test_within_each_job_of_a_sweep(launcher: str, here: Path) -> None:
    project(here)
    printed = program(APP, here, "-m", "seed=1,2", f"hydra/launcher={launcher}")
    shown = [line for line in printed.splitlines() if "HYDRA" not in line]
    if launcher == "basic":
        assert shown == ["2 set pass pass True", "4 set pass pass True"]
    jobs = [(here / "sweep" / n / ".hydra" / "config.yaml").is_file() for n in "01"]
    assert jobs == [True, True]


@pytest.mark.slow
def test_an_application_after_a_run_has_none_of_our_groups_sources_and_resolvers(here: Path) -> None:
    project(here)
    (here / "conf" / "guarded.yaml").write_text("_target_: os.getcwd\non: 1\n")
    text = """
from hydra import compose, initialize
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from omegaconf import OmegaConf
OmegaConf.register_new_resolver("double", lambda n: 2 * n)
os.environ["GUEST"] = "set"
assert judged() == ["pass"]
assert not any("auditfw" in str(one) for one in Plugins.instance().discover())
assert "auditfw" not in str(ConfigStore.instance().repo)
assert not any(name.startswith("hydra_plugins.auditfw") for name in sys.modules)
with initialize(version_base="1.3", config_path="conf"):
    assert judged() == ["pass"]
    print(compose("guarded"), compose("config").home, compose("config").twice)
    print(compose("config", ["hydra/launcher=joblib"], return_hydra_config=True).hydra.launcher._target_)
"""
    printed = program(text, here).splitlines()
    assert printed[0] == "{'_target_': 'os.getcwd', True: 1} set 8"
    assert printed[1].endswith("JoblibLauncher")


@pytest.mark.slow
def test_what_an_application_keeps_in_the_store_is_not_ours(here: Path) -> None:
    """Options with the names of ours, and Hydra's own node with other folders, as hydra-zen stores them."""
    text = """
from hydra.conf import HydraConf, RunDir
from hydra.core.config_store import ConfigStore
store = ConfigStore.instance()
store.store(group="audit", name="parsing", node={"x": 1})
store.store(group="source", name="sample_parsing", node={"x": 1})
store.store(name="config", node={"x": 1})
store.store(group="hydra", name="config", node=HydraConf(defaults=["_self_"], run=RunDir("elsewhere")))
print(judged(), judged())
"""
    assert program(text, here) == "['pass'] ['pass']\n".replace("\\\n", "\n")


@pytest.mark.slow
def test_in_threads_a_running_loop_and_a_fork(here: Path) -> None:
    text = """
import asyncio, threading
from concurrent.futures import ThreadPoolExecutor
before = global_state()
with ThreadPoolExecutor(4) as pool:
    print(*(one.verdict for one in pool.map(auditfw.run, [WORDS, {"experiment": "posiwid"}] * 2)))
print(changes(before, global_state()))

async def cell():
    return judged()
print(asyncio.run(cell()))
child = os.fork()
if not child:
    os._exit(0 if judged() == ["pass"] else 1)
print(os.waitpid(child, 0)[1])
"""
    assert program(text, here).splitlines() == ["pass pass pass pass", "[]", "['pass']", "0"]


@pytest.mark.slow
def test_a_simulator_of_an_application_finds_its_hydra(here: Path) -> None:
    """What a component does is done in the program's own state, and it may run an audit itself."""
    (here / "model.py").write_text(
        "import auditfw\nfrom hydra.core.hydra_config import HydraConfig\n\n"
        "def f(x):\n    inner = auditfw.run(['experiment=posiwid'])\n    return {'y': x if inner.verdict else 0.0}\n"
    )
    (here / "set.jsonl").write_text('{"label": "a", "intended": {"y": 0.5}, "params": {"x": 0.5}}\n')
    text = """
print(judged({"experiment": "posiwid", "gate": [], "scenarios": {"use": "jsonl", "path": "set.jsonl"},
              "simulator": {"use": "python", "function": "model:f"}}))
"""
    assert program(text, here) == "['none']\n"


# Our configs in their applications

THEIRS = """
hydra: {searchpath: [pkg://auditfw.conf]}
defaults: [auditfw, experiment: posiwid, _self_]
rate: 3
"""
COMPOSER = """
from omegaconf import OmegaConf

@hydra.main(version_base="1.3", config_path="conf", config_name="theirs")
def app(config):
    rest = OmegaConf.masked_copy(config, [key for key in config if key != "rate"])
    result = auditfw.run(rest)
    words = [word for word in sys.argv[1:]] or ["experiment=posiwid"]
    print(result.audit, result.config_hash == auditfw.run(words).config_hash)
app()
"""


@pytest.mark.parametrize(
    ("words", "audit"),
    [
        pytest.param((), "alignment", marks=pytest.mark.slow),
        (("experiment=cross_agent", "gate=[kappa]", "gates.kappa.min=0.5"), "consistency"),
        pytest.param(
            ("experiment=answer_parsing", "matcher=numeric", "parser=[stored,last_number]"),
            "parsing",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("experiment=self_audit", "source=sample_arc", "source.limit=4"), "self_audit", marks=pytest.mark.slow
        ),
    ],
)
def test_our_configs_are_a_package_for_other_applications(words: tuple[str, ...], audit: str, here: Path) -> None:
    (here / "conf").mkdir()
    (here / "conf" / "theirs.yaml").write_text(THEIRS)
    assert program(COMPOSER, here, *words).splitlines() == [f"{audit} True"]
