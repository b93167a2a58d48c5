"""report.md is written whole, in order, and keeps its structure."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from markdown_it import MarkdownIt

from auditfw.components.report.markdown import MarkdownReport, report_text
from auditfw.core.document import Chart, Section, Series
from auditfw.core.records import Result


def test_markdown_is_written_whole(plain: Result, tmp_path: Path) -> None:
    assert MarkdownReport()(plain, None) == ()
    assert MarkdownReport()(plain, str(tmp_path)) == ("report.md",)
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    assert (tmp_path / "report.md").read_bytes() == report_text(plain).encode()


def test_markdown_says_it_in_order(plain: Result) -> None:
    text = report_text(plain)
    parts = [
        "# Audit: parsing\n\n```text\nΔ pp by reading, from -7.2 to 10.3, ┊ gate -5\nstored+v1 ",
        "**Verdict: FAIL** (exit code 1)",
        "1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)",
        "## Gates",
        "| flips | flips <= 25 | answer_v2+v2 | 1,061 | fail |",
        "- shift: nothing was read",
        "## Measurements",
        "| reading | error % | Δ pp | changed labels | → right | → wrong | n | mismatches |\n| :--- | ---: |",
        "## By cell\n\nEach cell apart.\n\nLargest first.\n\n| temperature |",
        "| 0.5 | think-32b | asch_unanimous | 90 | +13.33 |\n\nand 22 more rows",
        "### Receipts\n\n#### flip 1\n\n- id: `t-1`\n- stored: `true → false`",
        "raw_text (characters 0–40 of raw_text):\n\n```text\nIt is\nWashington, D.C.</think>\n```",
        "… [1,234 characters omitted] …\n\n````text\n``` USER:\n````",
        "parsed_text: (empty)",
        "No rows.",
        "## Warnings\n\n- 1 truth normalises to nothing",
        "## Inputs",
        "| data/trials.jsonl | 1,234,567 | abab",
        "- versions auditfw 0.1.0, polars 2.1.0\n",
    ]
    at = [text.index(part) for part in parts]
    assert at == sorted(at)
    assert "2026" not in text


def test_markdown_keeps_its_structure(hostile: Result) -> None:
    text = report_text(hostile)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", text)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or []}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "em_open", "s_open", "code_block"}
    heads = [token.tag for token in tokens if token.type == "heading_open"]
    assert heads == ["h1", "h2", "h2", "h2", "h3", "h4", "h4", "h4", "h4", "h2", "h2"]
    assert sum(token.type == "fence" for token in tokens) == 5
    rows = [len(re.sub(r"\\.", "", line).split("|")) for line in text.splitlines() if line.startswith("|")]
    assert set(rows) == {3, 5, 7, 10}


def test_charts_of_the_page_alone_are_pictures_at_the_end(plain: Result) -> None:
    names = [f"c{n}" for n in range(3)]
    shown = [Chart(name, "x", "y", [Series("s", [1.0, 2.0], [1.0, 2.0])]) for name in names]
    sections = [Section(one.title, [one], page=one.title != "c1") for one in shown]
    text = report_text(replace(plain, sections=sections), [f"{name}.svg" if name != "c2" else "" for name in names])
    own, _, rest = text.partition("## Pictures\n\n")
    assert "## c1\n\n![c1](c1.svg)" in own
    assert rest.startswith("![c0](c0.svg)\n\n## ")
    assert "c2" not in text
    assert "## Pictures" not in report_text(replace(plain, sections=sections))
