"""What components may declare: the table of each kind, what registering refuses, and how a metric says it prints."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

import auditfw
from auditfw.commands.stored_run import kept_styles, read_styles
from auditfw.components.report import wording
from auditfw.core.errors import UsageError
from auditfw.core.records import MetricStyle
from auditfw.kinds import KINDS, registry
from auditfw.kinds.capabilities import CAPABILITIES, call_capability, capability
from auditfw.kinds.metric_styles import style_of, styles_of

REPO = Path(__file__).resolve().parents[2]

# kind, a capability misspelt, what was meant
MISSPELT = [
    ("audit", "resume", "resumes"),
    ("source", "rater", "raters"),
    ("scenarios", "by_", "by"),
    ("simulator", "record", "recorded"),
    ("solver", "program", "programs"),
    ("executor", "start", "starts"),
    ("stop", "max_token", "max_tokens"),
    ("engine", "prepares", "prepare"),
    ("parser", "by_step", "by_steps"),
    ("normalizer", "bysteps", "by_steps"),
    ("matcher", "refuse", "refuses"),
    ("form", "sama", "same"),
    ("scorer", "holding", "holds"),
    ("policy", "final", "finals"),
    ("validator", "lable", "label"),
    ("stop_rule", "picks", "pick"),
    ("scoring", "remarks", "remark"),
    ("question", "section", "sections"),
    ("metric", "tittle", "title"),
    ("gate", "spans", "span"),
    ("report", "print", "prints"),
    ("step", "blank", "blanks"),
]


@pytest.fixture(autouse=True)
def forgetting() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    yield
    for kind in KINDS:
        registry._entries.pop((kind, "foo"), None)


def component(kind: str, bases: tuple[type, ...] = (), **attributes: Any) -> Any:
    """Registers a plugin's component that has what its kind requires, and these attributes of its own."""
    members = dict.fromkeys(registry._members(KINDS[kind].protocol))
    body = {"__doc__": "Does it.", "__module__": "my_plugin", **members, **attributes}
    return registry.register(kind, "foo")(dataclasses.dataclass(frozen=True)(type("Foo", bases, body)))


def refusal(kind: str, bases: tuple[type, ...] = (), **attributes: Any) -> str:
    with pytest.raises(UsageError) as refused:
        component(kind, bases, **attributes)
    return str(refused.value)


def test_every_kind_is_tried() -> None:
    assert {kind for kind, *_ in MISSPELT} == {name for name, kind in KINDS.items() if kind.optional}


@pytest.mark.parametrize(("kind", "name", "meant"), MISSPELT)
def test_a_misspelt_capability_is_refused_with_the_nearest_name(kind: str, name: str, meant: str) -> None:
    assert meant in KINDS[kind].optional
    assert refusal(kind, **{name: "x"}).startswith(f"my_plugin.Foo: a {kind} has no '{name}' - did you mean '{meant}'?")
    component(kind, **{meant: "x"})


@pytest.mark.parametrize("kind", KINDS)
def test_a_protocol_says_what_each_capability_means(kind: str) -> None:
    text = KINDS[kind].protocol.__doc__
    assert [name for name in KINDS[kind].optional if f"`{name}" not in text] == []


def test_a_helper_begins_with_an_underscore() -> None:
    line = refusal("source", gather_inputs=lambda self: [])
    assert line.startswith("my_plugin.Foo: a source has no 'gather_inputs' - a helper begins with an underscore: ")
    assert "_gather_inputs (known: assumed_limit, beside_logs, by, " in line
    component("source", _gather_inputs=lambda self: [])


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(auditfw.AuditError) as refused:
        component("metric", tittle="x", digit=2)
    assert [line.partition(" - ")[0] for line in str(refused.value).splitlines()] == [
        "my_plugin.Foo: a metric has no 'tittle'",
        "my_plugin.Foo: a metric has no 'digit'",
    ]


def test_an_annotation_alone_counts_as_well() -> None:
    with pytest.raises(UsageError, match="a metric has no 'tittle'"):
        component("metric", __annotations__={"tittle": ClassVar[str]})


def test_settings_and_what_comes_from_another_package_are_fine() -> None:
    """A field, a setting that only __post_init__ sees, and the public methods of a base of another package."""
    theirs = type("Theirs", (), {"__module__": "other.package", "helper": print})
    body = {"sort": 3, "seen": 1, "__annotations__": {"sort": int, "seen": dataclasses.InitVar[int]}}
    component("metric", (theirs,), **body, helper=print, __post_init__=lambda self, seen: None)


@pytest.mark.parametrize("module", ["my_plugin", "my_plugin.bases"])
def test_a_base_of_the_same_plugin_is_checked(module: str) -> None:
    mine = type("Mine", (), {"__module__": module, "tittle": "x"})
    assert "a metric has no 'tittle' - did you mean 'title'?" in refusal("metric", (mine,))


def test_a_shipped_base_may_be_extended() -> None:
    from auditfw.components.source.formats import JsonLinesSource

    held = dataclasses.dataclass(frozen=True)(
        type("Foo", (JsonLinesSource,), {"__doc__": "Reads.", "__module__": "my_plugin", "blocks": print})
    )
    registry.register("source", "foo")(held)


def test_a_capability_is_looked_up_by_a_name_of_the_table() -> None:
    class Part:
        title = "x"

    assert (capability(Part(), "title"), capability(Part, "title"), capability(Part(), "unit", "?")) == ("x", "x", "?")
    with pytest.raises(LookupError, match="no kind of component may declare 'tittle'"):
        capability(Part(), "tittle")
    assert {"takes", "starts", "by_steps"} <= CAPABILITIES


def test_a_call_that_is_defined_anew_declares_nothing_by_what_it_inherits() -> None:
    lower = type("Lower", (), {"lowers": True, "__call__": lambda self, text: text.lower()})
    other = type("Other", (lower,), {"__call__": lambda self, text: text})
    assert (call_capability(lower(), "lowers"), call_capability(other(), "lowers")) == (True, None)
    assert capability(other(), "lowers")


def test_a_class_has_the_name_it_is_registered_under_or_none() -> None:
    mine, other = component("metric"), type("Other", (), {})
    assert (registry.registered_name(mine), registry.registered_name(other)) == ("foo", None)
    assert (registry.name_of(mine()), registry.name_of(other())) == ("foo", "Other")


# name in the run, component, title, 12.345 as it prints
PRINTED = [
    ("error_rate", "error_rate", "error %", "12.35"),
    ("delta_pp", "delta_pp", "Δ pp", "+12.35"),
    ("flips_to_true", "flips_to_true", "→ right", "12.3450"),
    ("mcnemar_p", "mcnemar_p", "p", "12.35"),
    ("bowker_p", "bowker_p", "bowker_p", "12.35"),
    ("n", "n", "n", "12.3450"),
    ("wrong", "error_rate", "wrong %", "12.35"),
    ("error_rate", "n", "error_rate", "12.3450"),
]


@pytest.mark.parametrize(("name", "use", "title", "text"), PRINTED)
def test_a_metric_prints_as_its_component_declares_and_is_called_as_in_the_run(
    name: str, use: str, title: str, text: str
) -> None:
    styles = styles_of({name: auditfw.load("metric", use)})
    assert (wording.title(name, styles), wording.number(12.345, name, styles)) == (title, text)


def test_a_run_without_styles_prints_by_the_names_of_components() -> None:
    assert style_of("error_rate", {}) == MetricStyle("error", "%", 2)
    assert style_of("no such metric", {}) == MetricStyle()


@pytest.mark.parametrize(
    ("notation", "value", "text"),
    [
        ("plain", 0.00004, "4e-05"), ("signed", 0.25, "+0.2500"), ("signed", -0.25, "-0.2500"), ("signed", 0.0, "0"),
        ("p_value", 0.00004, "<0.0001"), ("any_size", 1e-15, "1e-15"), ("plain", 1e-15, "0.0000"),
    ],
)  # fmt: skip
def test_notations(notation: Any, value: float, text: str) -> None:
    assert wording.number(value, "mine", {"mine": MetricStyle(notation=notation)}) == text


@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ({"title": 3}, "metrics.foo: title must be text (3)"),
        ({"digits": "2"}, "metrics.foo: digits must be a whole number from 0 to 15 (2)"),
        ({"digits": -1}, "metrics.foo: digits must be a whole number from 0 to 15 (-1)"),
        ({"notation": "bold"}, "metrics.foo: notation is unknown (bold)"),
    ],
)
def test_a_style_that_nothing_can_print_is_refused(attributes: dict[str, Any], line: str) -> None:
    metric = component("metric", **attributes)()
    with pytest.raises(UsageError) as refused:
        styles_of({"foo": metric})
    assert str(refused.value).startswith(line)


STYLES = {"a": MetricStyle("A", "%", 2, "signed"), "b": MetricStyle()}


@pytest.mark.parametrize(
    ("text", "styles"),
    [
        (json.dumps({"metrics": kept_styles(STYLES)}), STYLES),
        ("{}", {}),
        ("[]", {}),
        ("not JSON", {}),
        ('{"metrics": {"a": {"digits": 1000000000}}}', {}),
        ('{"metrics": {"a": {"colour": "red"}}}', {}),
        (None, {}),
    ],
)
def test_styles_are_kept_in_the_manifest(tmp_path: Path, text: str | None, styles: dict[str, MetricStyle]) -> None:
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    assert read_styles(tmp_path) == styles


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    rows = [
        {"id": "1", "raw_text": "</think> yes", "ground_truth": "yes", "stored": True},
        {"id": "2", "raw_text": "</think> yes", "ground_truth": "yes", "stored": True},
        {"id": "3", "raw_text": "</think> no", "ground_truth": "yes", "stored": True},
    ]
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def command(folder: Path, *words: str) -> str:
    """What the command prints where the example plugin of this tree is the one that is found."""
    path = os.pathsep.join([str(REPO / "plugins" / "auditfw-example"), str(REPO)])
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def lines(text: str) -> list[str]:
    """The lines of a table in the terminal or in Markdown, each as its words."""
    plain = text.replace("|", " ").replace("│", " ").replace("\\", "")
    return [" ".join(line.split()) for line in plain.splitlines()]


def installed() -> bool:
    from importlib.metadata import entry_points

    return "example" in {point.name for point in entry_points(group="auditfw.plugins")}


@pytest.mark.skipif(not installed(), reason="the example plugin is not installed")
def test_a_plugins_metric_prints_like_ours(folder: Path) -> None:
    """In the console and in a report, in one read back, beside another run, and in a sweep."""
    words = (
        "source=jsonl", "source.path=in.jsonl", "parser=[raw,yes_no]", "normalizer=[v1]", "gate=[]", "by=[]",
        "metric=[n,error_rate,agreement_percent]", "+metric@metrics.alike=agreement_percent",
    )  # fmt: skip
    heads, row = "reading n error % agreement % alike %", "yes_no+v1 3 33.33 [6.15, 79.23] 66.7 66.7"
    for stdout in (
        command(folder, *words, "report=[console,markdown]", "report.detail=full", "hydra.run.dir=one"),
        (folder / "one/report.md").read_text(),
        command(folder, "report", "one", "report=[console]"),
    ):
        assert heads in lines(stdout)
        assert row in lines(stdout)
    fewer = ("report=[]", "source.where=\"id <> '3'\"", "hydra.run.dir=two")
    command(folder, *words, *fewer)
    assert "agreement % @yes_no+v1 66.7 100.0" in lines(command(folder, "compare", "one", "two"))
    asked = ("report=[]", "sweep.metrics=[agreement_percent@yes_no+v1]", "hydra.sweep.dir=swept", "seed=1,2")
    shown = command(folder, "-m", *words, *asked)
    assert "job overrides answer status exit n agreement % @yes_no+v1" in lines(shown)
    assert "0 seed=1 cannot tell none 0 3 66.7" in lines(shown)
