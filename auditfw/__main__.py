"""`python -m auditfw` and the `auditfw` command. Worker processes import this module and nothing with it."""

from __future__ import annotations

import os
import sys

COLLECT_AFTER = 100_000  # starting makes many objects that stay: looking through them at the usual pace costs a tenth


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        import signal

        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, _leave)
        from auditfw.core import interrupts
    except KeyboardInterrupt:
        os._exit(130)
    if sys.argv[1:3] == ["completion", "query"]:  # a shell waits for it at every press of Tab
        from auditfw.commands.completion.query import answer

        sys.exit(answer(sys.argv[3:]))
    interrupts.install()
    import gc

    from auditfw.commands import memory

    memory.start_sparingly()
    gc.set_threshold(COLLECT_AFTER)
    from auditfw.commands.main import main as run

    code = run(sys.argv[1:])
    gc.freeze()  # what is left is not looked through once more
    sys.exit(code)


def _leave(number: int, _frame: object) -> None:
    """A signal before anything has begun."""
    os._exit(128 + number)


if __name__ == "__main__":
    main()
