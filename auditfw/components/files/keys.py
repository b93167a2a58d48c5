"""What messages call the settings of a file source: by where in the config these settings are."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "use"  # the setting that says which format a file has


@dataclass(frozen=True)
class Keys:
    """The config key below which the settings of a file source are, and which of them there are (None: all of them).

    Where a part of a run reads a file of its own, as a solver does, it has some of the settings, and no choice of
    formats.
    """

    place: str = "source"
    known: tuple[str, ...] | None = None

    def of(self, setting: str) -> str:
        """The whole path of a setting."""
        return f"{self.place}.{setting}"

    def has(self, setting: str) -> bool:
        """Whether there is such a setting; for `columns.id` whether there is `columns`."""
        return self.known is None or setting.partition(".")[0] in self.known

    def format(self, name: str) -> str:
        """What to write to choose a format."""
        return f"{self.of(FORMAT)}={name}" if "." in self.place else f"{self.place}={name}"

    def below(self, setting: str) -> Keys:
        """The keys of a source that is itself a setting here."""
        return Keys(self.of(setting))

    def advice(self, *clauses: str | tuple[str, ...], between: str = "; ") -> str:
        """The clauses that can be followed: behind its text, each may name settings which it needs."""
        parts = [(clause,) if isinstance(clause, str) else clause for clause in clauses]
        return between.join(text for text, *needed in parts if all(map(self.has, needed)))


SOURCE = Keys()
