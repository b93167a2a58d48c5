"""README says what is so: every command in it is run and its output compared; the Python in it is executed.

A ```console block holds `$ command` lines, each followed by what it prints; a line `...` stands for any lines. One
marked `slow` is left to the slow tests. A block whose info string names a file (```yaml conf/x.yaml) is that file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2], match[3]) for match in BLOCK.finditer(README)]
COMMANDS = [
    pytest.param(found[1], found[2].splitlines(), id=found[1][:60], marks=[pytest.mark.slow] * (name == "slow"))
    for language, name, body in BLOCKS
    if language == "console"
    for found in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE)
]
MASKS = [(r"((?:run|sweep) folder: ).*", r"\1…"), (r"\[\d{4}-\d\d-\d\d [\d:,]+\]", "[…]")]


def masked(text: str) -> list[str]:
    for pattern, shown in MASKS:
        text = re.sub(pattern, shown, text)
    return text.splitlines()


def alike(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether the lines are the same, where a wanted line `...` stands for any number of lines."""
    if not wanted:
        return not given
    if wanted[0] == "...":
        return any(alike(wanted[1:], given[at:]) for at in range(len(given) + 1))
    return bool(given) and wanted[0] == given[0] and alike(wanted[1:], given[1:])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that README shows."""
    for _, name, body in BLOCKS:
        if name and name != "slow":
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(body, "utf-8")
    return tmp_path


def clean() -> dict[str, str]:
    dropped = ("HYDRA", "AUDITFW", "COLUMNS", "NO_COLOR", "FORCE_COLOR")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}


@pytest.mark.parametrize(("line", "wanted"), COMMANDS)
def test_command_prints_what_readme_says(folder: Path, line: str, wanted: list[str]) -> None:
    script = (
        f'auditfw() {{ "{sys.executable}" -m auditfw "$@" 2>errors || {{ code=$?; cat errors; return $code; }}; }}\n'
    )
    done = subprocess.run(
        ["bash", "-c", script + line],
        cwd=folder,
        env={**clean(), "COLUMNS": "100", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    given = masked(done.stdout)
    assert alike(masked("\n".join(wanted)), given), "\n".join(given) + done.stderr


@pytest.mark.parametrize("body", [body for language, _, body in BLOCKS if language == "python"])
def test_python_runs(folder: Path, body: str) -> None:
    command = [sys.executable, "-W", "error", "-c", body]
    done = subprocess.run(command, cwd=folder, env=clean(), capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_gates_of_the_example_hold_what_they_say(folder: Path) -> None:
    body = next(body for language, _, body in BLOCKS if language == "yaml" and "small_shift:" in body)
    head = "# @package _global_\ndefaults: [answer_parsing, _self_]\n"
    (folder / "conf/experiment/gated.yaml").write_text(head + body, "utf-8")
    command = [sys.executable, "-m", "auditfw", "experiment=gated"]
    env = {**clean(), "COLUMNS": "100", "PYTHONUTF8": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False)
    statuses = dict(re.findall(r"^│ (small_shift|no_bad_cell|either_way) .* (\w+)$", done.stdout, re.MULTILINE))
    assert (done.returncode, statuses) == (1, {"small_shift": "pass", "no_bad_cell": "fail", "either_way": "pass"})


def test_ci_runs_the_two_commands_of_readme() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    blocks = [body.strip() for language, _, body in BLOCKS if language == "bash"]
    assert lines == blocks
    assert len(lines) == 2
    assert "grep '^python3 -m venv' README.md" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_links_and_picture() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    picture = (ROOT / ".github/pictures/terminal.svg").read_text("utf-8")
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", picture)
    assert str(Path.home()) not in picture
    for shown in ("answer_v2+v2", "baseline_reproduces", "1,080"):
        assert shown in picture
