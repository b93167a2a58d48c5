"""A shipped rule that gives the labels of a log, or why there is none."""

from __future__ import annotations

from typing import NamedTuple


class KnownRule(NamedTuple):
    """A shipped rule: its parser, normalizer and matcher, and overrides that set these; or `why` there is none."""

    parser: str = ""
    normalizer: str = ""
    matcher: str = ""
    settings: tuple[str, ...] = ()
    why: str = ""

    def inline(self) -> str:
        """The rule as one of several, its settings with it."""
        places = {"parser": f"audit.parsers.{self.parser}.", "normalizer": f"audit.normalizers.{self.normalizer}."}
        names = {"parser": self.parser, "normalizer": self.normalizer, "matcher": self.matcher}
        parts = (f"{kind}: {self._part(name, places.get(kind, 'audit.matcher.'))}" for kind, name in names.items())
        return f"{{{', '.join(parts)}}}"

    def _part(self, name: str, place: str) -> str:
        own = [word.removeprefix(place).replace("=", ": ", 1) for word in self.settings if word.startswith(place)]
        return f"{{use: {', '.join([name, *own])}}}" if own else name


def of_one_name(name: str, *settings: str) -> KnownRule:
    """A rule whose parts all have its name."""
    return KnownRule(name, name, name, settings)
