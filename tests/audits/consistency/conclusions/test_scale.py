"""The level of alpha follows the scale of the labels, and the report says it with the weights of others."""

from __future__ import annotations

import pytest
from judging import answer, judged
from sentences import consistency as says

from auditfw.components.report.screen.gates import passed_lines, raised_lines
from auditfw.components.report.screen.picture import first_picture
from auditfw.components.report.wording import gates_table, overall_table
from auditfw.core.result_json import result_document

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): 0.743 nominal, 0.815 ordinal, 0.849 interval
PUBLISHED = ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
WORDS = dict(zip("12345", ("awful", "bad", "fair", "good", "great"), strict=True))


@pytest.mark.parametrize(
    ("scale", "words", "alpha"),
    [(None, False, 0.743), ("nominal", False, 0.743), ("ordinal", False, 0.849), ("ordinal", True, 0.815)],
)
def test_alpha_by_scale(scale: str | None, words: bool, alpha: float) -> None:
    labels = [[None if one == "." else WORDS[one] if words else one for one in row.split()] for row in PUBLISHED]
    table = [{"id": f"u{i}", **dict(zip("abcd", row, strict=True))} for i, row in enumerate(zip(*labels, strict=True))]
    declared = list(WORDS.values() if words else WORDS)
    audit = {"raters": list("abcd"), "reference": "a", "labels": declared, "acceptable": [], "scale": scale}
    result = judged(table, audit=audit, metric=["krippendorff_alpha"], gate=[], policy=[])
    measured = result.measurement("krippendorff_alpha", "all").estimate.value
    assert measured == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize(("name", "weights"), [("weighted_kappa", "linear"), ("apart", "quadratic")])
def test_weights_stand_where_the_number_stands(name: str, weights: str) -> None:
    own = [i * i % 7 % 5 for i in range(60)]
    other = [min(4, one + (i % 4 == 0)) for i, one in enumerate(own)]
    table = [
        {"id": f"q{i}", "r": str(one), "s": str(two), "cell": "one" if i < 30 else "two"}
        for i, (one, two) in enumerate(zip(own, other, strict=True))
    ]
    result = judged(
        table,
        by=["cell"],
        metric=["kappa"],
        metrics={name: {"use": "weighted_kappa", "weights": weights}},
        gate=[],
        gates={"close": {"use": "bound", "metric": name, "min": 0.2}},
        policy=[],
        audit={"raters": ["r", "s"], "reference": "r", "labels": list("01234"), "acceptable": []},
    )
    heading = f"{name} ({weights})"
    told = [answer(result).headline, *answer(result).because]
    assert any(f"{name.replace('_', ' ').capitalize()} ({weights} weights) of s and r is" in text for text in told)
    assert overall_table(result)[0].columns == ["reading", "kappa (unweighted)", heading]
    assert gates_table(result.gates, result.styles)[0].rows[0][1] == f"{name} >= 0.2, {weights} weights"
    assert f"({name}, {weights} 0." in "".join([*raised_lines(result), *passed_lines(result)])
    heading = heading.replace("_", " ")
    cells = next(section for section in result.sections if section.title == "Agreement by Cell")
    assert cells.blocks[0].columns == ["cell", "n", "Cohen's kappa (unweighted)", heading]  # type: ignore[attr-defined,union-attr]
    picture = first_picture(result)
    assert picture is not None
    assert picture.chart.series[0].x == ["Cohen's kappa (unweighted)", heading]
    assert [line.at for line in picture.chart.bounds] == [heading]
    said = {one["metric"]: one.get("weights") for one in result_document(result)["measurements"]}
    assert said == {"kappa": "unweighted", name: weights}


@pytest.mark.parametrize(("labels", "answered"), [("01234", "weighted_kappa"), ("01", "kappa"), ("abcde", "kappa")])
def test_the_answer_of_labels_in_order_goes_by_weighted_kappa(labels: str, answered: str) -> None:
    """A gate on kappa judges what its name says; the bound that it sets is asked of the answer's coefficient."""
    own = [labels[i * i % 7 % len(labels)] for i in range(60)]
    table = [{"id": f"q{i}", "r": one, "s": labels[min(len(labels) - 1, labels.index(one) + (i % 3 == 0))]}
             for i, one in enumerate(own)]  # fmt: skip
    audit = {"raters": ["r", "s"], "reference": "r", "labels": [*labels], "acceptable": []}
    result = judged(table, metric=["kappa"], gate=["kappa"], policy=[], audit=audit)
    [rule] = [one for one in answer(result).rules if one.rule == f"{answered}_missed"]
    plain = result.measurement("kappa", "s").estimate.value
    assert (result.gates[0].value, rule.bound) == (plain, 0.75)
    assert (rule.value == plain) == (answered == "kappa")
    assert result.styles["kappa"].weights == ("unweighted" if answered == "weighted_kappa" else "")


@pytest.mark.parametrize(("n", "missed"), [(30, True), (29, False)])
def test_a_cell_is_tested_by_weighted_kappa_from_thirty_items_on(n: int, missed: bool) -> None:
    """Of all 330 items kappa is near 1; in the cell both say what chance makes them say."""
    rows = [{"id": f"a{i}", "r": str(i % 4), "s": str(i % 4), "cell": "a"} for i in range(300)]
    rows += [{"id": f"b{i}", "r": str(i % 4), "s": str(i * 7 % 5 % 4), "cell": "b"} for i in range(n)]
    audit = {"raters": ["r", "s"], "reference": "r", "labels": [*"0123"], "acceptable": []}
    result = judged(rows, by=["cell"], metric=["kappa"], gate=[], policy=[], audit=audit)
    fired = [rule.cell for rule in answer(result).rules if rule.rule == "weighted_kappa_missed_in_cell" and rule.fired]
    assert fired == ([{"cell": "b"}] if missed else [])
    assert (says.ONE_OF_THEM_WITH_TOO_FEW in answer(result).scope) == (not missed)
