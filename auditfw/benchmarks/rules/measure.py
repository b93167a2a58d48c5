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
from pathlib import Path
from typing import NamedTuple

from auditfw.benchmarks.process import Taken, as_installed, python, timed
from auditfw.components.step.patterns import Capture
from auditfw.config.quoting import quoted

from . import script
from .completions import write


class TimedRule(NamedTuple):
    """A shipped rule: its parser, the ending of the completions it is for, and the rest of the reading."""

    name: str
    ending: str
    letters: bool
    normalizer: str = "none"
    matcher: str = "exact"


RULES = (
    TimedRule("flexible_extract", "hashes", False),
    TimedRule("lm_eval_flexible_extract", "hashes", False, "lm_eval_flexible_extract"),
    TimedRule("strict_match", "hashes", False),
    TimedRule("lm_eval_strict_match", "hashes", False, "lm_eval_strict_match"),
    TimedRule("last_number", "hashes", False),
    TimedRule("helm_final_number", "hashes", False, matcher="helm_final_number"),
    TimedRule("opencompass_gsm8k", "hashes", False, matcher="opencompass_gsm8k"),
    TimedRule("answer_line", "line", False),
    TimedRule("boxed", "boxed", False),
    TimedRule("simple_evals_line", "Answer", True),
    TimedRule("simple_evals_mcq", "Answer", True),
    TimedRule("inspect_answer_letter", "ANSWER", True, "inspect_answer_letter"),
    TimedRule("inspect_answer_line", "ANSWER", True, "inspect_answer_line"),
    TimedRule("inspect_answer_word", "ANSWER", True, "inspect_answer_word"),
    TimedRule("mmlu_pro_three_step", "answer is", True),
    TimedRule("choice_letter", "answer is", True),
    TimedRule("answer_v2", "think", False),
)

ALONE = ("audit.baseline=null", "audit.probe=0")


def run(arguments: list[str]) -> int:
    """Times the field's rules beside a script with json and re, and compares every label."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks rules", description=run.__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="completions (default 200000)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of auditfw (default 2)")
    names = [rule.name for rule in RULES]
    parser.add_argument("--rule", action="append", choices=names, metavar="NAME", help="only this rule; repeatable")
    parser.add_argument("--engine", action="store_true", help="time the searches alone, without a command")
    parser.add_argument("--texts", type=int, default=5_000, help="texts of --engine (default 5000)")
    options = parser.parse_args(arguments)
    if min(options.rows, options.workers, options.texts) < 1:
        parser.error("--rows, --workers and --texts are 1 or more")
    if not options.engine:
        as_installed()
    rules = [rule for rule in RULES if not options.rule or rule.name in options.rule]
    with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
        if options.engine:
            return _engine(Path(folder), options.texts)
        return 1 if _commands(Path(folder), rules, options.rows, options.workers) else 0


def _commands(folder: Path, rules: Sequence[TimedRule], rows: int, workers: int) -> int:
    """Times script and command for each rule by turns, prints a line each; how many labels differ.

    The command is timed twice: for the labels alone, as the script makes them, and as it comes, when it also probes the
    scorer and searches for the rule of the stored labels, of which here one in twenty is wrong.
    """
    print(f"{rows:,} completions, {workers} workers; wall and processor seconds, and how many times the script's")
    print(f"{'':<26}{'script':>7}{'labels alone':>24}{'as it comes':>25}{'different':>11}")
    costs: list[tuple[Taken, Taken, Taken]] = []
    differing = 0
    for (ending, letters), group in itertools.groupby(rules, lambda rule: (rule.ending, rule.letters)):
        data = folder / "completions.jsonl"
        write(data, rows, ending, letters=letters)
        for rule in group:
            out, audit = folder / "labels", folder / "run"
            theirs = timed("script", python("auditfw.benchmarks.rules.script", str(data), rule.name, str(out)))
            alone = timed(rule.name, [*command(rule, data, audit, workers), *ALONE])
            different = _differences(out, audit, rule)
            shutil.rmtree(audit)
            whole = timed(rule.name, command(rule, data, audit, workers))
            different += _differences(out, audit, rule)
            _print(rule.name, theirs, alone, whole, f"{different:,}")
            costs.append((theirs, alone, whole))
            differing += different
            shutil.rmtree(audit)
    theirs, alone, whole = map(_sum, zip(*costs, strict=True))
    _print("all", theirs, alone, whole, f"{differing:,}")
    print(f"labels compared: {2 * rows * len(rules):,}, different: {differing:,}")
    return differing


def _sum(costs: Sequence[Taken]) -> Taken:
    return Taken(sum(cost.wall for cost in costs), sum(cost.cpu for cost in costs))


def command(rule: TimedRule, data: Path, folder: Path, workers: int) -> list[str]:
    """The command that a user would type, with its run folder."""
    where = [f"source.path={quoted(str(data))}", f"hydra.run.dir={quoted(str(folder))}"]
    columns = "source.columns={id: id, raw_text: completion, ground_truth: answer, stored: label}"
    reading = [f"parser=[{rule.name}]", f"normalizer=[{rule.normalizer}]", f"matcher={rule.matcher}"]
    rest = ["gate=[]", f"engine.workers={workers}", "report=[json]"]
    return python("auditfw", "experiment=answer_parsing", "source=jsonl", *where, columns, *reading, *rest)


def _differences(out: Path, folder: Path, rule: TimedRule) -> int:
    """How many labels of the run are not those of the script."""
    import polars

    trials = polars.read_parquet(folder / "trials.parquet")
    places = trials["id"].str.strip_prefix("q").cast(polars.Int64)
    wanted = out.read_text("ascii")
    labels = zip(places, trials[f"{rule.name}+{rule.normalizer}"], strict=True)
    different = sum(1 for place, label in labels if label is not (wanted[place] == "1"))
    return different + abs(len(wanted) - len(trials))


def _print(name: str, theirs: Taken, alone: Taken, whole: Taken, note: str) -> None:
    shown = (f"{ours.wall:>9.2f}{ours.cpu:>7.2f}{theirs.wall / ours.wall:>7.1f}x" for ours in (alone, whole))
    print(f"{name:<26}{theirs.wall:>7.2f}{' '.join(shown)}{note:>11}", flush=True)


def _engine(folder: Path, size: int) -> int:
    """Times the searches for the last number and the last letter by themselves; 1 where they do not agree."""
    patterns = {"last number": (r"(-?[$0-9.,]{2,})|(-?[0-9]+)", "hashes"), "last letter": (r"\b[A-J]\b", "answer is")}
    agree = True
    for name, (pattern, ending) in patterns.items():
        data = folder / "completions.jsonl"
        write(data, size, ending, letters=ending != "hashes")
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
