"""Tables of trials or problems in files of a format, or from Python: what `source=csv` and the like name."""

from __future__ import annotations

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import HeldFrame, Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.kinds.registry import declare


@declare("source", "csv")
class CsvSource(DelimitedText):
    r"""Reads delimited text with a header line; every cell stays text, also an empty one.

    It has the settings of all file sources, and:
    - `delimiter`: one character; `\t` or `tab` for a tab;
    - `quote`: the character around cells that hold delimiters or line ends, a quote inside is doubled; null: no
      quoting.
    """


@declare("source", "frame")
class FrameSource(HeldFrame):
    """Takes a table from Python: a Polars or pandas frame, or a list of records.

    It has the settings of all file sources except `path`, `files` and `encoding`; `frame` is the table. In a pandas
    frame NaN means null.
    """


@declare("source", "json")
class JsonSource(JsonArray):
    """Reads one JSON text: an array of objects, or the array at `records` inside an object.

    It has the settings of all file sources, and:
    - `records`: the keys that lead to the array, for example `results.rows`; `details.*` means the members of an
      object, whose keys become the column `key` (a member may also be an array of records);
    - `header`: {ours: theirs}, columns from outside the records, the same for all rows of a file, for example `{model:
      eval.model}`.
    """


@declare("source", "jsonl")
class JsonLinesSource(JsonLines):
    """Reads JSON Lines: one object per line, plain or as .gz or .zst.

    It has the settings of all file sources (`path`, `files`, `columns`, `unpivot`, `where`, `nulls`, `duplicates`,
    `encoding`, `limit`), and `tolerate_torn_tail`, which drops a cut-off last line and counts it as malformed.
    """

    _sums = True

    @property
    def summed(self) -> bool:
        """Whether the files' checksums are known when their records are read."""
        return self.sums()


@declare("source", "parquet")
class ParquetSource(Parquet):
    """Reads a Parquet file slice by slice; dates and decimals become text.

    It has the settings of all file sources.
    """


@declare("source", "problems")
class Problems(JsonLines):
    """Reads problems, one JSON object per line: `id`, `train` and `test` as lists of {input, output}.

    It has the settings of `jsonl`; `columns: {input: ..., output: ...}` makes one training example from two columns;
    `stored` is a recorded label. A test's output may be left out.
    """
