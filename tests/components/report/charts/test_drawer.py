"""The process that draws: one for all, replaced when it ended, ended when it hangs, gone with its parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditfw.commands.report import report
from auditfw.components.report.charts import drawer, vega
from auditfw.components.report.charts.vega import NARROW
from auditfw.core.document import Chart, Series


def spec(n: int = 0) -> str:
    return json.dumps(vega.specification(Chart(f"c{n}", "x", "y", [Series("s", [0.0, 1.0], [1.0, 2.0])])))


@pytest.fixture
def artist() -> Iterator[drawer.Drawer]:
    pytest.importorskip("vl_convert")
    one = drawer.Drawer(20.0)
    yield one
    one.close()


def pid_of(artist: drawer.Drawer) -> int:
    assert artist._process is not None
    return artist._process.pid


def test_the_process_draws_the_bytes_of_the_library(artist: drawer.Drawer) -> None:
    import vl_convert

    assert artist._process is None  # nothing is started before there is something to draw
    large = Chart("c", "x", "y", [Series("s", [float(n) for n in range(2_000)], [0.5] * 2_000)], "points")
    for text in (spec(), json.dumps(vega.specification(large)), json.dumps(vega.specification(large, NARROW))):
        assert artist(text) == vl_convert.vegalite_to_svg(text)


def test_one_process_draws_all_and_one_that_ended_while_idle_is_replaced(
    artist: drawer.Drawer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert artist(spec(0))
    first = pid_of(artist)
    os.kill(first, signal.SIGINT)  # Ctrl-C is for the run
    assert artist(spec(1))
    assert pid_of(artist) == first
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert artist(spec(2))
    assert pid_of(artist) != first
    assert capsys.readouterr().err == ""


def test_starting_does_not_wait_for_a_picture(artist: drawer.Drawer) -> None:
    drawing = threading.Thread(target=artist, args=(spec(),))
    with artist._lock:  # as while a picture is drawn
        artist.start()
        assert artist._process is None
    artist.start()
    first = pid_of(artist)
    drawing.start()
    drawing.join()
    artist.start()
    assert pid_of(artist) == first


@pytest.mark.parametrize(("text", "why"), [("{}", "Error: "), ("no JSON", "Error: ")])
def test_what_cannot_be_drawn_costs_the_pictures_and_is_told_once(
    artist: drawer.Drawer, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    assert [artist(text), artist(text), artist(spec())] == [None, None, None]
    told = capsys.readouterr().err
    assert told.startswith("auditfw: warning: charts: cannot be drawn (")
    assert why in told
    assert told.count("\n") == 1


def test_ctrl_c_in_a_terminal_does_not_reach_the_process(artist: drawer.Drawer) -> None:
    artist.start()
    assert os.getpgid(pid_of(artist)) == pid_of(artist)


@pytest.mark.slow
def test_a_process_that_hangs_is_ended_at_the_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    artist = drawer.Drawer(1.0)
    artist.start()
    number = pid_of(artist)
    os.kill(number, signal.SIGSTOP)
    start = time.monotonic()
    assert [artist(spec(n)) for n in range(5)] == [None] * 5
    assert 0.9 < time.monotonic() - start < 10
    assert "(no picture within 1 s)" in capsys.readouterr().err
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


ENDING = """
import os, signal, sys, time
from auditfw.components.report.charts.drawer import drawer
one = drawer()
assert one(sys.argv[1])
os.kill(one._process.pid, signal.SIGSTOP if "hung" in sys.argv else 0)
print(one._process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a hung process ends by its own alarm")
@pytest.mark.parametrize("state", ["idle", "hung"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_process_ends_with_its_parent(state: str, number: int) -> None:
    pytest.importorskip("vl_convert")
    words = [sys.executable, "-c", ENDING, spec(), state]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(number)
        parent.wait(10)
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not Path(f"/proc/{child}").exists() or "State:\tZ" in Path(f"/proc/{child}/status").read_text("utf-8"):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the process outlived its parent")


GIGABYTE = 1 << 30
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
SLOW = pytest.mark.slow
BOUNDED = [
    pytest.param(2.0, ["experiment=posiwid"], id="2 GB", marks=SLOW),
    pytest.param(0.8, ["experiment=posiwid"], id="0.8 GB", marks=SLOW),
    pytest.param(1.5, ["experiment=posiwid", "gates.aligned.min=0.99"], id="1.5 GB", marks=SLOW),
    pytest.param(4.0, ["experiment=answer_parsing", "report=[html,markdown]"], id="4 GB", marks=SLOW),
    pytest.param(8.0, ["experiment=self_audit", "source.limit=2"], id="8 GB", marks=SLOW),
    pytest.param(3.0, ["-m", "experiment=posiwid", "audit.floor=0.1,0.2"], id="sweep", marks=SLOW),
]


@pytest.mark.parametrize(("gigabytes", "words"), BOUNDED)
def test_a_bounded_address_space_costs_the_pictures_only(tmp_path: Path, gigabytes: float, words: list[str]) -> None:
    """The engine of the charts reserves more than this: it dies, and the run ends as it would with report=[json]."""
    pytest.importorskip("vl_convert")
    import resource

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * GIGABYTE),) * 2)

    swept = "-m" in words
    place = "hydra.sweep.dir=run" if swept else "hydra.run.dir=run"
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", *words, place], cwd=tmp_path, preexec_fn=bound, timeout=120, check=False,
        capture_output=True, text=True, env={**os.environ, **ONE_THREAD},
    )  # fmt: skip
    folder = tmp_path / "run" / "0" if swept else tmp_path / "run"
    result = json.loads((folder / "result.json").read_text("utf-8"))
    assert done.returncode == result["exit_code"] == (1 if "gates.aligned.min=0.99" in words else 0), done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("auditfw: ")]
    assert len(told) == 1, done.stderr
    assert told[0].startswith("auditfw: warning: charts: cannot be drawn (")
    assert not any("charts" in warning for warning in result["warnings"])
    page = (folder / "report.html").read_text("utf-8")
    assert 'class="chart' not in page
    assert "No chart: the process that draws it failed." in page
    assert "The charts could not be drawn" in page
    if not swept:
        assert report([str(folder)]) in (0, 1)
        assert 'class="chart' in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "expects"),
    [
        ([], True),
        (["experiment=alignment", "source.path=report.csv"], True),
        (["report=[html,json]"], True),
        (["+report=html"], True),
        (["report=[json]"], False),
        (["~report=html"], False),
        (["report=[html]", "report=[json]"], False),
        (["-m", "seed=1,2"], False),
        (["hydra.mode=MULTIRUN"], False),
    ],
)
def test_a_run_that_may_draw_is_known_by_its_words(words: list[str], expects: bool) -> None:
    pytest.importorskip("vl_convert")
    assert drawer.expects_charts(words) is expects


def test_a_process_that_was_started_in_vain_is_stopped_and_started_again_when_needed(artist: drawer.Drawer) -> None:
    artist.start()
    first = pid_of(artist)
    artist.stop()
    assert artist._process is None
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    assert artist(spec())
    assert pid_of(artist) != first
    artist.stop()
    artist.stop()


def test_a_picture_asked_for_after_the_engine_was_readied_has_the_same_bytes(artist: drawer.Drawer) -> None:
    import vl_convert

    artist.start()
    process = artist._process
    assert process is not None
    assert process.stdout is not None
    time.sleep(0.3)  # the first picture, which nobody asked for, is under way or done: it is no answer
    assert artist(spec(7)) == vl_convert.vegalite_to_svg(spec(7))
