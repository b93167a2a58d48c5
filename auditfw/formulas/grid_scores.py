"""How close an output is to the expected one: grids compared cell by cell, and the reference's two scores."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from auditfw.core.document import some

Parted = Literal["auto", "characters", "blanks"]

MAX_CELLS = 1_000_000
LARGEST = sys.float_info.max
MAX_DIGITS = 18
MAX_SHOWN = 900
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "\\": "\\"}


def unescaped(separator: str) -> str:
    """A separator with what is written with a backslash as the character it stands for: n, t, r, f, v, a backslash."""
    return re.sub(r"\\([ntrfv\\])", lambda match: ESCAPES[match[1]], separator)


def text_grid(text: str, rows: str = "|", parted: Parted = "auto", parts: str | None = None) -> list[list[int | str]]:
    """The rows of a grid that is written as a text, as "001|010" or "0 0 1|0 1 0"; rows may be of any length.

    `rows` separates two rows, and may also come before the first and after the last. Cells are single "characters" or
    separated by "blanks"; "auto": by blanks where there are any within a row. With `parts` the cells of a row are the
    texts between these. A cell of digits is a whole number, any other stays the text it is.
    """
    text = text.replace("\r\n", "\n") if rows == "\n" else text
    text = text.strip("\r\n" if parts is not None and parts.isspace() else None)
    lines = text.removeprefix(rows).removesuffix(rows).split(rows)
    if parts is not None:
        return [[_cell(one.strip()) for one in line.split(parts)] for line in lines]
    if parted == "blanks" or (parted == "auto" and any(blank.isspace() for line in lines for blank in line.strip())):
        return [[_cell(word) for word in line.split()] for line in lines]
    return [[_cell(one) for one in (line.strip() if parted == "auto" else line)] for line in lines]


def _cell(text: str) -> int | str:
    return int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < MAX_DIGITS else text


def cells(grid: Any, limit: int = MAX_CELLS, words: bool = False) -> tuple[list[list[Any]] | None, str]:
    """The rows of a two-dimensional grid of finite numbers (or truth values), or None and why it is none.

    Takes lists, tuples and NumPy arrays; anything else that only looks like a grid is none: texts, ragged rows, NaN,
    mappings, more than `limit` cells. With `words` a cell may be a text.
    """
    rows = grid.tolist() if type(grid).__module__ == "numpy" and hasattr(grid, "tolist") else grid
    if not isinstance(rows, list | tuple):
        return None, f"not a grid: {_kind(rows)}"
    wide = len(rows[0]) if rows and isinstance(rows[0], list | tuple) else 0
    if len(rows) * max(wide, 1) > limit:
        return None, f"too large: {len(rows)} x {wide} cells, at most {limit}"
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list | tuple):
            return None, f"row {number} is not a list: {_kind(row)}"
        if len(row) != wide:
            return None, f"ragged: row {number} has {some(len(row), 'cell')}, row 1 has {wide}"
        for value in row:
            if words and isinstance(value, str):
                continue
            if not isinstance(value, int | float) or not abs(value) <= LARGEST:
                return None, f"row {number} holds a cell that is not a finite number: {_kind(value)}"
    return [list(row) for row in rows], ""


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, float):
        return repr(value)
    return type(value).__name__


def shape_text(rows: Sequence[Sequence[Any]]) -> str:
    """A grid's shape as rows x columns."""
    return f"{len(rows)} x {len(rows[0]) if rows else 0}"


def equal_share(output: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> float:
    """Equal cells over all cells of two grids of one shape; 1.0 for two empty ones. No tolerance, no cast."""
    pairs = [(a, b) for one, other in zip(output, expected, strict=True) for a, b in zip(one, other, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else 1.0


def grid_difference(output: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> str:
    """Both grids in one: a right cell as it is, a wrong one as `found/expected`; a line a row."""
    lines = [
        " ".join(
            _cell_text(a) if a == b else f"{_cell_text(a)}/{_cell_text(b)}" for a, b in zip(one, other, strict=True)
        )
        for one, other in zip(output, expected, strict=True)
    ]
    return "\n".join(lines)


def _cell_text(cell: Any) -> str:
    return cell if isinstance(cell, str) else f"{cell:g}"


def grid_remark(output: Any, expected: Any, words: bool = False) -> str:
    """What is wrong with a grid, for a solver to read: why it is none, both shapes, or the difference."""
    truth, why = cells(expected, words=words)
    if truth is None:
        return f"the expected output is {why}"
    grid, why = cells(output, words=words)
    if grid is None:
        return why
    if shape_text(grid) != shape_text(truth):
        return f"the shape is {shape_text(grid)}, it should be {shape_text(truth)}"
    if grid == truth:
        return ""
    if len(truth) * len(truth[0]) > MAX_SHOWN:
        return f"{equal_share(grid, truth):.2%} of the cells are right"
    return f"wrong cells are shown as found/expected:\n{grid_difference(grid, truth)}"


def soft_score(pred: Any, truth: Any) -> float:
    """The reference's soft score of two arrays: equal cells over cells, 0.0 where shapes differ, 1.0 for empty ones.

    NumPy's own comparison: strings and None compare too, NaN equals nothing. Raises ValueError for ragged lists.
    Source: SEMANTICS of the reference loop, `_soft_score`.
    """
    import numpy as np

    output, wanted = np.asarray(pred), np.asarray(truth)
    if output.shape != wanted.shape:
        return 0.0
    return _share(output, wanted) if wanted.size else 1.0


def _share(output: Any, wanted: Any) -> float:
    import numpy as np

    share = float(np.mean(output == wanted)) if wanted.size else math.nan
    return share if math.isfinite(share) else 0.0


def example_score(ok: bool, output: str, truth: Any) -> dict[str, Any]:
    """One training example in the reference's settings: a sandbox's status and text against the truth.

    Returns `success, soft_score` (after JSON, at least two dimensions, cast to int), `feedback_score` (neither expanded
    nor cast; also from the text of a failed run), `feedback_kind` (`correct, unparsable, shape_mismatch, diff`), `diff`
    (a wrong cell as found/expected) and `has_error`. Raises what the reference raised there: ValueError, OverflowError
    or IndexError where a difference cannot be shown, ValueError for a ragged truth.
    """
    import numpy as np

    wanted = np.array(truth)
    cast = _whole(output) if ok else None
    success = cast is not None and cast.shape == wanted.shape and bool(np.array_equal(cast, wanted))
    score: dict[str, Any] = {
        "success": success,
        "soft_score": soft_score(cast, wanted) if cast is not None else 0.0,
        "feedback_score": 1.0,
        "feedback_kind": "correct",
        "diff": None,
        "has_error": cast is None,
    }
    if success:
        return score
    raw = _array(output) if output else None
    if raw is None:
        return score | {"feedback_score": 0.0, "feedback_kind": "unparsable"}
    if raw.shape != wanted.shape:
        return score | {"feedback_score": 0.0, "feedback_kind": "shape_mismatch"}
    difference = _difference(raw, wanted)
    return score | {"feedback_score": _share(raw, wanted), "feedback_kind": "diff", "diff": difference}


def _array(text: str) -> Any:
    import numpy as np

    try:
        return np.array(json.loads(text))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _whole(text: str) -> Any:
    """The text's array, with two dimensions or more, cast to whole numbers; None where that cannot be."""
    import numpy as np

    raw = _array(text)
    if raw is None:
        return None
    try:
        with np.errstate(invalid="ignore"):
            return raw.reshape((1,) * (2 - raw.ndim) + raw.shape).astype(int)
    except (ValueError, TypeError, OverflowError):
        return None


def _difference(output: Any, wanted: Any) -> str:
    at_least_two = output.reshape((1,) * max(2 - output.ndim, 0) + output.shape)
    rows, columns = at_least_two.shape
    lines = []
    for r in range(rows):
        pairs = [(at_least_two[r, c], wanted[r, c]) for c in range(columns)]
        lines.append(" ".join(str(int(a)) if a == b else f"{int(a)}/{int(b)}" for a, b in pairs))
    return "\n".join(lines)


def coerced_score(output: Any, expected: Any) -> float:
    """The reference's feedback score of a value: 1.0 where the values cast to whole numbers agree, else unexpanded,
    uncast cells.

    Raises what `example_score` raises.
    """
    return float(example_score(True, json.dumps(output, default=_plain), expected)["feedback_score"])


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def deep(expected: Any) -> bool:
    """Whether the reference can score against an expected output: an array of numbers with two dimensions or more."""
    import numpy as np

    try:
        wanted = np.array(expected)
    except (ValueError, TypeError, OverflowError):
        return False
    return wanted.ndim >= 2 and wanted.dtype.kind in "biuf"


def passed_share(results: Any) -> tuple[float, str]:
    """The share of tests passed, and which did not: from a list of truth values or a mapping of names to them."""
    named = dict(results) if isinstance(results, Mapping) else None
    if named is None and isinstance(results, list | tuple):
        named = {str(number): value for number, value in enumerate(results, 1)}
    if not named:
        return 0.0, "no results of tests: a list of true/false or a mapping of names to them"
    odd = [name for name, value in named.items() if not isinstance(value, bool)]
    if odd:
        return 0.0, f"the result of test {odd[0]} is neither true nor false"
    failed = [str(name) for name, value in named.items() if not value]
    return 1 - len(failed) / len(named), f"failed: {', '.join(failed[:20])}" if failed else ""
