"""The first screens of shipped samples and of strangers' files, line by line, at 80 columns and 24 lines, and at 40.

`AUDITFW_SCREENS=all pytest tests/test_screens.py` writes them anew: look at each before it is kept.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running import run_auditfw
from terminal import screen
from terminals import on_terminal

from auditfw.commands.stored_run import read_result

SCREENS = Path(__file__).parent / "cases" / "screens"
STRANGERS = Path(__file__).parent / "cases" / "data" / "strangers"
RUNS: dict[str, list[str]] = {
    "parsing": [],
    "alignment": ["experiment=posiwid", "simulator.timeout=60"],
    "consistency": ["experiment=cross_agent"],
    "self_audit": ["experiment=self_audit"],
    "answers": [
        "source=jsonl",
        "source.path=answers.jsonl",
        "source.columns={item: qid, raw_text: response, parsed_text: pred, ground_truth: target, stored: is_correct}",
        "source.columns.id='#'",
        "by=[model]",
        'source.nulls={ground_truth: [""]}',
        "parser=[stored,answer_v2,last_number,announced_number]",
        "normalizer=[none]",
        "matcher=numeric",
        "audit.matcher.which=last",
        "audit.baseline=search",
    ],
    "attempts": ["attempts.jsonl"],
    "faults": ["faults.jsonl"],
    "ratings": [
        "experiment=cross_agent",
        "source=csv",
        "source.path=ratings.csv",
        "source.columns={id: summary_id}",
        "source.nulls={anna: ['',NA], bela: ['',NA], carl: ['',NA], gpt_judge: ['',NA]}",
        "by=[domain]",
        "audit.raters=[anna,bela,carl,gpt_judge]",
        "audit.reference=gpt_judge",
        "audit.labels=['1','2','3','4','5']",
        "audit.acceptable=['4','5']",
        "audit.scale=ordinal",
        "audit.unknown_labels=count",
        "policy=[]",
        "gate=[agreement,kappa]",
    ],
}
SLOW = ("self_audit",)
SWEEP = [
    *RUNS["answers"][:6],
    "parser=last_number,last_line,flexible_extract,answer_v2,raw",
    "normalizer=v1,v2,number",
    "matcher=numeric,containment",
    "audit.baseline=null",
    "gate=[]",
    "report=[]",
]


def faulty(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with five faults: truths and labels that are missing, rows that stand twice; two more they have already."""
    for n, row in enumerate(rows):
        if n // 4 in (10, 30):
            row["target"] = "N/A"
        if n % 50 == 9:
            row["is_correct"] = None
    return rows + [row for row in rows if len(row["response"]) >= 80][:12]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("screens")
    shutil.copytree(STRANGERS, folder, dirs_exist_ok=True)
    rows = [json.loads(line) for line in (folder / "answers.jsonl").read_text("utf-8").splitlines()]
    (folder / "faults.jsonl").write_text("".join(json.dumps(row) + "\n" for row in faulty(rows)), "utf-8")
    return folder


def equals(name: str, lines: list[str]) -> None:
    """Holds lines against the file of a screen, or writes it."""
    file = SCREENS / f"{name}.txt"
    if os.environ.get("AUDITFW_SCREENS"):
        file.write_text("\n".join(lines) + "\n", "utf-8")
    assert lines == file.read_text("utf-8").splitlines(), "\n".join(lines)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in RUNS]
)  # fmt: skip
def test_the_first_screen(home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_auditfw([*RUNS[name], f"hydra.run.dir={name}", "report=[json]"], home)
    assert done.returncode in (0, 1), done.stderr
    result = replace(read_result(home / name), detail="short")
    (home / name / "report.html").touch()  # it takes a second, and the screen says where it is
    monkeypatch.chdir(home)
    for width in (80, 40):
        lines = screen(result, str(home / name), width, 24)
        equals(f"{name}-{width}", lines)
        assert max(len(line) for line in lines if line[0] in "╭│") <= width
        assert sum(line.startswith("╭ Answer: ") for line in lines) == 1
        assert width < 80 or len(lines) <= 24


@pytest.mark.slow
def test_the_screen_of_a_sweep(home: Path) -> None:
    done = run_auditfw(["-m", *SWEEP, "hydra.sweep.dir=sweep"], home)
    assert done.returncode == 0, done.stderr
    for width in (80, 40):
        code, output = on_terminal(home, ["sweep", "sweep", "sweep.sort_by=error_rate"], width=width)
        assert code == 0
        lines = [
            line.rstrip() for line in re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;?]*[a-zA-Z]", "", output).splitlines()
        ]
        equals(f"sweep-{width}", lines)
        assert (max(map(len, lines)) <= width, len(lines) <= 24) == (True, True)
