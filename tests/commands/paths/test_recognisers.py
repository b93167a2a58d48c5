"""Components recognise files that no harness wrote: each a sample of its own, and no other of them that sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from files_read import lines, put
from sentences import commands as says

from auditfw.commands.paths.command import recognised
from auditfw.commands.paths.sources import recognisers
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.source.recognised import arc_proposes, conformity_proposes
from auditfw.core.errors import AuditError
from auditfw.kinds import registry
from auditfw.kinds.component_index import RECOGNISERS
from auditfw.kinds.first_look import FirstLook, Looks, Recognised

pytestmark = pytest.mark.usefixtures("here")
GRID = {"train": [{"input": [[0]], "output": [[1]]}], "test": [{"input": [[0]]}]}
JUDGED = [{"qid": str(i), "label": "yes" if i % 2 else "no"} for i in range(4)]
MERGED = [{"qid": str(i), "a": {"label": "yes"}, "b": {"label": "no"}} for i in range(4)]
SCENE = {"params": {"load": 1}, "intended": {"power": 2}}
EVENT = {"run_id": "r", "event_id": 1, "type": "match", "data": {"expected": "4"}}
TRIES = [{"task": "a", "attempt": i, "score": i} for i in range(2)]
CODE = "def power(p):\n    return {'power': 2 * p['load']}\n"


def folder() -> str:
    Path("runs").mkdir()
    put("runs/metadata.json", "{}")
    return "runs"


SAMPLES: dict[str, Callable[[], list[str]]] = {
    "source.arc": lambda: [put("a.json", '{"train": [{}],\n "test": []}')],
    "source.conformity": lambda: [folder()],
    "source.pairs": lambda: [lines(*MERGED)],
    "source.raters": lambda: [lines(*JUDGED), lines(*JUDGED, name="b.jsonl")],
    "source.problems": lambda: [lines({"id": "1", **GRID}, {"id": "2", **GRID})],
    "source.results": lambda: [lines({"spec": 1}, EVENT)],
    "solver.replay": lambda: [lines(*TRIES)],
    "simulator.table": lambda: [lines(*[{**SCENE, "actual": {"power": 3}}] * 2)],
    "simulator.models": lambda: [lines(SCENE, SCENE), put("m.py", CODE)],
}
PARTS: dict[str, Callable[[], str]] = {
    "source.raters": lambda: lines(*JUDGED),
    "source.problems": lambda: lines(*[{"id": "1", "train": [{"input": "x", "output": "y"}]}] * 2),
    "simulator.models": lambda: lines(SCENE, SCENE),
}


def asked(name: str, looks: Any) -> list[str]:
    """Those that make something of what they are asked."""
    ours = {one: tuple(one.split(".")) for one in RECOGNISERS.split()}
    modules = {kind: import_module(f"auditfw.components.{kind}.recognised") for kind, _ in ours.values()}
    found = {one: getattr(modules[kind], f"{part}_{name}", None) for one, (kind, part) in ours.items()}
    return [one for one, recognise in found.items() if recognise is not None and recognise(looks)]


def test_every_recogniser_has_a_sample() -> None:
    assert set(SAMPLES) == set(RECOGNISERS.split())


@pytest.mark.parametrize("name", SAMPLES)
def test_a_recogniser_knows_its_own_and_no_other_does(name: str) -> None:
    looks = [first_look(path) for path in SAMPLES[name]()]
    assert asked("proposes", looks) == [name]
    assert asked("proposes", [*looks, *looks, *looks]) == []


def test_tasks_take_one_file_of_attempts() -> None:
    tasks = first_look(put("a.json", '{"train": [{}],\n "test": []}'))
    tries = first_look(lines({"problem": "a", "attempt": 1}, {"problem": "a", "attempt": 2}))
    run = arc_proposes([tasks, tries])
    assert run is not None
    assert (run.what, "solver.path=a.jsonl" in run.words) == (says.ARC_TASKS_WITH_RECORDED_ATTEMPTS, True)
    assert arc_proposes([tasks, tries, tries]) is None


@pytest.mark.parametrize(("formats", "known"), [((), True), (("csv", "sqlite"), True), (("csv", "jsonl"), False)])
def test_a_folder_of_runs_that_nobody_named_holds_a_database(formats: tuple[str, ...], known: bool) -> None:
    look = replace(first_look(folder()), inside=[FirstLook(f"runs/{form}", form) for form in formats])
    assert (conformity_proposes([look]) is not None) is known


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_run_says_what_it_lacks(name: str) -> None:
    look = first_look(PARTS[name]())
    assert asked("lacks", look) == [name]
    with pytest.raises(AuditError, match="THEIRS"):
        recognised([look.path])


def test_a_component_of_somebody_else_is_asked_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    path, scenes = put("a.cards", "7 of clubs\n"), lines(SCENE, {**SCENE, "actual": {"power": 3}}, name="b.jsonl")
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    recognisers.cache_clear()

    @registry.declare("source", "cards")
    class Cards(JsonLines):
        """Reads cards."""

        @staticmethod
        def proposes(looks: Looks) -> Recognised | None:
            return Recognised("cards", ("source=cards",)) if looks[0].path in (path, scenes) else None

        @staticmethod
        def lacks(look: FirstLook) -> Recognised | None:
            return Recognised("holds half a deck", ("source=cards",), advice="name the rest")

    try:
        assert [run.what for named in (path, scenes) for run in recognised([named])[1]] == [
            "cards", "scenarios with their outcomes",
        ]  # fmt: skip
        with pytest.raises(AuditError, match=r"holds half a deck - name the rest: auditfw source=cards"):
            recognised([put("b.cards", "8 of clubs\n")])
    finally:
        recognisers.cache_clear()
