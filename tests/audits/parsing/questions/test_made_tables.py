"""What the questions say of hundreds of tables: next to nothing of whole ones, and the fault where one is planted."""

from __future__ import annotations

from collections import Counter

import pytest
from label_rows import TableOfLabels
from made_tables import PLANTED, planted, whole_tables

from auditfw.audits.parsing.questions.answers_own import AnswersOwn
from auditfw.audits.parsing.questions.items import CopiesOfRows, ItemsOfModels
from auditfw.audits.parsing.questions.mismatches import GradersMixed, Moved
from auditfw.audits.parsing.questions.truths import OneValue, TruthsWhole
from auditfw.core.results.findings import Finding

QUESTIONS = (TruthsWhole, OneValue, CopiesOfRows, ItemsOfModels, Moved, GradersMixed, AnswersOwn)


def effects(rows: TableOfLabels) -> dict[str, str]:
    answers = [one for question in QUESTIONS for one in question()(rows)]
    return {one.kind: one.effect for one in answers if isinstance(one, Finding)}


@pytest.mark.slow
def test_whole_tables() -> None:
    """Of 300 at most 2 for each kind, at most 14 for all."""
    alarms: Counter[str] = Counter()
    tables = 0
    for made in whole_tables(300):
        serious = [kind for kind, effect in effects(made.table()).items() if effect != "reported"]
        alarms.update(serious)
        tables += bool(serious)
    assert not [kind for kind, times in alarms.items() if times > 2], alarms
    assert tables <= 14, alarms


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLANTED)
def test_planted_faults(kind: str) -> None:
    missed = [i for i, made in enumerate(planted(kind, 60)) if kind not in effects(made.table())]
    assert len(missed) <= 3, missed


def test_some_of_them() -> None:
    assert [effects(made.table()).get(kind) for kind in PLANTED for made in planted(kind, 1)].count(None) == 0
