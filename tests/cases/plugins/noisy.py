"""A solver for tests: it guesses by the seed it is given, and writes every request down."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from auditfw.kinds.registry import register
from auditfw.kinds.solving import Ask, Clock, Reply, RequestTimeoutError, TransientError


@register("solver", "noisy")
@dataclass(frozen=True)
class Noisy:
    """Guesses outputs by a seeded draw, and writes every request down."""

    log: str = "requests.log"
    pause: float = 0.01
    clock: Clock = "work"

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, ask: Ask) -> Reply:
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(f"{ask.problem.id} {ask.iteration}\n")
        time.sleep(self.pause)
        draw = random.Random(ask.seed)
        trouble = draw.random()
        if trouble < 0.05:
            raise RequestTimeoutError("late", seconds=draw.random())
        if trouble < 0.1:
            raise TransientError("busy", seconds=draw.random())
        right = draw.random() < 0.2
        outputs = [one.output if right else [[draw.randrange(3)] * 2] * 2 for one in ask.problem.train]
        return Reply(outputs=outputs, seconds=draw.random(), tokens=draw.randrange(100), cost=draw.random())
