"""Settings of intervals: what cannot be meant is refused."""

from __future__ import annotations

import pytest

from auditfw.formulas.agreement import Interval


def test_settings_of_intervals_are_checked() -> None:
    from auditfw.core.errors import UsageError

    for wrong in ({"confidence": 1.0}, {"confidence": 0.0}, {"resamples": 9}):
        with pytest.raises(UsageError):
            Interval(**wrong)  # type: ignore[arg-type]
