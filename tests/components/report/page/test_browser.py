"""report.html in a real browser, opened from disk: nothing is asked of a network, nothing complains, all of it works.

Needs Chromium: `chromium` or a kin on the PATH, else its path in AUDITFW_BROWSER.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pages
import pytest
from browsers import OVERFLOW
from page_reading import HOSTILE, browsing, hostile, text_of
from sentences import report as says

from auditfw.core.document import Chart, Exhibit, Gallery, Grid, Section, Series
from auditfw.core.records import Result

pytestmark = pytest.mark.slow


def options(tab: Any) -> list[str]:
    return list(tab.locator(".option b").all_inner_texts())


def found(tab: Any) -> str:
    return str(tab.locator(".found").inner_text()).strip()


def wait_for_count(tab: Any, start: str) -> None:
    """Waits until the line that counts what was found begins like this; nothing is evaluated in the page."""
    from playwright.sync_api import expect

    expect(tab.locator(".found")).to_have_text(re.compile(f"^{start}"))


@pytest.mark.parametrize("name", ["answer_parsing", "posiwid", "cross_agent", "self_audit"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_report_of_each_audit_opens(opened: Any, reports: Path, name: str, width: int, scheme: str) -> None:
    start = time.perf_counter()
    tab, _ = opened(reports / name / "report.html", viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert time.perf_counter() - start < 10
    assert "Audit " in tab.locator("h1").inner_text()
    assert tab.locator(".badge").inner_text().endswith(("(stable)", "(fragile)", "(broken)", "(unknown)"))
    assert tab.locator("figure svg.chart").count() >= 1
    assert tab.evaluate(OVERFLOW) == 0
    tab.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    assert tab.evaluate(OVERFLOW) == 0
    if tab.locator("[data-gallery]").count():
        first = tab.locator(".shown h3").first.inner_text()
        tab.keyboard.press("j")
        assert tab.locator(".shown h3").first.inner_text() != first


VISIBLE = '[...document.querySelectorAll("svg.chart")].filter((one) => one.checkVisibility())'
SPILLS = (
    f"() => {VISIBLE}"
    + """.flatMap((one) => {
  const box = one.getBoundingClientRect(), held = one.parentElement.getBoundingClientRect();
  const beyond = (r, of) => [of.left - r.left, r.right - of.right, of.top - r.top, r.bottom - of.bottom];
  const out = (r, of) => Math.max(...beyond(r, of)) > 1;
  const texts = [...one.querySelectorAll("text")].filter((text) => out(text.getBoundingClientRect(), box));
  const small = [...one.querySelectorAll("text")].filter((text) => parseFloat(getComputedStyle(text).fontSize)
    * box.width / one.viewBox.baseVal.width < 8.5);
  return [...(out(box, held) ? [one.ariaLabel] : []), ...texts.concat(small).map((text) => text.textContent)];
})"""
)
OFF_MIDDLE = (
    f"() => {VISIBLE}"
    + """.flatMap((one) => {
  const middle = (node) => {
    const r = node.getBoundingClientRect();
    return [(r.left + r.right) / 2, (r.top + r.bottom) / 2];
  };
  const bars = [...one.querySelectorAll("path")].filter((bar) => bar.querySelector("title")).map(middle);
  const rules = [...one.querySelectorAll('line[stroke-width="1.5"]')];
  return rules.map((rule) => {
    const across = rule.getBoundingClientRect(), [x, y] = middle(rule);
    const lies = across.width > across.height;
    return Math.min(...bars.map((bar) => Math.abs(lies ? bar[1] - y : bar[0] - x)));
  });
})"""
)
NAMES_OF = ["answer_v2+v1+containment", "answer_v2+v1+exact", "a name of several words that goes on", "x" * 70]


def with_intervals(count: int, kind: str, chosen: bool = False) -> Chart:
    ends = [0.4, 0.5, 0.6, None], [0.6, 0.7, 0.9, None]
    series = [Series(f"series number {n}", NAMES_OF, [0.5, 0.6, 0.7, 0.2], (), *ends) for n in range(count)]
    choices = {"parser": NAMES_OF, "normalizer": ["v1", "v2", "v1", "v2"]} if chosen else {}
    return Chart(f"{count} {kind}", "reading", "a share", series, kind, choices=choices)  # type: ignore[arg-type]


def charted() -> Result:
    """Charts of every kind with one to four series, long names, labels and large numbers."""
    found = [with_intervals(count, kind) for kind in ("bars", "points", "line") for count in (1, 2, 3, 4)]
    found += [with_intervals(count, "points", True) for count in (1, 2)] + [with_intervals(2, "bars", True)]
    labels = ["the first of them with a long label", "", "the last one with a long label"]
    cloud = Series("rules", [1.0, 2e4, 3e6], [0.0, 5e5, 1e6], labels)
    found += [Chart("cloud", "requests", "cost", [cloud], kind) for kind in ("points", "line", "bars")]  # type: ignore[arg-type]
    return pages.result([Section("Charts", [*found, pages.curve(), *pages.charts()], page=True)], "none")


@pytest.mark.parametrize("name", ["answer_parsing", "posiwid", "cross_agent", "self_audit", "made"])
@pytest.mark.parametrize("width", [1280, 768, 400])
def test_charts_fit_the_page_and_lines_the_bars(opened: Any, reports: Path, name: str, width: int) -> None:
    page = charted() if name == "made" else reports / name / "report.html"
    tab, _ = opened(page, viewport={"width": width, "height": 900})
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert tab.evaluate(SPILLS) == []
    distances = tab.evaluate(OFF_MIDDLE)
    assert all(distance <= 1 for distance in distances)
    assert len(distances) > 0 or name in ("answer_parsing", "self_audit")
    shown = tab.evaluate("[...document.querySelectorAll('svg.chart')].map((one) => one.checkVisibility())")
    assert shown == [width > 700, width <= 700] * (len(shown) // 2)


def test_a_head_without_gates_is_set_as_the_others(opened: Any) -> None:
    laid = """() => [".verdict", ".verdict h1", ".badge", ".line"].map((name) => {
      const one = document.querySelector(name), style = getComputedStyle(one), box = one.getBoundingClientRect();
      return [box.left * (name !== ".badge"), box.top, box.height, style.padding, name === ".badge" || style.color];
    })"""
    heads = [opened(pages.result([], verdict))[0].evaluate(laid) for verdict in ("pass", "fail", "none")]
    assert heads[0] == heads[1] == heads[2]


@pytest.mark.parametrize("width", [1280, 400])
def test_every_block_keeps_to_the_width(opened: Any, width: int) -> None:
    tab, _ = opened(pages.result(), viewport={"width": width, "height": 900})
    assert tab.evaluate(OVERFLOW) == 0
    wide = tab.locator(".scroll", has=tab.get_by_text("column 13")).first
    assert wide.evaluate("(box) => box.scrollWidth > box.clientWidth")


def test_colours_follow_the_system_and_the_button(opened: Any) -> None:
    tab, _ = opened(pages.result(), color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('svg.chart text')).fill"
    dark, light_text = tab.evaluate(paper), tab.evaluate(ink)
    tab.get_by_role("button", name="Theme: auto").click()
    assert tab.evaluate(paper) == "rgb(255, 255, 255)" != dark
    assert tab.evaluate(ink) != light_text
    tab.get_by_role("button", name="Theme: light").click()
    assert tab.evaluate(paper) == dark


def test_facets_that_go_together_filter_together(opened: Any) -> None:
    tab, _ = opened(browsing(pages.flips(30)))
    reading, direction = tab.locator(".controls").get_by_label("reading"), tab.get_by_label("direction")
    assert found(tab) == "30 of 30 shown."
    reading.select_option(label="stored+v2 (10)")
    assert found(tab) == "10 of 30 shown."
    assert direction.locator("option").all_inner_texts() == ["any (10)", "to right (10)", "to wrong (0)"]
    direction.select_option(label="to wrong (0)")
    assert found(tab) == "0 of 30 shown."
    assert tab.get_by_text("No example matches these filters.").is_visible()
    tab.get_by_role("button", name="Clear").click()
    tab.get_by_label("temperature").select_option(label="0.5 (10)")
    direction.select_option(label="to wrong (5)")
    assert options(tab) == [f"t-{n}" for n in (1, 7, 13, 19, 25)]
    tab.get_by_role("button", name="Clear").click()
    assert found(tab) == "30 of 30 shown."


def test_search_and_keys(opened: Any) -> None:
    tab, _ = opened(browsing(pages.flips(30)))
    tab.keyboard.press("/")
    tab.keyboard.type("WORD1")
    wait_for_count(tab, "11 ")
    assert options(tab) == ["t-1", *(f"t-{n}" for n in range(10, 20))]
    tab.keyboard.press("Escape")
    head = tab.locator(".shown h3")
    for key, wanted in (("j", "t-10"), ("ArrowRight", "t-11"), ("k", "t-10"), ("ArrowLeft", "t-1"), ("p", "t-1")):
        tab.keyboard.press(key)
        assert head.inner_text() == wanted
    tab.locator(".scroll:visible").first.focus()  # there an arrow moves the table
    tab.keyboard.press("ArrowRight")
    assert head.inner_text() == "t-1"
    tab.get_by_role("listbox").focus()
    for key, wanted in (("End", "t-19"), ("ArrowUp", "t-18"), ("Home", "t-1"), ("ArrowDown", "t-10")):
        tab.keyboard.press(key)
        assert head.inner_text() == wanted
    assert tab.get_by_role("listbox").get_attribute("aria-activedescendant") == "gallery-0-option-1"
    tab.get_by_role("button", name="Next").click()
    assert head.inner_text() == "t-11"


def test_the_keyboard_reaches_everything(opened: Any) -> None:
    tab, _ = opened(browsing(pages.flips(3)))
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the report"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(40):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.tagName + ' ' + document.activeElement.className"))
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert tab.evaluate(f"document.activeElement === document.body || {outline} !== 'none'")
    assert {"SELECT ", "INPUT ", "DIV list", "BUTTON lit m0", "DIV scroll"} <= reached


def test_marks_are_lit_by_name_and_follow_the_reading(opened: Any) -> None:
    tab, _ = opened(browsing(pages.flips(4)))
    lit = "[...new Set([...document.querySelectorAll('.shown mark')].map((one) => one.title))].sort().join()"
    assert tab.evaluate(lit) == "after_think,answer_v2,last_line,truth"
    assert tab.locator(".shown .text").first.inner_text().startswith(says.IT_IS_PARIS_USER_AND)
    tab.get_by_role("button", name="after_think").click()
    assert tab.evaluate(lit) == "answer_v2,last_line,truth"
    tab.locator(".controls").get_by_label("reading").select_option(index=1)
    assert tab.evaluate(lit) == "answer_v2,truth"


def test_grids_are_drawn(opened: Any) -> None:
    grids = [Grid("expected", [[1, 2], [3, 3]], [(0, 1)])]
    one = Exhibit("p", [("score", "0.5")], [], grids, [[("a",)]])
    tab, _ = opened(pages.result([Section("G", [Gallery((("kind",),), [one], 1, "problems"), one], page=True)]))
    assert tab.locator(".shown svg.grid path").count() == 4
    assert tab.locator(".shown svg.grid .differs").get_attribute("d") == "M1 0h1v1h-1z"
    assert tab.locator("main details svg.grid path").count() == 4
    fill = "getComputedStyle(document.querySelector('.shown .a1')).fill"
    assert tab.evaluate(fill) == "rgb(0, 116, 217)"


def test_hostile_texts_do_nothing(opened: Any) -> None:
    tab, _ = opened(hostile())
    assert tab.evaluate("'bad' in globalThis") is False
    assert tab.locator("img").count() == 0
    assert (
        tab.evaluate("document.scripts.length - document.querySelectorAll('[type=\"application/json\"]').length") == 1
    )
    assert "</script><script>globalThis.bad=1</script>" in tab.locator(".shown h3").inner_text()
    tab.keyboard.press("/")
    tab.keyboard.type("<img src=x")
    wait_for_count(tab, "5 of 5")
    for select in tab.locator(".controls select").all():
        select.select_option(index=select.locator("option").count() - 1)
    assert tab.evaluate("'bad' in globalThis") is False
    assert tab.locator("img").count() == 0
    assert HOSTILE[:60] in tab.locator(".shown").inner_text()


def test_without_javascript_there_are_the_first_exhibits(opened: Any) -> None:
    tab, _ = opened(browsing(pages.flips(30)), java_script_enabled=False)
    assert tab.get_by_text("these are the first 3.").is_visible()
    assert tab.locator("details.exhibit").count() == 3
    assert tab.get_by_text("In this file: 30 of 10,812 flips").is_visible()
    assert tab.locator(".browser").count() == 0


def test_print_opens_exhibits_and_hides_the_filters(opened: Any) -> None:
    tab, _ = opened(pages.result())
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator(".controls").is_hidden()
    assert tab.locator("nav").is_hidden()
    assert tab.locator("main details.exhibit:not([open])").count() == 0
    assert tab.locator("main .picture details:not([open])").count() > 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("main details:not([open])").count() > 0


def test_ten_thousand_exhibits_stay_fluid(opened: Any, tmp_path: Path) -> None:
    file = tmp_path / "large.html"
    file.write_text(text_of(browsing(pages.flips(10_000)), 50_000_000), "utf-8")
    start = time.perf_counter()
    tab, _ = opened(file)
    assert tab.locator(".option").count() < 60
    assert time.perf_counter() - start < 10
    filtering = "(() => { const t = performance.now(); const s = document.querySelectorAll('.controls select')[1];"
    filtering += "s.selectedIndex = 1; s.dispatchEvent(new Event('change')); return performance.now() - t; })()"
    assert tab.evaluate(filtering) < 1_000
    moving = (
        "(() => { const t = performance.now(); const l = document.querySelector('.list'); for (let i = 0; i < 50; i++)"
    )
    moving += "{ l.scrollTop = i * 5000; l.dispatchEvent(new Event('scroll')); } return performance.now() - t; })()"
    assert tab.evaluate(moving) < 2_000
    assert tab.locator(".option").count() < 60
