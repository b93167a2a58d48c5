"""Finished runs of one benchmark: of an old model, of the same answers with 26 of 1,319 turned, of a worse model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from suite_trials import N, audited, rows

Write = Callable[[Path, dict[str, Any]], Path]


@pytest.fixture(scope="package")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`old`; `same`, 13 lost and 13 won; `worse`, 66 lost; `moved`, 40 other truths; `part`, the first 400 items."""
    folder = tmp_path_factory.mktemp("suite")
    lost, won = [i for i in range(N) if i % 4], [i for i in range(N) if not i % 4]
    turned = {
        "old": (),
        "same": (*lost[:13], *won[:13]),
        "worse": lost[:66],
        "half": (*lost[:50], *won[:40]),
    }
    for name, of in turned.items():
        audited(folder / name, rows(of, "old" if name == "old" else "new"))  # type: ignore[arg-type]
    audited(folder / "moved", rows(range(0), "new", truth=lambda i: i + 50_000 * (i < 40)))
    audited(folder / "part", rows(range(0), "new", 400))
    (folder / "failed").mkdir()
    (folder / "failed" / "error.json").write_text(json.dumps({"exit_code": 3, "error": "no such file"}), "utf-8")
    return folder


@pytest.fixture
def at(runs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the runs is the current one."""
    monkeypatch.chdir(runs)
    return runs


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes the file of a suite."""

    def written(text: str) -> Path:
        (tmp_path / "r.yaml").write_text(text, "utf-8")
        return tmp_path / "r.yaml"

    return written
