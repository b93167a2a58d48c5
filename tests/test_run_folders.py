"""Run folders are data: what a stranger's folder holds starts nothing, leads nowhere, and is read within bounds."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import Command, run_auditfw

import auditfw
from auditfw.audits.self_audit import journal
from auditfw.commands.compare import stored
from auditfw.commands.resume import resumed
from auditfw.commands.run_folder import FIRST_SCHEMA, read_run
from auditfw.commands.stored_run import read_result
from auditfw.commands.sweep import gather
from auditfw.commands.sweep.folder import forget_failed, note_failed, read_plan, set_aside
from auditfw.commands.trust import Origin, code_in, made_here, may_start, remember, take_flag
from auditfw.config import build as bridge
from auditfw.config.resolvers import holds_key_or_path
from auditfw.config.stored import check_config, check_words, launched
from auditfw.core import files as regular
from auditfw.core.errors import AuditError, DataError, UsageError
from auditfw.core.locks import holding
from auditfw.core.masking import masked_data

PLAN = {"schema": "auditfw.plan/1", "jobs": [[]], "hydra": [], "code": ""}
TABLE = {"metrics": [], "sort_by": None, "best": None}
WORDS = ("source=jsonl", "source.path=mine.jsonl", "by=[]", "parser=[stored]", "normalizer=[v1]", "gate=[]")
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


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run, `one`, and a sweep of two, `sweep`."""
    folder = tmp_path_factory.mktemp("made")
    rows = [{"id": f"t{i}", "raw_text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris"} for i in range(4)]
    write(folder, {"mine.jsonl": "".join(json.dumps({**row, "stored": 1}) + "\n" for row in rows)})
    for words in (("report=[markdown]", "hydra.run.dir=one"), ("seed=1,2", "report=[]", "hydra.sweep.dir=sweep", "-m")):
        done = run_auditfw((*WORDS, *words), folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the finished run, in an otherwise empty current folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made / "one", tmp_path / "one")
    shutil.copy(made / "mine.jsonl", tmp_path)
    return tmp_path / "one"


# Words

REFUSED = {
    "+hydra.job.env_set.PYTHONPATH=R": "sets Hydra itself",
    "hydra.job.env_set={LD_PRELOAD: ./x.so}": "sets Hydra itself",
    "hydra.run.dir=x": "sets Hydra itself",
    "hydra.sweep.dir=x": "sets Hydra itself",
    "hydra.searchpath=[file://R]": "sets Hydra itself",
    "~hydra.callbacks": "sets Hydra itself",
    "++hydra.sweeper.params={}": "sets Hydra itself",
    "hydra/sweeper=other": "sets Hydra itself",
    "hydra/launcher@hydra.callbacks.x=joblib": "puts a group in a place that is not its own",
    "simulator@hydra.job.env_set=table": "puts a group in a place that is not its own",
    "+hydra.callbacks.x={_target_: joblib.load, filename: R/x}": "names a _target_",
    "hydra.launcher._target_=pandas.read_pickle": "names a _target_",
    "source={'_target_': shutil.copy}": "names a _target_",
    "--config-dir=R": "is a flag",
    "-cn": "is a flag",
    "source.path=${oc.env:HOME}": "reads more",
    "source.path=${oc.decode:'${oc.env:HOME}'}": "reads more",
    "seed=${${by}:x}": "reads more",
    "experiment=../../R/evil": "names no option",
    "parser=[stored,../R/evil]": "names no option",
    "mine.key=1": "sets no key of auditfw",
    "a(b": "is not an override",
}
TAKEN = (
    "experiment=self_audit",
    "source.path=../mine.jsonl",
    "+source.where='id > 3'",
    "~gates.kappa",
    "parser=[stored,answer_v2]",
    "seed=1,2,3",
    "scenarios.seed=${seed}",
    "hydra/launcher=joblib",
    "hydra.launcher.n_jobs=2",
    "sweep.metrics=[flips]",
)


@pytest.mark.parametrize("word", REFUSED)
def test_stored_words_that_are_not_taken(word: str, tmp_path: Path) -> None:
    """From a run and from a sweep alike, in one line that names file and word."""
    run = write(tmp_path, {"R/.hydra/overrides.yaml": json.dumps(["seed=1", word])}) / "R"
    sweep = write(tmp_path, {"S/plan.json": json.dumps({**PLAN, "words": [word], "table": TABLE})}) / "S"
    for folder, file in ((run, ".hydra/overrides.yaml"), (sweep, "plan.json")):
        with pytest.raises(UsageError) as refused:
            resumed([f"resume={folder}"])
        told, where = str(refused.value), folder / file
        assert told.startswith(f"{where}: a stored word that is not taken from a run folder: it {REFUSED[word]}")
        assert f"({word})" in told


def test_stored_words_that_are_taken(tmp_path: Path) -> None:
    check_words(tmp_path / "overrides.yaml", TAKEN)
    write(tmp_path, {".hydra/overrides.yaml": json.dumps([*TAKEN, "resume=R0", "+hydra.verbose=true"])})
    words = [f"resume={tmp_path}", "hydra.verbose=true", "source.path=new.jsonl"]
    taken = resumed(words)
    assert taken.words == [word for word in TAKEN if not word.startswith("source.path")] + words
    assert taken.origin == Origin(tmp_path, False)


def test_launchers_that_reach_further() -> None:
    words = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "hydra.launcher.verbose=1"]
    assert launched(words) == []
    further = ["hydra/launcher=submitit_slurm", "hydra.launcher.setup=[x]", "+hydra.launcher.ray.init.address=a"]
    assert launched([*words, *further]) == [f"the word {word}" for word in further]


def test_stored_configs_read_their_own_keys_only(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    config = {"seed": 1, "by": ["${seed}"], "source": {"path": "${oc.env:HOME}/x"}, "reports": {"m": {"use": "m"}}}
    with pytest.raises(UsageError, match=r"config\.yaml: source\.path reads more .* write the value: source\.path="):
        check_config(file, config, ["seed=2"])
    for words in (["source.path=x"], ["source=jsonl"]):
        assert check_config(file, config, words)["source"] == {"path": None}
    assert check_config(file, config, [], only="reports")["by"] == ["${seed}"]
    with pytest.raises(UsageError, match="a key that is not one of auditfw's"):
        check_config(file, {"hydra": {"job": {}}}, [])


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
        assert "R/.hydra/overrides.yaml: a stored word that is not taken" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["R"]
    flag = command("--experimental-rerun=R/job.pickle")
    assert (flag.returncode, "auditfw rerun RUN" in flag.stderr, flag.stderr.count("\n")) == (2, True, 1)


# Trust

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
        "the executor 'subprocess' runs candidate programs without walls",
    ],
    ("experiment=self_audit", "executor=sandlock"): [
        "the executor 'sandlock' runs candidate programs, kept apart by the kernel"
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
    told = "copy: you did not make this run here, and what it stores would start code: the simulator 'python' runs "
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
    assert "s: you did not make this run here, and what it stores would start code" in refused.stderr
    assert (refused.returncode, (tmp_path / "s/1").is_dir()) == (2, True)
    assert command("resume=s", "--trust").returncode == 0


@pytest.mark.parametrize("left", [(), ("manifest.json",), ("multirun.yaml",), (".hydra",)], ids=str)
def test_resume_where_nothing_had_begun_says_what_to_type(left: tuple[str, ...], tmp_path: Path) -> None:
    """A sweep killed before its plan, a run killed before its command was stored: there is nothing to go on from."""
    folder = tmp_path / "killed"
    folder.mkdir()
    for name in left:
        (folder / name).mkdir() if name == ".hydra" else (folder / name).write_text("{}", "utf-8")
    for words in (["experiment=self_audit"], ["-m", "seed=1,2"], []):
        with pytest.raises(UsageError, match=r"nothing had begun there.*give the command that made it once more"):
            resumed([*words, f"resume={folder}"])
    (folder / "result.json").write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="the run there is finished"):
        resumed([f"resume={folder}"])
    (folder / "attempts.jsonl").write_text("", "utf-8")  # a journal alone goes on with the words that are given
    assert resumed(["experiment=self_audit", f"resume={folder}"]).words == ["experiment=self_audit", f"resume={folder}"]


def test_no_home_to_remember_in(tmp_path: Path, command: Command) -> None:
    write(tmp_path, {"mymodel.py": MODEL, "state": "a file"})
    done = command(*SCENARIOS, env={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert "that this run was made here cannot be kept (Not a directory)" in done.stderr


# Files that are read back

READERS: dict[str, Sequence[Callable[[Path], object]]] = {
    "result.json": (read_run, stored, read_result),
    "sections.json": (read_result,),
    "measurements.parquet": (stored, read_result),
    "trials.parquet": (stored, read_result),
    ".hydra/config.yaml": (stored,),
    ".hydra/overrides.yaml": (lambda folder: resumed([f"resume={folder}"]),),
    "plan.json": (read_plan, lambda folder: resumed([f"resume={folder}"])),
    "attempts.jsonl": (lambda folder: journal.read(folder / "attempts.jsonl"),),
}


def plant(file: Path, how: str) -> None:
    file.unlink(missing_ok=True)
    if how == "a folder":
        file.mkdir()
    elif how == "a FIFO":
        os.mkfifo(file)
    elif how == "a device":
        file.symlink_to("/dev/zero")
    elif how == "a link":
        elsewhere = file.parent.parent.parent / "elsewhere"
        elsewhere.write_text("{}", "utf-8")
        file.symlink_to(elsewhere)
    else:
        with file.open("wb") as stream:
            stream.truncate(1 << 40)


@pytest.mark.parametrize("how", ["a folder", "a FIFO", "a device", "a link", "a giant"])
@pytest.mark.parametrize("name", READERS)
def test_only_regular_files_are_read(name: str, how: str, run: Path) -> None:
    plant(run / name, how)
    for reader in READERS[name]:
        with pytest.raises(AuditError) as refused:
            reader(run)
        assert refused.value.where == str(run / name)
        assert refused.value.exit_code == 3


def test_a_link_within_the_folder_is_read(run: Path) -> None:
    (run / "result.json").rename(run / "kept.json")
    (run / "result.json").symlink_to("kept.json")
    assert read_run(run)["verdict"] == "none"


@pytest.mark.parametrize("words", [("report", "one"), ("sweep", "s"), ("compare", "one", "one"), ("resume=one",)])
def test_verbs_end_at_what_is_no_file(run: Path, words: tuple[str, ...]) -> None:
    """A FIFO hung the command, a folder in place of sections.json was exit 4."""
    (run.parent / "s/0").mkdir(parents=True)
    for file, how in (("one/sections.json", "a folder"), ("one/.hydra/overrides.yaml", "a FIFO")):
        plant(run.parent / file, how)
    plant(run.parent / "s/0/result.json", "a FIFO")
    if words[0] == "compare":
        plant(run / "trials.parquet", "a FIFO")
    done = run_auditfw(words, run.parent)
    assert done.returncode == 3, done.stderr
    assert "is not a regular file (a" in done.stderr + done.stdout


def test_jobs_whose_files_are_none_are_told(tmp_path: Path) -> None:
    for number, how in enumerate(("a folder", "a FIFO", "a device")):
        (tmp_path / str(number)).mkdir()
        plant(tmp_path / str(number) / "result.json", how)
    (tmp_path / "²").mkdir()
    jobs = gather(tmp_path)
    assert [job.exit_code for job in jobs] == [3, 3, 3]
    said = [str(job.error) for job in jobs]
    assert ["is not a regular file" in text for text in said] == [True, True, False]
    assert "is a symbolic link out of its folder (/dev/zero)" in said[2]


# Links that were planted

PLANTED = (
    *(".report.md.part", ".result.json.part", ".sections.json.part", ".manifest.json.part", ".measurements.parquet"),
    *(".trials.parquet.part", ".disagreements.tsv.part", ".attempts.jsonl.part", ".latest-one", ".sweep.parquet.part"),
    *("report.md", "report.html", "junit.xml", "sections.json", "disagreements.tsv", "sweep.json", "sweep.md"),
)


def test_planted_links_lead_nothing_astray(made: Path, tmp_path: Path) -> None:
    """Reports written again, a sweep gathered again, a baseline accepted: what a link points to stays as it is."""
    victim = write(tmp_path, {"victim": "mine"}) / "victim"
    for name in ("one", "sweep"):
        shutil.copytree(made / name, tmp_path / name)
        for link in PLANTED:
            if name == "sweep" or link != "sections.json":  # which the verb report reads
                (tmp_path / name / link).unlink(missing_ok=True)
                (tmp_path / name / link).symlink_to(victim)
    for link in ("baseline.json", ".baseline.json.part", ".latest-one"):
        (tmp_path / link).symlink_to(victim)
    assert run_auditfw(("report", "one", "report=[markdown,html,junit]"), tmp_path).returncode == 0
    assert run_auditfw(("sweep", "sweep"), tmp_path).returncode == 0
    (tmp_path / "baseline.json").unlink()
    assert run_auditfw(("accept", "one"), tmp_path).returncode == 0
    assert victim.read_text() == "mine"
    assert not (tmp_path / "one/report.md").is_symlink()


@pytest.mark.parametrize("link", [".hydra", ".hydra/config.yaml", "auditfw.log", "attempts.jsonl", ".attempts.lock"])
def test_a_folder_with_links_is_not_taken(link: str, tmp_path: Path, command: Command) -> None:
    victim = write(tmp_path, {"victim/config.yaml": "mine", "victim/file": "mine"}) / "victim"
    (tmp_path / "R" / link).parent.mkdir(parents=True)
    (tmp_path / "R" / link).symlink_to(victim if link == ".hydra" else victim / "file")
    words = ("experiment=self_audit", "source.limit=1", "stop.max_iterations=1", "report=[]", "hydra.run.dir=R")
    done = command(*words)
    assert (done.returncode, "is a symbolic link" in done.stderr, done.stderr.count("\n")) == (3, True, 1), done.stderr
    assert {path.name: path.read_text() for path in victim.iterdir()} == {"config.yaml": "mine", "file": "mine"}


def test_locks_and_counts_follow_no_link(tmp_path: Path) -> None:
    victim = write(tmp_path, {"victim/7": "mine"}) / "victim"
    sweep = tmp_path / "s"
    (sweep / "0").mkdir(parents=True)
    (sweep / ".failed").symlink_to(victim)
    (sweep / "earlier").symlink_to(victim)
    (sweep / ".lock").symlink_to(victim / "7")
    os.link(victim / "7", sweep / ".hard")
    os.mkfifo(sweep / ".fifo")
    tries: list[Callable[[], object]] = [
        lambda: forget_failed(sweep),
        lambda: note_failed(sweep, "0"),
        lambda: set_aside(sweep, 0),
        lambda: holding(sweep, ".lock").__enter__(),
        lambda: holding(sweep, ".hard").__enter__(),
        lambda: holding(sweep, ".fifo").__enter__(),
        lambda: regular.append(sweep / ".lock", "x"),
    ]
    for one in tries:
        with pytest.raises(DataError):
            one()
    assert [(path.name, path.read_text()) for path in victim.iterdir()] == [("7", "mine")]


# Digests


def test_the_result_names_its_tables(run: Path) -> None:
    told = json.loads((run / "result.json").read_text("utf-8"))
    tables = {path.name: sha256(path.read_bytes()).hexdigest() for path in run.glob("*.parquet")}
    assert (told["digests"], told["answer"]) == (tables, None)
    assert tables.keys() == {"trials.parquet", "measurements.parquet"}
    assert run_auditfw(("report", "one"), run.parent).returncode == 0
    read_result(run)


@pytest.mark.parametrize("experiment", ["answer_parsing", "posiwid", "cross_agent", "self_audit"])
def test_every_table_of_every_audit_is_named(experiment: str, tmp_path: Path) -> None:
    """In a folder whose name is a pattern, too."""
    few = {"source": {"limit": 2}, "stop": {"max_iterations": 1}} if experiment == "self_audit" else {}
    folder = tmp_path / "r[1]*"
    result = auditfw.run({"experiment": experiment, "report": ["ci"], **few}, folder)
    tables = {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.parquet")}
    assert result.digests == tables == read_run(folder)["digests"]
    assert len(tables) == {"self_audit": 2, "cross_agent": 4}.get(experiment, 3)
    assert read_result(folder).trials.collect().height > 0


@pytest.mark.parametrize("table", ["trials.parquet", "measurements.parquet", "scenarios.parquet"])
@pytest.mark.parametrize("words", [("accept", "one"), ("compare", "one", "one"), ("report", "one"), ("rerun", "one")])
def test_a_table_that_was_changed_is_named(table: str, words: tuple[str, ...], run: Path) -> None:
    pl.DataFrame({"id": ["t0"], "stored": [False]}).write_parquet(run / table)
    done = run_auditfw(words, run.parent)
    assert (done.returncode, f"error: one/{table}: is " in done.stderr, done.stderr.count("\n")) == (3, True, 1)
    assert not (run.parent / "baseline.json").exists()


def test_digests_that_name_other_files(run: Path) -> None:
    told = json.loads((run / "result.json").read_text("utf-8"))
    for name, said in (("../mine.jsonl", "names a table that is none of a run"), ("gone.parquet", "no such file")):
        write(run, {"result.json": json.dumps({**told, "digests": {**told["digests"], name: "00"}})})
        with pytest.raises(DataError, match=said):
            stored(run)
    first = {key: value for key, value in told.items() if key not in ("digests", "answer")}
    write(run, {"result.json": json.dumps({**first, "schema": FIRST_SCHEMA})})
    assert (stored(run).result["digests"], stored(run).result["answer"]) == ({}, None)
    assert read_result(run).digests == {}


# Places

HYDRA = "# @package _global_\n# Writes elsewhere.\ndefaults: [answer_parsing, _self_]\nhydra: {PLACE}\n"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("run: {dir: ../x}", ()),
        pytest.param("run: {dir: 'a/../../${audit.use}'}", (), marks=pytest.mark.slow),
        pytest.param("output_subdir: ../../x", (), marks=pytest.mark.slow),
        pytest.param("output_subdir: /tmp/x", (), marks=pytest.mark.slow),
        pytest.param("sweep: {dir: ../x}", ("-m",), marks=pytest.mark.slow),
        ("sweep: {subdir: '../../${hydra.job.num}'}", ("-m",)),
    ],
)
def test_an_experiment_writes_below_its_folder(
    place: str, words: tuple[str, ...], tmp_path: Path, command: Command
) -> None:
    name = "experiment" if not words else "hydra"
    text = HYDRA.replace("PLACE", place)
    if words:  # what a sweep's experiment says of Hydra is a job's: the whole sweep's comes from its primary config
        text = text.replace("# @package _global_\n", "").replace("[answer_parsing, _self_]", "[config, _self_]")
    file = "conf/experiment/climb.yaml" if name == "experiment" else "conf/climb.yaml"
    inner = write(tmp_path / "in", {file: text})
    chosen = ("experiment=climb",) if name == "experiment" else ("--config-name=climb", *words)
    done = command(*chosen, "report=[]", cwd=inner)
    key = place.partition(":")[0]
    assert (done.returncode, f"hydra.{key}" in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    assert sorted(path.name for path in inner.iterdir()) == ["conf"]


@pytest.mark.parametrize(
    "words", [("metric=[kapa]",), ("gates.x={use: bound, metric: none, max: 1}",), ("seed=x",), ("resume=.",)]
)
def test_no_folder_before_the_config_stands(words: tuple[str, ...], tmp_path: Path, command: Command) -> None:
    done = command(*words)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, []), done.stderr


# The environment


@pytest.mark.parametrize(
    ("key", "holds"),
    [
        *((key, True) for key in ("source.path", "source.files[0].path", "source.paths.scholar", "source.runs_dir")),
        *((key, True) for key in ("solver.base_url", "solver.settings.api_key", "simulator.model", "hydra.run.dir")),
        *((key, False) for key in ("solver.model", "source.where", "audit.stored_true[0]", "audit.delimiter", "seed")),
        *((key, False) for key in ("source.files[0].set.note", "metrics.flips.key", "paths", "by[0]")),
    ],
)
def test_settings_that_may_read_the_environment(key: str, holds: bool) -> None:
    assert holds_key_or_path(key) is holds or key == "paths"


def test_what_is_hidden_is_masked_and_nothing_else_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret", "s3cret-long"})
    data: dict[str, Any] = {"s3cret": ["a s3cret-long", ("s3cret", 1)], "same": ["x", {"y": 2.0}]}
    made = masked_data(data)
    assert made == {"s3cret": ["a [masked]", ("[masked]", 1)], "same": ["x", {"y": 2.0}]}
    assert made["same"] is data["same"]
