"""Recorded outcomes against scenarios: what of either side has no partner on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from auditfw.core.document import some, verb
from auditfw.core.errors import brief


@dataclass
class Partners:
    """The labels of the records that a simulator looks up, and what came of each; `records` None where it has none."""

    records: dict[str, bool] | None = None
    alone: int = 0
    first_alone: str = ""
    path: str = ""

    @classmethod
    def of(cls, labels: Callable[[], Iterable[str] | None] | None, paths: Sequence[str]) -> Partners:
        """Reads the labels of the records, where the simulator declares any."""
        known = None if labels is None else labels()
        return cls(None if known is None else dict.fromkeys(known, False), path=", ".join(paths))

    def add(self, names: Iterable[str]) -> None:
        """Looks for the partners of some scenarios."""
        if self.records is None:
            return
        for name in names:
            if name in self.records:
                self.records[name] = True
            else:
                self.alone += 1
                self.first_alone = self.first_alone or name

    @property
    def unused(self) -> list[str]:
        """The records without a scenario, in their order."""
        return [name for name, used in (self.records or {}).items() if not used]

    def rows(self) -> list[list[str]]:
        """For the table of what was read: both sides, where a simulator looks records up."""
        if self.records is None:
            return []
        return [
            ["records", f"{len(self.records):,}"],
            ["records without a scenario", f"{len(self.unused):,}"],
            ["scenarios without a record", f"{self.alone:,}"],
        ]

    def warnings(self) -> list[str]:
        """Records that no scenario asked for: a misspelt label looks like these. The simulator reports the others."""
        unused = self.unused
        if not unused:
            return []
        of = some(len(self.records or ()), "record")
        have = verb(len(unused), "has", "have")
        return [f"{len(unused):,} of {of} in {self.path} {have} no scenario (first: '{brief(unused[0], 60)}')"]

    def scope(self) -> list[str]:
        """For the answer: what was left out on both sides."""
        if self.records is None or not (self.alone or self.unused):
            return []
        one, other = some(self.alone, "scenario"), some(len(self.unused), "record")
        return [f"Joined by label: {one} without a record, {other} without a scenario"]
