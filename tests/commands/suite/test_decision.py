"""The decision in sentences: each asserted where a stranger reads it first, the headline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sentences import commands as says

from auditfw.commands.suite.command import judged
from auditfw.commands.suite.decision import table_of
from auditfw.commands.suite.settings import read_suite
from auditfw.commands.suite.written import shown

HELD, OPEN = "candidate: same, baseline: old, max_drop: 1", "candidate: same, baseline: old, max_drop: 0.5"
WORSE, GONE = "candidate: worse, baseline: old, max_drop: 1", "candidate: gone, min: 1"
HEADLINES = [
    ({"a": HELD}, "GO: 1 of 1 held.", 0),
    ({"a": HELD, "b": HELD}, "GO: all 2 held.", 0),
    ({"a": HELD, "b": OPEN}, "GO: 1 of 2 held; b is undecided and passes by its value.", 0),
    ({"a": HELD, "b": f"{OPEN}, undecided: pass"}, "GO: 1 of 2 held; b is undecided and passes as the file says.", 0),
    ({"a": HELD, "b": f"{WORSE}, tier: advisory"}, "GO: 1 of 2 held; b: breach, advisory.", 0),
    ({"a": HELD, "b": f"{GONE}, tier: advisory"}, "GO: 1 of 2 held; b: missing, advisory.", 0),
    ({"a": HELD, "b": f"{OPEN}, tier: critical"}, says.MAY_HAVE_DROPPED, 1),
    ({"a": f"{WORSE}, tier: advisory", "b": f"{OPEN}, tier: critical"}, says.ONLY_ADVISORY_BREACHED, 1),
    ({"a": HELD, "b": f"{WORSE}, tier: critical"}, says.DROPPED_BY_5, 1),
    ({"a": HELD, "b": GONE}, "NO-GO: 1 of 2 was not run (b).", 1),
    ({"a": GONE, "b": GONE, "c": HELD}, "NO-GO: 2 of 3 were not run (a, b).", 1),
    ({"a": GONE, "b": "candidate: failed, min: 1"}, "NO-GO: 1 of 2 was not run (a); 1 of 2 failed (b).", 3),
    ({"a": "candidate: old, metric: kappa, min: 1"}, "NO-GO: 1 of 1 has no number (a).", 1),
    ({"a": GONE, "b": WORSE, "c": f"{WORSE}, tier: critical"}, says.TWO_AND_ONE_MORE, 1),
    ({"a": "candidate: moved, baseline: old, max_drop: 9"}, says.CANNOT_BE_COMPARED, 1),
]  # fmt: skip


@pytest.mark.parametrize(("entries", "headline", "code"), HEADLINES, ids=[one for _, one, _ in HEADLINES])
def test_a_headline(at: Path, write: Callable[[str], Path], entries: dict[str, str], headline: str, code: int) -> None:
    lines = "".join(f"    {name}: {{{entry}}}\n" for name, entry in entries.items())
    suite = judged(read_suite(write(f"suite:\n  entries:\n{lines}")), None)
    assert (suite.headline, suite.exit_code) == (headline, code)
    assert suite.headline.startswith(suite.decision)
    table = table_of(suite.entries)
    assert all(len(row) == len(table.columns) == len(table.align) for row in table.rows)
    assert next(iter(shown(table)[0].columns)) == "entry"
    assert shown(table)[0].columns[1] == "status"
