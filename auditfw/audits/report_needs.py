"""What the reports and metrics of a run need of its audit: what it keeps for them, a reading by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditfw.core.document import Block, Exhibit, Gallery, Note, Section
from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Audit, ReportLimits
from auditfw.kinds.metrics import Metric, Report

TEXTS = "texts"  # what a report keeps that writes the texts of answers
NO_TEXTS = "Texts are left out (report.texts=false)."


def kept_for(*parts: Mapping[str, Metric | Report]) -> frozenset[str]:
    """What the audit is to keep beyond its counts, for these parts of a run."""
    return frozenset(name for named in parts for part in named.values() for name in capability(part, "keeps", ()))


def check_reports(reports: Mapping[str, Report], audit: Audit, texts: bool = True) -> None:
    """Refuses a report that needs what the audit does not keep, or a reading that it has not. Raises UsageError.

    Without `texts` one that writes the texts of answers is refused as well.
    """
    kept, readings = capability(audit, "keeps", ()), capability(audit, "named_readings")
    for name, part in reports.items():
        if not texts and TEXTS in capability(part, "keeps", ()):
            what = "writes the texts of answers, which report.texts=false leaves out"
            raise UsageError(f"reports.{name}", what, None, "leave it out of report=[...]")
        lacking = [one for one in capability(part, "keeps", ()) if one not in kept]
        if lacking:
            what = f"needs the {lacking[0]} of trials, which the {audit.name} audit does not keep"
            raise UsageError(f"reports.{name}", what, None, "leave it out of report=[...]")
        reading = capability(part, "reading")
        if reading is not None and readings is not None and reading not in readings():
            do = nearest(reading, readings())
            raise UsageError(f"reports.{name}.reading", f"no reading '{reading}' in this run", None, do)


def shown_sections(sections: Sequence[Section], limits: ReportLimits) -> list[Section]:
    """The sections without the example and without texts, as far as these are not wanted.

    Exhibits stay, with their facts: their place, truth and labels.
    """
    kept = [one for one in sections if one.screen != "example" or (limits.example and limits.texts)]
    return kept if limits.texts else list(map(_without_texts, kept))


def _without_texts(section: Section) -> Section:
    """A section whose exhibits show facts alone, and say so."""
    blocks = [_bare(block) for block in section.blocks]
    note = [Note(NO_TEXTS)] if any(isinstance(block, Exhibit | Gallery) for block in blocks) else []
    return replace(section, blocks=[*note, *blocks]) if note else section


def _bare(block: Block) -> Block:
    if isinstance(block, Exhibit):
        return replace(block, snippets=[], grids=[])
    if isinstance(block, Gallery):
        return replace(block, exhibits=[replace(one, snippets=[], grids=[]) for one in block.exhibits])
    return block
