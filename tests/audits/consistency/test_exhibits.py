"""What the consistency audit puts on a page: bounded draws, exact totals, alike for any workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsed_runs import PAIRS, A, N, R, V, block, judged, tags

from auditfw.commands.stored_run import read_result
from auditfw.core.document import Chart, Gallery, Matrix
from auditfw.core.records import Result


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Result:
    words = ["policy=[auditor_veto,refusal_ships]", "by=[side]", "report.max_exhibits=5"]
    return judged(tmp_path_factory.mktemp("pairs"), PAIRS, *words)


def test_rare_rows_are_drawn_and_all_are_counted(judgements: Result) -> None:
    found = block(judgements, "Browse Disagreements", Gallery)
    assert (found.total, len(found.exhibits)) == (32, 5)
    titles = [one.title for one in found.exhibits]
    assert titles[0] == "42 (f)"  # the claim, without a question
    assert flagged_facts(found)[:1] == [("id", "f")]
    assert "n" in titles
    assert sum(title.startswith("d") for title in titles) == 3
    assert [*found.facets] == [
        ("scholar",), ("auditor",), ("final.auditor_veto",), ("final.refusal_ships",), ("red flag",), ("side",)
    ]  # fmt: skip
    flagged = found.exhibits[0]
    assert tags(flagged) == [[V], [V], [R], [R], ["hard_flag"], ["y"]]
    texts = {one.label: one.head for one in flagged.snippets}
    cited = {"answer_json.citations": "p1", "retrieved_ids": "p1, p2", "flags": "provenance_violation"}
    assert texts == {"answer_json.claim": "42", **cited}
    assert tags(found.exhibits[titles.index("n")])[:2] == [[N], [A]]
    assert tags(found.exhibits[titles.index("n")])[4] == ["no red flag"]


def flagged_facts(found: Gallery) -> list[tuple[str, str]]:
    return list(found.exhibits[0].facts)


def test_pictures_tell_the_numbers_of_the_measurements(judgements: Result) -> None:
    chart = block(judgements, "Agreement between Raters", Chart)
    assert "percent_agreement" in [chart.metrics[str(x)] for x in chart.series[0].x]
    for at, (x, y) in enumerate(zip(chart.series[0].x, chart.series[0].y, strict=True)):
        estimate = judgements.measurement(chart.metrics[str(x)], "scholar").estimate
        assert (y, chart.series[0].low[at], chart.series[0].high[at]) == (estimate.value, estimate.low, estimate.high)
    matrix = block(judgements, "Where scholar and auditor Differ", Matrix)
    assert (matrix.rows, matrix.columns) == ([V, N, R, A], [V, N, R, A])
    assert [list(row) for row in matrix.shown] == [["21", "0", "30", "0"], ["0", "0", "0", "1"], [""] * 4, [""] * 4]
    assert list(matrix.values[0]) == [21 / 51, 0.0, 30 / 51, 0.0]
    assert list(matrix.values[2]) == [None] * 4
    bars = block(judgements, "Raters and Policies Side by Side", Chart)
    shares = {one.name: dict(zip(one.x, one.y, strict=True)) for one in bars.series}
    assert shares["scholar"] == {V: 51 / 52, N: 1 / 52, R: 0, A: 0}
    assert shares["final.auditor_veto"][R] == 32 / 52


def test_without_a_page_nothing_is_drawn_for_it(tmp_path: Path) -> None:
    result = judged(tmp_path, PAIRS, "metric=[percent_agreement]", "gate=[]", page=False)
    assert not any(isinstance(one, Gallery) for section in result.sections for one in section.blocks)


@pytest.mark.slow
def test_rows_are_drawn_alike_by_any_number_of_workers(tmp_path: Path) -> None:
    """20,000 rows are two batches; a rare pair stands in the last."""
    rows = [(f"q{i}", V, (V, R)[i % 2], {}) for i in range(20_000)] + [("rare", A, N, {})]
    words = ["metric=[percent_agreement]", "gate=[]", "report.max_exhibits=9"]
    made = [judged(tmp_path, rows, f"engine.workers={n}", *words) for n in (1, 2)]
    one, two = ((Path(result.folder or "") / "sections.json").read_bytes() for result in made)
    assert one == two
    found = block(made[0], "Browse Disagreements", Gallery)
    assert (found.total, len(found.exhibits)) == (10_001, 9)
    assert "rare" in [shown.title for shown in found.exhibits[:2]]
    read = block(read_result(Path(made[0].folder or "")), "Browse Disagreements", Gallery)
    assert [tags(shown) for shown in read.exhibits] == [tags(shown) for shown in found.exhibits]
