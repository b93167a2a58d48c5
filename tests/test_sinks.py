"""Every sink: a table of hostile texts with what they become, and properties checked by reading the output back."""

from __future__ import annotations

import html as entities
import io
import re
import unicodedata
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from auditfw import sinks

PIECES = (
    *"\x00\x07\x08\t\n\v\f\r\x1b\x7f\x85\x9b\xa0\xad\u200b\u200d\u2028\u202e\u2066\ufeff\ufffe\ud800\udc00\U000e0041",
    *"aZ0 .,:;#@!$%&'\"()*+-/<=>?[]\\^_`{|}~é漢字😀e\u0301",
    *("[red]", "[/b]", "[link=x]y", ":smile:", "\x1b]8;;http://x\x1b\\", "::error::", "##vso[task.x]", "##[group]"),
    *(
        "<img src=x onerror=y>",
        "</script>",
        "]]>",
        "<!--",
        "&amp;",
        "&#0;",
        "![i](http://x)",
        "[a](javascript:b)",
        "\\|",
    ),
    *(
        "```",
        "~~~",
        "| a | b |",
        "|---|",
        "@user",
        "a@b.org",
        "#12",
        "www.x.org",
        "https://x.org",
        "<http://x>",
        "$`x`$",
    ),
    *("# h", "- x", "1. x", "> q", "---", "===", "[^1]: x", "[x]: http://y", "    code", "- [ ] t", "***b***", "__b__"),
)
hostile = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(
    st.characters(codec=None, exclude_categories=()), max_size=24
)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
LIVE = {"link_open", "image", "html_inline", "html_block", "em_open", "strong_open", "s_open", "heading_open", "fence"}


def rendered(text: str, width: int = 10_000) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(sinks.terminal(text, "\n"), end="", soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def inline(tokens: list) -> list:
    return [child for token in tokens if token.type == "inline" for child in token.children]


def words(text: str) -> list[str]:
    return text.replace("<U+007C>", "|").split()


def shown(children: list) -> str:
    return "".join(child.content for child in children if child.type in ("text", "code_inline", "text_special"))


def cells_by_pairs(line: str) -> int:
    """A row's cells where a backslash escapes whatever follows it."""
    return len(re.sub(r"\\.", "", line).split("|")) - 2


def cells_by_pipe(line: str) -> int:
    """A row's cells where a pipe is escaped when a backslash stands before it."""
    return len(re.split(r"(?<!\\)\|", line)) - 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain é 漢 😀", "plain é 漢 😀"),
        ("\x00\x1b[31m\x7f", "␀␛[31m␡"),
        ("a\x9bb\u202ec\u200bd\ufeff", "a<U+009B>b<U+202E>c<U+200B>d<U+FEFF>"),
        ("\ud800", "<U+D800>"),
        ("a\tb\r\nc", "a␉b␍␊c"),
        ("[red]x[/b] :smile:", "[red]x[/b] :smile:"),
        ("##vso[x] ##[group] ## [x]", "<U+0023>#vso[x] <U+0023>#[group] ## [x]"),
        ("\U000e0041", "<U+E0041>"),
    ],
)
def test_terminal_shows(text: str, wanted: str) -> None:
    assert sinks.terminal(text).plain == wanted


def test_terminal_keeps_and_spells() -> None:
    assert sinks.terminal("a\tb\nc", keep="\n\t").plain == "a\tb\nc"
    assert sinks.terminal("→ é \x1b", encoding="ascii").plain == "-> <U+00E9> <U+001B>"
    assert sinks.terminal("→ é", encoding="latin-1").plain == "-> é"
    assert sinks.terminal("漢字漢字", width=5).plain == "漢字…"
    assert sinks.terminal("abcdef", encoding="ascii", width=5).plain == "ab..."


@given(hostile)
def test_terminal_prints_what_is_visible_and_nothing_that_acts(text: str) -> None:
    out = rendered(text)
    assert out == sinks.terminal(text, "\n").plain
    assert not [c for c in out if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n"]
    assert not re.search(r"##(\[|vso\[|teamcity\[)", out, re.IGNORECASE)


@given(hostile, st.sampled_from(["ascii", "latin-1", "cp1252", "shift_jis"]))
def test_terminal_text_can_be_encoded(text: str, encoding: str) -> None:
    sinks.terminal(text, "\n", encoding).plain.encode(encoding)


@given(hostile, st.integers(0, 30))
def test_fit_keeps_to_its_width(text: str, width: int) -> None:
    plain = sinks.visible(text)
    cut = sinks.fit(plain, width)
    assert cell_len(cut) <= width
    assert cut == plain or (width == 0 and cut == "") or (cut.endswith("…") and plain.startswith(cut[:-1]))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("answer_v2+v2", "answer_v2+v2"),
        ("_x_ *y* ~z~", "\\_x\\_ \\*y\\* \\~z\\~"),
        ("a|b\nc", "a\\|b␊c"),
        ("<b>&", "&lt;b>&amp;"),
        ("flips <= 25", "flips <= 25"),
        ("# head", "\\# head"),
        ("- item", "\\- item"),
        ("-3.10", "-3.10"),
        ("1. one", "1\\. one"),
        ("1.5 pp", "1.5 pp"),
        ("> said", "\\> said"),
        ("see @user and #12", "see `@user` and `#12`"),
        ("https://x.org/a_b", "`https://x.org/a_b`"),
        ("[a](javascript:b)", "\\[a\\](javascript:b)"),
        ("", ""),
    ],
)
def test_markdown_text(text: str, wanted: str) -> None:
    assert sinks.markdown_text(text) == wanted


@given(hostile)
def test_markdown_text_is_one_paragraph_without_markup(text: str) -> None:
    for written in (sinks.markdown_text(text), f"para\n{sinks.markdown_text(text)}"):
        tokens = MARKDOWN.parse(written)
        assert {t.type for t in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
        children = inline(tokens)
        assert not {c.type for c in children} & LIVE
    lone = inline(MARKDOWN.parse(sinks.markdown_text(text)))
    assert shown(lone).split() == sinks.visible(text).split()


@given(hostile)
def test_markdown_text_leaves_no_mention_or_address_outside_code(text: str) -> None:
    for child in inline(MARKDOWN.parse(sinks.markdown_text(text))):
        if child.type == "text":
            assert not re.search(r"@|://|www\.|#\d", child.content, re.IGNORECASE)


@settings(deadline=None)
@given(st.lists(st.lists(hostile, min_size=3, max_size=3), min_size=1, max_size=3))
def test_markdown_cells_keep_the_table(rows: list[list[str]]) -> None:
    lines = [f"| {' | '.join(map(sinks.markdown_cell, row))} |" for row in rows]
    assert all(cells_by_pairs(line) == 3 == cells_by_pipe(line) for line in lines)
    tokens = MARKDOWN.parse("\n".join(["| a | b | c |", "|---|---|---|", *lines]) + "\n")
    assert tokens[0].type == "table_open"
    assert tokens[-1].type == "table_close"
    cells = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "td_open"]
    assert [words(shown(cell.children)) for cell in cells] == [words(sinks.visible(t)) for row in rows for t in row]
    assert not {child.type for cell in cells for child in cell.children} & LIVE


@given(hostile)
def test_markdown_code_span_is_verbatim(text: str) -> None:
    children = inline(MARKDOWN.parse("x " + sinks.markdown_code(text) + " y"))
    assert [c.type for c in children] == ["text", "code_inline", "text"]
    assert children[1].content == (sinks.visible(text) or " ")


@given(hostile)
def test_markdown_code_block_is_verbatim(text: str) -> None:
    tokens = MARKDOWN.parse(f"before\n\n{sinks.markdown_code_block(text)}\n\nafter\n")
    assert [t.type for t in tokens if t.nesting >= 0] == [
        "paragraph_open",
        "inline",
        "fence",
        "paragraph_open",
        "inline",
    ]
    assert next(t for t in tokens if t.type == "fence").content == sinks.visible(text, "\n\t") + "\n"


@given(st.lists(hostile, min_size=1, max_size=4))
def test_tsv_reads_back(fields: list[str]) -> None:
    line = "\t".join(map(sinks.tsv, fields))
    line.encode()
    assert line.splitlines() in ([line], [])
    escapes = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}

    def undo(found: re.Match[str]) -> str:
        return chr(int(found[1][1:], 16)) if found[1][0] == "u" else escapes[found[1]]

    assert [re.sub(r"\\(u[0-9a-f]{4}|.)", undo, part) for part in line.split("\t")] == fields


@pytest.mark.parametrize(
    ("text", "wanted"), [("=1+1", "'=1+1"), ("@x", "'@x"), ("-1", "'-1"), ("\tx", "'\\tx"), ("a=1", "a=1"), ("", "")]
)
def test_tsv_for_spreadsheets(text: str, wanted: str) -> None:
    assert sinks.tsv(text, spreadsheet=True) == wanted


@given(hostile)
def test_xml_reads_back(text: str) -> None:
    root = ET.fromstring(f'<a b="{sinks.xml(text)}">{sinks.xml(text)}</a>')
    assert root.attrib["b"] == (root.text or "") == sinks.visible(text, "\n\t")


@pytest.mark.parametrize("character", ["x", "漢", "\x00", "😀"])
def test_xml_is_capped(character: str) -> None:
    read = ET.fromstring(f"<a>{sinks.xml(character * 50_000)}</a>").text or ""
    kept, _, told = read.partition("… [")
    assert len(kept.encode()) <= 16_384
    assert told == f"{len(sinks.visible(character).encode()) * 50_000 - len(kept.encode())} bytes omitted]"


@given(hostile)
def test_html_reads_back(text: str) -> None:
    class Reader(HTMLParser):
        tags: list[object]
        data = ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags.append((tag, attrs))

        def handle_data(self, data: str) -> None:
            self.data += data

    reader = Reader()
    reader.tags = []
    reader.feed(f'<i title="{sinks.html(text)}">{sinks.html(text)}</i>')
    reader.close()
    wanted = sinks.visible(text, "\n\t")
    assert reader.tags == [("i", [("title", wanted)])]
    assert reader.data == wanted == entities.unescape(sinks.html(text))


@given(hostile)
def test_file_name_is_safe(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,48}-[0-9a-f]{8}", sinks.file_name(text))


def test_file_names_differ_where_slugs_agree() -> None:
    names = [sinks.file_name(t) for t in ("a b", "a/b", "a-b", "A b", "..", "", "CON", "con", "x" * 300, "x" * 301)]
    assert len({name.lower() for name in names}) == len(names)
    assert sinks.file_name("a b") == "a-b-c8687a08"
    assert not any(name.startswith("-") for name in names)
