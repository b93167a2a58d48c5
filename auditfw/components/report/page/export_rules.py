"""The rules by which the page's script writes the files that `auditfw export` writes, from where they are kept."""

from __future__ import annotations

import re

from auditfw.components.report.charts.svg import FONT, INKS, TITLE
from auditfw.components.report.export.exhibits import LONGEST
from auditfw.components.report.export.formats import NEEDS
from auditfw.core.escaping import FORMULA, LATEX, LATEX_THEN, html_json


def export_rules() -> str:
    """The rules as JSON for a script block; replacements are in the words of JavaScript, `$1` for the first group."""
    then = [[pattern, re.sub(r"\\(\d)", r"$\1", instead)] for pattern, instead in LATEX_THEN]
    inks = {ink: colour for colour, ink in INKS.items()}
    drawn = {"inks": inks, "font": FONT, "title": TITLE}
    return html_json({"formula": FORMULA, "latex": LATEX, "then": then, "needs": NEEDS, "longest": LONGEST, **drawn})
