"""The rules of the field's own scorers, as named parsers and normalizers: their cuts and labels to the last one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars
import pytest
from places import CASES

import auditfw
from auditfw import evaluate
from auditfw.kinds.text import Matcher, Normalizer, Parser

GSM8K = CASES / "data" / "lm_eval_gsm8k"
FILTERS = ("strict_match", "flexible_extract")


@pytest.mark.parametrize("name", FILTERS)
def test_lm_eval_cuts_and_labels(name: str) -> None:
    """The harness's own cuts and labels of hard texts; the parsers without its name cut alike but for "[invalid]"."""
    rule = f"lm_eval_{name}"
    parser, normalizer, exact = load_rule(rule)
    plain = auditfw.load("parser", name)
    side = {"strict_match": "strict", "flexible_extract": "flexible"}[name]
    for line in (GSM8K / "rules.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["text"]:
            assert parser(row["text"]) == row[side], row
        assert plain(row["text"]) == row[side].replace("[invalid]", ""), row
        assert bool(evaluate(parser(row["text"]), row["truth"], normalizer, exact)) is row[f"{side}_right"], row


def load_rule(name: str) -> tuple[Parser, Normalizer, Matcher]:
    return auditfw.load("parser", name), auditfw.load("normalizer", name), auditfw.load("matcher", "exact")


@pytest.mark.parametrize("name", FILTERS)
def test_a_log_of_the_harness_is_reproduced_by_the_command(name: str, tmp_path: Path) -> None:
    settings = [
        "source=jsonl", f"source.path={GSM8K / 'samples_mygsm.jsonl'}", 'source.columns.raw_text="resps[0][0]"',
        'source.columns.parsed_text="filtered_resps[0]"', "source.columns.ground_truth=target",
        "source.columns.stored=exact_match", "source.columns.id=doc_id",
        f"+source.where=\"filter = '{name.replace('_', '-')}'\"", "by=[]", f"parser=[{name},lm_eval_{name}]",
        f"normalizer=[lm_eval_{name}]", "matcher=exact", "audit.keep_text=true", "audit.verify=1",
        f"audit.baseline={{parser: stored, normalizer: lm_eval_{name}}}", "report=[json]", "hydra.run.dir=run",
    ]  # fmt: skip
    command = [sys.executable, "-m", "auditfw", *settings]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))
    readings = [f"{name}+lm_eval_{name}", f"lm_eval_{name}+lm_eval_{name}"]
    values = {(m["metric"], m["reading"]): (m["value"], m["counted"]) for m in result["measurements"] if not m["cell"]}
    assert [values["flips", reading] for reading in readings] == [(0.0, 12)] * 2
    assert values["mismatches", f"stored+lm_eval_{name}"] == (0.0, 12)
    trials = polars.read_parquet(tmp_path / "run" / "trials.parquet").filter(polars.col("status") == "audited")
    assert trials[f"text.lm_eval_{name}"].to_list() == filtered(name)


def filtered(name: str) -> list[str]:
    """What the harness kept of the first reply to each document."""
    rows = map(json.loads, (GSM8K / "samples_mygsm.jsonl").read_text("utf-8").splitlines())
    return [row["filtered_resps"][0] for row in rows if row["filter"] == name.replace("_", "-")]
