"""README and the manual say what is so: their commands are run and their output compared, their Python is executed.

A ```console block holds `$ command` lines, each followed by what it prints; a line `...` stands for any lines, and a
command goes on after a backslash. One marked `slow`, and a sweep of the manual, is left to the slow tests. A block
whose info string names a file (```yaml conf/x.yaml) is that file: each page has a folder of its own with the files
that its blocks show.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from places import ROOT
from running import run_auditfw

from auditfw.commands import help as pages

README = (ROOT / "README.md").read_text("utf-8")
PAGES = {"README": README, **pages.topics()}
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = {page: [(match[1], match[2], match[3]) for match in BLOCK.finditer(text)] for page, text in PAGES.items()}
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
COMMANDS = [
    pytest.param(
        page,
        found[1],
        found[2].splitlines(),
        id=f"{page}: {found[1][:60]}",
        marks=[pytest.mark.slow] * (name == "slow" or (page != "README" and found[1].startswith("auditfw -m"))),
    )
    for page, blocks in BLOCKS.items()
    for language, name, body in blocks
    if language == "console"
    for found in COMMAND.finditer(body)
]
PROGRAMS = [
    pytest.param(page, body, id=f"{page}: {name or body.lstrip().splitlines()[0]}")
    for page, blocks in BLOCKS.items()
    for language, name, body in blocks
    if language == "python"
]
SHELLS = frozenset("$;&|<>*?~`")  # what only a shell replaces
OURS = re.compile(r'((?:[A-Z_]+=\w+ )*)(auditfw\b.*?)(; echo "exit code \$\?")?', re.DOTALL)
MASKS = [
    (r"((?:run|sweep) folder: |^page: ).*", r"\1…"),
    (r"(^Next: .* outputs/sweeps/)[\d-]+/[\d-]+", r"\1…"),
    (r"\[\d{4}-\d\d-\d\d [\d:,]+\]", "[…]"),
]


def masked(text: str) -> list[str]:
    for pattern, shown in MASKS:
        text = re.sub(pattern, shown, text, flags=re.MULTILINE)
    return text.splitlines()


def alike(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether the lines are the same, where a wanted line `...` stands for any number of lines."""
    if not wanted:
        return not given
    if wanted[0] == "...":
        return any(alike(wanted[1:], given[at:]) for at in range(len(given) + 1))
    return bool(given) and wanted[0] == given[0] and alike(wanted[1:], given[1:])


def shown(page: str, folder: Path) -> None:
    """Puts the files that a page shows into a folder."""
    for _, name, body in BLOCKS[page]:
        if name and name != "slow":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body, "utf-8")


def clean() -> dict[str, str]:
    dropped = ("HYDRA", "AUDITFW", "COLUMNS", "NO_COLOR", "FORCE_COLOR")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}


def printed(line: str, folder: Path) -> str:
    """What a line prints in a shell, which is started where it is more than our commands and their words."""
    first, _, then = line.partition(" && ")
    ours = OURS.fullmatch(first)
    if ours and not SHELLS & {*ours[2], *then}:
        env = dict(word.split("=") for word in ours[1].split())
        run = run_auditfw(shlex.split(ours[2].replace("\\\n", " "))[1:], folder, {"COLUMNS": "100", **env})
        shown = run.stdout + (run.stderr if run.returncode else "")
        if ours[3]:
            return f"{shown}exit code {run.returncode}\n"
        return shown if run.returncode or not then else shown + printed(then, folder)
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
    return done.stdout + done.stderr


@pytest.mark.parametrize(("page", "line", "wanted"), COMMANDS)
def test_command_prints_what_the_page_says(tmp_path: Path, page: str, line: str, wanted: list[str]) -> None:
    shown(page, tmp_path)
    given = masked(printed(line, tmp_path))
    assert alike(masked("\n".join(wanted)), given), "\n".join(given)


@pytest.mark.parametrize(("page", "body"), PROGRAMS)
def test_python_runs(tmp_path: Path, page: str, body: str) -> None:
    shown(page, tmp_path)
    command = [sys.executable, "-W", "error", "-c", body]
    done = subprocess.run(command, cwd=tmp_path, env=clean(), capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_gates_of_the_example_hold_what_they_say(tmp_path: Path) -> None:
    body = next(body for language, _, body in BLOCKS["gates"] if language == "yaml" and "small_shift:" in body)
    head = "# @package _global_\ndefaults: [answer_parsing, _self_]\n"
    (tmp_path / "conf/experiment").mkdir(parents=True)
    (tmp_path / "conf/experiment/gated.yaml").write_text(head + body, "utf-8")
    done = run_auditfw(["experiment=gated", "report.detail=full"], tmp_path, {"COLUMNS": "100"})
    statuses = dict(re.findall(r"^│ (small_shift|no_bad_cell|either_way) .* (\w+)$", done.stdout, re.MULTILINE))
    assert (done.returncode, statuses) == (1, {"small_shift": "pass", "no_bad_cell": "fail", "either_way": "pass"})


def test_ci_runs_the_two_commands_of_readme() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    blocks = [body.strip() for found in BLOCKS.values() for language, _, body in found if language == "bash"]
    assert lines == blocks
    assert len(lines) == 2
    assert "grep '^python3 -m venv' README.md" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_readme_is_short_and_names_every_page() -> None:
    assert len(README.splitlines()) <= 250
    named = {Path(target).stem for target, _ in links(README) if "manual/" in target}
    assert named == set(pages.topics())


def anchors(text: str) -> set[str]:
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(text: str) -> list[tuple[str, str]]:
    """The links of a page to files, each with its anchor."""
    return re.findall(r"\]\((?!\w+:)([^)#]*)#?([^)]*)\)", text)


@pytest.mark.parametrize("page", PAGES)
def test_links(page: str) -> None:
    """README names files of this folder; a page names pages alone, so that all are there where it is read."""
    for target, anchor in links(PAGES[page]):
        topic = Path(target).stem if target else page
        if page == "README":
            assert (ROOT / target).exists(), target
        elif target:
            assert target == f"{topic}.md", target
            assert topic in PAGES, target
        assert not anchor or anchor in anchors(PAGES[topic]), f"{target}#{anchor}"


def test_picture() -> None:
    picture = (ROOT / ".github/pictures/terminal.svg").read_text("utf-8")
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", picture)
    assert str(Path.home()) not in picture
    for part in ("answer_v2+v1", "labels reproduce", "1,080"):
        assert part.replace(" ", "&#160;") in picture


def test_moving_picture() -> None:
    """A GIF that plays, small enough for a page."""
    data = (ROOT / ".github/pictures/minute.gif").read_bytes()
    assert data.startswith(b"GIF89a")
    assert data.count(b"\x21\xf9\x04") > 20, "frames"
    assert len(data) < 2_000_000
