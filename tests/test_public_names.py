"""The names that users and plugins import: all from auditfw itself, and none of them goes away unseen."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys

import pytest
from places import ROOT

import auditfw

PUBLIC = [
    "Answer",
    "AnswerRule",
    "Ask",
    "Attempt",
    "AuditError",
    "Batch",
    "Batches",
    "Budgets",
    "Cell",
    "Chart",
    "Context",
    "DataError",
    "Estimate",
    "Evidence",
    "Example",
    "Execution",
    "Exhibit",
    "Finding",
    "FindingKind",
    "FirstLook",
    "GateResult",
    "IncompleteError",
    "Input",
    "InputSums",
    "Judged",
    "LabelCounts",
    "LabelRows",
    "Ledger",
    "LoopCounts",
    "Measurement",
    "NotChecked",
    "Note",
    "Outcome",
    "OutcomeCounts",
    "POSIWIDAuditor",
    "Problem",
    "Range",
    "Ratings",
    "Reading",
    "Recognised",
    "Refine",
    "Refusal",
    "Remark",
    "Reply",
    "ReportLimits",
    "RequestTimeoutError",
    "Result",
    "Role",
    "Sample",
    "ScenarioBatch",
    "ScorerRule",
    "Section",
    "Series",
    "ShippedScorer",
    "Simulated",
    "SimulatorWrapper",
    "Size",
    "Snippet",
    "Source",
    "StopReason",
    "Table",
    "TakenBatch",
    "Task",
    "TransientError",
    "UsageError",
    "Value",
    "arbitrate",
    "benjamini_hochberg",
    "beside",
    "cell_deltas",
    "collect",
    "evaluate",
    "example_score",
    "extract_code",
    "has_marker",
    "has_think_end",
    "is_refusal",
    "load",
    "mcnemar_exact",
    "named_cells",
    "parse_code",
    "read_result",
    "register",
    "remarks",
    "run",
    "score_alignment",
    "snip",
    "snippet",
    "soft_score",
    "sorted_cells",
    "wilson",
    "with_ends",
]

PLUGINS = ("auditfw-arc/auditfw_arc", "auditfw-example")


def test_the_list() -> None:
    """A name that is added here stays: scripts and plugins of others import it."""
    assert sorted(auditfw.__all__) == PUBLIC


def test_what_the_tab_key_lists() -> None:
    """Public names alone, also once modules have been imported; and `import *` brings the same."""
    code = "import auditfw; auditfw.run; import auditfw.core.files; print(*dir(auditfw))"
    star = "from auditfw import *; print(*sorted(name for name in dir() if name[:2] != '__'))"
    for text in (code, star):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        assert done.stdout.split() == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_each_name_is_there_and_says_what_it_is(name: str) -> None:
    found = getattr(auditfw, name)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert (inspect.getdoc(found) or "").strip()
        assert found.__module__.startswith("auditfw.")


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        auditfw.Nothing  # noqa: B018


def imported_from_auditfw(text: str) -> set[str]:
    """The modules of auditfw that a Python text imports from."""
    tree = ast.parse(text)
    froms = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    plain = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    return {name for name in froms | plain if name.partition(".")[0] == "auditfw"}


def test_the_plugins_and_the_template_import_nothing_else() -> None:
    init = importlib.import_module("auditfw.commands.init")
    files = [file for name in PLUGINS for file in sorted((ROOT / "plugins" / name).rglob("*.py"))]
    texts = [text for text in (file.read_text("utf-8") for file in files) if imported_from_auditfw(text)]
    assert len(texts) >= len(PLUGINS)
    assert [imported_from_auditfw(text) for text in (*texts, *init.written_by({"": "plugin.txt"}).values())] == [
        {"auditfw"}
    ] * (len(texts) + 1)
