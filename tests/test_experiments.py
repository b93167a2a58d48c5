"""Every shipped experiment composes, builds and runs; variants build; sweeps and grids work; bytes do not vary."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hydra.errors import HydraException
from running import Command

import auditfw
from auditfw.config import build as bridge
from auditfw.config.variants import find, merged, shipped_conf
from auditfw.kinds import KINDS
from auditfw.samples import FOLDER

OF_A_RUN = {"adjudication"}  # needs a finished run and labels: tests/commands/labelling
EXPERIMENTS = sorted({file.stem for file in (shipped_conf() / "experiment").glob("*.yaml")} - OF_A_RUN)
VARIANTS = [(kind, file.stem) for kind in KINDS for file in sorted((shipped_conf() / kind).glob("*.yaml"))]
FILES = ("result.json", "measurements.parquet", "trials.parquet", "report.md", "report.html", "junit.xml")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiment_composes_and_builds(name: str) -> None:
    settings = bridge.compose([f"experiment={name}"])
    run, idle = bridge.build(settings)
    assert run.audit.name == settings["audit"]["use"]
    assert idle == []
    assert run.metrics


def test_settings_composed_before_are_composed_anew_where_a_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept of earlier calls is used as long as the same files are there to choose from, and no longer."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(auditfw.AuditError, match="mine"):
        auditfw.run({"experiment": "mine"})
    for place in ("conf", "other"):  # the second is known from a search path alone
        file = tmp_path / place / "experiment" / "mine.yaml"
        file.parent.mkdir(parents=True)
        for seed in (1, 2, 1):
            file.write_text(f"# @package _global_\nseed: {seed}\n", "utf-8")
            for _ in range(2):
                made = bridge.compose(["experiment=mine"])
                assert made["seed"] == seed
                made["seed"] = 7  # is the caller's own
        file.unlink()
        with pytest.raises(HydraException):
            bridge.compose(["experiment=mine"])
        primary = (shipped_conf() / "config.yaml").read_text("utf-8")
        found = primary.replace("\nhydra:\n", f"\nhydra:\n  searchpath: ['file://{tmp_path}/other']\n")
        (tmp_path / "conf" / "config.yaml").write_text(found, "utf-8")


# Experiments that work for their results run on a part of their sample here; their own tests run them whole.
PARTS: dict[str, dict[str, Any]] = {
    "self_audit": {"source": {"limit": 4}, "engine": {"workers": 1}},
    "self_audit_alignment": {"scenarios": {"limit": 2}},
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiment_runs(name: str) -> None:
    result = auditfw.run({"experiment": name, **PARTS.get(name, {})})
    assert result.exit_code in (0, 1), result.warnings
    assert result.counts["read"] == sum(n for bucket, n in result.counts.items() if bucket != "read")
    assert [gate.status for gate in result.gates if gate.status == "inconclusive"] == []
    assert result.measurements
    assert result.sections
    texts = result.trials.select(pl.col(pl.String))
    assert [one.name for one in texts if one.str.contains(str(FOLDER), literal=True).any()] == []


UNSET = {("solver", "local_model"): "solver.model", ("scorer", "inspect_pattern"): "scorer.parser.pattern"}


@pytest.mark.parametrize(("kind", "name"), VARIANTS)
def test_variant_builds_by_its_name(kind: str, name: str) -> None:
    bridge.prepare()
    if (kind, name) in UNSET:
        with pytest.raises(auditfw.AuditError, match=re.escape(f"{UNSET[kind, name]}: not set - write ")):
            auditfw.load(kind, name)
        return
    part = auditfw.load(kind, name)
    assert callable(part) or kind in ("source", "scenarios", "scorer", "weights")
    if kind in ("parser", "normalizer"):
        assert part("") == part(None) == ""
        assert isinstance(part("The answer is 42."), str)


@pytest.mark.slow
def test_sweep(command: Command, tmp_path: Path) -> None:
    """Four jobs, each with its own reading; the flips of three of them are published."""
    words = ("parser=answer_v2,after_think", "normalizer=v1,v2")
    done = command("-m", *words, "report=[]", "hydra.sweep.dir=sweep")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "sweep/sweep.json").read_text("utf-8"))
    assert told["schema"] == "auditfw.sweep/1"
    jobs: list[dict[str, Any]] = told["jobs"]
    pairs = list(product(("answer_v2", "after_think"), ("v1", "v2")))
    assert [job["job"] for job in jobs] == [0, 1, 2, 3]
    assert [job["folder"] for job in jobs] == ["0", "1", "2", "3"]
    assert [job["overrides"][:2] for job in jobs] == [[f"parser={p}", f"normalizer={n}"] for p, n in pairs]
    assert [(job["exit_code"], job["verdict"], job["error"]) for job in jobs] == [(0, "pass", None)] * 4
    flips = [job["measurements"][f"flips@{p}+{n}"] for job, (p, n) in zip(jobs, pairs, strict=True)]
    assert (flips[0], flips[1], flips[3]) == (23, 30, 10)
    for job, pair in zip(jobs, pairs, strict=True):
        readings = {name.split("@")[1] for name in job["measurements"]}
        assert readings == {"stored", "stored+v1", "+".join(pair)}
        assert (tmp_path / "sweep" / job["folder"] / "result.json").is_file()
    assert command("sweep", "sweep").returncode == 0


@pytest.mark.slow
def test_grid_of_sixteen(command: Command, tmp_path: Path) -> None:
    """One job reads every parser with every normalizer, and the published readings come out as they do alone."""
    parsers, normalizers = ("stored", "answer_v2", "after_think", "last_line"), ("none", "v1", "v2", "nfkc")
    done = command(f"parser=[{','.join(parsers)}]", f"normalizer=[{','.join(normalizers)}]", "hydra.run.dir=grid")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "grid/result.json").read_text("utf-8"))
    flips = {m["reading"]: m["value"] for m in told["measurements"] if m["metric"] == "flips"}
    assert sorted(flips) == sorted(f"{p}+{n}" for p, n in product(parsers, normalizers))
    known = ("stored+v1", "answer_v2+v1", "stored+v2", "answer_v2+v2", "after_think+v2")
    assert [flips[name] for name in known] == [0, 23, 17, 30, 10]


# What may differ between two runs: overrides, environment, and the folder they start in.
CIRCUMSTANCES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "two workers": (("engine.workers=2",), {}),
    "another hash seed": (("engine.workers=1",), {"PYTHONHASHSEED": "1"}),
    "two workers, another hash seed": (("engine.workers=2",), {"PYTHONHASHSEED": "2"}),
    "another locale and time zone": (("engine.workers=1",), {"LC_ALL": "C", "TZ": "Asia/Kathmandu"}),
    "a narrow terminal without colour": (("engine.workers=1",), {"COLUMNS": "40", "NO_COLOR": "1", "TERM": "dumb"}),
}


@pytest.fixture(scope="module")
def plain(command_in: Command, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the default experiment, run in one process with a fixed hash seed."""
    return files_of(command_in, tmp_path_factory.mktemp("plain"), ("engine.workers=1",), {"PYTHONHASHSEED": "0"})


def files_of(command_in: Command, folder: Path, words: tuple[str, ...], env: dict[str, str]) -> dict[str, bytes]:
    done = command_in(folder, *words, "hydra.run.dir=run", env=env)
    assert done.returncode == 0, done.stderr
    return {name: (folder / "run" / name).read_bytes() for name in FILES}


QUICK = "two workers, another hash seed"


@pytest.mark.parametrize(
    "circumstance", [pytest.param(name, marks=[pytest.mark.slow] * (name != QUICK)) for name in CIRCUMSTANCES]
)
def test_same_bytes(command_in: Command, tmp_path: Path, plain: dict[str, bytes], circumstance: str) -> None:
    words, env = CIRCUMSTANCES[circumstance]
    found = files_of(command_in, tmp_path, words, env)
    assert [name for name in FILES if found[name] != plain[name]] == []


@pytest.mark.slow
def test_same_bytes_of_many_blocks(command_in: Command, tmp_path: Path) -> None:
    """12,000 rows of one file, so that several blocks are on their way at once; blocks end in any order."""
    rows: list[dict[str, object]] = [
        {"id": f"t{n}", "cell": "abc"[n % 3], "raw_text": "Paris, I think." * (1 + n % 97), "ground_truth": "Paris"}
        | {"parsed_text": "Paris" if n % 5 else "Rome", "stored": n % 7 != 0}
        for n in range(12_000)
    ]
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    words = ("source=jsonl", f"source.path={data}", "by=[cell]", "report=[markdown,junit,html]")
    found = []
    for workers in (1, 2, 3):
        folder = tmp_path / f"workers{workers}"
        folder.mkdir()
        done = command_in(folder, *words, f"engine.workers={workers}", "hydra.run.dir=run")
        assert done.returncode == 1, done.stderr
        found.append({name: (folder / "run" / name).read_bytes() for name in FILES})
    assert found[0] == found[1] == found[2]


def test_what_a_variant_sets_lies_over_its_base_as_hydra_lays_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "conf" / "metric"
    folder.mkdir(parents=True)
    for name, base, told in (("one", "kappa", "{method: bootstrap, resamples: 50}"), ("two", "one", "{resamples: 9}")):
        text = f"# @package metrics.{name}\n# Counts.\ndefaults: [{base}@_here_, _self_]\ninterval: {told}\n"
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    found = find("metric", "two", "")
    assert found == {"use": "kappa", "interval": {"method": "bootstrap", "resamples": 9}}
    composed = bridge.compose(["experiment=cross_agent", "metric=[two]"])["metrics"]["two"]
    assert {key: composed["interval"][key] for key in found["interval"]} == found["interval"]


def test_a_mapping_that_names_what_it_uses_replaces_another() -> None:
    below = {"a": {"use": "x", "n": 1}, "b": {"c": 1, "d": {"e": 2}}, "f": [1]}
    above = {"a": {"use": "y"}, "b": {"d": {"g": 3}}, "f": [2], "h": None}
    assert merged(below, above) == {"a": {"use": "y"}, "b": {"c": 1, "d": {"e": 2, "g": 3}}, "f": [2], "h": None}
    assert below["b"] == {"c": 1, "d": {"e": 2}}
