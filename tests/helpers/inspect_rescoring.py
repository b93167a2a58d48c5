"""Run by a Python that has inspect-ai: puts scores of a file beside those of a log, and prints what the new log has.

Words: the log, the file of scores, and where the new log goes.
"""

from __future__ import annotations

import inspect as signatures
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import tiktoken

# The real one wants a file from the network.
tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: SimpleNamespace(
    encode=lambda text, **_: list(text.encode()), encode_ordinary=lambda text: list(text.encode())
)

from inspect_ai import score  # noqa: E402
from inspect_ai import scorer as scorers  # noqa: E402
from inspect_ai.log import read_eval_log, write_eval_log  # noqa: E402
from inspect_ai.scorer import Score, accuracy, scorer  # noqa: E402


@scorer(metrics=[accuracy()])
def read_by_hand(path):
    """What `precomputed_scores` does, for a package that lacks it."""
    lines = [json.loads(line) for line in Path(path).read_text("utf-8").split("\n") if line]
    known = {(one.pop("id"), one.pop("epoch")): Score(**one) for one in lines}

    async def apply(state, target):
        return known.get((str(state.sample_id), state.epoch))

    return apply


log, scores, target = sys.argv[1:]
shipped = getattr(scorers, "precomputed_scores", None)
used = read_by_hand(scores) if shipped is None else shipped(scores)
write_eval_log(score(read_eval_log(log), used, action="append", display="none"), target)
again = read_eval_log(target)
rows = [
    {
        "name": f"{one.id}#{one.epoch}",
        "scores": {
            key: {"value": str(found.value), "answer": found.answer, "metadata": found.metadata}
            for key, found in (one.scores or {}).items()
        },
    }
    for one in again.samples or []
]
results = {one.name: {key: metric.value for key, metric in one.metrics.items()} for one in again.results.scores}
fields = sorted(signatures.signature(Score).parameters)
print(json.dumps({"shipped": shipped is not None, "rows": rows, "results": results, "fields": fields}))
