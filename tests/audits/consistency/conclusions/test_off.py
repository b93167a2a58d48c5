"""A rater that is off: it is named in the answer, others are compared without it, and the command leaves it out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from first_screens import lines, rated
from judging import answer
from sentences import consistency as says

from auditfw.audits.consistency.audit import Consistency
from auditfw.core.document import Note
from auditfw.core.records import Result

PEOPLE, JUDGE = ("anna", "bela", "carl"), "judge"
LABELS = [*"12345"]


def study(
    people: Sequence[str] = PEOPLE, raters: Sequence[str] = (), guessed: Sequence[str] = (), **audit: Any
) -> Result:
    """120 items: people near the truth but for carl, who gives 4 to four of five; the judge is half a step above."""
    drawn = random.Random(5)
    rows: list[dict[str, Any]] = []
    for i in range(120):
        truth = drawn.randint(1, 5)
        own = {name: str(min(5, max(1, truth + drawn.choice((-1, 0, 0, 1))))) for name in people}
        own |= {"carl": own["carl"] if i % 5 == 0 else "4"} if "carl" in own else {}
        rows.append({"id": f"q{i}", **own, JUDGE: str(min(5, truth + drawn.choice((0, 1))))})
    bounds = {"humans": [*people], "kappa": 0.9}  # which nobody meets
    return rated(rows, raters or (*people, JUDGE), LABELS, guessed, **{**bounds, **audit})


def test_who_is_off_is_named_with_what_is_so_without() -> None:
    told = answer(study())
    off, judge = told.because[:2]
    assert off.startswith(says.CARL_IS_OFF_MEAN)
    assert says.OF_BOTH_CARL_GIVES in off
    assert judge.startswith(says.WHETHER_JUDGE_MAY_REPLACE)
    assert says.POINTS_MORE_THAN_ANNA in judge
    assert told.change.startswith(says.WITHOUT_CARL_WEIGHTED_KAPPA)
    assert told.next == says.WITHOUT_CARL_THE_COMMAND
    assert told.kinds[-1] == "lazy_rater", "so that the line of the data does not say it again"


def test_the_first_screen_compares_with_those_that_are_not_off() -> None:
    told = lines(study())
    assert told[0].startswith(says.AGAINST_THE_OTHERS_NOT_OFF)
    assert says.MAY_JUDGE_REPLACE_PEOPLE in told
    assert any(line.startswith(says.JUDGE_WITH_ANNA) and says.ANNA_WITH_BELA in line for line in told)
    with_others = {line.partition("|")[0]: float(line.split("|")[1].split(" [")[0]) for line in told[2:6]}
    assert with_others.pop("carl") < 0.3
    assert min(with_others.values()) > 0.5


def test_of_enough_people_the_test_is_done_again_without_the_one_that_is_off() -> None:
    told = answer(study((*PEOPLE, "dora")))
    assert told.because[1].startswith(says.WITHOUT_CARL_JUDGE_PASSES)
    assert told.because[1].endswith(says.WITH_CARL_WHICH_IS_OFF)
    assert says.HUMANS_ANNA_BELA_DORA in told.next, "for a user named four"


def test_two_people_are_too_few_for_the_test_and_their_agreement_is_shown() -> None:
    result = study(people=PEOPLE[:2])
    told, screen = answer(result), lines(result)
    assert says.MAY_JUDGE_TWO_PEOPLE in screen
    assert any(line.startswith(says.JUDGE_WITH_ANNA) and says.ANNA_WITH_BELA in line for line in screen)
    assert told.because[0].startswith(says.WHETHER_JUDGE_TWO_PEOPLE)
    assert not [rule for rule in told.rules if rule.rule == "winning_rate"]
    assert told.next == says.HAVE_A_THIRD_PERSON


def test_a_paper_gives_the_agreement_of_people_and_who_was_left_out() -> None:
    (section,) = [s for s in study().sections if s.title == "For Your Paper"]
    (block,) = section.blocks
    assert isinstance(block, Note)
    assert says.AGREEMENT_BETWEEN_PEOPLE in block.text
    assert says.CARL_WAS_LEFT_OUT in block.text


@pytest.mark.parametrize("raters", [PEOPLE, ("carl", "bela", "anna"), ("anna", "carl", "bela")])
def test_of_three_people_the_one_that_is_off_is_no_reference_by_guess(raters: Sequence[str]) -> None:
    result = study(people=PEOPLE, raters=raters, humans=[], guessed=["audit.reference"])
    told = answer(result)
    assert result.reference == {"carl": "bela"}.get(raters[-1], raters[-1])
    assert told.headline.startswith(says.WEIGHTED_KAPPA_OF_CARL_AND.format(result.reference))
    assert told.because[0].startswith(says.CARL_IS_OFF_MEAN)
    assert [finding.kind for finding in result.findings if finding.kind == "lazy_rater"]


def test_a_reference_that_somebody_typed_stays() -> None:
    assert study(raters=PEOPLE, humans=[]).reference == "carl"


GUESSED = ("audit.raters", "audit.humans", "audit.reference")


@pytest.mark.parametrize(
    ("raters", "guessed", "humans", "reference"),
    [
        (("anna", "bela", "carl", "judge"), GUESSED, PEOPLE, "judge"),
        (("anna", "bela", "judge"), GUESSED, PEOPLE[:2], "judge"),
        (("anna", "judge"), GUESSED, (), "judge"),  # one person agrees with nobody
        (("anna", "bela", "carl"), GUESSED, (), "carl"),  # no judge is left
        (("anna", "bela", "carl", "dora"), GUESSED, PEOPLE, "dora"),
        (("anna", "bela", "judge"), GUESSED[:1], PEOPLE, "judge"),  # what is typed stays
        (("anna", "bela", "carl"), GUESSED[1:2], (), "judge"),
        (None, GUESSED, PEOPLE, "judge"),
    ],
)
def test_what_was_guessed_fits_the_raters(
    raters: tuple[str, ...] | None, guessed: Sequence[str], humans: Sequence[str], reference: str
) -> None:
    settings = _settings(raters)
    now = settings.reguessed(guessed)
    assert (now.humans, now.reference) == (tuple(humans), reference)


def _settings(raters: tuple[str, ...] | None) -> Consistency:
    made: Any = object()
    return replace(Consistency(made, reference="judge", humans=PEOPLE), raters=raters)
