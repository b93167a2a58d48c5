"""A bounded address space is enough, or it is said that it is too small."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sentences import commands as says

from auditfw.commands.error_output import message_and_code

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit")
@pytest.mark.parametrize(
    ("megabytes", "code", "said"),
    [
        (300, 4, says.AUDITFW_ERROR_ULIMIT_MB_OF),
        *(pytest.param(n, 0, "", marks=[pytest.mark.slow] * (n != 600)) for n in (500, 600, 800, 1000, 1500, 3000)),
    ],
)
def test_a_bounded_address_space_is_enough_or_is_said_to_be_too_small(megabytes: int, code: int, said: str) -> None:
    import resource

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000,) * 2)

    words = ["report=[]", "engine.workers=1"]
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", *words], preexec_fn=bound, timeout=120, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr[: len(said) or None]) == (code, said), done.stderr
    assert done.stderr.count("\n") == (code != 0)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 4, says.MEMORY_THE_SYSTEM_GIVES_THIS),
        (RuntimeError("can't start new thread"), 4, says.MEMORY_THE_SYSTEM_GIVES_THIS_PROCESS),
        (RuntimeError("another"), 70, says.A_DEFECT_OF_AUDITFW_RUNTIMEERROR),
    ],
)
def test_want_of_memory_is_no_defect(error: Exception, code: int, message: str) -> None:
    text, number = message_and_code(error)
    assert number == code
    assert str(text).startswith(message)
