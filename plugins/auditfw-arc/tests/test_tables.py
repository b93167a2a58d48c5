"""Tables: the value that explains most classes, none that is known by heart."""

from __future__ import annotations

import numpy as np

from auditfw_arc.tables import Fitting, compact, crossed


def test_a_table_takes_the_value_that_explains_most_classes() -> None:
    """Two classes of own colours: value 2 explains both, 0 and 1 one each; a class never seen takes 2 as well."""
    fitting = Fitting(np.array([0b101, 0b110], dtype=np.uint64), np.array([0, 1], dtype=np.int16))
    codes = compact(np.array([3, 4, 8], dtype=np.int32))
    assert fitting.learn(codes, range(3)).tolist() == [2, 2, 2]


def test_a_table_by_hand() -> None:
    """Four training cells, classes a a b b: value 0 explains a, no value b; crossed with a second feature, all is."""
    matches = np.array([0b01, 0b11, 0b01, 0b10], dtype=np.uint64)
    fitting = Fitting(matches, np.array([0, 0, 1, 1], dtype=np.int16))
    first = compact(np.array([5, 5, 9, 9, 9], dtype=np.int32))
    second = compact(np.array([0, 0, 0, 1, 7], dtype=np.int32))
    assert (first.values.tolist(), first.count) == ([0, 0, 1, 1, 1], 2)
    verdict = fitting.judge(first)
    assert (verdict.unexplained, verdict.classes) == (2, 2)
    both = crossed(first, second)
    assert both is not None
    verdict = fitting.judge(both)
    assert (verdict.unexplained, verdict.classes, verdict.unseen) == (0, 3, 1)
    table = fitting.learn(both, range(2))
    assert [table[code] for code in both.values] == [0, 0, 0, 1, 0]
