"""What a report sets side by side: figures of the same problems; and what is missing, or was never measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from refined_problems import run
from running import Command
from sentences import self_audit as says

import auditfw
from auditfw.components.report.markdown import report_text
from auditfw.components.report.screen.gates import passed_lines
from auditfw.components.report.screen.picture import first_picture
from auditfw.components.report.wording import overall_table, result_gates
from auditfw.core.document import Chart, Note, Table

RECORDED: dict[str, Any] = {"scoring": "recorded", "gate": []}


def recorded(tmp_path: Path, *loops: tuple[Any, ...], each: Any = None, **more: Any) -> auditfw.Result:
    """An audit of loops with these recorded scores, None for an attempt that failed; `each` is in every record."""
    problems = [{"id": f"p{at}", "train": [{"input": "x", "output": 1}]} for at in range(len(loops))]
    attempts = [
        {"problem": f"p{at}", "output": score, **(each or {})} for at, scores in enumerate(loops) for score in scores
    ]
    return run(tmp_path, problems, attempts, **{**RECORDED, "stop": {"max_iterations": 4}, **more})


def survivors(tmp_path: Path, **more: Any) -> auditfw.Result:
    """6 of 30 problems are solved at once; the loops of the others end early: every iteration is known for 6 alone."""
    loops = [*[(1.0,)] * 6, *[(0.5, 0.25)] * 24]
    return recorded(tmp_path, *loops, stop={"max_iterations": 4, "patience": 1}, each={"seconds": 1.0}, **more)


def rows_of(table: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def tables(result: auditfw.Result) -> dict[str, dict[str, dict[str, str]]]:
    found = {}
    for section in result.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                found[section.title] = rows_of(block)
    return found


def test_no_survivors_beside_everyone(tmp_path: Path) -> None:
    """run_all 1.000, known for the 6 problems that it solves by construction, was the first row beside live 0.200."""
    result = survivors(tmp_path)
    run_all = result.measurement("solve_rate", "run_all").estimate
    assert (run_all.value, run_all.counted, run_all.missing) == (1.0, 6, 24), "the data keep it"
    table, feet = overall_table(result)
    rows = rows_of(table)
    assert rows["live"]["solve_rate"].startswith("0.2000")
    assert {rows["run_all"][name] for name in ("solve_rate", "mean_soft_score", "total_requests")} == {"–"}
    assert (rows["run_all"]["n"], rows["live"]["regret"]) == ("6", "–")
    assert any("solve_rate" in foot and foot.endswith("of run_all: known for 6 of 30 problems") for foot in feet)
    picture = first_picture(result)
    assert picture is not None
    assert "run_all" not in picture.chart.series[0].x
    assert "live" in picture.chart.series[0].x
    costs = tables(result)["What Stopping Costs and Saves"]
    assert "run_all" not in costs
    assert (costs["live"]["solved %"], costs["live"]["requests saved %"], costs["live"]["regret"]) == (
        "20.00", "–", "–",
    )  # fmt: skip
    assert "Stop Rules Compared" not in tables(result)
    notes = [one.text for section in result.sections for one in section.blocks if isinstance(one, Note)]
    left_out = says.RUN_ALL_THREE_ATTEMPTS_LAST
    assert left_out in notes
    [finding] = [one for one in result.findings if one.kind == "survivors"]
    assert (finding.value, finding.of, finding.effect, finding.text) == (24, 30, "reported", left_out)
    assert finding.points == pytest.approx(80.0)
    clouds = [b for s in result.sections for b in s.blocks if isinstance(b, Chart) and b.kind == "points"]
    assert all("run_all" not in (series.labels or ()) for chart in clouds for series in chart.series)
    assert "1.0000" not in report_text(result).partition("## Each Problem")[0]


def test_a_gate_and_a_comparison_say_of_how_many_problems(command: Command, tmp_path: Path) -> None:
    gate = {"use": "bound", "metric": "solve_rate", "reading": "run_all", "min": 0.5}
    result = survivors(tmp_path, gates={"g": gate}, into=tmp_path / "one")
    assert says.KNOWN_FOR_OF_PROBLEMS in result_gates(result)[1]
    assert "known for 6 of 30 problems" in " ".join(passed_lines(result))
    loops = [*[(1.0,)] * 6, *[(0.5, 0.25, 0.1, 0.2)] * 24]
    recorded(tmp_path, *loops, into=tmp_path / "two", each={"seconds": 1.0})
    shown = command("compare", "one", "two", cwd=tmp_path, env={"COLUMNS": "160"}).stdout
    assert "– (known for 6 of 30 problems)" in shown


def test_a_live_rule_that_is_known_in_part(tmp_path: Path) -> None:
    """The recorded attempts of 9 of 12 problems end before the rule does."""
    loops = [*[(0.5, 1.0)] * 3, *[(0.5,)] * 9]
    result = recorded(tmp_path, *loops, solver={"past_end": "null"}, each={"seconds": 1.0})
    rows = rows_of(overall_table(result)[0])
    assert {rows["live"][name] for name in ("solve_rate", "mean_soft_score", "total_requests")} == {"–"}
    assert (rows["one_attempt"]["solve_rate"][:1], rows["one_attempt"]["solves_lost"]) == ("0", "–")
    endings = tables(result)["Why the Loops Ended"]["stored attempts end"]
    assert (endings["problems"], endings["requests"]) == ("9", "9"), "they were 0"


def test_known_of_everyone_is_shown(tmp_path: Path) -> None:
    result = recorded(tmp_path, *[(1.0,)] * 6, *[(0.5, 0.25, 0.25, 0.5)] * 24)
    assert rows_of(overall_table(result)[0])["run_all"]["solve_rate"].startswith("0.2000")
    assert {row["requests saved %"] for name, row in tables(result)["What Stopping Costs and Saves"].items()} >= {"–"}
    assert tables(result)["What Stopping Costs and Saves"]["one_attempt"]["requests saved %"] == "70.6"  # 30 of 102


def test_a_sweep_ranks_no_survivors(command: Command, tmp_path: Path) -> None:
    survivors(tmp_path)
    words = ["experiment=self_audit", "source=problems", f"source.path={tmp_path / 'problems.jsonl'}", "solver=replay"]
    words += [f"solver.path={tmp_path / 'attempts.jsonl'}", "scoring=recorded", "stop.max_iterations=4", "gate=[]"]
    words += ["sweep.metrics=[solve_rate@run_all,solve_rate@live]", "stop.patience=1", "solver.past_end=null,stop"]
    done = command("-m", *words, cwd=tmp_path, env={"COLUMNS": "160"})
    assert done.returncode == 0, done.stderr
    assert says.SOLVE_RATE_RUN_ALL_KNOWN in done.stdout.replace("\n│ ", " ")


def test_seconds_that_are_not_recorded_are_missing(tmp_path: Path) -> None:
    """They were 0: a total of 48 s was that of half of the problems."""
    problems = [{"id": name, "train": [{"input": "x", "output": 1}]} for name in "ab"]
    attempts = [{"problem": "a", "output": 0.5, "seconds": 2}, {"problem": "a", "output": 1, "seconds": 0}]
    attempts += [{"problem": "b", "output": 0.5, "seconds": 2}, {"problem": "b", "output": 1}]
    stop = {"max_iterations": 2}
    result = run(tmp_path, problems, attempts, **RECORDED, stop=stop, into=tmp_path / "run")
    assert result.trials.collect()["seconds"].to_list() == [2.0, None]
    total = result.measurement("total_seconds", "live").estimate
    assert (total.value, total.counted, total.missing) == (2.0, 1, 1)
    assert result.measurement("total_seconds", "one_attempt").estimate.value == 4.0
    [finding] = [one for one in result.findings if one.kind == "seconds_missing"]
    assert finding.text == says.OF_ATTEMPTS_HAS_NO_RECORDED
    assert (finding.items, finding.points) == (["b"], None)
    assert rows_of(overall_table(result)[0])["live"]["total_seconds"] == "–"
    assert tables(result)["What Stopping Costs and Saves"]["live"]["seconds"] == "–"
    assert tables(result)["Each Problem"]["b"]["seconds"] == "–"
    assert '"seconds": null' in (tmp_path / "run/attempts.jsonl").read_text("utf-8")


def test_a_time_budget_over_seconds_that_are_not_recorded(tmp_path: Path) -> None:
    """A rule on time cannot be replayed there: it would never have ended, or at once."""
    rule = {"stop_rules": {"quick": {"use": "limits", "max_total_time": 5.0}}}
    result = recorded(tmp_path, (0.5, 0.5, 0.5, 1), audit=rule)
    assert result.trials["quick"].to_list() == [None]
    result = recorded(tmp_path, (0.5, 0.5, 0.5, 1), audit=rule, each={"seconds": 2})
    assert result.trials["quick"].to_list() == [False]
    timed = {"max_iterations": 4, "max_total_time": 5.0}
    result = recorded(tmp_path, (0.5, 0.5, 0.5, 1), stop=timed)
    assert result.trials["stop_reason"].to_list() == ["time"]
    result = recorded(tmp_path, (0.5, 0.5, 0.5, 1), stop={**timed, "unknown_usage": "allow"})
    assert result.trials["stop_reason"].to_list() == ["success"]


@pytest.mark.parametrize(
    ("scores", "headline", "because"),
    [
        (
            (0.3, 0.5, 0.6, 0.7),
            says.NO_PROBLEM_WAS_SOLVED_OF_PROBLEMS,
            says.NOTHING_WAS_SOLVED_SO_NO_STOP,
        ),
        (
            (None, None, None, None),
            says.NOTHING_WAS_MEASURED_NONE_OF_ATTEMPTS,
            "Why: no reply: 48.",
        ),
    ],
)
def test_no_advice_where_nothing_was_solved(tmp_path: Path, scores: Any, headline: str, because: str) -> None:
    """'one_attempt would save 75 % and lose none': of nothing."""
    result = recorded(tmp_path, *[scores] * 12, each={"why": "no reply"})
    assert result.answer is not None
    assert (result.answer.status, result.answer.headline) == ("unknown", headline)
    assert result.answer.because == ([because] if because else [])
    assert result.answer.kinds == ["nothing_solved"]
    text = report_text(result).lower()
    assert not any(word in text for word in ("would save", "requests saved %", "saved and lost", "costs and saves"))
    assert "Stop Rules Compared" not in tables(result)


def test_of_one_attempt_nothing_grows(tmp_path: Path) -> None:
    result = recorded(tmp_path, *[(0.3,)] * 12, stop={"max_iterations": 1})
    assert result.answer is not None
    assert result.answer.because == [says.NOTHING_WAS_SOLVED_SO_NO_STOP_RULE]


def test_scores_that_are_no_outputs(tmp_path: Path) -> None:
    result = recorded(tmp_path, *[(None,)] * 3, each={"score": 0.5}, stop={"max_iterations": 1})
    assert result.answer is not None
    assert "solver.columns.output=score scoring=recorded" in result.answer.next


def test_a_cheaper_rule_is_advised_where_nothing_is_lost(tmp_path: Path) -> None:
    result = recorded(tmp_path, *[(0.5, 1.0)] * 12, *[(0.5, 0.5, 0.5, 0.5)] * 12)
    assert result.answer is not None
    assert result.answer.because == [
        says.TWO_ATTEMPTS_WOULD_SAVE_OF,
        says.OF_24_IS_NOT_TESTED,
    ]
    rising = recorded(tmp_path, *[(0.5, 1.0)] * 12, *[(0.5, 0.5, 0.5, 0.6)] * 12)
    assert rising.answer is not None
    assert (rising.answer.words, rising.answer.headline, rising.answer.because) == (
        says.MORE_ATTEMPTS_SOLVE_NO_MORE,
        says.NO_MORE_UP_TO_4,
        [says.OF_24_IS_NOT_TESTED],
    )


def test_what_a_solve_is_worth_decides(tmp_path: Path) -> None:
    """Of 20 problems 12 are solved at once, 2 of 8 at the second attempt: 1.67 and 4 requests for each."""
    result = recorded(tmp_path, *[(1.0,)] * 12, *[(0.5, 1.0)] * 2, *[(0.5, 0.5)] * 6, stop={"max_iterations": 2})
    assert result.answer is not None
    assert (result.answer.title, result.answer.headline, result.answer.because) == (
        says.DEPENDS_ON_WHAT_A_SOLVE,
        says.FOUR_REQUESTS_MORE,
        [says.PAY_IF_WORTH_4, says.OF_24_IS_NOT_TESTED.replace("12 of 24", "14 of 20")],
    )
    assert result.answer.change == says.ONLY_RIGHT_IS_UNKNOWN
    assert len(result.answer.scopes) == 2, "the second says where these worths come from"


def test_no_choice_where_all_are_solved_at_once(tmp_path: Path) -> None:
    result = recorded(tmp_path, *[(1.0,)] * 12, stop={"max_iterations": 1})
    assert result.answer is not None
    assert (result.answer.words, result.answer.headline, result.answer.because) == (
        "SOLVED IS NOT TESTED", says.ALL_AT_ONCE, [says.OF_24_IS_NOT_TESTED.replace("12 of 24", "12 of 12")],
    )  # fmt: skip
