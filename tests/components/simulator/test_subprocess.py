"""Programs as simulators."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

import pytest
from simulated import each, simulator, xs

from auditfw.config import build as bridge
from auditfw.core.errors import UsageError

bridge.prepare()


PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    n = int(asked["params"]["x"])
    if n == 1: sys.exit("boom")
    if n == 2: time.sleep(60)
    if n == 3: print("no json", flush=True); continue
    if n == 4: print("x" * 3000, flush=True); continue
    if n == 5: print(json.dumps({"error": "no way"}), flush=True); continue
    if n == 6: print(json.dumps({"label": "other", "y": 1}), flush=True); continue
    if n == 7: open("left_behind", "w").close()
    print(json.dumps({"label": asked["label"], "y": n, "pid": os.getpid()}), flush=True)
"""


@pytest.mark.slow
def test_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(textwrap.dedent(PROGRAM), "utf-8")
    part = simulator("subprocess", command=[sys.executable, "model.py"], timeout=3.0, most=2000)
    part.check()
    found = part(xs(*range(9)))
    assert found.status == ["ok", "error", "timeout", "error", "error", "error", "error", "ok", "ok"]
    assert found.why[1] == "its process ended (exit code 1): boom"
    assert found.why[2] == "no answer within 3 s"
    assert found.why[3] == "its answer is not JSON (no json)"
    assert found.why[4] == "its answer has more than 2,000 bytes"
    assert found.why[5:7] == ["no way", "its answer is for another scenario"]
    got = each(found)
    assert got[7]["pid"] == got[8]["pid"], "one process serves many scenarios"
    assert os.listdir() == ["model.py"], "it wrote into a folder of its own"


def test_program_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="no such program"):
        simulator("subprocess", command=["no-such-program"]).check()
