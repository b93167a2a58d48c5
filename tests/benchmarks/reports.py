"""Times what the page adds to an audit, over many trials and over the shipped sample."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

from .harness import Options, by_turns, command, line, measured, workplace
from .parsing import prepared

REPORTS = ("report=[json]", "report=[json,html]")


def run(arguments: list[str]) -> int:
    """Times what the page and its gallery add to an audit of many trials, and of the shipped sample."""
    options = Options(run)
    options.number("--trials", 200_000, "trials of the large audit")
    options.number("--rounds", 3, "times each is timed, by turns")
    options.keep()
    chosen = options.parse_args(arguments)
    with workplace(chosen.keep) as folder:
        data = prepared(folder, chosen.trials, seed=0)
        line("processor seconds", "numbers", "with page", "more", "from", "to")
        for name, words in {f"{chosen.trials:,} trials": data.words, "the sample": []}.items():
            work = {reports: partial(_seconds, folder / "reports", [*words, reports]) for reports in REPORTS}
            numbers, page = by_turns(work, chosen.rounds).values()
            more = sorted(b - a for a, b in zip(numbers, page, strict=True))
            line(name, median(numbers), median(page), median(more), more[0], more[-1])
    return 0


def _seconds(folder: Path, words: Sequence[str]) -> float:
    """Processor seconds of an audit by one worker."""
    folder.mkdir(parents=True)
    try:
        return measured(words[-1], command(*words, "engine.workers=1", "hydra.run.dir=run"), folder).cpu
    finally:
        shutil.rmtree(folder)
