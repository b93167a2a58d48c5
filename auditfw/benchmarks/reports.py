"""Times what the page adds to an audit, over many trials and over the shipped sample."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from .parsing import prepared, workplace
from .process import python, timed

NUMBERS, PAGE = "report=[json]", "report=[json,html]"


def run(arguments: list[str]) -> int:
    """Times what the page and its gallery add to an audit of many trials, and of the shipped sample."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks reports", description=run.__doc__)
    parser.add_argument("--trials", type=int, default=200_000, help="trials of the large audit (default 200000)")
    parser.add_argument("--rounds", type=int, default=3, help="times each is timed, by turns (default 3)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the trials here, and use what is there")
    options = parser.parse_args(arguments)
    if min(options.trials, options.rounds) < 1:
        parser.error("--trials and --rounds are 1 or more")
    with workplace(options.keep) as folder:
        data = prepared(folder, options.trials, seed=0)
        audits = {f"{options.trials:,} trials": data.words, "the sample": []}
        print(f"{'processor seconds':<20}{'numbers':>10}{'with page':>10}{'more':>8}")
        for name, words in audits.items():
            _print(name, _rounds(folder / "reports", words, options.rounds))
    return 0


def _rounds(folder: Path, words: Sequence[str], rounds: int) -> Mapping[str, list[float]]:
    """Processor seconds of an audit by one worker, with the numbers alone and with the page, by turns."""
    seconds: dict[str, list[float]] = {NUMBERS: [], PAGE: []}
    for _ in range(rounds):
        for reports, taken in seconds.items():
            folder.mkdir(parents=True)
            command = python("auditfw", *words, "engine.workers=1", reports, "hydra.run.dir=run")
            taken.append(timed(reports, command, folder).cpu)
            shutil.rmtree(folder)
    return seconds


def _print(name: str, seconds: Mapping[str, Sequence[float]]) -> None:
    """The middle of the rounds, and what the page added in each, from the least to the most."""
    more = sorted(page - numbers for numbers, page in zip(seconds[NUMBERS], seconds[PAGE], strict=True))
    middle = "".join(f"{median(seconds[one]):>10.2f}" for one in (NUMBERS, PAGE))
    print(f"{name:<20}{middle}{median(more):>8.2f}  {more[0]:.2f} to {more[-1]:.2f}", flush=True)
