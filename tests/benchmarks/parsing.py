"""Times the default answer-parsing audit against the pandas script, on the same data, and compares every number."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from auditfw.core.escaping import quoted

from .data.generator import VERSION, generate
from .harness import Cost, Options, child, command, differ, line, measured, workplace
from .plain.compare import differences, label_differences

PARSERS = ("stored", "answer_v2", "after_think", "last_line", "answer_v1", "first_line", "best_span", "last_number")
NORMALIZERS = ("v1", "v2", "none", "nfkc", "casefold", "squad")
GRIDS = {4: (2, 2), 16: (4, 4), 48: (8, 6)}
STAMP = "generated.json"


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
    options = Options(run)
    options.number("--trials", 200_000, "trials to generate")
    options.number("--workers", 2, "worker processes of auditfw")
    options.number("--seed", 0, "seed of the generator", least=0)
    options.keep()
    options.number("--script-trials", None, "run the slow script on N trials, scaled up", metavar="N")
    readings = "also time a grid of N readings (4, 16 or 48), may be repeated"
    options.add_argument("--readings", type=int, action="append", choices=sorted(GRIDS), metavar="N", help=readings)
    options.add_argument("--grid", action="store_true", help="the same as --readings for each of them")
    chosen = options.parse_args(arguments)
    with workplace(chosen.keep) as folder:
        data = small = prepared(folder, chosen.trials, chosen.seed)
        if chosen.script_trials and chosen.script_trials < chosen.trials:
            small = prepared(folder / f"script-{chosen.script_trials}", chosen.script_trials, chosen.seed)
        work = folder / "work"
        work.mkdir(exist_ok=True)
        failed = _versus(work, data, small, chosen.workers)
        grids = sorted(GRIDS) if chosen.grid else sorted({4, *chosen.readings} if chosen.readings else ())
        if grids:
            _grids(work, data, chosen.workers, grids)
    return 1 if failed else 0


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
    place = f"hydra.run.dir={quoted(str(folder))}"
    return command(*data.words, place, f"engine.workers={workers}", "report=[json]", *overrides)


def _audit(folder: Path, name: str, data: Data, workers: int, *overrides: str) -> tuple[Cost, Path]:
    run_folder = folder / name
    shutil.rmtree(run_folder, ignore_errors=True)
    return measured(name, audit_command(data, run_folder, workers, *overrides)), run_folder


def _versus(folder: Path, data: Data, small: Data, workers: int) -> bool:
    """Runs script and audit, prints the table, and returns whether any number differs."""
    out = folder / "script.json"
    script = measured("script", child("plain.script", str(small.runs_dir), str(small.metadata), str(out)))
    ours, run_folder = _audit(folder, "run", data, workers)
    line("", *HEADS)
    line("pandas script", *_row(small, script))
    line(f"auditfw, {workers} workers", *_row(data, ours))
    scaled = script.wall * data.trials / small.trials
    note = f", the script's time scaled up from {small.trials:,} trials" if small is not data else ""
    print(f"ratio {scaled / ours.wall:.1f} x on {data.trials:,} trials{note}")
    if small is not data:
        run_folder = _audit(folder, "script-run", small, workers)[1]
    return differ("numbers", *differences(out, run_folder)) | differ("labels", *label_differences(out, run_folder))


HEADS = ("trials", "wall s", "CPU s", "rows/s", "main MB", "child MB")


def _row(data: Data, cost: Cost) -> tuple[object, ...]:
    return data.trials, cost.wall, cost.cpu, data.trials / cost.wall, cost.main_mb, cost.child_mb


def _grids(folder: Path, data: Data, workers: int, sizes: list[int]) -> None:
    """Times grids of several sizes, each in one job, against the smallest."""
    costs = {}
    line("", *HEADS)
    for size in sizes:
        parsers, normalizers = GRIDS[size]
        chosen = [f"parser=[{','.join(PARSERS[:parsers])}]", f"normalizer=[{','.join(NORMALIZERS[:normalizers])}]"]
        costs[size] = _audit(folder, f"grid-{size}", data, workers, *chosen, "audit.readings=null")[0]
        line(f"{size} readings", *_row(data, costs[size]))
    first = costs[sizes[0]].cpu
    print(", ".join(f"{size} readings: {costs[size].cpu / first:.2f} x of {sizes[0]}" for size in sizes[1:]))
