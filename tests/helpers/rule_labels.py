"""Our labels of completions by a shipped rule: by the definitions, and by each kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hostile_readings import SIGNS
from kernel_ways import MODULE

import auditfw
from auditfw import evaluate
from auditfw.audits.parsing.engine.kernels import kernel
from auditfw.audits.parsing.engine.plan import FALSE, TRUE, ReadingPlan
from auditfw.kinds.capabilities import Named


def labels_of(
    name: str, parser: Any, matcher: Any, pairs: Sequence[tuple[str, list[str]]]
) -> dict[str, list[bool | None]]:
    """The labels of completions with their targets by a rule, with another parser, or settings of its matcher."""
    parts = (
        auditfw.load("parser", parser or name),
        auditfw.load("normalizer", name),
        auditfw.load("matcher", name if matcher is None else {"use": name, **matcher}),
    )
    truths = [tuple(targets) for _, targets in pairs]
    plain = [evaluate(parts[0](text), truth, *parts[1:]) for (text, _), truth in zip(pairs, truths, strict=True)]
    kernels = {"definitions": plain}
    plan = ReadingPlan((Named("p", parts[0]),), (Named("n", parts[1]),), parts[2], ((0, 0),))
    for way in ("python", "native") if MODULE is not None else ("python",):
        scores = kernel(way, plan, SIGNS).score([text for text, _ in pairs], None, truths)  # type: ignore[arg-type]
        assert scores.problems == []
        kernels[way] = [{TRUE: True, FALSE: False}.get(code) for code in scores.labels[0]]
    return kernels
