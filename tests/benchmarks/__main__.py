"""Runs a benchmark by its name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

NAMES = ("agreement", "alignment", "arc", "parsing", "record", "reports", "rules", "sources", "startup", "sweep")


def benchmark(name: str) -> Callable[[list[str]], int]:
    """What runs a benchmark."""
    run: Callable[[list[str]], int] = import_module(f".{name}", __package__).run
    return run


def main(arguments: list[str]) -> int:
    """Hands the arguments after the name to that benchmark."""
    if arguments and arguments[0] in NAMES:
        if find_spec("resource") is None:
            print(f"auditfw: error: benchmarks: need Linux or macOS (this is {sys.platform})", file=sys.stderr)
            return 2
        return benchmark(arguments[0])(arguments[1:])
    lines = [f"  {name:<10}{benchmark(name).__doc__}" for name in NAMES]
    print("\n".join(["usage: python -m tests.benchmarks NAME [--help]", "", *lines]))
    return 0 if arguments in (["--help"], ["-h"]) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
