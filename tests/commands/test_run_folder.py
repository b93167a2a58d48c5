"""Run folders are data: they are read within bounds, lead nowhere, and name what was changed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread

import polars as pl
import pytest
from running import Command, run_auditfw
from sentences import commands as says
from stored_runs import write

import auditfw
from auditfw.audits.self_audit import journal
from auditfw.commands.resume import resumed
from auditfw.commands.run_folder import read_run
from auditfw.commands.stored_run import read_result, stored
from auditfw.commands.sweep import gather
from auditfw.commands.sweep.folder import forget_failed, note_failed, read_plan, set_aside
from auditfw.components.files.run_tables import FIRST_SCHEMA
from auditfw.core import files as regular
from auditfw.core.errors import AuditError, DataError
from auditfw.core.locks import holding
from auditfw.core.result_json import answer_document

WORDS = ("source=jsonl", "source.path=mine.jsonl", "by=[]", "parser=[stored]", "normalizer=[v1]", "gate=[]")


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
    assert says.IS_NOT_A_REGULAR_FILE in done.stderr + done.stdout


def test_jobs_whose_files_are_none_are_told(tmp_path: Path) -> None:
    for number, how in enumerate(("a folder", "a FIFO", "a device")):
        (tmp_path / str(number)).mkdir()
        plant(tmp_path / str(number) / "result.json", how)
    (tmp_path / "²").mkdir()
    jobs = gather(tmp_path)
    assert [job.exit_code for job in jobs] == [3, 3, 3]
    said = [str(job.error) for job in jobs]
    assert [says.IS_NOT_A_REGULAR_FILE_2 in text for text in said] == [True, True, False]
    assert says.IS_A_SYMBOLIC_LINK_OUT in said[2]


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
        lambda: set_aside(sweep, 0, sweep / "0"),
        lambda: holding(sweep, ".lock").__enter__(),
        lambda: holding(sweep, ".hard").__enter__(),
        lambda: holding(sweep, ".fifo").__enter__(),
        lambda: regular.append(sweep / ".lock", "x"),
    ]
    for one in tries:
        with pytest.raises(DataError):
            one()
    assert [(path.name, path.read_text()) for path in victim.iterdir()] == [("7", "mine")]


def test_the_temporary_files_of_a_run_that_is_ended(tmp_path: Path) -> None:
    """Those of its processes too; a user's own keep."""
    number = "0123456789abcdef"
    ours = {f".report.md.{number}.part", f".parts-trials-{number}", f"2/.shared-{number}", f"2/.parts-x-{number}"}
    theirs = {".parts-of-mine", "2/film.part", f"{number}.part", "2/result.json"}
    for name in (*ours, *theirs):
        (tmp_path / name / "inside" if ".parts-" in name else tmp_path / name).mkdir(parents=True)
    regular.remove_left(tmp_path)
    assert {name for name in (*ours, *theirs) if (tmp_path / name).exists()} == theirs


def test_a_folder_in_which_a_thread_still_writes_is_removed(tmp_path: Path) -> None:
    """A thread that makes one file more as soon as the last is gone: ten of them."""
    folder, started = tmp_path / ".parts-trials-0123456789abcdef", Event()

    def write() -> None:
        with suppress(FileNotFoundError):
            for number in range(10):
                (folder / str(number)).touch()
                started.set()
                while (folder / str(number)).exists():
                    pass

    folder.mkdir()
    thread = Thread(target=write, daemon=True)
    thread.start()
    started.wait()
    regular.remove([folder])
    assert not folder.exists()
    thread.join()


def test_the_result_names_its_tables(run: Path) -> None:
    told = json.loads((run / "result.json").read_text("utf-8"))
    tables = {path.name: sha256(path.read_bytes()).hexdigest() for path in run.glob("*.parquet")}
    assert (told["digests"], told["answer"]["status"]) == (tables, "unknown")
    assert tables.keys() == {"trials.parquet", "measurements.parquet"}
    assert run_auditfw(("report", "one"), run.parent).returncode == 0
    answer = read_result(run).answer
    assert answer is not None
    assert answer_document(answer) == told["answer"]


@pytest.mark.parametrize("experiment", ["answer_parsing", "posiwid", "cross_agent", "self_audit"])
def test_every_table_of_every_audit_is_named(experiment: str, tmp_path: Path) -> None:
    """In a folder whose name is a pattern, too."""
    few = {"source": {"limit": 2}, "stop": {"max_iterations": 1}} if experiment == "self_audit" else {}
    folder = tmp_path / "r[1]*"
    result = auditfw.run({"experiment": experiment, "report": ["ci"], **few}, folder)
    tables = {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.parquet")}
    assert result.digests == tables == read_run(folder)["digests"]
    assert len(tables) == {"self_audit": 2, "answer_parsing": 4}.get(experiment, 3)
    assert read_result(folder).trials.collect().height > 0


@pytest.mark.parametrize("table", ["trials.parquet", "measurements.parquet", "scenarios.parquet"])
@pytest.mark.parametrize("words", [("accept", "one"), ("compare", "one", "one"), ("report", "one"), ("rerun", "one")])
def test_a_table_that_was_changed_is_named(table: str, words: tuple[str, ...], run: Path) -> None:
    pl.DataFrame({"id": ["t0"], "stored": [False]}).write_parquet(run / table)
    done = run_auditfw(words, run.parent)
    assert (done.returncode, f"error: one/{table}: " in done.stderr, done.stderr.count("\n")) == (3, True, 1)
    assert not (run.parent / "baseline.json").exists()


def test_digests_that_name_other_files(run: Path) -> None:
    told = json.loads((run / "result.json").read_text("utf-8"))
    for name, said in (
        ("../mine.jsonl", "names a file that is not a table"),
        ("gone.parquet", "no such file"),
    ):
        write(run, {"result.json": json.dumps({**told, "digests": {**told["digests"], name: "00"}})})
        with pytest.raises(DataError, match=said):
            stored(run)
    first = {key: value for key, value in told.items() if key not in ("digests", "answer")}
    write(run, {"result.json": json.dumps({**first, "schema": FIRST_SCHEMA})})
    assert (stored(run).result["digests"], stored(run).result["answer"]) == ({}, None)
    assert read_result(run).digests == {}


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
