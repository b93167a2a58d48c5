"""A whole number for each scenario and replicate, keyed by the run's seed and the scenario's label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

AUDIT = "alignment"


class Seeds(Sequence[int]):
    """A number below 2**63 for each scenario, made when the first is asked for.

    It is keyed by the label, so equal labels have equal ones, or by the scenario's number where none has a label.
    """

    def __init__(self, seed: int, replicate: int, labels: Sequence[str | None], start: int) -> None:
        self.labels, self.start, self.key = labels, start, stream(seed, f"replicate {replicate}")
        self._made: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: Any) -> Any:
        return self.__array__()[at].tolist()

    def __iter__(self) -> Iterator[int]:
        return iter(self.__array__().tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All of them as a column."""
        if self._made is None:
            numbers = range(self.start, self.start + len(self.labels))
            hashed: Any = np.arange(numbers.start, numbers.stop, dtype=np.uint64)
            if self.labels.count(None) < len(self.labels):
                words = (str(n) if label is None else label for n, label in zip(numbers, self.labels, strict=True))
                hashed = [crc32(word.encode("utf-8", "replace")) for word in words]
            seeds = mixed(np.asarray(hashed, dtype=np.uint64), self.key) >> np.uint64(1)
            self._made = seeds.astype(np.int64)
        return self._made if dtype is None else self._made.astype(dtype)


def ranks(seed: int, numbers: NDArray[np.uint64], purpose: str) -> NDArray[np.uint64]:
    """A place in a seeded draw for each number."""
    return mixed(numbers, stream(seed, purpose))


def stream(seed: int, purpose: str) -> np.uint64:
    """The key of a random stream: of the seed, this audit and the purpose."""
    return np.uint64(int.from_bytes(blake2b(f"{seed}\0{AUDIT}\0{purpose}".encode(), digest_size=8).digest()))


def mixed(numbers: NDArray[np.uint64], key: np.uint64) -> NDArray[np.uint64]:
    """Numbers stirred with a key (the finaliser of SplitMix64, Steele, Lea and Flood 2014, OOPSLA)."""
    with np.errstate(over="ignore"):
        word = numbers * np.uint64(0x9E3779B97F4A7C15) + key
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(word ^ (word >> np.uint64(31)))
