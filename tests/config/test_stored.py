"""Stored words and configs: which are taken, which are refused and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored_runs import write

from auditfw.commands.resume import resumed
from auditfw.commands.trust import Origin
from auditfw.config.stored import check_config, check_words, launched
from auditfw.core.errors import UsageError

PLAN = {"schema": "auditfw.plan/1", "jobs": [[]], "hydra": [], "code": ""}
TABLE = {"metrics": [], "sort_by": None, "best": None}


REFUSED = {
    "+hydra.job.env_set.PYTHONPATH=R": "sets Hydra itself",
    "hydra.job.env_set={LD_PRELOAD: ./x.so}": "sets Hydra itself",
    "hydra.run.dir=x": "sets Hydra itself",
    "hydra.sweep.dir=x": "sets Hydra itself",
    "hydra.searchpath=[file://R]": "sets Hydra itself",
    "~hydra.callbacks": "sets Hydra itself",
    "++hydra.sweeper.params={}": "sets Hydra itself",
    "hydra/sweeper=other": "sets Hydra itself",
    "hydra/launcher@hydra.callbacks.x=joblib": "puts a group in a place that is not its own",
    "simulator@hydra.job.env_set=table": "puts a group in a place that is not its own",
    "+hydra.callbacks.x={_target_: joblib.load, filename: R/x}": "names a _target_",
    "hydra.launcher._target_=pandas.read_pickle": "names a _target_",
    "source={'_target_': shutil.copy}": "names a _target_",
    "--config-dir=R": "is a flag",
    "-cn": "is a flag",
    "source.path=${oc.env:HOME}": "reads more",
    "source.path=${oc.decode:'${oc.env:HOME}'}": "reads more",
    "seed=${${by}:x}": "reads more",
    "experiment=../../R/evil": "names no option",
    "parser=[stored,../R/evil]": "names no option",
    "mine.key=1": "sets no key of auditfw",
    "a(b": "is not an override",
}
TAKEN = (
    "experiment=self_audit",
    "source.path=../mine.jsonl",
    "+source.where='id > 3'",
    "~gates.kappa",
    "parser=[stored,answer_v2]",
    "seed=1,2,3",
    "scenarios.seed=${seed}",
    "hydra/launcher=joblib",
    "hydra.launcher.n_jobs=2",
    "sweep.metrics=[flips]",
)


@pytest.mark.parametrize("word", REFUSED)
def test_stored_words_that_are_not_taken(word: str, tmp_path: Path) -> None:
    """From a run and from a sweep alike, in one line that names file and word."""
    run = write(tmp_path, {"R/.hydra/overrides.yaml": json.dumps(["seed=1", word])}) / "R"
    sweep = write(tmp_path, {"S/plan.json": json.dumps({**PLAN, "words": [word], "table": TABLE})}) / "S"
    for folder, file in ((run, ".hydra/overrides.yaml"), (sweep, "plan.json")):
        with pytest.raises(UsageError) as refused:
            resumed([f"resume={folder}"])
        told, where = str(refused.value), folder / file
        assert told.startswith(f"{where}: a stored override that is not accepted from a run folder: it {REFUSED[word]}")
        assert f"({word})" in told


def test_stored_words_that_are_taken(tmp_path: Path) -> None:
    check_words(tmp_path / "overrides.yaml", TAKEN)
    write(tmp_path, {".hydra/overrides.yaml": json.dumps([*TAKEN, "resume=R0", "+hydra.verbose=true"])})
    words = [f"resume={tmp_path}", "hydra.verbose=true", "source.path=new.jsonl"]
    taken = resumed(words)
    assert taken.words == [word for word in TAKEN if not word.startswith("source.path")] + words
    assert taken.origin == Origin(tmp_path, False)


def test_launchers_that_reach_further() -> None:
    words = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "hydra.launcher.verbose=1"]
    assert launched(words) == []
    further = ["hydra/launcher=submitit_slurm", "hydra.launcher.setup=[x]", "+hydra.launcher.ray.init.address=a"]
    assert launched([*words, *further]) == [f"the word {word}" for word in further]


def test_stored_configs_read_their_own_keys_only(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    config = {"seed": 1, "by": ["${seed}"], "source": {"path": "${oc.env:HOME}/x"}, "reports": {"m": {"use": "m"}}}
    with pytest.raises(UsageError, match=r"config\.yaml: source\.path reads more .* write the value: source\.path="):
        check_config(file, config, ["seed=2"])
    for words in (["source.path=x"], ["source=jsonl"]):
        assert check_config(file, config, words)["source"] == {"path": None}
    assert check_config(file, config, [], only="reports")["by"] == ["${seed}"]
    several = {"audit": {"matchers": {"a": {"use": "choice", "letters": "${oc.env:HOME}"}}}}
    with pytest.raises(UsageError, match=r"audit\.matchers\.a\.letters reads more "):
        check_config(file, several, ["parser=raw"])
    assert check_config(file, several, ["matcher=exact"]) == {
        "audit": {"matchers": {"a": {"use": "choice", "letters": None}}}
    }
    with pytest.raises(UsageError, match="a key that is not one of auditfw's"):
        check_config(file, {"hydra": {"job": {}}}, [])
