"""Joining a second file."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from files_read import lines, put, read, refused

from auditfw.components.files.file_settings import JoinSettings, Unpivot
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource
from auditfw.config.schema import load
from auditfw.core.errors import AuditError, DataError, IncompleteError, UsageError

pytestmark = pytest.mark.usefixtures("here")


GRADES = 'Question,Answer,Grade,Judge\nq1,Paris,Yes,a\nq1,Rome.,No,a\nq2,"The Seine",Yes,b\n'
LEFT = ({"q": "q1", "a": "Paris"}, {"q": "q1", "a": "ROME"}, {"q": "q2", "a": "seine"}, {"q": "q3", "a": "x"})
ON = {"q": "Question", "a": "Answer"}
SQUAD = load("normalizer", "squad")


def join(second: Any = None, **settings: Any) -> JoinSettings:
    given = {"on": ON, "columns": {"stored": "Grade"}, **settings}
    return JoinSettings(second or DelimitedText(path="g.csv"), **given)


def stored(joined: JoinSettings, **settings: Any) -> tuple[list[Any], Any]:
    rows, tally = read(JsonLines(path="a.jsonl", join=joined, **settings), "stored", optional=())
    return [row["stored"] for row in rows], tally


@pytest.mark.parametrize(
    ("normalizer", "values"),
    [
        (None, ["Yes", None, None, None]),
        (SQUAD, ["Yes", "No", "Yes", None]),
        (SQUAD.steps[:2], ["Yes", "No", None, None]),
    ],
)
def test_join(normalizer: Any, values: list[str | None]) -> None:
    put("g.csv", GRADES)
    lines(*LEFT)
    found, tally = stored(join(normalizer=normalizer))
    assert found == values
    assert tally["notes"] == {"source.join: rows without a match, filled with stored=null": values.count(None)}
    assert tally["dropped"] == {}
    assert [one.path for one in tally["evidence"].inputs()] == ["a.jsonl", "g.csv"]


def test_join_every_column_where_and_nulls() -> None:
    """Joined columns are columns like others: in conditions, among all columns, with texts that mean null."""
    put("g.csv", GRADES)
    lines(*LEFT)
    columns = {"stored": "Grade", "judge": "Judge"}
    source = JsonLines(path="a.jsonl", join=join(columns=columns, normalizer=SQUAD), where="judge = 'a'")
    rows, tally = read(source)
    assert rows == [
        {"id": "1", "stored": "Yes", "judge": "a", "q": "q1", "a": "Paris"},
        {"id": "2", "stored": "No", "judge": "a", "q": "q1", "a": "ROME"},
    ]
    assert (tally["dropped"], tally["notes"]) == ({"filtered": 2}, {})  # the row without a partner was dropped
    assert stored(join(), nulls={"stored": ("Yes",)})[0] == [None] * 4
    found, tally = stored(join(otherwise={"stored": "No"}), where="stored = 'No'")
    assert found == ["No"] * 3
    assert tally["notes"] == {'source.join: rows without a match, filled with stored="No"': 3}


def test_join_keys_are_texts_and_null_has_no_partner() -> None:
    """Numbers and texts meet; of equal rows one is taken; a null key or an absent one has no partner."""
    put("g.csv", "Question,Grade\n1,a\n1,a\nNaN,b\n,c\nNone,d\n")
    lines({"q": 1}, {"q": "1"}, {"q": None}, {}, {"q": ""}, {"q": "None"})
    assert stored(join(on={"q": "Question"}))[0] == ["a", "a", None, None, "c", "d"]
    lines({"k": {"q": None}, "g": "n"}, {"k": {"q": 1}, "g": "o"}, name="g.jsonl")
    second = JsonLines(path="g.jsonl")
    assert stored(join(second, on={"q": "k.q"}, columns={"stored": "g"}))[0] == ["o", "o", None, None, None, None]


def test_join_on_ids_of_several_rows_of_a_record() -> None:
    put("g.csv", "id,Grade\n1.a,x\n2.b,y\n2.b,y\n")
    lines({"a": "p", "b": "q"}, {"a": "r", "b": "s"})
    turned = Unpivot(into="side", values=("a", "b"), columns={"raw_text": "{value}"})
    assert stored(join(on={"id": "id"}), unpivot=turned)[0] == ["x", None, None, "y"]


def test_join_with_what_another_join_gives() -> None:
    put("g.csv", "Name,Grade\nx,good\n")
    lines({"k": 1, "name": "x"}, {"k": 2, "name": "y"}, name="names.jsonl")
    lines({"q": 2}, {"q": 1})
    second = JsonLines(path="names.jsonl", join=join(on={"name": "Name"}, columns={"g": "Grade"}))
    found, tally = stored(join(second, on={"q": "k"}, columns={"stored": "g"}))
    assert found == [None, "good"]
    assert [one.path for one in tally["evidence"].inputs()] == ["a.jsonl", "names.jsonl", "g.csv"]
    assert (
        "source.join: source.join.source.join: rows without a match, filled with g=null: 1"
        in tally["evidence"].warnings
    )


def test_join_disagreement_is_an_error_where_it_matters() -> None:
    """Rows with the same key must agree; with the same normalised key only where a row of ours needs it."""
    put("g.csv", GRADES + "q1,rome,Yes,a\n")
    lines({"q": "q1", "a": "rome"}, {"q": "q1", "a": "Rome."})
    assert stored(join(normalizer=SQUAD))[0] == ["Yes", "No"]
    lines({"q": "q1", "a": "The Rome"})
    source = JsonLines(path="a.jsonl", join=join(normalizer=SQUAD))
    refused(DataError, source, "g.csv:5: different Grade for the same key as at g.csv:3 (q1, The Rome)")
    put("g.csv", GRADES + "q1,Paris,No,a\n")
    source = JsonLines(path="a.jsonl", join=join())
    refused(
        DataError, source, "g.csv:5: different Grade for the same key as at g.csv:2 (q1, Paris)", "join.source.where"
    )
    kept = DelimitedText(path="g.csv", where="\"#place\" <> 'g.csv:5'")
    assert stored(join(kept))[0] == [None]
    assert stored(join(columns={"stored": "Judge"}))[0] == [None]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"on": {"qq": "Question", "a": "Answer"}}, ["source.join.on.qq: no column 'qq' in a.jsonl", "found: ", "'q'"]),
        ({"on": {"q": "Qestion"}}, ["g.csv: no column 'Qestion'", "source.join.source.columns.Qestion=Question"]),
        ({"columns": {"stored": "Grad"}}, ["g.csv: no column 'Grad'", "found: Question, Answer, Grade, Judge"]),
        ({"columns": {"raw_text": "Grade"}}, ["source.join.columns.raw_text", "has a column of this name"]),
        ({"second": DelimitedText(path="h.csv")}, ["h.csv: no such file", "did you mean 'g.csv'?"]),
        ({"second": DelimitedText()}, ["source.join.source.path: not set - write source.join.source.path=FILE"]),
        ({"second": DelimitedText(path="g.csv", delimiter=";")}, ["write source.join.source.delimiter=','"]),
        ({"second": JsonArray(path="a.jsonl")}, ["a.jsonl", "write source.join.source.use=jsonl"]),
        (
            {"second": FrameSource(frame=[{"a": 1}])},
            ["source.join.source: is not a file - join before the audit"],
        ),
    ],
)
def test_join_refused(settings: dict[str, Any], words: list[str]) -> None:
    put("g.csv", GRADES)
    lines(*LEFT)
    refused(AuditError, JsonLines(path="a.jsonl", columns={"raw_text": "a"}, join=join(**settings)), *words)


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"on": {}}, "on"),
        ({"columns": {}}, "columns"),
        ({"columns": {"id": "Grade"}}, "columns.id"),
        ({"columns": {"q": "Grade"}}, "columns.q"),
        ({"otherwise": {"strd": 1}}, "otherwise.strd"),
    ],
)
def test_join_settings_refused(settings: dict[str, Any], where: str) -> None:
    with pytest.raises(UsageError) as caught:
        join(**settings)
    assert caught.value.where == where


def test_join_with_a_normalizer_that_fails() -> None:
    put("g.csv", GRADES)
    lines(*LEFT)
    source = JsonLines(path="a.jsonl", join=join(normalizer=(lambda text: str(1 // len(text[2:])),)))
    refused(IncompleteError, source, "source.join.normalizer: failed on a key (ZeroDivisionError")


def test_join_notices_a_second_file_that_changed() -> None:
    """The file is read anew by the next source, and a change during the run is told."""
    put("g.csv", GRADES)
    lines(*LEFT)
    found, tally = stored(join())
    put("g.csv", GRADES.replace("Yes", "Never"))
    assert (found[0], stored(join())[0][0]) == ("Yes", "Never")
    with pytest.raises(DataError, match=r"g\.csv: changed during the run"):
        tally["evidence"].check()


def test_join_is_not_carried_by_tasks() -> None:
    """A task says what to read, so a large second file is read once a process, not sent with each block."""
    put("g.csv", "Question,Grade\n" + "".join(f"{n},{n % 7}\n" for n in range(10_000)))
    lines(*({"q": n} for n in range(0, 20_000, 2)))
    joined = join(on={"q": "Question"})
    tasks = list(JsonLines(path="a.jsonl", join=joined).open(["stored"], ()).tasks)
    assert len(tasks) > 1
    assert max(len(pickle.dumps(task)) for task in tasks) < 4_000
    found, tally = stored(joined)
    assert found[:5] == ["0", "2", "4", "6", "1"]
    assert sum(tally["notes"].values()) == found.count(None) == 5_000
