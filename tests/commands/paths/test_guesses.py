"""Columns of tables that nobody named: which are taken for which of ours, and which are not."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from sentences import commands as says

from auditfw.commands.paths.command import recognised
from auditfw.commands.paths.guesses.mapping import GuessedColumns, ending_columns, last_record, with_records
from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.files.looks.guessed import guessed, left_over

CHAT = {"choices": [{"message": {"role": "assistant", "content": "It is 4."}}]}
TURNS = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "It is 4."}]
BOTH = {"raw_text": "response", "ground_truth": "answer"}


@pytest.mark.parametrize(
    ("row", "ours"),
    [
        ({"generated_text": "t", "answer_text": "4"}, {"raw_text": "generated_text", "ground_truth": "answer_text"}),
        ({"answer_text": "t", "gold": "4"}, {"raw_text": "answer_text", "ground_truth": "gold"}),
        ({"generated_text": "t", "gt": "4", "hit": 1},
         {"raw_text": "generated_text", "ground_truth": "gt", "stored": "hit"}),
        ({"pred": "4", "answer": "4"}, {"raw_text": "pred", "ground_truth": "answer"}),
        ({"response": "t", "pred": "4", "answer": "4"}, {**BOTH, "parsed_text": "pred"}),
        ({"response": "t", "solution": "s", "gt": "4"}, {"raw_text": "response", "ground_truth": "gt"}),
        ({"response": "t", "solution": "s", "answer": "4"}, BOTH),
        ({"response": "t", "solution": "s"}, {"raw_text": "response", "ground_truth": "solution"}),
        ({"actualOutput": "t", "expectedOutput": "4", "success": True},
         {"raw_text": "actualOutput", "ground_truth": "expectedOutput", "stored": "success"}),
        ({"LLM_full_answer": "t", "golden_answer": "4", "if_right": 1},
         {"raw_text": "LLM_full_answer", "ground_truth": "golden_answer", "stored": "if_right"}),
        ({"model_outputs": ["t"], "reference_answer": "4", "symbolic_correct": False},
         {"raw_text": "model_outputs[0]", "ground_truth": "reference_answer", "stored": "symbolic_correct"}),
        ({"prediction": "t", "refr": "4"}, {"raw_text": "prediction", "ground_truth": "refr"}),
        ({"prediction": None, "refr": "4"}, {"raw_text": "prediction", "ground_truth": "refr"}),
        ({"completion": "t", "gt": "4", "verdict": "Correct"},
         {"raw_text": "completion", "ground_truth": "gt", "stored": "verdict"}),
        ({"logit_0": "t", "truth": "4", "acc": "1.0"},
         {"raw_text": "logit_0", "ground_truth": "truth", "stored": "acc"}),
        ({"logit_0": -1.5, "logit_1": -2.5, "truth": "1"}, {"ground_truth": "truth"}),
        ({"Text": "t", "gold": "4"}, {"raw_text": "Text", "ground_truth": "gold"}),
        ({"text": "t", "label": "pos"}, {"ground_truth": "label"}),  # no answer of a model
        ({"gpt4_pred": "t", "gold": "4"}, {"raw_text": "gpt4_pred", "ground_truth": "gold"}),
        ({"response": CHAT, "gold": "4"}, {"raw_text": "response.choices[0].message.content", "ground_truth": "gold"}),
        ({"response": {"body": CHAT}, "gold": "4"},
         {"raw_text": "response.body.choices[0].message.content", "ground_truth": "gold"}),
        ({"messages": TURNS, "gold": "4"}, {"raw_text": "messages[-1].content", "ground_truth": "gold"}),
        ({"messages": TURNS[:1], "gold": "4"}, {"ground_truth": "gold"}),
        ({"outputs": [{"text": "t"}], "ideal": "4"}, {"raw_text": "outputs[0].text", "ground_truth": "ideal"}),
        ({"output": "t", "gold": "4", "predicted_answer": "4"},
         {"raw_text": "output", "ground_truth": "gold", "parsed_text": "predicted_answer"}),
        ({"answer": "t", "ground_truth": "4"}, {"raw_text": "answer", "ground_truth": "ground_truth"}),
        ({"answer": "t", "contexts": "c"}, {"ground_truth": "answer"}),
        ({"outputs": {"answer": "t"}, "reference_outputs": {"answer": "4"}},
         {"raw_text": "outputs.answer", "ground_truth": "reference_outputs.answer"}),
        ({"Model Output": "t", "Expected Output": "4"},
         {"raw_text": "Model Output", "ground_truth": "Expected Output"}),
        ({"[openai:gpt-4o] {{q}}": "t", "__expected": "4", "Status": "PASS"},
         {"raw_text": "[openai:gpt-4o] {{q}}", "ground_truth": "__expected", "stored": "Status"}),
        ({"response": "t", "answer": "4", "grade": "B"}, BOTH),  # a grade of its own kind
    ],
)  # fmt: skip
def test_names_that_people_give(row: dict[str, Any], ours: dict[str, str]) -> None:
    assert guessed(list(row), [row]) == ours


def rows(**columns: list[Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(
    ("columns", "item"),
    [
        ({"question": ["a", "b", "a"], "answer": ["1", "2", "1"]}, "question"),
        ({"question": ["a", "b", "a"], "answer": ["1", "2", "3"]}, None),  # one text, two truths
        ({"question": ["a", "b", "a"], "qid": [1, 2, 1], "answer": ["1", "2", "1"]}, "qid"),
        ({"question": ["a", "b", "a"], "qid": [1, 2, 3], "answer": ["1", "2", "3"]}, None),
        ({"input": ["", "", ""], "answer": ["1", "1", "1"]}, None),
    ],
)
def test_items_have_one_truth(columns: dict[str, list[Any]], item: str | None) -> None:
    assert guessed(["response", *columns], rows(response=["t"] * 3, **columns)).get("item") == item


def test_a_score_of_errors_is_no_label_of_what_is_right() -> None:
    wrong = rows(response=["It is 4.", "It is 5."], answer=["4", "4"], error_score=[0, 1])
    right = rows(response=["It is 4.", "It is 5."], answer=["4", "4"], error_score=[1, 0])
    assert [guessed(list(one[0]), one).get("stored") for one in (wrong, right)] == [None, "error_score"]


def test_a_column_of_yes_and_no_that_is_left_over_is_mentioned() -> None:
    table = rows(response=["t", "u"], answer=["4", "5"], correct=[1, 0], flagged=["yes", "no"], always=[1, 1])
    taken = guessed(list(table[0]), table)
    assert (taken["stored"], left_over(list(table[0]), table, taken)) == ("correct", ["flagged"])


def test_labels_that_are_words_are_said_to_be_right_or_wrong(tmp_path: Path) -> None:
    table = rows(response=["t", "u"], answer=["4", "5"], verdict=["Correct", "Incorrect"])
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), "utf-8")
    words = GuessedColumns(first_look(str(tmp_path / "x.jsonl"))).words()
    assert words[-3:] == ["audit.stored_true=[Correct]", "audit.stored_false=[Incorrect]", "audit.baseline=search"]


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "parquet"])
def test_a_table_that_is_sorted_by_model_has_its_models_as_cells(tmp_path: Path, ending: str) -> None:
    import polars

    table = [{"id": i, "model": m, "response": "{t}", "answer": "4"} for m in ("a", "b") for i in range(PEEKED)]
    path = tmp_path / f"x.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table), "utf-8")
    elif ending == "json":
        path.write_text(json.dumps(table, indent=1), "utf-8")
    elif ending == "csv":
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
    else:
        polars.DataFrame(table).write_parquet(path)
    look = first_look(str(path))
    last = last_record(look)
    assert last is not None
    assert {name: str(value) for name, value in last.items()} == {name: str(value) for name, value in table[-1].items()}
    words = GuessedColumns(look).words()
    assert ("by=[model]" in words, "source.columns.id='#'" in words) == (True, True)  # ids come again
    assert "item: id" in words[2]


@pytest.mark.parametrize(
    ("whole", "at"),
    [
        ({"model": "m", "outputs": [{"prompt": "q", "completion": "t"}]}, "outputs"),
        ({"accuracy": 0.5, "results": [{"question": "q", "expected": "4"}]}, "results"),
        ({"example": [{"q": "x", "a": "y"}]}, "example"),
        ({"testRunData": {"testCases": [{"input": "q", "actualOutput": "t"}], "other": [{"x": 1}]}},
         "testRunData.testCases"),
        ({"0": {"prediction": "A", "refr": "A"}, "1": {"prediction": "B", "refr": "A"}}, "*"),
        ({"a": {"question": "q", "answer": "4"}, "b": {"question": "r", "answer": "5"}}, "*"),
        ({"details": {"0": {"prompt": "p", "references": "4"}, "1": {"prompt": "p", "references": "4"}, "type": "GEN"}},
         "details.*"),
        ({"eval": {"H/0": [{"base_status": "pass", "plus_status": "pass"}], "H/1": [{"base_status": "fail",
          "plus_status": "fail"}]}}, "eval.*"),
        ({"name": "x", "settings": {"a": 1}}, ""),
        ({"messages": [{"role": "user", "content": "hi"}]}, ""),
    ],
)  # fmt: skip
def test_records_inside_an_object_are_found(tmp_path: Path, whole: dict[str, Any], at: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(whole, indent=1), "utf-8")
    look = with_records(first_look(str(path)))
    assert (look.records_at, bool(look.records)) == (at, bool(at))


def test_a_table_of_our_names_mentions_it_too(tmp_path: Path) -> None:
    table = rows(raw_text=["t", "u"], ground_truth=["4", "5"], hit=[1, 0])
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), "utf-8")
    assert recognised([str(tmp_path / "x.jsonl")])[1][0].what == says.STORED_ANSWERS_JSONL_OF_TRUTHS


STATUS = [{"status": "completed"}] * 19


@pytest.mark.parametrize(
    ("rows", "ours"),
    [
        ([{"finish_reason": "stop"}, {"finish_reason": "LENGTH"}, {}], {"stop": "finish_reason"}),
        ([{"stopReason": "end_turn", "status": "completed"}], {"stop": "stopReason"}),
        ([{"choices": [{"finish_reason": "length"}]}], {"stop": "choices[0].finish_reason"}),
        ([{"response": {"body": {"choices": [{"finish_reason": "stop"}]}}}],
         {"stop": "response.body.choices[0].finish_reason"}),
        ([{"candidates": [{"finishReason": "STOP"}]}], {"stop": "candidates[0].finishReason"}),
        ([{"incomplete_details": {"reason": "max_output_tokens"}, "status": "incomplete"}],
         {"stop": "incomplete_details.reason"}),
        ([*STATUS, {"status": "passed"}], {"stop": "status"}),
        ([*STATUS[:18], {"status": "passed"}], {}),  # less than 95 %
        ([{"status": "passed"}, {"status": "failed"}], {}),
        ([{"stop": "a", "finish_reason": "stop"}], {}),  # a column of our name is read as it is
        ([{"usage": {"completion_tokens": 5}, "max_tokens": 9}],
         {"tokens_out": "usage.completion_tokens", "limit": "max_tokens"}),
        ([{"eval_count": 5, "num_predict": -1}], {"tokens_out": "eval_count"}),  # -1: no limit
        ([{"output_tokens": "5"}], {}),
    ],
)  # fmt: skip
def test_columns_of_endings(rows: list[dict[str, Any]], ours: dict[str, str]) -> None:
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    assert ending_columns(columns, rows, ()) == ours
