"""The canary: what it tries, and that a tier which does not hold is refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from walls import needs_landlock

from auditfw.components.executor import canary
from auditfw.components.executor.tiers import Sandlock, Subprocess
from auditfw.core.errors import IncompleteError
from auditfw.kinds.solving import Execution


@needs_landlock
def test_the_canary_holds_in_the_kernel_tier() -> None:
    tried = canary.run_canary(Sandlock()).output
    assert set(tried) == set(canary.HELD["kernel"])
    assert not any(tried.values())


def test_the_canary_would_get_out_of_a_plain_process() -> None:
    """So its tries do work where nothing is in the way; only the environment is kept from it there."""
    tried = canary.run_canary(Subprocess()).output
    assert [name for name, got_out in tried.items() if not got_out] == ["sees a variable of the caller"]


@dataclass(frozen=True)
class Leaky:
    """A tier that says more of itself than it is."""

    function: str = "transform"

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return Subprocess()(program, inputs)


@dataclass(frozen=True)
class Dead:
    """A tier in which nothing runs."""

    function: str = "transform"

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return [Execution(error="did not start")]


@dataclass(frozen=True)
class Unfiltered(Sandlock):
    """The kernel tier as it would be without the filter of system calls."""

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return self._run(self._start, program, inputs)


def test_a_tier_that_does_not_hold_is_refused_with_the_reason() -> None:
    with pytest.raises(IncompleteError, match="a program reads a file outside, writes a file outside, lists"):
        canary.tried_out(Leaky(), "kernel")
    with pytest.raises(IncompleteError, match=r"the canary \(a test program\) did not run"):
        canary.tried_out(Dead(), "kernel")


@needs_landlock
def test_calls_that_go_through_are_named() -> None:
    with pytest.raises(IncompleteError, match=r"outside \(chmod, fchmod, .* another process \(prlimit, "):
        canary.tried_out(Unfiltered(), "kernel")
