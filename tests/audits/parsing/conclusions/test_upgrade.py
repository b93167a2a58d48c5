"""What is said of the labels that a newer scorer turns."""

from __future__ import annotations

import pytest
from sentences import parsing as says

from auditfw.audits.parsing.conclusions.upgrade import UpgradeLabels, UpgradeStep, section, sentence
from auditfw.audits.scorer_changes import Upgrade

SETTING = Upgrade("match(numeric)", "0.3.285", {"old": "0.3.220", "mid": "0.3.221", "new": "0.3.253"})


def labels(first: tuple[int, int], second: tuple[int, int], whole: tuple[int, int], n: int) -> UpgradeLabels:
    """Two steps and the whole, each as labels to right and to wrong."""
    one = UpgradeStep(SETTING.changes("0.3.220", "0.3.221"), *first)
    two = UpgradeStep(SETTING.changes("0.3.221", "0.3.253"), *second)
    return UpgradeLabels(SETTING, [one, two], UpgradeStep((), *whole), n)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (labels((9, 69), (0, 0), (9, 69), 5_276), says.POINTS_FEWER_RIGHT_69),
        (labels((0, 6), (2, 0), (2, 6), 400), says.POINTS_FEWER_RIGHT_6),
        (labels((0, 6), (6, 0), (0, 0), 400), says.LABELS_THAT_TURN_BACK),
        (labels((1, 2), (9, 0), (10, 2), 400), says.POINTS_MORE_RIGHT_9_OF_10),
        (labels((2, 2), (0, 0), (2, 2), 400), says.AS_MANY_ARE_RIGHT),
        (labels((0, 0), (0, 0), (0, 0), 400), says.LABELS_THAT_TURN_BACK),
    ],
)
def test_the_sentence(of: UpgradeLabels, said: str) -> None:
    assert sentence(of) == said


def test_the_table_has_a_row_for_each_change() -> None:
    shown = section(labels((9, 69), (1, 0), (10, 69), 5_276))
    assert shown.title == says.MATCH_NUMERIC_OF_INSPECT
    [table] = shown.blocks[1:]
    assert table.rows == [
        ["0.3.221", "no longer takes 5 in 25", "9", "69", "-1.14"],
        ["0.3.253", "reads \\$20 and 1\\,000", "1", "0", "+0.02"],
    ]
