"""Scenarios of a Sobol sequence."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import register

from .designs import Sampled


@register("scenarios", "sobol")
@dataclass(frozen=True)
class Sobol(Sampled):
    """Draws a scrambled Sobol sequence (Owen 1998) by SciPy, which fills a box evenly; n should be a power of 2.

    The settings are those of `lhs`, and `scramble`.
    """

    scramble: bool = True

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that n is no power of 2
            return self.drawn("Sobol", scramble=self.scramble)
