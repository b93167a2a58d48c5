"""The rows of a batch that may be drawn for other forms of their truths: wrong ones, and numbers that are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE
from auditfw.audits.parsing.engine.reference import Truth
from auditfw.audits.parsing.probe.draw import DrawSieve, ProbeDraw, ProbeRows, Row, hashes
from auditfw.audits.parsing.scored_batch import ScoredBatch
from auditfw.core.errors import UsageError
from auditfw.core.records import Value
from auditfw.formulas.forms.texts import READ, SPAN
from auditfw.formulas.texts.truth_kinds import kind_of
from auditfw.kinds.text import Form

NEAR = "near"  # the reading that calls right what is right in another form
CHOICES = ("choices", "options")  # the column of the options of a row, the first of these that is read
IS_WRONG = bytes(code in (FALSE, BLANK) for code in range(256))
IS_RIGHT = bytes(code == TRUE for code in range(256))


@dataclass(frozen=True)
class NearSettings:
    """How near misses are looked for: among so many wrong `trials`, drawn by item.

    A form counts with `least` trials or more, if by chance at most a share of `luck` of them is expected.
    """

    trials: int = 10_000
    least: int = 3
    luck: float = 0.2

    def __post_init__(self) -> None:
        for name, lowest, most in (("trials", 0, 100_000), ("least", 1, 100_000)):
            number = getattr(self, name)
            if not lowest <= number <= most:
                raise UsageError(name, f"expected a whole number from {lowest} to {most:,}", number)
        if not 0.0 <= self.luck <= 1.0:
            raise UsageError("luck", "expected a number from 0 to 1", self.luck)


@dataclass(frozen=True, kw_only=True)
class FormSettings:
    """The settings of the parsing audit for answers in other forms: how they are looked for, and the forms that count.

    Without any all forms count that do not say that they are listed only.
    """

    near: NearSettings | None = field(default_factory=NearSettings)
    forms: dict[str, Form] = field(default_factory=dict)


class NearTrial(NamedTuple):
    """A drawn trial: what each parser extracted, the last line of its text, and the label codes of the readings.

    The first four say its place in the draw.
    """

    rank: int
    item: str
    order: int
    id: str
    cell: tuple[Value, ...]
    truth: Truth
    texts: tuple[str | None, ...]
    codes: bytes
    line: str = ""
    options: Any = None


_TEXTS = NearTrial._fields.index("texts")


class NearRows(NamedTuple):
    """The rows of a batch that may be drawn, wrong and right ones, and how many wrong ones there are."""

    wrong: ProbeRows
    right: ProbeRows
    n: int
    by_id: bool


def _longest(rows: Sequence[Row]) -> dict[str, int]:
    """The most characters of a row of each item."""
    longest: dict[str, int] = {}
    for row in rows:
        size = sum(map(len, filter(None, row[_TEXTS])))
        longest[row[1]] = max(size, longest.get(row[1], 0))
    return longest


class NearSieve:
    """Lets those trials of batch after batch through that may be drawn."""

    def __init__(self, limit: int) -> None:
        self._wrong, self._right = (DrawSieve(limit, _longest) for _ in range(2))

    def of(self, scored: ScoredBatch, seed: int) -> NearRows:
        """Those of a batch: what the reference calls wrong, and numbers that some reading calls right."""
        trials, labels, sound = scored.trials, scored.labels, scored.sound
        truths = trials.truths
        wrong = [
            i for i, flag in enumerate(scored.compared.translate(IS_WRONG)) if flag and sound[i] and _filled(truths[i])
        ]
        flags = [codes.translate(IS_RIGHT) for codes in labels]
        numbers = map(any, zip(*flags, strict=True)) if flags else iter(())
        right = [i for i, flag in enumerate(numbers) if flag and sound[i] and kind_of(truths[i]) == "number"]
        return NearRows(
            self._rows(self._wrong, scored, wrong, seed, READ), self._rows(self._right, scored, right, seed, SPAN),
            len(wrong), trials.items is None,
        )  # fmt: skip

    def _rows(self, sieve: DrawSieve, scored: ScoredBatch, chosen: list[int], seed: int, read: int) -> ProbeRows:
        trials, salt = scored.trials, _salt(seed)
        names: list[str] = trials.names if trials.items is None else trials.items  # type: ignore[assignment]  # no null
        low = sieve.low([names[i] for i in chosen], salt)
        rows = [i for i in chosen if names[i] in low]
        ids = [trials.names[i] for i in rows]
        by_reading = [bytes(map(labels.__getitem__, rows)) for labels in scored.labels]
        codes = list(map(bytes, zip(*by_reading, strict=True))) or [b""] * len(rows)
        options = next((c for name in CHOICES if (c := scored.batch.columns.get(name)) is not None), None)
        whole = read == READ  # of right ones only the last number is looked at
        made = [
            (
                low[names[i]],
                names[i],
                order,
                id,
                trials.cells[i],
                trials.truths[i],
                tuple([text and text[-read:] for text in scored.scores.answers(i)]),
                own,
                _last_line(trials.raw[i]) if whole and trials.raw is not None else "",
                options[trials.kept[i]] if whole and options is not None else None,
            )
            for i, id, order, own in zip(rows, ids, hashes(ids, salt), codes, strict=True)
        ]
        return sieve.of(made)


def _salt(seed: int) -> str:
    """What the draw's stream is called."""
    return f"{seed}\0near"


def _filled(truth: Truth) -> bool:
    return bool(truth.strip()) if isinstance(truth, str) else any(map(str.strip, truth))


def _last_line(text: str | None) -> str:
    """The end of the last line of a text."""
    end = (text or "")[-READ:].rstrip()
    return end[end.rfind("\n") + 1 :][-SPAN:]


@dataclass
class NearDraw:
    """What the batches let through, of which the draws are made."""

    limit: int = 0
    n: int = 0  # wrong trials, drawn or not
    by_id: bool = False  # without items each id is one
    _wrong: ProbeDraw = field(init=False)
    _right: ProbeDraw = field(init=False)

    def __post_init__(self) -> None:
        self._wrong, self._right = ProbeDraw(self.limit), ProbeDraw(self.limit)

    def take(self, batch: NearRows | None) -> None:
        """Adds a batch's rows."""
        if batch is not None:
            self._wrong.take(batch.wrong)
            self._right.take(batch.right)
            self.n += batch.n
            self.by_id = batch.by_id

    def wrong(self) -> list[NearTrial]:
        """The trials that the reference calls wrong."""
        return [NearTrial(*row) for row in self._wrong.rows()]

    def drawn(self, names: Sequence[str], seed: int) -> list[bool]:
        """Which of these items were drawn with all their wrong trials, those without any among them."""
        end = self._wrong.end
        return [end is None or (rank, name) < end for rank, name in zip(hashes(names, _salt(seed)), names, strict=True)]

    def right(self) -> list[NearTrial]:
        """Numbers that some reading calls right."""
        return [NearTrial(*row) for row in self._right.rows()]
