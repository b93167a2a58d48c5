"""Times the field's rules, each as a whole command, beside a script with json and re, and compares every label."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from math import fsum
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from auditfw.components.step.patterns import Capture

from .data.completions import CompletionKind, write
from .harness import Cost, Options, as_installed, by_turns, child, line, measured, spent, workplace
from .plain import rule_script
from .timed_rules import ALONE, HASHES, RULES, SENTENCE, TimedRule, command, reading_names


def run(arguments: list[str]) -> int:
    """Times the field's rules beside a script with json and re, and compares every label."""
    options = Options(run)
    options.number("--rows", 200_000, "completions")
    options.number("--script-rows", None, "run the script on the first N, scaled up", metavar="N")
    options.number("--workers", 2, "worker processes of auditfw")
    names = [rule.name for rule in RULES]
    options.add_argument("--rule", action="append", choices=names, metavar="NAME", help="only this rule; repeatable")
    options.number("--rounds", 1, "times each is timed, by turns")
    options.add_argument("--engine", action="store_true", help="time the searches alone, without a command")
    options.number("--texts", 5_000, "texts of --engine")
    chosen = options.parse_args(arguments)
    rules = [rule for rule in RULES if not chosen.rule or rule.name in chosen.rule]
    with workplace() as folder:
        if chosen.engine:
            return _engine(folder, chosen.texts)
        as_installed()
        timing = Timing(folder, chosen.rows, min(chosen.rows, chosen.script_rows or chosen.rows), chosen.workers)
        return 1 if _commands(timing, rules, chosen.rounds) else 0


class OneRound(NamedTuple):
    """What one round took: the script, the labels alone, the command as it comes; and how many labels differed."""

    script: Cost
    alone: Cost
    whole: Cost
    different: int


def _commands(timing: Timing, rules: Sequence[TimedRule], rounds: int) -> int:
    """Times script and command for each rule by turns, then for all rules at once; how many labels differ.

    The command is timed twice: for the labels alone, as the script makes them, and as it comes, when it also probes the
    scorer and searches for the rule of the stored labels, of which here one in twenty is wrong. All rules at once are
    one command with a reading for each, beside a script that reads the file once, over completions of all kinds.
    """
    print(f"{timing.heading}; wall and processor seconds, and how many times the script's")
    line("", "script", "alone, wall", "CPU", "x", "whole, wall", "CPU", "x", "different", wide=26)
    each: list[list[OneRound]] = []
    for kind, group in itertools.groupby(rules, lambda rule: rule.kind):
        timing.write([kind])
        each += [timing.rounds(rule.name, [rule], rounds) for rule in group]
    taken = [_sum(parts) for parts in zip(*each, strict=True)]
    _print("each by itself", taken)
    if len(rules) > 1:
        timing.write(list(dict.fromkeys(rule.kind for rule in rules)))
        taken += timing.rounds("all at once", rules, rounds)
    different = sum(part.different for part in taken)
    print(f"labels compared: {2 * len(taken) * timing.script_rows * len(rules):,}, different: {different:,}")
    return different


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
        [rounds] = by_turns({name: partial(self._round, name, rules)}, number).values()
        _print(name, rounds)
        return rounds

    def _round(self, name: str, rules: Sequence[TimedRule]) -> OneRound:
        words = [str(self._data), str(self._out), str(self.script_rows), *(rule.name for rule in rules)]
        theirs, share = measured("script", child("plain.rule_script", *words)), self._rows / self.script_rows
        typed = command(rules, self._data, self._run, self._workers)
        (alone, one), (whole, other) = (self._ours(name, rules, [*typed, *more]) for more in (ALONE, ()))
        return OneRound(Cost(share * theirs.wall, share * theirs.cpu), alone, whole, one + other)

    def _ours(self, name: str, rules: Sequence[TimedRule], words: list[str]) -> tuple[Cost, int]:
        """What the command took, and how many of its labels differ from the script's."""
        taken = measured(name, words)
        different = _differences(self._out, self._run, reading_names(rules))
        shutil.rmtree(self._run)
        return taken, different


def _sum(rounds: Sequence[OneRound]) -> OneRound:
    theirs, alone, whole = (
        Cost(fsum(cost.wall for cost in part), fsum(cost.cpu for cost in part))
        for part in zip(*(parts[:3] for parts in rounds), strict=True)
    )
    return OneRound(theirs, alone, whole, sum(parts.different for parts in rounds))


def _differences(out: Path, folder: Path, readings: Sequence[str]) -> int:
    """How many labels of the run are not those of the script, in the rows that it labelled."""
    import polars

    trials = polars.read_parquet(folder / "trials.parquet")
    places = trials["id"].str.strip_prefix("q").cast(polars.Int64).to_list()
    different = 0
    for name, wanted in zip(readings, out.read_text("ascii").splitlines(), strict=True):
        labels = {place: label for place, label in zip(places, trials[name], strict=True) if place < len(wanted)}
        different += sum(1 for place, label in labels.items() if rule_script.SIGNS[label] != wanted[place])
        different += len(wanted) - len(labels)
    return different


def _print(name: str, rounds: Sequence[OneRound]) -> None:
    """The middle of the rounds, and from the least to the most wall seconds where there are several."""
    parts = [sorted(part, key=attrgetter("wall")) for part in zip(*(one[:3] for one in rounds), strict=True)]
    script, *ours = (part[len(part) // 2] for part in parts)
    cells = [cell for cost in ours for cell in (cost.wall, cost.cpu, f"{script.wall / cost.wall:.1f} x")]
    spread = [f"{part[0].wall:.2f} to {part[-1].wall:.2f}" for part in parts if len(rounds) > 1]
    shown = f"  {', '.join(spread)}" if spread else ""
    line(name, script.wall, *cells, f"{sum(one.different for one in rounds):,}{shown}", wide=26)


def _engine(folder: Path, size: int) -> int:
    """Times the searches for the last number and the last letter by themselves; 1 where they do not agree."""
    patterns = {"last number": (r"(-?[$0-9.,]{2,})|(-?[0-9]+)", HASHES), "last letter": (r"\b[A-J]\b", SENTENCE)}
    agree = True
    for name, (pattern, kind) in patterns.items():
        data = folder / "completions.jsonl"
        write(data, size, [kind])
        texts = [json.loads(row)["completion"] for row in data.read_text("utf-8").splitlines()]
        step = Capture(pattern, 0, classes="re")
        searches: dict[str, Callable[[str], str]] = {
            "re": partial(rule_script.last, re.compile(pattern)),
            "auditfw": step.fast or step,
        }
        work = {who: partial(spent, partial(_each, call, texts)) for who, call in searches.items()}
        results = by_turns(work, 3)
        micro = {who: min(cost.cpu for cost, _ in taken) / size * 1e6 for who, taken in results.items()}
        same = results["re"][0][1] == results["auditfw"][0][1]
        agree = agree and same
        each = ", ".join(f"{who} {cost:.2f} us" for who, cost in micro.items())
        print(f"{name}: {each} a text, {micro['re'] / micro['auditfw']:.0f} x{'' if same else ', DIFFERENT'}")
    return 0 if agree else 1


def _each(search: Callable[[str], str], texts: Sequence[str]) -> list[str]:
    return [search(text) for text in texts]
