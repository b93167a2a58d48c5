"""Times `auditfw --help` and a small run against an empty Hydra application."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .process import python

EMPTY = """
import hydra

@hydra.main(version_base="1.3", config_path=".", config_name="config")
def main(config):
    pass

if __name__ == "__main__":
    main()
"""


def run(arguments: list[str]) -> int:
    """Times `auditfw --help` and the shipped sample against an empty Hydra application, by turns."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks startup", description=run.__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="runs of each (default 15)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        application = Path(folder) / "application.py"
        application.write_text(EMPTY, "utf-8", newline="\n")
        (Path(folder) / "config.yaml").write_text("{}\n", "utf-8", newline="\n")
        commands = {
            "empty Hydra app, --help": [sys.executable, str(application), "--help"],
            "auditfw --help": python("auditfw", "--help"),
            "empty Hydra app, a run": [sys.executable, str(application)],
            "auditfw, the shipped sample": python("auditfw", "report=[json]"),
        }
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(options.rounds + 1):
            for name, command in commands.items():
                seconds[name].append(_timed(command, folder))
    return _print_medians({name: statistics.median(times[1:]) for name, times in seconds.items()})


def _timed(command: Sequence[str], folder: str) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return time.perf_counter() - start


def _print_medians(medians: dict[str, float]) -> int:
    for name, median in medians.items():
        print(f"{name:<28} {median * 1000:7.0f} ms")
    empty, ours, *_ = medians.values()
    print(f"{'ratio of --help':<28} {ours / empty:7.2f}")
    return 0
