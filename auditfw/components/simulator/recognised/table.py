"""Recorded outcomes: scenarios that hold theirs, and a stored report of an alignment audit."""

from __future__ import annotations

from auditfw.components.files.looks.words import path_words
from auditfw.kinds.first_look import Looks, Recognised

from .scenarios import START, is_scenarios, parts, scenario_words

REPORT = "individual_results"  # a key of a report


def proposes(looks: Looks) -> Recognised | None:
    """One file of scenarios with their outcomes, or a report."""
    if len(looks) != 1:
        return None
    [look] = looks
    if look.format == "object" and REPORT in look.names:
        words = ("experiment=posiwid_report", "scenarios=posiwid_report", path_words("scenarios.path", looks))
        reads = ("simulator=table", "simulator.format=posiwid_report", path_words("simulator.path", looks))
        return Recognised("a POSIWID report", (*words, *reads))
    actual = "actual" in parts(look) or any(name.startswith("actual.") for name in look.columns)
    if not actual or not is_scenarios(look):
        return None
    return Recognised("scenarios with their outcomes", (*START, *scenario_words(look), "simulator=table"))
