"""Which readings do not fit, what follows where none calls an answer right, or none is a different rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from sentences import parsing as says

import auditfw
from auditfw.core.records import Answer
from auditfw.core.results.findings import Finding


def audited(
    texts: Sequence[str], truths: Sequence[Any], parser: Sequence[str], stored: Sequence[int] | None = None,
    further: Mapping[str, Any] | None = None, **settings: Any,
) -> tuple[dict[str, Finding], Answer]:  # fmt: skip
    """The findings by kind and the answer of a run over as many rows as there are truths; texts come again."""
    rows = [
        {"id": f"t{i}", "raw_text": texts[i % len(texts)], "ground_truth": truth, **(further or {})}
        | ({} if stored is None else {"stored": stored[i]})
        for i, truth in enumerate(truths)
    ]
    result = auditfw.run(
        {
            "source": {"use": "frame", "frame": rows}, "parser": [*parser], "normalizer": ["casefold"],
            "matcher": "exact", "by": [], "gate": [], "audit": {"baseline": None, **settings},
        }
    )  # fmt: skip
    assert result.answer is not None
    return {one.kind: one for one in result.findings}, result.answer


LETTERS, NUMBERED = ["A", "B", "C", "D"] * 30, [str(n) for n in range(120)]
BARE = [f"The answer is {letter}." for letter in LETTERS]
CHINESE = [f"所以本题选{letter}。" for letter in LETTERS]


@pytest.mark.parametrize(
    ("texts", "truths", "parser", "unfit"),
    [
        (BARE, LETTERS, ["choice_letter", "answer_line"], says.ANSWER_LINE_CASEFOLD_FINDS_NO),
        (BARE, LETTERS, ["choice_letter", "raw"], says.RAW_CASEFOLD_CALLS_NO_ANSWER),
        (CHINESE, LETTERS, ["choice_letter", "mmlu_pro_three_step", "first_letter"], "mmlu_pro_three_step+casefold fi"),
        (BARE, LETTERS, ["choice_letter", "mmlu_pro_three_step", "first_letter"], None),
        # strict, and right where it finds: seldom, but the user's
        ([*BARE[:30], *LETTERS[30:]], LETTERS, ["choice_letter", "answer_is"], None),
        (["Rome", "Oslo", "no idea"], ["Rome", "Oslo", "Bonn"] * 40, ["raw", "last_line"], None),
        (BARE[:19], LETTERS[:19], ["choice_letter", "answer_line"], None),  # too few
    ],
)
def test_a_reading_that_does_not_fit(
    texts: Sequence[str], truths: Sequence[str], parser: Sequence[str], unfit: str | None
) -> None:
    """It leaves the answer: what the others say stands."""
    findings, answer = audited(texts, truths, parser)
    assert ("reading_unfit" in findings) == (unfit is not None)
    if unfit is not None:
        assert findings["reading_unfit"].text.startswith(unfit)
        assert (findings["reading_unfit"].value, findings["reading_unfit"].points) == (1, None)
    fired = {rule.reading for rule in answer.rules if rule.fired and rule.rule == "moves_whole"}
    assert not fired or unfit is None


def test_one_that_is_named_decides() -> None:
    findings, answer = audited(BARE, LETTERS, ["choice_letter", "answer_line"], decides=["answer_line+casefold"])
    assert (answer.status, "reading_unfit" in findings) == ("fragile", False)


SOLVED = [f"Take {n} and add 3, which makes {n + 3}, the result." for n in range(40)]


@pytest.mark.parametrize(
    ("texts", "truths", "further", "status", "truth"),
    [
        ([f"It is {n + 3}." for n in range(40)], SOLVED, {}, "broken", "audit.truth=last_number"),
        (["B.", "A.", "D.", "C."], ["1", "0", "3", "2"] * 10, {}, "broken", "audit.truth=letter_of_index"),
        (["B.", "A.", "D.", "C."], ["x", "w", "z", "y"] * 10, {"options": [*"wxyz"]}, "broken",
         "audit.truth=letter_of_option"),
        (["It is Rome.", "It is Oslo."], ["Rome/Roma", "Oslo/Christiania"] * 20, {}, "broken",
         "'source.split={ground_truth: \"/\"}'"),
        (["7", "8"], ["Rome", "Oslo"] * 20, {}, "broken", ""),  # of another kind
        (["Bonn", "Kiel"], ["Rome", "Oslo"] * 20, {}, "unknown", None),  # a poor model may
    ],
)  # fmt: skip
def test_no_answer_is_right(
    texts: Sequence[str], truths: Sequence[str], further: Mapping[str, Any], status: str, truth: str | None
) -> None:
    findings, answer = audited(texts, truths, ["raw", "last_line"], further=further)
    finding = findings["nothing_fits"]
    assert (answer.status, finding.effect, finding.detail.get("truth")) == (status, status, truth)
    assert finding.text.startswith(says.NO_ANSWER_EQUALS_ITS_TRUTH)
    assert answer.headline.startswith("Nothing was measured: ") == (status == "broken")
    assert (truth or "") in answer.next


def test_a_truth_that_is_shown_is_cut_to_40_characters() -> None:
    findings, _ = audited(["7", "8"], ["R" * 40, "O" * 41] * 20, ["raw"])
    for shown in (f'truth "{"R" * 40}", answer "7"', f'truth "{"O" * 38} …", answer "8"'):
        assert shown in findings["nothing_fits"].text


def test_something_is_right() -> None:
    findings, _ = audited(["Rome", "Oslo"], ["Rome", *["Bonn"] * 39], ["raw"])
    assert "nothing_fits" not in findings


@pytest.mark.parametrize(
    ("parser", "family"), [(["last_number"], "one"), (["last_number", "raw"], "other"), (["raw"], "other")]
)
def test_a_copy_of_the_rule_is_no_other_rule(parser: Sequence[str], family: str) -> None:
    """Readings that find and compare as the reference does cannot show that scoring changes nothing."""
    scorer = {"baseline": {"parser": "flexible_extract", "normalizer": "none"}, "reference": "baseline"}
    findings, answer = audited(NUMBERED, NUMBERED, parser, **scorer)
    assert ("one_family" in findings, answer.status) == (family == "one", "unknown" if family == "one" else "stable")
    if family == "one":
        assert findings["one_family"].text == says.NO_DIFFERENT_RULE_WAS_COMPARED


@pytest.mark.parametrize(("stored", "because"), [(0, says.JUDGE_DOES_NOT_COMPARE), (1, says.RAW_CASEFOLD_GIVES_ALL_OF)])
def test_labels_of_a_judge(stored: int, because: str) -> None:
    labels = [1, *[stored] * 39]
    findings, answer = audited(["Rome"], ["Rome"] * 40, ["raw"], labels, labels="judge")
    assert (answer.status, findings["judge_labels"].effect) == ("unknown", "unknown")
    assert answer.headline == says.THE_LABELS_ARE_A_JUDGES
    assert answer.because[0].startswith(because)
