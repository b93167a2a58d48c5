"""The wheel: it holds what a run needs and nothing else, and runs as installed, away from the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from places import ROOT

from auditfw.kinds.component_index import PACKAGES

COMPILER = shutil.which((os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0])

pytestmark = pytest.mark.slow


def ran(*command: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "AUDITFW", "HYDRA"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**env, "PYTHONUTF8": "1", **more},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def made(folder: Path, **more: str) -> tuple[Path, str]:
    """A wheel, and what was said while it was built."""
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    done = ran(*command, cwd=folder, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    [file] = folder.glob("*.whl")
    return file, done.stdout + done.stderr


def members(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("wheel"))[0]


def test_wheel_holds_what_a_run_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        [metadata] = [archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
        [points] = [archive.read(name).decode() for name in names if name.endswith(".dist-info/entry_points.txt")]
    conf = {f"auditfw/conf/{file.relative_to(ROOT / 'conf')}" for file in (ROOT / "conf").rglob("*.yaml")}
    homes = ROOT / "auditfw", ROOT / "plugins/auditfw-arc/auditfw_arc"
    modules = {str(file.relative_to(home.parent)) for home in homes for file in home.rglob("*.py")}
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
    assert {name.split("/")[0] for name in names} == {*PACKAGES, "-".join(wheel.name.split("-")[:2]) + ".dist-info"}
    left_out = re.compile(r"(^|/)(tests?|conftest|test_\w+|__pycache__)(/|\.py$)|\.[ch]$")
    assert not [name for name in names if left_out.search(name)]
    assert "Audits of evaluations" in metadata
    assert "[pytest11]\nauditfw = auditfw.commands.pytest_plugin\n" in points
    assert "[auditfw.plugins]\narc = auditfw_arc\n" in points


def test_an_index_shows_what_github_was_asked_to_build(tmp_path: Path) -> None:
    """The wheel is made from the source archive, as `python -m build` does it."""
    known = {"GITHUB_REPOSITORY": "o/r", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_SHA": "1f"}
    command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, ROOT)
    done = ran(*command, cwd=tmp_path, **known)
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel], [archive] = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as packed, tarfile.open(archive) as source:
        [name] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        [information] = [member for member in source.getmembers() if re.fullmatch(r"[^/]+/PKG-INFO", member.name)]
        stream = source.extractfile(information)
        assert stream is not None
        texts = [packed.read(name).decode(), stream.read().decode()]
    for text in texts:
        assert "\nLicense-Expression: MIT AND Apache-2.0\n" in text
        assert "\nLicense-File: auditfw/samples/arc/LICENSE\n" in text
        assert "\nProject-URL: Repository, https://github.com/o/r\n" in text
        assert re.findall(r"\]\((?!https://|#)[^)]*\)", text) == []


def test_installed_wheel_runs_anywhere(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = ran(scripts / "python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    done = ran(scripts / "auditfw", cwd=empty)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)" in done.stdout
    [result] = [file for file in empty.glob("outputs/parsing/*/*/result.json") if file.parent.name != "latest"]
    told = json.loads(result.read_text("utf-8"))
    flips = {m["reading"]: m["value"] for m in told["measurements"] if m["metric"] == "flips"}
    assert flips == {"stored+v1": 0, "answer_v2+v1": 23, "stored+v2": 17, "answer_v2+v2": 30, "after_think+v2": 10}
    assert ran(scripts / "auditfw", "list", "parser", cwd=empty).returncode == 0
    done = ran(scripts / "auditfw", "experiment=self_audit", "source.limit=2", "report=[json]", cwd=empty)
    assert (done.returncode, json.loads(done.stdout)["counts"]["read"]) == (0, 2), done.stderr


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_the_wheel_is_for_this_platform_where_the_kernel_is_inside(wheel: Path) -> None:
    kernels = [name for name in members(wheel) if name.startswith("auditfw/core/native/_kernel.") and "pyi" not in name]
    assert kernels == [f"auditfw/core/native/_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"]
    assert "none-any" not in wheel.name


@pytest.mark.parametrize("compiler", ["false", "no-such-compiler"])
def test_without_a_compiler_the_wheel_is_pure_and_works(compiler: str, tmp_path: Path) -> None:
    file, said = made(tmp_path, CC=compiler)
    assert file.name.endswith("-py3-none-any.whl")
    assert said.count("auditfw: built without the native kernel") == 1
    assert not [name for name in members(file) if name.endswith((".so", ".pyd"))]
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "site")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); from auditfw.__main__ import main; main()"
    done = ran(sys.executable, "-c", code, "hydra.run.dir=run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    assert manifest["kernel"] == "python"
