"""The scenario of the lowest score, with what came for what was meant where it is farthest off."""

from __future__ import annotations

from math import nan

from auditfw.audits.alignment.actual import NONFINITE
from auditfw.audits.alignment.charts import WAYS, came_for, scenario_name
from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.key_scores import KeyScores
from auditfw.audits.alignment.scenario_sample import Drawn
from auditfw.core.digits import NOISE, fixed
from auditfw.core.document import Note, Section
from auditfw.core.errors import brief

SHOWN = 2  # outcomes of one scenario
LABEL, KEY = 60, 30


def worst_scenario(results: AlignmentResults) -> Section:
    """The scenario of the lowest score, if any is below 1: its outcomes of the lowest scores."""
    drawn, order = results.lowest.drawn()
    worst = next((i for i in order if drawn.overall[i] < 1 - NOISE), None)
    if worst is None or not results.context.limits.max_examples:
        return Section("", screen="example")
    name = brief(scenario_name(drawn, worst), LABEL)
    title = f"The worst scenario: {name} (score {fixed(float(drawn.overall[worst]), 2)})"
    return Section(title, [Note("; ".join(_outcomes(drawn, worst)))], screen="example")


def _outcomes(drawn: Drawn, i: int) -> list[str]:
    own = [one for one in drawn.keys if one.codes[i] <= NONFINITE and one.combined[i] < 1 - NOISE]
    lowest = sorted(own, key=lambda one: float(one.combined[i]))[:SHOWN]
    return [f"{brief(one.key, KEY)} {came_and_meant(one, i)}" for one in lowest]


def came_and_meant(one: KeyScores, i: int) -> str:
    """What came for what was meant: a number, a band, or a way from the baseline."""
    of = one.compared
    way = "" if of.change is None else WAYS.get(int(of.change[i]), "")
    low, high = (nan, nan) if way else (float(of.low[i]), float(of.high[i]))
    return came_for(float(of.actual[i]), low, high, word="for") + way.replace("vs", " for")
