"""One part of the alignment benchmark, in a process of its own: the plain loop, or the audit's path."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditfw.audits.alignment.audit import Alignment
from auditfw.components.engine.local import Local
from auditfw.core.imports import add_folders
from auditfw.core.processes import descendants
from auditfw.core.records import Batch
from auditfw.core.tables import TrialTable
from auditfw.kinds.context import Context, ReportLimits
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.simulation import Columns, ScenarioBatch, Simulated

HOME = Path(__file__).resolve().parents[2]

KEYS = ("fitness", "energy", "waste", "heat")
MEANT, GOT, SCORES, TIMES = "meant.bin", "got.bin", "{}.npy", "{}.json"
SIZE = 8_192
SPECIAL = (0.0, -0.0, 0.05, 1e-9, 1e300)


def prepare(folder: Path, scenarios: int, seed: int) -> None:
    """Writes intended and actual outcomes as columns: a row a key. Some are 0, tiny, huge or not finite."""
    generator = np.random.default_rng(seed)
    meant = generator.normal(size=(len(KEYS), scenarios))
    got = meant + 0.3 * generator.normal(size=meant.shape)
    for column in (meant, got):
        places = generator.random(column.shape) < 0.01
        column[places] = generator.choice(SPECIAL, size=int(places.sum()))
    got[generator.random(got.shape) < 0.001] = np.nan
    meant.tofile(folder / MEANT)
    got.tofile(folder / GOT)


def read_columns(file: Path, start: int, stop: int) -> list[NDArray[np.float64]]:
    """Some scenarios' outcomes, a column a key, and nothing else of the file."""
    whole, size = file.stat().st_size // (len(KEYS) * 8), stop - start
    return [np.fromfile(file, count=size, offset=8 * (whole * key + start)) for key in range(len(KEYS))]


def model(params: Mapping[str, float]) -> dict[str, float]:
    """A simulator of a few sums: what a user writes."""
    x = params["x"]
    return {"fitness": 2 * x, "energy": 1 - x, "waste": x * x, "heat": x - x * x}


def model_of_columns(params: Mapping[str, Any]) -> dict[str, Any]:
    """The same for many scenarios at once."""
    x = params["x"]
    return {"fitness": 2 * x, "energy": 1 - x, "waste": x * x, "heat": x - x * x}


def loop_score(meant: Mapping[str, float], got: Mapping[str, Any]) -> dict[str, Any]:
    """One scenario in the plain way: key by key, with numpy's mean and isfinite on single numbers."""
    per_key: dict[str, dict[str, float]] = {}
    missing = 0
    for key, intended in meant.items():
        if key not in got or not isinstance(got[key], int | float | np.integer | np.floating):
            missing += 1
            continue
        aim, value = float(intended), float(got[key])
        if not (np.isfinite(aim) and np.isfinite(value)):
            per_key[key] = {"direction_match": 0.0, "magnitude_match": 0.0, "combined": 0.0}
            continue
        same = 1.0 if aim * value > 0 else 0.0
        direction = max(0.0, 1.0 - abs(value) * 5.0) if aim == 0 else same
        magnitude = max(0.0, 1.0 - abs(value - aim) / max(abs(aim), 0.1))
        combined = 0.5 * direction + 0.5 * magnitude
        per_key[key] = {"direction_match": direction, "magnitude_match": magnitude, "combined": combined}
    scores = [scores_of_key["combined"] for scores_of_key in per_key.values()]
    overall = float(np.mean(scores)) if scores else 0.0
    return {"per_key": per_key, "overall": overall, "n_keys_matched": len(per_key), "n_keys_missing": missing}


def plain_loop(folder: Path, scenarios: int, simulate: bool) -> float:
    """Scores the first scenarios one by one, as the original does, and returns the seconds it took."""
    meant, got = (np.stack(read_columns(folder / name, 0, scenarios)) for name in (MEANT, GOT))
    intended = [dict(zip(KEYS, row, strict=True)) for row in meant.T.tolist()]
    recorded = [dict(zip(KEYS, row, strict=True)) for row in got.T.tolist()]
    params = [{"x": value} for value in got[0].tolist()]
    start = time.process_time()
    results = []
    for one, stored, point in zip(intended, recorded, params, strict=True):
        actual = model(point) if simulate else stored
        alignment = loop_score(one, actual)
        results.append({"intended": dict(one), "actual": dict(actual), "params": dict(point), "alignment": alignment})
    overalls = [result["alignment"]["overall"] for result in results]
    float(np.mean(overalls)), float(np.std(overalls))
    seconds = time.process_time() - start
    names = ("direction_match", "magnitude_match", "combined")
    table = [[result["alignment"]["per_key"][k][name] for k in KEYS for name in names] for result in results]
    np.save(
        folder / SCORES.format("loop.simulated" if simulate else "loop.recorded"), np.column_stack([overalls, table])
    )
    return seconds


@dataclass(frozen=True)
class Part:
    """Some scenarios of the prepared columns."""

    folder: Path
    start: int
    stop: int

    def __call__(self) -> Batch:
        size = self.stop - self.start
        meant, got = (read_columns(self.folder / name, self.start, self.stop) for name in (MEANT, GOT))
        columns: dict[str, Any] = {
            "label": [None] * size,
            "intended": Columns(dict(zip(KEYS, meant, strict=True)), size),
            "params": Columns({"x": got[0]}, size),
            "actual": Columns(dict(zip(KEYS, got, strict=True)), size),
        }
        return Batch(columns)


@dataclass(frozen=True)
class PreparedAudit:
    """The prepared scenarios as a scenario set."""

    folder: Path
    scenarios: int

    def open(self) -> Evidence:
        """Finds nothing wrong."""
        starts = range(0, self.scenarios, SIZE)
        tasks = [Part(self.folder, at, min(self.scenarios, at + SIZE)) for at in starts]
        return Evidence(tasks, ("label", "intended", "params", "actual"), self.scenarios, list, lambda: None)


@dataclass(frozen=True)
class Recorded:
    """The recorded outcomes as a simulator."""

    stochastic = False
    recorded = True

    def check(self) -> None: ...

    def limits(self) -> None: ...

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        columns: Any = batch.further["actual"]
        return Simulated((), ["ok"] * len(batch), [""] * len(batch), columns.columns)


def audit_of(folder: Path, scenarios: int, name: str) -> Alignment:
    """The audit of a part: recorded outcomes, a vectorised simulator or a scalar one."""
    simulator: Any = Recorded()
    if name != "recorded":
        from auditfw.components.simulator.python import PythonSimulator

        here = "benchmarks.plain.outcomes"
        batch = f"{here}:model_of_columns" if name.startswith("vectorised") else None
        isolation: Any = "process" if name.endswith("apart") else "none"
        simulator = PythonSimulator(function=f"{here}:model", batch=batch, timeout=120.0, isolation=isolation)
    return Alignment(PreparedAudit(folder, scenarios), simulator, try_again=False)


def scored(folder: Path, scenarios: int, name: str, compare: int) -> float:
    """Simulates and scores every scenario batch by batch, merges what is counted, and returns the seconds it took."""
    from auditfw.audits.alignment.cell_counts import AlignmentCounts, merged
    from auditfw.audits.alignment.conclusions.comparison import DrawnFigures
    from auditfw.audits.alignment.samples import samples
    from auditfw.audits.alignment.scenario_sample import Drawn
    from auditfw.audits.alignment.scoring import scorer_of
    from auditfw.audits.alignment.trials import numbered

    audit = audit_of(folder, scenarios, name)
    work = scorer_of(audit, Context(Local(1), (), 0, ReportLimits(), TrialTable(None)))
    evidence = audit.scenarios.open()
    audit.simulator.check()
    starts = list(range(0, scenarios, SIZE))
    kept: list[Any] = []
    tallies: dict[Any, AlignmentCounts] = {}
    start = _seconds()
    for one in numbered(evidence, starts):
        block = work.scored(one)
        merged(tallies, block.tallies)
        if one.start < compare:
            columns = [c for key in block.keys for c in (key.direction, key.magnitude, key.combined)]
            kept.append(np.column_stack([block.overall, *columns]))
    samples(tallies, (), (), {"": DrawnFigures(Drawn(), audit.rule(), {}, 0)})
    seconds = _seconds() - start
    np.save(folder / SCORES.format(f"scored.{name}"), np.concatenate(kept)[:compare])
    return seconds


def whole(folder: Path, scenarios: int, name: str, workers: int) -> float:
    """Runs the audit of a part into a run folder: every table written. Returns the seconds it took."""
    from auditfw.audits import spine

    target = folder / f"run-{name}"
    target.mkdir()
    audit = audit_of(folder, scenarios, name)
    start = _seconds()
    trials = TrialTable(str(target))
    outcome = audit.run(Context(Local(workers), (), 0, ReportLimits(), trials, folder=str(target)))
    spine.measure({}, outcome)
    trials.close()
    return _seconds() - start


def _seconds() -> float:
    """The processor time of this process, of those it waited for, and of those that are still at work."""
    if sys.platform == "win32":
        raise NotImplementedError  # the benchmarks need Linux or macOS
    import resource

    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    working = map(_ticks, descendants(os.getpid()))
    return math.fsum([*(used.ru_utime + used.ru_stime for used in spent), *working])


def _ticks(pid: int) -> float:
    if sys.platform == "win32":
        raise NotImplementedError  # the benchmarks need Linux or macOS
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(arguments: list[str]) -> None:
    """Runs one part: FOLDER PART SCENARIOS COMPARE; writes its seconds into the folder."""
    add_folders([str(HOME)])  # simulators in processes of their own are imported there
    folder, part, scenarios, compare = Path(arguments[0]), arguments[1], int(arguments[2]), int(arguments[3])
    how, _, name = part.partition(".")
    parts: dict[str, Callable[[], float]] = {
        "loop": lambda: plain_loop(folder, scenarios, name == "simulated"),
        "scored": lambda: scored(folder, scenarios, name, compare),
        "whole": lambda: whole(folder, scenarios, name, 1),
    }
    (folder / TIMES.format(part)).write_text(json.dumps(parts[how]()), "utf-8", newline="\n")
