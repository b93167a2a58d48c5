"""What a config reads from the environment stands nowhere: not in a file of any command, and on no stream."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from leaking import leaks, leaks_in
from running import Command

PLAIN, WORD, NASTY = "hush-hush-9", "quitesecret", "hu\"sh & <7>'x"
REPORTS = "report=[console,json,markdown,junit,html,sarif,codequality,summary,annotations"
PROBLEM = {
    "train": [{"input": [[0, 1], [1, 0]], "output": [[1, 0], [0, 1]]}] * 2,
    "test": [{"input": [[0, 0], [1, 0]], "output": [[1, 1], [0, 1]]}],
}
PATH = "source.path=${oc.env:D}/"
PARSING = ("source=jsonl", f"{PATH}d.jsonl", "by=[variant]", "audit.keep_text=true", f"{REPORTS},texts]")
COMMANDS: dict[str, tuple[str, ...]] = {
    "parsing": (*PARSING, "hydra.run.dir=run"),
    "check": ("check", "source=jsonl", f"{PATH}d.jsonl"),
    "config": ("--cfg", "all", "--resolve", "source=jsonl", f"{PATH}d.jsonl", "hydra.run.dir=${oc.env:D}/x"),
    "missing": ("source=jsonl", f"{PATH}none.jsonl"),
    "folder": ("source=jsonl", f"{PATH}d.jsonl", "by=[]", "report=[console,html]", "hydra.run.dir=${oc.env:D}/out"),
}
MORE: dict[str, tuple[str, ...]] = {
    "other": (*PARSING, "normalizer=v1", "hydra.run.dir=other"),
    "consistency": (
        *("experiment=cross_agent", "source=pairs", f"{PATH}pairs.jsonl", "hydra.run.dir=pairs"),
        f"{REPORTS},disagreements,consistency]",
    ),
    "alignment": (
        *("experiment=posiwid", "scenarios=jsonl", "scenarios.path=${oc.env:D}/scenarios.jsonl", "simulator=table"),
        *("simulator.path=${oc.env:D}/actual.jsonl", f"{REPORTS}]", "hydra.run.dir=aligned"),
    ),
    "self_audit": (
        *("experiment=self_audit", "source=problems", f"{PATH}problems.jsonl", "stop.max_iterations=2"),
        *(f"{REPORTS}]", "hydra.run.dir=refined"),
    ),
    "endpoint": (
        *("experiment=self_audit", "source=problems", f"{PATH}problems.jsonl", "solver=openai", "solver.model=m"),
        *("solver.base_url=http://127.0.0.1:9/${oc.env:D}", "solver.key_env=D", "executor=subprocess"),
        *("stop.max_iterations=1", "report=[console,markdown,html]", "hydra.run.dir=asked"),
    ),
    "glob": ("source=jsonl", f"{PATH}*d.jsonl", "by=[]", "report=[console,json]", "hydra.run.dir=globbed"),
    "sweep": (
        *("-m", "source=jsonl", f"{PATH}d.jsonl,${{oc.env:D}}/none.jsonl", "by=[variant]", "normalizer=v1,v2"),
        *("report=[console,markdown,html]", "hydra.sweep.dir=swept"),
    ),
    "sweep again": ("sweep", "swept"),
    "checked sweep": ("check", "-m", "source=jsonl", f"{PATH}d.jsonl,${{oc.env:D}}/none.jsonl"),
    "probe": ("probe", "source=jsonl", f"{PATH}d.jsonl"),
    "explain": ("explain", "run", "--json"),
    "export": ("export", "run", "coverage", "out=tables"),
    "label": ("label", "run", "n=10", "format=[html,csv,label_studio]"),
    "compare": ("compare", "run", "other"),
    "report": ("report", "run"),
    "accept": ("accept", "run"),
    "rerun": ("rerun", "run", f"{PATH}d.jsonl"),
    "list": ("list", "report"),
}


def laid(folder: Path, secret: str) -> None:
    """Data whose texts, ids and cells repeat a secret, in a folder of its name."""
    home = folder / secret
    home.mkdir(parents=True)
    answers = ["Paris", f"It is {secret} Paris", f"London {secret}", "Rome"]
    trials = [
        {"id": f"{i} {secret}", "raw_text": answers[i % 4], "parsed_text": answers[i % 3], "ground_truth": "Paris"}
        | {"stored": bool(i % 2), "variant": ["a", f"v {secret}"][i % 2], "model": f"m-{secret}"}
        for i in range(12)
    ]
    labels = ["VALID", "REJECT"]
    pairs = [
        {"qid": f"q{i}", "scholar": {"label": labels[i % 2]}, "auditor": {"label": [*labels, "VALID"][i % 3]}}
        for i in range(20)
    ]
    scenarios = [{"label": f"s{i} {secret}", "intended": {"y": 1.0, "z": 1.0}, "params": {"x": i}} for i in range(6)]
    actual = [{"label": f"s{i} {secret}", "actual": {"y": 1.0 * (-1) ** i}} for i in range(6)]
    problems = [{"id": f"p{i} {secret}", **PROBLEM} for i in range(2)]
    files = {"d": trials, "pairs": pairs, "scenarios": scenarios, "actual": actual, "problems": problems}
    for name, rows in files.items():
        (home / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def shown(folder: Path, secret: str, words: tuple[str, ...], command: Command, absolute: bool = False) -> list[str]:
    """Where a command shows a secret."""
    value = str(folder / secret) if absolute else secret
    done = command(*words, cwd=folder, env={"D": value, "GITHUB_STEP_SUMMARY": str(folder / "summary.md")})
    assert done.returncode in (0, 1, 3, 4), done.stderr
    streams = [name for name in ("stdout", "stderr") if leaks_in(getattr(done, name), value)]
    return [*streams, *leaks(folder, value, but=(secret,))]


@pytest.mark.parametrize(
    ("name", "secret", "absolute"), [*((name, NASTY, False) for name in COMMANDS), ("folder", WORD, True)]
)
def test_no_command_shows_what_its_config_reads(
    name: str, secret: str, absolute: bool, tmp_path: Path, command: Command
) -> None:
    laid(tmp_path, secret)
    assert shown(tmp_path, secret, COMMANDS[name], command, absolute) == []


@pytest.mark.slow
@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
@pytest.mark.parametrize("secret", [PLAIN, WORD, NASTY])
def test_no_verb_and_no_audit_does(secret: str, absolute: bool, tmp_path: Path, command: Command) -> None:
    laid(tmp_path, secret)
    found = {name: shown(tmp_path, secret, words, command, absolute) for name, words in {**COMMANDS, **MORE}.items()}
    assert not {name: places for name, places in found.items() if places}


def test_a_traceback_is_masked(tmp_path: Path, command: Command) -> None:
    env = {"D": PLAIN, "HYDRA_FULL_ERROR": "1"}
    done = command("source=jsonl", f"{PATH}none.jsonl", env=env)
    assert (done.returncode, "DataError: [masked]/none.jsonl" in done.stderr, PLAIN in done.stderr) == (1, True, False)


slow = pytest.mark.slow
WORDS = ("parsing", "verdict", "counts", "function", "scored")


@pytest.mark.parametrize("word", ["status", *(pytest.param(word, marks=slow) for word in WORDS)])
def test_a_value_that_is_a_word_leaves_the_files_readable(word: str, tmp_path: Path, command: Command) -> None:
    """A folder may be named as a key of result.json, a status of a trial, or an audit is."""
    laid(tmp_path, word)
    words = ("source=jsonl", f"{PATH}d.jsonl", "by=[variant]", "report=[json,markdown]", "hydra.run.dir=run")
    done = command(*words, env={"D": word})
    assert {"audit": "parsing", "schema": "auditfw.result/2"}.items() <= json.loads(done.stdout).items()
    for words in ("explain", "run"), ("report", "run", "report=[html]"):
        assert command(*words).returncode in (0, 1)
