"""The links under tables and charts: the files that the page makes are those that `auditfw export` writes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pages
import pytest
from page_reading import hostile

from auditfw.commands.stored_run import read_result
from auditfw.components.report.charts.svg import COLOURS
from auditfw.components.report.export.exhibits import Exported, exported, sections_of
from auditfw.components.report.export.formats import file_text
from auditfw.core.document import Section, Table, estimated

pytestmark = pytest.mark.slow
CLICKED = """() => [...document.querySelectorAll(".take a")].map((one) => {
  one.addEventListener("click", (event) => event.preventDefault());
  one.click();
  return [one.download, one.href];
})"""
MADE = Table(
    ["name", "Δ %", "why"],
    [
        ["=1+1", estimated(-52.4, -59.1, -44.2), 'a "b", c'],
        ["[x] & ~^\\{}$#%_", "-3", "–"],
        ["@漢字 'it''s", "+2.13", "a\nb\tc\r\x00 --long <i>"],
        ["'=x", "", " - x"],
    ],
    "<><",
    "What: [a]",
    3,
)


def files(tab: Any) -> dict[str, str]:
    """The files behind the links of a page, by their names."""
    texts = {}
    for name, address in tab.evaluate(CLICKED):
        assert name not in texts
        kind, _, text = address.partition(",")
        assert kind.startswith("data:")
        texts[name] = unquote(text)
    return texts


def same(found: dict[str, str], one: Exported) -> None:
    for ending, form in (("csv", "csv"), ("tex", "latex")):
        assert found[f"{one.name}.{ending}"] == file_text(one, form)


def test_any_cell_is_written_alike(opened: Any) -> None:
    sections = [Section("A + b?", [MADE, pages.shifts(), Table(["a"], [["b"]], "<")]), Section("Two", [pages.scores()])]
    tab, _ = opened(pages.result(sections, "none"))
    found = files(tab)
    for one in exported(sections):
        same(found, one)


@pytest.mark.parametrize("name", ["answer_parsing", "posiwid", "cross_agent", "self_audit"])
def test_the_tables_of_each_audit_are_written_alike(opened: Any, reports: Path, name: str) -> None:
    tab, _ = opened(reports / name / "report.html")
    found, run = files(tab), read_result(reports / name)
    shown = {part.title for part in run.sections if not part.off_page}
    compared = [one for one in exported(sections_of(run)) if one.section in shown and one.table.rows]
    assert len(compared) > 8
    for one in compared:
        same(found, one)
    pictures = [text for file, text in found.items() if file.endswith(".svg")]
    assert len(pictures) >= 2
    for text in pictures:
        root = ET.fromstring(text)
        assert (root.get("font-family"), root[0].get("fill")) == ("sans-serif", "white")
        assert root[1].text
        inks = {one.get(side) for one in root.iter() for side in ("fill", "stroke")} - {None}
        assert inks <= {*COLOURS, "#000", "#888", "#ddd", "none", "white"}


def test_what_a_hostile_page_gives_is_read_by_its_readers(opened: Any) -> None:
    tab, _ = opened(hostile())
    for name, text in files(tab).items():
        assert ET.fromstring(text) is not None if name.endswith(".svg") else text.endswith("\n")


def test_a_link_downloads_its_file_and_paper_has_none(opened: Any, reports: Path) -> None:
    tab, _ = opened(reports / "self_audit" / "report.html", accept_downloads=True)
    link = tab.locator(".take a").first
    with tab.expect_download() as got:
        link.click()
    assert Path(got.value.path()).read_text("utf-8").count("\n") > 1
    assert got.value.suggested_filename.endswith(".csv")
    tab.emulate_media(media="print")
    assert not link.is_visible()
