"""What one process does with one batch, and how batches are merged: exact, in any number of processes."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from operator import and_
from typing import Any

from auditfw.audits.parsing.engine.kernels import Kernel, Signs, kernel, sound
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.verify import BATCHES, again, spaced, strangers, trial_of, unsteady
from auditfw.core.document import Exhibit, Snippet, snippet
from auditfw.core.native import Name
from auditfw.core.records import Batch
from auditfw.core.sampling import ranks
from auditfw.kinds.context import Task

from .cell_counts import met, numbered
from .counts import MISMATCHES_SHOWN, ParsingCounts
from .exhibits import Ranked, Shower, Trial, draw, facts
from .flips import FlipLimits, flips_of
from .labels import Undefined, label_of
from .places import PLACE, placed
from .trials import REASONING, UNKNOWN, Labels, TrialBatch, as_text
from .unmapped import BUCKET

STATUS = "status"
LABELS = tuple({FALSE: False, TRUE: True, BLANK: False}.get(code) for code in range(UNKNOWN + 1))
BOTH = bytes(code == 3 for code in range(256))  # of two that are 1 or 2 each, or 0 where not wanted
RIGHT = bytes(code == TRUE for code in range(256))


@dataclass(frozen=True)
class Show:
    """Which trials become exhibits: where the reference's label and reading number `reading` are such and such."""

    section: str
    reading: int
    stored: tuple[int, ...]
    label: tuple[int, ...]
    raw: int
    parsed: int


def hits_of(show: Show, stored: bytearray, codes: bytearray, sound: bytearray) -> list[int]:
    """The sound trials where one of the two labels is right and the other is not, both of those that are shown."""
    shown = ((stored, show.stored), (codes, show.label))
    sides = [int.from_bytes(found.translate(_sides(wanted)), "little") for found, wanted in shown]
    differ = (sides[0] ^ sides[1]).to_bytes(len(stored), "little").translate(BOTH)
    return list(compress(range(len(stored)), map(and_, differ, sound)))


@lru_cache(maxsize=64)
def _sides(wanted: tuple[int, ...]) -> bytes:
    """For each label code 2 where it says right, else 1; 0 for one that is not wanted."""
    return bytes((code in wanted) * (1 + (code == TRUE)) for code in range(256))


class Ranks(dict[int, bytes]):
    """The places of a batch's trials, by number, in the seeded draw of a section.

    A place hangs on the seed and the trial's id, not on where the trial stands.
    """

    def __init__(self, seed: int, section: str, ids: Sequence[Any]) -> None:
        self._rank, self._ids = ranks(seed, section), ids

    def __missing__(self, number: int) -> bytes:
        rank = self[number] = self._rank(str(self._ids[number]))
        return rank


@dataclass
class ParsingScorer:
    """The work on one batch, as it is sent to every process."""

    plan: ReadingPlan
    by: tuple[str, ...]
    seed: int
    most: int
    signs: Signs
    kernel: Name
    stored_true: frozenset[str]
    stored_false: frozenset[str]
    truth: Any
    baseline: int | None
    shows: tuple[Show, ...]
    keep_text: bool
    verify: float
    page: FlipLimits | None = None
    placed: int = 0
    undefined: Undefined = "zero"
    counted: bool = False  # rows whose stored label is neither true nor false, in place of refusing them

    @cached_property
    def _kernel(self) -> Kernel:
        return kernel(self.kernel, self.plan, self.signs)

    @cached_property
    def _best(self) -> dict[str, list[bytes]]:
        return {}

    @cached_property
    def _told(self) -> list[int]:
        return []

    @cached_property
    def _checked(self) -> list[None]:
        return []

    def batches_checked(self) -> int:
        """How many batches this process has looked at twice before; counts one more."""
        before = len(self._checked)
        if before < BATCHES:
            self._checked.append(None)
        return before

    def mismatches_left(self, told: int = 0) -> int:
        """How many more mismatches this process may tell: batches come in order, and the first ones are shown."""
        self._told.extend([told] if told else [])
        return MISMATCHES_SHOWN - sum(self._told)

    def best_of(self, section: str, rows: Sequence[int], ranks: Ranks, most: int) -> Ranked:
        """Those of a batch that are still among the best of all that this process has seen; others cannot be shown."""
        known = self._best.setdefault(section, [])
        ranked: Iterable[tuple[bytes, int]] = zip(map(ranks.__getitem__, rows), rows, strict=True)
        if len(known) >= most:
            bar = known[-1] if known else b""
            ranked = [pair for pair in ranked if pair[0] <= bar]
        kept = heapq.nsmallest(most, ranked)
        if kept:
            known[:] = heapq.nsmallest(most, {*known, *(rank for rank, _ in kept)})
        return kept

    def __call__(self, task: Task) -> ParsingCounts:
        return self.on(task(), self._kernel)

    def on(self, batch: Batch, kernel: Kernel, known: dict[Any, Any] | None = None) -> ParsingCounts:
        """What a batch comes to, its texts read by this kernel; `known` is what several works on it share."""
        return _Pass(self, kernel, batch, {} if known is None else known).done

    def __getstate__(self) -> dict[str, Any]:
        own = ("_kernel", "_best", "_told", "_checked")
        return {name: value for name, value in self.__dict__.items() if name not in own}


class _Pass:
    """One pass over one batch."""

    def __init__(self, work: ParsingScorer, kernel: Kernel, batch: Batch, known: dict[Any, Any]) -> None:
        self.work, self.kernel, self.batch, self.known = work, kernel, batch, known
        self.done = ParsingCounts(notes=batch.notes, counts=Counter(batch.dropped))
        settings = (work.by, Labels(work.stored_true, work.stored_false, work.counted))
        given: TrialBatch = known.get(settings) or known.setdefault(settings, TrialBatch(batch, work.truth, *settings))
        self.kept, self.truths, self.ids = given.kept, given.truths, given.ids
        self.by, self.cells, self.stored = given.by, given.cells, given.stored
        self.raw, self.parsed, self.errors = given.raw, given.parsed, given.failed
        self.done.suspects, self.done.unmapped = Counter(given.suspects), Counter(given.unmapped)
        self.done.first_unmapped, self.strange = given.first_unmapped, given.strange
        self.scores = kernel.score(self.raw, self.parsed, self.truths)
        self.labels = self.scores.labels
        self.done.facts, self.done.problems = self.scores.facts, list(self.scores.problems)
        for _, n in work.plan.readings:
            self.done.paths[kernel.scorer.path(n)] += len(self.kept)
        self.sound = sound(self.labels, len(self.kept))
        self.status = self._status(given.rows)
        self._count()
        self._tell_rows()
        self._exhibit()
        self._browse()
        self._place()
        self._verify()

    def _status(self, rows: int) -> list[str]:
        """The bucket of every row of the batch; a row on which a component failed is not audited."""
        status = ["no_ground_truth"] * rows
        for i in self.errors:
            status[i] = "sample_error"
        for i in self.strange:
            status[i] = BUCKET
        for i in self.kept:
            status[i] = "audited"
        failed = () if all(self.sound) else [row for row, whole in enumerate(self.sound) if not whole]
        for row in failed:
            wrong = any(codes[row] == ERROR for codes in self.labels)
            status[self.kept[row]] = "error" if wrong else "timeout"
        return status

    def _count(self) -> None:
        """Counts, for each reading and cell, how often which label code met which stored one."""
        self.done.counts.update(self.status)
        mine = ("pairs", self.work.by, bytes(self.stored))
        if mine not in self.known:
            self.known[mine] = numbered(self.cells, self.stored)
        cells, pairs = self.known[mine]
        readings = {(*mine, bytes(codes), bytes(self.sound)): codes for codes in (self.stored, *self.labels)}
        new = {key: codes for key, codes in readings.items() if key not in self.known}
        self.known |= zip(new, met(cells, pairs, list(new.values()), self.sound), strict=True)
        for reading, reasons in enumerate(self.scores.unread):
            told = Counter(refusal for row, refusal in reasons.items() if self.sound[row])
            self.done.unread.update({(reading, refusal): n for refusal, n in told.items()})
        for reading, codes in enumerate((self.stored, *self.labels), -1):
            for cell, counts in self.known[*mine, bytes(codes), bytes(self.sound)].items():
                self.done.joint[reading, cell] = dict(counts)

    def _tell_rows(self) -> None:
        columns = self.batch.columns
        rows: dict[str, list[Any]] = {"id": list(columns["id"])}
        rows |= self.by
        rows[STATUS] = self.status
        names = ("stored", *self.work.plan.names())
        for name, codes in zip(names, (self.stored, *self.labels), strict=True):
            rows[name] = self.kernel.spread(codes, LABELS, self.kept, len(self.status))
        if self.work.keep_text:
            answers = [self.scores.answers(i) for i in range(len(self.kept))]
            for p, named in enumerate(self.work.plan.parsers):
                texts: list[Any] = [None] * len(self.status)
                for i, each in zip(self.kept, answers, strict=True):
                    texts[i] = each[p]
                rows[f"text.{named.name}"] = texts
            if REASONING in columns:
                rows[REASONING] = [None if text is None else as_text(text) for text in columns[REASONING]]
        self.done.rows = rows

    def _exhibit(self) -> None:
        for show in self.work.shows:
            hits = hits_of(show, self.stored, self.labels[show.reading], self.sound)
            ranked = self.work.best_of(show.section, hits, self._ranks(show.section), self.work.most)
            if ranked:
                self.done.exhibits[show.section] = [(r, str(self.ids[i]), self._tell(i, show)) for r, i in ranked]
        if self.work.baseline is not None:
            self._mismatches(self.work.baseline)

    def _browse(self) -> None:
        """Draws the flips that a page lets one look through, and counts what it draws of all trials."""
        work, page = self.work, self.work.page
        if page is None:
            return
        flips = flips_of(page, self.stored, self.labels, self.sound)
        self.done.apart = flips.apart()
        self.done.flips = flips.count()
        ranks = self._ranks("gallery")
        show = Shower(work.plan, work.by, work.signs, page, self._of_parsers("shown"))
        drawn = draw(flips, lambda name, rows: work.best_of(name, rows, ranks, page.each))
        self.done.drawn = [(ranks[i], str(self.ids[i]), strata, show(self._trial(i), i)) for i, strata in drawn.items()]

    def _place(self) -> None:
        """Notes where the trials stand that flip, if that is wanted."""
        column = self.batch.columns.get(PLACE)
        if self.work.placed and column is not None:
            flips = flips_of(FlipLimits(len(self.labels), 1, "drop"), self.stored, self.labels, self.sound)
            self.done.places = placed(flips, self.ids, [column[i] for i in self.kept], self.work.placed)

    def _trial(self, i: int) -> Trial:
        return Trial(
            id=str(self.ids[i]),
            truth=self.truths[i],
            cell=self.cells[i],
            stored=self.stored[i],
            codes=[codes[i] for codes in self.labels],
            raw=self.raw[i] if self.raw is not None else None,
            parsed=self.parsed[i] if self.parsed is not None else None,
            answers=self.scores.answers(i),
        )

    def _mismatches(self, baseline: int) -> None:
        if self.stored.translate(RIGHT) == self.labels[baseline].translate(RIGHT):
            return
        left = self.work.mismatches_left()
        for i, (stored, code) in enumerate(zip(self.stored, self.labels[baseline], strict=True)):
            if len(self.done.mismatches) == left:
                break
            label = label_of(code, self.work.undefined)
            if self.sound[i] and stored != MISSING and label is not None and (stored == TRUE) != label:
                self.done.mismatches.append(self._tell(i, Show("", baseline, (), (), 320, 420)))
        self.work.mismatches_left(len(self.done.mismatches))

    def _ranks(self, section: str) -> Ranks:
        key = ("ranks", self.work.seed, section)
        known: Ranks | None = self.known.get(key)
        if known is None:
            known = self.known[key] = Ranks(self.work.seed, section, self.ids)
        return known

    def _of_parsers(self, what: object) -> dict[int, Any]:
        """What works with the same parsers have in common of the trials of this batch, by number."""
        names = [named.name for named in self.work.plan.parsers]
        key = (what, *zip(names, self.kernel.parsers, strict=True))
        known: dict[int, Any] = self.known.setdefault(key, {})
        return known

    def _tell(self, i: int, show: Show) -> Exhibit:
        trial, known = self._trial(i), self._of_parsers(("told", show.raw, show.parsed))
        if i not in known:
            known[i] = self._snippets(trial, show)
        return Exhibit(trial.id, facts(trial, self.work.plan.names(), self.work.by), known[i])

    def _snippets(self, trial: Trial, show: Show) -> list[Snippet]:
        raw = trial.raw or ""
        snippets = [snippet("raw_text", raw, show.raw, show.raw)]
        for named, kept in zip(self.work.plan.parsers, trial.answers, strict=True):
            if kept is None:
                continue
            at = raw.rfind(kept) if kept else -1
            span = (at, at + len(kept)) if at >= 0 else None
            snippets.append(snippet(named.name, kept, show.parsed, span=span))
        return snippets

    def _verify(self) -> None:
        """Computes a few trials again by the definitions, or the share that is asked for, and notes what differs."""
        plan = self.work.plan
        for i in self._drawn_again():
            self.done.paths["reference"] += 1
            for reading, codes in zip(plan.readings, self.labels, strict=True):
                column = self.raw if plan.parsers[reading[0]].part.column == "raw_text" else self.parsed
                if codes[i] == MISSING or column is None:
                    continue
                text, truth = column[i] or "", self.truths[i]
                changing = unsteady(text, truth, plan, reading)
                if changing is None and again(text, truth, plan, reading) != LABELS[codes[i]]:
                    changing = next(strangers(plan, reading), None)
                    if changing is None:
                        names = plan.parsers[reading[0]].name, plan.normalizers[reading[1]].name
                        self.done.differing.append(f"{self.ids[i]}: {'+'.join(names)}")
                if changing is not None:
                    self.done.unsteady.append(trial_of(changing, self.ids[i]))

    def _drawn_again(self) -> list[int]:
        """The rows to compute again: a few of the first batches of this process, and the share asked for."""
        rows, share = len(self.ids), int(self.work.verify * 2**64)
        ranks = self._ranks("verify")
        drawn = {i for i in range(rows) if int.from_bytes(ranks[i]) < share} if share else set()
        if rows and self.work.batches_checked() < BATCHES:
            drawn.update(spaced(int.from_bytes(ranks[0]), rows))
        return [i for i in sorted(drawn) if self.sound[i]]
