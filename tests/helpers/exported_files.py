"""Exported files read back: CSV less the apostrophes of formulas, LaTeX by a parser, as the text that it sets."""

from __future__ import annotations

import csv
import io
import re

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMacroNode, LatexNode, LatexWalker

SIGNS = {  # what some commands set, where the reader does not know them or gives another sign
    **{"textless": "<", "textgreater": ">", "textbar": "|", "textbackslash": "\\", "textasciigrave": "`"},
    **{"bigtriangleup": "▲", "bigtriangledown": "▼", "circ": "○", "bullet": "●", "ldots": "…", "cdot": "·"},
    **{"textasciitilde": "~", "textasciicircum": "^", "mu": "µ"},
}
TABLE = ("caption", "label", "centering", "toprule", "midrule", "bottomrule", "\\", *"{}$&#%_")
OTHERS = ("textendash", "textemdash", "rightarrow", "leftarrow", "pm", "times", "leq", "geq", "neq", "approx")
ALLOWED = {*TABLE, *OTHERS, *SIGNS, "Delta", "alpha", "kappa"}  # any other command would have come from data
KNOWN = get_default_latex_context_db()
KNOWN.add_context_category("signs", [MacroTextSpec(name, sign) for name, sign in SIGNS.items()], prepend=True)


def csv_rows(text: str) -> list[list[str]]:
    """The cells of a CSV file with its header."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    return [[re.sub(r"\A'(?='*[ \t\n]*[=+\-@])", "", cell) for cell in row] for row in rows]


def latex_text(source: str) -> str:
    """What LaTeX sets for a text, its blanks joined."""
    reader = LatexNodes2Text(KNOWN, strict_latex_spaces=True, keep_comments=True)
    return re.sub(r"\s+", " ", str(reader.latex_to_text(source)))


def latex_rows(text: str) -> tuple[str, str, list[list[str]]]:
    """Caption, label and cells of an exported table. Fails where it is no table, or holds a command not in ALLOWED."""
    comment, source = text.split("\n", 1)
    assert re.fullmatch(r"% [a-z0-9_-]+ by auditfw; needs \\usepackage\{booktabs\}", comment)
    nodes, _, _ = LatexWalker(source, tolerant_parsing=False).get_latex_nodes()
    (table,) = [node for node in nodes if isinstance(node, LatexEnvironmentNode)]
    (tabular,) = [node for node in table.nodelist if isinstance(node, LatexEnvironmentNode)]
    assert (table.environmentname, tabular.environmentname) == ("table", "tabular")
    assert {node.macroname for node in every(nodes) if isinstance(node, LatexMacroNode)} <= ALLOWED
    match = re.search(r"\\caption\{(.*)\}\n\\label\{tab:([a-z0-9_-]+)\}\n\\begin\{tabular\}\{([lr]+)\}\n", source)
    assert match is not None
    body = source[match.end() : source.index("\\bottomrule")].replace("\\midrule\n", "").removeprefix("\\toprule\n")
    rows = [re.split(r"(?<!\\) & ", line) for line in re.split(r" \\\\\n", body)[:-1]]
    assert {len(row) for row in rows} == {len(match[3])}
    return latex_text(match[1]), match[2], [list(map(latex_text, row)) for row in rows]


def every(nodes: list[LatexNode]) -> list[LatexNode]:
    """Nodes with all that is in them."""
    found = []
    for node in filter(None, nodes):
        arguments = node.nodeargd.argnlist if getattr(node, "nodeargd", None) is not None else []
        found += [node, *every(getattr(node, "nodelist", None) or []), *every(list(arguments or []))]
    return found
