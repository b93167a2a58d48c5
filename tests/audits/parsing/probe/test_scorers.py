"""The probe on made-up tasks: scorers that tell right from wrong, and scorers that do not."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.probe.draw import ProbedTrial
from auditfw.audits.parsing.probe.scorers import first_items, is_slow
from auditfw.components.matcher.math import Math
from auditfw.components.matcher.texts import Exact
from auditfw.core.document import Note, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import AnswerRule, Estimate, Result
from auditfw.formulas.answer_signs import DENIES, INSIDE, SEVERAL, answer_signs
from auditfw.kinds.registry import register

OPTIONS = ["anise", "basil", "chive", "dill", "endive", "fennel", "garlic", "hyssop", "ivy", "juniper"]
METRICS = ("luck", "either_way", "constant_accepted")
RULES = ("either_way", "luck_above_most_frequent", "no_skill")


def task(n: int, right: float, says: str = "{}", options: list[str] = OPTIONS, seed: int = 1) -> list[dict[str, Any]]:
    """Questions with one of the options as the truth; a share of the answers is right, the others are guessed.

    `says` is how an answer is put; a second place in it names another option.
    """
    rng = random.Random(seed)
    rows = []
    for at in range(n):
        truth = rng.choice(options)
        answer = truth if rng.random() < right else rng.choice(options)
        text = says.format(answer, rng.choice(options))
        rows.append({"id": f"{at:05}", "ground_truth": truth, "raw_text": text, "parsed_text": text})
    return rows


def audited(rows: list[dict[str, Any]], **more: Any) -> Result:
    """The audit of trials whose stored labels are those of the stored text under containment, unless they have some."""
    labelled = [{"stored": int(row["ground_truth"] in row["parsed_text"]), **row} for row in rows]
    chosen = {"parser": ["stored", "raw"], "normalizer": ["none"], "matcher": "containment", "by": [], "gate": []}
    metrics = {name: {"use": name} for name in METRICS}
    audit = {"baseline": {"parser": "stored", "normalizer": "none"}, **more.pop("audit", {})}
    source = {"use": "frame", "frame": labelled}
    return auditfw.run(
        {"experiment": "answer_parsing", "source": source, **chosen, "metrics": metrics, "audit": audit, **more}
    )


def rules(result: Result) -> dict[str, AnswerRule]:
    assert result.answer is not None
    return {rule.rule: rule for rule in result.answer.rules if rule.rule in RULES}


def fired(result: Result) -> list[str]:
    return [name for name, rule in rules(result).items() if rule.fired]


def measured(result: Result, reading: str = "stored") -> dict[str, Estimate]:
    return {m.metric: m.estimate for m in result.measurements if m.metric in METRICS and m.reading == reading}


def text_of(result: Result, title: str = "Does the Scorer Tell Right From Wrong?") -> list[str]:
    sections = [section for section in result.sections if section.title == title]
    return [block.text for section in sections for block in section.blocks if isinstance(block, Note)]


def test_a_sound_scorer() -> None:
    result = audited(task(600, 0.7))
    assert fired(result) == []
    assert result.answer is not None
    assert result.answer.status == "stable"
    assert measured(result)["either_way"].value == 0
    luck = measured(result)["luck"].value
    assert luck is not None
    assert 5 < luck < 15
    assert text_of(result)[:2] == [
        says.ALL_TRIALS_OF_ITEMS_THE,
        says.CONSTANT_ANSWERS_DO_AT_LEAST,
    ]


def test_a_constant_that_wins() -> None:
    """A yes/no task where "yes" is right in nine of ten, and the answers are no better than that."""
    rows = task(500, 0.0, options=["yes"] * 9 + ["no"])
    result = audited(rows, matcher="exact")
    estimate = measured(result)["constant_accepted"]
    assert estimate.value == pytest.approx(100 * sum(row["ground_truth"] == "yes" for row in rows) / 500)
    assert estimate.low is not None
    assert estimate.low > 85
    assert result.answer is not None
    assert result.answer.status == "stable"
    assert "the most frequent truth 89.6 %" in result.answer.because[-1]
    assert "yes no" not in result.answer.because[-1]  # no text is equal to both


def test_a_scorer_that_accepts_two_of_ten() -> None:
    """Containment over a whole text that names a second option."""
    result = audited(task(1500, 0.6, "{}; but maybe {}"), audit={"probe": 2000})
    assert fired(result) == ["either_way", "luck_above_most_frequent"]
    assert result.answer is not None
    assert result.answer.status == "fragile"
    assert result.answer.headline.startswith(says.OF_THE_ANSWERS_THAT_SCORER)
    rule = rules(result)["either_way"]
    assert rule.value is not None
    assert 8 < rule.value < 13  # a second option is one certain other in about a tenth of the answers
    assert rule.bound == 5
    luck = rules(result)["luck_above_most_frequent"]
    assert luck.value is not None
    assert luck.bound is not None
    assert 16 < luck.value < 22
    assert 10 < luck.bound < 14
    assert audited(task(1500, 0.6, "{}; but maybe {}"), audit={"either_way": 50}).answer is not None
    assert "either_way" not in fired(audited(task(1500, 0.6, "{}; but maybe {}"), audit={"either_way": 50}))


def test_a_scorer_that_accepts_everything() -> None:
    result = audited(task(300, 0.5, " ".join(OPTIONS)))
    assert result.answer is not None
    assert result.answer.status == "broken"
    assert result.answer.headline == says.OF_THE_ANSWERS_THAT_SCORER_STORED
    assert rules(result)["either_way"].bound == 50
    assert len(result.answer.because) == 3
    assert result.answer.next.endswith(says.OR_A_PARSER_THAT_FINDS)
    assert result.exit_code == 0


def test_a_model_at_chance_is_only_reported() -> None:
    result = audited(task(600, 0.0))
    rule = rules(result)["no_skill"]
    assert rule.low is not None
    assert rule.low <= 0
    assert fired(result) == []


def test_labels_from_the_wrong_column() -> None:
    """The stored text is a guess, the raw one is not: the rule behind the labels has no skill, a reading has."""
    guesses = task(600, 0.0, seed=2)
    rows = [row | {"parsed_text": guess["parsed_text"]} for row, guess in zip(task(600, 0.7), guesses, strict=True)]
    result = audited(rows)
    assert fired(result) == ["no_skill"]
    assert result.answer is not None
    assert result.answer.status == "broken"
    assert result.answer.headline == says.THE_SCORER_STORED_NONE_DOES
    assert result.answer.next.endswith(says.TO_COMPARE_WITH_A_BETTER)
    other = audited(rows, audit={"reference": "raw+none"})
    assert fired(other) == []
    assert measured(other, "stored") == measured(result, "stored")  # now one of the candidates
    assert audited(rows, audit={"margin": 90}).answer is not None
    assert "no_skill" not in fired(audited(rows, audit={"margin": 90}))


def test_labels_of_no_known_rule() -> None:
    rows = task(300, 0.5)
    rows[0]["stored"] = 0 if rows[0]["ground_truth"] in rows[0]["parsed_text"] else 1
    result = audited(rows)
    assert rules(result) == {}
    assert measured(result)["luck"].undefined == says.NO_RULE_IS_KNOWN_TO
    assert measured(result, "stored+none")["luck"].value is not None
    assert result.answer is not None
    assert says.NO_RULE_IS_KNOWN_TO_REPRODUCE in result.answer.scope


def test_the_rule_that_a_search_found_is_the_scorer() -> None:
    """Labels by the last line alone, which no reading takes: what the probe says of it is what it says of a reading."""
    rows = [row | {"stored": int(row["raw_text"] == row["ground_truth"])} for row in task(300, 0.6)]
    rows = [row | {"raw_text": f"Or {row['ground_truth']}?\n{row['raw_text']}", "parsed_text": "none"} for row in rows]
    result = audited(rows)
    assert result.answer is not None
    assert "no rule is known" not in result.answer.scope
    [head, *_] = text_of(result)
    name = head.removeprefix(says.ALL_TRIALS_OF_ITEMS_THE_SCORER).removesuffix(".")
    assert name.count("+") == 2
    assert name not in {m.reading for m in result.measurements}
    parser, normalizer, matcher = name.split("+")
    rule = {"parser": parser, "normalizer": normalizer}
    same = audited(rows, matcher=matcher, parser=["stored", "raw", parser], audit={"baseline": rule})
    assert measured(result) == measured(same)
    assert rules(result)["luck_above_most_frequent"].reading == name
    [table] = [
        block
        for section in result.sections
        if section.title.startswith("Does the Scorer")
        for block in section.blocks
        if isinstance(block, Table)
    ]
    assert [row[0] for row in table.rows] == ["stored+none", "raw+none", name]
    other = audited(rows, audit={"reference": "raw+none"})
    assert measured(other) == measured(result)  # of the stored labels, now a candidate
    assert other.answer is not None
    assert name not in other.answer.next


def test_a_found_rule_that_accepts_either_way_breaks_the_labels() -> None:
    rows = [row | {"stored": 1 - i % 2} for i, row in enumerate(task(200, 0.6))]
    rows = [row | {"raw_text": " ".join(OPTIONS) if row["stored"] else "none", "parsed_text": ""} for row in rows]
    result = audited(rows, parser=["stored"])
    assert "either_way" in fired(result)
    assert result.answer is not None
    assert result.answer.status == "broken"
    assert rules(result)["either_way"].reading not in ("stored+none", "stored")
    assert "no rule is known" not in result.answer.scope


def test_a_reading_that_gives_all_labels_is_the_scorer_without_a_baseline() -> None:
    rows = task(300, 0.5)
    result = audited(rows, audit={"baseline": None})
    assert text_of(result)[0].endswith(says.THE_SCORER_OF_THE_REFERENCE)
    judged = audited(rows, audit={"baseline": None, "labels": "judge"})
    assert judged.answer is not None
    assert says.THE_REFERENCES_LABELS_ARE_THOSE in judged.answer.scope
    assert text_of(judged)[0].endswith(says.THE_REFERENCES_LABELS_ARE_THOSE_OF)
    assert rules(judged) == {}


def test_one_truth_a_cell() -> None:
    rows = [row | {"cell": row["ground_truth"]} for row in task(300, 0.5)]
    result = audited(rows, by=["cell"])
    estimate = measured(result)["either_way"]
    assert (estimate.value, estimate.counted, estimate.missing) == (None, 0, 300)
    assert estimate.undefined == says.NO_CELL_HAS_TWO_DIFFERENT
    assert "either_way" not in rules(result)
    assert result.answer is not None
    assert f"either way is undefined: {estimate.undefined}" in result.answer.scope


def test_one_item_a_cell() -> None:
    rows = [row | {"cell": row["id"]} for row in task(20, 0.5)]
    result = audited(rows, by=["cell"])
    assert measured(result)["luck"].undefined == says.NO_CELL_HAS_TWO_ITEMS
    assert rules(result) == {}


@pytest.mark.parametrize("probe", [0, None])
def test_no_probe(probe: int | None) -> None:
    result = audited(task(50, 0.5), audit={"probe": probe})
    assert measured(result)["luck"].undefined == says.NO_TRIAL_WAS_DRAWN_FOR
    assert result.answer is not None
    assert says.THE_SCORER_WAS_NOT_PROBED in result.answer.scope
    assert text_of(result) == []


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("probe", -1, says.EXPECTED_A_WHOLE_NUMBER_FROM_TO_GOT),
        ("probe", 20_001, says.EXPECTED_A_WHOLE_NUMBER_FROM_2),
        ("probe", "all", "expected a whole number"),
        ("either_way", 0, "expected a number above 0"),
        ("either_way", 101, "at most 100"),
    ],
)
def test_settings(setting: str, value: Any, message: str) -> None:
    with pytest.raises(UsageError, match=f"audit.{setting}") as caught:
        audited(task(5, 0.5), audit={setting: value})
    assert message in str(caught.value)


def test_cells_are_not_measured() -> None:
    rows = [row | {"cell": at % 2} for at, row in enumerate(task(40, 0.5))]
    result = audited(rows, by=["cell"])
    assert not [m for m in result.measurements if m.metric in METRICS and m.cell]


def test_a_part_is_drawn() -> None:
    result = audited(task(300, 0.5), audit={"probe": 100})
    assert text_of(result)[0].startswith(says.TRIALS_OF_ITEMS_A_RANDOM)
    assert measured(result)["luck"].counted == 100
    other = audited(task(300, 0.5), audit={"probe": 100}, seed=1)
    assert measured(other)["luck"].counted == 100
    assert measured(other) != measured(result)


@register("matcher", "own_of_probe")
@dataclass(frozen=True)
class Own:
    """Is a user's own."""

    def __call__(self, answer: str, truth: str) -> bool:
        return answer == truth


@dataclass(frozen=True)
class Quick(Own):
    """Is one that says it is quick."""

    slow: ClassVar[bool] = False


@pytest.mark.parametrize(("matcher", "slow"), [(Exact(), False), (Own(), True), (Quick(), False), (Math, True)])
def test_slow_matchers(matcher: Any, slow: bool) -> None:
    assert is_slow(matcher) is slow


def test_few_trials_for_a_slow_matcher() -> None:
    assert measured(audited(task(400, 0.5), matcher="own_of_probe"))["luck"].counted == 25
    assert measured(audited(task(100, 0.5), matcher="own_of_probe"))["luck"].counted == 20


def test_a_slow_matcher_takes_the_first_items() -> None:
    drawn = [ProbedTrial(rank, "i", at, str(at), (), "t", 1, "", None) for rank in range(4) for at in range(3)]
    for most, kept in ((12, 12), (11, 9), (9, 9), (8, 6), (3, 3), (2, 3), (0, 3)):
        assert first_items(drawn, most) == drawn[:kept]
    assert first_items([], 0) == []


@pytest.mark.parametrize(
    ("answer", "truth", "options", "signs"),
    [
        ("not Paris", "Paris", [], (DENIES,)),
        ("Paris", "Paris", ["Paris", "Lyon"], ()),
        ("Paris or Lyon", "Paris", ["Paris", "Lyon"], (SEVERAL,)),
        ("not Paris, Lyon", "Paris", ["Paris", "Lyon"], (DENIES, SEVERAL)),
        ("17", "7", [], (INSIDE,)),
        ("not Paris but Rome", ("Paris", "Rome"), [], ()),  # one of its truths is not denied
        ("Parisian", ("Paris", "Rome"), [], (INSIDE,)),
        ("Oslo", "Paris", [], ()),
        ("not", ("", "not"), [], ()),
    ],
)
def test_signs(answer: str, truth: Any, options: list[str], signs: tuple[str, ...]) -> None:
    assert answer_signs(answer, alternatives(truth), options) == signs


def test_answers_to_look_at() -> None:
    rows = task(30, 1.0)
    rows[3] |= dict.fromkeys(("raw_text", "parsed_text"), f"It is not {rows[3]['ground_truth']}")
    rows[4]["raw_text"] = f"un{rows[4]['ground_truth']}s {rows[4]['ground_truth']}ly"
    result = audited(rows)
    [section] = [section for section in result.sections if section.title == "Accepted Answers to Check"]
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[:2] for row in table.rows] == [["stored+none", "1"], ["raw+none", "1"]]
    exhibits = section.blocks[2:]
    assert [block.title for block in exhibits if not isinstance(block, Note | Table)] == ["00003", "00004"]  # type: ignore[union-attr]


def test_items_whose_trials_have_several_truths() -> None:
    """An answer is held against a truth that differs from its own trial's, not from its item's."""
    rows = task(600, 0.0, options=["Paris", "Rome", "Oslo", "Bern"])
    result = audited([{**row, "item": f"q{i // 6}"} for i, row in enumerate(rows)])
    assert measured(result)["either_way"].value == 0


@pytest.mark.parametrize("kind", ["not-icontains", "not-contains", "not-regex", "not-equals", "not-starts-with"])
def test_a_negative_rule_is_not_probed(kind: str) -> None:
    """It accepts what lacks its text, so nearly every answer passes for another truth, too: that is no fault."""
    words = ["sorry", "as an AI", "cannot", "unable"]
    rows = [
        {"id": str(i), "ground_truth": words[i % 4], "raw_text": text, "parsed_text": text, "stored": int(i % 10 > 0)}
        for i in range(200)
        for text in [words[i % 4] if i % 10 == 0 else f"Dear guest {i}"]
    ]
    result = audited(rows, matcher="promptfoo", audit={"matcher": {"assertion": kind}})
    assert not rules(result)
    why = says.THE_RULE_IS_NEGATIVE_IT
    assert result.answer is not None
    assert f"Probe of the scorer: {why}" in result.answer.scope
    assert {result.measurement(name, "stored+none").estimate.undefined for name in METRICS} == {why}
    [section] = [one for one in result.sections if one.title == "Does the Scorer Tell Right From Wrong?"]
    notes = [block.text for block in section.blocks if isinstance(block, Note)]
    assert not any("no problem with" in text for text in notes)
    assert f"stored+none, raw+none: {why}." in notes
    assert not any("Constant answers" in text for text in result.answer.because)


def test_beside_negative_rules_the_others_are_probed_among_themselves() -> None:
    """A third of the rows have a negative rule; the truths of the others are compared with each other alone."""
    rows = [
        {**row, "kind": "contains", "stored": int(row["ground_truth"] in row["raw_text"])} for row in task(200, 0.8)
    ]
    plain = audited(rows)
    extra = [
        {
            "id": f"n{i}",
            "ground_truth": "sorry",
            "raw_text": f"Dear {i}",
            "parsed_text": f"Dear {i}",
            "stored": 1,
            "kind": "no",
        }
        for i in range(100)
    ]
    part = {"parser": "stored", "normalizer": "none"}
    negative = {**part, "matcher": {"use": "promptfoo", "assertion": "not-contains"}}
    baseline = {"by": "kind", "rules": {"contains": {**part, "matcher": "containment"}, "no": negative}}
    result = audited([*rows, *extra], audit={"baseline": baseline})
    assert result.answer is not None
    assert says.PROBE_OF_THE_SCORER_WITHOUT in result.answer.scope
    assert rules(result)["either_way"].value == 0.0 == rules(plain)["either_way"].value
    assert "no_skill" not in fired(result)
