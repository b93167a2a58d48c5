"""What a model chose by log-likelihoods, in samples of lm-evaluation-harness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from auditfw.core.errors import DataError

from .converted import Where
from .lm_eval_parts import arguments_of, is_list, target_of


class LikeliestChoice:
    """What a model chose by the log-likelihoods of the choices, and which choice is right."""

    def __init__(
        self, asked: tuple[Any, Any], requests: Sequence[Any], metric: str | None, delimiter: str, where: Where
    ) -> None:
        """Takes the sample's arguments and target, its answers, and how it is scored."""
        (arguments, target), self._where = asked, where
        values = [self._value(request) for request in requests]
        texts = arguments_of(arguments, len(values), "arg_1")
        if metric == "acc_mutual_info" and len(values) % 2 == 0:
            half = len(values) // 2
            values, texts = [a - b for a, b in zip(values[:half], values[half:], strict=True)], texts[:half]
        inputs = len(texts) > 1 and all(text == texts[0] for text in texts)  # one of several is put before the same end
        shown = arguments_of(arguments, len(values), "arg_0") if inputs else texts
        there = len(values) > 1 and all(isinstance(text, str) for text in shown)
        self.texts = [text.removeprefix(delimiter) for text in shown] if there else None
        best = _highest(_by_length(values, self.texts, metric))
        self.text = self.texts[best] if self.texts else None
        self.truth = None if inputs else self._truth(target)

    def _truth(self, target: Any) -> Any:
        """The text of the right choice, or of several: the harness takes whole numbers for their places."""
        target = target_of(target)
        if self.texts is None:
            return target
        several = target if isinstance(target, list) else [target]
        truths = [self.texts[int(one)] if _is_place(one, self.texts) else one for one in several]
        return truths if isinstance(target, list) else truths[0]

    def _value(self, request: Any) -> float:
        first = request[0] if is_list(request) and request and is_list(request[0]) else request
        try:
            return float(first[0])
        except (TypeError, ValueError, IndexError, KeyError):
            raise DataError(self._where(), "a log-likelihood is not a number", str(first)) from None


def _is_place(target: Any, texts: Sequence[str]) -> bool:
    return str(target).isascii() and str(target).isdigit() and int(target) < len(texts)


def _by_length(values: Sequence[float], texts: Sequence[str] | None, metric: str | None) -> Sequence[float]:
    """The values as a metric compares them: by character or byte for `acc_norm` and `acc_bytes`."""
    if texts is None or metric not in ("acc_norm", "acc_bytes"):
        return values
    sizes = [len(text.encode("utf-8", "replace")) if metric == "acc_bytes" else len(text) for text in texts]
    return [value / size if size else -math.inf for value, size in zip(values, sizes, strict=True)]


def _highest(values: Sequence[float]) -> int:
    """The place of the first highest value; as in the harness NaN counts as the highest."""
    return next((i for i, value in enumerate(values) if math.isnan(value)), values.index(max(values)))
