"""Tables of judgements, exports of annotation tools among them; and tables that only look like them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw.commands.paths.command import recognised
from auditfw.commands.paths.judgements import by_column, counts
from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.source.recognised import raters_lacks
from auditfw.core.errors import AuditError

N = 24
LABELS = ("pos", "neg")
Rows = list[dict[str, Any]]


def written(folder: Path, name: str, rows: Rows) -> str:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(folder / name)


def label(i: int, rater: int) -> str:
    return LABELS[(i // 2 + (i % 5 == 0) * rater) % 2]


def long(item: str, rater: str, judged: str, **more: Any) -> Rows:
    return [{item: i, rater: f"r{j}", judged: label(i, j), **more} for i in range(N) for j in range(2)]


def each(judgement: Any, name: str = "annotations") -> Rows:
    return [{"id": i, "text": f"t {i}", name: [judgement(i, j) for j in range(2)]} for i in range(N)]


def studio(i: int, j: int) -> dict[str, Any]:
    result = [{"type": "choices", "value": {"choices": [label(i, j)]}}]
    return {"completed_by": {"id": j, "email": f"r{j}@x.org"}, "result": result}


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (long("item", "coder", "label"), "{id: item, rater: coder, label: label}"),
        (long("id", "annotator", "sentiment", annotation_id=1), "{id: id, rater: annotator, label: sentiment}"),
        (long("_input_hash", "_annotator_id", "answer"), "{id: _input_hash, rater: _annotator_id, label: answer}"),
        ([{**row, "accept": [row["accept"]]} for row in long("_task_hash", "_session_id", "accept")],
         "{id: _task_hash, rater: _session_id, label: 'accept[0]'}"),
        ([{**row, "question_id": row["turn"] // 2, "turn": row["turn"] % 2} for row in long("turn", "judge", "winner")],
         "{id: '{question_id}/{turn}', rater: judge, label: winner}"),
        (each(studio),
         "{id: id, rater: annotations.completed_by.email, label: 'annotations.result[0].value.choices[0]'}"),
        (each(lambda i, j: {"user": j, "label": label(i, j)}),
         "{id: id, rater: annotations.user, label: annotations.label}"),
        (each(lambda i, j: {"user_id": f"r{j}", "values": {"q": {"value": label(i, j)}}}, "responses"),
         "{id: id, rater: responses.user_id, label: responses.values.q.value}"),
        (each(lambda i, j: {"user_id": f"r{j}", "value": label(i, j)}, "quality"),
         "{id: id, rater: quality.user_id, label: quality.value}"),
    ],
)  # fmt: skip
def test_judgements_in_rows_and_in_lists(tmp_path: Path, rows: Rows, columns: str) -> None:
    [run] = recognised([written(tmp_path, "x.jsonl", rows)])[1]
    assert run.what.startswith("judgements of ")
    assert f"source.columns={columns}" in run.words
    assert "audit.labels=[neg,pos]" in run.words


def test_gold_labels_are_the_reference(tmp_path: Path) -> None:
    rows = [{**row, "rater": {"r0": "gold"}.get(row["rater"], row["rater"])} for row in long("id", "rater", "label")]
    assert "audit.reference=gold" in recognised([written(tmp_path, "x.jsonl", rows)])[1][0].words


def test_raters_of_a_long_table_may_come_later(tmp_path: Path) -> None:
    rows = [{"item": i, "rater": f"r{j}", "label": label(i, j)} for i in range(PEEKED) for j in range(2)]
    words = recognised([written(tmp_path, "x.jsonl", rows)])[1][0].words
    assert ("audit.labels=found" in words, any(word.startswith("audit.raters=") for word in words)) == (True, False)


@pytest.mark.parametrize(
    ("row", "raters"),
    [
        (lambda i: {"id": i, "a": label(i, 0), "b": label(i, 1)}, "[a,b]"),
        (lambda i: {"id": i, "a": label(i, 0), "b": label(i, 1).upper(), "note": f"n {i}"}, "[a,b]"),
        (lambda i: {"id": i, "anna": 1 + i % 5, "judge": 1 + (i + (i % 4 == 0)) % 5}, "[anna,judge]"),
        (lambda i: {"id": i, "anna": "NA" if i == 3 else label(i, 0), "bela": label(i, 1)}, "[anna,bela]"),
        (lambda i: {"id": i, "votes": {"x": label(i, 0), "y": label(i, 1)}}, "[x,y]"),
        (lambda i: {"id": i, "labels": [label(i, 0), label(i, 1)]}, "[labels_0,labels_1]"),
        (lambda i: {"id": i, "q.responses": [label(i, 0), label(i, 1)]}, "[responses_0,responses_1]"),
        (lambda i: {"id": i, "gold": label(i, 0), "gpt": label(i, 1)}, "[gpt,gold]"),
        (lambda i: {"id": i, "g1_winner": label(i, 0), "g2_winner": label(i, 1)}, "[g1_winner,g2_winner]"),
    ],
)  # fmt: skip
def test_a_column_for_each_rater(tmp_path: Path, row: Any, raters: str) -> None:
    run = by_column(first_look(written(tmp_path, "x.jsonl", [row(i) for i in range(N)])))
    assert run is not None
    assert f"audit.raters={raters}" in run.words
    assert ("source.nulls={anna: ['',NA]}" in run.words) == ("anna,bela" in raters)


draw = random.Random(5)


def near(i: int, by: int = 0) -> int:
    return min(100, 37 * i % 101 + by * (i % 7))


@pytest.mark.parametrize(
    ("row", "raters"),
    [
        (lambda i: {"anna": near(i), "bela": near(i, 1)}, "[anna,bela]"),
        (lambda i: {"id": i, "score_a": near(i) / 10, "score_b": near(i, 1) / 10, "no": 3 * i}, "[score_a,score_b]"),
        (lambda i: {"human": near(i), "gpt": 1000 - near(i), "seconds": near(i)}, "[gpt,human]"),  # by their names
        (lambda i: {"anna": 5 * i % 12, "bela": 5 * i % 12}, "[anna,bela]"),
        (lambda i: {"anna": near(i), "bela": None if i == 3 else near(i, 1)}, "[anna,bela]"),
        (lambda i: {"anna": near(i), "bela": "NA" if i == 3 else str(near(i, 1))}, "[anna,bela]"),
    ],
)
def test_a_column_of_numbers_for_each_rater(tmp_path: Path, row: Any, raters: str) -> None:
    path = written(tmp_path, "x.jsonl", [row(i) for i in range(N)])
    run = by_column(first_look(path))
    assert run is not None
    assert {f"audit.raters={raters}", "audit.labels=found", "gate=[abstain,coverage,joins]"} <= set(run.words)
    with pytest.raises(AuditError, match="say which columns are which: auditfw experiment=cross_agent"):
        recognised([path])
    result = run_auditfw((*run.words, f"source.path={path}", "report=[json]"), tmp_path, None)
    assert json.loads(result.stdout)["answer"]["headline"], result.stderr


@pytest.mark.parametrize(
    "row",
    [
        lambda i: {"row": i, "line": i + 1},  # they count
        lambda i: {"open": 900 + near(i), "close": 900 + near(i, 1)},  # no scores
        lambda i: {"anna": near(i), "bela": near(53 * i % 41)},  # not alike
        lambda i: {"units": near(i), "points": near(i, 1)},
        lambda i: {"human": near(i), "note": f"n {near(i)}"},
        lambda i: {"pred": near(i), "answer": near(i, 1)},  # answers with their truths
    ],
)
def test_numbers_that_are_no_judgements(tmp_path: Path, row: Any) -> None:
    done = run_auditfw((written(tmp_path, "x.jsonl", [row(i) for i in range(N)]),), tmp_path, None)
    assert done.returncode in (0, 1, 3)
    assert "cross_agent" not in done.stderr


@pytest.mark.parametrize(
    "row",
    [
        lambda i: {"order": i, "region": draw.choice("NSEW"), "units": draw.randint(1, 9), "price": draw.random()},
        lambda i: {"page": i, "mon": draw.randint(0, 9), "tue": draw.randint(0, 9)},
        lambda i: {"respondent": i, "q1": draw.randint(1, 5), "q2": draw.randint(1, 5)},
        lambda i: {"user": i, "is_active": draw.randint(0, 1), "has_card": draw.randint(0, 1)},
        lambda i: {"title": f"t {i}", "body": "some prose", "author": draw.choice("ab")},
        lambda i: {"ticket": i, "user": draw.choice("uvw"), "category": draw.choice("xy"), "score": draw.randint(1, 5)},
        lambda i: {"match": i, "home_goals": draw.randint(0, 5), "away_goals": draw.randint(0, 5)},
        lambda i: {"date": i, "morning": draw.choice("gbo"), "evening": draw.choice("gbo")},
        lambda i: {"question": f"q {i}", "answer": f"a {i}"},
        lambda i: {"id": i, "prediction": draw.choice("AB"), "label": draw.choice("AB")},
    ],
)
def test_other_tables_are_no_judgements(tmp_path: Path, row: Any) -> None:
    path = written(tmp_path, "x.jsonl", [row(i) for i in range(60)])
    done = run_auditfw((path,), tmp_path, None)
    assert done.returncode == 3
    assert "cross_agent" not in done.stderr
    assert "self_audit" not in done.stderr


def test_a_rater_alone_needs_another(tmp_path: Path) -> None:
    rows = [{"id": i, "label": [label(i, 0)]} for i in range(N)]
    path = written(tmp_path, "anna.jsonl", rows)
    part = raters_lacks(first_look(path))
    assert part is not None
    assert "other: THEIRS" in " ".join(part.words)
    written(tmp_path, "bela.jsonl", rows)
    part = raters_lacks(first_look(path))
    assert part is not None
    assert "bela: " in " ".join(part.words)
    assert "source.columns={id: id,label: 'label[0]'}" in [word.replace(", ", ",") for word in part.words]


def test_counts_of_labels_are_none(tmp_path: Path) -> None:
    rows = [{"item": i, "yes": i % 4, "no": 3 - i % 4, "other": 7} for i in range(N)]
    look = first_look(written(tmp_path, "x.jsonl", rows))
    error = counts(look)
    assert (by_column(look), error is not None and error.what) == (
        None, says.HOLDS_HOW_OFTEN_EACH_LABEL,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Item ID;Rater;Rating\n" + "".join(f"{i};r{j};{label(i, j)}\n" for i in range(N) for j in range(2)),
         ['source.delimiter=";"', "source.columns={id: 'Item ID', rater: Rater, label: Rating}"]),
        ("id\tsaid\trater\tlabel\n" + "".join(f'{i}\t"so\tr{j}\t{label(i, j)}\n' for i in range(N) for j in range(2)),
         ['source.delimiter="\\t"', "source.quote=null", says.TEXT]),
    ],
)  # fmt: skip
def test_other_marks_between_columns(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "x.csv").write_text(text, "utf-8")
    [run] = recognised([str(tmp_path / "x.csv")])[1]
    assert [word for word in words if word not in run.words] == []


PARTS = [{"rater": "a", "label": "x"}, {"rater": "b", "label": "y"}]


@pytest.mark.parametrize(
    "row",
    [
        {"question": [1], "votes": PARTS},
        {"id": {"x": 1}, "votes": PARTS},
        {"question": [[1]], "answer": ["4"], "response": {"": "t"}},
        {"": ["x"], "rater": "a", "label": [["x"]]},
        {"a[b": ["x", "y"], "{z}": {"": "x", "q.r": "y"}, "annotator": PARTS},
        {"votes": [{"rater.": "a", "label[": "x"}] * 2, "id": 1},
        {"annotations": [{"completed_by": {}, "result": [{"value": {"": ["x"], "a.b": 1}}]}] * 2},
        {"responses": [{"user_id": [1], "values": {"": {"value": 1}}}] * 2},
        {"train": [{"input": 1}], "id": None, "attempts": {"x": 1}},
        {"params": {"x": [1]}, "intended": {"y": "z"}},
        {"task": [1], "attempt": "one", "score": {"x": 1}},
        {"x": True, "votes": True, "label.responses": [1, {"x": 1}]},
    ],
)
def test_odd_records_are_refused_in_a_line(tmp_path: Path, row: dict[str, Any]) -> None:
    for rows in ([row], [row, {}], [row] * 25):
        with pytest.raises(AuditError):
            recognised([written(tmp_path, "x.jsonl", rows)])
