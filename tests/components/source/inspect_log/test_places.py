"""Where logs are: files, folders, patterns."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_logs import eval_log, json_log, sample

from auditfw.components.source.inspect_log.places import log_paths
from auditfw.core.errors import DataError


@pytest.fixture(autouse=True)
def logs(here: Path) -> None:
    for folder in ("logs/b", "logs/.hidden", "logs/none", "odd[1]"):
        Path(folder).mkdir(parents=True)
    for name in ("logs/2.eval", "logs/1.eval", "logs/b/3.eval", "logs/.hidden/4.eval", "logs/.5.eval", "odd[1]/6.eval"):
        eval_log(sample(), name=name)
    json_log(sample(), name="logs/b/0.json")
    json_log(sample(), name="logs/b/1.json", indent=None)
    Path("logs/b/2.json").write_text('{"version": 1, "status": "x"}')
    Path("logs/b/3.json").write_text('["version", "status", "eval"]')
    Path("logs/b/4.txt").write_text("")
    Path("logs/7.eval").mkdir()


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("logs/1.eval", "logs/1.eval"),
        ("logs", "logs/1.eval logs/2.eval logs/b/0.json logs/b/1.json logs/b/3.eval"),
        ("logs/*.eval", "logs/1.eval logs/2.eval"),
        ("logs/**/[23].eval", "logs/2.eval logs/b/3.eval"),
        ("logs/?.eval", "logs/1.eval logs/2.eval"),
        ("odd[1]", "odd[1]/6.eval"),
        ("odd[1]/6.eval", "odd[1]/6.eval"),
        ("logs/b/2.json", "logs/b/2.json"),  # named by itself, so that it is read, and refused
    ],
)
def test_the_logs_that_a_path_names(path: str, names: str) -> None:
    assert log_paths(path) == names.split()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("logs/none", ("logs/none", "holds no Inspect log")),
        ("logs/*.log", ("logs/*.log", "no file fits the pattern")),
        ("logs/3.eval", ("logs/3.eval", "no such file", "did you mean")),
        ("nowhere/3.eval", ("no such file", "there is no folder nowhere")),
    ],
)
def test_paths_that_name_no_log(path: str, words: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        log_paths(path)
    assert [word for word in words if word not in str(caught.value)] == []
