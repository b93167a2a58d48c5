"""Who the raters are: what people read says so, what programs read keeps the names. What a row shows of its item."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browsed_runs import block
from judging import METRICS, REJECT, VALID, answer
from running import Command
from sentences import consistency as says

import auditfw
from auditfw.audits.consistency.exhibits import evidence, title
from auditfw.commands.stored_run import read_result
from auditfw.components.report.wording import gates_table, overall_table
from auditfw.core.document import Chart, Gallery, Section, Table
from auditfw.core.records import Result

TITLES = {"scholar": "the judge", "auditor": "two humans"}
ALONE = re.compile(r"(?<![\w(.])(?:scholar|auditor)(?![\w)])")


def told(folder: Path, counted: dict[tuple[str | None, str | None], int], **more: Any) -> Result:
    """A run on merged judgements whose raters have titles."""
    pairs = [pair for pair, n in counted.items() for _ in range(n)]
    lines = [
        {"qid": f"q{i}", "question": f"question {i}?", "scholar": {"label": s}, "auditor": {"label": a}}
        for i, (s, a) in enumerate(pairs)
    ]
    file = folder / "pairs.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    source = {"use": "pairs", "path": str(file), "titles": TITLES}
    return auditfw.run({"experiment": "cross_agent", "source": source, "metric": METRICS, **more})


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, command_in: Command) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    words = ["experiment=cross_agent", "hydra.run.dir=run", "report=[console,markdown,html]", "report.detail=full"]
    done = command_in(folder, *words)
    assert done.returncode == 1, done.stderr
    (folder / "screen.txt").write_text(done.stdout, "utf-8")
    return folder


def without_who(text: str) -> str:
    """A text without the line that says who is called what."""
    return text.replace("scholar: GPT-4; auditor: human annotators.", "")


@pytest.mark.parametrize("name", ["screen.txt", "run/report.md", "run/report.html"])
def test_no_screen_of_the_sample_names_a_rater_alone(sample: Path, name: str) -> None:
    text = without_who((sample / name).read_text("utf-8"))
    assert "GPT-4" in text
    assert ALONE.findall(text) == []


def test_files_for_programs_keep_the_names(sample: Path) -> None:
    document = json.loads((sample / "run/result.json").read_text("utf-8"))
    assert {gate["reading"] for gate in document["gates"]} == {"scholar", "either", "all"}
    assert {m["reading"] for m in document["measurements"]} >= {"scholar", "auditor"}
    assert {rule["reading"] for rule in document["answer"]["rules"]} >= {"scholar", "auditor"}
    assert "titles" not in document
    assert (sample / "run/disagreements.tsv").read_text("utf-8").startswith("qid\tscholar\tauditor\t")


def test_a_finished_run_knows_who_the_raters_are(sample: Path) -> None:
    result = read_result(sample / "run")
    assert result.titles == {"scholar": "GPT-4", "auditor": "human annotators"}
    assert overall_table(result)[0].rows[0][0] == "GPT-4 (scholar)"
    assert gates_table(result.gates, {}, result.titles)[0].rows[0][2] == "GPT-4 (scholar)"
    assert gates_table(result.gates, {})[0].rows[0][2] == "scholar"


@pytest.mark.parametrize(
    ("counted", "more", "headline"),
    [
        (
            {(VALID, VALID): 90, (REJECT, REJECT): 90, (VALID, REJECT): 2},
            {},
            says.THE_JUDGE_AND_TWO_HUMANS,
        ),
        ({(VALID, VALID): 150, (REJECT, REJECT): 150}, {}, says.THE_AGREEMENT_OF_THE_JUDGE),
        ({(VALID, REJECT): 50}, {}, says.THE_JUDGE_AND_TWO_HUMANS_USE),
        ({(VALID, REJECT): 50, (REJECT, VALID): 50}, {}, says.THE_JUDGE_AND_TWO_HUMANS_2),
        (
            {(VALID, REJECT): 25, (REJECT, VALID): 25, (VALID, VALID): 25, (REJECT, REJECT): 25},
            {},
            says.HE_JUDGE_AND_TWO,
        ),
        ({(VALID, VALID): 50}, {}, says.THE_JUDGE_AND_TWO_HUMANS_IS),
        ({(VALID, VALID): 90, (None, VALID): 60}, {"audit": {"duplicates": "error"}}, "he judge"),
    ],
)
def test_an_answer_names_raters_by_their_titles(
    tmp_path: Path, counted: dict[tuple[str | None, str | None], int], more: dict[str, Any], headline: str
) -> None:
    drawn = answer(told(tmp_path, counted, **more))
    texts = [drawn.headline, *drawn.because, drawn.scope]
    assert headline.lower() in drawn.headline.lower()
    assert [text for text in texts if ALONE.search(text)] == []


def test_tables_charts_and_rows_name_raters_by_their_titles(tmp_path: Path) -> None:
    result = told(tmp_path, {(VALID, VALID): 40, (REJECT, REJECT): 40, (VALID, REJECT): 20}, report=["html"])
    bars = block(result, "Raters and Policies Side by Side", Chart)
    assert [(one.name, one.role) for one in bars.series][:2] == [
        ("the judge", "candidate"),
        ("two humans", "reference"),
    ]
    gallery = block(result, "Browse Disagreements", Gallery)
    assert [*gallery.facets][:2] == [("the judge",), ("two humans",)]
    row = gallery.exhibits[0]
    assert re.fullmatch(r"question (\d+)\? \(q\1\)", row.title)
    assert [*row.facts][1:3] == [("the judge", VALID), ("two humans", REJECT)]
    assert (row.snippets[0].label, row.snippets[0].head) == ("question", row.title.partition(" (")[0])
    rater = next(name for name in row.changes or {} if not name.startswith("final."))
    assert (row.changes or {})[rater] == VALID
    shown = result.exhibits(rater, VALID)
    assert (len(shown), set(shown["the judge"]), set(shown["two humans"])) == (20, {VALID}, {REJECT})


@pytest.mark.parametrize(
    ("columns", "wanted", "label"),
    [
        ({"question": "Who?\n Where?"}, "Who? Where? (q1)", "question"),
        ({"prompt": "Say it"}, "Say it (q1)", "prompt"),
        ({"instruction": "Do it", "prompt": " "}, "Do it (q1)", "instruction"),
        ({"item": "an item"}, "an item (q1)", "item"),
        ({"question": "x" * 100}, f"{'x' * 71}… (q1)", "question"),
        ({"question": {"a": 1}}, "q1", ""),
        ({"answer_json": {"claim": "42"}}, "42 (q1)", "answer_json.claim"),
        ({}, "q1", ""),
    ],
)
def test_a_row_is_headed_by_what_was_asked(columns: dict[str, Any], wanted: str, label: str) -> None:
    def column(name: str) -> list[Any]:
        return [columns.get(name)]

    assert title(column, 0, "q1") == wanted
    assert [one.label for one in evidence(column, 0, ("a",))] == [label] * bool(label)
    assert title(column, 0, "an id that is far too long for it") in (
        wanted.removesuffix(" (q1)"),
        says.AN_ID_THAT_IS_FAR,
    )


def test_many_raters_are_shown_by_one_coefficient_and_folded(tmp_path: Path) -> None:
    names = [f"r{n}" for n in range(7)]
    for n, name in enumerate(names):
        rows = [{"qid": f"q{i}", "label": (VALID, REJECT)[(i % 2) ^ (i % 11 < n)]} for i in range(44)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    source = {"use": "raters", "paths": {name: str(tmp_path / f"{name}.jsonl") for name in names}}
    words = {"experiment": "cross_agent", "source": source, "audit": {"reference": "r0"}, "report": {"max_rows": 5}}
    result = auditfw.run(words)
    chart = block(result, "Agreement between Raters", Chart)
    (kappas,) = chart.series
    assert (kappas.name, chart.metric, list(kappas.x)) == ("Cohen's kappa", "kappa", ["r6", "r5", "r4", "r3", "r2"])
    assert list(kappas.y) == sorted(kappas.y)
    titles = {one.title: one for one in result.sections}
    assert titles["Where r6 and r0 Differ"].folded == "24 of 44 items differ"
    shown, further = titles["Pairs of Raters"], titles["Further Pairs of Raters"]
    assert further.page
    assert further.folded == says.PAIRS_TO_OF_BY_KAPPA
    pairs = [row for one in (shown, further) for row in _table(one).rows]
    assert len({(row[0], row[1]) for row in pairs}) == len(pairs) == 21
    assert [float(row[4]) for row in pairs] == sorted(float(row[4]) for row in pairs)


def _table(section: Section) -> Table:
    return next(one for one in section.blocks if isinstance(one, Table))
