"""Run by a Python that has lm-eval: the log of one task whose dummy model gives scripted answers.

Words: a JSON file of pairs of completion and targets, and a folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.models.dummy import DummyLM
from lm_eval.utils import make_table

pairs, folder = json.loads(Path(sys.argv[1]).read_text("utf-8")), Path(sys.argv[2])
questions = folder / "questions.jsonl"
rows = [{"question": f"q{i}", "answer": " ".join(targets)} for i, (_, targets) in enumerate(pairs)]
questions.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
REPLIES = {row["question"]: text for row, (text, _) in zip(rows, pairs, strict=True)}


class Scripted(DummyLM):
    def generate_until(self, requests, disable_tqdm=False):
        return [REPLIES[request.doc["question"]] for request in requests]


def regex(name: str, **settings: object) -> dict[str, object]:
    return {"name": name, "filter": [{"function": "regex", **settings}, {"function": "take_first"}]}


def task(name: str, metric: dict[str, object], filters: list[dict[str, object]]) -> dict[str, object]:
    return {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(questions)}},
        "test_split": "test",
        "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "output_type": "generate_until",
        "generation_kwargs": {"until": ["Q:"], "do_sample": False},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True, **metric}],
        **({"filter_list": filters} if filters else {}),
        "metadata": {"version": 1.0},
    }


loose = {
    "ignore_case": True,
    "ignore_punctuation": False,
    "regexes_to_ignore": [",", "\\$", "(?s).*#### ", "\\.$"],
}
both = {"ignore_case": True, "ignore_punctuation": True}
last = {"group_select": -1, "regex_pattern": "(-?[$0-9.,]{2,})|(-?[0-9]+)"}
plain = [{"name": "clean", "filter": [{"function": "remove_whitespace"}, {"function": "take_first"}]}]
upper = [{"name": "upper", "filter": [{"function": "uppercase"}, {"function": "take_first"}]}]
tasks = [
    task(
        "sums",
        loose,
        [regex("strict-match", regex_pattern="#### (\\-?[0-9\\.\\,]+)"), regex("flexible-extract", **last)],
    ),
    task("cot", loose, [regex("strict-match", regex_pattern="The answer is (\\-?[0-9\\.\\,]+).")]),
    task("last", both, [regex("last", **last)]),
    task("tail", {}, [regex("get-answer", regex_pattern="(?<=the answer is )(.*)(?=.)")]),
    task("letters", {"ignore_case": True}, [regex("custom-extract", regex_pattern=r"answer is \(?([ABCDEFGHIJ])\)?")]),
    task("clean", both, plain),
    task("upper", both, upper),
    task("bare", {}, []),
]
tracker = EvaluationTracker(output_path=str(folder))
result = simple_evaluate(model=Scripted(), tasks=tasks, log_samples=True, evaluation_tracker=tracker, bootstrap_iters=0)
samples = result.pop("samples")
tracker.save_results_aggregated(results=result, samples=samples)
for name in samples:
    tracker.save_results_samples(task_name=name, samples=samples[name])
print(make_table(result))
