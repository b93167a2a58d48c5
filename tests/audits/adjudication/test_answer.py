"""What follows from people's labels: each rule of the answer on trials by hand, and the words for it."""

from __future__ import annotations

import pytest
from adjudicated import Trials, results_of
from sentences import adjudication as says

from auditfw.audits.adjudication.answer import answer_of, fitted
from auditfw.core.digits import rounded_up
from auditfw.core.records import HEADLINE, Answer

RIGHT, WRONG = Trials("11", 60, 60), Trials("00", 40, 0, 40)
HALF = [Trials("1", 5000, 132, 78), Trials("0", 5000, 78, 132)]  # 63 and 37 % right: 26 points, ± 9.2
WORDS = {
    "stable": "PEOPLE CONFIRM IT",
    "fragile": "PEOPLE DIFFER",
    "broken": "PEOPLE SAY OTHERWISE",
    "unknown": "CANNOT TELL",
}


def decided(answer: Answer) -> set[str]:
    """The rules that fired."""
    return {rule.rule for rule in answer.rules if rule.fired}


@pytest.mark.parametrize(
    ("groups", "status", "rules", "headline"),
    [
        ([Trials("11", 6000, 200), Trials("00", 4000, 0, 200), Trials("10", 10, 5)], "stable", "", says.CONFIRMED),
        ([RIGHT, Trials("00", 40, 4, 36)], "fragile", "off_some", says.OFF),
        ([Trials("11", 60, 56, 4), WRONG], "fragile", "off_some", says.OFF_THE_OTHER_WAY),
        ([RIGHT, Trials("00", 40, 20, 20)], "broken", "off off_some wide", says.FAR_OFF),
        ([Trials("1", 50, 25, 25), Trials("0", 50, 25, 25)], "broken", "skill skill_unsure", says.SAYS_LITTLE),
        (HALF, "unknown", "skill_unsure", says.MAY_SAY_LITTLE),
        ([Trials("11", 60, 9), Trials("00", 40, 0, 5)], "unknown", "few wide", says.FEW),
        ([Trials("11", 60, 3), Trials("00", 40, 0, 5)], "unknown", "few", says.TOO_FEW),
        ([Trials("11", 600, 45, 5), Trials("00", 400, 5, 35)], "unknown", "wide", says.WIDE),
    ],
)
def test_rules(groups: list[Trials], status: str, rules: str, headline: str) -> None:
    answer = answer_of(results_of(groups))
    assert (answer.status, decided(answer), answer.headline) == (status, set(rules.split()), headline)
    assert answer.words == WORDS[status]


def differing(several: int = 1) -> Answer:
    """Ten trials, five each way, on which the other reading is right and the reference is not."""
    groups = [Trials("11", 45, 45), Trials("00", 35, 0, 35), Trials("10", 5, 0, 5), Trials("01", 5, 5)]
    return answer_of(results_of(groups, several))


def test_another_reading_is_better_by_items_not_by_trials() -> None:
    """v1 is right on 10 of 10: of ten questions 2/2^10, of a single one it proves nothing."""
    answer = differing()
    assert (answer.status, answer.headline, decided(answer)) == ("fragile", says.BETTER, {"better"})
    assert says.BEST in answer.because
    spoken = [[answer.rules[place].rule for place in places] for places in answer.because_rules]
    assert dict(zip(answer.because, spoken, strict=True))[says.BEST] == ["better"]
    assert spoken[0] == ["skill"]  # the two false rates are those of the skill
    assert answer.next == says.COMPARE_WITH_IT
    assert differing(several=10).status == "stable"


def test_people_turn_two_cells() -> None:
    """In a 40 of 100 are wrong under the reference and 44 by people, in b 44 and 40; no rate is off as a whole."""
    a, b = ("a",), ("b",)
    groups = [
        *(Trials("1", 60, 56, 4, cell=a), Trials("0", 40, 0, 40, cell=a)),
        *(Trials("1", 56, 56, 0, cell=b), Trials("0", 44, 4, 40, cell=b)),
    ]
    answer = answer_of(results_of(groups))
    assert (answer.status, decided(answer), answer.headline) == ("fragile", {"turned"}, says.TURNED)
    assert answer_of(results_of(groups[:2])).status == "fragile"  # a alone: off by 4 points
    assert not decided(answer_of(results_of([*groups[:2], Trials("1", 56, 52, 4, cell=b), groups[3]]))) & {"turned"}


def test_bounds_are_settings() -> None:
    """The reference is off by 4 points: more than 3 breaks it, less than 5 does not matter."""
    groups = [RIGHT, Trials("00", 40, 4, 36)]
    assert answer_of(results_of(groups, off=3.0)).status == "broken"
    assert answer_of(results_of(groups, margin=5.0)).status == "stable"
    assert decided(answer_of(results_of(groups, margin=5.0, precision=3.0))) == {"wide"}
    assert decided(answer_of(results_of(groups, margin=5.0, least=101))) == {"few"}
    assert decided(answer_of(results_of(HALF, skill=10.0))) == set()


def test_why_and_what_next() -> None:
    off = answer_of(results_of([RIGHT, Trials("00", 40, 4, 36)]))
    assert off.next == says.READ_THE_FOUR
    assert answer_of(results_of([Trials("11", 60, 56, 4), WRONG])).next == says.READ_THE_OTHER_FOUR
    wide = answer_of(results_of([Trials("11", 600, 45, 5), Trials("00", 400, 5, 35)]))
    assert (wide.next, wide.because[0]) == (says.MORE_LABELS, says.FALSE_LABELS)
    left = answer_of(results_of([Trials("1", 600, 150, 0, 4), Trials("0", 400, 0, 100, 4)]))
    assert says.UNDECIDED in left.because
    assert says.SCOPE in left.scope


def test_a_headline_cuts_names() -> None:
    """The whole sentence is 140 characters at most, its end is there."""
    long = "a_reading_with_a_very_long_name" * 6
    headline = fitted(lambda name: f"People confirm {name}: 40.0 % wrong by 100 labels, 40.0 % by {name}.", long)
    assert len(headline) <= HEADLINE
    assert headline.endswith("….")


@pytest.mark.parametrize(("n", "rounded"), [(0, 0), (7, 7), (62, 62), (99, 99), (101, 110), (110, 110), (2841, 2900)])
def test_two_digits_and_not_below(n: int, rounded: int) -> None:
    assert rounded_up(n) == rounded
