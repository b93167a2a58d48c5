"""Times agreement: coefficients with intervals on coded pairs, and the whole audit from JSON Lines."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from auditfw.components.metric.agreement import GwetAC1, Kappa, KrippendorffAlpha, PercentAgreement, WeightedKappa
from auditfw.formulas.agreement import Judged
from auditfw.formulas.agreement.counting import counted

from .process import Cost, as_installed, measured, python
from .scorer import LABELS

SHARES = (0.70, 0.15, 0.12, 0.03)
SAME = 0.93
RATERS = ("scholar", "auditor")
METRICS: dict[str, Any] = {
    "percent": PercentAgreement(),
    "kappa": Kappa(),
    "linear": WeightedKappa("linear"),
    "quadratic": WeightedKappa("quadratic"),
    "AC1": GwetAC1(),
    "alpha": KrippendorffAlpha(),
}
GOAL_MS, GOAL_RATIO = 15, 15
SLOW_TURNS = 2
FEW = 1_000  # one in so many records shows what a run costs before it reads much


def run(arguments: list[str]) -> int:
    """Times coefficients with intervals on coded pairs, and the consistency audit from JSON Lines, beside others."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks agreement", description=run.__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000, help="coded pairs (default 1000000)")
    parser.add_argument("--records", type=int, default=1_000_000, help="JSON records, 0 for none (default 1000000)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of auditfw (default 2)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of the coded part; reports medians (default 7)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the records here, and use what is there")
    options = parser.parse_args(arguments)
    if min(options.pairs, options.workers, options.rounds) < 1 or options.records < 0:
        parser.error("--pairs, --workers and --rounds are 1 or more")
    failed = coded(options.pairs, options.rounds)
    if options.records and options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        failed |= from_records(options.keep.resolve(), options.records, options.workers)
    elif options.records:
        with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
            failed |= from_records(Path(folder), options.records, options.workers)
    return 1 if failed else 0


def pairs(n: int, seed: int = 0) -> tuple[Any, Any]:
    """Codes of two raters of whom most items have the same label."""
    stream = np.random.Generator(np.random.PCG64(seed))
    one, chance = (stream.choice(len(LABELS), n, p=SHARES) for _ in range(2))
    return one, np.where(stream.random(n) < SAME, one, chance)


def coefficients(one: Any, other: Any, seed: int) -> dict[str, Any]:
    """Every coefficient of the benchmark with its interval, from codes."""
    ratings = counted([one, other], LABELS, RATERS)
    judged = Judged(ratings, *RATERS, seed=seed)
    return {name: metric(judged) for name, metric in METRICS.items()}


def coded(n: int, rounds: int) -> bool:
    """Times ours and other libraries by turns on the same pairs; returns whether a number differs."""
    one, other = pairs(n)
    work = _work(one, other)
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    results: dict[str, Any] = {}
    for turn in range(rounds + 1):
        for name, task in work.items():
            if turn > SLOW_TURNS and name.startswith("scikit"):
                continue
            start, busy = time.perf_counter(), time.process_time()
            results[name] = task()
            if turn:
                costs[name].append((time.perf_counter() - start, time.process_time() - busy))
    print(f"{n:,} coded pairs of {len(LABELS)} labels, 2,000 resamples, median of {rounds} rounds")
    print(f"{'':<38}{'wall ms':>10}{'CPU ms':>10}")
    for name, times in costs.items():
        wall, cpu = (1000 * statistics.median(cost[i] for cost in times) for i in (0, 1))
        print(f"{name:<38}{wall:>10.1f}{cpu:>10.1f}")
    print(f"goal: at most {GOAL_MS} ms for ours; fastest: {_least(costs)}")
    _few(one, other)
    return _unequal(results)


def _work(one: Any, other: Any) -> dict[str, Callable[[], Any]]:
    """What is timed: ours on codes of two widths, and what the other libraries offer."""
    try:
        from sklearn.metrics import cohen_kappa_score
        from statsmodels.stats.inter_rater import cohens_kappa
    except ImportError as error:
        raise SystemExit(f"{error.name}: not installed - pip install 'auditfw[test]'") from None
    texts = [np.asarray(LABELS)[codes] for codes in (one, other)]
    narrow = [codes.astype(np.int8) for codes in (one, other)]
    k = len(LABELS)
    table = np.bincount(one * k + other, minlength=k * k).reshape(k, k)
    seeds = iter(range(1 << 30))  # a new stream each time: nothing drawn before is used again
    return {
        "auditfw, six with intervals, int64": lambda: coefficients(one, other, next(seeds)),
        "auditfw, six with intervals, int8": lambda: coefficients(narrow[0], narrow[1], next(seeds)),
        "statsmodels kappa, from the table": lambda: cohens_kappa(table),
        "scikit-learn kappa, int64": lambda: cohen_kappa_score(one, other),
        "scikit-learn kappa, text": lambda: cohen_kappa_score(*texts),
    }


def _unequal(results: dict[str, Any]) -> bool:
    ours = next(iter(results.values()))["kappa"].value
    theirs = [
        float(getattr(result, "kappa", result)) for name, result in results.items() if not name.startswith("auditfw")
    ]
    same = all(abs(ours - number) < 1e-9 for number in theirs)
    print("kappa of all: " + ("equal to 1e-9" if same else f"DIFFERENT: {ours} and {theirs}"))
    return not same


def _least(costs: dict[str, list[tuple[float, float]]]) -> str:
    ours = [(name, min(cost[1] for cost in times)) for name, times in costs.items() if name.startswith("auditfw")]
    return ", ".join(f"{name.rsplit(', ', 1)[1]} {1000 * least:.1f} ms CPU" for name, least in ours)


def _few(one: Any, other: Any) -> None:
    """What the interval costs on a hundredth of the pairs: as much."""
    n = max(1, len(one) // 100)
    times = []
    for size in (n, len(one)):
        judged = Judged(counted([one[:size], other[:size]], LABELS, RATERS), *RATERS, seed=-size)
        busy = time.process_time()
        for metric in METRICS.values():
            metric(judged)
        times.append(1000 * (time.process_time() - busy))
    print(
        f"coefficients with intervals after counting: {n:,} pairs {times[0]:.1f} ms, {len(one):,} {times[1]:.1f} ms CPU"
    )


def from_records(folder: Path, n: int, workers: int) -> bool:
    """Times the command on a file of merged records beside a plain scorer; returns whether a number differs."""
    as_installed()
    path = folder / f"pairs-{n}.jsonl"
    if not path.is_file():
        print(f"writing {n:,} records", flush=True)
        write(path, n)
    scored, runs = folder / "scored.json", folder / f"run-{time.time_ns()}"
    few = min(n, max(100, n // FEW))
    costs: dict[str, Cost] = {}
    for size, records in ((few, _first(path, folder / "few.jsonl", few)), (n, path)):
        plain = python("auditfw.benchmarks.scorer", str(records), str(folder / "plain.tsv"), str(scored))
        costs[f"plain scorer, {size:,}"] = _checked(plain, folder / "plain.log", {0})
        command = _command(records, runs / str(size), workers)
        costs[f"auditfw, {workers} workers, {size:,}"] = _checked(command, folder / "run.log", {0, 1})
    print(f"{path.stat().st_size / 1e6:,.0f} MB of records")
    _show(costs)
    slow_few, ours_few, slow, ours = costs.values()
    by_cpu = f", {slow.busy / ours.busy:.1f} x by CPU seconds" if slow.busy and ours.busy else ""
    further = (slow.seconds - slow_few.seconds) / (ours.seconds - ours_few.seconds)
    print(f"ratio {slow.seconds / ours.seconds:.1f} x{by_cpu} (goal {GOAL_RATIO})")
    print(f"ratio of the records after the first {few:,}: {further:.1f} x")
    return _differs(
        json.loads(scored.read_text("utf-8")), json.loads((runs / str(n) / "result.json").read_text("utf-8"))
    )


def _show(costs: dict[str, Cost]) -> None:
    print(f"{'records':<36}{'seconds':>10}{'CPU s':>10}{'main MB':>10}{'child MB':>10}")
    for name, cost in costs.items():
        columns = ((cost.busy, ".1f"), (cost.main_mb, ".0f"), (cost.child_mb, ".0f"))
        rest = "".join(f"{'-' if number is None else format(number, form):>10}" for number, form in columns)
        print(f"{name:<36}{cost.seconds:>10.2f}{rest}")


def _first(path: Path, target: Path, lines: int) -> Path:
    """A file of the first lines of another: what a run costs before it reads much."""
    with path.open("rb") as source:
        target.write_bytes(b"".join(islice(source, lines)))
    return target


def _command(path: Path, folder: Path, workers: int) -> list[str]:
    return python(
        "auditfw",
        "experiment=cross_agent",
        "source=pairs",
        f"source.path='{path}'",
        f"hydra.run.dir='{folder}'",
        f"engine.workers={workers}",
        "report=[json]",
    )


def _checked(command: list[str], log: Path, allowed: set[int]) -> Cost:
    cost = measured(command, log)
    if cost.exit_code not in allowed:
        raise SystemExit(
            f"{' '.join(command)}\nexit code {cost.exit_code}\n{log.read_text('utf-8', 'replace')[-2000:]}"
        )
    return cost


def _differs(plain: dict[str, Any], ours: dict[str, Any]) -> bool:
    values = {(m["metric"], m["reading"]): m["value"] for m in ours["measurements"] if not m["cell"]}
    sides = {
        "n": (plain["n"], ours["counts"]["audited"]),
        "percent_agreement": (plain["percent_agreement"], values["percent_agreement", "scholar"]),
        "kappa": (plain["kappa"], values["kappa", "scholar"]),
        "abstain_rate": (plain["abstain_rate"], values["abstain_rate", "scholar"]),
        "disagreements": (plain["disagreements"], values["disagreements", "all"]),
    }
    wrong = [f"{name}: {one} and {other}" for name, (one, other) in sides.items() if abs(one - other) > 1e-12]
    print(f"numbers compared: {len(sides)}, different: {len(wrong)}")
    print("\n".join(f"  {line}" for line in wrong), end="\n" if wrong else "")
    return bool(wrong)


def write(path: Path, n: int, seed: int = 0) -> None:
    """Writes merged records as a judge pipeline would: labels, reasons, an answer with citations, flags."""
    stream = random.Random(seed)  # noqa: S311 - made-up records, no secret
    weights = [round(100 * share) for share in SHARES]
    scratch = path.with_suffix(".part")
    with scratch.open("w", encoding="utf-8", newline="\n") as out:
        for i in range(n):
            one, chance = stream.choices(LABELS, weights, k=2)
            other = one if stream.random() < SAME else chance
            out.write(json.dumps(_record(i, one, other)) + "\n")
    scratch.rename(path)


def _record(i: int, one: str, other: str) -> dict[str, Any]:
    where = f"p{i % 97}#{i % 5}"
    return {
        "qid": f"A{i:07}",
        "scholar": {"label": one, "reason": f"claim {i % 1009} contained; cites {where}"},
        "auditor": {"label": other, "reason": "provenance ok; constraints echoed"},
        "answer_json": {"claim": f"Rule {i % 1009} rejects null keys.", "citations": [where]},
        "retrieved_ids": [where, f"p{i % 89}#1", "p2#1"],
        "flags": {"provenance_violation": i % 5003 == 0, "constraints_mismatch": False},
    }
