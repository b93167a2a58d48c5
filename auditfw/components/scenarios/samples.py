"""Scenarios sampled from the ranges of parameters: a Latin hypercube, a Sobol sequence, Saltelli's design."""

from __future__ import annotations

import warnings

from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

from .designs import Sampled, check_size


@declare("scenarios", "lhs")
class LatinHypercube(Sampled):
    """Draws a Latin hypercube (McKay, Beckman and Conover 1979) by SciPy: one point in each stratum of every parameter.

    - `bounds`: {parameter: [low, high]}; empty: the simulator's bounds of all that are not `fixed`;
    - `n`: how many scenarios; `seed`: the run's own, unless given;
    - `intended`, `fixed`, `group`: as for `linspace`.
    """

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        return self.drawn("LatinHypercube")


@declare("scenarios", "sobol")
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


@declare("scenarios", "saltelli")
class Saltelli(Sampled):
    """Draws Saltelli's design (2010): two Sobol samples of n points, and their mixtures parameter by parameter.

    This makes n x (parameters + 2) scenarios, with `second_order` twice as many mixtures; n should be a power of 2.
    With `audit.sensitivity=true` the report has first-order and total Sobol indices. The settings are those of `lhs`.
    """

    second_order: bool = False

    def open(self) -> Evidence:
        """The scenarios, in the order that SALib reads them. Raises UsageError."""
        import numpy as np

        ranges = self.ranges(self.bounds)
        size = len(ranges)
        step = 2 * size + 2 if self.second_order else size + 2
        check_size(self.n * step, "n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that n is no power of 2
            points = self.points("Sobol", 2 * size)
        first, last = points[:, :size], points[:, size:]
        blocks = np.repeat(first[:, None, :], step, axis=1)
        blocks[:, size + 1 :, :] = last[:, None, :]
        for j in range(size):
            blocks[:, 1 + j, j] = last[:, j]
            if self.second_order:
                blocks[:, 1 + size + j, j] = first[:, j]
        return self.scaled(blocks.reshape(-1, size), ranges)
