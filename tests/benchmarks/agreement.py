"""Times agreement: coefficients with intervals on coded pairs, and the whole audit from JSON Lines."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from auditfw.components.metric.agreement import GwetAC1, Kappa, KrippendorffAlpha, PercentAgreement, WeightedKappa
from auditfw.formulas.agreement import Judged
from auditfw.formulas.agreement.counting import counted

from .harness import Options, as_installed, by_turns, child, command, differ, line, measured, spent, workplace
from .plain.scorer import LABELS

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
FEW = 1_000  # one in so many records shows what a run costs before it reads much


def run(arguments: list[str]) -> int:
    """Times coefficients with intervals on coded pairs, and the consistency audit from JSON Lines, beside others."""
    options = Options(run)
    options.number("--pairs", 1_000_000, "coded pairs")
    options.number("--records", 1_000_000, "JSON records, 0 for none", least=0)
    options.number("--workers", 2, "worker processes of auditfw")
    options.number("--rounds", 7, "rounds of the coded part; reports medians")
    options.keep()
    chosen = options.parse_args(arguments)
    failed = coded(chosen.pairs, chosen.rounds)
    if chosen.records:
        with workplace(chosen.keep) as folder:
            failed |= from_records(folder, chosen.records, chosen.workers)
    return 1 if failed else 0


def pairs(n: int, seed: int = 0) -> tuple[Any, Any]:
    """Codes of two raters of whom most items have the same label."""
    stream = np.random.Generator(np.random.PCG64(seed))
    one, chance = (stream.choice(len(LABELS), n, p=SHARES) for _ in range(2))
    return one, np.where(stream.random(n) < SAME, one, chance)


def coefficients(one: Any, other: Any, seed: int) -> dict[str, Any]:
    """Every coefficient of the benchmark with its interval, from codes."""
    judged = Judged(counted([one, other], LABELS, RATERS), *RATERS, seed=seed)
    return {name: metric(judged) for name, metric in METRICS.items()}


def coded(n: int, rounds: int) -> bool:
    """Times ours and other libraries by turns on the same pairs; returns whether a number differs."""
    work = {name: partial(spent, call) for name, call in _work(*pairs(n)).items()}
    results = by_turns(work, rounds, warm=1)
    print(f"{n:,} coded pairs of {len(LABELS)} labels, 2,000 resamples, median of {rounds} rounds; goal {GOAL_MS} ms")
    line("", "wall ms", "CPU ms", wide=38)
    for name, taken in results.items():
        line(name, *(1000 * statistics.median(cost.seconds[i] for cost, _ in taken) for i in (0, 1)), wide=38)
    return _unequal({name: taken[-1][1] for name, taken in results.items()})


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


def _unequal(results: Mapping[str, Any]) -> bool:
    ours = next(iter(results.values()))["kappa"].value
    theirs = [float(getattr(r, "kappa", r)) for name, r in results.items() if not name.startswith("auditfw")]
    same = all(abs(ours - number) < 1e-9 for number in theirs)
    print("kappa of all: " + ("equal to 1e-9" if same else f"DIFFERENT: {ours} and {theirs}"))
    return not same


def from_records(folder: Path, n: int, workers: int) -> bool:
    """Times the command on a file of merged records beside a plain scorer; returns whether a number differs."""
    as_installed()
    path, few = folder / f"pairs-{n}.jsonl", min(n, max(100, n // FEW))
    if not path.is_file():
        print(f"writing {n:,} records", flush=True)
        write(path, n)
    with workplace() as runs:
        line(f"{path.stat().st_size / 1e6:,.0f} MB of records", "wall s", "CPU s", "main MB", "child MB", wide=36)
        costs = []
        for size, records in ((few, _first(path, runs / "few.jsonl", few)), (n, path)):
            plain = child("plain.scorer", str(records), str(runs / "plain.tsv"), str(runs / "scored.json"))
            words = ["experiment=cross_agent", "source=pairs", f"source.path='{records}'"]
            words += [f"hydra.run.dir='{runs / str(size)}'", f"engine.workers={workers}", "report=[json]"]
            for name, started in (("plain scorer", plain), (f"auditfw, {workers} workers", command(*words))):
                costs.append(measured(name, started))
                line(f"{name}, {size:,}", *costs[-1], wide=36)
        slow_few, ours_few, slow, ours = costs
        print(f"ratio {slow.wall / ours.wall:.1f} x, {slow.cpu / ours.cpu:.1f} x by CPU seconds (goal {GOAL_RATIO})")
        further = (slow.wall - slow_few.wall) / (ours.wall - ours_few.wall)
        print(f"ratio of the records after the first {few:,}: {further:.1f} x")
        scored, result = (runs / name for name in ("scored.json", f"{n}/result.json"))
        return differing(json.loads(scored.read_text("utf-8")), json.loads(result.read_text("utf-8")))


def _first(path: Path, target: Path, lines: int) -> Path:
    """A file of the first lines of another: what a run costs before it reads much."""
    with path.open("rb") as source:
        target.write_bytes(b"".join(islice(source, lines)))
    return target


def differing(plain: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """Compares the numbers of both, and says whether any differs."""
    values = {
        m["metric"]: m["value"] for m in ours["measurements"] if not m["cell"] and m["reading"] in ("scholar", "all")
    }
    values["n"] = ours["counts"]["audited"]
    wrong = [f"{name}: {n} and {values[name]}" for name, n in plain.items() if abs(n - values[name]) > 1e-12]
    return differ("numbers", wrong, len(plain))


def write(path: Path, n: int, seed: int = 0) -> None:
    """Writes merged records as a judge pipeline would: labels, reasons, an answer with citations, flags."""
    stream = random.Random(seed)
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
