"""A judge among human annotators: may it stand in for them?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from judged_orders import audited, section
from sentences import consistency as says

from auditfw.audits.consistency.conclusions.stand_in import StandIns, _differs
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Table
from auditfw.core.errors import UsageError
from auditfw.formulas.agreement.alternative import AlternativeTest, LabelGap

TITLE = "Can a Judge Replace the Annotators?"
HUMANS = ["human", "ann", "bob"]
SOUND = {"kappa": -1.0, "chance": 0.0}  # nobody is off


def rows(right: float, n: int = 120) -> list[dict[str, Any]]:
    drawn = random.Random(3)

    def label(truth: str, share: float) -> str:
        return truth if drawn.random() < share else drawn.choice("AB")

    truths = [drawn.choice("AB") for _ in range(n)]
    return [
        {"id": i, **{human: label(t, 0.9) for human in HUMANS}, "gpt": label(t, right)} for i, t in enumerate(truths)
    ]


@pytest.mark.parametrize(
    ("right", "says"),
    [(0.9, says.GPT_PASSES_THE_TEST_OF), (0.1, says.GPT_FAILS_THE_TEST_OF)],
)
def test_a_judge_is_tested(tmp_path: Path, right: float, says: str) -> None:
    found = audited(tmp_path, rows(right), [*HUMANS, "gpt"], humans=HUMANS)
    assert found.answer is not None
    (rule,) = [rule for rule in found.answer.rules if rule.rule == "winning_rate"]
    assert (rule.reading, rule.bound, rule.fired) == ("gpt", 0.5, right < 0.5)
    assert says in section(found, TITLE)
    (table,) = [b for s in found.sections if s.title == TITLE for b in s.blocks if isinstance(b, Table)]
    assert [row[-1] for row in table.rows] == ["wins" if right > 0.5 else "does not win"] * len(HUMANS)
    assert any(says in sentence for sentence in found.answer.because)


def test_a_judge_that_loses_stands_on_the_first_screen(tmp_path: Path) -> None:
    lost = "gpt may not stand in for people: it wins over 0 of 3 annotators"
    for right, notes in ((0.1, [lost, says.GPT_WITH_PEOPLE_LOW]), (0.9, [says.GPT_WITH_PEOPLE_HIGH])):
        found = audited(tmp_path, rows(right), [*HUMANS, "gpt"], humans=HUMANS)
        (who,) = [s for s in found.sections if s.screen == "who"]
        assert [block.text for block in who.blocks if isinstance(block, Note)] == notes


def test_what_else_differs_is_said(tmp_path: Path) -> None:
    """A judge that is as close to the others as they are to each other, and gives a point more than they do."""
    drawn = random.Random(2)
    numbers = [
        {"id": i, **{human: str(drawn.randint(1, 5)) for human in HUMANS}, "gpt": str(drawn.choice([3, 4, 4, 5]))}
        for i in range(200)
    ]
    labels = [str(n) for n in range(1, 6)]
    found = audited(
        tmp_path, numbers, [*HUMANS, "gpt"], humans=HUMANS, labels=labels, acceptable=["1"], valid="1", **SOUND
    )
    mean = sum(int(row["gpt"]) for row in numbers) / 200
    others = sum(int(row[human]) for row in numbers for human in HUMANS) / 600
    text = section(found, TITLE).replace("\n", " ")
    assert says.NOT_WHETHER_THEY_AGREE_WELL in text
    assert says.IT_GIVES_POINTS_MORE_THAN.format(fixed(mean - others, 2)) in text
    nominal = [{"id": i, **dict.fromkeys(HUMANS, "AB"[i % 2]), "gpt": "A" if i % 4 else "B"} for i in range(80)]
    assert says.IT_GIVES_ON_OF_THE in section(audited(tmp_path, nominal, [*HUMANS, "gpt"], humans=HUMANS), TITLE)


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (None, ""),
        (LabelGap("A", 0.05, 0.0), says.IT_GIVES_ON_OF_THE_ITEMS),
        (LabelGap("A", 0.5, 0.549), ""),
        (LabelGap("A", 0.5, 0.56), says.IT_GIVES_ON_OF_THE_ITEMS_THEY),
        (LabelGap(None, 1.0, 1.5), says.IT_GIVES_POINTS_LESS_THAN),
        (LabelGap(None, 1.504, 1.5), ""),
    ],
)
def test_a_difference_is_worth_a_word_from_so_much_on(difference: LabelGap | None, words: str) -> None:
    assert _differs(difference, StandIns([], AlternativeTest(HUMANS)), str) == words


def test_without_humans_nothing_is_tested(tmp_path: Path) -> None:
    found = audited(tmp_path, rows(0.9), [*HUMANS, "gpt"])
    assert section(found, TITLE) == ""


def test_few_items_say_nothing(tmp_path: Path) -> None:
    found = audited(tmp_path, rows(0.9, 29), [*HUMANS, "gpt"], humans=HUMANS)
    assert says.GPT_NO_ANNOTATOR_HAS_ITEMS in section(found, TITLE)


@pytest.mark.parametrize(
    ("audit", "message"),
    [
        ({"humans": ["human"]}, r"audit\.humans: expected two or more different annotators"),
        ({"humans": ["human", "ann", "ann"]}, r"audit\.humans: expected two or more different annotators"),
        ({"humans": ["human", "ann", "bod"]}, says.NO_RATER_BOD),
        ({"humans": [*HUMANS, "dora"]}, says.NO_RATER_DORA),
        ({"humans": [*HUMANS, "gpt"]}, r"audit\.humans: every rater is one"),
        ({"humans": HUMANS, "epsilon": 1}, r"audit\.epsilon: expected a number from 0 to 1"),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, audit: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        audited(tmp_path, rows(0.9), [*HUMANS, "gpt"], **audit)
