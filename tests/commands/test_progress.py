"""How far a run is: a bar where there is a terminal, else a line now and then; the reports are a phase."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import sys
from pathlib import Path

import pytest
from running import run_auditfw

from auditfw.commands.progress import WRITING, RunProgress

SLOW_REPORT = '''
import time
from dataclasses import dataclass
from auditfw.kinds.registry import register

@register("report", "slow")
@dataclass(frozen=True)
class Slow:
    """Takes its time."""

    def __call__(self, result, folder):
        time.sleep(0.7)
        return ()
'''
WORDS = ("report=[slow]", "parser=[stored]", "normalizer=[v1]", "hydra.run.dir=run")


def test_the_line() -> None:
    progress = RunProgress()
    assert progress.text() == "0 trials done after 0:00"
    progress(1, None)
    assert progress.text() == "1 trial done after 0:00"
    progress(200, 1080)
    assert progress.text() == "200 of 1,080 trials done after 0:00"
    progress(1081, 1080)
    assert progress.text() == "1,081 of 1,081 trials done after 0:00"
    progress.write()
    assert progress.text() == "writing reports after 0:00"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "slow.py").write_text(SLOW_REPORT, "utf-8")
    return tmp_path


def terminal_output(folder: Path, *words: str, **env: str) -> str:
    """What a command prints on a terminal."""
    child, stream = pty.fork()
    if not child:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "auditfw", *words], {**os.environ, **env})
    output = b""
    with contextlib.suppress(OSError):  # the terminal is closed
        while piece := os.read(stream, 65536):
            output += piece
    os.waitpid(child, 0)
    os.close(stream)
    return output.decode()


def test_the_bar_has_a_phase_for_the_reports(project: Path) -> None:
    output = terminal_output(project, *WORDS, TERM="xterm", COLUMNS="80")
    assert "trials" in output
    assert WRITING in output
    assert output.index("trials") < output.index(WRITING)
    assert (project / "run" / "result.json").is_file()


def test_without_a_terminal_there_is_a_line(project: Path) -> None:
    done = run_auditfw(WORDS, project, {"AUDITFW_PROGRESS": "0.2"})
    assert done.returncode == 0
    assert re.search(r"^auditfw: writing reports after \d+:\d\d$", done.stderr, re.MULTILINE)
    assert done.stdout == ""
