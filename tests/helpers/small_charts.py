"""A chart of each form, and a result that holds some."""

from __future__ import annotations

from auditfw.core.document import Chart, Section, Series
from auditfw.core.records import Result

CURVE = Chart(
    "Alignment by x", "x", "score", [Series("overall", [0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.0, 0.25])], ends=(0, 1)
)
TWO = Chart("Two", "x", "y", [Series("a", [0.0, 1.0], [1.0, 2.0]), Series("b", [1.0, 2.0], [3.0, 4.0])])
BARS = Chart("Free", "simulator", "score", [Series("mean", ["constant", "permuted"], [0.5, 1.0])], kind="bars")
POINTS = Chart("Cost", "seconds", "solved", [Series("rules", [1.0, 2.0], [0.3, 0.5], ["ten tries", ""])], kind="points")


def result(*charts: Chart) -> Result:
    sections = [Section("Curves", list(charts), console=True)]
    return Result("alignment", "none", 0, {"read": 1, "audited": 1}, (), [], [], [], [], "0", 0, {}, sections=sections)
