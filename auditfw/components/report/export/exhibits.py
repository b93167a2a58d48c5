"""What can be taken out of a report: its tables and charts, each with a name and a number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditfw.components.report import wording
from auditfw.components.report.page.blocks import titled
from auditfw.components.report.screen.picture import first_chart, first_picture
from auditfw.core.document import Chart, Matrix, ScreenPlace, Section, Table, some
from auditfw.core.records import Result

NAMED = re.compile(r"[^a-z0-9_]+")
LONGEST = 80  # characters of a name, which is that of a file, too


@dataclass(frozen=True)
class Exported:
    """A table or chart: `number` is its section's, with its own where the section has several, `section` the title.

    `name` is made of the title, and names its file; `place` is that of its section on the first screen.
    """

    number: str
    name: str
    section: str
    block: Table | Chart | Matrix
    place: ScreenPlace = ""

    @property
    def table(self) -> Table:
        """Its numbers."""
        return self.block if isinstance(self.block, Table) else self.block.as_table()

    @property
    def caption(self) -> str:
        """The title of its section and its own, and how many rows were left out."""
        own = titled(self.block) if isinstance(self.block, Chart) else self.table.caption
        left = wording.left_out(self.table.left_out)
        return ": ".join(filter(None, [self.section, own])) + (f" ({left})" if left else "")

    @property
    def kind(self) -> str:
        """What it is, and how large."""
        rows = some(len(self.table.rows), "row")
        return f"{'chart' if isinstance(self.block, Chart) else 'table'}, {rows}"


def sections_of(result: Result) -> list[Section]:
    """The sections of a result, as on its page with gates in the first picture, and last the overall numbers."""
    picture, sections = first_picture(result), list(result.sections)
    section = None if picture is None else picture.section
    if picture is not None and section is not None:
        drawn = [picture.chart if block is first_chart(section) else block for block in section.blocks]
        sections[sections.index(section)] = replace(section, blocks=drawn)
    return [*sections, Section("Measurements", [wording.overall_table(result)[0]])]


def exported(sections: Sequence[Section]) -> list[Exported]:
    """The tables and charts of a report in order; names that two sections would share end in the section's number."""
    listed: list[Exported] = []
    for number, section in enumerate(sections, 1):
        blocks = [block for block in section.blocks if isinstance(block, Table | Chart | Matrix)]
        lead = named(section.title) or "section"
        for place, block in enumerate(blocks, 1):
            end, own = (f"-{place}", f".{place}") if len(blocks) > 1 else ("", "")
            listed.append(Exported(f"{number}{own}", f"{lead}{end}", section.title, block, section.screen))
    names = Counter(one.name for one in listed)
    return [
        replace(one, name=f"{one.name}-{one.number.replace('.', '-')}") if names[one.name] > 1 else one
        for one in listed
    ]


def named(title: str) -> str:
    """A title as a name: small letters, digits and underscores, with a hyphen for anything else."""
    return NAMED.sub("-", title.lower())[:LONGEST].strip("-")
