"""`auditfw FOLDER` where a folder holds logs of several formats: a sweep, one job for each."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_logs import eval_log, head, json_log, sample
from log_records import run, state, stats
from places import ROOT, TESTS
from running import Command
from sentences import commands as says

from auditfw.commands.paths.command import recognised, with_paths
from auditfw.commands.paths.proposal import LISTED, paths_for
from auditfw.commands.paths.sources import left_out
from auditfw.core.errors import DataError, UsageError

DATA = TESTS / "cases" / "data"
SAMPLES = "samples_mygsm_2026-11-22T15-10-07.226628.jsonl"
RESULTS = "results_2026-11-22T15-10-07.226628.json"
QUIET = ("report=[]", "hydra.sweep.dir=s")
SOURCES = ["inspect", "lm_eval", "promptfoo"]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A folder of one log of each of three formats, a note, and an empty file."""
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(DATA / "inspect_logs" / "mc.eval", folder / "b.eval")
    shutil.copy(DATA / "field_logs" / "lm_eval" / SAMPLES, folder)
    shutil.copy(DATA / "field_logs" / "lm_eval" / RESULTS, folder)
    shutil.copy(DATA / "field_logs" / "promptfoo" / "out.json", folder / "deep")
    (folder / "notes.md").write_text("# Notes\n\nof ours\n", encoding="utf-8")
    (folder / "empty.jsonl").touch()
    return folder


def sources(folder: Path) -> list[str]:
    """The sources of the jobs of a sweep, in their order."""
    jobs = json.loads((folder / "sweep.json").read_text("utf-8"))["jobs"]
    return [job["overrides"][0].removeprefix("source=") for job in jobs]


def test_each_format_is_a_job(command: Command, mixed: Path, tmp_path: Path) -> None:
    done = command("logs", *QUIET)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert [line.split(" auditfw ")[0] for line in lines[:3]] == [
        says.AUDITFW_JOB_LOGS_OF_INSPECT,
        says.AUDITFW_JOB_LOGS_OF_LM,
        says.AUDITFW_JOB_RESULTS_OF_PROMPTFOO,
    ]
    assert lines[3:5] == [
        says.AUDITFW_WARNING_FILE_IS_NOT,
        says.AUDITFW_WARNING_FILE_IS_EMPTY,
    ]
    assert sources(tmp_path / "s") == SOURCES
    assert {one.name for one in (tmp_path / "s").iterdir()} >= {"sweep.md", "sweep.parquet", "report.html", "plan.json"}
    assert "Sweep: 3 jobs, exit code 0" in done.stdout


@pytest.mark.slow
def test_each_command_that_is_written_out_is_the_job(command: Command, mixed: Path, tmp_path: Path) -> None:
    """Its words, typed by themselves, give the same result."""
    lines = command("logs", *QUIET).stderr.splitlines()[:3]
    for number, line in enumerate(lines):
        words = shlex.split(line.partition(": auditfw ")[2])
        alone = [word for word in words if not word.startswith("hydra.")]
        assert command(*alone, f"hydra.run.dir=r{number}").returncode == 0
        assert _numbers(tmp_path / f"r{number}") == _numbers(tmp_path / "s" / str(number))


def _numbers(folder: Path) -> Any:
    return json.loads((folder / "result.json").read_text("utf-8"))["measurements"]


def test_results_as_json_are_a_list(command: Command, mixed: Path, tmp_path: Path) -> None:
    done = command("logs", "report=[json]", "hydra.sweep.dir=s")
    listed = json.loads(done.stdout)
    assert [one["counts"]["read"] for one in listed] == [12, 48, 16]
    assert listed == [json.loads((tmp_path / "s" / str(n) / "result.json").read_text("utf-8")) for n in range(3)]


def test_several_paths_are_like_a_folder(mixed: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In whichever order they are named."""
    for paths in (["logs/deep/out.json", f"logs/{SAMPLES}", "logs/b.eval"], ["logs/*"]):
        assert [words[0].removeprefix("source=") for words in with_paths(paths).runs] == SOURCES
    assert "2 files" not in capsys.readouterr().err


@pytest.mark.slow
def test_the_number_of_workers_does_not_matter(command: Command, mixed: Path, tmp_path: Path) -> None:
    for workers in (1, 3):
        command("logs", "report=[markdown]", f"engine.workers={workers}", f"hydra.sweep.dir=w{workers}")
    for number in range(3):
        for name in ("result.json", "trials.parquet", "measurements.parquet", "report.md"):
            one, three = (tmp_path / f"w{workers}" / str(number) / name for workers in (1, 3))
            assert one.read_bytes() == three.read_bytes()


@pytest.mark.slow
def test_a_log_that_cannot_be_opened_is_a_failed_job(command: Command, mixed: Path, tmp_path: Path) -> None:
    (mixed / "b.eval").write_bytes((mixed / "b.eval").read_bytes()[:-100])
    done = command("logs", "report=[json]", "hydra.sweep.dir=s")
    first, *others = json.loads(done.stdout)
    assert done.returncode == 3
    assert (first["exit_code"], [one["exit_code"] for one in others]) == (3, [0, 0])
    assert first["error"].startswith(says.LOGS_THE_ZIP_FILE_IS)
    [line] = [line for line in done.stderr.splitlines() if line.startswith("auditfw: error: ")]
    assert line.startswith("auditfw: error: source=inspect source.path=")
    checked = command("check", "logs")
    assert (checked.returncode, "audit: parsing" in checked.stdout) == (3, True)
    assert "job 0, source=inspect" in checked.stderr


def test_an_override_that_fits_one_job_alone(command: Command, mixed: Path, tmp_path: Path) -> None:
    done = command("logs", *QUIET, "source.scorer=choice")
    assert done.returncode == 2
    jobs = json.loads((tmp_path / "s" / "sweep.json").read_text("utf-8"))["jobs"]
    assert [job["exit_code"] for job in jobs] == [0, 2, 2]
    assert all("source.scorer: no such key" in job["error"] for job in jobs[1:])


@pytest.mark.slow
def test_values_of_a_sweep_go_with_each_job(command: Command, mixed: Path, tmp_path: Path) -> None:
    done = command("logs", *QUIET, "seed=1,2", "-m")
    assert done.returncode == 0, done.stderr
    assert sources(tmp_path / "s") == [source for source in SOURCES for _ in range(2)]
    jobs = json.loads((tmp_path / "s" / "sweep.json").read_text("utf-8"))["jobs"]
    assert [job["overrides"][-1] for job in jobs] == ["seed=1", "seed=2"] * 3
    checked = command("check", "logs", "seed=1,2", "-m")
    assert (checked.returncode, checked.stdout.count("\naudit: parsing")) == (0, 6)


@pytest.mark.slow
def test_a_sweep_of_several_formats_goes_on(command: Command, mixed: Path, tmp_path: Path) -> None:
    whole = (mixed / "b.eval").read_bytes()
    (mixed / "b.eval").write_bytes(whole[:-100])
    assert command("logs", *QUIET).returncode == 3
    before = (tmp_path / "s" / "1" / "manifest.json").read_bytes()
    (mixed / "b.eval").write_bytes(whole)
    done = command("resume=s")
    assert (done.returncode, sources(tmp_path / "s")) == (0, SOURCES), done.stderr
    assert (tmp_path / "s" / "1" / "manifest.json").read_bytes() == before


@pytest.mark.slow
def test_a_job_is_run_again_by_itself(command: Command, mixed: Path) -> None:
    assert command("logs", *QUIET).returncode == 0
    assert command("rerun", "s/2", "report=[]").returncode == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--cfg", "job"), says.CFG_WORKS_ON_ONE_RUN),
        (("--info",), says.INFO_WORKS_ON_ONE_RUN),
        (("resume=x",), says.TAKES_ITS_RUNS_FROM_THE),
        (("seed=1,2",), says.HAS_SEVERAL_VALUES_WRITE_FOR),
    ],
)
def test_what_only_one_run_can_be_asked(command: Command, mixed: Path, words: tuple[str, ...], told: str) -> None:
    done = command("logs", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"auditfw: error: {told}")
    assert done.stderr.count("\n") == 1


def test_where_only_one_run_can_be_had(here: Path, mixed: Path) -> None:
    with pytest.raises(UsageError, match=r"paths: are several runs \(3\) - name the files of one of them"):
        _ = with_paths(["logs"]).words
    assert with_paths(["seed=1"]).words == ["seed=1"]


def test_another_sweeper_knows_but_one_run(command: Command, mixed: Path) -> None:
    done = command("logs", "hydra/sweeper=basic", *QUIET)
    assert done.returncode == 2
    assert says.HYDRA_SWEEPER_CANNOT_SWEEP_OVER in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_folders_of_auditfw_are_left_out(command: Command, mixed: Path, tmp_path: Path) -> None:
    """Runs and sweeps below the folder, and such a folder by itself."""
    assert command("logs", "report=[]", "hydra.sweep.dir=logs/outputs/s").returncode == 0
    assert command("logs/b.eval", "report=[markdown]", "hydra.run.dir=logs/outputs/r").returncode == 0
    done = command("logs", *QUIET)
    assert (done.returncode, sources(tmp_path / "s")) == (0, SOURCES)
    assert says.FOLDERS_ARE_OF_AUDITFW_ITSELF in done.stderr
    assert "1 file is not recognised" in done.stderr
    alone = command("logs/outputs")
    assert (alone.returncode, alone.stderr.count("\n")) == (3, 1)
    assert says.IS_THE_FOLDER_OF_A in alone.stderr


def test_logs_of_other_rules_are_one_job(here: Path) -> None:
    """The baseline has a rule for each scorer; a condition on one of them leaves its rule alone."""
    Path("logs").mkdir()
    for number in range(2 * LISTED + 4):
        name = "match" if number % 2 else "includes"
        scores = {name: {"value": "C", "answer": "4"}}
        log = head(name, task=name, model=f"m/{number}", eval_id=f"e{number}", task_id=f"t{number}")
        write, ending = (eval_log, "eval") if number else (json_log, "json")
        write(sample(scores=scores), log_head=log, name=f"logs/{number:02}.{ending}")
    scan, [run] = recognised(["logs"])
    assert (run.what, len(run.files), run.words[1:3]) == (
        "logs of Inspect AI", 2 * LISTED + 4, ("source.path=logs", "by=[model,task,scorer]"),
    )  # fmt: skip
    assert "includes: inspect_includes" in run.words[-1]
    assert "match: inspect_match" in run.words[-1]
    [one] = recognised(["logs"], ["source.where=\"scorer = 'match'\""])[1]
    assert one.words[-1] == "audit.baseline=inspect_match"
    assert not scan.others


def test_tables_beside_logs_are_jobs_of_their_own(here: Path) -> None:
    Path("x").mkdir()
    eval_log(sample(), name="x/a.eval")
    own = json.dumps({"raw_text": "It is 4.", "ground_truth": "4", "stored": 1}) + "\n"
    Path("x/mine.jsonl").write_text(own * 2, "utf-8")
    for rater in ("gpt", "human"):
        rows = [{"id": str(i), "label": "good" if i % 2 else "bad"} for i in range(6)]
        Path(f"x/{rater}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    runs = recognised(["x"])[1]
    assert [run.what for run in runs] == [
        "logs of Inspect AI", says.STORED_ANSWERS_JSONL_OF_TRUTHS_ARE, "judgements of gpt, human",
    ]  # fmt: skip


def test_folders_that_are_one_thing_beside_logs(here: Path) -> None:
    """Tasks of ARC, and runs of conformity, each with all of its files."""
    eval_log(sample(), name="a.eval")
    arc = sorted((ROOT / "auditfw" / "samples" / "arc" / "tasks").glob("*.json"))[:3]
    Path("x/arc").mkdir(parents=True)
    for file in arc:
        shutil.copy(file, "x/arc")
    shutil.move("a.eval", "x/a.eval")
    Path("x/runs").mkdir()
    Path("x/runs/metadata.json").write_text("{}", "utf-8")
    Path("x/runs/a.db").write_bytes(b"SQLite format 3\0" + bytes(84))
    scan, runs = recognised(["x"])
    assert [(run.what, len(run.files)) for run in runs] == [
        ("logs of Inspect AI", 1), ("ARC tasks", 3), (says.A_FOLDER_OF_CONFORMITY_RUNS, 2),
    ]  # fmt: skip
    assert left_out(scan, {file for run in runs for file in run.files}) == []


def test_what_a_harness_writes_beside_its_logs_is_no_log(here: Path) -> None:
    eval_log(sample(), name="a.eval")
    path = run(state("id1", ("Rome", -1.0)), statistics=[stats("id1", 1.0)], name="r")
    scan, runs = recognised(["."])
    assert [one.what for one in runs] == ["runs of HELM", "logs of Inspect AI"]
    assert sorted(Path(file).name for file in scan.beside) == ["per_instance_stats.json", "run_spec.json"]
    assert (runs[0].words[0], runs[0].files) == ("source=helm", (f"./{path}/scenario_state.json",))
    assert left_out(scan, ["./a.eval"]) == []


def test_files_that_no_run_reads_are_named_up_to_a_number(here: Path) -> None:
    eval_log(sample(), name="a.eval")
    for number in range(7):
        Path(f"{number}.txt").write_text("a\nb, c\n", "utf-8")
    scan, runs = recognised(["."])
    assert len(runs) == 1
    assert left_out(scan, runs[0].files) == [says.FILES_ARE_NOT_RECOGNISED_AND]


def test_a_fifo_is_not_waited_for(command: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    done = command("a.jsonl")
    assert (done.returncode, "a.jsonl" in done.stderr, done.stderr.count("\n")) == (3, True, 1)


@pytest.mark.slow
def test_a_folder_of_a_thousand_logs_takes_seconds(command: Command, tmp_path: Path, here: Path) -> None:
    Path("logs").mkdir()
    for number in range(1_000):
        log = head(model=f"m/{number}", eval_id=f"e{number}", task_id=f"t{number}")
        write, ending = (eval_log, "eval") if number % 10 else (json_log, "json")
        write(*map(sample, range(10)), log_head=log, name=f"logs/{number}.{ending}")
    begin = time.monotonic()
    done = command("logs", "report=[json]")
    assert json.loads(done.stdout)["counts"] == {"read": 10_000, "audited": 10_000}
    assert " source.path=logs " in done.stderr
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("nowhere.eval",), 3, "nowhere.eval: no such file"),
        (("nowhere/",), 3, "nowhere/: no such file"),
        (("nowhere/*.eval",), 3, says.NOWHERE_EVAL_NO_FILE_MATCHES),
        (("check", "nowhere.eval"), 3, "nowhere.eval: no such file"),
        (
            ("seed=1", "a.jsonl"),
            2,
            says.IS_A_PATH_AND_PATHS,
        ),
        (("check", "seed=1", "a.jsonl"), 2, says.IS_A_PATH_AND_PATHS_COME),
        (("a.jsonl", "b.jsonl"), 3, "b.jsonl: no such file"),
        (("none",), 5, says.NONE_THE_FOLDER_HOLDS_NO),
        (("bare",), 5, says.BARE_ALL_FILES_ARE_EMPTY),
        (("bare/a.eval",), 5, "bare/a.eval: is empty"),
        (("results.json",), 3, says.IS_A_RESULTS_FILE_OF),
        (("source=jsonl", "b.jsonl"), 2, "b.jsonl: not an override"),
    ],
)
def test_paths_that_are_none(command: Command, tmp_path: Path, words: tuple[str, ...], code: int, told: str) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "bare").mkdir()
    for name in ("bare/a.eval", "bare/b.jsonl"):
        (tmp_path / name).touch()
    (tmp_path / "a.jsonl").write_text('{"raw_text": "A", "ground_truth": "A"}\n', "utf-8")
    (tmp_path / "results.json").write_text('{"results": {}, "configs": {}, "versions": {}}', "utf-8")
    done = command(*words)
    assert done.returncode == code
    assert done.stderr.startswith(f"auditfw: error: {told}")
    assert done.stderr.count("\n") == 1


def test_how_files_are_named(here: Path) -> None:
    """By what was typed, a folder, one by one, a pattern: the first that finds them and no other."""
    files = [f"a/{number:02}.x" for number in range(LISTED + 1)]

    def reads(paths: tuple[str, ...]) -> list[str]:
        known = {"a": [*files, "a/b.y"], ".": files, "a/*.x": files, "a/**/*.x": []}
        if paths[0] == "c":
            raise DataError("c", "no such file")
        return known.get(paths[0], list(paths))

    assert paths_for(files, ["."], reads) == (".",)
    assert paths_for(files, ["c"], reads) == ("a/*.x",)
    assert paths_for(files[:2], ["c"], reads) == tuple(files[:2])
    assert paths_for([*files[1:], "z.y"], ["c"], reads) == (*files[1:], "z.y")
    few = files[:LISTED]
    assert paths_for(few, ["c"], lambda paths: few if "*" in paths[0] else list(paths)) == tuple(few)
    assert paths_for(files, [*files, "c"], lambda paths: files if paths == (".",) else []) == tuple(files)
    assert paths_for(files, files, lambda paths: files if paths == ("a",) else []) == ("a",)
