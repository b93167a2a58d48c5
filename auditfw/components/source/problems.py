"""Problems for a refine loop: JSON Lines with training and test examples."""

from __future__ import annotations

from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.kinds.registry import declare


@declare("source", "problems")
class Problems(JsonLines):
    """Reads problems, one JSON object per line: `id`, `train` and `test` as lists of {input, output}.

    It has the settings of `jsonl`; `columns: {input: ..., output: ...}` makes one training example from two columns;
    `stored` is a recorded label. A test's output may be left out.
    """
