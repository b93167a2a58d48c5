"""A command is measured with its children, and told as it is typed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import harness, parsing

pytest.importorskip("pandas")


def test_a_command_is_measured_with_its_children(tmp_path: Path) -> None:
    child = "subprocess.run([sys.executable, '-c', 'import time; time.sleep(1)'])"
    code = f"import subprocess, sys; print('told'); {child}; sys.exit(1)"
    cost = harness.measured("mine", [sys.executable, "-c", code], output=tmp_path / "log")
    assert cost.wall >= 1
    assert (tmp_path / "log").read_text() == "told\n"
    assert (cost.main_mb is None) == (cost.child_mb is None) == (not harness.PROC.is_dir())


@pytest.mark.skipif(sys.platform == "win32", reason="it does not say what children took")
def test_a_command_is_timed_or_its_error_shown(tmp_path: Path) -> None:
    """CPU seconds are those of all that was started, none of them those of the time it slept."""
    work = "import time; start = time.process_time()\nwhile time.process_time() < start + 0.4: pass"
    after = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {work!r}])"  # its child outlives it
    code = f"import subprocess, sys, time; subprocess.run([sys.executable, '-c', {after!r}]); time.sleep(0.4)"
    taken = harness.measured("mine", [sys.executable, "-c", f"{code}; open('here', 'w'); sys.exit(1)"], tmp_path)
    assert (tmp_path / "here").is_file()
    assert taken.cpu >= 0.4
    assert taken.wall >= 0.4
    with pytest.raises(SystemExit, match=r"mine: exit code 3\nno such thing"):
        harness.measured(
            "mine", [sys.executable, "-c", "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"]
        )


def test_paths_are_quoted_for_the_command_line() -> None:
    data = parsing.Data(Path("it's"), Path("it's/m.json"), Path("a b"), 1)
    command = parsing.audit_command(data, Path("out"), 2, "parser=[stored]")
    assert command[1:] == [
        *("-P", "-m", "auditfw", "experiment=answer_parsing", "source=conformity", "source.metadata='it\\'s/m.json'"),
        *("source.runs_dir='a b'", "hydra.run.dir='out'", "engine.workers=2", "report=[json]", "parser=[stored]"),
    ]
