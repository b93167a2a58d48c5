"""Parsers of truths: what they must know of all truths of a run, and which shipped ones may fit its truths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from auditfw.audits.parsing.engine.plan import needs_of
from auditfw.audits.parsing.trials import as_text, flat
from auditfw.formulas.texts.truth_kinds import SHARE, kind_of
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.evidence import Evidence, one_pass_of
from auditfw.kinds.registry import component
from auditfw.kinds.text import Parser

INDEX, OF_OPTION, OPTION = "letter_of_index", "letter_of_option", "option_of_letter"
MOST_INDEX = 25  # the largest number of an option


def fitted(truth: Named[Parser] | None, evidence: Evidence) -> Named[Parser] | None:
    """The parser of truths with what it must know of all of them; all are read only by one that must."""
    fit = None if truth is None else capability(truth.part, "fitted")
    return truth if truth is None or fit is None else Named(truth.name, fit(_truths_of(evidence)))


def _truths_of(evidence: Evidence) -> Iterator[str]:
    once = one_pass_of(evidence.tasks)
    for task in evidence.tasks if once is None else once.tasks:
        yield from (as_text(value) for value in flat(task().columns["ground_truth"]))


def fitting(truths: Sequence[str], columns: Sequence[str]) -> list[Named[Parser]]:
    """The shipped parsers of truths that may fit some truths, given the columns that are read."""
    filled = [text.strip() for text in truths if text.strip()]
    kinds = [kind_of(text) for text in filled]
    indexes = sum(text.isdecimal() and int(text) <= MOST_INDEX for text in filled)
    letters, least = kinds.count("letter"), SHARE * len(filled)
    names = [INDEX] if indexes >= least else [OPTION] if letters >= least else [OF_OPTION]
    parsers = [Named[Any](name, component("parser", name).cls()) for name in names if filled]
    return [named for named in parsers if set(needs_of([named.part])) <= set(columns)]
