"""Workers load beforehand what the work names, and no more."""

from __future__ import annotations

from pathlib import Path

from judgement_lines import RATERS
from running import Command

from auditfw.audits.consistency.rules import Rules
from auditfw.audits.consistency.scoring import ConsistencyScorer
from auditfw.components.engine.local import named_in, packed


def test_workers_load_beforehand_what_the_work_names_and_no_more() -> None:
    work = packed(ConsistencyScorer(Rules(RATERS, ("VALID", "REJECT"), {}), (), 0, 5))
    assert work is not None
    named = named_in(work)
    assert {"auditfw.audits.consistency.scoring", "auditfw.audits.consistency.rules"} <= set(named)
    assert not [name for name in named if name.startswith("auditfw.components")]


def test_workers_start_however_long_the_path_of_temporary_files_is(command: Command, tmp_path: Path) -> None:
    """Sockets have room for about 100 bytes."""
    long = tmp_path / ("t" * 120)
    long.mkdir()
    words = ("experiment=cross_agent", "report=[]", "gate=[]", "engine.workers=2", "hydra.run.dir=run")
    done = command(*words, env={"TMPDIR": str(long)})
    assert (done.returncode, done.stderr) == (0, "")
    assert list(long.iterdir()) == []
