"""Which logs a path names: files, folders, patterns."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_logs import eval_log, head, json_log, sample

from auditfw.components.source.inspect import Inspect
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
    Path("logs/b/5.eval.gz").write_text("x")
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
        (("logs/2.eval", "logs/1.eval", "logs/2.eval"), "logs/2.eval logs/1.eval"),
    ],
)
def test_the_logs_that_a_path_names(path: str | tuple[str, ...], names: str) -> None:
    assert [file.path for file in Inspect(path=path).located()] == names.split()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("logs/none", ("logs/none", "is a folder", "no *.eval or *.json in it")),
        ("logs/*.log", ("logs/*.log", "no file matches")),
        ("logs/3.eval", ("logs/3.eval", "no such file", "did you mean")),
        ("nowhere/3.eval", ("no such file", "there is no folder nowhere")),
    ],
)
def test_paths_that_name_no_log(path: str, words: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        Inspect(path=path).located()
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_folder_of_other_documents() -> None:
    Path("logs/none/a.json").write_text("{}")
    with pytest.raises(DataError, match=r"no \*\.eval or \*\.json that this source reads in it"):
        Inspect(path="logs/none").located()


def test_names_in_braces_are_columns() -> None:
    files = Inspect(path="logs/{number}.eval").located()
    assert [(file.path, file.set) for file in files] == [("logs/1.eval", {"number": 1}), ("logs/2.eval", {"number": 2})]


def test_a_log_of_no_bytes_beside_others_is_reported() -> None:
    Path("logs/b/9.eval").touch()
    source = Inspect(path="logs/b")
    assert [file.path for file in source.located()] == ["logs/b/0.json", "logs/b/1.json", "logs/b/3.eval"]
    assert source.warnings() == ("1 of 4 files holds no record: logs/b/9.eval",)
    assert [file.path for file in Inspect(path="logs/b/9.eval").located()] == ["logs/b/9.eval"]


def test_the_rules_of_logs() -> None:
    eval_log(sample(scores={"includes": {"value": "C"}}), log_head=head("includes", task="t"), name="logs/b/9.eval")
    rules = Inspect(path="logs/b").rules()
    assert {name: one.name for name, one in rules.items()} == {"match": "match", "includes": "includes"}
