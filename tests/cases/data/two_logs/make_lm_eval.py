"""Makes the logs of lm-evaluation-harness: python make_lm_eval.py FOLDER (lm-eval 0.4.13)."""

import json
import os
import sys
from pathlib import Path

import yaml
from lm_eval import simple_evaluate
from lm_eval.api.model import TemplateLM
from lm_eval.api.registry import register_model
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from stub_model import reply, sums


@register_model("stub")
class Stub(TemplateLM):
    tokenizer_name = "stub-chat"
    eot_token_id = 0

    def __init__(self, **_):
        super().__init__()

    def tok_encode(self, string, **_):
        return list(string.encode())

    def _loglikelihood_tokens(self, requests, **_):
        raise NotImplementedError

    loglikelihood_rolling = _loglikelihood_tokens

    def generate_until(self, requests, **_):
        asked = [one.args for one in requests]
        return [reply(prompt, kwargs.get("max_gen_toks"), kwargs.get("until") or ())[0] for prompt, kwargs in asked]

    def chat_template(self, chat_template=False):
        return "<|im_start|>{{ role }}\n{{ content }}<|im_end|>" if chat_template else ""

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        turns = [f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in chat_history]
        return "".join(turns) + ("<|im_start|>assistant\n" if add_generation_prompt else "")


IGNORED = [",", "\\$", "(?s).*#### ", "\\.$"]
STRICT = {"name": "strict-match", "filter": [{"function": "regex", "regex_pattern": "#### (\\-?[0-9\\.\\,]+)"}]}
FLEXIBLE = {
    "name": "flexible-extract",
    "filter": [{"function": "regex", "group_select": -1, "regex_pattern": "(-?[$0-9.,]{2,})|(-?[0-9]+)"}],
}


def task(filters) -> dict:
    return {
        "task": "sums",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": "sums.jsonl", "train": "shots.jsonl"}},
        "output_type": "generate_until",
        "test_split": "test",
        "training_split": "train",
        "fewshot_split": "train",
        "fewshot_config": {"sampler": "first_n"},
        "doc_to_text": "Question: {{question}}\nAnswer:",
        "doc_to_target": "#### {{answer}}",
        "num_fewshot": 2,
        "generation_kwargs": {"until": ["\n\nQuestion:"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 64},
        "metric_list": [{"metric": "exact_match", "ignore_case": True, "regexes_to_ignore": IGNORED}],
        "filter_list": [{**one, "filter": [*one["filter"], {"function": "take_first"}]} for one in filters],
        "metadata": {"version": 1.0},
    }


RUNS = {  # the name of a log: filters, further arguments of the run
    "base": ([STRICT], {}),
    "limit": ([STRICT], {"gen_kwargs": "max_gen_toks=16"}),
    "chat": ([STRICT], {"apply_chat_template": True, "system_instruction": "You are a careful accountant."}),
    "one_shot": ([STRICT], {"num_fewshot": 1}),
    "filter": ([FLEXIBLE], {}),
}

if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    os.chdir(sys.argv[1])  # so that no log names a folder of this machine
    rows = sums()
    for name, some in {"sums": rows[:40], "shots": rows[40:]}.items():
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in some))
    for name, (filters, settings) in RUNS.items():
        tracker = EvaluationTracker(output_path=name)
        Path("task").mkdir(exist_ok=True)
        Path("task/sums.yaml").write_text(yaml.safe_dump(task(filters)))
        manager = TaskManager(include_path="task", include_defaults=False)
        results = simple_evaluate(
            "stub",
            model_args="pretrained=stub/adder",
            tasks=["sums"],
            task_manager=manager,
            log_samples=True,
            evaluation_tracker=tracker,
            **settings,
        )
        samples = results.pop("samples")
        tracker.save_results_aggregated(results=results, samples=samples)
        tracker.save_results_samples(task_name="sums", samples=samples["sums"])
