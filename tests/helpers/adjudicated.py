"""Labels of people by hand: groups of trials, with what readings and people say of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from auditfw.audits.adjudication.draw_files import StoredDraw
from auditfw.audits.adjudication.labels import TrialLabels
from auditfw.audits.adjudication.numbers import NO_LABEL, RIGHT, UNDECIDED, WRONG, PeoplesRows
from auditfw.audits.adjudication.results import PeoplesResults
from auditfw.audits.adjudication.run_trials import AuditedRun
from auditfw.audits.adjudication.settings import AdjudicationSettings
from auditfw.audits.adjudication.trials import LabelledTrials
from auditfw.core.records import OVERALL, Cell, Input

NAMES = ("stored", "v1", "v2", "v3")


class Trials(NamedTuple):
    """So many trials of one group: what each reading says ("10": the reference right, the other wrong), and people."""

    readings: str
    trials: int
    right: int = 0
    wrong: int = 0
    undecided: int = 0
    cell: Cell = OVERALL
    stratum: int | None = None  # that labels were drawn within; None: the group itself


def results_of(groups: Sequence[Trials], several: int = 1, **settings: Any) -> PeoplesResults:
    """An adjudication of these groups; `several` labelled trials in a row are of one item."""
    cells = sorted({group.cell for group in groups})
    rows: list[tuple[int, int, int, int, str]] = []
    for place, (readings, trials, right, wrong, undecided, cell, stratum) in enumerate(groups):
        number = place if stratum is None else stratum
        at = cells.index(cell)
        codes = [RIGHT] * right + [WRONG] * wrong + [UNDECIDED] * undecided
        rows += [(number, at, 1, code, readings) for code in codes]
        rows += [(number, at, trials - len(codes), NO_LABEL, readings)] if trials > len(codes) else []
    group, cell_of, times, people = (np.array(column) for column in list(zip(*rows, strict=True))[:4])
    labels = {
        name: np.array([int(row[4][i]) if row[4][i] in "01" else -1 for row in rows], np.int8)
        for i, name in enumerate(NAMES[: len(groups[0].readings)])
    }
    made = PeoplesRows(group, len(groups), np.arange(len(rows)) // several, people.astype(np.int8), labels, times)
    run = AuditedRun(Path("run"), {"seed": 0}, Input("run/result.json", "0" * 64, 1), {}, None)
    by = tuple(f"by{i}" for i in range(len(cells[0])))
    draw = StoredDraw(Path("run/labels"), run.input.sha256, 0, list(labels), by, [], [], {})
    parts = (run, draw, made, by, cells, cell_of, (), TrialLabels(), {}, {}, True, ())
    return PeoplesResults(AdjudicationSettings("run", ("labels.csv",), **settings), LabelledTrials(*parts))
