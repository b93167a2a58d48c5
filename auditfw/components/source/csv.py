"""Trials in delimited text."""

from __future__ import annotations

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.kinds.registry import declare


@declare("source", "csv")
class CsvSource(DelimitedText):
    r"""Reads delimited text with a header line; every cell stays text, also an empty one.

    It has the settings of all file sources, and:
    - `delimiter`: one character; `\t` or `tab` for a tab;
    - `quote`: the character around cells that hold delimiters or line ends, a quote inside is doubled; null: no
      quoting.
    """
