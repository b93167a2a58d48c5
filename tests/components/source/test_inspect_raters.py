"""Scores in logs of Inspect as judgements: scorers, or epochs, are raters."""

from __future__ import annotations

from typing import Any

import pytest
from files_read import read, refused
from inspect_logs import LOGS, eval_log, head, sample
from running import Command

from auditfw.components.source.inspect import InspectRaters
from auditfw.core.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")


def log(name: str, **settings: Any) -> InspectRaters:
    return InspectRaters(path=str(LOGS / name), **settings)


def test_every_scorer_is_a_rater() -> None:
    source = log("adds.eval")
    raters = ("match", "includes", "answer", "pattern", "match1", "match2")
    assert source.raters() == raters
    rows, _ = read(source, *raters, "match.reason", optional=())
    assert [[row[name] for name in raters] for row in rows[:4]] == [
        ["C", "C", "I", "C", "C", "C"],
        ["I", "I", "I", "I", "I", "I"],
        ["C", "C", "I", "I", "C", "I"],
        ["C", "C", "C", "C", "C", "I"],
    ]
    assert (rows[1]["id"], rows[1]["match.reason"]) == ("add-1#1", "It is 3")
    assert [row["match"] for row in rows if row["id"].startswith("add-7#")] == [None] * 3


@pytest.mark.parametrize(("each", "remarks"), [("scorer", 0), ("epoch", 1)])
def test_the_choice_of_a_scorer_is_reported_where_it_matters(each: str, remarks: int) -> None:
    assert len(log("adds.eval", each=each).open((), None).warnings) == remarks


def test_labels_of_a_grader_beside_a_rule() -> None:
    rows, tally = read(log("graded.eval"), "model_graded_qa", "includes", optional=())
    assert [row["model_graded_qa"] for row in rows] == ["C", "I", "P", None, "C", "C", "I", "P", None, "C"]
    assert [row["includes"] for row in rows] == list("CICICCCCII")
    assert tally["dropped"] == {}


def test_numbers_become_labels_by_the_threshold() -> None:
    rows, _ = read(log("multi.eval", threshold=0.9), "exact", "f1", optional=())
    assert [row["f1"] for row in rows] == [row["exact"] for row in rows]
    assert {row["f1"] for row in rows} == {"C", "I"}


def test_some_scorers() -> None:
    assert log("adds.eval", scorers=("match2", "answer")).raters() == ("match2", "answer")
    refused(
        UsageError, log("adds.eval", scorers=("match", "anser")), "source.scorers", "no scorer 'anser'", "'answer'?"
    )


def test_every_epoch_is_a_rater() -> None:
    source = log("adds.eval", each="epoch")
    assert source.raters() == ("epoch1", "epoch2", "epoch3")
    rows, _ = read(source, "qid", "rater", "label", "reason", optional=())
    assert [{key: row[key] for key in ("qid", "rater", "label")} for row in rows if row["qid"] == "add-0"] == [
        {"qid": "add-0", "rater": f"epoch{n}", "label": label} for n, label in ((1, "C"), (2, "I"), (3, "I"))
    ]


def test_epochs_of_several_logs() -> None:
    eval_log(sample(1), sample(1, 2, "I"), name="a.eval")
    eval_log(sample(1, 10), log_head=head(model="mock/two", task_id="u"), name="b.eval")
    source = InspectRaters(path="*.eval", each="epoch")
    assert source.raters() == ("epoch1", "epoch2", "epoch10")
    rows, _ = read(source, "qid", "rater", optional=())
    assert [(row["qid"], row["rater"]) for row in rows] == [
        ("mock/one/1", "epoch1"),
        ("mock/one/1", "epoch2"),
        ("mock/two/1", "epoch10"),
    ]


@pytest.mark.parametrize(
    ("each", "reference", "table"),
    [("scorer", "match", "includes"), ("epoch", "epoch1", "epoch3")],
)
def test_an_audit_of_a_log(command: Command, each: str, reference: str, table: str) -> None:
    words = (f"source.path={LOGS / 'adds.eval'}", f"source.each={each}", "audit.labels=[C,I]", "report=[console]")
    done = command("experiment=cross_agent", "source=inspect_raters", *words, f"audit.reference={reference}")
    assert done.returncode == 1, done.stderr
    trials = {"scorer": "117 of 120 trials audited; not audited: 3 missing", "epoch": "117 of 120"}
    assert trials[each] in done.stdout
    assert table in done.stdout
