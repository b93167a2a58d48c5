"""Work in a thread: its value or its error, whenever it is asked for."""

from __future__ import annotations

import pytest

from auditfw.core.background import BackgroundTask


def test_a_value_and_an_error_are_given_when_asked_for() -> None:
    def fail() -> int:
        raise ValueError("no")

    done = BackgroundTask(lambda: 3)
    assert [done(), done(), done.done] == [3, 3, True]
    failing = BackgroundTask(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            failing()
    assert failing.done
