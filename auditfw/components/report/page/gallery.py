"""The exhibits of a gallery as data for the page: packed into chunks that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from auditfw.core.document import Exhibit, Gallery, Snippet
from auditfw.core.escaping import html_json
from auditfw.core.memo import remembered

from .marks import Cut, Piece, cut, mark_names, place_of, shade

CHUNK = 200_000
FIRST = 3


@dataclass(frozen=True)
class Packed:
    """A gallery as JSON texts: an exhibit each, and the line of each in the index."""

    gallery: Gallery
    names: Sequence[str]
    exhibits: Sequence[str]
    lines: Sequence[str]
    values: Sequence[Sequence[tuple[str, ...]]]

    @cached_property
    def sizes(self) -> list[int]:
        """The bytes that each exhibit takes."""
        pairs = zip(self.exhibits, self.lines, self.keys or [""] * len(self.lines), strict=True)
        return [
            len(exhibit.encode()) + len(line.encode()) + 2 + (len(key) + 3) * bool(key) for exhibit, line, key in pairs
        ]

    @cached_property
    def keys(self) -> list[str]:
        """The keys of the exhibits where each has one, so that a reader may decide on it."""
        keys = [one.key for one in self.gallery.exhibits]
        return keys if all(keys) else []

    def index(self, count: int) -> str:
        """The index of the first `count` exhibits: facets, their values, the names of marks, where the chunks begin."""
        head = {
            "names": [[name, shade(name, n)] for n, name in enumerate(self.names)],
            "facets": self.gallery.facets,
            "values": self.values,
            "chunks": [start for start, _ in self._spans(count)],
            "total": self.gallery.total,
            "of": self.gallery.of,
            **({"keys": self.keys[:count]} if self.keys else {}),
        }
        items = ",".join(self.lines[:count])
        return f'{html_json(head).removesuffix("}")},"items":[{items}]}}'

    def chunks(self, count: int) -> list[str]:
        """The first `count` exhibits as JSON arrays of about CHUNK characters."""
        return [f"[{','.join(self.exhibits[start:end])}]" for start, end in self._spans(count)]

    def _spans(self, count: int) -> list[tuple[int, int]]:
        starts, size = [], CHUNK
        for n, exhibit in enumerate(self.exhibits[:count]):
            if size >= CHUNK:
                starts.append(n)
                size = 0
            size += len(exhibit)
        return list(pairwise([*starts, count]))


@remembered
def pack(gallery: Gallery) -> Packed:
    """All exhibits of a gallery as JSON."""
    names = mark_names(gallery.exhibits)
    places = {name: n for n, name in enumerate(names)}
    values: list[dict[tuple[str, ...], int]] = [{} for _ in gallery.facets]
    lines = []
    for exhibit in gallery.exhibits:
        tags = [
            [known.setdefault(tuple(value), len(known)) for value in dict.fromkeys(map(tuple, tags_of_facet))]
            for known, tags_of_facet in zip(values, exhibit.tags, strict=False)
        ]
        lines.append(html_json([exhibit.title, *tags]))
    exhibits = [html_json(_exhibit(exhibit, places)) for exhibit in gallery.exhibits]
    return Packed(gallery, names, exhibits, lines, [list(known) for known in values])


def fitted(packed: Sequence[Packed], room: int) -> list[int]:
    """How many exhibits of each gallery fit into so many bytes, each with its share by size; the rest is cut."""
    sizes = [one.sizes for one in packed]
    whole = sum(map(sum, sizes))
    if whole <= room:
        return [len(one) for one in sizes]
    counts = []
    for one in sizes:
        left, count = max(0, room) * sum(one) // whole, 0
        for size in one:
            left -= size
            if left < 0:
                break
            count += 1
        counts.append(count)
    return counts


def _exhibit(exhibit: Exhibit, places: Mapping[str, int]) -> dict[str, Any]:
    document: dict[str, Any] = {"facts": [list(fact) for fact in exhibit.facts]}
    document["texts"] = [_text(one, cut(one, places)) for one in exhibit.snippets]
    if exhibit.grids:
        document["grids"] = [
            [g.title, [list(row) for row in g.rows], [list(d) for d in g.differs]] for g in exhibit.grids
        ]
    return document


def _text(snippet: Snippet, pieces: Cut) -> dict[str, Any]:
    return {
        "label": snippet.label,
        "place": place_of(snippet),
        "whole": pieces.whole,
        "head": _brief(pieces.head),
        "omitted": snippet.omitted,
        "across": pieces.across,
        "tail": _brief(pieces.tail),
    }


def _brief(pieces: Sequence[Piece]) -> list[Any]:
    """Pieces as JSON: a text without marks by itself, else a list of the text and its marks."""
    return [[text, *marks] if marks else text for text, marks in pieces]
