"""What an answer says in words: by the audit and the status, else by what decided."""

from __future__ import annotations

import pytest
from sentences import all_audits as says

from auditfw.audits.answers import BY_KIND, BY_STATUS, words_of
from auditfw.core.records import AnswerStatus, titled_answer


@pytest.mark.parametrize(
    ("audit", "status", "kinds", "words"),
    [
        ("parsing", "stable", [], "HOLDS"),
        ("parsing", "fragile", ["moves_whole"], "DEPENDS ON SCORING"),
        ("parsing", "fragile", ["pair_turned"], says.WHO_IS_BETTER_DEPENDS_ON),
        ("parsing", "fragile", ["moves_whole", "rows_twice"], says.DEPENDS_ON_WHICH_ROWS_COUNT),
        ("parsing", "fragile", ["truths_differ"], says.DEPENDS_ON_WHICH_ROWS_COUNT),
        ("parsing", "broken", ["truths_differ"], "TRUTHS CONTRADICT EACH OTHER"),
        ("parsing", "broken", ["no_rule"], "LABELS HAVE NO RULE"),
        ("parsing", "broken", ["no_skill"], "NO BETTER THAN LUCK"),
        ("parsing", "unknown", ["nothing_fits"], "CANNOT TELL"),
        ("alignment", "fragile", ["must_missed"], "MISSES SOME"),
        ("alignment", "fragile", ["not_deterministic"], "DOES NOT REPEAT"),
        ("alignment", "broken", ["outcome_factor"], "DOES NOT DO IT"),
        ("consistency", "fragile", ["renamed"], "THEY USE DIFFERENT WORDS"),
        ("consistency", "broken", ["chance_agreement"], "THEY DO NOT AGREE"),
        ("consistency", "stable", ["rows_twice"], "THEY AGREE"),
        ("self_audit", "fragile", ["tests_fall"], "SOME SOLVED ARE WRONG"),
        ("self_audit", "unknown", ["few_solved"], "CANNOT TELL"),
        ("self_audit", "unknown", ["nothing_solved"], "NOTHING WAS SOLVED"),
        ("somebody_elses", "fragile", ["rows_twice"], "FRAGILE"),
    ],
)
def test_words(audit: str, status: AnswerStatus, kinds: list[str], words: str) -> None:
    assert words_of(audit, status, kinds) == words


def test_the_status_is_in_brackets_once() -> None:
    assert titled_answer("HOLDS", "stable") == "HOLDS (stable)"
    assert titled_answer("FRAGILE", "fragile") == titled_answer("", "fragile") == "FRAGILE"


def test_no_words_are_said_of_two_statuses_of_one_audit() -> None:
    for by_status in BY_STATUS.values():
        assert len(set(by_status.values())) == 3
        assert not set(by_status.values()) & set(BY_KIND.values())
