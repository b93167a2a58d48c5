"""Runs a benchmark by its name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec

from . import agreement, alignment, arc, logs, parsing, readers, reports, startup, sweep
from .releases import record
from .rules import measure as rules
from .sources import read

BENCHMARKS: dict[str, Callable[[list[str]], int]] = {
    "agreement": agreement.run,
    "alignment": alignment.run,
    "arc": arc.run,
    "logs": logs.run,
    "parsing": parsing.run,
    "readers": readers.run,
    "record": record.run,
    "reports": reports.run,
    "rules": rules.run,
    "sources": read.run,
    "startup": startup.run,
    "sweep": sweep.run,
}


def main(arguments: list[str]) -> int:
    """Hands the arguments after the name to that benchmark."""
    if arguments and arguments[0] in BENCHMARKS:
        if find_spec("resource") is None:
            print(f"auditfw: error: benchmarks: need Linux or macOS (this is {sys.platform})", file=sys.stderr)
            return 2
        return BENCHMARKS[arguments[0]](arguments[1:])
    lines = [f"  {name:<10}{benchmark.__doc__}" for name, benchmark in BENCHMARKS.items()]
    print("\n".join(["usage: python -m auditfw.benchmarks NAME [--help]", "", *lines]))
    return 0 if arguments in (["--help"], ["-h"]) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
