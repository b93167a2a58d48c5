"""The one place where a data string becomes output text: a pure function a medium.

All of them first make visible what a reader could not see or what would act on the medium: control characters,
direction marks, zero-width characters, lone surrogates.
"""

from __future__ import annotations

import html as entities
import json
import re
import shlex
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

XML_LIMIT = 16_384

_CONTROLS = "".join(map(chr, range(0x20)))
_HIDDEN_LOW = (
    "\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
)
_HIDDEN = re.compile(
    f"[{_CONTROLS}{_HIDDEN_LOW}\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(chr(plane + last) for plane in range(0x10000, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_SPELLED = {"→": "->", "←": "<-", "Δ": "delta", "–": "-", "—": "-", "…": "...", "·": ",", "‘": "'", "’": "'"}
HASH = "\\u0023"  # in JSON
_CI_COMMAND = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE)
_CI_LINE = re.compile(r"^([^\S\n]*(?:|:|section_start|section_end)):(?=:|\d)", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z0-9_./%@+-]+")  # in an override
_SCHEME = re.compile("(?:s3|gs|az|https?|hf)://")
_NO_TEXT = re.compile(r"null|true|false|[+-]?(?:nan|inf|[0-9_.]+(?:e[+-]?[0-9_]+)?)", re.IGNORECASE)
_UNSTORABLE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_JSON_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_ESCAPED = re.compile(r"\\[ubfr]")  # a control character in JSON, other than a line end or a tab
_TSV = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}

# What a spreadsheet would run as a formula: no plain number, which is one thing to it and to everybody else.
FORMULA = r"^(?![-+]?[0-9][0-9,.]*(?:e[-+]?[0-9]+)?(?: ?%)?(?![\s\S]))'*[ \t\n]*[=+\-@]"
_QUOTED = re.compile(r'[",\n]')
_FORMULA = re.compile(FORMULA)
LATEX = {
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "`": r"\textasciigrave{}"},
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\n": " ", "\t": " "},
    **{"–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}", "→": r"$\rightarrow$", "←": r"$\leftarrow$"},
    **{"±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$", "≈": r"$\approx$", "−": "$-$"},
    **{"Δ": r"$\Delta$", "α": r"$\alpha$", "κ": r"$\kappa$", "µ": r"$\mu$", "·": r"$\cdot$", "○": r"$\circ$"},
    **{"●": r"$\bullet$", "▲": r"$\bigtriangleup$", "▼": r"$\bigtriangledown$"},
}
# What stays when these are exchanged: signs that would join, a number's minus, and what \\ takes for its argument.
LATEX_THEN = ((r"([-',])(?=\1)", r"\1{}"), (r"(^|[ \[(])-(?=[0-9])", r"\1$-$"), (r"^(?=[\[*])", "{}"))
_THEN = [(re.compile(pattern), instead) for pattern, instead in LATEX_THEN]
_LATEX = re.compile(f"[{re.escape(''.join(LATEX))}]")

# What a Markdown host turns into a link, a mention or a picture although nothing marks it, so that no escape helps.
_LIVE = re.compile(r"@|://|www\.|mailto:|xmpp:|#\d|\bGH-\d|:[\w+-]+:|\$`|`\$", re.IGNORECASE)
_MARKUP = re.compile(r"[\\`*\[\]~$|#]|(?<![^\W_])_|_(?![^\W_])")
_LINE_START = re.compile(r"^(?:([-+](?=[\s:-]|$)|[=:>])|(\d+)([.)])(?=\s|$))")
_HTML = re.compile(r"&|<(?![=\s\d])")


def visible(text: str, keep: str = "") -> str:
    """Shows hidden characters: C0 and DEL as control pictures, the others as <U+202E>; those in `keep` stay."""
    if not _suspect(keep).search(text):
        return text
    return _HIDDEN.sub(lambda match: match[0] if match[0] in keep else _picture(match[0]), text)


@lru_cache(maxsize=8)
def _suspect(keep: str) -> re.Pattern[str]:
    """What finds at once that nothing is hidden: a class without single characters beyond 16 bits is a bitmap."""
    controls = "".join(character for character in _CONTROLS if character not in keep)
    return re.compile(f"[{controls}{_HIDDEN_LOW}\U00010000-\U0010ffff]")


def terminal(text: str, keep: str = "", encoding: str = "utf-8", width: int | None = None) -> Text:
    """Terminal text without markup, emoji codes, escape sequences or commands to a CI runner.

    `keep` may hold "\\n" and "\\t"; what `encoding` lacks is spelled out; `width` cuts by display width.
    """
    from rich.text import Text

    wide = encoding.lower().startswith("utf")
    shown = visible(text, keep) if wide else _encodable(text, keep, encoding)
    shown = disarmed(shown)
    if width is not None:
        shown = fit(shown, width, "…" if wide else "...")
    return Text(shown, overflow="fold")


def fit(text: str, width: int, mark: str = "…") -> str:
    """Cuts text to `width` terminal cells, the last of them a mark if anything was cut."""
    from rich.cells import cell_len

    if len(text) <= 8 * width and cell_len(text) <= width:
        return text
    room = max(0, width - cell_len(mark))
    short = text[: 8 * room]
    while cell_len(short) > room:
        short = short[: -max(1, (cell_len(short) - room) // 2)]
    return short + mark[: max(0, width)]


def markdown_text(text: str) -> str:
    """One line of Markdown text in which nothing is markup, HTML, a link or a mention."""
    return _markdown(text, table=False)


def markdown_cell(text: str) -> str:
    """A GFM table cell: as markdown_text, and no pipe or line end can leave the cell."""
    return _markdown(text, table=True)


def markdown_code(text: str, table: bool = False) -> str:
    """An inline code span, its fence longer than any run of backticks inside."""
    shown = disarmed(visible(text))
    if table:
        # Renderers disagree on "\\|": one reads an escaped pipe, the other an escaped backslash and a cell's end.
        shown = re.sub(r"\\\|", lambda _: "\\<U+007C>", shown).replace("|", "\\|")
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{pad}{shown or ' '}{pad}{fence}"


def markdown_code_block(text: str) -> str:
    """A fenced code block without a trailing newline, its fence longer than any run of backticks inside.

    No line of it is a command to a CI runner.
    """
    shown = disarmed_lines(visible(text, "\n\t"))
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def tsv(text: str, spreadsheet: bool = False) -> str:
    r"""A TSV field: \t, \n, \r, \\ and \u001b escapes; `spreadsheet` puts ' before a formula or a quotation."""
    field = _UNSTORABLE.sub(lambda match: _TSV.get(match[0], f"\\u{ord(match[0]):04x}"), text)
    field = _CI_LINE.sub(r"\1\\u003a", disarmed(field, HASH))
    return f"'{field}" if spreadsheet and field[:1] in ("=", "+", "-", "@", "\\", '"') else field


def csv_field(text: str) -> str:
    """A CSV field: what a spreadsheet would run as a formula has an apostrophe before it, to be taken off when read."""
    field = disarmed_lines(visible(text, "\n\t"))
    field = f"'{field}" if _FORMULA.match(field) else field
    return '"{}"'.format(field.replace('"', '""')) if _QUOTED.search(field) else field


def latex(text: str) -> str:
    """LaTeX text on a line, with no command of its own; letters of other scripts stay, and need their fonts."""
    shown = _LATEX.sub(lambda match: LATEX[match[0]], disarmed_lines(visible(text, "\n\t")))
    for pattern, instead in _THEN:
        shown = pattern.sub(instead, shown)
    return shown


def xml(text: str, limit: int = XML_LIMIT) -> str:
    """XML text or attribute value: legal characters only, at most `limit` bytes before escaping."""
    data = visible(text, "\n\t").encode()
    if len(data) > limit:
        kept = data[:limit].decode(errors="ignore")
        data = f"{kept}… [{len(data) - len(kept.encode())} bytes omitted]".encode()
    escaped = entities.escape(data.decode()).replace("\n", "&#10;").replace("\t", "&#9;")
    return _CI_LINE.sub(r"\1&#58;", disarmed(escaped, "&#35;"))


def log_line(text: str, encoding: str = "utf-8") -> str:
    """A part of a line in a log: on that line, and without what a CI runner executes wherever it occurs."""
    return disarmed(visible(text) if encoding.lower().startswith("utf") else _encodable(text, "", encoding))


def disarmed(text: str, instead: str = "<U+0023>") -> str:
    """A text in which no `##[`, `##vso[` or `##teamcity[` occurs: another spelling comes instead of its first #."""
    return _CI_COMMAND.sub(lambda _: instead, text)


def disarmed_lines(text: str) -> str:
    """The same of lines, none of which begins with `::` or `section_start:` either."""
    return _CI_LINE.sub(r"\1<U+003A>", disarmed(text))


def github_text(text: str, encoding: str = "utf-8") -> str:
    """The message of a GitHub workflow command, on its line; the runner reads %25 as % and %0A as a line end."""
    return log_line(text, encoding).replace("%", "%25")


def github_value(text: str, encoding: str = "utf-8") -> str:
    """The value of a property of a GitHub workflow command: as a message, and without the marks that end a value."""
    return github_text(text, encoding).replace(":", "%3A").replace(",", "%2C")


def sarif(text: str) -> str:
    """The text of a SARIF message, in which nothing is a link or a placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return re.sub(r"[\\\[\]]", r"\\\g<0>", visible(text)).replace("{", "{{").replace("}", "}}")


def uri(path: str) -> str:
    """A file's path as a URI reference: an absolute one as file:, another, or an address, as it is; percent-encoded."""
    from urllib.parse import quote

    scheme = match[0] if (match := _SCHEME.match(path)) is not None else ""
    safe = "/:@%" if scheme.startswith("http") else "/:@" if scheme else "/"  # a web address is encoded already
    plain = scheme + re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", quote(path.removeprefix(scheme), safe, errors="replace"))
    return f"file://{plain}" if path.startswith("/") else plain


def html_value(value: object) -> object:
    """What every value of a template passes before it is escaped: a text with its hidden characters made visible.

    Only what says that it is markup already stays as it is; besides the project's own files that is what the
    functions of this module and the templates themselves have made.
    """
    return value if hasattr(value, "__html__") else visible(str(value), "\n\t")


def html_json(document: object) -> str:
    """JSON for a script block of type application/json: hidden characters visible, nothing that HTML could read."""
    text = _json(document)
    if _suspect("").search(text) or _ESCAPED.search(text):
        text = _json(_shown(document))
    text = disarmed(text, HASH)
    for character, escape in _JSON_ESCAPES.items():
        text = text.replace(character, escape)
    return text


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _shown(document: object) -> object:
    if isinstance(document, str):
        return visible(document, "\n\t")
    if isinstance(document, dict):
        return {_shown(name): _shown(value) for name, value in document.items()}
    return [_shown(one) for one in document] if isinstance(document, list | tuple) else document


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def spelled(error: UnicodeError) -> tuple[str, int]:
    """What comes instead of characters that an encoding lacks, and where to go on (see codecs.register_error)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _encodable(error.object[error.start : error.end], "", error.encoding), error.end


def _encodable(text: str, keep: str, encoding: str) -> str:
    def spell(character: str) -> str:
        if character in keep:
            return character
        if not _HIDDEN.match(character):
            try:
                return character.encode(encoding).decode(encoding)
            except UnicodeError:
                if character in _SPELLED:
                    return _SPELLED[character]
        return f"<U+{ord(character):04X}>"

    return "".join(map(spell, text))


def _markdown(text: str, table: bool) -> str:
    words = re.split(r"([^\S\n]+)", visible(text).strip())
    line = "".join(markdown_code(word, table) if _LIVE.search(word) else _escape_markdown(word) for word in words)
    return line if table else _LINE_START.sub(lambda match: f"{match[2] or ''}\\{match[1] or match[3]}", line)


def _escape_markdown(word: str) -> str:
    return _HTML.sub(lambda match: entities.escape(match[0]), _MARKUP.sub(r"\\\g<0>", word))


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def quoted(text: str, mark: str = "'") -> str:
    """A text as the quoted value of an override: no part of it is looked up elsewhere.

    In Hydra's grammar backslashes count only before a quote and at the end, in that of its configs only before `${`.
    """
    plain = re.sub(r"(\\*)\$\{", r"\1\1\\${", text)
    plain = re.sub(rf"(\\*){mark}", rf"\1\1\\{mark}", plain)
    plain = re.sub(r"(\\+)\Z", r"\1\1", plain)
    return f"{mark}{plain}{mark}"


def is_bare(text: str) -> bool:
    """Whether a text can be the value of an override without quotes, though perhaps as another type."""
    return _BARE.fullmatch(text) is not None


def value(text: str) -> str:
    """A text as the value of an override: quoted where it would be read as something else."""
    return text if is_bare(text) and not _NO_TEXT.fullmatch(text) else quoted(text)


def typed(word: str) -> str:
    """A word of a command for a shell: in double quotes where it holds single ones, and nothing that these let act."""
    if "'" in word and not set(word) & set("$`\\!"):
        escaped = word.replace('"', '\\"')
        return f'"{escaped}"'
    return shlex.quote(word)
