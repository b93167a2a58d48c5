"""The step summary: cut at section ends, appended once, without link, picture or HTML."""

from __future__ import annotations

import re
from pathlib import Path

from build_servers import made
from hostile_texts import hostile
from hypothesis import given, settings
from markdown_it import MarkdownIt
from searching import examples
from sentences import report as says

from auditfw.components.report.summary import append, summary_text
from auditfw.core.document import Note, Section, Table

LIVE = {"link_open", "image", "html_inline", "html_block"}


def test_summary_is_cut_at_section_ends() -> None:
    wide = [Section(f"S{i}", [Note("x" * 4_000)], console=True) for i in range(4)]
    shown = made(sections=[*wide, Section("Quiet", [Note("y")]), Section("Page", [Note("z")], console=True, page=True)])
    text = summary_text(shown, 10, 10_000)
    assert len(text.encode()) <= 10_000
    assert text.startswith(says.AUDIT_PARSING_VERDICT_FAIL_EXIT)
    assert "## Warnings" in text
    assert re.findall(r"^## (S\d)$", text, re.MULTILINE) == ["S0", "S1"]
    assert text.endswith(says.LEFT_OUT_FOR_LACK_OF)
    assert "Quiet" not in text
    assert "Page" not in text
    assert summary_text(shown, 10, 100) == ""
    assert "and 20 more rows" in summary_text(made(), 10)


def test_summary_is_appended_once_and_within_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    assert append(made(), "", 10) == says.IS_NOT_SET_NO_SUMMARY
    assert append(made(), str(file), 10) == ""
    once = file.read_bytes()
    assert append(made(), str(file), 10) == ""
    assert file.read_bytes() == once
    assert append(made(seed=1, audit="other"), str(file), 10) == ""
    assert file.read_bytes().startswith(once + b"\n# Audit: other")
    file.write_bytes(b"x" * ((1 << 20) - 300))
    assert append(made(), str(file), 10) == says.IS_FULL_NO_SUMMARY_WAS
    file.write_bytes(b"x" * ((1 << 20) - 600))
    assert append(made(), str(file), 10) == ""
    assert len(file.read_bytes()) <= 1 << 20
    assert file.read_bytes().endswith(b"Left out for lack of space: Shifts. The run's report.md has everything.\n\n")
    assert "Is a directory" in append(made(), str(tmp_path), 10)


@settings(deadline=None, max_examples=examples(40))
@given(hostile, hostile)
def test_summary_holds_no_link_picture_or_html(one: str, other: str) -> None:
    table = Table([one, other], [[other, one]], "<>", one)
    shown = made(audit=one, warnings=[other], sections=[Section(other, [Note(one), table], console=True)])
    text = summary_text(shown, 10)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or []}
    assert not kinds & LIVE
    assert not [
        child for token in tokens for child in token.children or [] if child.type == "text" and "@" in child.content
    ]
