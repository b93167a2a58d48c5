"""The head of a log: its scorers by the keys of their scores, and what it says of the run."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_logs import head

from auditfw.components.source.inspect_log.head import head_of
from auditfw.core.errors import DataError


def scorers(**more: Any) -> list[tuple[str, str, Any]]:
    return [tuple(one) for one in head_of(head(**more), "a").scorers]  # type: ignore[misc]


def named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "options": {"n": i}} for i, name in enumerate(names)]


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (("match",), ("match",)),
        (("match", "includes", "match", "match"), ("match", "includes", "match1", "match2")),
        (("inspect_ai/match", "mine/match"), ("match", "match1")),
        (("match", "match1", "match"), ("match", "match1", "match2")),
    ],
)
def test_several_scorers_of_one_name_are_numbered(names: tuple[str, ...], keys: tuple[str, ...]) -> None:
    assert [(key, options["n"]) for key, _, options in scorers(scorers=named(*names))] == [
        (key, i) for i, key in enumerate(keys)
    ]


def test_scores_that_were_added_later() -> None:
    later = [
        {"name": "match", "scorer": "match", "params": {}},
        {"name": "x", "scorer": "mine/judge", "params": {"a": 1}},
    ]
    assert scorers(scorers=named("match"), results={"scores": later}) == [
        ("match", "match", {"n": 0}),
        ("judge", "judge", {"a": 1}),
    ]


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"results": {"scorer": {"name": "match", "params": {"a": 1}}}}, [("match", "match", {"a": 1})]),
        ({"results": {"scores": [{"name": "match", "params": {"a": 1}}]}}, [("match", "match", {"a": 1})]),
        ({"results": {"scores": [{"name": "match1", "scorer": "match1"}]}}, [("match1", "match", {})]),
        ({"results": None}, []),
        ({"results": {"scores": "x"}}, []),
    ],
)
def test_heads_that_declare_no_scorer(more: dict[str, Any], key: list[Any]) -> None:
    assert scorers(scorers=None, **more) == key


def test_the_run_of_an_old_log() -> None:
    document = head(eval_id=None)
    document["eval"]["run_id"] = "r"
    assert (head_of(document, "a").eval_id, head_of(head(), "a").eval_id) == ("r", "e")


def test_a_scorer_that_the_head_does_not_declare() -> None:
    parsed = head_of(head("match"), "a")
    assert parsed.scorer("answer12")[:2] == ("answer12", "answer")
    assert parsed.scorer("match")[:2] == ("match", "match")


@pytest.mark.parametrize(
    ("more", "temperature"),
    [
        ({"plan": {"config": {"temperature": 0.7}}}, 0.7),
        ({"plan": {"config": {"temperature": 0}}, "model_generate_config": {"temperature": 1}}, 0.0),
        ({"model_generate_config": {"temperature": 1}}, 1.0),
        ({"plan": None}, None),
        ({"plan": {"config": {"temperature": True}}}, None),
    ],
)
def test_the_temperature(more: dict[str, Any], temperature: float | None) -> None:
    document = head()
    document["eval"] |= {key: more[key] for key in more if key == "model_generate_config"}
    document |= {key: more[key] for key in more if key != "model_generate_config"}
    assert head_of(document, "a").temperature == temperature


@pytest.mark.parametrize(
    ("more", "samples", "remark"),
    [
        ({}, 3, None),
        ({"results": {"total_samples": 3}}, 3, None),
        ({"results": {"total_samples": 4}}, 3, "a: 3 of 4 samples are read"),
        ({"status": "cancelled"}, 1, "a: the run ended with status 'cancelled': 1 sample is read"),
        ({"status": "started", "dataset": {"samples": 2}, "config": {"epochs": 3}}, 5,
         "a: the run is still running: 5 of 6 samples are read"),
        ({"status": "error", "dataset": {"samples": 9}, "config": {"limit": 2}}, 2,
         "a: the run ended with status 'error': 2 samples are read"),
    ],
)  # fmt: skip
def test_how_a_run_ended(more: dict[str, Any], samples: int, remark: str | None) -> None:
    assert list(head_of(head(**more), "a").remarks(samples)) == ([remark] if remark else [])


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], ("a: is not an Inspect log", "list")),
        ({"eval": 1, "version": 2}, ("is not an Inspect log", "keys eval, version")),
        ({"eval": {}}, ("is not an Inspect log",)),
        ({"eval": {}, "version": 3}, ("version of the log is not known", "version 3; 1 and 2 are known")),
        ({"eval": {}, "version": None}, ("version of the log is not known",)),
    ],
)
def test_what_is_no_head(document: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        head_of(document, "a")
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("solver", "params", "several"),
    [
        ("multiple_choice", {"multiple_correct": True}, True),
        ("inspect_ai/multiple_choice", {"multiple_correct": True}, True),
        ("multiple_choice", {"multiple_correct": False}, False),
        ("multiple_choice", {"multiple_correct": 1}, False),
        ("multiple_choice", {}, False),
        ("multiple_choice", None, False),
        ("generate", {"multiple_correct": True}, False),
    ],
)
def test_whether_several_options_may_be_chosen(solver: str, params: Any, several: bool) -> None:
    steps = [{"solver": "system_message"}, {"solver": solver, "params": params}]
    assert head_of(head(plan={"steps": steps}), "a").several is several
