"""Steps by both kernels: in C and in Python, with what each tells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_readings import NORMALIZERS, PARSERS, SIGNS

import auditfw
from auditfw.audits.parsing.engine.kernels import Native
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.components.step import characters, cuts, words
from auditfw.core.native import compiled
from auditfw.kinds.capabilities import Named
from auditfw.kinds.text import Step

MODULE = compiled()
built = pytest.mark.skipif(MODULE is None, reason="the kernel is not built")
ALWAYS = (
    characters.Lower(),
    characters.Casefold(),
    characters.Strip(),
    characters.Collapse(),
    characters.Digits(),
    characters.RemoveCharacters(),
    characters.ReplaceCharacters(".,;:!?'\"()[]{}*_`~"),
    characters.UnicodeForm("NFKC"),
    words.Undot(),
    words.RemoveWords(),
    cuts.FirstLine(),
    cuts.LastLine(),
)


def through(steps: list[Step], texts: list[str]) -> list[str | None]:
    """What the kernel in C makes of texts by a parser of these steps."""
    parser = Named("p", type(PARSERS[0].part)(steps=tuple(steps)))
    plan = ReadingPlan((parser,), NORMALIZERS[:1], auditfw.load("matcher", "exact"), ((0, 0),))
    scores = Native(plan, SIGNS).score(list(texts), None, ["x"] * len(texts))
    assert scores.problems == []
    return [scores.answers(i)[0] for i in range(len(texts))]


def told(one: Any, raw: Any, parsed: Any, rows: list[tuple[Any, Any, Any]]) -> tuple[Any, ...]:
    scores = one.score(raw, parsed, [truth for _, _, truth in rows])
    facts = {name: n for name, n in scores.facts.items() if n}
    return scores.labels, facts, [scores.answers(i) for i in range(len(rows))], scores.problems, scores.unread


def ran(tmp_path: Path, wanted: str, code: str = "") -> subprocess.CompletedProcess[str]:
    code += "import sys; from auditfw.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, f"hydra.run.dir={tmp_path / 'run'}"]
    env = {**os.environ, "AUDITFW_KERNEL": wanted}
    return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
