"""report.html read back by an HTML parser: what it says, what it may load, and that hostile texts stay texts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pages
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import Command

import auditfw
from auditfw.commands import stored_run as retell
from auditfw.commands import verbs
from auditfw.commands.run_folder import write_measurements, write_result
from auditfw.components.report import pictures
from auditfw.components.report.html import HtmlReport
from auditfw.components.report.page import blocks, drawing, gallery, marks, page, telling
from auditfw.components.report.vega import NARROW, WIDE, points_drawn
from auditfw.core import escaping as sinks
from auditfw.core.document import Chart, Exhibit, Gallery, Grid, Mark, Matrix, Note, Section, Series, Snippet, Table
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.records import Result

HOSTILE = (
    "</script><script>globalThis.bad=1</script><img src=x onerror=bad()>\"'&amp;\x1b[2J\u202e\ud800 {{7*7}} ${7*7}"
)
VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """What a browser would make of a page: its elements with attributes, and the text in each script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self.said: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("script", "style"):
            self.raw.append((dict(attrs), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[-1] = (self.raw[-1][0], self.raw[-1][1] + data)
        else:
            self.said.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.said))

    def data(self) -> dict[str, Any]:
        """The data blocks by id."""
        return {str(of["id"]): json.loads(text) for of, text in self.raw if of.get("type") == "application/json"}


def text_of(result: Result, max_bytes: int = 5_000_000) -> str:
    return page.page_text(telling.tell(result), max_bytes)


def browsing(exhibits: list[Exhibit], total: int = 10_812) -> Result:
    return pages.result([Section("Flips", [Gallery(pages.FACETS, exhibits, total, "flips")], page=True)])


@pytest.fixture(scope="module")
def whole() -> str:
    return text_of(pages.result())


def test_verdict_and_gates_come_first(whole: str) -> None:
    read = Reader(whole)
    wanted = ["few_flips", "80 is above 25", "1 truth normalises", "[22.32, 27.32]", "All readings, sorted.",
              "and 7 more rows", "Quality by the iterations allowed", "problem a",
              "In this file: 12 of 10,812 flips", "1,234,567", "cd" * 32, "2.1.0"]  # fmt: skip
    places = [read.text.index(word) for word in wanted]
    heads = [of["id"] for tag, of in read.elements if tag in ("h2", "h3")]
    assert read.text.index("Audit parsing") < read.text.index("FAIL") < read.text.index("exit code 1, read 2,160")
    assert places == sorted(places)
    assert heads == [f"head-{n}" for n in range(1, 11)]
    assert not read.wrong


def test_policy_allows_this_style_and_this_script_and_nothing_else(whole: str) -> None:
    read = Reader(whole)
    policy = next(str(of["content"]) for _, of in read.elements if of.get("http-equiv") == "Content-Security-Policy")
    own = [text for of, text in read.raw if "type" not in of]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in own]
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert f"style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'" in policy
    assert "unsafe" not in policy
    assert len(own) == 2


def classes(text: str) -> set[str]:
    return {name for _, of in Reader(text).elements for name in str(of.get("class") or "").split()}


STYLED = sorted(set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^}]*\}", "", page._own(page.STYLE)))))


@pytest.mark.parametrize("verdict", ["pass", "fail", "inconclusive", "none", "error"])
def test_words_of_a_result_are_no_classes_of_the_layout(verdict: str) -> None:
    def made(words: list[str]) -> Result:
        rows = [[word, word, word] for word in (*words, verdict)]
        marks = [Mark(word, n, n + 1) for n, word in enumerate(words)]
        one = Exhibit("e", [("status", "none")], [Snippet("t", "abc" * len(words), marks=marks)], [], [])
        gallery = Gallery((("status",),), [replace(one, tags=[[(word,) for word in words]])], 1, "none")
        heat = Matrix("none", "none", words, ["none"], [[1.0]] * len(words), [["1"]] * len(words))
        found = [Section("none", [Table(["status", *words, "status"], rows, "<>"), one, gallery, heat])]
        counts = {"read": len(words), **dict.fromkeys(words, 1)}
        return replace(pages.result(found, verdict), audit="none", counts=counts)

    plain = classes(text_of(made(["a word", "another"])))
    assert {f"verdict-{verdict}", f"status-{verdict}"} <= plain
    assert not {"pass", "fail", "inconclusive", "none", "error"} & (plain | set(STYLED))
    if verdict == "none":
        plain = classes(text_of(made([f"word {n}" for n in range(len(STYLED))])))
        assert classes(text_of(made(STYLED))) - {"truth"} <= plain  # a mark called "truth" is one


def test_nothing_is_loaded_and_nothing_acts(whole: str) -> None:
    for tag, of in Reader(whole).elements:
        assert tag not in ("img", "iframe", "object", "embed", "form", "base", "audio", "video", "foreignObject", "use")
        assert not [name for name in of if name.startswith("on") or name in ("style", "src", "srcset", "action")]
        assert str(of.get("href", "#")).startswith(("#", "data:,"))
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", whole)


def test_the_same_bytes_twice_and_from_a_stored_run(tmp_path: Path, whole: str) -> None:
    assert text_of(pages.result()) == whole
    result = pages.result()
    write_measurements(tmp_path, result)
    retell.save_sections(str(tmp_path), result.sections)
    write_result(tmp_path, result)
    assert HtmlReport()(retell.read_result(tmp_path), str(tmp_path)) == ("report.html",)
    assert (tmp_path / "report.html").read_text("utf-8") == whole


def test_other_reports_leave_out_what_only_a_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    from auditfw.components.report.console import ConsoleReport
    from auditfw.components.report.markdown import report_text

    text = report_text(pages.result())
    assert "By Cell" in text
    assert "| 0.5, base |  | -10.0 | +4.0 |" in text
    assert "Specification Curve" not in text
    ConsoleReport()(pages.result(), None)
    assert "Flips" not in capsys.readouterr().out


def hostile() -> Result:
    nine = [Mark(HOSTILE, 0, 9)]
    exhibit = Exhibit(HOSTILE, [(HOSTILE, HOSTILE)], [Snippet(HOSTILE, HOSTILE, HOSTILE, 3, (0, 9), nine)],
                      [Grid(HOSTILE, [[0, 11], [-1]])], [[(HOSTILE, HOSTILE)], [], [(HOSTILE,)]])  # fmt: skip
    series = Series(HOSTILE, [HOSTILE, "b"], [1.0, 2.0], [HOSTILE], [0.5, None], [1.5, None])
    heat = Matrix(HOSTILE, HOSTILE, [HOSTILE], [HOSTILE], [[1.0]], [[HOSTILE]], notes=[HOSTILE], note=HOSTILE)
    found = [
        Section(HOSTILE, [Note(HOSTILE), Table([HOSTILE], [[HOSTILE, HOSTILE]], "<", HOSTILE, 2), exhibit]),
        Section("m", [heat]),
        Section("c", [Chart(HOSTILE, HOSTILE, HOSTILE, [series, series], kind) for kind in ("line", "points", "bars")]),  # type: ignore[arg-type]
        Section("s", [Chart(HOSTILE, HOSTILE, HOSTILE, [series], "points", choices={HOSTILE: [HOSTILE, "x"]})]),
        Section("g", [Gallery(((HOSTILE, HOSTILE), ("b",), ("c",)), [exhibit] * 5, 5, HOSTILE)], page=True),
    ]  # fmt: skip
    made = pages.result(found)
    made.warnings.append(HOSTILE)
    made.counts[HOSTILE] = 7
    made.versions[HOSTILE] = HOSTILE
    return made


def test_hostile_texts_stay_texts() -> None:
    text = text_of(hostile())
    plain = Reader(text_of(pages.result()))
    read = Reader(text)
    known = {tag for tag, _ in plain.elements}
    names = {name for _, of in plain.elements for name in of}
    assert {tag for tag, _ in read.elements} <= known | {"tspan"}  # a long name on several lines
    assert {name for _, of in read.elements for name in of} <= names | {"font-weight", "stroke-dasharray", "dy"}
    assert sum("type" not in of for of, _ in read.raw) == 2
    assert not read.wrong
    shown = sinks.visible(HOSTILE, "\n\t")
    assert read.text.count(re.sub(r"\s+", " ", shown)) > 20
    assert read.data()["gallery-0"]["items"][0][0] == shown
    assert not set(text) & set("\x1b\u202e\ud800")
    assert "{{7*7}} ${7*7}" in read.text


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda of: st.lists(of) | st.dictionaries(st.text(), of), max_leaves=12
    )
)
def test_json_sink_is_json_without_anything_html_could_read(document: object) -> None:
    def shown(of: object) -> object:
        if isinstance(of, str):
            return sinks.visible(of, "\n\t")
        if isinstance(of, dict):
            return {shown(name): shown(value) for name, value in of.items()}
        return [shown(one) for one in of] if isinstance(of, list) else of

    text = sinks.html_json(document)
    assert json.loads(text) == shown(document)
    assert not set(text) & set("<>&\u2028\u2029\x00")


spans = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 40), st.integers(0, 40)), max_size=6)


@given(st.text(max_size=30), st.integers(0, 10), spans)
def test_pieces_are_the_text_and_each_knows_who_covers_it(text: str, start: int, found: list) -> None:
    given_marks = [Mark(name, low, high) for name, low, high in found]
    places = {"a": 0, "b": 1, "c": 2}
    made = marks.pieces(text, start, given_marks, places)
    assert "".join(piece for piece, _ in made) == text
    at = start
    for piece, covering in made:
        for _ in piece:
            assert set(covering) == {places[m.name] for m in given_marks if m.start <= at < m.end}
            at += 1


def test_marks_reach_over_what_was_left_out() -> None:
    text = Snippet("t", "abcdef", "uvwxyz", 10, None, [Mark("p", 4, 18), Mark("q", 6, 16), Mark("r", 0, 2)])
    found = marks.cut(text, {"p": 0, "q": 1, "r": 2})
    assert found.head == [("ab", (2,)), ("cd", ()), ("ef", (0,))]
    assert found.across == [0, 1]
    assert found.tail == [("uv", (0,)), ("wxyz", ())]
    assert found.whole == []


@pytest.mark.parametrize(
    ("text", "mark", "whole"),
    [
        (Snippet("t", " abc\n"), Mark("p", 1, 4), True),
        (Snippet("t", " abc."), Mark("p", 1, 4), False),
        (Snippet("t", "abc", "xyz ", 5), Mark("p", 0, 11), True),
        (Snippet("t", "   ", "   ", 5), Mark("p", 0, 3), False),
        (Snippet("t", "abc", "xyz", 5), Mark("p", 0, 10), False),
        (Snippet("t", "   "), Mark("p", 1, 1), False),
    ],
)
def test_a_mark_that_leaves_nothing_out_is_told_and_not_drawn(text: Snippet, mark: Mark, whole: bool) -> None:
    found = marks.cut(replace(text, marks=[mark]), {"p": 0})
    assert found.whole == [0] * whole
    assert whole == (not any(who for _, who in [*found.head, *found.tail]) and bool(found.whole))


def test_index_of_a_gallery() -> None:
    packed = gallery.pack(Gallery(pages.FACETS, pages.flips(2), 9, "flips"))
    told = json.loads(packed.index(2))
    assert told["facets"] == [["reading", "direction"], ["temperature"], ["marker"]]
    assert told["values"][0] == [
        ["answer_v2+v1", "to right"],
        ["stored+v2", "to right"],
        ["after_think+v2", "to wrong"],
    ]
    assert told["items"] == [["t-0", [0, 1], [0], [0, 1]], ["t-1", [2], [1], [0]]]
    assert told["names"] == [["answer_v2", "m0"], ["truth", "truth"], ["after_think", "m2"], ["last_line", "m3"]]
    assert json.loads(packed.chunks(2)[0])[0]["texts"][0]["head"][:2] == [["It is ", 0], ["Pa", 0, 1]]


def test_chunks_hold_every_exhibit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "CHUNK", 1_000)
    packed = gallery.pack(Gallery(pages.FACETS, pages.flips(20), 20, "flips"))
    chunks = [json.loads(chunk) for chunk in packed.chunks(17)]
    starts = json.loads(packed.index(17))["chunks"]
    assert len(chunks) > 3
    assert [sum(map(len, chunks[:n])) for n in range(len(chunks))] == starts
    assert [one["facts"][0][1] for chunk in chunks for one in chunk] == [f"t-{n}" for n in range(17)]
    assert packed.chunks(0) == []


def test_exhibits_that_do_not_fit_are_cut_from_the_end_and_it_is_said() -> None:
    exhibits = pages.flips(200, "It is Paris. " * 300)
    text = text_of(browsing(exhibits), 400_000)
    read = Reader(text)
    kept = len(read.data()["gallery-0"]["items"])
    assert 300_000 < len(text.encode()) <= 400_000
    assert 50 < kept < 100
    said = f"In this file: {kept} of 10,812 flips; {200 - kept} more do not fit into reports.html.max_bytes=400,000."
    assert said in read.text
    assert "In this file: 200 of 10,812 flips (report.max_exhibits)." in Reader(text_of(browsing(exhibits))).text
    none = Reader(text_of(browsing(exhibits), 0))
    assert none.data()["gallery-0"]["items"] == []


def test_room_is_shared_by_size() -> None:
    small = gallery.pack(Gallery((), pages.flips(10), 10, "a"))
    large = gallery.pack(Gallery((), pages.flips(30), 30, "b"))
    assert gallery.fitted([small, large], 10**9) == [10, 30]
    few, many = gallery.fitted([small, large], (sum(small.sizes) + sum(large.sizes)) // 2)
    assert few in (4, 5)
    assert many in (14, 15)
    assert gallery.fitted([small], 0) == [0]


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(UsageError, match="max_bytes"):
        HtmlReport(-1)


@pytest.mark.parametrize(
    ("value", "diverging", "wanted"),
    [
        (0.0, False, "h0"),
        (10.0, False, "h9"),
        (5.0, False, "h4"),
        (None, False, "hole"),
        (0.0, True, "h0"),
        (-10.0, True, "e9"),
        (10.0, True, "d9"),
        (-0.2, True, "h0"),
        (99.0, True, "d9"),
    ],
)
def test_shades(value: float | None, diverging: bool, wanted: str) -> None:
    ends = (-10.0, 10.0) if diverging else (0.0, 10.0)
    told = blocks.matrix_view(Matrix("t", "c", ["r"], ["x"], [[value]], [[""]], diverging, ends))
    assert told["rows"] == [("r", [("", wanted)])]


def test_a_matrix_of_one_value_or_none() -> None:
    alike = blocks.matrix_view(Matrix("t", "c", ["r"], ["x", "y"], [[3.0, 3.0]], [["3", "3"]]))
    assert alike["rows"] == [("r", [("3", "h9"), ("3", "h9")])]
    empty = blocks.matrix_view(Matrix("t", "c", ["r"], ["x"], [[None]], [[""]]))
    assert empty["scale"] == []


def test_grids_as_paths() -> None:
    found = Grid("g", [[1, 1, 0], [1, 0, 0]], [(0, 2)])
    assert drawing.grid_paths(found) == [("a0", "M2 0h1v1h-1zM1 1h2v1h-2z"), ("a1", "M0 0h2v1h-2zM0 1h1v1h-1z")]
    assert drawing.differing_path(found) == "M2 0h1v1h-1z"
    assert drawing.grid_paths(Grid("g", [[], [12]])) == [("ax", "M0 1h1v1h-1z")]


def test_charts_come_over_by_the_list_and_in_the_colours_of_the_page() -> None:
    pytest.importorskip("vl_convert")
    import xml.etree.ElementTree as ET

    for chart in [pages.curve(), *pages.charts()]:
        root = ET.fromstring(drawing.inlined(pictures.svg(chart), HOSTILE.replace("\x1b", "").replace("\ud800", "")))
        tags = {drawing._local(node) for node in root.iter()}
        assert tags <= drawing.ELEMENTS | {"svg", "title"}
        inks = {node.get(name) for node in root.iter() for name in ("fill", "stroke")} - {None}
        assert inks <= set(drawing.INKS.values())
        assert chart.title not in {node.text for node in root.iter()}
        assert "style" not in {name for node in root.iter() for name in node.attrib}
    said = {node.text for node in root.iter() if drawing._local(node) == "title"}
    assert "rules, three tries, 1: 0.3" in said


def test_an_svg_of_another_mind_comes_over_without_its_sting() -> None:
    given = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>x</script><g onclick="x">'
        '<a href="javascript:x"><text fill="url(#x)" style="x" id="i">t</text></a>'
        '<path d="M0 0" fill="#0072b2"/><foreignObject/><image href="http://x"/></g></svg>'
    )
    made = drawing.inlined(given, "t")
    assert 'aria-label="t"' in made
    assert '<g><path d="M0 0" fill="var(--c1)" /></g>' in made
    for word in ("script", "onclick", "href", "style", "foreignObject", "image", "id="):
        assert word not in made


def test_names_that_are_cut_alike_stay_apart() -> None:
    long = ["x" * 80 + "1", "x" * 80 + "2"]
    pytest.importorskip("vl_convert")
    drawn = pictures.svg(Chart("c", "x", "y", [Series("s", long, [1.0, 2.0])], "points"))
    assert f"{'x' * 59}… (2)" in drawn
    assert drawn == pictures.svg(Chart("c", "x", "y", [Series("s", long, [1.0, 2.0])], "points"))


def test_many_points_are_thinned_and_it_is_said() -> None:
    chart = Chart("c", "x", "y", [Series("s", [float(n) for n in range(9_000)], [0.0] * 9_000)], "points")
    assert [points_drawn(chart, paper) for paper in (WIDE, NARROW)] == [2_000, 500]
    told = blocks.chart_view(chart)
    said = [one["drawn"] for one in told["pictures"]]
    assert said == ["2,000 of 9,000 points are drawn.", "500 of 9,000 points are drawn."]
    assert told["rows"] == "200 of 9,000 rows."


def test_without_the_extra_there_is_the_table_and_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    read = Reader(text_of(pages.result()))
    assert "pip install 'auditfw[charts]'" in read.text
    assert "stored+v2 22.9 [20.9, 25.4]" in read.text
    assert "viewbox" in {name for tag, of in read.elements if tag == "svg" for name in of}  # grids need no extra


def test_command_writes_the_page_and_writes_it_again(command: Command, tmp_path: Path) -> None:
    done = command("report=[html]", "reports.html.max_bytes=250000", "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    written = (tmp_path / "run" / "report.html").read_bytes()
    assert len(written) <= 250_000
    assert b"reports.html.max_bytes=250,000" in written
    assert not (tmp_path / "run" / "report.md").exists()
    assert verbs.report([str(tmp_path / "run")]) == 0  # its own reports, with its own settings
    assert (tmp_path / "run" / "report.html").read_bytes() == written
    assert verbs.report([str(tmp_path / "run"), "report=[html]"]) == 0
    again = (tmp_path / "run" / "report.html").read_bytes()
    assert len(again) > len(written)
    assert Reader(again.decode()).text[:400] == Reader(written.decode()).text[:400]
    assert verbs.report([str(tmp_path / "run"), "report=[html]", "reports.html.max_bytes=250000"]) == 0
    assert (tmp_path / "run" / "report.html").read_bytes() == written


REFUSED = [
    (["report=[htm]"], "report=[htm]: no report named 'htm' - did you mean 'html'?"),
    (["reports.html.max_bites=3"], "reports.html.max_bites: unknown setting (3) - did you mean 'max_bytes'?"),
    (["report=[]"], "report: the run has no report of its own (run) - write report=[NAMES]"),
    (["report.max_rows=3"], "report.max_rows: changes nothing of a finished run (report.max_rows=3) - report=[NAMES]"),
    (["--html"], "--html: changes nothing of a finished run (--html) - report=[NAMES], reports.NAME.KEY=... do"),
    (["other"], "report: needs one run folder (run other) - auditfw report RUN"),
]


def test_report_refuses_what_it_cannot_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    auditfw.run({"experiment": "answer_parsing", "report": ["html"]}, tmp_path / "run")
    for words, line in REFUSED:
        with pytest.raises(AuditError) as told:
            verbs.report(["run", *words])
        assert str(told.value).startswith(line)
