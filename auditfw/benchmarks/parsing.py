"""Times the default answer-parsing audit against the pandas script, on the same data, and compares every number."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from auditfw.core.escaping import quoted

from .compare import differences, label_differences, paths
from .generator import VERSION, generate
from .process import Cost, measured, python

PARSERS = ("stored", "answer_v2", "after_think", "last_line", "answer_v1", "first_line", "best_span", "last_number")
NORMALIZERS = ("v1", "v2", "none", "nfkc", "casefold", "squad")
GRIDS = {4: (2, 2), 16: (4, 4), 48: (8, 6)}
STAMP = "generated.json"
SHOWN = 20


@dataclass(frozen=True)
class Data:
    """A generated folder."""

    folder: Path
    metadata: Path
    runs_dir: Path
    trials: int

    @property
    def words(self) -> list[str]:
        """The overrides of an audit of these trials."""
        paths = {"source.metadata": self.metadata, "source.runs_dir": self.runs_dir}
        named = (f"{key}={quoted(str(path))}" for key, path in paths.items())
        return ["experiment=answer_parsing", "source=conformity", *named]


def run(arguments: list[str]) -> int:
    """Times the answer-parsing audit against a plain pandas script and compares every number of both."""
    options = _options(arguments)
    with workplace(options.keep) as folder:
        data = prepared(folder, options.trials, options.seed)
        small = data
        if options.script_trials and options.script_trials < options.trials:
            small = prepared(folder / f"script-{options.script_trials}", options.script_trials, options.seed)
        work = folder / "work"
        work.mkdir(exist_ok=True)
        failed = _versus(work, data, small, options.workers)
        grids = sorted(GRIDS) if options.grid else sorted({4, *options.readings} if options.readings else ())
        if grids:
            _grids(work, data, options.workers, grids)
    return 1 if failed else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks parsing", description=run.__doc__)
    parser.add_argument("--trials", type=int, default=200_000, help="trials to generate (default 200000)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of auditfw (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the generator (default 0)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep data and runs here, and use what is there")
    parser.add_argument("--script-trials", type=int, metavar="N", help="run the slow script on N trials, scaled up")
    readings = parser.add_argument("--readings", type=int, action="append", choices=sorted(GRIDS), metavar="N")
    readings.help = "also time a grid of N readings (4, 16 or 48), may be repeated"
    parser.add_argument("--grid", action="store_true", help="the same as --readings for each of them")
    options = parser.parse_args(arguments)
    if options.trials < 1 or options.workers < 1 or (options.script_trials or 1) < 1:
        parser.error("--trials, --workers and --script-trials are 1 or more")
    return options


@contextmanager
def workplace(keep: Path | None) -> Iterator[Path]:
    """Gives the folder to work in: the one to keep, or one that is removed."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
        yield Path(folder)


def prepared(folder: Path, trials: int, seed: int) -> Data:
    """Generates the trials, unless the folder holds the same ones already."""
    stamp = folder / STAMP
    wanted = {"trials": trials, "seed": seed, "version": VERSION}
    data = Data(folder, folder / "metadata.json", folder / "runs", trials)
    if not (stamp.is_file() and json.loads(stamp.read_text("utf-8")) == wanted):
        if data.runs_dir.exists() and not stamp.is_file():
            raise SystemExit(f"{folder}: holds runs that were not generated here - name another folder")
        stamp.unlink(missing_ok=True)
        print(f"generating {trials:,} trials in {folder}", flush=True)
        shutil.rmtree(data.runs_dir, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        generate(folder, trials, seed=seed)
        stamp.write_text(json.dumps(wanted), "utf-8", newline="\n")
    return data


def audit_command(data: Data, folder: Path, workers: int, *overrides: str) -> list[str]:
    """Makes the command that a user would type, with its run folder."""
    return python(
        "auditfw",
        *data.words,
        f"hydra.run.dir={quoted(str(folder))}",
        f"engine.workers={workers}",
        "report=[json]",
        *overrides,
    )


def _audit(folder: Path, name: str, data: Data, workers: int, *overrides: str) -> tuple[Cost, Path]:
    run_folder = folder / name
    shutil.rmtree(run_folder, ignore_errors=True)
    cost = _checked(audit_command(data, run_folder, workers, *overrides), folder / f"{name}.log", {0, 1})
    return cost, run_folder


def _checked(command: list[str], log: Path, allowed: set[int]) -> Cost:
    cost = measured(command, log)
    if cost.exit_code not in allowed:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-SHOWN:])
        raise SystemExit(f"{' '.join(command)}\nexit code {cost.exit_code}\n{tail}")
    return cost


def _versus(folder: Path, data: Data, small: Data, workers: int) -> bool:
    """Runs script and audit, prints the table, and returns whether any number differs."""
    out = folder / "script.json"
    command = python("auditfw.benchmarks.script", str(small.runs_dir), str(small.metadata), str(out))
    script = _checked(command, folder / "script.log", {0})
    ours, run_folder = _audit(folder, "run", data, workers)
    _print_costs([("pandas script", small.trials, script), (f"auditfw, {workers} workers", data.trials, ours)])
    scaled = script.seconds * data.trials / small.trials
    note = f", the script's time scaled up from {small.trials:,} trials" if small is not data else ""
    print(f"ratio {scaled / ours.seconds:.1f} x on {data.trials:,} trials{note}")
    counts = paths(run_folder)
    print("rows by path: " + (", ".join(f"{name} {n:,}" for name, n in counts.items()) or "not reported by this run"))
    if small is not data:
        run_folder = _audit(folder, "script-run", small, workers)[1]
    return _differ("numbers", differences(out, run_folder)) | _differ("labels", label_differences(out, run_folder))


def _differ(what: str, comparison: tuple[list[str], int]) -> bool:
    lines, compared = comparison
    print(f"{what} compared: {compared:,}, different: {len(lines):,}")
    for line in lines[:SHOWN]:
        print(f"  {line}")
    return bool(lines)


def _print_costs(costs: list[tuple[str, int, Cost]]) -> None:
    print(f"{'':<24}{'trials':>10}{'seconds':>10}{'rows/s':>10}{'main MB':>10}{'child MB':>10}")
    for name, trials, cost in costs:
        memory = "".join(f"{'-' if mb is None else format(mb, '.0f'):>10}" for mb in (cost.main_mb, cost.child_mb))
        print(f"{name:<24}{trials:>10,}{cost.seconds:>10.2f}{trials / cost.seconds:>10,.0f}{memory}")


def _grids(folder: Path, data: Data, workers: int, sizes: list[int]) -> None:
    """Times grids of several sizes, each in one job, against the smallest."""
    costs = {}
    for size in sizes:
        parsers, normalizers = GRIDS[size]
        chosen = [f"parser=[{','.join(PARSERS[:parsers])}]", f"normalizer=[{','.join(NORMALIZERS[:normalizers])}]"]
        costs[size] = _audit(folder, f"grid-{size}", data, workers, *chosen, "audit.readings=null")[0]
    _print_costs([(f"{size} readings", data.trials, cost) for size, cost in costs.items()])
    first = costs[sizes[0]].seconds
    print(", ".join(f"{size} readings: {costs[size].seconds / first:.2f} x of {sizes[0]}" for size in sizes[1:]))
