"""Run by a Python that has inspect-ai: writes logs with a mock model, and beside them what inspect-ai reads in them.

Words: the folder, and the format of the logs (eval or json).
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
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import ChatMessageAssistant, ContentReasoning, ContentText, ModelOutput, get_model  # noqa: E402
from inspect_ai.scorer import Score, accuracy, answer, choice, includes, match, pattern, scorer  # noqa: E402
from inspect_ai.solver import generate, multiple_choice, solver  # noqa: E402

REPLIES = ["It is 4", "ANSWER: 4", "no idea", "4", "x" * 3000 + " 4", "ANSWER: B\nANSWER: A", "ñ \x00 4", "</think> 4"]


@solver
def fails_sometimes():
    async def solve(state, generate):
        if state.sample_id == "bad":
            raise RuntimeError("as it should")
        return state

    return solve


@scorer(metrics=[accuracy()])
def grades():
    async def score(state, target):
        values = {"1": float("nan"), "2": "P", "3": {"a": 1, "b": 0}, "a/b c": "N"}
        return Score(value=values.get(str(state.sample_id), 0.7), explanation="y" * 500)

    return score


def reply(i):
    if i % 5 == 4:
        parts = [ContentReasoning(reasoning="let me think"), ContentText(text=REPLIES[i % len(REPLIES)])]
        message = ChatMessageAssistant(content=parts)
        return ModelOutput(model="mockllm/model", choices=[{"message": message}])
    return ModelOutput.from_content("mockllm/model", REPLIES[i % len(REPLIES)])


def model():
    return get_model("mockllm/model", custom_outputs=[reply(i) for i in range(100)], memoize=False)


folder, form = Path(sys.argv[1]), sys.argv[2]
sums = [
    Sample(id=i, input="2+2?" * i, target=["4", "four"], metadata={"topic": f"t{i}", "deep": {"n": i}})
    for i in range(1, 6)
]
sums += [Sample(id="a/b c", input="z" * 2000, target="4"), Sample(id="bad", input="2+2?", target="4")]
scorers = [match(location="any"), includes(), answer("line"), pattern(r"(\d+)"), match(numeric=True), grades()]
letters = [Sample(input=f"Which? {i}", choices=["a", "b", "c"], target="A") for i in range(6)]
tasks = [
    Task(
        dataset=sums, solver=[fails_sometimes(), generate()], scorer=scorers, epochs=2, name="sums", fail_on_error=False
    ),
    Task(dataset=letters, solver=multiple_choice(), scorer=choice(), name="letters"),
]
for task in tasks:
    [log] = eval(task, model=model(), log_dir=str(folder), log_format=form, display="none", temperature=0.5)
    read = read_eval_log(log.location, resolve_attachments=True)
    rows = [
        {
            "name": f"{one.id}#{one.epoch}",
            "text": one.output.completion,
            "target": one.target,
            "input": one.input if isinstance(one.input, str) else one.input_text,
            "choices": one.choices,
            "error": one.error.message if one.error else None,
            "scores": {
                key: {"value": str(score.value), "answer": score.answer} for key, score in (one.scores or {}).items()
            },
        }
        for one in read.samples or []
    ]
    beside = {"task": read.eval.task, "scorers": [one.name for one in read.eval.scorers or []], "rows": rows}
    path = Path(log.location.removeprefix("file://"))
    Path(f"{path}.read").write_text(json.dumps(beside), "utf-8")
