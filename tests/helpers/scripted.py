"""A scripted model for the refine loop: what each request does, on a clock of its own, with programs that are names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import auditfw
from auditfw.audits.self_audit.loop import Loop, Refine, Timer
from auditfw.components.stop.budgets import Budgets
from auditfw.kinds.solving import Ask, Clock, Example, Execution, Problem, Reply, RequestTimeoutError, TransientError

PAUSE = 5.0


class Virtual(Timer):
    """A clock that moves only when it is told to; it notes how long was slept."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class Refused(Exception):
    """An error that is neither a timeout nor one that may pass."""


@dataclass(frozen=True)
class Scripted:
    """A solver that does what the script says, request after request, and notes the timeouts it was given."""

    script: Sequence[Mapping[str, Any]]
    timer: Virtual
    clock: ClassVar[Clock] = "wall"
    timeouts: list[float | None] = field(default_factory=list)

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, ask: Ask) -> Reply:
        step = self.script[len(self.timeouts)]
        self.timeouts.append(ask.timeout)
        self.timer.time += step.get("seconds", 0.0)
        if step["do"] == "timeout":
            raise RequestTimeoutError("Timeout")
        if step["do"] == "asyncio_timeout":
            raise TimeoutError
        if step["do"] in ("rate_limit", "connection"):
            raise TransientError(step["do"], wait=step.get("wait"))
        if step["do"] != "reply":
            raise Refused(step.get("message", step["do"]))
        program = code(step["text"])
        told = [step[name] for name in ("prompt_tokens", "completion_tokens") if step.get(name) is not None]
        tokens = sum(told) if told else None
        return Reply(program=program, why="" if program else "no code", tokens=tokens, cost=step.get("cost", 0.0))


def code(text: str) -> str:
    """The name of a program: the first fence for Python."""
    _, fence, rest = text.partition("```python")
    return rest.partition("```")[0].strip() if fence else ""


@dataclass(frozen=True)
class Named:
    """An executor whose programs are names: outputs for each training example and then each test, or a failure."""

    programs: Mapping[str, Any]
    tier: ClassVar[str] = "none"

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, program: str, inputs: Sequence[Any]) -> list[Execution]:
        made = self.programs[program]
        return [
            Execution(error=one["fail"]) if isinstance(one, dict) else Execution(one)
            for one in (*made["train"], *made["test"])
        ]


@dataclass(frozen=True)
class Played:
    """What came of a script."""

    loop: Loop
    timer: Virtual
    solver: Scripted


def play(given: Mapping[str, Any], stop: Budgets) -> Played:
    """Runs the loop on a golden input under a stop rule."""
    timer = Virtual()
    solver = Scripted(given["llm_script"], timer)
    train = tuple(Example(number, output) for number, output in enumerate(given["train_outputs"]))
    problem = Problem("p", train, (Example(0),) * given.get("n_test", 0))
    scoring = auditfw.load("scoring", "grid")
    refine = Refine(solver, scoring, stop, Named(given["programs"]), clock="wall", timer=timer)
    return Played(refine(problem), timer, solver)
