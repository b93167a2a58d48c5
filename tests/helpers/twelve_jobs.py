"""A sweep of twelve experiments, of which some fail, each in its own way."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import polars as pl

TRIAL = {"raw_text": "It is Paris.\nUser: next", "parsed_text": "It is Paris.", "ground_truth": "Paris", "stored": 1}
EXPLODES = '''from dataclasses import dataclass
from typing import ClassVar
from auditfw.kinds.registry import register


@register("metric", "explodes")
@dataclass(frozen=True)
class Explodes:
    """Raises whatever it is given."""

    roles: ClassVar[frozenset[str]] = frozenset({"candidate"})

    def __call__(self, sample: object) -> None:
        raise ValueError("boom")
'''
EXTRAS = {3: "metrics: {boom: {use: explodes}}", 7: "gates: {few: {use: bound, metric: n, max: 1}}"}
TWELVE = f"experiment={','.join(f'x{i}' for i in range(12))}"
CODES = [0, 0, 0, 4, 0, 3, 0, 1, 0, 0, 0, 0]
QUICK = ("report=[]", "parser=[raw]", "normalizer=[v1]", "source=jsonl", "source.path=good.jsonl", "by=[]")


def write_project(folder: Path) -> None:
    """Twelve experiments: the fourth has a metric that raises, the sixth bad data, the eighth a gate that fails."""
    (folder / "conf" / "experiment").mkdir(parents=True)
    (folder / "plugins").mkdir()
    (folder / "plugins" / "explodes.py").write_text(EXPLODES, "utf-8")
    (folder / "good.jsonl").write_text(
        "".join(json.dumps({"id": str(i), **TRIAL, "raw_text": f"{TRIAL['raw_text']} {i}"}) + "\n" for i in range(20)),
        "utf-8",
    )
    (folder / "bad.jsonl").write_text('{"id": 1, broken\n', "utf-8")
    for i in range(12):
        path = "bad.jsonl" if i == 5 else "good.jsonl"
        lines = [
            "# @package _global_",
            f"# Case {i}.",
            "defaults:",
            "  - answer_parsing",
            "  - override /source: jsonl",
        ]
        lines += ["  - _self_", "by: []", f"seed: {i}", f"source: {{path: {path}}}", EXTRAS.get(i, ""), ""]
        (folder / "conf" / "experiment" / f"x{i}.yaml").write_text("\n".join(lines), "utf-8")


def told_of(folder: Path) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = json.loads((folder / "sweep.json").read_text("utf-8"))["jobs"]
    return jobs


def check_twelve(folder: Path, done: subprocess.CompletedProcess[str]) -> None:
    """All twelve are told, the worst code is the sweep's, and every file of it is there."""
    assert done.returncode == 4, done.stderr
    jobs = told_of(folder)
    assert [job["exit_code"] for job in jobs] == CODES
    assert [job["job"] for job in jobs] == list(range(12))
    assert "boom" in jobs[3]["error"]
    assert jobs[5]["error"].startswith("bad.jsonl:1")
    for number in (3, 5):
        assert jobs[number]["error"] in done.stdout.replace("\n│ ", " ")
        assert jobs[number]["error"].split(" - ")[0] in (folder / str(number) / "auditfw.log").read_text("utf-8")
    table = pl.read_parquet(folder / "sweep.parquet")
    assert table["exit_code"].to_list() == CODES
    assert table["experiment"].to_list() == [f"x{i}" for i in range(12)]
    assert table["n@stored"].to_list() == [None if i in (3, 5) else 20.0 for i in range(12)]
    assert "| 7 | experiment=x7 | cannot tell | fail | 1 |" in (folder / "sweep.md").read_text("utf-8")
