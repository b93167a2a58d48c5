"""A Functional Mock-up Unit, where FMPy (the extra `fmu`) and a C compiler are at hand."""

from __future__ import annotations

import math
import platform
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from places import CASES
from simulated_parts import part, stretch

from auditfw.config import build as bridge
from auditfw.core.errors import AuditError

bridge.prepare()


if find_spec("fmpy") and shutil.which("cc") and (sys.platform, platform.machine()) == ("linux", "x86_64"):

    @pytest.fixture(scope="module")
    def decay(tmp_path_factory: pytest.TempPathFactory) -> str:
        """A unit of exponential decay, compiled for this machine."""
        folder, source = tmp_path_factory.mktemp("fmu"), CASES / "data/decay_fmu"
        library = folder / "decay.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source / "decay.c", "-lm"], check=True)
        with zipfile.ZipFile(folder / "decay.fmu", "w") as unit:
            unit.write(source / "modelDescription.xml", "modelDescription.xml")
            unit.write(library, "binaries/linux64/decay.so")
        return str(folder / "decay.fmu")

    def test_mockup_unit(decay: str) -> None:
        simulator = part("simulator", use="fmu", model=decay)
        simulator.check()
        found = simulator(stretch({"rate": 0.5}, {}, {"rate": 1.0}, {"nope": 1.0}))
        assert found.columns["level"][:3].tolist() == pytest.approx([math.exp(-1), math.exp(-1), math.exp(-2)])
        assert found.status == ["ok", "ok", "ok", "error"]
        assert found.why[3] == "ValueError: unknown parameter 'nope': known: level, rate"
        assert len(simulator.reads()) == 1

    @pytest.mark.parametrize("isolation", ["process", "none"])
    def test_a_unit_that_is_replaced_is_opened_anew(decay: str, tmp_path: Path, isolation: str) -> None:
        """Also in a process that has the older one open, as a worker of a cluster may."""
        path, library = tmp_path / "a.fmu", tmp_path / "grow.so"
        shutil.copy(decay, path)
        simulator = part("simulator", use="fmu", model=str(path), isolation=isolation)
        before = simulator(stretch({"rate": 1.0}))
        code = (CASES / "data/decay_fmu/decay.c").read_text().replace("exp(-unit", "exp(unit")
        (tmp_path / "grow.c").write_text(code)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "grow.c", "-lm"], check=True)
        with zipfile.ZipFile(path, "w") as unit:
            unit.write(CASES / "data/decay_fmu/modelDescription.xml", "modelDescription.xml")
            unit.write(library, "binaries/linux64/decay.so")
        after = simulator(stretch({"rate": 1.0}))
        levels = [one.columns["level"].tolist()[0] for one in (before, after)]
        assert levels == pytest.approx([math.exp(-2), math.exp(2)])

    def test_mockup_units_that_there_are_not(tmp_path: Path) -> None:
        (tmp_path / "no.fmu").write_text("no zip", "utf-8")
        with pytest.raises(AuditError, match="is not a Functional Mock-up Unit"):
            part("simulator", use="fmu", model=str(tmp_path / "no.fmu")).check()
