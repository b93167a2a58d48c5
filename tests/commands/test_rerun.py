"""`auditfw rerun`: a stored config run again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import run_auditfw
from sentences import commands as says


@pytest.mark.slow
def test_rerun_tells_what_differs(two_runs: Path) -> None:
    same = run_auditfw(("rerun", "one", "reports={console: {use: console}}"), two_runs)
    assert same.returncode == 0, same.stderr
    assert says.COMPARED_WITH_ONE_HAS_THE in same.stdout
    other = run_auditfw(("rerun", "one", "reports={console: {use: console}}", "matcher=exact"), two_runs)
    assert re.search(r'│ audit.matcher.use +"containment" +"exact"\n', other.stdout)
    typo = run_auditfw(("rerun", "one", "matcher=exakt"), two_runs)
    assert (typo.returncode, "did you mean 'exact'" in typo.stderr) == (2, True)
