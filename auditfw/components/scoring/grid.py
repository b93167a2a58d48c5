"""The scoring of grids by equal cells."""

from __future__ import annotations

from typing import Any

from auditfw.core.errors import DataError, UsageError, brief
from auditfw.formulas.grid_scores import (
    MAX_CELLS,
    Parted,
    coerced_score,
    deep,
    equal_share,
    grid_remark,
    shape_text,
    text_grid,
    unescaped,
)
from auditfw.formulas.grid_scores import cells as grid_cells
from auditfw.kinds.registry import declare

from .outputs import ELSE


@declare("scoring", "grid")
class GridScoring:
    """Gives the share of equal cells of two grids; a grid of another shape scores 0.

    Cells compare exactly (1 equals 1.0, "1" does not). `coerce` reproduces the reference implementation: values are
    cast to whole numbers before success is decided, texts and truncated floats included, and what made it stop with an
    exception is a data error here. `rows` is what separates the rows of grids that are written as texts ("|":
    `001|010`), in problems and in outputs; `cells` is what separates their cells ("|": `black|red`), then `rows` is the
    newline unless it is set. Both may be written with a backslash (`\\n`, `\\t`, `\\r\\n`). Without `cells`, `parted`
    says whether cells are single "characters" or separated by "blanks" ("auto": by blanks if a row contains any).
    Without `rows` and `cells` a text is not a grid.
    """

    coerce: bool = False
    max_cells: int = MAX_CELLS
    rows: str | None = None
    parted: Parted = "auto"
    cells: str | None = None

    def __post_init__(self) -> None:
        if self.max_cells < 1:
            raise UsageError("max_cells", "expected a whole number of 1 or more", self.max_cells)
        for name, example in (("rows", 'rows="|"'), ("cells", 'cells=" "')):
            if getattr(self, name) == "":
                raise UsageError(name, "is empty", None, f"write what separates two {name}, as {example}")
        if self._texts is not None and self._texts[0] == self._texts[1]:
            raise UsageError("cells", "is also what separates rows", self.cells, "write audit.scoring.rows=...")
        if self.cells is not None and self.parted != "auto":
            raise UsageError("parted", "cannot be set beside cells", self.parted, "leave out one of the two")

    @property
    def _texts(self) -> tuple[str, str | None] | None:
        """What separates rows and cells of grids in texts; None where a text is no grid."""
        if self.rows is None and self.cells is None:
            return None
        return unescaped(self.rows or "\n"), None if self.cells is None else unescaped(self.cells)

    def read(self, value: Any) -> Any:
        """A text as the grid it is, where `rows` or `cells` say so; anything else as it is."""
        texts = self._texts
        if texts is None or not isinstance(value, str) or not value.strip():
            return value
        return text_grid(value, texts[0], self.parted, texts[1])

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why every output would score 0 against an expected one, and what to do; "" where it is a grid."""
        truth = self.read(expected)
        grid, why = grid_cells(truth, self.max_cells, words=self._texts is not None and not self.coerce)
        if grid is not None and not any(grid):
            return "is a grid without cells", ELSE
        if grid is not None or (self.coerce and deep(truth)):
            return "", ""
        if why.startswith("too large"):
            return f"is {why}", "raise audit.scoring.max_cells"
        if isinstance(expected, str) and self._texts is None:
            do = 'what separates the rows, as audit.scoring.rows="|", or the cells, as audit.scoring.cells="|"'
            return "is not a grid", f"grids in texts: say {do}; {ELSE}"
        return "is not a grid" if why.startswith("not a grid") else f"is not a grid: {why}", ELSE

    def __call__(self, output: Any, expected: Any) -> float:
        output, expected = self.read(output), self.read(expected)
        if self.coerce:
            try:
                return coerced_score(output, expected)
            except (ValueError, OverflowError, IndexError, TypeError) as error:
                do = "score it without audit.scoring.coerce, which gives 0 and a reason"
                raise DataError("audit.scoring", "the reference cannot score this output", brief(error), do) from error
        words = self._texts is not None
        grid, _ = grid_cells(output, self.max_cells, words)
        truth, _ = grid_cells(expected, self.max_cells, words)
        if grid is None or truth is None or shape_text(grid) != shape_text(truth):
            return 0.0
        return equal_share(grid, truth)

    def remark(self, output: Any, expected: Any) -> str:
        """What is wrong with the output, for the next attempt to read; "" where nothing is."""
        return grid_remark(self.read(output), self.read(expected), self._texts is not None)
