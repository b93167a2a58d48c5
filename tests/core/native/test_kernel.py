"""The compiled kernel: its sources, its absence, and that it gives back its memory."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_readings import GRID, NORMALIZERS, PARSERS, SIGNS, Fails
from kernel_ways import MODULE, built, ran

from auditfw.audits.parsing.engine.kernels import Native
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.components.matcher.texts import Containment
from auditfw.core.native import compiled, kernel_name
from auditfw.core.native.digest import digest
from auditfw.kinds.capabilities import Named


@built
def test_every_code_point_lowers_as_in_python() -> None:
    wrong = [c for c in range(sys.maxunicode + 1) if MODULE.lower(f"{chr(c)}aB") != f"{chr(c)}aB".lower()]
    assert wrong == []


@built
@pytest.mark.parametrize(
    "make",
    [
        lambda: MODULE.Needle((), "", True),
        lambda: MODULE.Needle((1,), "", True),
        lambda: MODULE.Reader((("nonsense",),), (), (), (), (), len),
        lambda: MODULE.Reader((("replace", "a", "é"),), (), (), (), (), len),
        lambda: MODULE.Reader((("first_of", ((0,),)),), (), (), (), (), len),
        lambda: MODULE.Reader((), ((False, None, True, (0,)),), (), (), (), len),
        lambda: MODULE.Reader((), (), (), ((0, 0),), (), len),
        lambda: MODULE.Reader((), (), (), (), ((1,),), len),
        lambda: MODULE.Reader((), (), (), (), (), len).score(["a"], None, []),
        lambda: MODULE.lower(b"a"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises((ValueError, TypeError, IndexError)):
        make()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@built
@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="needs /proc")
def test_the_kernel_gives_back_its_memory() -> None:
    plan = ReadingPlan(
        (*PARSERS, Named("fails", type(PARSERS[0].part)(steps=(Fails("raises"),)))), NORMALIZERS, Containment(), GRID
    )
    texts = [f"{word} the Σ é </think> A.b.c 𝟠 user: {word * 40}" for word in map(str, range(40))]
    sizes = []
    for _ in range(10):
        for _ in range(3):
            Native(plan, SIGNS).score(list(texts), texts[::-1], ["8", ("a", "b")] * 20)
        gc.collect()
        sizes.append(resident())
    assert sizes[-1] - sizes[4] < 1 << 20, sizes


ABSENT = "import sys; sys.modules['auditfw.core.native._kernel'] = None; "


@pytest.mark.parametrize(
    ("wanted", "code", "said"),
    [("C", "", "AUDITFW_KERNEL: no such kernel"), ("native", ABSENT, "AUDITFW_KERNEL: the native kernel is not built")],
)
def test_a_kernel_that_is_not_there_is_refused_in_one_line(wanted: str, code: str, said: str, tmp_path: Path) -> None:
    done = ran(tmp_path, wanted, code)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_the_compiled_kernel_the_one_in_python_runs(tmp_path: Path) -> None:
    done = ran(tmp_path, "", ABSENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["kernel"] == "python"


@built
def test_a_kernel_of_other_sources_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUDITFW_KERNEL", raising=False)
    assert kernel_name() == "native"
    monkeypatch.setattr(MODULE, "digest", "of older sources")
    compiled.cache_clear()
    try:
        has_sources = digest(Path(MODULE.__file__).parent) != ""
        assert kernel_name() == ("python" if has_sources else "native")
    finally:
        compiled.cache_clear()
