"""Mistakes by number: overrides, files of conf/ and damaged run folders, each decided by a seed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from auditfw.audits.self_audit.evaluate import sealed
from auditfw.commands.main import main
from auditfw.config import build as bridge
from auditfw.kinds import KINDS

DATA = {
    "d.jsonl": [
        {"id": "1", "raw_text": "<think>x</think>Rome", "parsed_text": "Rome", "ground_truth": "Rome", "stored": True},
        {"id": "2", "raw_text": "Oslo", "parsed_text": "Oslo", "ground_truth": "Rome", "stored": False},
    ],
    "p.jsonl": [
        {"qid": str(n), "scholar": {"label": one}, "auditor": {"label": other}}
        for n, (one, other) in enumerate([("VALID", "VALID"), ("VALID", "REJECT"), ("REJECT", "REJECT")])
    ],
    "s.jsonl": [
        {"label": str(n), "intended": {"attack_rate": 0.9}, "params": {"beta": n / 10, "gamma": 0.1}, "group": "g"}
        for n in (3, 5)
    ],
    "q.jsonl": [{"id": "1", "train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]]}]}],
}
RUNS: Mapping[str, Sequence[str]] = {
    "parsing": ("experiment=answer_parsing", "source=jsonl", "source.path=d.jsonl"),
    "consistency": ("experiment=cross_agent", "source=pairs", "source.path=p.jsonl"),
    "alignment": ("experiment=posiwid", "scenarios=jsonl", "scenarios.path=s.jsonl"),
    "self_audit": ("experiment=self_audit", "source=problems", "source.path=q.jsonl", "stop.max_iterations=3"),
}
SWEEP = ("-m", *RUNS["parsing"], "seed=1,2")
CODES = (0, 1, 2, 3, 4, 5)
RAW = (
    "defect",
    "Traceback",
    "CompositionException",
    "DictConfig",
    "ListConfig",
    "object_type",
    "full_key",
    "OmegaConf",
)


def lay_data(folder: Path) -> None:
    """Writes the inputs of `RUNS`."""
    for name, rows in DATA.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def inside(argv: Sequence[str]) -> tuple[int, str, str]:
    """The code, standard output and standard error of the command, run in this process and the current folder."""
    out, err = io.StringIO(), io.StringIO()
    words, handler = sys.argv, signal.getsignal(signal.SIGTERM)
    os.environ.pop("HYDRA_FULL_ERROR", None)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(argv)
    except SystemExit as end:  # Hydra's own answers, --version for one
        code = int(end.code or 0)
    finally:
        os.environ.pop("HYDRA_FULL_ERROR", None)
        sys.argv = words
        signal.signal(signal.SIGTERM, handler)
    return code, out.getvalue(), err.getvalue()


def wrong(argv: Sequence[str]) -> str | None:
    """What is wrong with how the command ends, None where it ends as documented."""
    code, out, err = inside(argv)
    if code in CODES and not any(word in err for word in RAW) and (code in (0, 1) or err.strip() or out.strip()):
        return None
    return f"{list(argv)!r} ended with {code}: {err[-500:]!a}"


def each(text: str) -> list[str]:
    return text.split(" ; ")


# Overrides

SCALARS = (
    *each(
        "null ; ??? ; true ; -1 ; 0 ; 0.5 ; 99999999999999999999999 ; 1e999 ; nan ; -inf ; a,b ; ü ; '𝄞' ; "
        "${seed} ; ${nope} ; ${.} ; ${audit} ; ${oc.env:HOME} ; \" ; ' ; { ; [ ; @ ; choice(1,2) ; range(1,3) ; "
        "glob(*) ; interval(0,1) ; int(x) ; \\ ; '\\x00' ; a=b ; a/b ; .. ; '${' ; '%s' ; '{0}' ; 'SELECT 1' ; "
        "2026-01-01 ; [] ; {} ; [[]] ; [null] ; [a,a] ; [id,id] ; [nan] ; {a: null} ; {null: 1} ; {a: {null: b}} ; "
        "{use: null} ; {use: nix} ; {use: [a]} ; [{}] ; {1: 2} ; {a.b: 1}"
    ),
    *("", "1" + "0" * 400, "x" * 300, "'\udcff'"),
)
FLAGS = (
    *each(
        "--resolve ; --run ; -m ; --cfg ; --cfg=job ; -c ; --info ; --info=all ; -p ; --package=nix ; -cn ; "
        "--hydra-help ; --help ; --config-name=nix ; --config-path=x ; --config-dir=x ; --experimental-rerun=x ; "
        "--experimental-rerun ; --shell-completion ; -sc ; --bogus ; -- ; -"
    ),
)
ODD = (
    *each(
        ". ; ..audit ; audit. ; audit[0] ; é ; audit/x ; experiment@x ; source@y ; defaults ; hydra ; "
        "hydra.job.name ; hydra.run.dir ; hydra.verbose ; hydra/launcher ; hydra/sweeper ; hydra.mode"
    ),
    *("", "x" * 200),
)


def paths(node: Any, at: str = "") -> Iterator[str]:
    """The keys of a config, those of lists too."""
    parts = node.items() if isinstance(node, dict) else enumerate(node[:2]) if isinstance(node, list) else ()
    for key, part in parts:
        path = f"{at}.{key}" if at else str(key)
        yield path
        yield from paths(part, path)


@cache
def keys(run: str) -> tuple[str, ...]:
    """What may be set of a run: its keys but for the number of processes, and the groups."""
    found = paths(bridge.compose(RUNS[run]))
    return (*(key for key in found if not key.startswith("engine.")), *KINDS, "experiment")


def override(draw: random.Random, run: str) -> str:
    key = draw.choice(keys(run) if draw.random() < 0.9 else ODD)
    value = draw.choice(SCALARS)
    if draw.random() < 0.2:
        inner = draw.choice(("a", "use", "null", "1"))
        value = draw.choice((f"[{value},{draw.choice(SCALARS)}]", f"{{{inner}: {value}}}"))
    sign = draw.choice(("", "", "", "", "+", "++", "~"))
    return f"{sign}{key}={value}" if draw.random() < 0.95 else f"{sign}{key}"


def overridden(seed: int) -> list[str]:
    """A command with one to three overrides that are likely to be wrong."""
    draw = random.Random(seed)
    run = draw.choice(list(RUNS))
    words = [override(draw, run) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    flag = [draw.choice(FLAGS)] if draw.random() < 0.15 else []
    verb = ["check"] if draw.random() < 0.6 else []
    return [*verb, *flag, *RUNS[run], "report=[json]", *words]


# Files of conf/

LINES = (
    *each(
        "defaults: ; defaults: 3 ; defaults: {a: b} ; defaults: [null] ; defaults: [3] ; defaults: [[a]] ; "
        "defaults: [{}] ; defaults: [{a: 1}] ; defaults: [{a: b, c: d}] ; defaults: [''] ; defaults: [x] ; "
        "defaults: ['x@y'] ; defaults: ['@'] ; defaults: [{override /parser: 3}] ; "
        "defaults: [{override /parser: [null]}] ; defaults: [{override /nix: a}] ; null: 3 ; ~: 1 ; ? [a]\n: 1 ; "
        "1: 2 ; true: 1 ; '': 1 ; 'a.b': 1 ; by: [a, a] ; by: 3 ; by: {a: b} ; by: [null] ; seed: x ; seed: .nan ; "
        "gates: [a] ; gates: {a: null} ; gates: {a: {use: nix}} ; gates: {kappa: null} ; audit: 3 ; audit: null ; "
        "audit: [a] ; source: [] ; source: 3 ; source: {use: [a]} ; source: {path: {a: b}} ; policy: [] ; "
        "parser: raw ; report: [] ; report: {max_rows: x} ; hydra: 3 ; hydra: {run: 3} ; "
        "metrics: {n: {interval: x}} ; sweep: 3 ; objective: n@ ; on_error: 3 ; a: &a [*a] ; "
        "a: !!python/object:os.system x ; a: '${a}' ; a: ${nope:1} ; \t ; { ; ] ; - a ; 3 ; ---\n--- ; a: b: c ; "
        "audit: {aliases: {null: A}} ; audit: {aliases: {a: null}}"
    ),
)
HEADS = (
    "# @package _global_\n",
    "# @package _global_\n# A line.\n",
    "",
    "# @package\n",
    "# @package audit\n",
    "# @foo\n",
)


def configured(seed: int) -> list[str]:
    """Writes a file of conf/ below the current folder; gives a command that chooses it."""
    draw = random.Random(seed)
    shutil.rmtree("conf", ignore_errors=True)
    run = draw.choice(list(RUNS))
    experiment, *rest = RUNS[run]
    group = draw.choice(("experiment", "experiment", "experiment", "parser", "source", "gate", "policy", "metric"))
    base = experiment.partition("=")[2] if group == "experiment" else "raw@_here_"
    lines = [f"defaults: [{base}, _self_]"] if draw.random() < 0.6 else []
    text = draw.choice(HEADS) + "\n".join([*lines, *draw.sample(LINES, draw.choice((1, 1, 2)))]) + "\n"
    data = bytearray(text.encode())
    if draw.random() < 0.05:
        data[draw.randrange(len(data))] = draw.randrange(256)
    file = Path("conf") / group / "x.yaml"
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    verb = ["list", group] if draw.random() < 0.1 else ["check"] if draw.random() < 0.6 else []
    chosen = f"{group}=x" if group in ("experiment", "source") else f"{group}=[x]"
    others = rest if group == "experiment" else [experiment, *rest]
    return verb if verb[:1] == ["list"] else [*verb, chosen, *others, "report=[json]"]


# Run folders

WRONG: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 1e308, 10**30, float("nan"), "", "x", "\0", "\ud800x", "--config-dir=x", "NaN"),
    *([], [1], ["a"], [None], [[]], {}, {"a": 1}, {"": None}, [{}]),
)
VERBS: Mapping[str, Sequence[Sequence[str]]] = {
    "parsing": (("report", "R"), ("report", "R", "report=[json]"), ("compare", "R", "G"), ("compare", "G", "R"),
                ("accept", "R", "baseline=b.json"), ("rerun", "R", "seed=2"), (*RUNS["parsing"], "hydra.run.dir=R")),
    "consistency": (("report", "R"), ("compare", "R", "G"), ("rerun", "R")),
    "alignment": (("report", "R"), ("compare", "R", "G"), ("rerun", "R")),
    "self_audit": (("report", "R"), ("rerun", "R"), ("resume=R",), ("resume=R",), ("resume=R",)),
    "sweep": (("sweep", "R"), ("resume=R",)),
}  # fmt: skip
UNREAD = (".html", ".md", ".log")


def lay_runs(folder: Path) -> None:
    """Makes a run of each audit, and a sweep, in the current folder's inputs."""
    for name, words in RUNS.items():
        reports = "report=[markdown,html]" if name == "parsing" else "report=[markdown]"
        code, _, err = inside([*words, reports, f"hydra.run.dir={folder / name}"])
        assert code in (0, 1), err
    code, _, err = inside([*SWEEP, "report=[]", f"hydra.sweep.dir={folder / 'sweep'}"])
    assert code in (0, 1), err


def damaged(seed: int, runs: Path) -> list[str]:
    """Lays a damaged copy R of a run (beside a sound one, G) into the current folder; gives a command that reads it."""
    draw = random.Random(seed)
    name = draw.choice(list(VERBS))
    verb = list(draw.choice(VERBS[name]))
    for copy in ("R", "G"):
        if Path(copy).exists():
            shutil.rmtree(copy)
        shutil.copytree(runs / name, copy, symlinks=True)
    for _ in range(draw.choice((1, 1, 1, 2))):
        _damage(draw, Path("R"))
    if name == "self_audit" and verb == ["resume=R"] and draw.random() < 0.5 and Path("R/result.json").is_file():
        Path("R/result.json").unlink()
    return verb


def _damage(draw: random.Random, folder: Path) -> None:
    found = [f for f in sorted(folder.rglob("*")) if f.is_file() and not f.is_symlink() and f.suffix not in UNREAD]
    file = draw.choice(found)
    way = draw.random()
    if way < 0.15:
        file.unlink()
        if way < 0.06:
            file.mkdir()
        elif way < 0.09:
            file.symlink_to(file.name)
    elif way < 0.4:
        file.write_bytes(bitten(draw, bytearray(file.read_bytes())))
    else:
        with contextlib.suppress(ValueError, OSError, yaml.YAMLError, pl.exceptions.PolarsError):  # damaged before
            _rewrite(draw, file)


def bitten(draw: random.Random, data: bytearray) -> bytes:
    """The bytes cut short, or with some of them replaced."""
    way = draw.random()
    if way < 0.3:
        return bytes(data[: draw.randrange(len(data) + 1) if way < 0.15 else 0])
    for _ in range(draw.choice((1, 3, 20)) if data else 0):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data)


def _rewrite(draw: random.Random, file: Path) -> None:
    """Changes one thing in a file that can still be read as what it is."""
    if file.suffix == ".parquet":
        _changed_table(draw, pl.read_parquet(file)).write_parquet(file)
    elif file.suffix == ".jsonl":
        lines = file.read_text("utf-8").splitlines()
        at = draw.randrange(len(lines))
        record = {name: value for name, value in json.loads(lines[at]).items() if name != "sum"}
        other = changed(draw, record)
        if isinstance(other, dict) and other == other:  # noqa: PLR0124 - NaN alone differs from itself
            lines[at] = sealed(other)
        file.write_text("\n".join(lines) + "\n", "utf-8")
    elif file.suffix == ".json":
        file.write_text(json.dumps(changed(draw, json.loads(file.read_text("utf-8")))), "utf-8")
    elif file.suffix == ".yaml":
        file.write_text(yaml.safe_dump(changed(draw, yaml.safe_load(file.read_text("utf-8")) or {})), "utf-8")


def _nodes(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = node.items() if isinstance(node, dict) else enumerate(node[:6]) if isinstance(node, list) else ()
    for key, part in parts:
        yield from _nodes(part, (*path, key))


def changed(draw: random.Random, document: Any, values: Sequence[Any] = WRONG) -> Any:
    """The document without one of its parts, with one more, or with another value for one."""
    path = draw.choice(list(_nodes(document)))
    if not path:
        return draw.choice(values)
    node = document
    for key in path[:-1]:
        node = node[key]
    way = draw.random()
    if way < 0.3:
        del node[path[-1]]
    elif way < 0.4 and isinstance(node, dict):
        node["extra\u202e"] = draw.choice(values)
    else:
        node[path[-1]] = draw.choice(values)
    return document


def _changed_table(draw: random.Random, frame: pl.DataFrame) -> pl.DataFrame:
    name = draw.choice(frame.columns or ["x"])
    ways = (
        lambda: frame.drop(name),
        lambda: frame.with_columns(pl.lit(draw.choice([None, 1, "x", True, 1.5])).alias(name)),
        lambda: frame.head(0),
        lambda: pl.concat([frame, frame]),
        lambda: frame.with_columns(pl.lit("a").alias("odd\u202e")),
        lambda: frame.select(pl.all().cast(pl.String, strict=False)),
        pl.DataFrame,
    )
    return draw.choice(ways)()
