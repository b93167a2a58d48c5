"""Forms of formulas."""

from __future__ import annotations

from typing import ClassVar

from auditfw.formulas.forms.latex import plain_latex
from auditfw.kinds.registry import declare


@declare("form", "latex")
class AsLatex:
    r"""LaTeX in another spelling: \left, \dfrac, \text, spaces, “x =”, degrees or % at the end, trailing zeros."""

    kinds: ClassVar[tuple[str, ...]] = ("latex",)
    counts: ClassVar[bool] = True

    def value(self, text: str) -> str | None:
        """The formula in one spelling."""
        return plain_latex(text)
