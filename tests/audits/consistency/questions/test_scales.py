"""What is said of labels that stand in another row, of numbers on another scale, and of words for no label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from judging import answer, judged
from rated_studies import healthy
from sentences import consistency as says

from auditfw.core.records import Result
from auditfw.core.results.findings import Finding

N = 120


def columns(raters: int = 2, words: bool = False) -> np.ndarray:
    """Raters who agree on four of five items, from 1 to 5 or in words, as texts."""
    draw = np.random.default_rng(1)
    truth = draw.integers(1, 6, N)
    given = np.where(draw.random((raters, N)) < 0.2, np.clip(truth + draw.integers(-1, 2, (raters, N)), 1, 5), truth)
    return np.array(["", "awful", "bad", "fair", "good", "great"])[given] if words else given.astype("<U12")


def run(given: np.ndarray, **more: Any) -> Result:
    """A run on raters r0 (the reference), r1, …"""
    names = [f"r{i}" for i in range(len(given))]
    table = [
        {"id": f"i{item}", **{name: label or None for name, label in zip(names, column, strict=True)}}
        for item, column in enumerate(given.T.tolist())
    ]
    settings: dict[str, Any] = {"raters": names, "reference": "r0", "labels": "found", "acceptable": []}
    return judged(table, audit=settings | more, policy=[], gate=["agreement", "kappa"])


def finding(result: Result, kind: str) -> Finding:
    [one] = [one for one in result.findings if one.kind == kind]
    return one


@pytest.mark.parametrize("words", [False, True])
def test_all_labels_late(words: bool) -> None:
    labels = columns(words=words)
    labels[1] = np.roll(labels[1], 1)
    result = run(labels)
    one = finding(result, "labels_shifted")
    assert (one.effect, one.value, one.of, one.detail["lag"], one.detail["rater"]) == ("fragile", 119, N, 1, "r1")
    moved = np.count_nonzero(labels[0, :-1] == labels[1, 1:]) - np.count_nonzero(labels[0, :-1] == labels[1, :-1])
    assert one.points == pytest.approx(100 * moved / N)
    missed = "kappa_missed" if words else "weighted_kappa_missed"
    assert {"chance_agreement", missed} <= set(one.explains), "what a shift explains is not told beside it"
    kappa = "quadratic kappa" if not words else "kappa"
    assert answer(result).status == "fragile"
    assert answer(result).headline.startswith(says.THE_LABELS_OF_STAND_ONE.format(kappa))
    assert answer(result).next.startswith("Look at ")


@pytest.mark.parametrize("agrees", [True, False])
def test_low_agreement_is_explained_where_all_others_agree(agrees: bool) -> None:
    """The kappa of r1 is low for its shift; that of r2 is not, or is for another reason: drawn at random."""
    labels = columns(3)
    labels[1] = np.roll(labels[1], 1)
    if not agrees:
        labels[2] = np.random.default_rng(2).permutation(labels[2])
    one = finding(run(labels), "labels_shifted")
    assert ("chance_agreement" in one.explains) == agrees


def test_joined_records_are_looked_at_in_the_order_of_the_input() -> None:
    """The table has them by id, and ids may say nothing of the order."""
    labels = columns()
    labels[1] = np.roll(labels[1], 1)
    ids = [f"{7919 * item % 1009:04}" for item in range(N)]
    table = [
        {"id": id, "rater": f"r{rater}", "label": label}
        for rater in (0, 1)
        for id, label in zip(ids, labels[rater].tolist(), strict=True)
    ]
    settings = {"raters": ["r0", "r1"], "reference": "r0", "labels": "found", "acceptable": []}
    one = finding(judged(table, audit=settings, policy=[], gate=["kappa"]), "labels_shifted")
    assert (one.value, one.detail["lag"], one.detail["rater"]) == (119, 1, "r1")
    assert list(one.items[:2]) == ids[:2]


def test_some_labels_early() -> None:
    labels = columns(3)
    labels[2, 30:100] = np.roll(labels[2, 30:100], -2)
    one = finding(run(labels), "labels_shifted")
    assert (one.detail["rater"], one.detail["lag"]) == ("r2", -2)
    assert 28 <= one.detail["first"] <= 34
    assert 96 <= one.detail["last"] <= 100
    assert says.LABELS_OF_STAND_ROWS_TOO in one.text
    assert not [name for name in one.explains if name.endswith("kappa_missed")], "other raters are not excused"


def test_all_others_late_is_the_reference_early() -> None:
    labels = columns(3)
    labels[0] = np.roll(labels[0], -1)
    one = finding(run(labels), "labels_shifted")
    assert (one.detail["rater"], one.detail["lag"]) == ("r0", -1)
    assert one.headline.startswith(says.THE_LABELS_OF_STAND_ONE_ROW)


@pytest.mark.parametrize(
    ("changed", "says", "do"),
    [
        (lambda x: x / 10, says.THE_NUMBERS_OF_ARE_TIMES, '["0.1", "1"]'),
        (lambda x: x * 100, says.THE_NUMBERS_OF_ARE_TIMES_LARGER, '{100: "1"'),
        (lambda x: 6 - x, says.THE_SCALE_OF_RUNS_THE, '{1: "5", 2: "4", 4: "2", 5: "1"}'),
        (lambda x: x - 1, says.THE_NUMBERS_OF_ARE_BELOW, '{0: "1"'),
    ],
)
def test_other_scales(changed: Any, says: str, do: str) -> None:
    labels = columns()
    labels[1] = [f"{x:g}" for x in np.round(changed(labels[1].astype(float)), 6)]
    result = run(labels)
    one = finding(result, "scale_factor")
    assert (one.effect, one.value) == ("fragile", N)
    assert answer(result).headline.startswith(says)
    assert do in one.next


def test_placeholders() -> None:
    labels = columns()
    labels[1, :9] = "None"
    result = run(labels)
    one = finding(result, "placeholder_labels")
    assert (one.effect, one.value, one.of, one.points) == ("fragile", 9, 2 * N, pytest.approx(100 * 9 / N))
    assert answer(result).headline == says.STANDS_FOR_NO_LABEL_AND
    assert answer(result).next == says.IF_IT_MEANS_THAT_THERE
    assert one.items[0] == "i0"
    declared = run(labels, labels=["1", "2", "3", "4", "5", "None"])
    assert not [one for one in declared.findings if one.kind == "placeholder_labels"]


@pytest.mark.parametrize("word", ["None", "-", "n/a"])
@pytest.mark.parametrize("values", [None, [1, 2, 4, 8, 16]])
def test_placeholders_that_are_not_declared(word: str, values: list[float] | None) -> None:
    """They enter no coefficient, and are told all the same; an odd word that says something is none."""
    labels = columns(3)
    labels[1, :9], labels[2, 5:11], labels[2, 20:30] = word, word, "other"
    result = run(labels, labels=list("12345"), values=values, unknown_labels="count")
    one = finding(result, "placeholder_labels")
    assert (one.effect, one.value, one.of) == ("fragile", 15, 3 * N - 10)
    assert (one.points, one.detail["raters"]) == (pytest.approx(100 * 11 / N), {"r0": 0, "r1": 9, "r2": 6})
    assert one.items[:2] == ["i0", "i1"]
    assert not one.explains, "what is low is low without them"
    counted = says.WAS_COUNTED_AS_A_LABEL
    assert answer(result).headline == says.STANDS_FOR_NO_LABEL_AND_2.format(word, counted)
    assert answer(result).next.endswith(f"""'source.nulls={{r1: ["", "{word}"], r2: ["", "{word}"]}}'""")
    labels[labels == word] = ""  # as these words read it
    mended = run(labels, labels=list("12345"), values=values, unknown_labels="count")
    assert not [one for one in mended.findings if one.kind == "placeholder_labels"]


def test_undeclared_labels_are_placed_however_many_rows_there_are() -> None:
    """Rows are written 65,536 at once."""
    labels = np.tile(columns(), 600)
    labels[1, -3:] = "None"
    one = finding(run(labels, labels=list("12345"), unknown_labels="count"), "placeholder_labels")
    assert (one.value, one.effect, list(one.items)) == (3, "reported", [f"i{600 * N - n}" for n in (3, 2, 1)])


def test_minus_one_that_is_not_declared() -> None:
    labels = columns()
    labels[1, ::12] = "-1"
    result = run(labels, labels=list("12345"), unknown_labels="count")
    assert finding(result, "placeholder_labels").value == N / 12


def test_known_is_said_no_more() -> None:
    labels = columns()
    labels[1, :9] = "None"
    result = run(labels, known={"placeholder_labels": {"value": 9, "why": "None is our word for none of these"}})
    assert finding(result, "placeholder_labels").known
    assert "None" not in answer(result).headline


def test_healthy_raters() -> None:
    kinds = {"labels_shifted", "scale_factor", "placeholder_labels"}
    for seed in range(2):
        labels = healthy(np.random.default_rng(seed), 100, 0.9, calm=True).labels
        assert kinds.isdisjoint(one.kind for one in run(labels).findings if one.effect != "reported")


def test_numbers_of_many_values_are_held_against_each_other_by_distance() -> None:
    """Of 120 pairs from 0 to 100 hardly one is equal, and none is far apart."""
    draw = np.random.default_rng(2)
    truth = draw.integers(5, 96, N)
    labels = np.stack([truth, truth + draw.integers(-5, 6, N)]).astype("<U12")
    result = run(labels)
    drawn = answer(result)
    assert drawn.status == "stable"
    assert drawn.headline.startswith(says.QUADRATIC_KAPPA_OF_AND_IS)
    assert not [rule for rule in drawn.rules if rule.rule in ("agreement_missed", "kappa_missed")]
    one = finding(result, "many_values")
    assert (one.effect, one.value) == ("reported", len({*labels.ravel().tolist()}))


def test_numbers_of_many_values_that_have_nothing_in_common() -> None:
    draw = np.random.default_rng(17)
    result = run(draw.integers(0, 101, (2, N)).astype("<U12"))
    drawn = answer(result)
    assert (drawn.status, drawn.kinds[0]) == ("broken", "chance_agreement")
    assert says.NO_BETTER_THAN_CHANCE_QUADRATIC in drawn.headline
    assert drawn.because[0].startswith("r1 and r0 are ")
    assert drawn.next == says.READ_THE_ITEMS_ON_WHICH


def test_an_abstention_is_no_number() -> None:
    labels = np.stack([np.arange(N) % 40] * 2).astype("<U12")
    labels[1, :3] = "PASS"
    one = finding(run(labels, abstain=["PASS", "0"]), "many_values")
    assert (one.value, one.brief) == (39, "39 different numbers as labels")
    assert one.text.startswith(says.LABELS_ARE_DIFFERENT_NUMBERS_FROM)


@pytest.mark.parametrize(("values", "many"), [(12, False), (13, True)])
def test_how_many_values_are_many(values: int, many: bool) -> None:
    labels = np.stack([np.arange(N) % values] * 2).astype("<U12")
    assert any(one.kind == "many_values" for one in run(labels).findings) == many
