"""The first screen in a notebook: answer, picture, gates; no script, nothing from outside, within bounds, escaped."""

from __future__ import annotations

import re
from dataclasses import replace

import page_reading
import pages
import pytest

from auditfw.components.report.page import first_screen as screen
from auditfw.components.report.page.first_screen import MAX_BYTES, first_screen
from auditfw.core.document import Chart, Section, Series
from auditfw.core.records import Answer, GateResult, Result

TAGS = {"div", "style", "p", "b", "strong", "ul", "li", "span", "table", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"figure", "figcaption", "svg", "path", "line", "text", "title", "desc"}
PLACE = "Run folder: run"


def answered(result: Result, text: str = "Error lies between 3 and 9 %.") -> Result:
    return replace(result, answer=Answer("fragile", text, [text, text, text], text, text))


def test_answer_then_picture_then_verdict_then_gates() -> None:
    page = page_reading.Reader(first_screen(answered(pages.result()), PLACE))
    order = ["FRAGILE", "Error lies between 3 and 9 %.", "Next", "Error rate of every reading"]
    order += [
        "Audit parsing",
        "FAIL",
        "1,080 of 2,160 trials",
        "baseline_reproduces",
        "few_flips",
        "80 is above 25",
        "1 truth normalises to nothing",
        PLACE,
    ]
    places = [page.text.find(part) for part in order]
    assert places == sorted(places)
    assert min(places) >= 0
    assert page.wrong == []
    assert page.open == []


@pytest.mark.parametrize("result", [pages.result(), page_reading.hostile()], ids=["plain", "hostile"])
def test_no_tags_but_ours_and_nothing_from_outside(result: Result) -> None:
    hostile = page_reading.HOSTILE
    gates = [*result.gates, GateResult(hostile, hostile, hostile, 1.0, "fail", hostile)]
    text = first_screen(answered(replace(result, audit=hostile, gates=gates, warnings=[hostile]), hostile), hostile)
    page = page_reading.Reader(text)
    assert {tag for tag, _ in page.elements} <= TAGS
    assert page.wrong == []
    assert page.open == []
    names = {name for _, attributes in page.elements for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("href", "src", "style", "id", "srcset")}
    assert re.findall(r"url\(|@import|expression", page.raw[0][1]) == []
    assert len(page.raw) == 1
    assert "<script>globalThis.bad=1</script>" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ud800-\udfff]", text)
    text.encode()


def test_the_style_keeps_within_its_class() -> None:
    """Outside its braces every selector ends with the class, so that nothing else in the notebook changes."""
    flat = screen.style()
    while "{" in (inner := re.sub(r"\{[^{}]*\}", ";", flat)):
        flat = inner
    selectors = [one.strip() for part in inner.split(";") for one in part.split(",") if one.strip()]
    assert len(selectors) >= 10
    assert [one for one in selectors if not re.search(r"(^|\s)(\.auditfw-result)+$", one)] == []


def test_every_colour_has_a_name_and_two_shades() -> None:
    declared = re.findall(r"--([\w-]+): (\S[^;]*);", screen.style())
    used = set(re.findall(r"var\(--([\w-]+)\)", first_screen(pages.result(), PLACE)))
    assert used <= {name for name, _ in declared}
    assert [n for n, value in declared if not value.startswith("light-dark(") and n not in ("sans", "mono")] == []
    assert "color-scheme: light dark;" in screen.style()


LONG = page_reading.HOSTILE * 400
CROWD = [GateResult(f"gate {n} {LONG}", LONG, LONG, 1.0, "fail", f"{n} {LONG}") for n in range(300)]
MARKS = "&" * 5_000
COSTLY = [GateResult(MARKS, MARKS, MARKS, 1.0, "fail", MARKS + str(n)) for n in range(40)]
CLOUD = Series("cloud", [float(n) for n in range(2_000)], [float(n % 97) for n in range(2_000)])


@pytest.mark.parametrize(
    "result",
    [
        replace(pages.result([]), gates=CROWD, warnings=[LONG] * 50, audit=LONG, counts={LONG: 3}),
        replace(pages.result([]), gates=COSTLY, warnings=[MARKS], audit=MARKS, counts={MARKS: 3}),
        pages.result([Section("s", [Chart("cloud", "x", "y", [CLOUD], "points")], screen="picture")]),
        replace(pages.result([]), gates=[GateResult("\U000e0001" * 5_000, "&" * 5_000, "é" * 5_000, 1.0, "pass")] * 40),
    ],
    ids=["texts", "costly", "points", "characters"],
)
def test_it_is_never_large(result: Result) -> None:
    text = first_screen(answered(result, MARKS), MARKS)
    assert len(text.encode()) <= MAX_BYTES
    assert page_reading.Reader(text).wrong == []
    assert text.rstrip().endswith("</div>")


def test_many_gates_are_cut_and_counted() -> None:
    gates = [GateResult(f"g{n}", "flips <= 2", None, 1.0, "pass") for n in range(30)]
    page = page_reading.Reader(first_screen(replace(pages.result([]), gates=gates), PLACE))
    assert [name in page.text for name in (" g11 ", " g12 ", "and 18 more rows")] == [True, False, True]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a" * 200, "a" * 200),
        ("a" * 201, "a" * 199 + "…"),
        ("a" * 5_000, "a" * 199 + "…"),
        ("\u202e" * 25, "<U+202E>" * 25),
        ("\u202e" * 26, "<U+202E>" * 24 + "<U+202E…"),
    ],
)
def test_long_texts_are_cut_as_they_are_shown(name: str, shown: str) -> None:
    gates = [GateResult(name, "flips <= 2", None, 1.0, "pass")]
    page = page_reading.Reader(first_screen(replace(pages.result([]), gates=gates), PLACE))
    assert shown in page.said


def test_a_large_picture_goes_before_the_gates_do() -> None:
    gates = [GateResult(f"g{n}", "flips <= 2", None, 1.0, "pass") for n in range(12)]
    crowded = pages.result([Section("s", [Chart("cloud", "x", "y", [CLOUD], "points")], screen="picture")])
    page = page_reading.Reader(first_screen(replace(crowded, gates=gates), PLACE))
    assert " g11 " in page.text
    assert "svg" not in {tag for tag, _ in page.elements}


def test_what_there_is_not_is_left_out() -> None:
    bare = replace(pages.result([]), measurements=[], gates=[], warnings=[], counts={}, verdict="none", exit_code=0)
    page = page_reading.Reader(first_screen(bare, PLACE))
    assert page.text.split() == ["Audit", "parsing", "no", "gates", *PLACE.split()]
    assert not {"table", "svg", "ul", "figure"} & {tag for tag, _ in page.elements}


def test_several_warnings_are_counted() -> None:
    page = page_reading.Reader(first_screen(replace(pages.result([]), warnings=["first", "second"]), PLACE))
    assert "2 warnings, the first: first" in page.text
    assert "second" not in page.text


def test_the_picture_is_the_first_marked_chart_with_points() -> None:
    empty = Chart("empty", "x", "y", [Series("s", [], [])])
    full = Chart("full", "x", "y", [Series("s", [1.0, 2.0], [1.0, 2.0])])
    page = page_reading.Reader(
        first_screen(
            pages.result([Section("a", [empty], screen="picture"), Section("b", [empty, full], screen="picture")]),
            PLACE,
        )
    )
    assert [attributes["aria-label"] for tag, attributes in page.elements if tag == "svg"] == ["full"]


def test_the_same_result_gives_the_same_bytes() -> None:
    assert pages.result()._repr_html_() == pages.result()._repr_html_()
