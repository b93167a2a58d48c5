"""Times a sweep's own work for each job: auditfw's launcher beside Hydra's, over the same small audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from auditfw.core.processes import python

from .harness import Cost, Options, command, line, measured, workplace
from .parsing import Data, prepared

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
    options = Options(run)
    options.number("--jobs", 100, "jobs of each sweep")
    shared = "also 20 variants of a large audit, its data here"
    options.add_argument("--shared", type=Path, metavar="FOLDER", help=shared)
    options.number("--trials", 200_000, "trials of that audit")
    options.add_argument("--only-shared", action="store_true", help="leave out the small jobs")
    chosen = options.parse_args(arguments)
    if not (chosen.only_shared and chosen.shared):
        with workplace() as folder:
            lines = "".join(json.dumps({"id": str(i), **TRIAL}) + "\n" for i in range(20))
            (folder / "small.jsonl").write_text(lines, "utf-8", newline="\n")
            _overhead(folder, chosen.jobs)
    if chosen.shared:
        _variants(prepared(chosen.shared.resolve(), chosen.trials, seed=0))
    return 0


def _variants(data: Data) -> None:
    """One job over many trials, and a sweep of twenty over the same ones, with all the reports of a default run."""
    line(f"{data.trials:,} trials", "wall s", "CPU s")
    with workplace() as folder:
        for workers in (1, 2):
            words = [*data.words, f"engine.workers={workers}"]
            one = _timed(folder, [*words, f"hydra.run.dir=one-{workers}"])
            swept = _timed(folder, ["-m", *words, *VARIANTS, f"hydra.sweep.dir=all-{workers}"])
            line(f"one job, {workers} workers", *one.seconds)
            line(f"a sweep of 20, {workers} workers", *swept.seconds)
            line("ratio", swept.wall / one.wall, swept.cpu / one.cpu)


def _overhead(folder: Path, jobs: int) -> None:
    """Jobs that differ in a value share the composed groups; a hundred that differ in their groups share nothing."""
    printed = folder / "alone.json"
    words = python("-c", ALONE, json.dumps([*SMALL, "parser=[raw]", "normalizer=[v1]"]), str(jobs))
    measured("the audit itself", words, folder, printed)
    alone = [seconds / jobs for seconds in json.loads(printed.read_text("utf-8"))]
    start = _timed(folder, ["--cfg", "job", *SMALL])
    line("", "wall ms/job", "CPU ms/job", wide=36)
    line("the audit itself", *(1000 * seconds for seconds in alone), wide=36)
    swept = {"a value": ["parser=[raw]", "normalizer=[v1]", f"seed=range(0,{jobs})"], "groups": list(GROUPS)}
    for name, words in swept.items():
        n = jobs if name == "a value" else 100
        for who, chosen in (("auditfw", ()), ("Hydra", STOCK)):
            place = f"hydra.sweep.dir={who}-{name.replace(' ', '-')}"
            taken = _timed(folder, ["-m", *SMALL, *words, *chosen, place])
            added = (1000 * ((a - b) / n - c) for a, b, c in zip(taken.seconds, start.seconds, alone, strict=True))
            line(f"added, {name} vary, {who}", *added, wide=36)


def _timed(folder: Path, words: Sequence[str]) -> Cost:
    return measured(" ".join(words), command(*words), folder)
