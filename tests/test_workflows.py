"""What GitHub would run, ask and check: nothing of it has run there, so this holds it to README and pyproject.toml."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = [file for file in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) if file.name != "config.yml"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
README = (ROOT / "README.md").read_text("utf-8")
OWNERS = {"actions", "pypa"}


def loaded(file: Path) -> dict[Any, Any]:
    found = yaml.safe_load(file.read_text("utf-8"))
    assert isinstance(found, dict), file
    return found


def workflow(name: str) -> dict[Any, Any]:
    return loaded(ROOT / ".github" / "workflows" / name)


def steps(found: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    for job in found["jobs"].values():
        yield from job["steps"]


def versions() -> list[str]:
    """The versions of Python that tests.yml names."""
    found: list[str] = workflow("tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    return found


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_says_that_it_was_not_run_and_may_little(file: Path) -> None:
    assert file.read_text("utf-8").startswith("# Not yet run")
    found = loaded(file)
    assert found["permissions"] == {"contents": "read"}
    assert found["concurrency"]["group"]
    for name, job in found["jobs"].items():
        assert job["timeout-minutes"] <= 120, name
        assert job.get("permissions", {}).keys() <= {"id-token"}, name
    assert "secrets." not in file.read_text("utf-8")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_action_is_pinned_by_its_major_version(file: Path) -> None:
    used = [step["uses"] for step in steps(loaded(file)) if "uses" in step]
    assert used
    for action in used:
        owner = re.fullmatch(r"([\w-]+)/[\w-]+@(?:release/)?v\d+", action)
        assert owner is not None, action
        assert owner[1] in OWNERS, action
    trusted = loaded(ROOT / ".github" / "zizmor.yml")["rules"]["unpinned-uses"]["config"]["policies"]
    assert trusted == {f"{owner}/*": "ref-pin" for owner in sorted(OWNERS)}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_no_step_puts_what_others_write_into_a_shell(file: Path) -> None:
    for step in steps(loaded(file)):
        assert "${{" not in step.get("run", "")
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}


def test_versions_of_python_are_those_of_the_project() -> None:
    numbers = [tuple(map(int, version.split("."))) for version in versions()]
    assert f">={versions()[0]}" == PROJECT["project"]["requires-python"]
    assert numbers == [(3, minor) for minor in range(numbers[0][1], numbers[-1][1] + 1)]
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in versions()]
    told = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in PROJECT["project"]["classifiers"]
    ]
    assert {one[1] for one in told if one} <= set(versions())
    assert f"You need Python {versions()[0]} or newer" in README


def test_tests_run_on_three_systems_and_the_slow_ones_on_linux() -> None:
    jobs = workflow("tests.yml")["jobs"]
    systems = jobs["tests"]["strategy"]["matrix"]["os"]
    assert [one.split("-")[0] for one in systems] == ["ubuntu", "macos", "windows"]
    assert jobs["slow"]["runs-on"].startswith("ubuntu")


def test_parts_of_the_script_are_those_it_knows() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    known = re.search(r"case \$part in ([a-z| ]+)\)", script)
    assert known is not None
    started = [step["run"] for step in steps(workflow("tests.yml")) if step.get("run", "").startswith(".ci/run")]
    assert started == [".ci/run audit tests", ".ci/run slow", ".ci/run pythons"]
    assert {word for run in started for word in run.split()[1:]} == set(known[1].split(" | "))


def test_elsewhere_the_tests_are_readmes_second_command() -> None:
    [command] = re.findall(r"^python3 -m venv .venv && (.*pytest)$", README, re.MULTILINE)
    wanted = [re.sub(r"^\.venv/bin/(?:python -m )?", "", part).replace("'", '"') for part in command.split(" && ")]
    jobs = workflow("tests.yml")["jobs"]
    [run] = [step for step in jobs["tests"]["steps"] if step.get("if") == "runner.os != 'Linux'"]
    assert run["shell"] == "bash"
    assert [line.removeprefix("python -m ") for line in run["run"].splitlines()] == wanted


def test_only_a_tag_is_published_and_by_no_secret() -> None:
    found = workflow("wheels.yml")
    assert found[True] == {"push": {"tags": ["v*"]}, "workflow_dispatch": None}  # YAML 1.1 reads `on` as true
    publish = found["jobs"]["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["permissions"] == {"id-token": "write"}
    assert set(publish["needs"]) == found["jobs"].keys() - {"publish"}


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.name)
def test_an_issue_form_is_one(file: Path) -> None:
    form = loaded(file)
    assert form.keys() == {"name", "description", "labels", "body"}
    ids = [field["id"] for field in form["body"]]
    labels = [field["attributes"]["label"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert len(set(labels)) == len(labels)


def test_a_bug_comes_with_what_is_needed_to_see_it() -> None:
    form = loaded(ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml")
    asked = [field["id"] for field in form["body"] if field.get("validations", {}).get("required")]
    assert asked == ["command", "version", "config", "expected", "got"]
    assert "--cfg job" in next(field for field in form["body"] if field["id"] == "config")["attributes"]["description"]


def test_hooks_are_tools_of_the_test_extra() -> None:
    [repository] = loaded(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    assert [hook["id"] for hook in repository["hooks"]] == ["ruff-check", "ruff-format", "mypy", "house"]
    extra = {re.match(r"[\w-]+", one)[0] for one in PROJECT["project"]["optional-dependencies"]["test"]}
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        _, _, tool, *words = hook["entry"].split()
        assert tool in extra
        assert all((ROOT / word).is_file() for word in words if word.endswith(".py"))


def test_a_job_of_every_week_names_what_breaks_with_pre_releases() -> None:
    """Its failing fails nothing else, and the bounds of the project stay as they are."""
    found = workflow("prereleases.yml")
    assert found[True].keys() == {"schedule", "workflow_dispatch"}  # YAML reads `on` as true
    assert found["jobs"]["fast"]["continue-on-error"] is True
    commands = [step["run"] for step in steps(found) if "run" in step]
    assert commands[-3:] == [
        "python -m pip install --upgrade --pre --no-deps hydra-core omegaconf",
        "python .github/private_imports.py",
        "python -m pytest",
    ]


def test_an_import_that_is_gone_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = runpy.run_path(str(ROOT / ".github" / "private_imports.py"))
    assert script["main"]() == 0, capsys.readouterr().out
    file = tmp_path / "a.py"
    file.write_text(
        "from hydra._internal.utils import gone, get_args_parser\nimport hydra.nowhere\nfrom os import nothing\n"
    )
    missing = [(line, name) for line, *name in script["imported"](file) if script["missing"](*name)]
    assert missing == [(1, ["hydra._internal.utils", "gone"]), (2, ["hydra.nowhere", ""])]
