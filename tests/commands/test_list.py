"""`auditfw list`: what it shows to people and to scripts."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says

from auditfw.commands.list import example, list_components
from auditfw.config import build as bridge
from auditfw.core.errors import UsageError
from auditfw.kinds import KINDS

MINE = "# @package audit.parsers.mine\n# Keeps what we need.\ndefaults: [steps@_here_, _self_]\nsteps: [strip]\n"


@pytest.mark.parametrize("words", [("list", "--json"), ("list", "parser", "--json"), ("list", "--json", "experiment")])
def test_list_is_json_for_scripts(command: Command, words: tuple[str, ...]) -> None:
    done = command(*words)
    rows = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert rows
    for row in rows:
        assert set(row) == {"kind", "name", "what", "doc", "settings", "origin"}
        assert row["doc"]
        assert row["origin"]


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_names_by_kind_fit_a_screen_or_two(command: Command, columns: int) -> None:
    head, *lines = command("list", env={"COLUMNS": str(columns)}).stdout.splitlines()
    assert head == "╭ What Can Be Chosen"
    assert len(lines) < 135
    assert max(map(len, lines)) <= columns
    lines = [line[2:] for line in lines]
    heads = [line.split()[0] for line in lines if line[:1].strip() and not line.startswith("auditfw")]
    assert heads == [*KINDS, "finding", "experiment"]
    listed = {word for line in lines for word in line.split()}
    for kind in ("parser", "metric", "gate", "step"):
        assert {row["name"] for row in json.loads(command("list", kind, "--json").stdout)} <= listed


def test_a_kind_is_a_line_for_each_name(command: Command) -> None:
    rows = json.loads(command("list", "gate", "--json").stdout)
    head, *lines, blank, foot = command("list", "gate", env={"COLUMNS": "400"}).stdout.splitlines()
    assert head == says.GATE_A_BOUND_ON_MEASUREMENTS
    assert [line.split()[1] for line in lines] == [row["name"] for row in rows]
    assert all(row["doc"] in line for row, line in zip(rows, lines, strict=True))
    assert (blank, foot) == ("│", says.AUDITFW_LIST_GATE_NAME_SHOWS)


def test_a_line_is_cut_at_the_width_and_not_before(command: Command) -> None:
    whole = command("list", "gate", env={"COLUMNS": "400"}).stdout.splitlines()[1]
    for columns, shown in ((len(whole), whole), (len(whole) - 1, whole[:-2] + "…")):
        assert command("list", "gate", env={"COLUMNS": str(columns)}).stdout.splitlines()[1] == shown
    for columns, line in ((52, "│ stop        budgets"), (51, "│ stop"), (51, "│   budgets")):
        assert line in command("list", env={"COLUMNS": str(columns)}).stdout.splitlines()


@pytest.mark.parametrize("columns", [20, 40, 80])
@pytest.mark.parametrize("words", [("list",), ("list", "gate"), ("list", "experiment")])
def test_lines_fit_the_terminal(command: Command, words: tuple[str, ...], columns: int) -> None:
    lines = command(*words, env={"COLUMNS": str(columns)}).stdout.splitlines()
    words_shown = {word for line in lines for word in line.split()}  # a long name stays whole
    assert max(len(line) for line in lines if len(line.split()) > 2) <= max(columns, max(map(len, words_shown)) + 4)


def test_one_with_its_settings_and_an_example(command: Command) -> None:
    shown = command("list", "gate", "bound").stdout.splitlines()
    assert shown[0] == "╭ gate bound  (component, auditfw.components.gate.bound)"
    assert says.METRIC_MUST_BE_SET_TEXT in shown
    assert '│   on         "value"  (value, low, high)' in shown
    words = "│   auditfw gate=[bound] gates.bound.metric=flips gates.bound.max=30"
    assert shown[-3:] == ["│ example:", words, f"{words} gates.bound.on=value"]
    [row] = json.loads(command("list", "gate", "bound", "--json").stdout)
    assert (row["name"], row["settings"]["on"]) == ("bound", "value")


def test_a_variant_of_the_user(command: Command, tmp_path: Path) -> None:
    (tmp_path / "conf" / "parser").mkdir(parents=True)
    (tmp_path / "conf" / "parser" / "mine.yaml").write_text(MINE, "utf-8")
    line = next(line for line in command("list", "parser").stdout.splitlines() if line.startswith("│ mine "))
    assert line.split(maxsplit=2)[2] == says.KEEPS_WHAT_WE_NEED_CONF
    shown = command("list", "parser", "mine").stdout.splitlines()
    assert shown[:2] == [says.PARSER_MINE_VARIANT_OF_STEPS, "│ Keeps what we need."]
    assert "│   auditfw parser=[mine]" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gat",), says.LIST_GAT_NO_SUCH_KIND),
        (("gate", "bund"), says.LIST_GATE_BUND_NO_GATE),
        (("experiment", "posiwd"), says.LIST_EXPERIMENT_POSIWD_NO_EXPERIMENT),
        (("gate", "bound", "x"), says.LIST_GATE_BOUND_TOO_MANY),
    ],
)
def test_a_name_that_there_is_not(command: Command, words: tuple[str, ...], message: str) -> None:
    done = command("list", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"auditfw: error: {message}\n")


def rows_of(kind: str) -> list[bridge.Listed]:
    bridge.prepare()
    return bridge.described(kind)


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind != "gate")) for kind, one in KINDS.items() if one.place],
)
def test_examples_compose(kind: str) -> None:
    """Each example is a command whose words Hydra takes: one of each component is enough."""
    for row in rows_of(kind):
        if row.what == "component":
            first, *others = example(kind, row.name, {k: v for k, v in row.settings.items() if k != "use"})
            for line in (first, *others[:1]):
                program, *words = shlex.split(line)
                assert program == "auditfw"
                bridge.compose(words)


@pytest.mark.parametrize(
    ("kind", "name", "first"),
    [
        ("audit", "parsing", "auditfw audit=parsing"),
        ("audit", "consistency", "auditfw experiment=cross_agent"),
        ("metric", "error_rate", "auditfw metric=[error_rate]"),
        ("metric", "solve_rate", "auditfw experiment=self_audit metric=[solve_rate]"),
        ("stop_rule", "limits", "auditfw experiment=self_audit stop_rule=[limits]"),
        ("simulator", "table", "auditfw experiment=posiwid simulator=table"),
        ("source", "csv", "auditfw source=csv"),
    ],
)
def test_an_example_begins_with_the_experiment_that_has_such_a_part(kind: str, name: str, first: str) -> None:
    """Alone it would be refused: the usual experiment audits answers."""
    bridge.prepare()
    assert example(kind, name, {})[0] == first


def test_no_text_is_at_the_start_of_a_line(command: Command, tmp_path: Path) -> None:
    """There a CI runner would take it for a command."""
    folder = tmp_path / "conf" / "parser"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(MINE.replace("# Keeps what we need.", "# ::error::no."), "utf-8")
    for words in ((), ("parser",), ("parser", "mine")):
        done = command("list", *words)
        assert (done.returncode, {line[0] for line in done.stdout.splitlines()}) == (0, {"╭", "│"})


def test_the_part_of_a_scorer_is_found_under_the_scorer() -> None:
    with pytest.raises(UsageError, match=r"it is a part of a scorer: auditfw list scorer inspect_match_exact"):
        list_components(["matcher", "inspect_match_exact"])
