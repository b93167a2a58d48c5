"""The alternative annotator test on tables one can check by hand, and against SciPy's tests.

No published data set is small enough to stand here; the procedure is that of the paper, section 3, step by step.
"""

from __future__ import annotations

import random

import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from auditfw.formulas.agreement import Ratings
from auditfw.formulas.agreement.alternative import AlternativeTest, LabelGap, alternative, benjamini_yekutieli
from auditfw.formulas.agreement.items import clustered

HUMANS = ("h1", "h2", "h3")
RATERS = ("judge", *HUMANS)
TEST = AlternativeTest(HUMANS)


def rated(counted: dict[tuple[int, ...], int], labels: tuple[str, ...] = ("x", "y", "z")) -> Ratings:
    return Ratings.of(labels, RATERS, counted)


def test_by_hand() -> None:
    """40 items. Without h1 the others say (h2, h3): on 30 all four agree; on 6 h1 alone is off; on 4 the judge is."""
    found = alternative(rated({(0, 0, 0, 0): 30, (0, 1, 0, 0): 6, (1, 0, 0, 0): 4}), "judge", TEST)
    one, two, three = found.annotators
    assert (one.n, one.judge, one.human) == (40, 36 / 40, 34 / 40)
    assert (two.judge, two.human) == (36 / 40, 40 / 40), "where h1 is off, judge and h2 are equally far from (h1, h3)"
    assert two == type(two)("h2", three.n, three.judge, three.human, three.p, three.adjusted)
    expected = ttest_1samp([-1] * 6 + [1] * 4 + [0] * 30, 0.2, alternative="less").pvalue
    assert one.p == pytest.approx(expected, rel=1e-9)
    assert two.p == pytest.approx(ttest_1samp([1] * 4 + [0] * 36, 0.2, alternative="less").pvalue, rel=1e-9)
    assert [left.adjusted for left in found.annotators] == pytest.approx(
        list(false_discovery_control([left.p or 0.0 for left in found.annotators], method="by"))
    )
    assert (found.winning_rate, found.passed) == (1 / 3 * sum(left.won(0.05) for left in found.annotators), True)
    assert found.advantage == pytest.approx((0.9 + 0.9 + 0.9) / 3)


def test_a_judge_that_guesses_loses() -> None:
    """A healthy twin agrees as the humans do and passes; a guesser does not, whatever epsilon is usual."""
    drawn = random.Random(5)

    def label(truth: int, right: float) -> int:
        return truth if drawn.random() < right else drawn.randrange(3)

    truths = [drawn.randrange(3) for _ in range(200)]
    for right, passes in ((0.85, True), (0.0, False)):
        counted: dict[tuple[int, ...], int] = {}
        for truth in truths:
            pattern = (label(truth, right), *(label(truth, 0.85) for _ in HUMANS))
            counted[pattern] = counted.get(pattern, 0) + 1
        assert alternative(rated(counted), "judge", TEST).passed is passes


def test_distances() -> None:
    """On numbers 2 is closer to (1, 1) than 5 is, though neither is equal."""
    ratings = rated({(1, 2, 0, 0): 40}, ("1", "2", "5"))
    by_distance = alternative(ratings, "judge", AlternativeTest(HUMANS, numbers=(1, 2, 5))).annotators[0]
    by_names = alternative(ratings, "judge", TEST).annotators[0]
    assert (by_distance.judge, by_distance.human, by_distance.p) == (1.0, 0.0, 0.0)
    assert (by_names.judge, by_names.human, by_names.p) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("counted", "n", "p"),
    [
        ({(0, 0, 0, 0): 29}, 29, None),
        ({(0, 0, 0, 0): 30}, 30, 0.0),
        ({(1, 0, 0, 0): 30}, 30, 1.0),
        ({(-1, 0, 0, 0): 50}, 0, None),
        ({(0, -1, 0, 0): 50}, 0, None),
        ({(0, 0, -1, -1): 50}, 0, None),
        ({(0, 0, -1, 0): 50}, 50, 0.0),
    ],
)
def test_missing_labels_and_few_items(counted: dict[tuple[int, ...], int], n: int, p: float | None) -> None:
    found = alternative(rated(counted), "judge", TEST)
    assert (found.annotators[0].n, found.annotators[0].p) == (n, p)
    if n < 30 and counted.keys() != {(0, -1, 0, 0)}:
        assert (found.winning_rate, found.advantage, found.passed) == (None, None, False)


def test_labels_are_compared_on_items_that_judge_and_humans_labelled() -> None:
    """Of three such items the judge gives x to two, the humans x to all; there are too few for the test."""
    counted = {(0, 0, 0, 0): 2, (1, 0, 0, -1): 1, (-1, 2, 2, 2): 5, (2, -1, -1, -1): 5}
    found = alternative(rated(counted), "judge", TEST)
    assert (found.winning_rate, found.difference) == (None, LabelGap("x", 2 / 3, 1.0))
    numbers = AlternativeTest(HUMANS, numbers=(1, 2, 5))
    assert alternative(rated(counted), "judge", numbers).difference == LabelGap(None, 4 / 3, 1.0)
    assert alternative(rated({(2, -1, -1, -1): 5}), "judge", TEST).difference is None


def test_repeated_items_are_no_more_items() -> None:
    counted = {(0, 0, 0, 0): 30, (0, 1, 0, 0): 6, (1, 0, 0, 0): 4}
    items = [{pattern: 8} for pattern, n in counted.items() for _ in range(n)]
    eight = Ratings.of(("x", "y"), RATERS, {p: 8 * n for p, n in counted.items()}, None, clustered(items))
    once = alternative(rated(counted), "judge", TEST).annotators[0]
    often = alternative(eight, "judge", TEST).annotators[0]
    assert (often.n, often.judge, often.human) == (320, once.judge, once.human)
    assert often.p == pytest.approx(once.p)
    few = Ratings.of(("x", "y"), RATERS, {(0, 0, 0, 0): 40}, None, clustered([{(0, 0, 0, 0): 8}] * 5))
    assert alternative(few, "judge", TEST).annotators[0].p is None


@pytest.mark.parametrize("p", [[], [0.2], [0.01, 0.04, 0.03], [0.5, 0.9, 0.001, 0.0]])
def test_benjamini_yekutieli(p: list[float]) -> None:
    assert benjamini_yekutieli(p) == pytest.approx(list(false_discovery_control(p, method="by")) if p else [])
