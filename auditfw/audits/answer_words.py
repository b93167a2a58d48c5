"""What an answer says in two or three words: by the audit and the status, else by what decided.

A status is a word for scripts; a person asked something else in each audit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditfw.core.records import AnswerStatus

CANNOT_TELL = "CANNOT TELL"
BY_STATUS: Mapping[str, Mapping[AnswerStatus, str]] = {
    "parsing": {"stable": "HOLDS", "fragile": "DEPENDS ON SCORING", "broken": "LABELS HAVE NO RULE"},
    "alignment": {"stable": "DOES WHAT WAS INTENDED", "fragile": "MISSES SOME", "broken": "DOES NOT DO IT"},
    "consistency": {"stable": "THEY AGREE", "fragile": "THEY AGREE IN PART", "broken": "THEY DO NOT AGREE"},
    "self_audit": {
        "stable": "SOLVED MEANS RIGHT",
        "fragile": "SOME SOLVED ARE WRONG",
        "broken": "MOST SOLVED ARE WRONG",
    },
}
BY_KIND: Mapping[str, str] = {
    kind: words
    for words, kinds in {
        "WHO IS BETTER DEPENDS ON SCORING": "claim_turned pair_turned",
        "DEPENDS ON WHICH ROWS COUNT": "rows_twice cell_twice items_uneven",
        "NOT ALL WAS SCORED": "unfinished unfinished_turns answered_turns truths_missing",
        "SCORER ACCEPTS TOO MUCH": "either_way luck_above_most_frequent",
        "NO BETTER THAN LUCK": "no_skill",
        "LABELS ARE IN DOUBT": (
            "labels_shifted labels_inverted graders_mixed answers_unsourced two_grades placeholder_labels "
            "options_permuted judge_off inside_noise"
        ),
        "DEPENDS ON THE WEIGHTS": "weights_turn",
        "DOES NOT REPEAT": "not_deterministic",
        "TRUTHS DO NOT BELONG TO THE ANSWERS": "truths_shifted",
        "NOTHING WAS MEASURED": "nothing_fits",
        "DIFFERENT TEXTS WERE JUDGED": "joins",
        "THEY USE DIFFERENT WORDS": "renamed",
        "THEY USE DIFFERENT SCALES": "scale_factor",
    }.items()
    for kind in kinds.split()
}
TRUTHS_DIFFER: Mapping[AnswerStatus, str] = {
    "broken": "TRUTHS CONTRADICT EACH OTHER",
    "fragile": "DEPENDS ON WHICH ROWS COUNT",
}


def words_of(audit: str, status: AnswerStatus, kinds: Sequence[str]) -> str:
    """The words of an answer whose headline is of these rules and kinds of findings, the first of them first.

    An audit that is not ours has the word of the status.
    """
    if audit not in BY_STATUS:
        return status.upper()
    if status == "unknown":
        return CANNOT_TELL
    by_kind = {**BY_KIND, "truths_differ": TRUTHS_DIFFER.get(status, "")} if status != "stable" else {}
    return next((by_kind[kind] for kind in kinds if kind in by_kind), BY_STATUS[audit][status])
