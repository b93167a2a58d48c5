"""Work in a thread: its value, its error, and that it gives way where it is asked to."""

from __future__ import annotations

import os
import sys
from threading import get_native_id

import pytest

from auditfw.core.background import PATIENT, BackgroundTask


def test_a_value_and_an_error_are_given_when_asked_for() -> None:
    def fail() -> int:
        raise ValueError("no")

    assert BackgroundTask(lambda: 3)() == 3
    failing = BackgroundTask(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            failing()
    assert failing.done


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere priorities are of processes")
def test_only_a_thread_that_yields_gives_way() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, get_native_id())

    own = priority()
    assert BackgroundTask(priority)() == own
    assert BackgroundTask(priority, yields=True)() == max(own, PATIENT)
    assert priority() == own
