"""Run by a Python that has inspect-ai: a log for each rule, of scripted answers, with a scorer of the package.

Words: a JSON file of rule -> pairs of completion and targets, and the folder of the logs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import tiktoken

# The real one wants a file from the network.
tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: SimpleNamespace(
    encode=lambda text, **_: list(text.encode()), encode_ordinary=lambda text: list(text.encode())
)

from inspect_ai import Task, eval  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402
from inspect_ai.scorer import answer, choice, exact, includes, match, pattern  # noqa: E402
from inspect_ai.solver import generate, multiple_choice  # noqa: E402

SCORERS = {
    "inspect_match": match(),
    "inspect_match_begin": match(location="begin"),
    "inspect_match_any": match(location="any"),
    "inspect_match_exact": match(location="exact"),
    "inspect_match_case": match(ignore_case=False),
    "inspect_match_numeric": match(numeric=True),
    "inspect_match_numeric_any": match(numeric=True, location="any"),
    "inspect_includes": includes(),
    "inspect_includes_case": includes(ignore_case=False),
    "inspect_answer_letter": answer("letter"),
    "inspect_answer_word": answer("word"),
    "inspect_answer_line": answer("line"),
    "inspect_pattern": pattern(r"(?:answer|option) is\s*(\w+)|=\s*(-?\d+)\b"),
    "inspect_choice": choice(),
    "inspect_choice_several": choice(),
    "inspect_exact": exact(),
}


def task_of(rule: str, pairs: list[tuple[str, list[str]]]) -> Task:
    options = {"choices": [*"wxyz"]} if "choice" in rule else {}
    several = rule.endswith("several")

    def target(targets: list[str]) -> str | list[str]:
        letters = list(dict.fromkeys(one for one in "".join(targets).upper() if one in "ABCD")) or ["A"]
        return (letters if several else letters[0]) if options else targets if len(targets) > 1 else targets[0]

    samples = [
        Sample(id=i, input=f"Question {i}", target=target(targets), **options)
        for i, (_, targets) in enumerate(pairs, 1)
    ]
    solver = multiple_choice(multiple_correct=several) if options else generate()
    return Task(dataset=samples, solver=solver, scorer=SCORERS[rule], name=rule)


rules, folder = json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2]
for rule, pairs in rules.items():
    replies = [ModelOutput.from_content("mockllm/model", text) for text, _ in pairs]
    model = get_model("mockllm/model", custom_outputs=replies, memoize=False)
    # One at a time, so that the scripted answers come in the order of the samples.
    [log] = eval(task_of(rule, pairs), model=model, log_dir=folder, display="none", max_connections=1, max_samples=1)
    assert log.status == "success", log.error
    Path(log.location.removeprefix("file://")).rename(Path(folder) / f"{rule}.eval")
