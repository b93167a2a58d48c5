"""The fixture `auditfw_run`, in a pytest of its own that finds the plugin by the entry point of pyproject.toml."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from places import ROOT
from sentences import commands as says

from auditfw.commands import help as pages

POINTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
HEAVY = {"hydra", "omegaconf", "polars", "numpy", "scipy", "rich", "regex", "msgspec", "jinja2", "yaml"}
OTHERS = ("-p", "no:hypothesispytest", "-p", "no:hydra_pytest")  # plugins of others that import heavy modules
MODULES = """
import sys

def pytest_unconfigure():
    print("MODULES", *sys.modules)
"""
ROWS = [
    {"id": f"t{i}", "raw_text": text, "parsed_text": text, "ground_truth": "Paris", "stored": int("aris" in text)}
    for i, text in enumerate(["Paris", "It is Paris", "paris!", "London", "Rome"])
]
HOSTILE = [{**row, "id": f"##[group]\x1b[31m{row['id']}"} for row in ROWS]
MINE = ("source=jsonl", "source.path=mine.jsonl", "parser=[stored]", "normalizer=[v1]", "gate=[]", "report=[]")
FLIPS = (*MINE, "matcher=exact")


KEPT = (*MINE, "+gates.kept={use: bound, metric: error_rate, reading: stored+v1, decide: interval, max: 40}")
NOTHING = (*MINE, "source.where='stored = 2'")
FEW, MANY = ("+gates.few={use: bound, metric: flips, max: 0}", "+gates.many={use: bound, metric: flips, max: 5}")
USELESS = "runs one audit, without flags and settings of Hydra"

# What a test asks for, and the first line of its failure: "" where it passes.
CASES = {
    "passes": (MINE, "", ""),
    "gate": ((*FLIPS, "report=[html]", FEW, MANY), "", "auditfw: parsing: FAIL (exit code 1): few"),
    "gate_unchecked": ((*FLIPS, FEW, MANY), ", check=False", ""),
    "unclear": (KEPT, "", "auditfw: parsing: INCONCLUSIVE (exit code 1): kept"),
    "unclear_allowed": (KEPT, ", allow_inconclusive=True", ""),
    "unclear_unchecked": (KEPT, ", check=False", ""),
    "both": ((*KEPT, "matcher=exact", FEW), "", "auditfw: parsing: FAIL (exit code 1): few, kept"),
    "both_allowed": (
        (*KEPT, "matcher=exact", FEW), ", allow_inconclusive=True", "auditfw: parsing: FAIL (exit code 1): few, kept"
    ),
    "nothing": (NOTHING, "", "auditfw: parsing: no gates (exit code 5): audit: nothing was audited (read 5, "),
    "nothing_allowed": ((*NOTHING, KEPT[-1]), ", allow_inconclusive=True", "auditfw: parsing: INCONCLUSIVE (ex"),
    "nothing_unchecked": (NOTHING, ", check=False", ""),
    "path": (("source=jsonl", "source.path=model=m,t=0.jsonl", *MINE[2:]), "", ""),
    "no_experiment": (("experiment=answer_prsing",), "", "auditfw: error: experiment=answer_prsing: no "),
    "no_file": (("source=jsonl", "source.path=none.jsonl"), "", "auditfw: error: none.jsonl: no such file"),
    "no_file_unchecked": (
        ("source=jsonl", "source.path=none.jsonl"), ", check=False", "auditfw: error: none.jsonl: no such file"
    ),
    "no_number": ((*MINE, "seed=lots"), "", "auditfw: error: seed: "),
    "no_key": ((*MINE, "audit.margn=1"), "", "auditfw: error: audit.margn: no such key - "),
    "flag": (("--cfg", "job"), "", f"auditfw: error: auditfw_run: {USELESS} (--cfg) - "),
    "of_hydra": ((*MINE, "hydra.run.dir=x"), "", f"auditfw: error: auditfw_run: {USELESS} (hydra.run.dir=x) - "),
    "more_of_hydra": ((*MINE, "++hydra.verbose=1"), "", f"auditfw: error: auditfw_run: {USELESS} (++hydra.v"),
    "verb": (("compare", "one", "two"), "", "auditfw: error: compare: not an override"),
    "target": (("source._target_=os.system",), "", "auditfw: error: source._target_: _target_ is not supported"),
    "manual": (("parser=[stored,answer_v2]", "gate=[stable]", "report=[html]"), "", "auditfw: parsing: FAIL (exit c"),
    "hostile": (
        ("source=jsonl", "source.path=hostile.jsonl", *FLIPS[2:], FEW), "", "auditfw: parsing: FAIL (exit code 1): few"
    ),
}  # fmt: skip
MORE = f"""
def test_defect(auditfw_run, monkeypatch):
    import auditfw.audits.spine
    monkeypatch.setattr(auditfw.audits.spine, "conclude", None)
    auditfw_run(*{MINE!r})

def test_result(auditfw_run, tmp_path, capsys):
    result = auditfw_run(*{MINE!r}, "report=[html]")
    assert (result.verdict, result.exit_code, result.counts["audited"]) == ("none", 0, 5)
    assert result.measurement("flips", "stored+v1").estimate.value == 0
    again = auditfw_run(*{FLIPS!r}, folder="elsewhere")
    assert again.measurement("flips", "stored+v1").estimate.value == 1
    third = auditfw_run("mine.jsonl", "report=[console]", "gate=[]")
    assert third.trials.collect().height == 5
    assert sorted(one.name for one in tmp_path.iterdir()) == ["auditfw-1", "auditfw-2"]
    assert (tmp_path / "auditfw-1" / "report.html").is_file()
    assert capsys.readouterr().out == ""
"""


def place(folder: Path) -> Path:
    """A folder with answers, and beside it what says that auditfw is installed."""
    info = folder / "site" / "auditfw_as_installed-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: auditfw-as-installed\nVersion: 0\n", "utf-8")
    lines = [f"{name} = {module}" for name, module in POINTS.items()]
    (info / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]), "utf-8")
    mine = folder / "mine"
    mine.mkdir()
    for name, rows in {"mine": ROWS, "answers": ROWS, "hostile": HOSTILE, "model=m,t=0": ROWS}.items():
        (mine / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return mine


def pytest_over(folder: Path, body: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest over a file with these tests."""
    (folder / "test_audits.py").write_text(body, "utf-8")
    left_out = ("PYTEST", "HYDRA", "AUDITFW", "COLUMNS", "PYTHONDONTWRITEBYTECODE", "FORCE_COLOR")
    env = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", "kept", *words],
        cwd=folder,
        env={**env, "PYTHONPATH": f"{folder.parent / 'site'}{os.pathsep}{ROOT}", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("tested"))


@pytest.fixture(scope="module")
def failures(folder: Path) -> Mapping[str, Sequence[str]]:
    """What pytest shows of each test that failed, in one run over all cases."""
    body = "".join(
        f"def test_{name}(auditfw_run):\n    assert auditfw_run(*{tuple(words)!r}{more}) is not None\n\n"
        for name, (words, more, _) in CASES.items()
    )
    done = pytest_over(folder, body + MORE)
    assert "\x1b" not in done.stdout
    parts = re.split(r"^_+ test_(\w+) _+\n", done.stdout.partition("\n=== short")[0], flags=re.MULTILINE)
    shown = [part.partition("\n====")[0] for part in parts[2::2]]
    return {name: text.splitlines() for name, text in zip(parts[1::2], shown, strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_a_test_fails_as_the_command_would_end(failures: Mapping[str, Sequence[str]], name: str) -> None:
    first = CASES[name][2]
    assert (name in failures) == bool(first), failures.get(name)
    if first:
        assert failures[name][0].startswith(first)
    if first.startswith("auditfw: error"):
        assert len(failures[name]) == 1


def test_no_other_test_fails(failures: Mapping[str, Sequence[str]]) -> None:
    assert failures.keys() - CASES.keys() == {"defect"}


def test_a_failure_names_the_answer_each_gate_and_the_page(failures: Mapping[str, Sequence[str]]) -> None:
    lines = failures["gate"]
    assert lines[1] == "5 of 5 trials audited"
    assert re.fullmatch(r"answer: [A-Z ]+ \((fragile|broken|unknown)\): .+", lines[2])
    assert lines[3].startswith("  because ")
    assert lines[-3].startswith("  next: ")
    assert lines[-2] == says.GATE_FEW_FAIL_FLIPS_STORED
    page = re.fullmatch(r"report: (.*/kept/test_gate0/auditfw-1/report\.html)", lines[-1])
    assert page is not None
    assert Path(page[1]).is_file()
    assert [line for line in lines if "many" in line] == []


def test_an_inconclusive_gate_says_why(failures: Mapping[str, Sequence[str]]) -> None:
    [line] = [line for line in failures["unclear"] if line.startswith("gate ")]
    assert re.fullmatch(r"gate kept: inconclusive: .*error_rate <= 40; stored\+v1 is 40\.00; .* contains 40", line)


def test_a_defect_keeps_its_traceback(failures: Mapping[str, Sequence[str]]) -> None:
    text = "\n".join(failures["defect"])
    assert says.TYPEERROR_OBJECT_IS_NOT_CALLABLE in text
    assert "commands/run.py" in text


def test_text_of_the_data_commands_no_runner(failures: Mapping[str, Sequence[str]]) -> None:
    assert "##[" not in "\n".join(failures["hostile"])


def test_a_pytest_that_does_not_ask_pays_nothing(tmp_path: Path) -> None:
    folder = place(tmp_path)
    (folder / "conftest.py").write_text(MODULES, "utf-8")
    done = pytest_over(folder, "def test_it():\n    pass\n", *OTHERS)
    assert done.returncode == 0, done.stdout
    modules = re.search("MODULES (.*)$", done.stdout, re.MULTILINE)
    assert modules is not None
    loaded = set(modules[1].split())
    plugin = {"auditfw", "auditfw.commands", "auditfw.commands.pytest_plugin"}
    assert {module for module in loaded if module.split(".")[0] == "auditfw"} == plugin
    assert {module for module in loaded if module.split(".")[0] in HEAVY} == set()


@pytest.mark.slow
def test_processes_of_xdist_have_folders_of_their_own(tmp_path: Path) -> None:
    folder = place(tmp_path)
    body = f"""
import pytest

pytestmark = pytest.mark.slow  # whole runs, or very many texts

@pytest.mark.parametrize("matcher", ["containment", "exact"])
def test_it(auditfw_run, matcher):
    result = auditfw_run(*{MINE!r}, f"matcher={{matcher}}", "engine.workers=2")
    assert result.measurement("flips", "stored+v1").estimate.value == (matcher == "exact")
"""
    done = pytest_over(folder, body, "-n", "2")
    assert done.returncode == 0, done.stdout
    runs = {file.resolve() for file in (folder / "kept").glob("popen-gw*/test_it*/auditfw-1/result.json")}
    assert len(runs) == 2


def test_the_failure_in_the_manual_is_so(failures: Mapping[str, Sequence[str]]) -> None:
    shown = re.search(r"^```text\n(auditfw: parsing: .*?)^```", pages.topics()["ci"], re.MULTILINE | re.DOTALL)
    assert shown is not None
    lines = failures["manual"]
    assert shown[1].splitlines()[:-1] == lines[:-1], "\n".join(lines)
    assert shown[1].splitlines()[-1].startswith("report: /tmp/")


@pytest.mark.slow
def test_the_example_of_the_manual_runs(folder: Path) -> None:
    [example] = re.findall(r"^```python test_audits\.py\n(.*?)^```", pages.topics()["ci"], re.MULTILINE | re.DOTALL)
    done = pytest_over(folder, example)
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout
