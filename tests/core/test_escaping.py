"""Every sink: a table of hostile texts with what they become, and properties checked by reading the output back."""

from __future__ import annotations

import codecs
import csv
import html as entities
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from html import escape
from html.parser import HTMLParser
from urllib.parse import unquote

import pyte
import pytest
from hostile_texts import hostile
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console
from searching import examples
from wcwidth import wcwidth

from auditfw.core import escaping as sinks
from auditfw.core.result_json import dumps, json_line

SIGNS = 'a\\"<&\n\t\r\0\x7f\u202e\u2028\U000e0001'


@settings(max_examples=examples(100), deadline=None)
@given(text=st.text(st.characters() | st.sampled_from(SIGNS)), keep=st.sampled_from(["", "\n\t", "\n"]))
def test_hidden_characters_are_seen_alone_and_among_others(text: str, keep: str) -> None:
    spelled = [c if c in keep else sinks._HIDDEN.sub(lambda found: sinks._picture(found[0]), c) for c in text]
    assert sinks.visible(text, keep) == "".join(spelled)
    shown = sinks.visible(text, "\n\t")
    assert json.loads(sinks.html_json({text: [text, 1]})) == {shown: [shown, 1]}


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
    return sinks.disarmed(text).replace("<U+007C>", "|").split()


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


def test_no_character_that_only_formats_is_left() -> None:
    """U+0600 was: a sign of the same category as those that turn the direction of a text."""
    acting = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) in ("Cc", "Cf", "Cs")]
    assert [one for one in acting if one in sinks.visible(one)] == []


@given(hostile)
def test_terminal_prints_what_is_visible_and_nothing_that_acts(text: str) -> None:
    out = rendered(text)
    assert out == sinks.terminal(text, "\n").plain
    assert not [c for c in out if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n"]
    assert not re.search(r"##(\[|vso\[|teamcity\[)", out, re.IGNORECASE)


@given(hostile, st.sampled_from(["ascii", "latin-1", "cp1252", "shift_jis"]))
def test_terminal_text_can_be_encoded(text: str, encoding: str) -> None:
    sinks.terminal(text, "\n", encoding).plain.encode(encoding)


@pytest.mark.parametrize(
    ("text", "encoding", "written"),
    [
        ("± 5", "ascii", b"<U+00B1> 5"),
        ("± → ŁΔ", "cp1252", b"\xb1 -> <U+0141>delta"),
        ("a…b\n", "ascii", b"a...b\n"),
        ("\ud800", "utf-8", b"<U+D800>"),
    ],
)
def test_what_an_encoding_lacks_is_spelled(text: str, encoding: str, written: bytes) -> None:
    codecs.register_error("spelled", sinks.spelled)
    assert text.encode(encoding, "spelled") == written


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
        ("::warning file=a::b", "\\::warning file=a::b"),
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
    assert words(shown(lone)) == words(sinks.visible(text))


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
    assert children[1].content == (sinks.disarmed(sinks.visible(text)) or " ")


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
    assert (
        next(t for t in tokens if t.type == "fence").content == sinks.disarmed_lines(sinks.visible(text, "\n\t")) + "\n"
    )


COMMANDS = ["::error::x", " ::set-env name=P::1", "section_start:12:a", "##[error]x", "##vso[a b]x", "##TeamCity[x y]"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("before", ["", "a\n", "\t\n"])
def test_no_line_of_a_file_commands_a_runner(before: str, command: str) -> None:
    """As CI systems read a log: `::` and `section_start:` at the start of a line, `##[` and its like anywhere in it."""
    text = f"{before}{command}"
    texts = [sinks.markdown_code_block(text), sinks.markdown_code(text), sinks.markdown_text(text)]
    files = [*texts, sinks.tsv(text), sinks.xml(text), sinks.html_json({"a": text}), dumps([text]), json_line([text])]
    for file in files:
        assert not re.search(r"(?im)^\s*(::|section_(start|end):\d)|##(\[|vso\[|teamcity\[)", file), file
    assert json.loads(dumps([text])) == json.loads(json_line([text])) == [text]
    assert ET.fromstring(f"<a>{sinks.xml(text)}</a>").text == text


def test_what_is_no_command_stays() -> None:
    text = "std::vector\n: a\n# [x] #12\nsection: 1\na ::b"
    assert sinks.markdown_code_block(text) == f"```text\n{text}\n```"


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

    reader, escaped = Reader(), escape(str(sinks.html_value(text)))
    reader.tags = []
    reader.feed(f'<i title="{escaped}">{escaped}</i>')
    reader.close()
    wanted = sinks.visible(text, "\n\t")
    assert reader.tags == [("i", [("title", wanted)])]
    assert reader.data == wanted == entities.unescape(escaped)


@settings(deadline=None)
@example([['"', ""], ["", ""]])  # a quotation would take in the next cell
@given(st.lists(st.lists(hostile, min_size=2, max_size=2), min_size=1, max_size=4))
def test_tsv_is_a_table_to_a_csv_reader(rows: list[list[str]]) -> None:
    text = "".join("\t".join(map(sinks.tsv, row)) + "\n" for row in rows)
    read = list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert read == [list(map(sinks.tsv, row)) for row in rows]
    spread = csv.reader(io.StringIO("\t".join(sinks.tsv(row[0], spreadsheet=True) for row in rows)), delimiter="\t")
    assert not [cell for row in spread for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]


class Terminal:
    """An emulated terminal of one line that notes whatever it is told to do besides drawing."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(600, 1)
        self.acts: list[str] = []

    def __getattr__(self, name: str) -> object:
        if name in pyte.Stream.events and name != "draw":
            return lambda *_, **__: self.acts.append(name)
        return getattr(self.screen, name)


@settings(deadline=None, max_examples=examples(60))
@given(hostile)
def test_a_terminal_shows_the_visible_text_and_does_nothing_else(text: str) -> None:
    for line in rendered(text).split("\n"):
        terminal = Terminal()
        pyte.Stream(terminal).feed(drawn(f"│ {line}"))
        assert bases(terminal.screen.display[0]) == bases(f"│ {line}")
        assert terminal.acts == []


def bases(line: str) -> list[str]:
    """The characters that have a width; the emulator loses marks that it cannot combine."""
    return [c for c in unicodedata.normalize("NFD", line.rstrip()) if wcwidth(c) > 0]


def drawn(line: str) -> str:
    """A line without the marks of no width and no combining class, such as U+11A33: the emulator ends a line there."""
    return "".join(c for c in line if wcwidth(c) or unicodedata.combining(c) or unicodedata.category(c) != "Mn")


def test_the_emulated_terminal_would_notice() -> None:
    terminal = Terminal()
    pyte.Stream(terminal).feed("a\x1b]0;title\x07\x1b[2Jb\r\x1b[?25l")
    assert terminal.acts == ["set_icon_name", "set_title", "erase_in_display", "carriage_return", "reset_mode"]


@given(hostile, st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_a_log_line_stays_one_line_and_commands_no_runner(text: str, encoding: str) -> None:
    line = sinks.log_line(text, encoding)
    line.encode(encoding)
    assert len(line.splitlines()) <= 1
    assert not re.search(r"##(\[|vso\[|teamcity\[)", line, re.IGNORECASE)
    assert encoding != "utf-8" or line.replace("<U+0023>", "#") == sinks.visible(text).replace("<U+0023>", "#")


@given(hostile)
def test_a_workflow_command_reads_back(text: str) -> None:
    message, value = sinks.github_text(text), sinks.github_value(text)
    assert not set(value) & set(":,\r\n")
    undone = value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    assert undone == message.replace("%25", "%") == sinks.log_line(text)


@given(hostile)
def test_a_sarif_message_holds_no_link_and_no_placeholder(text: str) -> None:
    written = sinks.sarif(text)
    assert not set("[]{}") & set(re.sub(r"\\.|\{\{|\}\}", "", written))
    undone = re.sub(r"\\(.)", r"\1", written.replace("{{", "{").replace("}}", "}"))
    assert undone == sinks.visible(text)


@pytest.mark.parametrize(
    ("address", "reference"),
    [
        ("s3://bucket/a b%.csv", "s3://bucket/a%20b%25.csv"),
        ("https://host:8/a%20b.csv", "https://host:8/a%20b.csv"),
        ("https://host/100%", "https://host/100%25"),
        ("hf://datasets/o/n@main/a.csv", "hf://datasets/o/n@main/a.csv"),
        ("other://a", "other%3A//a"),
    ],
)
def test_an_address_is_a_uri(address: str, reference: str) -> None:
    assert sinks.uri(address) == reference


@given(hostile, st.booleans())
def test_a_path_is_a_uri_reference(text: str, absolute: bool) -> None:
    path = f"/{text}" if absolute else f"x{text}"  # no address
    found = sinks.uri(path)
    assert re.fullmatch(r"(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})*", found)
    assert found.startswith("file:///") == absolute
    assert unquote(found.removeprefix("file://")) == re.sub("[\ud800-\udfff]", "?", path)
