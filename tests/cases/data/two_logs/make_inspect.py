"""Makes the logs of Inspect: python make_inspect.py FOLDER TRIMMED (inspect-ai 0.3.285).

The trimmed ones are without the events of samples, and without what names a place on a disk.
"""

import sys
from pathlib import Path

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import includes, match, pattern
from inspect_ai.solver import generate, prompt_template, system_message
from stub_model import reply, sums


@modelapi(name="stub")
class Stub(ModelAPI):
    async def generate(self, input, tools, tool_choice, config: GenerateConfig) -> ModelOutput:
        text, cut = reply("\n".join(one.text for one in input), config.max_tokens, config.stop_seqs or ())
        output = ModelOutput.from_content("stub/adder", text, "max_tokens" if cut else "stop")
        words = len(text.split())
        output.usage = ModelUsage(input_tokens=20, output_tokens=words, total_tokens=20 + words)
        return output


@task
def sums_task(num_fewshot: int = 2, system: str = "", rule: str = "match"):
    rows = sums()
    shots = "".join(
        f"Question: {one['question']}\nAnswer: #### {one['answer']}\n\n" for one in rows[40 : 40 + num_fewshot]
    )
    samples = [Sample(id=f"sum-{i}", input=one["question"], target=one["answer"]) for i, one in enumerate(rows[:40])]
    solvers = [system_message(system)] if system else []
    scorers = {"match": match(numeric=True), "includes": includes(), "pattern": pattern(r"#### (\d+)")}
    return Task(
        name="sums",
        version=1,
        dataset=MemoryDataset(samples, name="sums"),
        solver=[*solvers, prompt_template(shots + "Question: {prompt}\nAnswer:"), generate()],
        scorer=scorers[rule],
    )


RUNS = {  # the name of a log: arguments of the task, settings of the answers
    "base": ({}, {}),
    "limit": ({}, {"max_tokens": 16}),
    "system": ({"system": "You are a careful accountant."}, {}),
    "one_shot": ({"num_fewshot": 1}, {}),
    "pattern": ({"rule": "pattern"}, {}),
}


def trim(whole: Path, target: Path) -> None:
    log = read_eval_log(str(whole))
    log.eval.task_file = log.eval.revision = log.reductions = None
    for sample in log.samples or []:
        sample.events = []
        sample.timelines = None
    write_eval_log(log, str(target))


if __name__ == "__main__":
    for name, (arguments, config) in RUNS.items():
        folder = Path(sys.argv[1]) / name
        settings = {"max_tokens": 64, "temperature": 0.0, "seed": 7, "stop_seqs": ["\n\nQuestion:"]} | config
        eval(
            sums_task(**arguments),
            model="stub/adder",
            log_dir=str(folder),
            log_format="eval",
            display="none",
            **settings,
        )
        [log] = folder.glob("*.eval")
        whole = log.rename(Path(sys.argv[1]) / f"{name}.eval")
        folder.rmdir()
        trim(whole, Path(sys.argv[2]) / f"{name}.eval")
