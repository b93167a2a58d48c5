"""SQL conditions on rows, evaluated by Polars on the columns they name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.errors import AuditError, DataError, UsageError

_CAST = re.compile(
    r"""cast\s*\(\s*"?([^"()]+?)"?\s+as\s+(?:double|float|real)|"?([^\s"()]+)"?::(?:double|float|real)""", re.I
)

_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")
_ACROSS = re.compile(
    r"\b(?:avg|sum|count|min|max|first|last|median|std\w*|var\w*|quantile\w*|corr|covar\w*|row_number|rank|dense_rank"
    r"|lag|lead|first_value|last_value|array_agg|string_agg|columns)\s*\(|\bover\s*\(",
    re.I,
)


@dataclass(frozen=True)
class Condition:
    """A boolean SQL expression over named columns; a row for which it is null is not kept.

    `setting` is where it is written; `kinds` fixes for each column whether its values are "text", "float", "int" or
    "bool", so that all slices of the input are compared alike.
    """

    sql: str
    setting: str
    names: tuple[str, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def keep(self, columns: Mapping[str, Sequence[Any]], size: int, place: str) -> list[bool]:
        """Which rows to keep. Raises DataError where the values do not allow the comparison."""
        import polars as pl

        cast_to_number = {name.strip().strip('"') for pair in _CAST.findall(self.sql) for name in pair if name}
        series = [
            pl.Series(
                name,
                _values(columns[name], self.kinds.get(name), name in cast_to_number),
                _dtype(columns[name], self.kinds.get(name)),
                strict=False,
            )
            for name in self.names
        ]
        rows = pl.DataFrame([pl.Series("", range(size)), *series])
        try:
            kept = rows.with_columns(pl.sql_expr(self.sql).alias(" keep"))[" keep"]
        except (Exception, pl.exceptions.PanicException) as error:
            raise self._explained(error, place) from None
        if kept.dtype not in (pl.Boolean, pl.Null):
            raise UsageError(self.setting, "is not a condition", f"it gives {kept.dtype}", "write a comparison")
        return [value is True for value in kept.to_list()]

    def _explained(self, error: BaseException, place: str) -> AuditError:
        message = _first_line(error)
        if "conversion" in message or "cast" in message:
            what = f"{self.setting} cannot be evaluated"
            return DataError(place, what, message, "write TRY_CAST, which gives null instead")
        do = "compare text with text and numbers with numbers"
        return UsageError(self.setting, "cannot be evaluated", message, do)


def condition(sql: str, setting: str) -> Condition:
    """Reads the condition of a setting. Raises UsageError for bad SQL and for what looks at more than one row."""
    import polars as pl

    try:
        expression = pl.sql_expr(sql)
        names = tuple(dict.fromkeys(expression.meta.root_names()))
    except (Exception, pl.exceptions.PanicException) as error:
        raise UsageError(
            setting, "cannot be read as SQL", _first_line(error), 'write a condition such as "n > 3"'
        ) from None
    if _ACROSS.search(_QUOTED.sub("", sql)):
        raise UsageError(
            setting, "expected a condition on one row at a time", sql, "compute sums and ranks before the audit"
        )
    return Condition(sql, setting, names)


def kind_of(values: Sequence[Any]) -> str | None:
    """The kind that values are compared as: bool, int, float, text, or None where all are null."""
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return None
    if kinds <= {bool}:
        return "bool"
    if kinds <= {int}:
        return "int"
    return "float" if kinds <= {int, float} else "text"


def _dtype(values: Sequence[Any], kind: str | None) -> Any:
    import polars as pl

    name = kind_of(values)
    if name != kind and {name, kind} == {"int", "float"}:
        name = "float"
    if kind == "text" or name is None:
        name = kind
    if name == "int" and any(value is not None and not -(2**63) <= value < 2**63 for value in values):
        return pl.Int128
    return {"bool": pl.Boolean, "int": pl.Int64, "float": pl.Float64, "text": pl.String, None: pl.Null}[name]


def _values(values: Sequence[Any], kind: str | None, number: bool) -> list[Any]:
    """The values as they are compared: NaN (also spelt out, where it is cast) is null, all are text where one is."""
    if kind == "text" or kind_of(values) == "text":
        texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
        return [None if number and text and text.strip().lower().lstrip("+-") == "nan" else text for text in texts]
    return [None if value != value else value for value in values]  # noqa: PLR0124 - NaN alone differs from itself


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
