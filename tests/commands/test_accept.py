"""`auditfw accept`: an accepted run as the baseline of a gate."""

from __future__ import annotations

import json
from pathlib import Path

from running import run_auditfw
from sentences import commands as says

from auditfw.components.gate.change import BASELINE


def test_an_accepted_run_bounds_the_change(two_runs: Path) -> None:
    words = ("rerun", "one", "gates={moved: {use: change, metric: flips, max_increase: 1}}")
    missing = run_auditfw(words, two_runs)
    assert (missing.returncode, says.STORE_ONE_WITH_AUDITFW_ACCEPT in missing.stderr) == (2, True)
    assert run_auditfw(("accept", "one"), two_runs).stdout.startswith("accepted ")
    assert json.loads((two_runs / "baseline.json").read_text("utf-8"))["schema"] == BASELINE
    assert run_auditfw(words, two_runs).returncode == 0
    assert run_auditfw((*words, "matcher=exact"), two_runs).returncode == 1
