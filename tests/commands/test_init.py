"""`auditfw init`: a project that runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import Command

COUNTS = "1,080 of 2,160 trials audited; not audited: 1,080 no ground truth"


@pytest.mark.slow
def test_init_makes_a_project_that_runs(command: Command, tmp_path: Path) -> None:
    done = command("init", "demo")
    assert (done.returncode, done.stdout) == (0, "created demo: cd demo && auditfw experiment=mine\n")
    demo = tmp_path / "demo"
    assert COUNTS in command("experiment=mine", cwd=demo).stdout
    assert "unhedged+v1" in command("parser=[stored,unhedged]", cwd=demo).stdout
    again = command("init", "demo")
    assert (again.returncode, again.stderr) == (2, "auditfw: error: demo: is not an empty folder - name a new one\n")
