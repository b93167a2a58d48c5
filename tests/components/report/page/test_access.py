"""Pages for everyone: contrast, heads of rows and columns, headings in order, what scrolls can be reached."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pages
import pytest
from page_reading import Reader, text_of

from auditfw.components.report.page.content import HtmlPage, PagePart, result_page
from auditfw.components.report.page.page import GRAMMAR, grammar
from auditfw.core.document import Chart, Exhibit, Matrix, Note, Section, Series, Snippet, Table

STYLE = (Path(__file__).parents[4] / "auditfw/components/report/page/page.css").read_text("utf-8")
COLOURS = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\);", STYLE)
MIXED = r"color-mix\(in srgb, var\(--(\w+)\) (\d+)%, var\(--paper\)\)"
LIGHT, DARK = ({name: ends[n] for name, *ends in COLOURS} for n in (0, 1))
Colour = tuple[float, ...]


def rgb(text: str) -> Colour:
    return tuple(int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))


def contrast(one: Colour, other: Colour) -> float:
    """The ratio of WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""

    def luminance(colour: Colour) -> float:
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_has_contrast(scheme: dict[str, str]) -> None:
    assert contrast(rgb("#000000"), rgb("#ffffff")) == pytest.approx(21)
    for ground in ("paper", "panel"):
        for name in ("ink", "soft", "accent", "good", "bad", "open"):
            assert contrast(rgb(scheme[name]), rgb(scheme[ground])) >= 4.5, (name, ground)
        for name in ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"):  # lines and bars
            assert contrast(rgb(scheme[name]), rgb(scheme[ground])) >= 3, (name, ground)
    for name in ("soft", "good", "bad", "open"):  # badges
        assert contrast(rgb(scheme["paper"]), rgb(scheme[name])) >= 4.5, name


def shades(scheme: dict[str, str], dark: bool) -> dict[str, tuple[Colour, Colour]]:
    """The ground and the text of each shade of a heat map."""
    found = {}
    for name, rule in re.findall(r"^\.([hde]\d) \{ (.*) \}$", STYLE, re.MULTILINE):
        mixes = re.findall(MIXED, rule)
        plain = re.match(r"background: var\(--(\w+)\);", rule)
        if mixes:
            hue, share = mixes[-1] if dark else mixes[0]
            part = int(share) / 100
            pairs = zip(rgb(scheme[hue]), rgb(scheme["paper"]), strict=True)
            ground = tuple(part * a + (1 - part) * b for a, b in pairs)
        else:
            assert plain is not None, name
            ground = rgb(scheme[plain[1]])
        text = re.search(r" color: (?:light-dark\()?var\(--(\w+)\)(?:, var\(--(\w+)\)\))?", rule)
        ink = "ink" if text is None else (text[2] or text[1]) if dark else text[1]
        found[name] = ground, rgb(scheme[ink])
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_number_of_a_heat_map_can_be_read(dark: bool) -> None:
    found = shades(DARK if dark else LIGHT, dark)
    assert sorted(found) == sorted([f"h{n}" for n in range(10)] + [f"{side}{n}" for side in "de" for n in range(1, 10)])
    assert {name: ratio for name, pair in found.items() if (ratio := contrast(*pair)) < 4.5} == {}


def whole() -> Reader:
    own = [
        Table(["step", "n"], [["a", "1"]], "<>"),
        Table(["1", "2"], [["3", "4"]], ">>", "numbers"),
        Exhibit("e", [], [Snippet("raw_text", "a long text")]),
        Matrix("heat", "c", ["a row with a name of more than 24"], ["x"], [[1.0]], [["1"]]),
    ]
    return Reader(text_of(pages.result([Section("Own", own), Section("Below", [Note("n")], level=3)])))


def test_tables_have_heads_of_columns_and_rows() -> None:
    page = whole()
    scopes = {at.get("scope") for tag, at in page.elements if tag == "th"}
    assert scopes == {"col", "row"}
    text = text_of(pages.result([Section("Own", [Table(["step", "n"], [["a", "1"]], "<>")])]))
    assert '<tr><th scope="row">a</th><td class="number">1</td></tr>' in text
    text = text_of(pages.result([Section("Own", [Table(["1", "2"], [["3", "4"]], ">>")])]))
    assert '<tr><td class="number">3</td><td class="number">4</td></tr>' in text


def test_headings_do_not_jump_and_regions_have_names_of_their_own() -> None:
    page = whole()
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    named = [at["aria-labelledby"] for tag, at in page.elements if tag == "section" and "aria-labelledby" in at]
    assert len(named) == len(set(named)) == levels.count(3)
    assert not [at for _, at in page.elements if at.get("role") == "region"]


def test_what_scrolls_can_be_reached_and_has_a_name() -> None:
    boxes = [at for _, at in whole().elements if (at.get("class") or "").split()[:1] in (["scroll"], ["text"])]
    assert len(boxes) >= 4
    assert all((at.get("tabindex"), at.get("role")) == ("0", "group") and at.get("aria-label") for at in boxes)
    assert {"table: step, n", "numbers", "heat", "raw_text"} <= {at["aria-label"] for at in boxes}


def test_pictures_have_a_name() -> None:
    svgs = [at for tag, at in Reader(text_of(pages.result())).elements if tag == "svg"]
    assert svgs
    assert all(at.get("role") == "img" and at.get("aria-label") for at in svgs)


def test_the_legend_names_the_colours_that_the_page_has() -> None:
    bare = HtmlPage("t", "none", "no gates", [], [PagePart("p", [Note("n")])])
    assert grammar(bare) == []
    chart = Chart("c", "x", "y", [Series("s", [1], [1], role="reference")])
    heat = Matrix("m", "c", ["r"], ["x"], [[1.0]], [["1"]], diverging=True, better="lower", counts=[[9]])
    status = Table(["gate", "status"], [["g", "inconclusive"]])
    shown = grammar(HtmlPage("t", "none", "no gates", [], [PagePart("p", [chart, heat, status])]))
    assert shown == [one for one in GRAMMAR if one[1] != "s-candidate"]
    assert [name for name, _ in grammar(result_page(pages.result([], "pass")))][:1] == ["better, pass"]
