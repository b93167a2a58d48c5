"""What of a folder, or of what a glob matches, is no file within it: said in a line each, and never read."""

from __future__ import annotations

import json
import os
import socket
import tempfile
from pathlib import Path

import pytest
from bad_inputs import trials
from running import Command, run_auditfw
from sentences import commands as says

from auditfw.components.files import walk
from auditfw.components.files.walk import DEEPEST, PassedOver, walked

SECRET = "from elsewhere"
slow = pytest.mark.slow
LINES = [
    "2 links are dangling and left out: logs/gone.jsonl, logs/loop.jsonl",
    "1 link is not followed to a folder and left out: logs/same",
    "3 paths are no regular file (a FIFO, a socket or a device) and left out: "
    "logs/fifo.jsonl, logs/inner.jsonl, logs/sock.jsonl",
    "4 paths are outside the folder by a link and left out: logs/null.jsonl, logs/out, logs/out.jsonl, logs/sub/up",
]


@pytest.fixture
def logs(here: Path) -> Path:
    """A folder with two logs, a link to one of them, and what is to be left out; a log beside it."""
    folder = here / "logs"
    (folder / "sub").mkdir(parents=True)
    (here / "other").mkdir()
    for number, name in enumerate(("logs/a.jsonl", "logs/sub/b.jsonl", "other/c.jsonl")):
        text = SECRET if name.startswith("other") else "Paris"
        rows = trials(*({"id": f"{number}.{i}", "raw_text": text} for i in range(2)))
        (here / name).write_text(rows, "utf-8")
    links = {
        "gone": "nowhere",
        "loop": "loop.jsonl",
        "null": "/dev/null",
        "out": "../other/c.jsonl",
        "inner": "fifo.jsonl",
    }
    for name, to in links.items():
        (folder / f"{name}.jsonl").symlink_to(to)
    for name, to in {"out": "../other", "same": "sub", "sub/up": ".."}.items():
        (folder / name).symlink_to(to)
    os.mkfifo(folder / "fifo.jsonl")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("logs/sock.jsonl")
    return folder


@pytest.mark.parametrize("words", [("check", "logs"), ("logs", "report=[json]")])
def test_what_a_folder_leaves_out_is_said(words: tuple[str, ...], logs: Path, command: Command) -> None:
    done = command(*words)
    assert [line for line in LINES if f"auditfw: warning: {line}\n" not in done.stderr] == []
    assert (done.returncode in (0, 1), SECRET in done.stdout + done.stderr) == (True, False)
    assert not any(SECRET.encode() in file.read_bytes() for file in logs.parent.glob("outputs/**/*.json"))


def test_a_source_says_so_of_the_files_it_would_read(logs: Path, command: Command) -> None:
    for path in ("logs", "logs/**/*.jsonl"):
        done = command("source=jsonl", f"source.path={path}", "by=[]", "report=[json]")
        result = json.loads(done.stdout)
        assert result["counts"]["read"] == 4, path
        assert LINES[0] in result["warnings"]
        assert any(
            "outside the folder by a link and left out: logs/null.jsonl, logs" in one for one in result["warnings"]
        )


def test_a_glob_leaves_the_same_out(logs: Path, command: Command) -> None:
    done = command("check", "logs/*.jsonl")
    assert (done.returncode, LINES[0] in done.stderr, says.OUTSIDE_THE_FOLDER_BY_A in done.stderr) == (0, True, True)
    linked = command("check", "logs/ou*/*.jsonl")
    assert (linked.returncode, says.LOGS_OU_JSONL_HOLDS_NO in linked.stderr) == (3, True)


def test_a_link_that_is_named_is_read(logs: Path, command: Command) -> None:
    assert command("check", "logs/out.jsonl").returncode == 0
    assert command("check", "logs/out").returncode == 0


TWICE = "another name of a file that is read and left out: logs/"


@pytest.mark.parametrize(
    ("words", "read", "again"),
    [
        (("logs",), 4, "again.jsonl, logs/sub/latest.jsonl"),
        (("logs/*.jsonl", "logs/sub/b.jsonl"), 4, "again.jsonl"),
        (("logs/again.jsonl", "logs/a.jsonl"), 2, "again.jsonl"),
        pytest.param(("logs/again.jsonl",), 2, "", marks=slow),
        pytest.param(("source=jsonl", "source.path=logs"), 4, "again.jsonl, logs/sub/latest.jsonl", marks=slow),
        (("source=jsonl", "source.path=logs/**/*.jsonl"), 4, "again.jsonl, logs/sub/latest.jsonl"),
        (("source=jsonl", 'source.path="logs/{name}.jsonl"'), 2, "again.jsonl"),
        pytest.param(("source=jsonl", "source.path=logs/again.jsonl"), 2, "", marks=slow),
        pytest.param(("source=jsonl", "source.path=logs/sub/late*"), 2, "", marks=slow),
    ],
)
def test_a_file_of_two_names_is_read_once(
    words: tuple[str, ...], read: int, again: str, logs: Path, command: Command
) -> None:
    for name, to in {"again": "a.jsonl", "sub/latest": "b.jsonl"}.items():
        (logs / f"{name}.jsonl").symlink_to(to)
    done = command(*words, "by=[]", "report=[json]")
    results = json.loads(done.stdout)
    each = results if isinstance(results, list) else [results]
    assert sum(one["counts"]["read"] for one in each) == read
    warnings = [*done.stderr.splitlines(), *(line for one in each for line in one["warnings"])]
    assert {line.partition(TWICE)[2] for line in warnings if TWICE in line} == ({again} if again else set())


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("fifo.jsonl",), says.PATH_IS_NO_REGULAR_FILE),
        (("gone.jsonl", "out.jsonl"), says.LINK_IS_DANGLING_PATH_IS),
    ],
)
def test_a_folder_of_nothing_else(names: tuple[str, ...], told: str, logs: Path, command: Command) -> None:
    (logs.parent / "only").mkdir()
    for name in names:
        os.rename(logs / name, logs.parent / "only" / name)
    for words in (("check", "only"), ("check", "source=jsonl", "source.path=only")):
        done = command(*words)
        assert (done.returncode, done.stderr) == (
            3,
            says.AUDITFW_ERROR_ONLY_HOLDS_NO.format(told),
        )


@pytest.mark.parametrize("text", ["[" * 100_000, '{"train":' * 3_000 + "1" + "}" * 3_000])
def test_a_file_of_many_floors_is_no_task(text: str, here: Path, command: Command) -> None:
    Path("tasks").mkdir()
    Path("tasks/a.json").write_text(text, "utf-8")
    done = command("check", "tasks")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert says.NOT_RECOGNISED_AS_A_LOG in done.stderr


def test_a_folder_of_many_floors(here: Path) -> None:
    os.mkdir("deep")
    Path("deep/a.jsonl").write_text("{}", "utf-8")
    os.chdir("deep")
    for _ in range(2_500):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(here)
    left_out = PassedOver()
    assert list(walked("deep", left_out)) == ["deep/a.jsonl"]
    [line] = left_out.lines()
    assert line.startswith(says.FOLDER_IS_MORE_THAN_FOLDERS.format(DEEPEST))
    for _ in range(2_500):  # what the test leaves can be removed by others
        os.rename("deep/d/d", "next") if os.path.isdir("deep/d/d") else None
        os.rmdir("deep/d")
        if not os.path.isdir("next"):
            break
        os.rename("next", "deep/d")


def test_how_deep_folders_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "DEEPEST", 2)
    (tmp_path / "1" / "2" / "3").mkdir(parents=True)
    for place in ("0.txt", "1/1.txt", "1/2/2.txt", "1/2/3/3.txt"):
        (tmp_path / place).write_text("x", "utf-8")
    read = walked(str(tmp_path), PassedOver())
    assert sorted(os.path.relpath(path, tmp_path) for path in read) == [
        "0.txt",
        os.path.join("1", "1.txt"),
        os.path.join("1", "2", "2.txt"),
    ]


def test_what_may_not_be_read_is_said() -> None:
    """In a process without the rights of root, which reads everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir(0o700)
        for file in ("a.jsonl", "b.jsonl", "closed/c.jsonl"):
            (folder / file).write_text("{}", "utf-8")
        (folder / "b.jsonl").chmod(0)
        (folder / "closed").chmod(0)
        assert _as_nobody(folder) == [
            "a.jsonl",
            says.FILE_IS_UNREADABLE_AND_LEFT,
            says.FOLDER_IS_UNREADABLE_AND_LEFT,
        ]
        (folder / "closed").chmod(0o700)


def _as_nobody(folder: Path) -> list[str]:
    """What is read of a folder and what is said of it, by a process of a user without rights."""
    reads, writes = os.pipe()
    if (child := os.fork()) == 0:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        omissions = PassedOver()
        lines = [*walked(str(folder), omissions), *omissions.lines()]
        os.write(writes, "\n".join(lines).replace(f"{folder}/", "").encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as stream:
        lines = stream.read().splitlines()
    os.waitpid(child, 0)
    return lines


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"a": 1, "b": [1, 2', says.THE_FILE_IS_CUT_OFF),
        ('{\n "a": 1,\n "b": [1, 2\n', says.THE_FILE_IS_CUT_OFF_2),
        ('{"a": 1,\n "b": "x', says.THE_FILE_IS_CUT_OFF_3),
        ('{"a": 1,\n "b": [1 2]}', says.IS_NOT_JSON_EXPECTING_DELIMITER),
        ('{"a": 1,\n "b": "x"}', says.NOT_RECOGNISED_AS_A_LOG_OBJECT),
        ('{"a": 1,\n "b": ' + "[" * 100_000, says.NOT_RECOGNISED_AS_A_LOG_OBJECT_WITH),
    ],
)
def test_an_object_that_is_broken_is_named_with_its_line(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content, "utf-8")
    done = run_auditfw(["x.json"], tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"auditfw: error: {told}"), done.stderr
