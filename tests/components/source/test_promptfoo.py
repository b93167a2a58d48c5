"""Results of promptfoo: what it wrote, looked up by hand, and what its files and its database may hold else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from files_read import lines, put, read, refused
from log_records import component, result
from places import CASES
from running import Command

import auditfw
from auditfw.commands.paths.field_logs import of_harness
from auditfw.commands.paths.sources import source_of
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.source.promptfoo import Promptfoo
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")
LOGS = CASES / "data" / "field_logs" / "promptfoo"
NAMES = ("id", "repeat", "assertion", "raw_text", "parsed_text", "ground_truth", "stored")


def rows_of(source: Promptfoo, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names or NAMES) for row in read(source)[0]]


EXPECTED = [
    ("0/0/0", 0, "contains", "Say Paris", "Say Paris", "Paris", True),
    ("0/0/1", 0, "equals", "Say Paris", "Say Paris", "Answer: Paris", False),
    ("0/1/0", 0, "contains", "Answer: Paris", "Answer: Paris", "Paris", True),
    ("0/1/1", 0, "equals", "Answer: Paris", "Answer: Paris", "Answer: Paris", True),
    ("1/0/0", 1, "contains", "Say Paris", "Say Paris", "Paris", True),
    ("1/0/1", 1, "equals", "Say Paris", "Say Paris", "Answer: Paris", False),
    ("1/1/0", 1, "contains", "Answer: Paris", "Answer: Paris", "Paris", True),
    ("1/1/1", 1, "equals", "Answer: Paris", "Answer: Paris", "Answer: Paris", True),
    ("2/0/0", 0, "regex", "Say 42", "42", r"\d+", True),  # behind a transform
    ("2/1/0", 0, "regex", "Answer: 42", "42", r"\d+", True),
    ("3/0/0", 1, "regex", "Say 42", "42", r"\d+", True),
    ("3/1/0", 1, "regex", "Answer: 42", "42", r"\d+", True),
]


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_what_promptfoo_wrote(name: str) -> None:
    source = Promptfoo(path=str(LOGS / name))
    assert rows_of(source) == EXPECTED
    rows, tally = read(source)
    assert tally["dropped"] == {"no_rule": 4}
    assert [remark.partition(" (first")[0] for remark in tally["notes"]] == [
        "assertions of type 'javascript' have no rule that can be applied again, and are not audited",
    ]
    assert {(row["item"], row["model"], row["prompt"]) for row in rows} == {
        (f'{{"q": "{q}"}}', "echo", f"{word} {{{{q}}}}") for q in ("Paris", "42") for word in ("Say", "Answer:")
    }
    assert [row["metric"] for row in rows[:2]] == [None, "strict"]
    assert list(source.rules()) == ["equals", "contains", "regex"]  # those that the file has


def test_a_row_for_each_result() -> None:
    source = Promptfoo(path=str(LOGS / "out.json"), row="result")
    names = ("id", "repeat", "raw_text", "ground_truth", "stored")
    rows = rows_of(source, *names)
    assert rows[0] == ("0/0", 0, "Say Paris", ["Paris", "Answer: Paris"], False)
    assert rows[1] == ("0/1", 0, "Answer: Paris", ["Paris", "Answer: Paris"], True)
    assert rows[-1] == ("3/1", 1, "Answer: 42", None, False)  # before the transform
    assert len(rows) == 8
    evidence = source.open(["ground_truth"], ["parsed_text", "stored"])
    assert evidence.columns == ("id", "ground_truth", "stored")  # so that a baseline is undefined
    assert "there is no baseline" in evidence.warnings[0]
    assert source.rules() == {}


@pytest.mark.parametrize(
    ("one", "truth"),
    [
        (component("contains", "{{ q }}"), "Rome"),
        (component("contains", "{{q | upper}}"), None),
        (component("contains", "{{other}}"), None),
        (component("contains", "x", metadata={"renderedAssertionValue": "y"}), "y"),
        (component("contains-any", ["Rome", "{{q}}!"]), ["Rome", "Rome!"]),
        (component("icontains-any", "Rome, Roma"), ["Rome", "Roma"]),
        (component("contains-any", [" a", 4]), [" a", "4"]),
        (component("contains-any", ["a", ""]), None),
        (component("contains-any", '"a, b", c'), ["a, b", "c"]),
        (component("contains-any", '"a'), None),
        (component("contains-any", []), None),
        (component("contains-any", None), None),
        (component("contains-all", "a, b"), '["a", "b"]'),
        (component("not-icontains-all", ["é", "{{q}}"]), '["é", "Rome"]'),
        (component("not-contains-any", ["a", ""]), '["a", ""]'),
        (component("equals", {"a": 1}), None),
        (component("equals", 42), "42"),
        (component("equals", 42.0), "42"),
        (component("equals", 4.5), "4.5"),
        (component("equals", True), "true"),
        (component("equals", None), None),
        (component("not-contains", "x"), "x"),
        (component("regex", "^{{q}}.$"), "^Rome.$"),
        (component("regex", "(?i)x"), None),
        (component("not-regex", r"\d"), r"\d"),
        (component("is-json", None), None),
        ({"pass": True, "assertion": {"type": "contains", "value": "x", "transform": "output.trim()"}}, None),
        (component("llm-rubric", "is it polite?"), None),
        (component("contains", "file://x.txt"), None),
        ({"pass": True}, None),
    ],
)
def test_what_assertions_compare_with(one: dict[str, Any], truth: Any) -> None:
    lines(result(one, component("starts-with", "It")))
    rows, tally = read(Promptfoo(path="a.jsonl"))
    truths = [row["ground_truth"] for row in rows]
    assert truths == ([truth, "It"] if truth is not None else ["It"])
    assert tally["dropped"]["no_rule"] == (truth is None)


def test_a_pattern_that_is_too_large_to_be_compiled() -> None:
    lines(result(component("equals", "x")), result(component("regex", "(a{1000}){1000}"), testIdx=1))
    refused(DataError, Promptfoo(path="a.jsonl"), "a.jsonl:2: assertion 1: ", "1,000,000 counted repeats")


def test_a_row_for_each_judgement(command: Command) -> None:
    """The assertions of a result are raters, those without a rule too."""
    twice = (component("contains", "a"), component("contains", "b", False, reason="no b"))
    graded = component("llm-rubric", "polite?", None)
    named = {"pass": True, "assertion": {"type": "javascript", "metric": "style"}}
    failed = result(testIdx=1, failureReason=2, error="HTTP 500", success=False, response={}, gradingResult=None)
    lines(result(*twice, graded, named), failed)
    source = Promptfoo(path="a.jsonl", row="judgement")
    assert rows_of(source, "id", "qid", "rater", "label", "reason", "model") == [
        ("0/0/0", "0/0", "contains", "pass", None, "p"),
        ("0/0/1", "0/0", "contains1", "fail", "no b", "p"),
        ("0/0/2", "0/0", "llm-rubric", None, None, "p"),
        ("0/0/3", "0/0", "style", "pass", None, "p"),
    ]
    assert read(source)[1]["dropped"] == {"sample_error": 1}
    assert (source.by, Promptfoo(path="a", row="judgement", by=("prompt",)).by) == (("model",), ("prompt",))
    words = ("source.path=a.jsonl", "source.row=judgement", "audit.labels=[pass,fail]", "audit.reference=style")
    done = command("experiment=cross_agent", "source=promptfoo", *words, "report=[json]", "gate=[]")
    assert done.returncode == 0, done.stderr
    measured = {(one["metric"], one["reading"]): one["value"] for one in json.loads(done.stdout)["measurements"]}
    assert (measured["percent_agreement", "contains"], measured["percent_agreement", "contains1"]) == (1.0, 0.0)


def test_outputs_that_are_no_text() -> None:
    """As the assertions read them: objects as JSON. Content parts are a text, as everywhere."""
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Rome"}]
    outputs = ({"a": [1, "é"]}, [1, 2], parts, 4.0)
    lines(*(result(component("contains", "x"), testIdx=n, response={"output": o}) for n, o in enumerate(outputs)))
    assert rows_of(Promptfoo(path="a.jsonl"), "raw_text") == [('{"a":[1,"é"]}',), ("[1,2]",), ("Rome",), ("4",)]


def test_variables_that_only_the_test_has() -> None:
    """A result need not repeat them."""
    values = ("{{q}}", "{{q}}{{n}}")
    several = [component("contains", value) for value in values]
    case = {"vars": {"q": "Rome", "n": 1}}
    lines({**result(*several, testCase=case), "vars": None})
    assert rows_of(Promptfoo(path="a.jsonl"), "ground_truth") == [("Rome",), ("Rome1",)]


def test_sets_of_assertions_and_results_without_any() -> None:
    inner = {"pass": True, "componentResults": [component("contains", "a"), component("equals", "b", False)]}
    again = inner["componentResults"]  # as promptfoo 0.121 writes them
    lines(result(inner, *again, component("contains", "c")), result(inner, component("contains", "c"), promptIdx=1))
    rows, _ = read(Promptfoo(path="a.jsonl"))
    assert [row["ground_truth"] for row in rows] == ["a", "b", "c"] * 2
    lines(result(inner, component("contains", "c")), result(testIdx=1))
    rows, tally = read(Promptfoo(path="a.jsonl"))
    assert [(row["id"], row["ground_truth"]) for row in rows] == [("0/0/0", "a"), ("0/0/1", "b"), ("0/0/2", "c")]
    assert tally["dropped"] == {"no_rule": 1}


def test_results_that_ended_in_an_error() -> None:
    lines(
        result(component("contains", "Rome"), failureReason=1, error="Expected …"),
        result(testIdx=1, failureReason=2, error="HTTP 500", success=False, response={}, gradingResult=None),
        result(testIdx=2, success=False, response={"error": "refused"}, gradingResult=None),
    )
    source = {"use": "promptfoo", "path": "a.jsonl"}
    counts = auditfw.run({"experiment": "answer_parsing", "source": source}).counts
    assert counts == {"read": 3, "audited": 1, "sample_error": 2}
    assert rows_of(Promptfoo(path="a.jsonl"), "error") == [(None,), ("HTTP 500",), ("refused",)]


def test_long_tests_have_short_items() -> None:
    lines(
        *(result(component("contains", "x"), testIdx=n, testCase={"vars": {"q": "y" * 500 + str(n)}}) for n in (0, 1))
    )
    items = [item for (item,) in rows_of(Promptfoo(path="a.jsonl"), "item")]
    assert len(set(items)) == 2
    assert max(map(len, items)) < 100


# The table as the migrations of promptfoo 0.121.20 leave it, and one of its indexes over JSON.
DATABASE = """
CREATE TABLE evals (id TEXT PRIMARY KEY, created_at INTEGER);
CREATE TABLE eval_results (id TEXT, created_at INT, updated_at INT, eval_id TEXT, prompt_idx INT, test_idx INT,
  test_case TEXT, prompt TEXT, prompt_id TEXT, provider TEXT, latency_ms INT, cost REAL, response TEXT, error TEXT,
  success INT, score REAL, grading_result TEXT, named_scores TEXT, metadata TEXT,
  failure_reason INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX reason_idx ON eval_results (json_extract(grading_result, '$.reason'));
"""


def database(*results: dict[str, Any]) -> None:
    with closing(sqlite3.connect("promptfoo.db")) as db:
        db.executescript(DATABASE)
        for number, one in enumerate(results):
            row = {"id": str(number), "eval_id": one["eval"], "prompt_idx": 0, "test_idx": one["testIdx"], "success": 1}
            row |= {"test_case": one["testCase"], "grading_result": one["graded"]}
            row |= {name: one[name] for name in ("prompt", "provider", "response")}
            texts = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in row.items()}
            marks = ", ".join("?" * len(texts))
            db.execute(f"INSERT INTO eval_results ({', '.join(texts)}) VALUES ({marks})", list(texts.values()))
        db.commit()


def test_the_database_of_promptfoo() -> None:
    graded = json.dumps({"reason": "ok", "componentResults": [component("contains", "Rome")]})
    database(*(result(testIdx=n, eval=word, graded=graded) for word in ("e1", "e2") for n in (0, 1)))
    rows = rows_of(Promptfoo(path="promptfoo.db"), "id", "item", "repeat", "model", "ground_truth", "stored", "evalId")
    assert rows == [
        (f"{word}/{n}/0/0", '{"q": "Rome"}', n, "p", "Rome", True, word) for word in ("e1", "e2") for n in (0, 1)
    ]


def test_the_database_is_known_by_its_tables() -> None:
    graded = json.dumps({"reason": "ok", "componentResults": [component("contains", "Rome")]})
    database(result(eval="e1", graded=graded), result(eval="e1", testIdx=1, graded=graded))
    with closing(sqlite3.connect("other.db")) as db:
        db.executescript("CREATE TABLE evals (id TEXT); CREATE TABLE results (id TEXT);")
    assert source_of(first_look("promptfoo.db")) == "promptfoo"
    assert source_of(first_look("other.db")) is None
    [run] = of_harness("promptfoo", ["promptfoo.db"], ["promptfoo.db"], {})
    assert run.words[:3] == ("source=promptfoo", "source.path=promptfoo.db", "parser=[last_line]")


def test_a_database_of_another_layout() -> None:
    with closing(sqlite3.connect("old.db")) as db:
        db.executescript("CREATE TABLE evals (id TEXT); CREATE TABLE eval_results (id TEXT);")
    words = ("old.db: not a database of promptfoo that can be read (no such column: eval_id)", "-o out.json")
    refused(DataError, Promptfoo(path="old.db"), *words)


def test_a_database_whose_json_is_none() -> None:
    database(result(eval="e", graded="{}"))
    with closing(sqlite3.connect("promptfoo.db")) as db:
        db.execute("""UPDATE eval_results SET response = '{"output": '""")
        db.commit()
    refused(DataError, Promptfoo(path="promptfoo.db"), "promptfoo.db:1: the column 'response' is not JSON")


def test_several_files() -> None:
    lines(result(component("contains", "a")), name="a.jsonl")
    put("b.json", json.dumps({"results": {"results": [result(component("contains", "b"))]}}))
    assert rows_of(Promptfoo(path=("a.jsonl", "b.json")), "id") == [("1/0/0/0",), ("2/0/0/0",)]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.jsonl", '\n{"id": 1}\n', ("a.jsonl:2: not a result of promptfoo: no 'success' or no test", "found: id")),
        ("a.json", '{"results": {"results": [\n{"success": true}]}}', ("a.json:2: not a result of promptfoo",)),
    ],
)
def test_what_is_no_result(name: str, text: str, words: tuple[str, ...]) -> None:
    put(name, text)
    refused(DataError, Promptfoo(path=name), *words)


def test_the_choices_of_row() -> None:
    with pytest.raises(UsageError, match="row: expected assertion, result or judgement; got 'test'"):
        Promptfoo(path="a", row="test")  # type: ignore[arg-type]  # what a config may say
