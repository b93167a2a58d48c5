"""Golden vectors of the self-audit: scores, code extraction, and the stop logic of the reference loop."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scripted import PAUSE, Played, play

from auditfw.components.solver.prompts import parse_code
from auditfw.components.stop.budgets import Budgets
from auditfw.formulas.grid_scores import equal_share, example_score, soft_score

STOPS = {
    "success": "success",
    "iterations": "iterations",
    "error": "iterations",
    "time": "budget",
    "timeouts": "budget",
}
COMPARED = ("stop", "requests", "request_timeouts", "retry_sleeps", "clock_at_end")
FAILURES = ("timeout", "asyncio_timeout", "rate_limit", "connection", "auth", "error")


def reference_budgets(config: Mapping[str, Any]) -> Budgets:
    """The reference's settings as ours: as many tries an iteration, pauses that do not grow, 900 s for no timeout."""
    return Budgets(
        max_iterations=int(config.get("max_iterations", 10)),
        max_total_time=config.get("max_total_time"),
        max_total_timeouts=config.get("max_total_timeouts"),
        request_timeout=config.get("request_timeout", 60) or 900,
        retries=int(config.get("per_iteration_retries", 2)) - 1,
        retry_delay=PAUSE,
        retry_factor=1.0,
        return_best_result=bool(config.get("return_best_result", True)),
    )


def stop_logic(given: Mapping[str, Any]) -> dict[str, Any]:
    """Plays a script and tells stop, requests and result as the reference writes them."""
    stop = reference_budgets(given["config"])
    played = play(given, stop)
    return {
        "stop": STOPS[played.loop.reason or ""],
        "requests": played.loop.ledger.requests,
        "request_timeouts": played.solver.timeouts,
        "retry_sleeps": played.timer.slept,
        "clock_at_end": played.timer.time,
        "result": result(given, played, stop.max_iterations),
    }


def result(given: Mapping[str, Any], played: Played, most: int) -> dict[str, Any]:
    """The attempt returned; for nothing, the placeholder the reference writes."""
    best, tokens = played.loop.returned, played.loop.ledger.reported_tokens
    if best is None:
        none = {"train_success": [False], "train_soft": [0.0], "program": "", "test_outputs": [""]}
        return {"iteration": most, **none, "tokens": tokens}
    made = given["programs"][best.program]
    pairs = list(zip(made["train"], given["train_outputs"], strict=True))
    return {
        "iteration": best.number,
        "train_success": [one == truth for one, truth in pairs],
        "train_soft": [soft(one, truth) for one, truth in pairs],
        "program": best.program,
        "test_outputs": [one["fail"] if isinstance(one, dict) else json.dumps(one) for one in made["test"]],
        "tokens": tokens,
    }


def soft(output: Any, truth: Any) -> float:
    """The share of equal cells, 0 for a failure or another shape."""
    if isinstance(output, dict) or [len(row) for row in output] != [len(row) for row in truth]:
        return 0.0
    return equal_share(output, truth)


def expected_logic(expected: Mapping[str, Any]) -> Any:
    """Of an expected outcome what we compare: prompt and completion tokens as one sum."""
    if "$raises" in expected:
        return expected
    told = dict(expected["result"])
    told["tokens"] = told.pop("prompt_tokens") + told.pop("completion_tokens")
    return {**{name: expected[name] for name in COMPARED}, "result": told}


def touched(given: Mapping[str, Any]) -> set[str]:
    """The contradictions between the reference's document and its code that an input touches, by number."""
    return set(_touched(given["config"], given["llm_script"], given))


def _touched(config: Mapping[str, Any], script: Sequence[Mapping[str, Any]], given: Mapping[str, Any]) -> Iterator[str]:
    """Q1-Q4, Q6, Q7, Q9 and Q11; the other rows change no number that is compared."""
    limit, timeouts = config.get("max_total_time"), config.get("max_total_timeouts")
    failed = [step["do"] in FAILURES for step in script]
    told = [step.get("message", "") for step in script]
    if limit is not None:
        spent = [step.get("seconds", 0.0) + PAUSE * (step["do"] != "reply") for step in script]
        if any(sum(spent[:at]) >= limit for at in range(max(1, len(script)))):
            yield "Q1"  # the time left is not tested before a request
        if any(failed[:-1]):
            yield "Q2"  # pauses and failed iterations are not charged
        if script and script[-1]["do"] == "timeout" and sum(spent) >= limit:
            yield "Q6"  # the last try of an iteration skips the test of the time
    if any(step["do"] in ("rate_limit", "connection") or step.get("text", "") is None for step in script):
        yield "Q2"  # repeated without limit, and a reply without content charged twice
    kinds = {step["do"] for step in script}
    if timeouts is not None and "timeout" in kinds and kinds & {"error", "auth", "asyncio_timeout"}:
        yield "Q2"  # an iteration that ends in an exception does not charge its timeouts
    if not config.get("return_best_result", True) and not _right_in_time(config, failed, script, given):
        yield "Q3"  # the last attempt evaluated is returned where the document says nothing is
    if any("Timeout" in text or "Exceeded t" in text for text in told) or (
        timeouts is not None and "asyncio_timeout" in kinds
    ):
        yield "Q4"  # timeouts and stops told by the text of an error
    if not all(map(_grid, [*given["train_outputs"], *_outputs(given["programs"])])):
        yield "Q7"  # two scores that disagree, and floats truncated
    unlisted = [config[name] for name in ("max_solutions", "selection_probability", "seed") if name in config]
    if None in unlisted or int(config.get("per_iteration_retries", 2) or 0) < 1:
        yield "Q9"  # settings the document does not list, with values that leave nothing to do
    if not given["train_outputs"]:
        yield "Q11"  # an empty list of examples counts as success


def _right_in_time(
    config: Mapping[str, Any], failed: Sequence[bool], script: Sequence[Mapping[str, Any]], given: Mapping[str, Any]
) -> bool:
    """Whether a right reply comes within the iterations, with no failure before it."""
    for step, bad in list(zip(script, failed, strict=True))[: int(config.get("max_iterations", 10) or 0)]:
        if bad:
            return False
        if any(
            p["train"] == given["train_outputs"] and f"\n{n}\n" in (step.get("text") or "")
            for n, p in given["programs"].items()
        ):
            return True
    return False


def _outputs(programs: Mapping[str, Any]) -> Iterator[Any]:
    """What programs give for the training examples; of the failures those that the reference takes for an output."""
    for made in programs.values():
        for one in made["train"]:
            if not isinstance(one, dict):
                yield one
                continue
            with suppress(ValueError):
                json.loads(one["fail"])
                yield "a failure whose text reads as an output"


def _grid(value: Any) -> bool:
    """Whether a value is rows of equally many whole numbers."""
    rows = isinstance(value, list) and bool(value) and all(isinstance(row, list) and row for row in value)
    return (
        rows
        and len({len(row) for row in value}) == 1
        and all(isinstance(cell, int) and not isinstance(cell, bool) for row in value for cell in row)
    )


LOGIC = "poetiq_stop_logic"
FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    LOGIC: stop_logic,
    "poetiq_soft_score": lambda given: soft_score(decoded(given["pred"]), decoded(given["truth"])),
    "poetiq_example_score": lambda given: example_score(given["ok"], decoded(given["output"]), decoded(given["truth"])),
    "poetiq_parse_code": lambda given: parse_code(decoded(given["response"])),
}
TYPES: dict[str, Callable[[Any], Any]] = {
    "str": str,
    "int": int,
    "complex": complex,
    "bytes": bytes.fromhex,
    "tuple": lambda value: tuple(decoded(value)),
    "decimal.Decimal": Decimal,
    "fractions.Fraction": Fraction,
    "numpy.float32": np.float32,
}


def decoded(value: Any) -> Any:
    """A golden value as the Python or NumPy value it stands for."""
    if isinstance(value, dict) and value.get("$type") == "numpy.ndarray":
        cells = np.array(decoded(value["value"]), dtype=value["dtype"])
        return cells.reshape(value["shape"])
    if isinstance(value, dict) and "$type" in value:
        return TYPES[value["$type"]](value["value"])
    if isinstance(value, dict):
        return {key: decoded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [decoded(part) for part in value]
    words = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    return words.get(value, value) if isinstance(value, str) else value


def comparable(stem: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases of a file that are compared: of the stop logic those that touch no contradiction, trimmed to it."""
    if stem != LOGIC:
        return cases
    return [{**case, "expected": expected_logic(case["expected"])} for case in cases if not touched(case["input"])]
