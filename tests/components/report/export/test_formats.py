"""Tables as CSV and LaTeX: what stands there by hand, and any table read back by a reader of the format."""

from __future__ import annotations

import re

import pytest
from exported_files import csv_rows, latex_rows, latex_text
from hostile_texts import hostile
from hypothesis import example, given, settings
from hypothesis import strategies as st
from searching import examples
from sentences import report as says

from auditfw.components.report.export.exhibits import exported, named
from auditfw.components.report.export.formats import csv_text, file_text
from auditfw.components.report.export.formats import latex_text as table_as_latex
from auditfw.core import escaping as sinks
from auditfw.core.document import Chart, Matrix, Note, Section, Series, Table, estimated
from auditfw.core.errors import UsageError

RATES = Table(
    ["model", "n", "right %"],
    [["a_b & c", "1,080", estimated(52.4, 44.1, 59.4)], ["=x", "-3", "–"]],
    "<>>",
    "By model.",
    12,
)
CSV = 'model,n,right %,right % low,right % high\na_b & c,"1,080",52,44,59\n\'=x,-3,–,,\n'
LATEX = r"""% who-wins by auditfw; needs \usepackage{booktabs}
\begin{table}
\centering
\caption{Who wins: By model. (and 12 more rows)}
\label{tab:who-wins}
\begin{tabular}{lrr}
\toprule
model & n & right \% \\
\midrule
a\_b \& c & 1,080 & 52 [44, 59] \\
=x & $-$3 & \textendash{} \\
\bottomrule
\end{tabular}
\end{table}
"""


def test_a_table_in_both_formats() -> None:
    (one,) = exported([Section("Who wins", [Note("none"), RATES])])
    assert (one.number, one.name, one.kind) == ("1", "who-wins", "table, 2 rows")
    assert (file_text(one, "csv"), file_text(one, "latex")) == (CSV, LATEX)
    with pytest.raises(UsageError, match="who-wins: is a table and has no picture"):
        file_text(one, "svg")


def test_an_interval_is_its_own_columns_wherever_it_stands() -> None:
    rows = [["0.50 [0.40, 0.60]"], [estimated(0.5, 0.4, 0.6)]]
    assert csv_text(Table(["a"], rows, "<")) == says.A_A_LOW_A_HIGH


CHART = Chart("Scores", "x", "y", [Series("s", ["p", "q"], [1.0, 2.0], (), [0.5, None], [1.5, None])])
MATRIX = Matrix("Heat", "row", ["r"], ["c"], [[1.0]], [["1.0"]], left_out=1)


def test_numbers_and_names_of_what_can_be_exported() -> None:
    sections = [
        Section("Ranking", [RATES, Note("x"), CHART]),
        Section("Nothing", [Note("x")]),
        Section("?!", [MATRIX]),
        Section("a+b", [RATES]),
        Section("A B", [RATES]),
    ]
    listed = [(one.number, one.name, one.caption) for one in exported(sections)]
    assert listed == [
        ("1.1", "ranking-1", says.RANKING_BY_MODEL_AND_MORE),
        ("1.2", "ranking-2", "Ranking: Scores"),
        ("3", "section", "?!: Heat (and 1 more row)"),
        ("4", "a-b-4", says.A_BY_MODEL_AND_MORE),
        ("5", "a-b-5", says.BY_MODEL_AND_MORE_ROWS),
    ]
    assert named(" Do the Conclusions Survive? ") == "do-the-conclusions-survive"
    chart, matrix = exported(sections)[1:3]
    assert file_text(chart, "csv") == says.LOW_HIGH
    assert file_text(matrix, "csv") == "row,c\nr,1.0\n"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        *[(text, text) for text in ("", "a", "–3", "-3", "+2.13", "-0.37", "+1234.5", "-2 %", "-1e-5", "'tis", "a=1")],
        *[
            (text, f"'{text}")
            for text in ("=1+1", "+a", "-1+1", "@x", "'=1", "''-x", "-", "\t=1", " @x", "-2 % x", "-1\n")
        ],
        ("=1,2", '"\'=1,2"'),
        ("+1,234", '"+1,234"'),
        ('"', '""""'),
        ("a\nb", '"a\nb"'),
        ("\x1b", "␛"),
        ("::error::x", "<U+003A>:error::x"),
    ],
)
def test_csv_fields(text: str, field: str) -> None:
    quoted = f'"{field}"' if text == "-1\n" else field
    assert sinks.csv_field(text) == quoted.replace("'-1\n", "'-1\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "50 % of a_b & c#1 $x {y} ~^\\",
            says.OF_A_TEXTASCIITILDE_TEXTASCIICIRCUM_TEXTBACK_2,
        ),
        ("[1, 2]", "{}[1, 2]"),
        ("*", "{}*"),
        ("a [-0.5, 0.5] -x a-3 2026-11-27", "a [$-$0.5, 0.5] -x a-3 2026-11-27"),
        ("-3 --x ''", "$-$3 -{}-x '{}'"),
        ("`<b>", r"\textasciigrave{}\textless{}b\textgreater{}"),
        (
            "→ Δ ≤ × –",
            says.RIGHTARROW_DELTA_LEQ_TIMES_TEXTENDASH,
        ),
        ("a\nb", "a b"),
        ("\\\\end{table}\x00", r"\textbackslash{}\textbackslash{}end\{table\}␀"),
    ],
)
def test_latex_texts(text: str, shown: str) -> None:
    assert sinks.latex(text) == shown


@settings(deadline=None, max_examples=examples(100))
@example([["'", "=1"], ["\n=1", "\r@"]])
@example([["-1", ""], ["[a", "*"]])
@given(st.lists(st.lists(hostile, min_size=2, max_size=2), min_size=1, max_size=3))
def test_any_table_reads_back(rows: list[list[str]]) -> None:
    table = Table(["a", "b"], rows, "<>")
    wanted = [["a", "b"], *[[sinks.disarmed_lines(sinks.visible(cell, "\n\t")) for cell in row] for row in rows]]
    text = csv_text(table)
    assert csv_rows(text) == wanted
    assert not re.search(r"(?im)^\s*(::|section_(start|end):\d)|##(\[|vso\[|teamcity\[)", text)
    _, _, cells = latex_rows(table_as_latex(table, "x", "y"))
    blanks = [[re.sub(r"\s+", " ", cell).strip() for cell in row] for row in wanted]
    assert [[cell.replace("−", "-").strip() for cell in row] for row in cells] == [
        [cell.replace("−", "-") for cell in row] for row in blanks
    ]


@given(hostile)
def test_latex_reads_back(text: str) -> None:
    shown = sinks.disarmed_lines(sinks.visible(text, "\n\t")).replace("−", "-")
    assert latex_text(sinks.latex(text)).strip() == re.sub(r"\s+", " ", shown).strip()
