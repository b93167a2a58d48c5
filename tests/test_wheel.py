"""The wheel: it holds what a run needs and nothing else, and runs as installed, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


def ran(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "AUDITFW", "HYDRA"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**env, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = ran(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    [file] = folder.glob("*.whl")
    return file


def test_wheel_holds_what_a_run_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        [metadata] = [archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    conf = {f"auditfw/conf/{file.relative_to(ROOT / 'conf')}" for file in (ROOT / "conf").rglob("*.yaml")}
    modules = {str(file.relative_to(ROOT)) for file in (ROOT / "auditfw").rglob("*.py")}
    sample = "auditfw/samples/vivarium_behavioral"
    assert "auditfw/conf/config.yaml" in conf
    assert conf | modules <= names
    assert {
        "auditfw/py.typed",
        f"{sample}/PROVENANCE.md",
        f"{sample}/LICENSE",
        f"{sample}/behavioral_t0.5.csv",
    } <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {"auditfw", wheel.name.split("-py3")[0] + ".dist-info"}
    assert not [name for name in names if "test" in name or "__pycache__" in name]
    assert "Audits of evaluations" in metadata


def test_installed_wheel_runs_anywhere(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = ran(scripts / "python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    done = ran(scripts / "auditfw", cwd=empty)
    assert (done.returncode, done.stderr) == (0, "")
    assert "read 2,160 = audited 1,080 + no_ground_truth 1,080" in done.stdout
    [result] = [file for file in empty.glob("outputs/parsing/*/*/result.json") if file.parent.name != "latest"]
    told = json.loads(result.read_text("utf-8"))
    flips = {m["reading"]: m["value"] for m in told["measurements"] if m["metric"] == "flips"}
    assert flips == {"stored+v1": 0, "answer_v2+v1": 23, "stored+v2": 17, "answer_v2+v2": 30, "after_think+v2": 10}
    assert ran(scripts / "auditfw", "list", "parser", cwd=empty).returncode == 0
