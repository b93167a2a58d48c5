"""`python -m auditfw` and the `auditfw` command. Worker processes import this module and nothing with it."""

from __future__ import annotations

import os
import sys

ENDINGS = {1: "hung up", 2: "interrupted", 15: "terminated"}  # SIGHUP, SIGINT, SIGTERM by their fixed numbers
COLLECT_AFTER = 100_000  # starting makes many objects that stay: looking through them at the usual pace costs a tenth


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        import signal

        for number in ENDINGS:
            if signal.getsignal(number) not in (None, signal.SIG_IGN):  # None: Windows has no SIGHUP
                signal.signal(number, _leave)
        from auditfw.core import interrupts
    except KeyboardInterrupt:
        _leave(2, None)
    if _for_a_prompt():
        from auditfw.commands.completion.verb import answer

        sys.exit(answer(sys.argv[3:]))
    interrupts.install()
    import gc

    from auditfw.core.processes import start_sparingly

    start_sparingly()
    gc.set_threshold(COLLECT_AFTER)
    from auditfw.commands.main import main as run

    code = run(sys.argv[1:])
    gc.freeze()  # what is left is not looked through once more
    sys.exit(code)


def _for_a_prompt() -> bool:
    """Whether a shell waits for it, at every press of Tab."""
    return sys.argv[1:3] == ["completion", "query"]


def _leave(number: int, _frame: object) -> None:
    """A signal before anything has begun."""
    try:
        if not _for_a_prompt():
            line = f"auditfw: error: {ENDINGS[number]}; nothing was left half written\n"
            os.write(2, line.encode())
    finally:
        os._exit(128 + number)


if __name__ == "__main__":
    main()
