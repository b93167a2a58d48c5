"""What messages call the settings of a file source, wherever in the config these settings are."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields, replace
from typing import Any

import pytest
from files_read import put
from scenario_files import read as read_scenarios
from scenario_files import scenarios
from simulated_parts import part

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.join import JoinSettings
from auditfw.components.files.keys import SOURCE, Keys
from auditfw.components.scenarios import series
from auditfw.components.simulator import table
from auditfw.components.solver import replay
from auditfw.components.source import arc, raters
from auditfw.config import build
from auditfw.core.errors import AuditError

build.prepare()
pytestmark = pytest.mark.usefixtures("here")

SOLVER = Keys("solver", ("path", "columns"))


def message(act: Any) -> str:
    with pytest.raises(AuditError) as caught:
        act()
    return str(caught.value)


def test_advice_leaves_out_what_cannot_be_set() -> None:
    clauses = ("look at it", ("write columns", "columns.id"), ("use both", "path", "where"), ("choose", "use"))
    assert SOURCE.advice(*clauses) == "look at it; write columns; use both; choose"
    assert SOLVER.advice(*clauses, between=", or ") == "look at it, or write columns"
    assert SOLVER.advice(("use both", "path", "where")) == ""


@pytest.mark.parametrize(
    ("keys", "key", "chosen"),
    [
        (SOURCE, "source.columns.id", "source=csv"),
        (Keys("scenarios"), "scenarios.columns.id", "scenarios=csv"),
        (SOURCE.below("join").below("source"), "source.join.source.columns.id", "source.join.source.use=csv"),
    ],
)
def test_names_of_settings(keys: Keys, key: str, chosen: str) -> None:
    assert (keys.of("columns.id"), keys.format("csv")) == (key, chosen)


def test_a_place_is_no_setting_and_stays_in_other_processes() -> None:
    source = JsonLines(path="a.jsonl")
    placed = source.placed(SOLVER)
    assert (placed, repr(placed), source.keys) == (source, repr(source), SOURCE)
    assert "keys" not in JsonLines.__dataclass_fields__
    assert pickle.loads(pickle.dumps(placed)).keys == placed.changed(limit=1).keys == SOLVER
    assert replace(source, limit=1) == source.changed(limit=1)


@pytest.mark.parametrize(
    ("keys", "cls"),
    [
        (arc.KEYS, arc.Arc),
        (raters.KEYS, raters.Raters),
        (replay.KEYS, replay.Replay),
        (table.KEYS, table.TableSimulator),
        (series.KEYS, series.SeriesScenarios),
    ],
)
def test_known_settings_are_those_of_the_part(keys: Keys, cls: type) -> None:
    assert set(keys.known or ()) <= {one.name for one in fields(cls)}


def test_tasks_of_a_place_name_its_settings_in_other_processes() -> None:
    put("a.jsonl", '{"id": 1}\n' * 1_100 + '{"id": null}\n')
    tasks = list(JsonLines(path="a.jsonl", duplicates="all").placed(Keys("scenarios")).open(["id"], ()).tasks)
    text = message(lambda: [pickle.loads(pickle.dumps(task))() for task in tasks])
    assert text.endswith("give every record an id, or write scenarios.columns.id='#' for the row number")


def test_a_join_within_a_join() -> None:
    put("a.jsonl", '{"id": 1}\n')
    inner = JoinSettings(DelimitedText(path=put("c.csv", "k,m\n1,x\n"), where="nix = 1"), {"k": "k"}, {"m": "m"})
    outer = JoinSettings(DelimitedText(path=put("b.csv", "k,g\n1,y\n"), join=inner), {"id": "k"}, {"m": "m"})
    source = JsonLines(path="a.jsonl", join=outer)
    assert message(lambda: source.open(["m"], ())).startswith("source.join.source.join.source.where: no column 'nix'")


def test_a_note_on_the_second_file_of_scenarios() -> None:
    put("s.jsonl", json.dumps({"label": "a", "intended": {"y": 1}, "params": {}, "team": "b"}))
    second = {"use": "csv", "path": put("b.csv", "who,mark\nb,1\n"), "nulls": {"mark": ["1"]}}
    join = {"source": second, "on": {"team": "who"}, "columns": {"grade": "mark"}}
    evidence = scenarios(use="jsonl", path="s.jsonl", join=join).open()
    known = ("scenarios.join: mark: texts that mean missing (scenarios.join.source.nulls.mark): 1",)
    assert (evidence.warnings, read_scenarios(evidence)[0]["grade"]) == (known, None)


def test_a_rater_whose_file_has_settings_of_its_own() -> None:
    own = DelimitedText(path=put("a.csv", 'qid,label\n1,"x"y\n'))
    source = raters.Raters(paths={"a": own, "b": put("b.csv", "qid,label\n1,x\n")})
    text = message(lambda: source.open(["label"], ()))
    assert text.endswith("quotes inside a cell are doubled; write source.paths.a.quote=null where quotes mean nothing")


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (
            lambda: scenarios(use="csv", path="s.csv", files=[{"path": "t.csv"}]),
            "for this file alone choose its format too: scenarios=csv scenarios.path=s.csv",
        ),
        (
            lambda: scenarios(use="json", path=put("s.json", '{"source": {"rows": [{"id": 1}]}}')).open(),
            "write scenarios.records=source.rows",
        ),
        (
            lambda: part(
                "simulator", use="table", path=put("o.json", '{"rows": [{"id": 1}]}'), format="posiwid_report"
            ).check(),
            "o.json: no key 'individual_results' (found: rows)",
        ),
        (
            lambda: read_scenarios(scenarios(use="series", path=put("t.csv", "id,y\n,1\n")).open()),
            "t.csv:2: the id is empty - give every record an id",
        ),
    ],
)
def test_messages_where_settings_are_elsewhere(act: Any, words: str) -> None:
    assert message(act).endswith(words)
