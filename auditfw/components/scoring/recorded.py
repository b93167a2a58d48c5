"""The scoring of attempts whose scores are recorded."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from auditfw.core.errors import DataError, UsageError
from auditfw.kinds.registry import declare

from .outputs import unfinished

ROOM = 1e-6  # of the range: what rounding may leave beyond its ends
NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)")
WORDS = {"true": True, "yes": True, "false": False, "no": False}
PERCENT = "write audit.scoring.range=[0,100]"


@dataclass(frozen=True)
class _Scale:
    """The two ends between which recorded scores lie, `high` None without an upper one."""

    low: float
    high: float | None

    def __str__(self) -> str:
        return f"of {self.low:g} or more" if self.high is None else f"from {self.low:g} to {self.high:g}"

    def holds(self, number: float) -> bool:
        room = ROOM if self.high is None else ROOM * (self.high - self.low)
        return number >= self.low - room and (self.high is None or number <= self.high + room)


@declare("scoring", "recorded")
class RecordedScoring:
    """Takes the output itself as the score: a number, true or false, also as text. The expected output is ignored.

    - `range`: the lowest and the highest score, as [0, 100] for percent; null: 0 and 1;
    - `better`: "higher"; "lower" (the lowest score is success); or "distance": smaller is better as well, and without a
      `range` there is no upper end: 0 is success, else 1 / (1 + distance).

    A score outside of the range, or an output that is no score, is a data error.
    """

    recorded: ClassVar[bool] = True

    range: tuple[float, ...] | None = None
    better: Literal["higher", "lower", "distance"] = "higher"

    def __post_init__(self) -> None:
        if self.range is None:
            return
        if len(self.range) != 2 or not all(map(math.isfinite, self.range)) or not self.range[0] < self.range[1]:
            raise UsageError("range", "expected the lowest and the highest score, as [0, 100]", list(self.range))

    @property
    def _scale(self) -> _Scale:
        if self.range is not None:
            return _Scale(*self.range)
        return _Scale(0.0, None if self.better == "distance" else 1.0)

    def __call__(self, output: Any, expected: Any) -> float:
        what, do = self.unreadable(output)
        if what:
            raise DataError("audit.scoring", what, output, do)
        number, scale = _number(output), self._scale
        if isinstance(number, bool) or number is None:
            return float(bool(number))
        if scale.high is None:
            return 1.0 if number <= scale.low else unfinished(1 / (1 + number))
        best = scale.high if self.better == "higher" else scale.low
        away = (best - number if self.better == "higher" else number - best) / (scale.high - scale.low)
        return 1.0 if away <= 0 else unfinished(1 - away)

    def unreadable(self, output: Any) -> tuple[str, str]:
        """Why an output is no score, and what to do; "" where it is one."""
        number, scale = _number(output), self._scale
        percent = isinstance(output, str) and output.rstrip().endswith("%")
        if number is None:
            return f"expected a score, a number {scale}", "leave an attempt without a score empty (null)"
        if percent and scale.high != 100.0:
            return f"expected a score {scale}", PERCENT
        if isinstance(number, bool) or scale.holds(number):
            return "", ""
        do = "write audit.scoring.range=[LOWEST,HIGHEST], as [0,100] for percent"
        return f"expected a score {scale}", f"{do}; audit.scoring.better=distance if smaller is better and 0 is success"

    def full_marks(self, score: float) -> str:
        """The setting under which this score, from 0 to 1, is a success; "" where none makes it one."""
        if self.better != "higher" or score <= 0:
            return ""
        return f"audit.scoring.range=[{self._scale.low:g},{self.on_scale(score):.6g}]"

    def on_scale(self, score: float) -> float:
        """A score from 0 to 1 as it would have been recorded."""
        scale = self._scale
        if scale.high is None:
            return 1 / score - 1 if score else math.inf
        return scale.low + (score if self.better == "higher" else 1 - score) * (scale.high - scale.low)


def _number(output: Any) -> float | bool | None:
    """An output as a number or a truth value; None for anything else, and for numbers that are not finite."""
    if isinstance(output, str):
        text = output.strip()
        match = NUMBER.fullmatch(text)
        output = float(match[1]) if match else WORDS.get(text.lower())
    if isinstance(output, bool):
        return output
    if not isinstance(output, int | float):
        return None
    try:
        return float(output) if math.isfinite(output) else None
    except OverflowError:
        return None
