"""A judge among human annotators: may it stand in for them?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from judged_orders import audited, section

from auditfw.core.errors import UsageError

TITLE = "Can a Judge Replace the Annotators?"
HUMANS = ["human", "ann", "bob"]


def rows(right: float, n: int = 120) -> list[dict[str, Any]]:
    drawn = random.Random(3)

    def label(truth: str, share: float) -> str:
        return truth if drawn.random() < share else drawn.choice("AB")

    truths = [drawn.choice("AB") for _ in range(n)]
    return [
        {"id": i, **{human: label(t, 0.9) for human in HUMANS}, "gpt": label(t, right)} for i, t in enumerate(truths)
    ]


@pytest.mark.parametrize(("right", "says"), [(0.9, "gpt can replace"), (0.1, "gpt cannot replace")])
def test_a_judge_is_tested(tmp_path: Path, right: float, says: str) -> None:
    found = audited(tmp_path, rows(right), [*HUMANS, "gpt"], humans=HUMANS)
    assert found.answer is not None
    (rule,) = [rule for rule in found.answer.rules if rule.rule == "winning_rate"]
    assert (rule.reading, rule.bound, rule.fired) == ("gpt", 0.5, right < 0.5)
    assert says in section(found, TITLE)
    assert any(says in sentence for sentence in found.answer.because)


def test_without_humans_nothing_is_tested(tmp_path: Path) -> None:
    found = audited(tmp_path, rows(0.9), [*HUMANS, "gpt"])
    assert section(found, TITLE) == ""


def test_few_items_say_nothing(tmp_path: Path) -> None:
    found = audited(tmp_path, rows(0.9, 29), [*HUMANS, "gpt"], humans=HUMANS)
    assert "gpt: no annotator has 30 items" in section(found, TITLE)


@pytest.mark.parametrize(
    ("audit", "message"),
    [
        ({"humans": ["human", "ann"]}, r"audit\.humans: expected three or more different annotators"),
        ({"humans": ["human", "ann", "ann"]}, r"audit\.humans: expected three or more different annotators"),
        ({"humans": ["human", "ann", "bod"]}, r"audit\.humans: no rater 'bod' .* did you mean 'bob'\?"),
        ({"humans": [*HUMANS, "gpt"]}, r"audit\.humans: every rater is one"),
        ({"humans": HUMANS, "epsilon": 1}, r"audit\.epsilon: expected a number from 0 to 1"),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, audit: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        audited(tmp_path, rows(0.9), [*HUMANS, "gpt"], **audit)
