"""Which trials of a batch flip under which reading.

Labels go as large whole numbers with a byte for each trial, so that a batch is compared at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

from .labels import Undefined, label_of

MOST_COMPARED = 24
RIGHT, WRONG = "→ right", "→ wrong"

Stratum = tuple[int, str]  # the number of a reading, and the direction of its flips


@dataclass(frozen=True)
class FlipLimits:
    """What a page shows of the trials: at most `each` flips of each of the first so many readings and each direction.

    `undefined` says how an undefined label counts, as the metrics do.
    """

    candidates: int
    each: int
    undefined: Undefined


@dataclass(frozen=True)
class FlippedTrials:
    """The flips of a batch of `rows` trials: for each reading and direction a mask, a byte for each trial."""

    rows: int
    masks: dict[Stratum, int]

    def of(self, stratum: Stratum) -> list[int]:
        """The trials that flip under a reading in one direction."""
        return self._rows(self.masks[stratum])

    def under(self, reading: int) -> list[int]:
        """The trials that flip under a reading."""
        return self._rows(self.masks[reading, RIGHT] | self.masks[reading, WRONG])

    def _rows(self, mask: int) -> list[int]:
        return list(compress(range(self.rows), mask.to_bytes(self.rows, "little"))) if mask else []


def flips_of(page: FlipLimits, reference: bytearray, labels: Sequence[bytearray], sound: bytearray) -> FlippedTrials:
    """Compares the label codes of the readings with the reference's; trials that are not sound do not count."""
    whole = int.from_bytes(sound, "little")
    known_there, right_there = _masks(reference, page.undefined, whole)
    masks: dict[Stratum, int] = {}
    known_and_right = [_masks(codes, page.undefined, whole) for codes in labels[: page.candidates]]
    for reading, (known, right) in enumerate(known_and_right):
        differ = (right ^ right_there) & known & known_there
        masks[reading, RIGHT], masks[reading, WRONG] = differ & right, differ & right_there
    return FlippedTrials(len(reference), masks)


def _masks(codes: bytearray, undefined: Undefined, whole: int) -> tuple[int, int]:
    """The trials with a label by these codes, and those of them with the label right."""
    known, right = _tables(undefined)
    has = int.from_bytes(codes.translate(known), "little") & whole
    return has, int.from_bytes(codes.translate(right), "little") & has


@lru_cache(maxsize=2)
def _tables(undefined: Undefined) -> tuple[bytes, bytes]:
    """For each label code whether it counts as a label, and whether it is right."""
    labels = [label_of(code, undefined) for code in range(256)]
    return bytes(label is not None for label in labels), bytes(label is True for label in labels)
