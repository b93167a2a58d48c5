"""Logs of Inspect as trials: rows looked up by hand in logs that the package wrote, and the rules for each column."""

from __future__ import annotations

import pickle
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from files_read import QUIET, read, refused
from hypothesis import given
from hypothesis import strategies as st
from inspect_logs import DEFLATE, LOGS, STORED, eval_log, head, json_log, members, sample, text, zipped

from auditfw.components.source.inspect import Inspect
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError
from auditfw.kinds.evidence import ScorerRule

pytestmark = pytest.mark.usefixtures("here")


def log(name: str, **settings: Any) -> Inspect:
    return Inspect(path=str(LOGS / name), **settings)


def rows_of(source: Inspect, *required: str) -> list[dict[str, Any]]:
    return read(source, *required)[0]


@pytest.mark.parametrize(
    ("scorer", "right"),
    [
        (None, "0 2 3 4 5 6"),
        ("match", "0 2 3 4 5 6"),
        ("includes", "0 2 3 4 5 6"),
        ("answer", "3"),
        ("pattern", "0 3"),
        ("match1", "0 2 3 4 5 6"),
        ("match2", "0 5 6"),
    ],
)
def test_the_stored_labels_of_each_scorer(scorer: str | None, right: str) -> None:
    rows = rows_of(log("adds.eval", scorer=scorer))
    assert Counter(row["stored"] for row in rows) == {
        True: len(right.split()),
        False: 117 - len(right.split()),
        None: 3,
    }
    assert [row["id"] for row in rows if row["stored"]] == [f"add-{n}#1" for n in right.split()]


def test_a_row_of_a_log() -> None:
    first = rows_of(log("adds.eval"))[0]
    assert first == {
        "id": "add-0#1", "item": "add-0", "epoch": 1, "stored": True, "error": None, "question": "What is 0+0?",
        "ground_truth": "0", "raw_text": "0", "explanation": "0", "scorer": "match", "model": "mockllm/model",
        "task": "adds", "temperature": 0.7, "topic": "even", "metadata": {"topic": "even"},
        "sample_id": "add-0", "log": str(LOGS / "adds.eval"), "stop": "stop", "tokens_in": 3, "tokens_out": 1,
        "planned": 120, "unscored": False,
    }  # fmt: skip


def test_samples_that_ended_in_an_error() -> None:
    rows = rows_of(log("adds.eval"))
    failed = [(row["id"], row["raw_text"], row["stored"]) for row in rows if row["error"]]
    assert failed == [(f"add-7#{epoch}", "", None) for epoch in (1, 2, 3)]
    assert all(row["error"].startswith("RuntimeError('boom") for row in rows if row["error"])


def test_items_have_a_row_an_epoch() -> None:
    rows = rows_of(log("adds.eval"))
    assert Counter(Counter(row["item"] for row in rows).values()) == {3: 40}
    assert {(row["item"], row["epoch"]) for row in rows} == {(f"add-{n}", e) for n in range(40) for e in (1, 2, 3)}


@pytest.mark.parametrize(("scorer", "right", "nothing"), [("answer", ["6"], 104), ("pattern", ["0", "6"], 0)])
def test_the_text_that_a_scorer_parsed(scorer: str, right: list[str], nothing: int) -> None:
    rows = rows_of(log("adds.eval", scorer=scorer))
    assert [row["parsed_text"] for row in rows if row["stored"]] == right
    assert sum(row["parsed_text"] == "" for row in rows if scorer == "answer") == nothing
    assert [row["item"] for row in rows if row["parsed_text"] is None] == ["add-7"] * 3


@pytest.mark.parametrize("scorer", ["match", "includes", "match1"])
def test_the_completion_that_a_scorer_stores_is_not_parsed_text(scorer: str) -> None:
    assert "parsed_text" not in rows_of(log("adds.eval", scorer=scorer))[0]


def test_choices() -> None:
    rows = rows_of(log("mc.eval"))
    assert [row["parsed_text"] for row in rows] == ["A", "", "C", "D"] * 3
    assert [row["stored"] for row in rows] == [True, False, True, True] * 3
    assert [row["ground_truth"] for row in rows] == ["A", "B", "C", "D"] * 3
    assert rows[0]["choices"] == ["red", "green", "blue", "gray"]


@pytest.mark.parametrize("name", ["multi.eval", "multi.json"])
def test_several_targets(name: str) -> None:
    rows = rows_of(log(name))
    assert [row["id"] for row in rows] == [f"{n}#1" for n in range(1, 11)]
    assert {str(row["ground_truth"]) for row in rows} == {"['Paris', 'paris, france']"}
    assert [row["stored"] for row in rows] == [True] * 10
    assert sum(row["stored"] for row in rows_of(log(name, scorer="exact"))) == 4


def test_numbers_are_right_from_the_threshold_on() -> None:
    assert [row["stored"] for row in rows_of(log("multi.eval", scorer="f1"))] == [True] * 10
    rows, tally = read(log("multi.eval", scorer="f1", threshold=0.9))
    assert sum(row["stored"] for row in rows) == 4
    assert any("source.threshold" in note for note in tally["notes"])


@pytest.mark.parametrize(("settings", "right"), [({}, 6), ({"partial": 0.4}, 4), ({"threshold": 0.6}, 4)])
def test_scores_that_are_partial_or_none(settings: dict[str, Any], right: int) -> None:
    rows, tally = read(log("graded.eval", **settings))
    assert [(row["item"], row["stored"], row["reason"]) for row in rows if row["unscored"]] == [
        ("add-3", None, "grader_failed"), ("add-8", None, "grader_failed"),
    ]  # fmt: skip
    rows = [row for row in rows if not row["unscored"]]
    assert [row["item"] for row in rows] == [f"add-{n}" for n in (0, 1, 2, 4, 5, 6, 7, 9)]  # 3 and 8 are NaN
    assert sum(row["stored"] for row in rows) == right  # C of 0, 4, 5, 9; P of 2 and 7
    assert [n for note, n in tally["notes"].items() if "P (partial)" in note] == [2]


@pytest.mark.parametrize("name", ["long.eval", "long.json"])
def test_long_texts(name: str) -> None:
    [row] = rows_of(log(name))
    assert (len(row["question"]), len(row["raw_text"]), row["stored"]) == (10_000, 5_002, True)


def test_both_forms_of_a_log_are_read_alike() -> None:
    one, other = (rows_of(log(f"multi.{form}")) for form in ("eval", "json"))
    assert [{**row, "log": ""} for row in one] == [{**row, "log": ""} for row in other]


def test_the_rule_stands_in_the_head() -> None:
    assert log("adds.eval").rules() == {"match": ScorerRule("match", {}, "0.3.285")}
    assert log("adds.eval", scorer="match1").rules() == {"match1": ScorerRule("match", {"numeric": True}, "0.3.285")}
    assert log("adds.eval", scorer="pattern").rules() == {
        "pattern": ScorerRule("pattern", {"pattern": r"(\d+)\s*$"}, "0.3.285")
    }


def test_the_columns_of_cells() -> None:
    assert log("adds.eval").by == ("model", "task")


@pytest.mark.parametrize("method", [STORED, DEFLATE])
def test_other_compressions(method: int) -> None:
    eval_log(sample(1), sample(2, value="I"), method=method)
    assert [row["stored"] for row in rows_of(Inspect(path="a.eval"))] == [True, False]


def test_a_folder_a_list_and_a_pattern() -> None:
    Path("logs/deep").mkdir(parents=True)
    Path("logs/.hidden").mkdir()
    eval_log(sample(1), name="logs/b.eval")
    eval_log(sample(1), log_head=head(task="other", task_id="o"), name="logs/deep/a.eval")
    eval_log(sample(1), name="logs/.hidden/c.eval")
    Path("logs/notes.json").write_text('{"a": 1}')
    everything = ["sums/1#1", "other/1#1"]
    assert [row["id"] for row in rows_of(Inspect(path="logs"))] == everything
    assert [row["id"] for row in rows_of(Inspect(path="logs/**/*.eval"))] == everything
    assert [row["id"] for row in rows_of(Inspect(path=("logs/deep/a.eval", "logs/b.eval")))] == everything[::-1]
    rows = rows_of(Inspect(files=({"path": "logs/deep", "set": {"variant": "x"}}, {"path": "logs/b.eval"})))  # type: ignore[arg-type]
    assert [(row["id"], row["variant"]) for row in rows] == [("other/1#1", "x"), ("sums/1#1", None)]


def test_ids_of_several_logs() -> None:
    eval_log(sample(1), name="a.eval")
    eval_log(sample(1), log_head=head(model="mock/two", task_id="u"), name="b.eval")
    assert [row["id"] for row in rows_of(Inspect(path="*.eval"))] == ["mock/one/1#1", "mock/two/1#1"]
    eval_log(sample(1), log_head=head(task_id="v", eval_id="f"), name="c.eval")
    rows = rows_of(Inspect(path="*.eval"))
    assert [row["id"] for row in rows] == ["mock/one/t/1#1", "mock/two/u/1#1", "mock/one/v/1#1"]
    assert {row["item"] for row in rows} == {"1"}


def test_a_run_that_was_tried_again_has_the_same_ids() -> None:
    eval_log(sample(1, value="I"), name="a.eval")
    eval_log(sample(1), log_head=head(eval_id="f"), name="b.eval")
    refused(DataError, Inspect(path="*.eval"), "b.eval:1", "duplicate id '1#1'", "a.eval:1")
    assert [row["stored"] for row in rows_of(Inspect(path="*.eval", duplicates="last"))] == [True]


def test_scorers_of_one_name_with_other_rules() -> None:
    other = head(task="other", task_id="o", scorers=[{"name": "match", "options": {"numeric": True}}])
    eval_log(sample(1), name="a.eval")
    eval_log(sample(1), log_head=other, name="b.eval")
    source = Inspect(path="*.eval")
    assert source.warnings() == ()
    assert [row["scorer"] for row in rows_of(source)] == ["match of sums", "match of other"]
    assert {key: rule.options for key, rule in source.rules().items()} == {
        "match of sums": {},
        "match of other": {"numeric": True},
    }


def test_the_choice_of_a_scorer_in_several_logs() -> None:
    both = {"match": {"value": "C"}, "other": {"value": "I"}}
    for name, task in (("a", "one"), ("b", "two")):
        eval_log(sample(1, scores=both), log_head=head("match", "other", task=task, task_id=task), name=f"{name}.eval")
    first = "the labels are those of scorer match, the first of match, other"
    assert Inspect(path="*.eval").warnings() == (f"{first} (2 logs) (source.scorer)",)
    assert Inspect(path="a.eval").warnings() == (f"{first} (source.scorer)",)
    assert Inspect(path="a.eval", scorer="other").warnings() == ()


def test_a_killed_run() -> None:
    Path("a.eval").write_bytes(zipped(members([sample(1)])[:-1]))
    rows, tally = read(Inspect(path="a.eval"))
    assert (rows[0]["id"], rows[0]["model"]) == ("1#1", "mock/one")
    assert "without writing the log's head: 1 sample is read" in tally["evidence"].warnings[0]


@pytest.mark.parametrize(
    ("status", "words"), [("error", "ended with status 'error': 1 of 3 samples"), ("started", "is still running")]
)
def test_runs_that_did_not_end_well(status: str, words: str) -> None:
    eval_log(sample(1), log_head=head(status=status, dataset={"samples": 3}))
    assert words in read(Inspect(path="a.eval"))[1]["evidence"].warnings[0]


def test_an_old_log() -> None:
    old = {"id": 1, "epoch": 1, "input": "2+2?", "target": "4", "messages": [
        {"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "It is 5"},
    ], "output": {"choices": []}, "score": {"value": "I", "answer": "It is 5"}}  # fmt: skip
    old_head = head(scorers=None, results={"scorer": {"name": "match", "params": {"location": "any"}}}, version=1)
    eval_log(old, log_head=old_head)
    source = Inspect(path="a.eval")
    [row] = rows_of(source)
    assert (row["raw_text"], row["stored"]) == ("It is 5", False)
    assert source.rules() == {"match": ScorerRule("match", {"location": "any"}, "0.3.1")}


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ({"completion": "A", "choices": [{"message": {"content": "B"}}]}, "A"),
        ({"completion": "", "choices": [{"message": {"content": "B"}}]}, ""),
        ({"choices": [{"message": {"content": "B"}}]}, "B"),
        (
            {"choices": [{"message": {"content": [{"type": "text", "text": "B"}, {"type": "text", "text": "C"}]}}]},
            "B\nC",
        ),
        ({"choices": []}, "D"),
        (None, "D"),
    ],
)
def test_where_the_answer_is(output: Any, answer: str) -> None:
    messages = [{"role": "assistant", "content": "X"}, {"role": "assistant", "content": "D"}, {"role": "user"}]
    eval_log(sample(1, output=output, messages=messages))
    assert rows_of(Inspect(path="a.eval"))[0]["raw_text"] == answer


def test_reasoning_is_a_column() -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "4"}]
    eval_log(sample(1, output={"completion": "4", "choices": [{"message": {"content": parts}}]}))
    [row] = rows_of(Inspect(path="a.eval"))
    assert (row["raw_text"], row["reasoning"]) == ("4", "hm")


def test_the_question_is_what_the_user_asked() -> None:
    chat = [{"role": "system", "content": "s"}, {"role": "user", "content": "a"},
            {"role": "user", "content": [{"type": "text", "text": "b"}]}]  # fmt: skip
    eval_log(sample(1, input=chat))
    assert rows_of(Inspect(path="a.eval"))[0]["question"] == "a\n\nb"


def test_metadata() -> None:
    inner = {"topic": "sums", "n": 3, "model": "other", "deep": {"a": 1}, "list": [1]}
    eval_log(sample(1, metadata=inner))
    [row] = rows_of(Inspect(path="a.eval", columns={"a": "metadata.deep.a"}))
    assert (row["topic"], row["n"], row["metadata.model"], row["a"]) == ("sums", 3, "other", 1)
    assert row["model"] == "mock/one"
    assert "deep" not in row


def test_metadata_that_only_a_later_sample_has() -> None:
    eval_log(*(sample(n, metadata={"late": n} if n > 150 else {}) for n in range(1, 161)))
    rows = rows_of(Inspect(path="a.eval"), "late")
    assert [row["late"] for row in rows] == [None] * 150 + list(range(151, 161))


HASH = "attachment://0123"


def test_attachments_are_put_in_where_they_are_read() -> None:
    parts = {
        "input": HASH,
        "target": [HASH, "4"],
        "choices": [HASH],
        "metadata": {"long": HASH, "other": "attachment://x"},
    }
    eval_log(sample(1, output={"completion": HASH}, attachments={"0123": "long text"}, **parts))
    names = ("question", "raw_text", "ground_truth", "choices", "long")
    rows, _ = read(Inspect(path="a.eval"), *names, optional=())
    assert [rows[0][name] for name in names] == [
        "long text",
        "long text",
        ["long text", "4"],
        ["long text"],
        "long text",
    ]


def test_a_missing_attachment() -> None:
    eval_log(sample(1, output={"completion": HASH}))
    refused(
        DataError, Inspect(path="a.eval"), "a.eval:samples/1_epoch_1.json", "attachment of raw_text is missing", HASH
    )
    assert read(Inspect(path="a.eval"), "stored", optional=())[0][0]["stored"] is True


@pytest.mark.parametrize("spelling", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_not_finite(spelling: str) -> None:
    bare = text(sample(1, metadata={"x": "BARE", "y": 2}, store={"z": ["BARE"] * 40})).replace(
        b'"BARE"', spelling.encode()
    )
    nan = text(sample(2, value="BARE")).replace(b'"BARE"', spelling.encode())
    named = [("samples/1_epoch_1.json", bare), ("samples/2_epoch_1.json", nan), ("header.json", text(head()))]
    Path("a.eval").write_bytes(zipped(named))
    rows, tally = read(Inspect(path="a.eval"), "x", "y")
    assert [(row["x"], row["y"], row["stored"], row["unscored"]) for row in rows] == [
        (None, 2, True, False), (None, None, None, True),
    ]  # fmt: skip
    assert read(Inspect(path="a.eval"), optional=("stored",))[1]["dropped"] == {"unscored": 1}
    assert tally["notes"]["x: NaN or Infinity read as null"] == 1


def test_halves_of_characters() -> None:
    named = [("samples/1_epoch_1.json", text(sample(1)).replace(b"It is 4", b"It \\ud800is 4")), *members([])[1:]]
    Path("a.eval").write_bytes(zipped(named))
    rows, tally = read(Inspect(path="a.eval"))
    assert rows[0]["raw_text"] == "It \ufffdis 4"
    assert any("U+FFFD" in note for note in tally["notes"])


def test_a_score_with_several_values() -> None:
    eval_log(sample(1, value={"exact": 1, "near": 0.2}), sample(2, value=[0, 1]))
    refused(DataError, Inspect(path="a.eval"), "the score has several values", "exact, near", "source.key=exact")
    eval_log(sample(1, value={"exact": 1, "near": 0.2}))
    assert rows_of(Inspect(path="a.eval", key="near"))[0]["stored"] is False
    refused(DataError, Inspect(path="a.eval", key="far"), "the score has no 'far'", "exact, near")


def test_a_sample_kept_in_parts() -> None:
    shell = sample(1, output={"completion": "attachment://1"})
    for name in ("metadata", "attachments", "messages", "events"):
        del shell[name]
    folder = "samples/1_epoch_1"
    parts = {
        "metadata": {"topic": "sums"},
        "skeleton": {},
        "events/0": [],
        "attachments/0": ["zero"],
        "attachments/1": ["one"],
    }
    named = [(f"{folder}/{name}.json", text(part)) for name, part in parts.items()]
    Path("a.eval").write_bytes(zipped([*members([sample(2)]), (f"{folder}/sample.json", text(shell)), *named]))
    rows = rows_of(Inspect(path="a.eval"), "topic")
    assert [(row["id"], row["raw_text"], row["topic"]) for row in rows] == [
        ("2#1", "It is 4", None),
        ("1#1", "one", "sums"),
    ]


def test_a_sample_that_was_written_again() -> None:
    Path("a.eval").write_bytes(zipped([*members([sample(1, value="I")]), *members([sample(1)])]))
    rows, tally = read(Inspect(path="a.eval"))
    assert [row["stored"] for row in rows] == [True]
    assert "3 members that were written again later are not read" in tally["evidence"].warnings[0]


def test_samples_come_in_the_order_of_the_file() -> None:
    """Whatever order the directory has: so each part of the file is read once, from its start to its end."""
    eval_log(*(sample(n) for n in (3, 1, 2)), backwards=True)
    assert [row["id"] for row in rows_of(Inspect(path="a.eval"))] == ["3#1", "1#1", "2#1"]


def test_batches_depend_on_the_file_alone() -> None:
    eval_log(*(sample(n) for n in range(1, 1201)))
    evidence = Inspect(path="a.eval").open((), None)
    assert [len(pickle.loads(pickle.dumps(task))()) for task in evidence.tasks] == [512, 512, 176]
    assert evidence.counted().low == evidence.rows == 1200
    assert [entry.path for entry in evidence.inputs()] == ["a.eval"]


def test_other_ids_are_looked_over_too() -> None:
    eval_log(sample(1, metadata={"uuid": "a"}), sample(2, metadata={"uuid": "a"}))
    refused(DataError, Inspect(path="a.eval", columns={"id": "uuid"}), "duplicate id 'a'")
    json_log(sample(1), sample(1))
    refused(DataError, Inspect(path="a.json"), "duplicate id '1#1'")


@pytest.mark.parametrize("name", ["adds.eval", "multi.json"])
def test_conditions_and_limits(name: str) -> None:
    rows, tally = read(log(name, where="item = 'add-3' OR item = '3'"))
    assert {row["item"] for row in rows} <= {"add-3", "3"}
    assert tally["dropped"]["filtered"] == (117 if name == "adds.eval" else 9)
    assert len(rows_of(log(name, limit=4))) == 4


def test_only_some_logs_have_parsed_text() -> None:
    rows = rows_of(Inspect(path=(str(LOGS / "mc.eval"), str(LOGS / "multi.eval"))))
    assert [row["parsed_text"] for row in rows] == [*["A", "", "C", "D"] * 3, *[None] * 10]


def test_a_document_of_another_layout() -> None:
    json_log(sample(1), sample(2, value="I"), indent=None)
    assert [row["stored"] for row in rows_of(Inspect(path="a.json"))] == [True, False]


def test_a_document_without_samples() -> None:
    json_log()
    refused(NothingAudited, Inspect(path="a.json"), "a.json", "holds no record")


def test_no_such_scorer() -> None:
    eval_log(sample(1))
    refused(UsageError, Inspect(path="a.eval", scorer="matc"), "source.scorer", "no scorer 'matc' in a.eval", "match")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Inspect, ("source.path", "not set")),
        (lambda: Inspect(path="a.eval", partial=2), ("partial", "from 0 to 1")),
        (lambda: Inspect(path=("a",), files=({"path": "b"},)), ("files",)),  # type: ignore[arg-type]
    ],
)
def test_settings_that_are_refused(wrong: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        wrong().located()
    assert all(word in str(caught.value) for word in words)


def paths(value: Any) -> list[tuple[Any, ...]]:
    """The way to each part of a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *way) for key, part in pairs for way in paths(part))]


def put_in(value: Any, way: tuple[Any, ...], part: Any) -> Any:
    if not way:
        return part
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = put_in(value[way[0]], way[1:], part)
    return copy


CHAT = [{"role": "user", "content": [{"type": "text", "text": "a"}]}, {"role": "assistant", "content": "b"}]
RICH = sample(1, input=CHAT, messages=CHAT, output={"choices": [{"message": CHAT[1]}]}, metadata={"a": 1}, error=None)
ODD = st.sampled_from(
    [None, True, 3, -1.5, 10**400, "", "x", "NaN", [], [1], {}, {"a": 1}, [{"a": None}], {"content": 3}]
)


@QUIET
@given(st.sampled_from(paths(RICH)), ODD, st.booleans())
def test_a_sample_of_another_form_is_read_or_refused(way: tuple[Any, ...], part: Any, document: bool) -> None:
    one = put_in(RICH, way, part)
    named = [("samples/1_epoch_1.json", text(one)), ("header.json", text(head()))]
    Path("a.eval").write_bytes(zipped(named))
    Path("a.json").write_bytes(text({**head(), "samples": [one]}))
    with suppress(AuditError):
        read(Inspect(path="a.json" if document else "a.eval"))


@QUIET
@given(st.sampled_from(paths(head(results={"scores": [{"name": "a"}]}))), ODD)
def test_a_head_of_another_form_is_read_or_refused(way: tuple[Any, ...], part: Any) -> None:
    other = put_in(head(results={"scores": [{"name": "a"}]}), way, part)
    Path("a.eval").write_bytes(zipped([("samples/1_epoch_1.json", text(RICH)), ("header.json", text(other))]))
    with suppress(AuditError):
        Inspect(path="a.eval").rules()
        read(Inspect(path="a.eval"))


@pytest.mark.parametrize(
    ("scorer", "options", "truth"),
    [
        ("choice", {}, "A,C"),
        ("pattern", {"pattern": "x"}, ["A", "C"]),
        ("pattern", {"pattern": "x", "match_all": True}, "A\x1fC"),
        ("match", {"match_all": True}, ["A", "C"]),
        ("answer", {"pattern": "letter"}, ["A", "C"]),
    ],
)
def test_several_targets_as_their_scorer_wants_them(scorer: str, options: dict[str, Any], truth: Any) -> None:
    """One of them is enough, but for the scorers that want all."""
    run = head(scorer, scorers=[{"name": scorer, "options": options}])
    score = {scorer: {"value": "C", "answer": "A"}}
    path = eval_log(sample(target=["A", "C"], scores=score), sample(2, target="B", scores=score), log_head=run)
    rows, _ = read(Inspect(path=path), "ground_truth")
    assert [row["ground_truth"] for row in rows] == [truth, "B"]


def test_what_multiple_choice_lets_a_model_choose() -> None:
    """It is a setting of the solver, and part of the rule of the scorer choice."""
    step = {"solver": "inspect_ai/multiple_choice", "params": {"multiple_correct": True}}
    for scorer, steps, options in (
        ("choice", [{"solver": "x", "params": None}, step], {"multiple_correct": True}),
        ("choice", [{**step, "params": {"multiple_correct": False}}], {}),
        ("match", [step], {}),
    ):
        one = sample(scores={scorer: {"value": "C"}})
        source = Inspect(path=eval_log(one, log_head=head(scorer, plan={"steps": steps})))
        assert {name: rule.options for name, rule in source.rules().items()} == {scorer: options}
