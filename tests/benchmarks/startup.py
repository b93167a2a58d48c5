"""Times `auditfw --help` and a small run against an empty Hydra application."""

from __future__ import annotations

import statistics
from functools import partial

from auditfw.core.processes import python

from .harness import Options, by_turns, command, line, measured, workplace

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
    options = Options(run)
    options.number("--rounds", 15, "runs of each")
    rounds = options.parse_args(arguments).rounds
    with workplace() as folder:
        application = folder / "application.py"
        application.write_text(EMPTY, "utf-8", newline="\n")
        (folder / "config.yaml").write_text("{}\n", "utf-8", newline="\n")
        commands = {
            "empty Hydra app, --help": python(str(application), "--help"),
            "auditfw --help": command("--help"),
            "empty Hydra app, a run": python(str(application)),
            "auditfw, the shipped sample": command("report=[json]"),
        }
        work = {name: partial(measured, name, words, folder) for name, words in commands.items()}
        costs = by_turns(work, rounds, warm=1)
    line("medians", "wall ms", "CPU ms")
    for name, taken in costs.items():
        line(name, *(1000 * statistics.median(cost.seconds[i] for cost in taken) for i in (0, 1)))
    return 0
