"""Details of lighteval, made by hand after its dataclasses `Doc` and `ModelResponse` (0.13.0)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from files_read import read, refused

from auditfw.components.source.lighteval import Lighteval
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")
DATE = "2026-01-02T03-04-05.678901"
NAMES = ("id", "item", "repeat", "raw_text", "parsed_text", "ground_truth", "stored")


def detail(doc: dict[str, Any], response: dict[str, Any], metric: dict[str, Any], marks: str = "") -> dict[str, Any]:
    whole_doc = {"query": "Q", "choices": ["4"], "gold_index": [0], "id": "0", "task_name": "t", **doc}
    whole = {"text": [], "text_post_processed": None, "logprobs": [], **response}
    return {f"{marks}doc{marks}": whole_doc, f"{marks}metric{marks}": metric, f"{marks}model_response{marks}": whole}


def written(*details: dict[str, Any], model: str = "org/m", task: str = "gsm8k|0") -> str:
    folder = Path("out", "details", model, DATE)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"details_{task}_{DATE}.parquet"
    pl.DataFrame(list(details), strict=False).write_parquet(path)
    return str(path)


def rows_of(source: Lighteval, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names or NAMES) for row in read(source)[0]]


@pytest.mark.parametrize("marks", ["", "__"])
def test_generated_answers(marks: str) -> None:
    extracted = {"specific": {"extracted_predictions": ["4"]}}
    path = written(
        detail(
            extracted, {"text": ["<think>x</think>It is 4"], "text_post_processed": ["It is 4"]}, {"em": 1.0}, marks
        ),
        detail({"id": "1", "specific": {"extracted_predictions": []}}, {"text": ["It is 5"]}, {"em": 0.0}, marks),
    )
    assert rows_of(Lighteval(path=path)) == [
        ("0/0", "0", 0, "It is 4", "4", "4", 1.0),
        ("1/0", "1", 0, "It is 5", None, "4", 0.0),
    ]
    assert rows_of(Lighteval(path=path), "model", "task", "date", "question")[0] == ("org/m", "gsm8k|0", DATE, "Q")


def test_several_samples_have_no_label_of_their_own() -> None:
    path = written(detail({}, {"text": ["4", "5"]}, {"pass@k": 1.0}))
    rows, tally = read(Lighteval(path=path))
    assert [(row["id"], row["raw_text"], row["stored"]) for row in rows] == [("0/0", "4", None), ("0/1", "5", None)]
    assert any(remark.startswith("several samples of one document") for remark in tally["notes"])


@pytest.mark.parametrize(
    ("gold", "truth"), [([1], " B"), ([0, 1], [" A", " B"]), ([7], None), ([], None)]
)  # fmt: skip
def test_log_likelihoods_and_right_choices(gold: list[int], truth: Any) -> None:
    path = written(detail({"choices": [" A", " B"], "gold_index": gold}, {"logprobs": [-2.0, -1.0]}, {"acc": 1}))
    assert rows_of(Lighteval(path=path)) == [("0/0", "0", 0, None, " B", truth, 1)]


def test_a_single_place_of_the_right_choice() -> None:
    assert rows_of(Lighteval(path=written(detail({"gold_index": 0}, {"text": ["4"]}, {"em": 1}))), "ground_truth") == [
        ("4",)
    ]


def flat(**more: Any) -> dict[str, Any]:
    """A detail after the dataclass `Detail` of lighteval 0.8.1, whose columns are sorted."""
    whole = {
        "choices": [], "cont_tokens": [[1]], "example": "Q", "full_prompt": "Be brief. Q", "gold": ["4"],
        "gold_index": [], "instruction": "", "metrics": {"em": 1.0}, "num_asked_few_shots": 0, "padded": [0],
        "pred_logits": [], "prediction_logits": [], "predictions": ["It is 4"], "specifics": None,
    }  # fmt: skip
    return {**whole, **more}


@pytest.mark.parametrize(
    ("more", "row"),
    [
        ({}, ("It is 4", None, "4", 1.0)),
        ({"gold": ["4", "four"]}, ("It is 4", None, ["4", "four"], 1.0)),
        ({"specifics": {"extracted_predictions": ["4"]}}, ("It is 4", "4", "4", 1.0)),
        ({"predictions": "['It is 4']", "gold": "['4']", "choices": "[]"}, ("It is 4", None, "4", 1.0)),
        ({"predictions": "It is 4", "gold": "[4"}, ("It is 4", None, "[4", 1.0)),
        ({"gold": [], "choices": ["A", "B"], "gold_index": [1], "predictions": [-2.0, -1.0]}, (None, "B", "B", 1.0)),
        (
            {"gold": [], "choices": ["A", "B"], "gold_index": [0], "predictions": "[(-1.0, True), (-2.0, False)]"},
            (None, "A", "A", 1.0),
        ),
    ],
)
def test_details_before_parts_came(more: dict[str, Any], row: tuple[Any, ...]) -> None:
    path = written(flat(**more))
    assert rows_of(Lighteval(path=path), "raw_text", "parsed_text", "ground_truth", "stored") == [row]
    names = ("id", "item", "question", "model", "task")
    assert rows_of(Lighteval(path=path), *names) == [("1/0", "1", "Q", "org/m", "gsm8k|0")]


def test_a_folder_of_models_and_tasks() -> None:
    for model in ("a", "b"):
        for task in ("t|0", "u|0"):
            written(detail({}, {"text": ["4"]}, {"em": 1.0, "f1": 0.5}), model=model, task=task)
    assert rows_of(Lighteval(path="out", metric="f1"), "id", "item", "stored") == [
        ("a/t|0/0/0", "t|0/0", 0.5),
        ("a/u|0/0/0", "u|0/0", 0.5),
        ("b/t|0/0/0", "t|0/0", 0.5),
        ("b/u|0/0/0", "u|0/0", 0.5),
    ]


def test_what_is_no_detail() -> None:
    pl.DataFrame({"x": [1]}).write_parquet("a.parquet")
    refused(DataError, Lighteval(path="a.parquet"), "a.parquet:1: not a detail of lighteval: no 'doc'", "found: x")
    path = written(detail({}, {"text": ["4"]}, {"em": 1.0}))
    refused(DataError, Lighteval(path=path, metric="f1"), f"{path}:1: no metric 'f1' (found: em)")
