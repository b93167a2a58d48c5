"""Times a sweep's own work for each job: auditfw's launcher beside Hydra's, over the same small audit."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from auditfw.core.processes import python as interpreter

from .parsing import Data, prepared
from .process import Taken, python, timed

TRIAL = {"raw_text": "It is Paris.\nUser: next", "parsed_text": "It is Paris.", "ground_truth": "Paris", "stored": 1}
SMALL = ("source=jsonl", "source.path=small.jsonl", "by=[]", "report=[]")
STOCK = ("hydra/launcher=basic", "hydra/sweeper=basic")
GROUPS = (
    "parser=raw,stored,answer_v2,last_line,first_line,answer_v1,best_span,last_number,first_word,answer_line",
    "normalizer=v1,v2,none,nfkc,casefold",
    "matcher=exact,containment",
)
VARIANTS = (
    "normalizer=none,v1,v2,nfkc,squad",
    "matcher=containment,exact",
    "gate=[],[baseline_reproduces]",
)
ALONE = """
import json, sys, time
from pathlib import Path
from auditfw.config import build as bridge
from auditfw.commands.run import execute
settings = bridge.compose(json.loads(sys.argv[1]))
execute(settings, Path("alone/warm"), show=False)
start, used = time.perf_counter(), time.process_time()
for i in range(int(sys.argv[2])):
    execute({**settings, "seed": i}, Path(f"alone/{i}"), show=False)
print(json.dumps([time.perf_counter() - start, time.process_time() - used]))
"""


def run(arguments: list[str]) -> int:
    """Times what a sweep adds to each job: auditfw's launcher beside Hydra's own."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks sweep", description=run.__doc__)
    parser.add_argument("--jobs", type=int, default=100, help="jobs of each sweep (default 100)")
    parser.add_argument(
        "--shared", type=Path, metavar="FOLDER", help="also 20 variants of a large audit, its data here"
    )
    parser.add_argument("--trials", type=int, default=200_000, help="trials of that audit (default 200000)")
    parser.add_argument("--only-shared", action="store_true", help="leave out the small jobs")
    options = parser.parse_args(arguments)
    if not (options.only_shared and options.shared):
        _small(options.jobs)
    if options.shared:
        _variants(prepared(options.shared.resolve(), options.trials, seed=0))
    return 0


def _small(jobs: int) -> None:
    with tempfile.TemporaryDirectory(prefix="auditfw-sweep-") as name:
        folder = Path(name)
        lines = "".join(json.dumps({"id": str(i), **TRIAL}) + "\n" for i in range(20))
        (folder / "small.jsonl").write_text(lines, "utf-8", newline="\n")
        _overhead(folder, jobs)


def _variants(data: Data) -> None:
    """One job over many trials, and a sweep of twenty over the same ones, with the reports that a user gets by default.

    With one worker the processor seconds are those of all that ran; other workers end after the command.
    """
    print(f"{f'{data.trials:,} trials':<28}{'wall s':>14}{'CPU s':>14}")
    with tempfile.TemporaryDirectory(prefix="auditfw-sweep-") as name:
        for workers in (1, 2):
            words = [*data.words, f"engine.workers={workers}"]
            one = _timed(Path(name), [*words, f"hydra.run.dir=one-{workers}"])
            all_of = _timed(Path(name), ["-m", *words, *VARIANTS, f"hydra.sweep.dir=all-{workers}"])
            cpu = workers == 1
            for what, taken in (("one job", one), ("a sweep of 20", all_of)):
                shown = f"{taken.cpu:>14.1f}" if cpu else ""
                print(f"{f'{what}, {workers} workers':<28}{taken.wall:>14.1f}{shown}")
            ratio = f"{all_of.cpu / one.cpu:>14.2f}" if cpu else ""
            print(f"{'ratio':<28}{all_of.wall / one.wall:>14.2f}{ratio}", flush=True)


def _overhead(folder: Path, jobs: int) -> None:
    """Jobs that differ in a value share the composed groups; a hundred that differ in their groups share nothing."""
    done = subprocess.run(
        interpreter("-c", ALONE, json.dumps([*SMALL, "parser=[raw]", "normalizer=[v1]"]), str(jobs)),
        cwd=folder,
        stdout=subprocess.PIPE,
        check=True,
    )
    alone = Taken(*(seconds / jobs for seconds in json.loads(done.stdout)))
    start = _timed(folder, ["--cfg", "job", *SMALL])
    print(f"{'':<28}{'wall ms/job':>14}{'CPU ms/job':>14}")
    print(f"{'the audit itself':<28}{1000 * alone.wall:>14.1f}{1000 * alone.cpu:>14.1f}", flush=True)
    swept = {"a value": ["parser=[raw]", "normalizer=[v1]", f"seed=range(0,{jobs})"], "groups": list(GROUPS)}
    for name, words in swept.items():
        n = jobs if name == "a value" else 100
        for who, chosen in (("auditfw", ()), ("Hydra", STOCK)):
            sweep = f"{who}-{name.replace(' ', '-')}"
            taken = _timed(folder, ["-m", *SMALL, *words, *chosen, f"hydra.sweep.dir={sweep}"])
            wall = 1000 * ((taken.wall - start.wall) / n - alone.wall)
            cpu = 1000 * ((taken.cpu - start.cpu) / n - alone.cpu)
            print(f"{f'added, {name} vary, {who}':<28}{wall:>14.1f}{cpu:>14.1f}", flush=True)


def _timed(folder: Path, words: Sequence[str]) -> Taken:
    return timed(" ".join(words), python("auditfw", *words), folder)
