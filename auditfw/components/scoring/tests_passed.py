"""The scoring of results of tests."""

from __future__ import annotations

from typing import Any

from auditfw.core.document import some
from auditfw.formulas.grid_scores import (
    passed_share,
)
from auditfw.kinds.registry import declare

from .wording import ELSE, unfinished


@declare("scoring", "tests_passed")
class TestsPassedScoring:
    """Gives the share of passed tests in an output that lists test results; the expected output may name the tests.

    The output is a list of true/false, or a mapping of test names to true/false. If `expected` is a number or a list,
    there must be that many results; if it is a mapping, every name in it must have a result.
    """

    def __call__(self, output: Any, expected: Any) -> float:
        return self._judge(output, expected)[0]

    def remark(self, output: Any, expected: Any) -> str:
        """Which tests did not pass, or what is wrong with the results."""
        return self._judge(output, expected)[1]

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why no results of tests can meet an expected output, and what to do; "" where they can."""
        number = isinstance(expected, int) and not isinstance(expected, bool)
        if expected is True or isinstance(expected, list | tuple | dict) or (number and expected > 0):
            return "", ""
        return "says neither how many tests there are nor their names", f"write a number, a list or a mapping; {ELSE}"

    def _judge(self, output: Any, expected: Any) -> tuple[float, str]:
        share, why = passed_share(output)
        if not isinstance(output, list | tuple | dict):
            return share, why
        if isinstance(expected, dict):
            gone = [str(name) for name in expected if not isinstance(output, dict) or name not in output]
            if gone:
                return 0.0, f"no result of: {', '.join(gone[:20])}"
        wanted = len(expected) if isinstance(expected, list | tuple) else expected
        if isinstance(wanted, int) and not isinstance(wanted, bool) and len(output) != wanted:
            return 0.0, f"{some(len(output), 'result')}, expected {wanted}"
        return (1.0 if not why else unfinished(share)), why
