"""The command as its users meet it: verbs, flags, codes, pipes, colours, widths, signals, own folders."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Command

from auditfw.commands.completion.candidates import VERBS as COMMANDS
from auditfw.commands.help import topics

ESCAPE = "\x1b["
COUNTS = "1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)"
TRIAL = {"raw_text": "It is Paris.\nUser: next", "parsed_text": "It is Paris.", "ground_truth": "Paris", "stored": 1}
OWN = ("source=jsonl", "source.path=mine.jsonl", "by=[]")
SMALL = ("source.where='temperature = 0'", "parser=[stored]", "normalizer=[v1]", "gate=[]")


def write_trials(file: Path, rows: int) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for at in range(rows):
            stream.write(json.dumps({"id": at, **TRIAL, "raw_text": f"{at}: {TRIAL['raw_text']}"}) + "\n")


def runs(folder: Path) -> list[Path]:
    """The run folders below a folder, oldest first; links left out."""
    found = (manifest.parent for manifest in folder.glob("outputs/*/*/*/manifest.json"))
    return sorted(run for run in found if not run.is_symlink())


def bare(folder: Path, *words: str, **settings: object) -> subprocess.Popen[str]:
    """The command as a running process."""
    command = [sys.executable, "-m", "auditfw", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    return subprocess.Popen(command, cwd=folder, **{**pipes, **settings})  # type: ignore[call-overload,no-any-return]


@contextlib.contextmanager
def in_the_middle(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The command while it audits: its run folder is there, its result is not."""
    process = bare(folder, *words)
    try:
        end = time.monotonic() + 60
        while not runs(folder) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        yield process
    finally:
        process.kill()


VERBS = [
    (("lst",), 2, "lst: no such command - did you mean 'list'?"),
    (("chek",), 2, "chek: no such command - did you mean 'check'?"),
    (("list", "parsr"), 2, "list parsr: no such kind - did you mean 'parser'?"),
    (("list", "parser", "metric"), 2, "list parser metric: "),
    (("init",), 2, "init: needs a folder - write auditfw init FOLDER [FILE]"),
    (("init", "a", "seed=1"), 2, "init: needs a folder (a seed=1) - write auditfw init FOLDER [FILE]"),
    (("init", "a", "b"), 3, "b: no such file"),
    (("sweep",), 2, "sweep: needs one folder - "),
    (("sweep", "nowhere"), 3, "nowhere: no such sweep folder"),
    (("sweep", "."), 3, ".: holds no job folder - "),
    (("--mutlirun",), 2, "--mutlirun: no such flag - did you mean '--multirun'?"),
    (("--config-dir=nowhere",), 2, "--config-dir: no such folder (nowhere)"),
    (("check", "--config-dir", "nowhere"), 2, "--config-dir: no such folder (nowhere)"),
    (("check", "--config-dir"), 2, "--config-dir: needs a folder - write --config-dir FOLDER"),
    (("check", "--config-name=nowhere"), 2, "nowhere: Cannot find primary config 'nowhere'."),
    (("check", "--info"), 2, "check --info: no such flag - check takes --config-dir, --config-name and -m"),
    (("check", "parser=raw,stored"), 2, "parser=raw,stored: several values without a sweep - "),
    (("check", "-m", "seed=range(0,2)", "hydra/sweeper=other"), 2, "hydra/sweeper=other: "),
    (("parser=answer_v9",), 2, "parser=answer_v9: no parser named 'answer_v9' - did you mean 'answer_v"),
    (("experiment=answers",), 2, "experiment=answers: no experiment named 'answers' - did you mean 'answer_parsing'?"),
    (("seed=one",), 2, "seed: expected a whole number, got 'one'"),
    (("check", "seed=one"), 2, "seed: expected a whole number, got 'one'"),
    (("check", *OWN), 3, "mine.jsonl: no such file"),
    (("hydra.run.dir=../../x",), 2, "hydra.run.dir: a run folder must not contain '..' (../../x) - "),
]


@pytest.mark.parametrize(("words", "code", "line"), VERBS, ids=[" ".join(words) for words, _, _ in VERBS])
def test_a_mistake_is_one_line_and_a_code(
    command: Command, tmp_path: Path, words: tuple[str, ...], code: int, line: str
) -> None:
    done = command(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"auditfw: error: {line}"), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("outputs/*/*/*/result.json"))


def test_bare_command_audits_the_sample(command: Command, tmp_path: Path) -> None:
    done = command()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("╭ Right answers by variant, % (180 audited answers to 20 items each)\n")
    [head, end] = done.stdout.split("╭ Answer: DEPENDS ON SCORING (fragile)\n")  # it is said once
    assert end.startswith("│ The error rate is 23.1 to 26.9 % depending on scoring;")
    assert "│ Next: " in end
    assert "╭" not in end
    assert "╭ Data and gates (exit code 0; no gate checks the answer)\n│ " + COUNTS in head
    assert "│ PASS: labels reproduce (mismatches 0, at most 0; stored+v1)\n" in head
    *lines, page = done.stdout.splitlines()
    assert all(line[:1] in "╭│" for line in lines)
    [run] = runs(tmp_path)
    assert page == f"page: {run.relative_to(tmp_path)}/report.html#look"
    files = {file.name for file in run.iterdir()}
    page = topics()["run_files"]
    documented = page[page.index("| file | content |") :].split("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]*`) \| (?!alignment|consistency|self-audit|with)", documented, re.MULTILINE)
    assert {name for name in files if not re.fullmatch(r"chart-\d+\.svg", name)} == {
        name.strip("`/") for row in rows for name in row.split(", ")
    }
    assert (run.parent / "latest").resolve() == run


def test_help_version_and_config(command: Command, tmp_path: Path) -> None:
    help_text = command("--help").stdout
    assert re.match(r"auditfw: .*\n\n  auditfw  ", help_text)
    assert all(
        word in help_text for word in ("auditfw list", "auditfw check", "Exit codes", "answer_v2", "AUDITFW_SAFE")
    )
    assert re.fullmatch(r"auditfw \d+\.\d+\.\d+\S*, Hydra \d+\.\d+\.\d+\n", command("--version").stdout)
    config = command("--cfg", "job")
    assert (config.returncode, config.stderr) == (0, "")
    assert "use: parsing" in config.stdout
    assert not runs(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "flag",
    [
        ("--config-dir", "elsewhere"),
        pytest.param(("--config-dir=elsewhere",), marks=pytest.mark.slow),
        pytest.param(("-cd", "elsewhere"), marks=pytest.mark.slow),
    ],
)
def test_verbs_see_the_files_of_config_dir(command: Command, tmp_path: Path, flag: tuple[str, ...]) -> None:
    """Before the verb or behind it; lists inside settings find its variants by name too."""
    variant = "# @package audit.normalizers.soft\n# Lowers.\ndefaults: [steps@_here_, _self_]\nsteps: [lower]\n"
    head = "# @package _global_\n# Ours.\ndefaults: [answer_parsing, override /parser: [raw]]\n"
    files = {
        "normalizer/soft.yaml": variant,
        "experiment/ours.yaml": head,
        "other.yaml": "defaults: [config, _self_]\nseed: 7\n",
    }
    for name, text in files.items():
        (tmp_path / "elsewhere" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "elsewhere" / name).write_text(text, "utf-8")
    words = ("experiment=ours", "normalizer=[soft]", "audit.baseline={parser: stored, normalizer: soft}")
    for argv in (("check", *flag, *words), (*flag, "check", *words)):
        done = command(*argv)
        assert (done.returncode, done.stderr) == (0, "")
        assert "readings: raw+soft\n" in done.stdout
    rows = {row["name"]: row for row in json.loads(command("list", *flag, "--json").stdout)}
    assert (rows["soft"]["origin"], rows["ours"]["doc"]) == ("--config-dir", "Ours.")
    named = command("check", *flag, "--config-name", "other", "seed=x")
    assert (named.returncode, named.stderr) == (2, "auditfw: error: seed: expected a whole number, got 'x'\n")
    assert command("check", *flag, "--config-name=other").returncode == 0


def test_json_report_alone_prints_one_document(command: Command, tmp_path: Path) -> None:
    done = command("report=[json]")
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert (told["schema"], told["verdict"], told["exit_code"]) == ("auditfw.result/2", "pass", 0)
    assert sum(n for bucket, n in told["counts"].items() if bucket != "read") == told["counts"]["read"] == 2160
    assert done.stdout == (runs(tmp_path)[0] / "result.json").read_text("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        *(
            pytest.param(w, marks=pytest.mark.slow)
            for w in ((), ("report=[json]",), ("list", "--json"), ("--help",), ("--info",), ("--cfg", "job"))
        ),
    ],
    ids=str,
)
def test_a_closed_pipe_ends_quietly(tmp_path: Path, words: tuple[str, ...]) -> None:
    process = bare(tmp_path, *words)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    told = process.stderr.read()
    assert (process.wait(60), told) == (0, "")


@pytest.mark.slow
def test_a_closed_pipe_changes_no_exit_code(tmp_path: Path) -> None:
    process = bare(tmp_path, "experiment=cross_agent")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait(60)) == ("", 1)
    assert (runs(tmp_path)[0] / "result.json").is_file()


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        pytest.param(("experiment=cross_agent", "report=[console]"), ">&-", 1, marks=pytest.mark.slow),
        (("report=[json]", "engine.workers=2"), "<&- >&- 2>&-", 0),
        pytest.param(("nothing",), ">&- 2>&-", 2, marks=pytest.mark.slow),
        pytest.param(("--help",), ">&-", 0, marks=pytest.mark.slow),
        pytest.param(("--version",), ">&-", 0, marks=pytest.mark.slow),
        pytest.param(("list",), ">&-", 0, marks=pytest.mark.slow),
        pytest.param(("--info",), ">&-", 0, marks=pytest.mark.slow),
        pytest.param((), "2>&-", 0, marks=pytest.mark.slow),
        pytest.param(("experiment=cross_agent",), ">&-", 1, marks=pytest.mark.slow),
        pytest.param(("-m", "seed=1,2", "experiment=cross_agent"), ">&- 2>&-", 1, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_closed_streams_change_no_exit_code(tmp_path: Path, words: tuple[str, ...], closed: str, code: int) -> None:
    """A shell closes them before the command starts: Python then has no such stream at all."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "auditfw", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "defect" in done.stderr) == (code, False)
    assert not (">&-" in closed.split() and done.stdout)
    if not {"--help", "--version", "list", "--info", "nothing"} & {*words}:
        assert list((tmp_path / "outputs").rglob("result.json"))


COLOURS = [
    ({}, False),
    ({"FORCE_COLOR": "1"}, True),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    pytest.param({"NO_COLOR": "1"}, False, marks=pytest.mark.slow),
    ({"TERM": "dumb", "FORCE_COLOR": "1"}, False),
]


@pytest.mark.parametrize(("env", "coloured"), COLOURS, ids=str)
def test_colours(command: Command, env: dict[str, str], coloured: bool) -> None:
    unset = {name: "" for name in ("NO_COLOR", "FORCE_COLOR") if name in os.environ}
    done = command(*SMALL, "report=[console]", env={**unset, **env})
    colours = re.findall(r"\x1b\[[\d;]*3\d[\d;]*m", done.stdout)
    assert (done.returncode, bool(colours)) == (0, coloured)


@pytest.mark.parametrize("width", [40, *(pytest.param(wide, marks=pytest.mark.slow) for wide in (60, 100, 200))])
@pytest.mark.parametrize("words", [(), ("list", "source")], ids=["run", "list"])
def test_nothing_is_wider_than_asked(command: Command, words: tuple[str, ...], width: int) -> None:
    lines = command(*words, *([] if words else ["report=[console]"]), env={"COLUMNS": str(width)}).stdout.splitlines()
    unbroken = ("run folder: ", "page: ", "report.html is written by: ")  # what one copies
    assert [line for line in lines if len(line) > width and not line.startswith(unbroken)] == []
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}], ids=str
)
def test_a_terminal_without_unicode(command: Command, env: dict[str, str]) -> None:
    done = command("report.detail=full", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert done.stdout.startswith("+ Right answers by variant, % (180 audited answers to 20 items each)\n")
    assert "+ Answer: DEPENDS ON SCORING (fragile)\n| The error rate is 23.1 to 26.9 % depend" in done.stdout
    assert "+ Data and gates (exit code 0; no gate checks the answer)\n| " + COUNTS in done.stdout
    assert "-> right" in done.stdout


@pytest.mark.parametrize("words", [("help", "labels"), ("help", "consistency")], ids=" ".join)
def test_a_page_of_the_manual_without_unicode(command: Command, words: tuple[str, ...]) -> None:
    done = command(*words, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "<U+00B1>" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.slow
def test_an_empty_environment(tmp_path: Path) -> None:
    process = bare(tmp_path, env={})
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert COUNTS in out


def test_a_place_that_cannot_be_written(command: Command, tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("a file", "utf-8")
    done = command()
    assert (done.returncode, done.stdout) == (4, "")
    assert re.match(r"auditfw: error: \S*outputs\S*: .*\n\Z", done.stderr)


@pytest.mark.slow
def test_a_run_folder_is_never_used_twice(command: Command, tmp_path: Path) -> None:
    assert command("hydra.run.dir=here").returncode == 0
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "here").glob("*.json")}
    done = command("hydra.run.dir=here")
    assert done.returncode == 2
    assert done.stderr.startswith("auditfw: error: hydra.run.dir: this folder already holds a run (")
    assert {file: file.stat().st_mtime_ns for file in before} == before


@pytest.mark.slow
def test_two_runs_at_once_get_two_folders(tmp_path: Path) -> None:
    processes = [bare(tmp_path) for _ in range(3)]
    assert [process.communicate(timeout=120)[1] for process in processes] == ["", "", ""]
    found = runs(tmp_path)
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len(found) == 3
    assert len({(run / "result.json").read_bytes() for run in found}) == 1
    assert (found[0].parent / "latest").resolve() in found


@pytest.fixture
def plain_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The native kernel may be done before a signal comes."""
    monkeypatch.setenv("AUDITFW_KERNEL", "python")


@pytest.mark.usefixtures("plain_kernel")
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted"),
        pytest.param(signal.SIGTERM, 143, "terminated", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, "hung up", marks=pytest.mark.slow),
    ],
)
def test_signals(tmp_path: Path, number: int, code: int, word: str, workers: int) -> None:
    write_trials(tmp_path / "mine.jsonl", 300_000)
    with in_the_middle(tmp_path, *OWN, f"engine.workers={workers}") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, "")
    assert err == f"auditfw: error: {word}; nothing was left half written\n"
    [run] = runs(tmp_path)
    assert not (run / "result.json").exists()
    assert not (run.parent / "latest").exists()


PROJECT = {
    "conf/parser/loud.yaml": "# @package audit.parsers.loud\n# Keeps the shouted text.\n"
    "defaults: [steps@_here_, _self_]\nsteps: [shout]\n",
    "plugins/shout.py": "from dataclasses import dataclass\nfrom auditfw.kinds.registry import register\n\n\n"
    '@register("step", "shout")\n@dataclass(frozen=True)\nclass Shout:\n    """Shouts."""\n\n'
    "    def __call__(self, text: str) -> str:\n        return text.upper()\n",
}


def test_own_conf_and_plugins(command: Command, tmp_path: Path) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    write_trials(tmp_path / "mine.jsonl", 3)
    rows = {row["name"]: row for row in json.loads(command("list", "parser", "--json").stdout)}
    assert (rows["loud"]["doc"], rows["loud"]["origin"]) == ("Keeps the shouted text.", "conf/")
    words = (*OWN, "parser=[stored,loud]", "normalizer=[none,v1]")
    done = command(*words, "report=[json]")
    flips = {m["reading"]: m["value"] for m in json.loads(done.stdout)["measurements"] if m["metric"] == "flips"}
    assert flips == {"stored+none": 0, "loud+none": 3, "stored+v1": 0, "loud+v1": 0}
    safe = command(*words, env={"AUDITFW_SAFE": "1"})
    assert safe.returncode == 2
    assert safe.stderr.startswith("auditfw: error: parser=loud: no parser named 'loud'")
    names = {row["name"] for row in json.loads(command("list", "--json", env={"AUDITFW_SAFE": "1"}).stdout)}
    assert not {"loud", "shout"} & names
    assert "search" in names, "the shipped plugin is no stranger"


HAND_WRITTEN = {
    "conf/source/mine.yaml": "# Mine.\nuse: jsonl\npath: d.jsonl\ncolumns: {raw_text: text}\n",
    "conf/experiment/own.yaml": "# @package _global_\ndefaults: [answer_parsing, _self_]\n"
    "audit: {parsers: {cut: {use: steps, steps: [strip]}}}\n",
}
SET_ANEW = [  # words, exit code, what standard output or error begins with
    (("source=mine", "source.where='k < 3'"), 0, {"read": 3, "audited": 2, "filtered": 1}),
    (("source=mine", "source.limit=1", "source.columns.stored=right"), 0, {"read": 1, "audited": 1}),
    (("source=mine", "source.wher=1"), 2, "source.wher: no such key - did you mean 'where'?"),
    (
        ("experiment=own", "source=mine", "audit.parsers.cut.column=parsed_text"),
        2,
        "audit.parsers.cut.column: is not set in the config yet - write +audit.parsers.cut.column=...",
    ),
]


@pytest.mark.parametrize(("words", "code", "expected"), SET_ANEW)
def test_settings_of_a_hand_written_variant_are_set_without_a_plus(
    words: tuple[str, ...], code: int, expected: object, command: Command, tmp_path: Path
) -> None:
    for name, text in HAND_WRITTEN.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    row = {"text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris", "stored": True, "right": False}
    rows = "".join(json.dumps({"id": n, "k": n, **row}) + "\n" for n in (1, 2, 3))
    (tmp_path / "d.jsonl").write_text(rows, "utf-8")
    done = command(*words, "by=[]", "gate=[]", "parser=[answer_v2]", "report=[json]")
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.startswith(f"auditfw: error: {expected}")
    else:
        assert json.loads(done.stdout)["counts"] == expected


def test_a_sweep_ends_with_one_table_and_the_worst_code(command: Command, tmp_path: Path) -> None:
    words = ("-m", "matcher=containment,exact", "parser=[answer_v2]", "normalizer=[v1]", "report=[markdown]")
    done = command(*words)
    assert done.returncode == 1
    assert done.stdout.startswith("╭ Sweep: 2 jobs, exit code 1\n")
    assert re.search(r"│ +0  matcher=containment .* pass +0 .*\n│ +1  matcher=exact .* fail +1 ", done.stdout)
    assert re.search(r"│ +0  answer_v2\+v1 .*\n(│ .*\n)*│ +1  answer_v2\+v1 ", done.stdout)
    [folder] = [f.parent for f in tmp_path.glob("outputs/sweeps/*/*/sweep.json") if not f.parent.is_symlink()]
    assert (folder.parent / "latest").resolve() == folder.resolve()
    jobs = json.loads((folder / "sweep.json").read_text("utf-8"))["jobs"]
    assert [(job["job"], job["verdict"], job["exit_code"]) for job in jobs] == [(0, "pass", 0), (1, "fail", 1)]
    assert jobs[0]["measurements"]["flips@answer_v2+v1"] == 23
    again = command("sweep", str(folder))
    assert (again.returncode, again.stdout) == (1, done.stdout)
    place = folder.relative_to(tmp_path)
    ends = [
        "Next: lowest error is not proof: read the labels that job 0, the best, changes:"
        f" auditfw explain {place / '0'} answer_v2+v1",
        f"page: {place / 'report.html'}",
    ]
    assert done.stdout.splitlines()[-2:] == ends


@pytest.mark.slow
def test_a_value_that_stands_twice_is_run_once(command: Command, tmp_path: Path) -> None:
    done = command("-m", "seed=1,1,2", "matcher=choice(exact,exact)", "parser=[raw]", "report=[markdown]", "gate=[]")
    assert done.returncode == 0
    warned = [line for line in done.stderr.splitlines() if line.startswith("auditfw: ")]
    assert warned == [
        f"auditfw: warning: {word}: a duplicate value is run only once"
        for word in ("seed=1,1,2", "matcher=choice(exact,exact)")
    ]
    [folder] = [f.parent for f in tmp_path.glob("outputs/sweeps/*/*/sweep.json") if not f.parent.is_symlink()]
    assert [
        f"job {job['job']}: {job['overrides'][:2]}" for job in json.loads((folder / "sweep.json").read_text())["jobs"]
    ] == [
        "job 0: ['seed=1', 'matcher=exact']",
        "job 1: ['seed=2', 'matcher=exact']",
    ]


@pytest.mark.slow
def test_a_failed_job_does_not_stop_the_sweep(command: Command) -> None:
    done = command("-m", "source.limit=0,400", "parser=[answer_v2]", "normalizer=[v1]", "report=[markdown]")
    assert done.returncode == 2
    assert re.search(r"│ +1  source.limit=400 .* pass +0 .*\n│ +0  source.limit=0 .* error +2 *\n", done.stdout)
    assert "job 0: source.limit: expected a whole number of 1 or more, got 0" in done.stdout
    assert re.search(
        r"^auditfw: error: source.limit=0 .*: source.limit: .* \(log: .*auditfw\.log\)$", done.stderr, re.M
    )


def test_help_lists_every_command(command: Command) -> None:
    done = command("--help")
    assert (done.returncode, done.stderr) == (0, "")
    listed = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("  auditfw ")}
    assert set(COMMANDS) <= listed
    assert max(map(len, command("--help", env={"COLUMNS": "80"}).stdout.splitlines())) <= 120


@pytest.mark.parametrize(
    "chosen",
    [
        ("hydra/job_logging=disabled", "hydra/hydra_logging=disabled"),
        pytest.param(("hydra/hydra_logging=hydra_debug",), marks=pytest.mark.slow),
    ],
)
def test_what_hydra_lists_can_be_chosen(command: Command, chosen: tuple[str, ...]) -> None:
    done = command(*SMALL, "report=[]", *chosen)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_job_without_its_objective_failed(command: Command) -> None:
    done = command("-m", *SMALL, "report=[]", "seed=1,2", "objective=flips@stored")
    assert done.returncode == 2
    assert done.stdout.startswith("╭ Sweep: 2 jobs, exit code 2\n")
    assert "jobs 0, 1: objective: no such measurement (flips@stored)" in " ".join(done.stdout.split())
    lines = [line for line in done.stderr.splitlines() if line.startswith("auditfw: error: ")]
    assert [line.count("objective: no such measurement") for line in lines] == [1, 0]
    assert "the same error (log: " in lines[1]


@pytest.mark.parametrize("verb", [(), ("check",)])
def test_missing_values_are_listed_at_once(command: Command, verb: tuple[str, ...]) -> None:
    """Whatever the key, with a default or without; before anything is read."""
    keys = ("seed", "source.path", "audit.baseline", "engine.workers", "objective")
    done = command(
        *verb, "source=jsonl", *(f"{key}=???" for key in keys), "+gates.few={use: bound, metric: flips, max: ???}"
    )
    lines = done.stderr.splitlines()
    assert done.returncode == 2, done.stderr
    assert {line.split(": ")[2] for line in lines if ": not set - write" in line} == {*keys, "gates.few.max"}
