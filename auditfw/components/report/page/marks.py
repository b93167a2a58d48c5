"""Texts cut into pieces where their marks begin and end, so that a page needs no offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from auditfw.core.document import Exhibit, Mark, Snippet

COLOURS = 6
TRUTHS = frozenset({"truth", "ground truth", "ground_truth"})

Piece = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Cut:
    """A snippet in pieces, marks by their place: those that reach into what was left out, those that leave nothing."""

    head: Sequence[Piece]
    across: Sequence[int]
    tail: Sequence[Piece]
    whole: Sequence[int]


def cut(snippet: Snippet, places: Mapping[str, int]) -> Cut:
    """Cuts a snippet at its marks. A mark that covers all of it but blanks is named and not drawn."""
    low, high = len(snippet.head), len(snippet.head) + snippet.omitted
    whole = [mark for mark in snippet.marks if _covers(mark, snippet)]
    names = {mark.name for mark in whole}
    drawn = [mark for mark in snippet.marks if mark.name not in names]
    reach = {places[m.name] for m in drawn if snippet.omitted and m.start < high and m.end > low and m.start < m.end}
    return Cut(
        pieces(snippet.head, 0, drawn, places),
        sorted(reach),
        pieces(snippet.tail, high, drawn, places),
        sorted({places[name] for name in names}),
    )


def _covers(mark: Mark, snippet: Snippet) -> bool:
    low, high = len(snippet.head), len(snippet.head) + snippet.omitted
    outside = [snippet.head[: max(0, mark.start)], snippet.head[max(0, mark.end) :]]
    outside += [snippet.tail[: max(0, mark.start - high)], snippet.tail[max(0, mark.end - high) :]]
    within = not snippet.omitted or (mark.start <= low and mark.end >= high)
    return mark.start < mark.end and within and not "".join(outside).strip()


def pieces(text: str, start: int, marks: Sequence[Mark], places: Mapping[str, int]) -> list[Piece]:
    """A text that begins at `start` of the whole, cut where marks begin and end, each piece with who covers it."""
    spans = [(max(0, m.start - start), min(len(text), m.end - start), places[m.name]) for m in marks]
    spans = [span for span in spans if span[0] < span[1]]
    cuts = sorted({0, len(text), *(end for span in spans for end in span[:2])})
    return [
        (text[low:high], tuple(sorted({mark for first, last, mark in spans if first <= low and high <= last})))
        for low, high in pairwise(cuts)
    ]


def mark_names(exhibits: Iterable[Exhibit]) -> list[str]:
    """The names of all marks, in the order in which they come."""
    return list(dict.fromkeys(m.name for one in exhibits for snippet in one.snippets for m in snippet.marks))


def shade(name: str, number: int) -> str:
    """The class of a mark's colour."""
    return "truth" if name.lower() in TRUTHS else f"m{number % COLOURS}"


def place_of(snippet: Snippet) -> str:
    """Where in the raw text it was found."""
    return "" if snippet.span is None else f"characters {snippet.span[0]}–{snippet.span[1]} of raw_text"
