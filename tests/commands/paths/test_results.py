"""Results of harnesses that shipped mappings read are recognised by their content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditfw.commands.paths.command import recognised

MATCHED = {"sampled": "It is 4.", "picked": "4", "expected": "4", "correct": True}
EVENTS = [
    {"spec": {"eval_name": "e"}},
    *({"run_id": "r", "event_id": i, "sample_id": f"s{i}", "type": "match", "data": MATCHED} for i in range(2)),
]
DETAIL = {"prompt": "q", "origin_prediction": "It is B", "predictions": "B", "references": "B", "correct": True}
PREDICTION = {"origin_prompt": [{"role": "HUMAN", "prompt": "q"}], "prediction": "It is B", "gold": "B"}
SOLVED = {"task_id": "H/0", "solution": "pass", "base_status": "pass", "plus_status": "fail"}


@pytest.mark.parametrize(
    ("whole", "what", "words"),
    [
        (EVENTS, "events of openai/evals",
         ["source=openai_evals", "matcher=numeric", "audit.baseline=openai_evals_match"]),
        ({"accuracy": 50, "details": {"0": DETAIL, "1": DETAIL, "type": "GEN"}}, "results of OpenCompass",
         ["source=opencompass", "matcher=exact", "audit.baseline=search"]),
        ({"details": {str(i): {key: DETAIL[key] for key in list(DETAIL)[:4]} for i in range(2)}},
         "results of OpenCompass", ["~source.columns.stored"]),
        ({"0": PREDICTION, "1": PREDICTION}, "predictions of OpenCompass",
         ["source.records='*'", "source.columns={id: key, raw_text: prediction, ground_truth: gold}"]),
        ({"date": "d", "hash": "h", "eval": {"H/0": [SOLVED], "H/1": [SOLVED]}}, "results of evalplus",
         ["experiment=cross_agent", "source=evalplus", "audit.reference=plus"]),
    ],
)  # fmt: skip
def test_results_are_recognised(tmp_path: Path, whole: Any, what: str, words: list[str]) -> None:
    path = tmp_path / "x.json"
    lines = "".join(json.dumps(one) + "\n" for one in whole) if isinstance(whole, list) else json.dumps(whole, indent=1)
    path.write_text(lines, "utf-8")
    [run] = recognised([str(path)])[1]
    assert run.what == what
    assert [word for word in words if word not in run.words] == []
