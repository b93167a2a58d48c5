"""Charts: data first, then a line of characters, a table or an SVG file; hostile names stay text in all of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditfw.commands import stored_run as retell
from auditfw.commands import verbs
from auditfw.components.report import console, drawer, markdown, pictures, sketch, vega
from auditfw.components.report.vega import NARROW
from auditfw.core.document import Chart, Section, Series
from auditfw.core.records import Result

CURVE = Chart(
    "Alignment by x", "x", "score", [Series("overall", [0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.0, 0.25])], ends=(0, 1)
)
TWO = Chart("Two", "x", "y", [Series("a", [0.0, 1.0], [1.0, 2.0]), Series("b", [1.0, 2.0], [3.0, 4.0])])
BARS = Chart("Free", "simulator", "score", [Series("mean", ["constant", "permuted"], [0.5, 1.0])], kind="bars")
POINTS = Chart("Cost", "seconds", "solved", [Series("rules", [1.0, 2.0], [0.3, 0.5], ["ten tries", ""])], kind="points")
HOSTILE = "<script>alert(1)</script> ]( javascript:\x1b[2J\u202e"


def result(*charts: Chart) -> Result:
    sections = [Section("Curves", list(charts), console=True)]
    return Result("alignment", "none", 0, {"read": 1, "audited": 1}, (), [], [], [], [], "0", 0, {}, sections=sections)


def test_curve_in_characters() -> None:
    drawn = sketch.sketch(CURVE, 60)
    assert drawn == ["score 0 ▁ to 1 █", "overall ▁▅█▃  0 to 1", "x from 0 to 3"]
    assert sketch.sketch(CURVE, 60, ascii_only=True)[1] == "overall _+@-  0 to 1"


def test_bars_in_characters() -> None:
    short, full = sketch.sketch(BARS, 40)
    assert short.startswith("constant ")
    assert short.endswith(" 0.5")
    assert full.count("█") == 2 * short.count("█") > 0


def test_points_and_narrow_terminals_get_a_table() -> None:
    assert sketch.sketch(POINTS, 80) == []
    assert sketch.sketch(BARS, 10) == []


def test_tables() -> None:
    assert [list(row) for row in TWO.as_table().rows] == [["0", "1", ""], ["1", "2", "3"], ["2", "", "4"]]
    assert list(POINTS.as_table().rows[0]) == ["rules", "ten tries", "1", "0.3"]
    assert [row[0] for row in sketch.thinned([[str(i)] for i in range(101)], 3)] == ["0", "50", "100"]


def test_svg_is_whole_and_the_same_twice() -> None:
    pytest.importorskip("vl_convert")
    drawn = pictures.svg(TWO)
    assert drawn == pictures.svg(TWO)
    words = {"".join(node.itertext()) for node in ET.fromstring(drawn).iter() if node.tag.endswith("text")}
    assert {"Two", "x", "y", "a", "b"} <= words


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
def test_hostile_names_stay_text_in_an_svg(kind: str) -> None:
    pytest.importorskip("vl_convert")
    chart = Chart(HOSTILE, HOSTILE, HOSTILE, [Series(HOSTILE, [1.0, 2.0], [1.0, 2.0], [HOSTILE])], kind=kind)  # type: ignore[arg-type]
    root = ET.fromstring(pictures.svg(chart))
    tags = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert not tags & {"script", "a", "image", "foreignObject"}
    told = "".join(root.itertext())
    assert "\x1b" not in told
    assert "\u202e" not in told


def test_report_has_picture_and_table(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    names = markdown.MarkdownReport()(result(CURVE, BARS), str(tmp_path))
    assert list(names) == ["report.md", "chart-1.svg", "chart-2.svg"]
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "![Alignment by x](chart-1.svg)" in text
    assert "| 1 | 0.5 |" in text
    assert "| constant | 0.5 |" in text
    assert "auditfw[charts]" not in text


def test_without_the_extra_there_is_the_table_and_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert list(markdown.MarkdownReport()(result(CURVE), str(tmp_path))) == ["report.md"]
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "![" not in text
    assert "Alignment by x" in text
    assert "| 1 | 0.5 |" in text
    assert "pip install 'auditfw[charts]'" in text


def test_console_draws_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    console.ConsoleReport()(result(CURVE, POINTS), None)
    told = capsys.readouterr().out
    assert "Alignment by x" in told
    assert "x from 0 to 3" in told
    assert "ten tries" in told


def test_charts_survive_being_stored(tmp_path: Path) -> None:
    sections = [Section("Curves", [CURVE, TWO, BARS, POINTS])]
    retell.save_sections(str(tmp_path), sections)
    told = json.loads((tmp_path / retell.SECTIONS).read_text("utf-8"))["sections"]
    again = retell._section(told[0])
    assert [block.as_table() for block in again.blocks if isinstance(block, Chart)] == [
        chart.as_table() for chart in (CURVE, TWO, BARS, POINTS)
    ]


def words_of(picture: str) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture).iter() if node.tag.endswith("text")]


ALL_ONE = [
    ([1.0, 2.0], [0.9663, 0.9663], "points", "1.05"),  # not one tick called 1
    ([1.0, 2.0], [0.0, 0.0], "line", "−0.5"),
    (["a", "b"], [0.0, 0.0], "bars", "0.2"),
    (["a", "b"], [3.0, 3.0], "bars", "2.5"),
]


@pytest.mark.parametrize(("x", "y", "kind", "tick"), ALL_ONE)
def test_numbers_that_are_all_one_have_an_axis(x: list, y: list, kind: str, tick: str) -> None:
    pytest.importorskip("vl_convert")
    words = words_of(pictures.svg(Chart("c", "x", "y", [Series("s", x, y)], kind)))  # type: ignore[arg-type]
    assert tick in words


LONG = ["answer_v2+v1+containment", "a name of several words that goes on", "short", "x" * 40]


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_picture_for_a_narrow_page_fits_it_and_breaks_names(kind: str, count: int) -> None:
    pytest.importorskip("vl_convert")
    series = [Series(f"{n} {LONG[1]}", LONG, [1.0, 2.0, 1e6, 3.0]) for n in range(count)]
    chart = Chart("A long title of a chart " * 3, "x", "y", series, kind)  # type: ignore[arg-type]
    drawn = ET.fromstring(pictures.svg(chart, NARROW))
    assert float(drawn.get("width", "inf")) <= NARROW.width
    choices = Chart("c", "x", "y", series, "points", choices={"parser": LONG})
    assert float(ET.fromstring(pictures.svg(choices, NARROW)).get("width", "inf")) <= NARROW.width + 30
    words = words_of(pictures.svg(chart, NARROW))
    assert ("answer_v2+v1+containment" in words) == (kind != "line")
    assert chart.title[:20] not in " ".join(words)


@pytest.mark.parametrize(
    ("name", "letters", "wanted"),
    [
        ("answer_v2+v1", 20, "answer_v2+v1"),
        ("answer_v2+v1", 10, "answer_v2+\nv1"),
        ("a b  c", 3, "a \nb  \nc"),
        ("abcdefgh", 3, "abcdefgh"),
        ("", 3, ""),
    ],
)
def test_names_break_behind_a_part(name: str, letters: int, wanted: str) -> None:
    assert vega._broken(name, letters) == wanted


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
from auditfw.components.report.drawer import drawer
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
    assert "No picture: the process that draws it failed." in page
    assert "The pictures could not be drawn" in page
    if not swept:
        assert verbs.report([str(folder)]) in (0, 1)
        assert 'class="chart' in (folder / "report.html").read_text("utf-8")
