"""Times the field's rules, each as a whole command, beside a script with json and re, and compares every label."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from math import fsum
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from auditfw.benchmarks.process import Taken, as_installed, python, timed
from auditfw.components.step.patterns import Capture

from . import script
from .completions import write
from .timed import ALONE, HASHES, RULES, SENTENCE, CompletionKind, TimedRule, command, reading_names


def run(arguments: list[str]) -> int:
    """Times the field's rules beside a script with json and re, and compares every label."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks rules", description=run.__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="completions (default 200000)")
    parser.add_argument("--script-rows", type=int, metavar="N", help="run the script on the first N, scaled up")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of auditfw (default 2)")
    names = [rule.name for rule in RULES]
    parser.add_argument("--rule", action="append", choices=names, metavar="NAME", help="only this rule; repeatable")
    parser.add_argument("--rounds", type=int, default=1, help="times each is timed, by turns (default 1)")
    parser.add_argument("--engine", action="store_true", help="time the searches alone, without a command")
    parser.add_argument("--texts", type=int, default=5_000, help="texts of --engine (default 5000)")
    options = parser.parse_args(arguments)
    script_rows = min(options.rows, options.rows if options.script_rows is None else options.script_rows)
    if min(script_rows, options.workers, options.texts, options.rounds) < 1:
        parser.error("--rows, --script-rows, --workers, --rounds and --texts are 1 or more")
    if not options.engine:
        as_installed()
    rules = [rule for rule in RULES if not options.rule or rule.name in options.rule]
    with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
        if options.engine:
            return _engine(Path(folder), options.texts)
        timing = Timing(Path(folder), options.rows, script_rows, options.workers)
        return 1 if _commands(timing, rules, options.rounds) else 0


def _commands(timing: Timing, rules: Sequence[TimedRule], rounds: int) -> int:
    """Times script and command for each rule by turns, then for all rules at once; how many labels differ.

    The command is timed twice: for the labels alone, as the script makes them, and as it comes, when it also probes the
    scorer and searches for the rule of the stored labels, of which here one in twenty is wrong. All rules at once are
    one command with a reading for each, beside a script that reads the file once, over completions of all kinds.
    """
    print(f"{timing.heading}; wall and processor seconds, and how many times the script's")
    print(f"{'':<26}{'script':>7}{'labels alone':>24}{'as it comes':>25}{'different':>11}")
    each: list[list[OneRound]] = []
    for kind, group in itertools.groupby(rules, lambda rule: rule.kind):
        timing.write([kind])
        each += [timing.rounds(rule.name, [rule], rounds) for rule in group]
    taken = [_sum(one) for one in zip(*each, strict=True)]
    _print("each by itself", taken)
    if len(rules) > 1:
        timing.write(list(dict.fromkeys(rule.kind for rule in rules)))
        taken += timing.rounds("all at once", rules, rounds)
    different = sum(one.different for one in taken)
    print(f"labels compared: {2 * len(taken) * timing.script_rows * len(rules):,}, different: {different:,}")
    return different


class OneRound(NamedTuple):
    """What one round took: the script, the labels alone, the command as it comes; and how many labels differed."""

    script: Taken
    alone: Taken
    whole: Taken
    different: int


class Timing:
    """Times rules over a file of made-up completions, of which the script may label the first alone."""

    def __init__(self, folder: Path, rows: int, script_rows: int, workers: int) -> None:
        self._data, self._out, self._run = folder / "completions.jsonl", folder / "labels", folder / "run"
        self._rows, self.script_rows, self._workers = rows, script_rows, workers

    @property
    def heading(self) -> str:
        """What is timed, as the first line of the table has it."""
        scaled = "" if self.script_rows == self._rows else f", the script's time scaled up from {self.script_rows:,}"
        return f"{self._rows:,} completions, {self._workers} workers{scaled}"

    def write(self, kinds: Sequence[CompletionKind]) -> None:
        """Writes completions of these kinds."""
        write(self._data, self._rows, kinds)

    def rounds(self, name: str, rules: Sequence[TimedRule], number: int) -> list[OneRound]:
        """What these rules took, round by round; prints a line."""
        rounds = [self._round(name, rules) for _ in range(number)]
        _print(name, rounds)
        return rounds

    def _round(self, name: str, rules: Sequence[TimedRule]) -> OneRound:
        names = [rule.name for rule in rules]
        arguments = [str(self._data), str(self._out), str(self.script_rows), *names]
        theirs = timed("script", python("auditfw.benchmarks.rules.script", *arguments))
        share = self._rows / self.script_rows
        words = command(rules, self._data, self._run, self._workers)
        (alone, one), (whole, other) = (self._ours(name, rules, [*words, *more]) for more in (ALONE, ()))
        return OneRound(Taken(share * theirs.wall, share * theirs.cpu), alone, whole, one + other)

    def _ours(self, name: str, rules: Sequence[TimedRule], words: list[str]) -> tuple[Taken, int]:
        """What the command took, and how many of its labels differ from the script's."""
        taken = timed(name, words)
        different = _differences(self._out, self._run, reading_names(rules))
        shutil.rmtree(self._run)
        return taken, different


def _sum(rounds: Sequence[OneRound]) -> OneRound:
    parts = zip(*(one[:3] for one in rounds), strict=True)
    theirs, alone, whole = (Taken(fsum(one.wall for one in part), fsum(one.cpu for one in part)) for part in parts)
    return OneRound(theirs, alone, whole, sum(one.different for one in rounds))


def _differences(out: Path, folder: Path, readings: Sequence[str]) -> int:
    """How many labels of the run are not those of the script, in the rows that it labelled."""
    import polars

    trials = polars.read_parquet(folder / "trials.parquet")
    places = trials["id"].str.strip_prefix("q").cast(polars.Int64).to_list()
    different = 0
    for name, wanted in zip(readings, out.read_text("ascii").splitlines(), strict=True):
        labels = {place: label for place, label in zip(places, trials[name], strict=True) if place < len(wanted)}
        different += sum(1 for place, label in labels.items() if script.SIGNS[label] != wanted[place])
        different += len(wanted) - len(labels)
    return different


def _print(name: str, rounds: Sequence[OneRound]) -> None:
    """The middle of the rounds, and from the least to the most wall seconds where there are several."""
    parts = zip(*(one[:3] for one in rounds), strict=True)
    theirs, alone, whole = (sorted(part, key=attrgetter("wall")) for part in parts)
    script_wall = _middle(theirs).wall
    shown = (f"{one.wall:>9.2f}{one.cpu:>7.2f}{script_wall / one.wall:>7.1f}x" for one in map(_middle, (alone, whole)))
    different = f"{sum(one.different for one in rounds):>11,}"
    spread = [f"{part[0].wall:.2f} to {part[-1].wall:.2f}" for part in (theirs, alone, whole) if len(rounds) > 1]
    print(f"{name:<26}{script_wall:>7.2f}{' '.join(shown)}{different}  {', '.join(spread)}".rstrip(), flush=True)


def _middle(costs: Sequence[Taken]) -> Taken:
    return costs[len(costs) // 2]


def _engine(folder: Path, size: int) -> int:
    """Times the searches for the last number and the last letter by themselves; 1 where they do not agree."""
    patterns = {"last number": (r"(-?[$0-9.,]{2,})|(-?[0-9]+)", HASHES), "last letter": (r"\b[A-J]\b", SENTENCE)}
    agree = True
    for name, (pattern, kind) in patterns.items():
        data = folder / "completions.jsonl"
        write(data, size, [kind])
        texts = [json.loads(line)["completion"] for line in data.read_text("utf-8").splitlines()]
        compiled, step = re.compile(pattern), Capture(pattern, 0, classes="re")
        plain = _spent(texts, lambda text, by=compiled: script.last(by, text))  # type: ignore[misc]
        ours = _spent(texts, step.fast or step)
        agree = agree and plain[1] == ours[1]
        each = f"re {plain[0] * 1e6:.1f} us, auditfw {ours[0] * 1e6:.2f} us a text"
        print(f"{name}: {each}, {plain[0] / ours[0]:.0f} x{'' if plain[1] == ours[1] else ', DIFFERENT'}")
    return 0 if agree else 1


def _spent(texts: Sequence[str], call: Callable[[str], str]) -> tuple[float, list[str]]:
    """Processor seconds a text, the least of three rounds, and what was kept."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        kept = [call(text) for text in texts]
        seconds.append(time.process_time() - start)
    return min(seconds) / len(texts), kept


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
