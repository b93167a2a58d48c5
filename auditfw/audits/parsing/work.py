"""What one process does with one batch, and how batches are merged: exact, in any number of processes."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import compress
from operator import add
from typing import Any

from auditfw.bench import Task
from auditfw.document import Exhibit, snippet
from auditfw.native import Name
from auditfw.records import Batch, Value

from .kernels import Column, Kernel, Signs, kernel, sound
from .plan import BLANK, ERROR, FALSE, MISSING, TRUE, UNDEFINED, Plan
from .reference import Truth, read
from .tally import MISMATCHES_SHOWN, Partial

UNKNOWN = 7
LABELS = tuple({FALSE: False, TRUE: True, BLANK: False}.get(code) for code in range(UNKNOWN + 1))
RIGHT = bytes(code == TRUE for code in range(256))
PLAIN = frozenset({str, int, float, bool, type(None)})
SUSPECT = frozenset({"None", "none", "nan", "NaN", "null", "NULL", "NA", "N/A", "n/a", "<NA>"})


@dataclass(frozen=True)
class Show:
    """Which trials become exhibits: where the reference's label and reading number `reading` are such and such."""

    section: str
    reading: int
    stored: tuple[int, ...]
    label: tuple[int, ...]
    raw: int
    parsed: int


@dataclass
class Work:
    """The work on one batch, as it is sent to every process."""

    plan: Plan
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

    @cached_property
    def _kernel(self) -> Kernel:
        return kernel(self.kernel, self.plan, self.signs)

    @cached_property
    def _best(self) -> dict[str, list[bytes]]:
        return {}

    def best_of(self, section: str, ranked: list[tuple[bytes, int]]) -> list[tuple[bytes, int]]:
        """Those of a batch that are still among the best of all that this process has seen; others cannot be shown."""
        known = self._best.setdefault(section, [])
        bar = known[-1] if len(known) >= self.most else None
        kept = heapq.nsmallest(self.most, [pair for pair in ranked if bar is None or pair[0] <= bar])
        known[:] = heapq.nsmallest(self.most, [*known, *(rank for rank, _ in kept)])
        return kept

    def __call__(self, task: Task) -> Partial:
        return self.on(task(), self._kernel)

    def on(self, batch: Batch, kernel: Kernel) -> Partial:
        """What a batch comes to, its texts read by this kernel."""
        return _Pass(self, kernel, batch).done

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_kernel", "_best")}


class _Pass:
    """One pass over one batch."""

    def __init__(self, work: Work, kernel: Kernel, batch: Batch) -> None:
        self.work, self.kernel, self.batch = work, kernel, batch
        self.done = Partial(notes=batch.notes, counts=Counter(batch.dropped))
        columns = batch.columns
        truths = self._truths(columns["ground_truth"])
        self.kept = [i for i, truth in enumerate(truths) if truth is not None]
        self.truths: list[Truth] = [truths[i] for i in self.kept if truths[i] is not None]  # type: ignore[misc]
        self.ids = [columns["id"][i] for i in self.kept]
        self.by = {name: _as_values(columns[name]) for name in work.by}
        self.cells = self._cells()
        self.stored = self._stored()
        self.raw, self.parsed = self._texts("raw_text"), self._texts("parsed_text")
        self.scores = kernel.score(self.raw, self.parsed, self.truths)
        self.labels = self.scores.labels
        self.done.facts, self.done.problems = self.scores.facts, list(self.scores.problems)
        for _, n in work.plan.readings:
            self.done.paths[kernel.scorer.path(n)] += len(self.kept)
        self.sound = sound(self.labels, len(self.kept))
        self.status = self._status(len(truths))
        self._count()
        self._tell_rows()
        self._exhibit()
        self._verify()

    def _truths(self, values: Sequence[Any]) -> list[Truth | None]:
        """The truths of a column, each distinct text made once."""
        if not {str, type(None)}.issuperset(map(type, values)):
            return [self._truth(value) for value in values]
        if self.work.truth is None:
            for text in SUSPECT.intersection(values):
                self.done.suspects[text] += values.count(text)
            return list(values)
        times = Counter(values)
        made = {value: self._truth(value) for value in times}
        for text in SUSPECT & times.keys():
            self.done.suspects[text] += times[text] - 1
        return list(map(made.__getitem__, values))

    def _truth(self, value: Any) -> Truth | None:
        """A trial's truth as text, or several of them; None where there is none."""
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            return self._true_text(_as_text(value))
        found = tuple(self._true_text(_as_text(part)) for part in _flat(value))
        return found if len(found) > 1 else found[0] if found else None

    def _true_text(self, text: str) -> str:
        if text in SUSPECT:
            self.done.suspects[text] += 1
        truth: str = text if self.work.truth is None else self.work.truth.part(text)
        return truth

    def _cells(self) -> list[tuple[Value, ...]]:
        if not self.by:
            return [()] * len(self.kept)
        cells = list(zip(*self.by.values(), strict=True))
        return cells if len(self.kept) == len(cells) else [cells[i] for i in self.kept]

    def _stored(self) -> bytearray:
        column = self.batch.columns.get("stored")
        if column is None:
            return bytearray([MISSING]) * len(self.kept)
        values = [column[i] for i in self.kept]
        known: dict[Any, int] = {}
        for value, times in Counter(values).items():
            known[value] = self._stored_code(value)
            if known[value] == UNKNOWN:
                self.done.unmapped[str(value)] += times
        return bytearray(map(known.__getitem__, values))

    def _stored_code(self, value: Any) -> int:
        if value is None or value == "":
            return MISSING
        if value == 1 or (text := str(value).strip()) in self.work.stored_true:
            return TRUE
        return FALSE if value == 0 or text in self.work.stored_false else UNKNOWN

    def _texts(self, column: str) -> Column:
        values = self.batch.columns.get(column)
        if values is None:
            return None
        found = values if len(self.kept) == len(values) else [values[i] for i in self.kept]
        if {str, type(None)}.issuperset(map(type, found)):
            return found
        return [None if value is None else _as_text(value) for value in found]

    def _status(self, rows: int) -> list[str]:
        """The bucket of every row of the batch; a row on which a component failed is not audited."""
        status = ["no_ground_truth"] * rows
        for i in self.kept:
            status[i] = "audited"
        for row, whole in enumerate(self.sound):
            if not whole:
                wrong = any(codes[row] == ERROR for codes in self.labels)
                status[self.kept[row]] = "error" if wrong else "timeout"
        return status

    def _count(self) -> None:
        """Counts, for each reading and cell, how often which label code met which stored one."""
        self.done.counts.update(self.status)
        places: dict[tuple[Value, ...], int] = {}
        first = [places.setdefault(cell, len(places)) << 6 for cell in self.cells]
        pairs = [place + (stored << 3) for place, stored in zip(first, self.stored, strict=True)]
        whole = all(self.sound)
        cells = list(places)
        for reading, codes in enumerate((self.stored, *self.labels), -1):
            met = map(add, pairs, codes)
            for key, n in sorted(Counter(met if whole else compress(met, self.sound)).items()):
                counter = self.done.joint.setdefault((reading, cells[key >> 6]), Counter())
                counter[key >> 3 & 7, key & 7] = n

    def _tell_rows(self) -> None:
        columns = self.batch.columns
        rows: dict[str, list[Any]] = {"id": list(columns["id"])}
        rows |= self.by
        rows["status"] = self.status
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
        self.done.rows = rows

    def _exhibit(self) -> None:
        for show in self.work.shows:
            pairs = zip(self.stored, self.labels[show.reading], self.sound, strict=True)
            hits = [
                i
                for i, (s, code, ok) in enumerate(pairs)
                if ok and s in show.stored and code in show.label and (s == TRUE) != (code == TRUE)
            ]
            ranked = self.work.best_of(show.section, [(self._rank(show.section, i), i) for i in hits])
            if ranked:
                self.done.exhibits[show.section] = [(r, str(self.ids[i]), self._tell(i, show)) for r, i in ranked]
        if self.work.baseline is not None:
            self._mismatches(self.work.baseline)

    def _mismatches(self, baseline: int) -> None:
        if self.stored.translate(RIGHT) == self.labels[baseline].translate(RIGHT):
            return
        for i, (stored, code) in enumerate(zip(self.stored, self.labels[baseline], strict=True)):
            if len(self.done.mismatches) == MISMATCHES_SHOWN:
                return
            if self.sound[i] and stored != MISSING and (stored == TRUE) != (code == TRUE):
                self.done.mismatches.append(self._tell(i, Show("", baseline, (), (), 320, 420)))

    def _rank(self, section: str, i: int) -> bytes:
        """A trial's place in the seeded draw of a section: it depends on the seed and its id, not on its position."""
        return blake2b(f"{self.work.seed}\0{section}\0{self.ids[i]}".encode("utf-8", "replace"), digest_size=8).digest()

    def _tell(self, i: int, show: Show) -> Exhibit:
        plan = self.work.plan
        truth = self.truths[i]
        facts = [("ground truth", truth if isinstance(truth, str) else " | ".join(truth))]
        facts += [(name, str(value)) for name, value in zip(self.work.by, self.cells[i], strict=True)]
        facts.append(("stored", _word(self.stored[i])))
        facts += [(name, _word(codes[i])) for name, codes in zip(plan.names(), self.labels, strict=True)]
        raw = (self.raw[i] if self.raw is not None else None) or ""
        snippets = [snippet("raw_text", raw, show.raw, show.raw)]
        for named, kept in zip(plan.parsers, self.scores.answers(i), strict=True):
            if kept is None:
                continue
            at = raw.rfind(kept) if kept else -1
            span = (at, at + len(kept)) if at >= 0 else None
            snippets.append(snippet(named.name, kept, show.parsed, span=span))
        return Exhibit(str(self.ids[i]), facts, snippets)

    def _verify(self) -> None:
        """Recomputes a share of the trials by the definitions, row by row, and reports every difference."""
        if not self.work.verify:
            return
        plan = self.work.plan
        for i, name in enumerate(self.ids):
            if not self.sound[i] or int.from_bytes(self._rank("verify", i)) >= self.work.verify * 2**64:
                continue
            self.done.paths["reference"] += 1
            for (p, n), codes in zip(plan.readings, self.labels, strict=True):
                parser = plan.parsers[p].part
                column = self.raw if parser.column == "raw_text" else self.parsed
                if codes[i] == MISSING or column is None:
                    continue
                said = read(column[i] or "", self.truths[i], parser, plan.normalizers[n].part, plan.matcher)
                if said != LABELS[codes[i]]:
                    self.done.differing.append(f"{name}: {plan.parsers[p].name}+{plan.normalizers[n].name}")


def _as_text(value: Any) -> str:
    """A value of a text column as text: text stays, numbers as they print, anything nested as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _flat(values: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        elif value is not None:
            yield value


def _as_values(column: Sequence[Any]) -> list[Value]:
    """A cell column's values: plain ones stay, anything nested as JSON text."""
    if PLAIN.issuperset(map(type, column)):
        return list(column)
    return [value if type(value) in PLAIN else _as_text(value) for value in column]


def _word(code: int) -> str:
    words = {FALSE: "wrong", TRUE: "right", BLANK: "wrong (no answer)", UNDEFINED: "undefined", MISSING: "missing"}
    return words.get(code, "error")
