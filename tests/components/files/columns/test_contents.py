"""Content parts: texts that chat models give as lists are read as their texts, the reasoning apart, and it is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from files_read import placed
from hypothesis import given
from hypothesis import strategies as st

import auditfw
from auditfw.components.files.columns.contents import content, reasoning_of
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource

SIGNED = {"type": "thinking", "thinking": "18? or 8", "signature": "EqQB"}
INSPECT = [{"type": "reasoning", "reasoning": "18? or 8", "redacted": False}, {"type": "text", "text": "It is 8"}]
ANTHROPIC = [SIGNED, {"type": "redacted_thinking", "data": "Em18"}, {"type": "text", "text": "It is 8"}]

SHAPES: dict[str, tuple[Any, str, str | None, list[str]]] = {
    "inspect": (INSPECT, "It is 8", "18? or 8", []),
    "inspect, redacted": (
        [{"type": "reasoning", "reasoning": "gAAA", "redacted": True, "summary": "counts"}, *INSPECT[1:]],
        "It is 8", "counts", [],
    ),
    "inspect, image and tool": (
        [{"type": "text", "text": "see"}, {"type": "image", "image": "data:x"}, {"type": "tool_use", "name": "t"}],
        "see", None, ["image", "tool_use"],
    ),
    "anthropic": (ANTHROPIC, "It is 8", "18? or 8", []),
    "anthropic, two texts": ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", None, []),
    "openai chat": ([{"type": "text", "text": "8"}], "8", None, []),
    "openai refusal": ([{"type": "refusal", "refusal": "I cannot"}], "I cannot", None, []),
    "openai responses": (
        [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "add"}], "content": None},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "8"}]},
            {"type": "function_call", "name": "f", "arguments": "{}"},
        ],
        "8", "add", ["function_call"],
    ),
    "assistants": ([{"type": "text", "text": {"value": "8", "annotations": []}}], "8", None, []),
    "mistral": (
        [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "8"}],
        "8", "hm", [],
    ),
    "langchain, with a text": (["It is", {"type": "text", "text": "8"}], "It is\n8", None, []),
    "gemini": ([{"text": "hm", "thought": True}, {"text": "8"}], "8", "hm", []),
    "bedrock": ([{"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "8"}], "8", "hm", []),
    "one part alone": ({"type": "text", "text": "8"}, "8", None, []),
    "structs of a table": (
        [{"type": "text", "text": "8", "reasoning": None}, {"type": "reasoning", "text": None, "reasoning": "r"}],
        "8", "r", [],
    ),
    "only reasoning": ([SIGNED], "", "18? or 8", []),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    value, text, reasoning, others = SHAPES[name]
    found = content(value)
    assert found is not None
    assert (found.text, found.reasoning, found.others) == (text, reasoning, others)


NONE_OF_THEM: list[Any] = [
    None, "text", 8, [], {}, ["a"], ["a", "b"], [1], [[1, 2], [3]], [{"role": "user", "content": "x"}], {"text": "x"},
    [{"input": [[1]], "output": [[2]]}], [{"type": "function", "function": {}}], [{"type": 1}], {"role": "x"},
    [{"type": "text", "text": "x"}, None], [{"role": "user", "text": "x"}],
]  # fmt: skip


@pytest.mark.parametrize("value", NONE_OF_THEM, ids=json.dumps)
def test_what_is_no_list_of_content_parts(value: Any) -> None:
    assert content(value) is None
    assert reasoning_of(value) is None


@given(st.lists(st.tuples(st.booleans(), st.text(max_size=5)), min_size=1, max_size=5))
def test_texts_and_reasoning_are_told_apart_in_order(parts: list[tuple[bool, str]]) -> None:
    made = [
        {"type": "thinking", "thinking": text} if hidden else {"type": "text", "text": text} for hidden, text in parts
    ]
    found = content(made)
    assert found is not None
    assert found.text == "\n".join(text for hidden, text in parts if not hidden)
    assert (found.reasoning or "") == "\n".join(text for hidden, text in parts if hidden and text)


ROWS = [
    {"id": "a", "raw_text": ANTHROPIC, "ground_truth": [{"type": "text", "text": "8"}], "n": 1},
    {
        "id": "b",
        "raw_text": [{"type": "text", "text": "It is 8"}],
        "ground_truth": [{"type": "text", "text": "9"}],
        "n": 2,
    },
]
READ = ("raw_text: content parts read as their texts, reasoning left out (column reasoning)",)


def table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """The rows with lists of structs, in which a part has every part's keys."""
    keys = dict.fromkeys(key for row in rows for part in row["raw_text"] for key in part)
    wide = [{**row, "raw_text": [{key: part.get(key) for key in keys} for part in row["raw_text"]]} for row in rows]
    return pl.DataFrame(wide)


@pytest.fixture(params=["jsonl", "json", "parquet", "polars", "records", "pandas"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The same rows in every form."""
    path = tmp_path / f"d.{request.param}"
    if request.param == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
        return JsonLines(path=str(path))
    if request.param == "json":
        path.write_text(json.dumps({"meta": {}, "samples": ROWS}), "utf-8")
        return JsonArray(path=str(path), records="samples")
    if request.param == "parquet":
        table(ROWS).write_parquet(path)
        return Parquet(path=str(path))
    if request.param == "pandas":
        return FrameSource(frame=pytest.importorskip("pandas").DataFrame(ROWS))
    return FrameSource(frame=table(ROWS) if request.param == "polars" else ROWS)


def test_every_source_reads_them_as_texts(source: Any) -> None:
    evidence = source.open(["raw_text", "ground_truth"], None)
    assert "reasoning" in evidence.columns
    [batch] = [task() for task in evidence.tasks]
    assert batch.columns["raw_text"] == ["It is 8", "It is 8"]
    assert batch.columns["ground_truth"] == ["8", "9"]
    assert batch.columns["reasoning"] == ["18? or 8", None]
    [told] = [key for key in batch.notes if key.startswith(READ)]
    assert batch.notes[told] == 2


def test_a_run_searches_the_text_alone_and_warns_once(source: Any) -> None:
    given_source = {"use": "frame", "frame": source.frame} if isinstance(source, FrameSource) else {
        "use": {JsonLines: "jsonl", JsonArray: "json", Parquet: "parquet"}[type(source)], "path": source.path,
        **({"records": "samples"} if isinstance(source, JsonArray) else {}),
    }  # fmt: skip
    settings = {"experiment": "answer_parsing", "by": [], "parser": ["answer_v2"], "audit": {"keep_text": True}}
    done = auditfw.run({**settings, "source": {**given_source, "where": "reasoning IS NULL OR n = 1"}})
    rows = done.trials.lazy().collect()
    assert rows["text.answer_v2"].to_list() == ["It is 8", "It is 8"]
    assert rows["reasoning"].to_list() == ["18? or 8", None]
    assert rows["answer_v2+v2"].to_list() == [True, False]
    assert len([warning for warning in done.warnings if warning.startswith(READ)]) == 1
    assert not any("18" in text for text in rows["text.answer_v2"])


def test_text_that_spells_parts_stays_text(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text('id,raw_text\na,"[{""type"": ""text"", ""text"": ""x""}]"\n', "utf-8")
    [task] = DelimitedText(path=str(tmp_path / "d.csv")).open(["raw_text"], ()).tasks
    assert task().columns["raw_text"] == ['[{"type": "text", "text": "x"}]']


@pytest.mark.parametrize(
    ("value", "text", "remark"),
    [
        (["Paris"], "Paris", "raw_text: lists of one text read as this text"),
        (["a", "b"], '["a", "b"]', "raw_text: lists or objects read as their JSON text"),
        ({"answer": "x"}, '{"answer": "x"}', "write source.columns.raw_text=ITS_ADDRESS"),
        ([[1, 2]], "[[1, 2]]", "raw_text: lists or objects read as their JSON text"),
        ([], "[]", "raw_text: lists or objects read as their JSON text"),
        ([{"type": "image", "image": "x"}], "", "raw_text: content parts of type 'image' left out"),
    ],
)
def test_what_else_stands_where_text_is_read(value: Any, text: str, remark: str, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"raw_text": value}) + "\n" + '{"raw_text": "plain"}\n', "utf-8")
    [task] = JsonLines(path=str(path)).open(["raw_text"], ()).tasks
    batch = task()
    assert batch.columns["raw_text"] == [text, "plain"]
    assert any(remark in key for key in batch.notes), batch.notes
    assert all(f"(first: {path}:1)" in key for key in placed(batch.notes))


def test_lists_elsewhere_stay_what_they_are(tmp_path: Path) -> None:
    """Truths may be lists; columns of other kinds, and texts without lists, are left alone and nothing is said."""
    row = {
        "id": 1,
        "ground_truth": ["a", "b"],
        "retrieved_ids": ["x"],
        "tags": ["y"],
        "train": [{"input": 1}],
        "t": "z",
    }
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(row) + "\n", "utf-8")
    [task] = JsonLines(path=str(path)).open([], None).tasks
    batch = task()
    assert {name: values[0] for name, values in batch.columns.items()} == {**row, "id": "1"}
    assert batch.notes == {}


def test_an_own_column_reasoning_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"raw_text": INSPECT, "reasoning": "own"}) + "\n", "utf-8")
    [task] = JsonLines(path=str(path)).open(["raw_text", "reasoning"], ()).tasks
    assert task().columns["reasoning"] == ["own"]


@pytest.mark.parametrize("kernel", ["native", "python"])
def test_labels_of_judges_that_are_content_parts(kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", kernel)
    said = [SIGNED, {"type": "text", "text": "VALID"}]
    rows = [{"qid": f"q{i}", "scholar": {"label": said}, "auditor": {"label": "VALID"}} for i in range(4)]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = auditfw.run({"experiment": "cross_agent", "source": {"use": "pairs", "path": str(path)}})
    assert done.counts == {"read": 4, "audited": 4}
    assert done.measurement("percent_agreement", "scholar").estimate.value == 1.0
    assert any(warning.startswith("scholar: content parts read as their texts") for warning in done.warnings)
