"""What commands call a run: `latest` while that is it, else its folder."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from auditfw.core.masking import masked_data
from auditfw.core.results.latest import NextStep, newest, of_run, run_called


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of two audits; the second ended last."""
    monkeypatch.chdir(tmp_path)
    for name in ("parsing/2026-01-02/10-00-00-000000", "consistency/2026-01-02/11-00-00-000000"):
        folder = Path("outputs") / name
        folder.mkdir(parents=True)
        (folder.parent / "latest").symlink_to(folder.name)


@pytest.mark.parametrize(
    ("folder", "called"),
    [
        ("outputs/consistency/2026-01-02/11-00-00-000000", "latest"),
        ("outputs/parsing/2026-01-02/12-00-00-000000", "latest"),  # it has no link yet
        ("outputs/parsing/2026-01-02/10-00-00-000000", "outputs/parsing/2026-01-02/10-00-00-000000"),
        ("outputs/sweeps/2026-01-03/10-00-00-000000/0", "outputs/sweeps/2026-01-03/10-00-00-000000/0"),
        ("X9", "X9"),
        ("my run", "'my run'"),
    ],
)
def test_a_run_is_called_latest_while_it_is(folder: str, called: str) -> None:
    assert run_called(folder) == run_called(Path(folder).absolute()) == called


STEP = (
    NextStep("Read them (auditfw explain ", " v1); if")
    + " so"
    + NextStep(": auditfw rerun ", " seed=2; the latest news")
)
AS_IN_FILES = "Read them (auditfw explain latest v1); if so: auditfw rerun latest seed=2; the latest news"


def test_a_step_stands_in_files_with_latest_and_is_shown_with_what_the_run_is_called() -> None:
    assert STEP == str(STEP) == json.loads(json.dumps(STEP)) == AS_IN_FILES
    assert of_run(STEP, "X9") == "Read them (auditfw explain X9 v1); if so: auditfw rerun X9 seed=2; the latest news"
    assert of_run(STEP, "outputs/consistency/2026-01-02/11-00-00-000000") == AS_IN_FILES


def test_nothing_is_looked_for_in_a_text() -> None:
    assert of_run(AS_IN_FILES, "X9") == of_run(NextStep(AS_IN_FILES), "X9") == AS_IN_FILES
    name = NextStep("Look at the reading auditfw explain latest: auditfw explain ", "")
    assert of_run(name, "X9") == "Look at the reading auditfw explain latest: auditfw explain X9"


@pytest.mark.parametrize("again", [copy.deepcopy, lambda step: pickle.loads(pickle.dumps(step)), masked_data])
def test_a_step_stays_one(again: Callable[[NextStep], NextStep]) -> None:
    assert again(STEP).parts == STEP.parts


def test_a_hidden_value_is_hidden_in_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret"})
    step = masked_data(NextStep("auditfw explain ", " s3cret"))
    assert (step, of_run(step, "X9")) == ("auditfw explain latest [masked]", "auditfw explain X9 [masked]")


def test_the_newest_run_is_by_its_date_whatever_its_audit() -> None:
    assert newest() == Path("outputs/consistency/2026-01-02/11-00-00-000000")
    assert newest("sweeps") is None
