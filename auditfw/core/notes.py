"""What is noted of rows and files: notes that are alike but for their place become one remark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FIRST = " (first: "


def remarks(notes: Mapping[str, int]) -> list[str]:
    """Notes with their counts, by their texts; those alike but for the file, or the first place in it, are one.

    A note is `FILE: TEXT (first: PLACE)`, of which file and place may be absent.
    """
    files: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    counts: dict[str, int] = {}
    for note, n in notes.items():
        remark, _, place = note.partition(FIRST)
        file, text = _parts(remark)
        places.setdefault(text, f"{FIRST}{place}" if place else "")
        files.setdefault(text, []).append(file)
        counts[text] = counts.get(text, 0) + n
    texts = {text: _joined(several, text) for text, several in files.items()}
    return sorted(f"{remark}{places[text]}: {counts[text]:,}" for text, remark in texts.items())


def folded(warnings: Iterable[str]) -> tuple[str, ...]:
    """Warnings on files, `FILE: TEXT`, in order: those of one text are one, with the first file."""
    files: dict[str, list[str]] = {}
    for warning in warnings:
        file, text = _parts(warning)
        files.setdefault(text, []).append(file)
    return tuple(_joined(several, text) for text, several in files.items())


def _parts(note: str) -> tuple[str, str]:
    file, colon, text = note.partition(": ")
    return (file, text) if colon else ("", note)


def _joined(several: list[str], text: str) -> str:
    first, others = several[0], len(set(several)) - 1
    named = f"{first} and {others:,} more" if others else first
    return f"{named}: {text}" if first else text
