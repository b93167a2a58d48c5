"""The level of alpha follows the scale of the labels, and the report says it with the weights of others."""

from __future__ import annotations

import pytest
from judging import answer, judged

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
    assert overall_table(result)[0].columns == ["reading", "kappa", heading]
    assert gates_table(result.gates, result.styles)[0].rows[0][1] == f"{name} >= 0.2, {weights} weights"
    assert f"({heading} 0." in "".join([*raised_lines(result), *passed_lines(result)])
    heading = heading.replace("_", " ")
    cells = next(section for section in result.sections if section.title == "Agreement by Cell")
    assert cells.blocks[0].columns == ["cell", "n", "Cohen's kappa", heading]  # type: ignore[attr-defined,union-attr]
    picture = first_picture(result)
    assert picture is not None
    assert picture.chart.series[0].x == ["Cohen's kappa", heading]
    assert [line.at for line in picture.chart.bounds] == [heading]
    said = {one["metric"]: one.get("weights") for one in result_document(result)["measurements"]}
    assert said == {"kappa": None, name: weights}
