"""Opening file sources: evidence from settings, with ids looked over for duplicates before the first task."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from auditfw.components.files.columns.addresses import ABSENT, dig
from auditfw.components.files.columns.columns import SeenColumns, route, shapes, with_later
from auditfw.components.files.columns.repeats import advice
from auditfw.core.errors import AuditError, DataError, NothingAudited, and_more
from auditfw.core.inputs import Watched, watch
from auditfw.core.notes import Size, folded
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.judgements import EVIDENCE, REASON

from .batches import BatchTask, Shape, place
from .file_settings import ERROR, FileSettings, Glance, Records, RowBlock, RowMaker
from .files import File, holding_nothing, is_empty
from .join import beside, joined
from .paths import paths_of
from .rows import Chained, Explode, IdCheck
from .walk import PassedOver

ROWS = 2_048

Spot = tuple[int, int]
Spots = dict[Spot, str]


class FileSource(FileSettings):
    """A source that reads files."""

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Finds files and columns; the records are read by the evidence's tasks."""
        return self.opened(required, optional)

    def opened(self, required: Sequence[str], optional: Sequence[str] | None, unfinite: bool = False) -> Evidence:
        """The same; NaN and infinities are null unless `unfinite` are kept."""
        watched = self.watch()
        files = self.located()
        possible = [name for name in optional or () if name != ERROR] if ERROR in required else optional
        seen = [SeenColumns(file, glance, self.late(glance, possible)) for file, glance in self.glances()]
        join, other = (None, None) if self.join is None else joined(self.join, self.keys.below("join"))
        try:
            file_shapes = shapes(self, seen, required, optional, join)
        except AuditError:
            seen = [with_later(self, one, required) for one in seen]
            file_shapes = shapes(self, seen, required, optional, join)
        if not any(one.glance.rows for one in seen):
            raise NothingAudited(", ".join(file.path for file in files), "holds no record")
        width, exact, made = len(file_shapes[0].routes), True, list[Shape]()
        rows: int | None = 0
        for shape, one in zip(file_shapes, seen, strict=True):
            maker, estimate = self.row_maker(one.file), one.glance.estimate
            rows = None if rows is None or estimate is None else rows + estimate
            exact = exact and one.glance.exact
            made.append(replace(shape, unfinite=unfinite, maker=maker, known=frozenset(one.glance.columns)))
        if self.limit is not None:
            rows = self.limit if rows is None else min(rows, self.limit)
        rows = None if rows is None else rows * width
        evidence = Evidence(
            tasks=Tasks(self, tuple(made)),
            columns=self._columns(file_shapes, seen, required),
            rows=rows,
            inputs=watched.inputs,
            check=watched.check,
            warnings=folded((*self.warnings(), *self._remarks(file_shapes[0].names, optional, seen, files))),
            size=None if rows is None or not exact else partial(Size.exactly, rows),
            filled=self._filled(file_shapes[0], seen[0]),
        )
        return evidence if other is None else beside(evidence, other)

    def _filled(self, shape: Shape, seen: SeenColumns) -> frozenset[str]:
        """The columns that hold something in a record at the start of a file; none where a condition may drop it."""
        if self.of(seen.file).where is not None or self.row_maker(seen.file) is not None:
            return frozenset()
        filled = set()
        for name, source in shape.routes[0].items():
            way = () if name in shape.nulls else source.address
            if way and any(dig(row, way) not in (ABSENT, None, "") for row in seen.glance.rows):
                filled.add(name)
        return frozenset(filled)

    def glances(self) -> list[tuple[File, Glance]]:
        """The start of each file, without those that are empty where others are not. Raises AuditError."""
        files = self.located()
        glances: list[tuple[File, Glance]] = []
        empty: list[AuditError] = []
        for file in files:
            try:
                whole = self.completed(file)
                glances.append((whole, self._start(whole)))
            except AuditError as error:
                if len(files) == 1 or not (isinstance(error, NothingAudited) or is_empty(file.path)):
                    raise
                empty.append(error)
        if empty and not glances:
            raise empty[0]
        return glances

    def _start(self, file: File) -> Glance:
        """The start of a file, as rows."""
        glance, maker = self.glance(file), self.row_maker(file)
        if maker is None or not glance.rows:
            return glance
        try:
            rows = maker(Records(glance.rows, range(1, len(glance.rows) + 1)), file).rows
        except AuditError:
            for block in self.blocks(file, None, False):  # which knows the line
                maker(block(), file)
            raise
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        estimate = None if glance.estimate is None else round(glance.estimate * len(rows) / len(glance.rows))
        return replace(glance, rows=rows, columns=columns, estimate=estimate)

    def _left_out(self) -> list[str]:
        """The warnings about what is in a folder, or matches a glob, and is not read."""
        left_out = PassedOver()
        for one in self.entries():
            if not os.path.isfile(path := self.actual(one.path)):
                paths_of(path, self.patterns, self.keys.of("path"), self.fits, left_out)
        return left_out.lines() if left_out else []

    def _remarks(
        self, names: Sequence[str], optional: Sequence[str] | None, seen: Sequence[SeenColumns], files: Sequence[File]
    ) -> Iterator[str]:
        """The warnings about the files: which are empty, and that no sample ended in an error where some may."""
        full = {one.file.number for one in seen if one.glance.rows}
        if len(full) < len(files):
            yield from holding_nothing([file.path for file in files if file.number not in full], len(files))
        yield from self._left_out()
        if ERROR in self.columns and ERROR in (optional or ()) and ERROR not in names:
            setting = self.keys.of(f"columns.{ERROR}")
            yield f"no record has '{self.columns[ERROR]}' ({setting}): no sample ended in an error"

    def _columns(
        self, file_shapes: Sequence[Shape], seen: Sequence[SeenColumns], required: Sequence[str]
    ) -> tuple[str, ...]:
        """The columns of every batch; that of errors counts only where a record at the start has it."""
        names = file_shapes[0].names
        if ERROR not in names or ERROR in required:
            return names
        if any(route(self, replace(one, late=frozenset()), ERROR, 0) is not None for one in seen):
            return names
        return tuple(name for name in names if name != ERROR)

    def late(self, glance: Glance, optional: Sequence[str] | None) -> frozenset[str]:
        """The columns that a file is taken to have though no record at its start does: evidence may come late."""
        names = set()
        for name in () if glance.whole else optional or ():
            head, _, last = name.rpartition(".")
            if name == ERROR or (
                last in (REASON, *EVIDENCE)
                and (not head or any(isinstance(row.get(head), dict) for row in glance.rows))
            ):
                names.add(name)
        return frozenset(names)

    def completed(self, file: File) -> File:
        """A file with all columns that are the same throughout it."""
        return file

    def row_maker(self, file: File) -> RowMaker | None:
        """What makes rows out of records: the format's own, and lists inside these, exploded."""
        own = self.own_rows(file)
        exploded = Explode.of(self.explode, self.keys.of("explode")) if self.explode else None
        return own if exploded is None else exploded if own is None else Chained(own, exploded)

    def own_rows(self, file: File) -> RowMaker | None:
        """What makes the rows of a format whose records are none."""
        return None

    def watch(self) -> Watched:
        """The files as they are now, before the first look at them. Raises AuditError for one that is not there."""
        files = self.located()
        return watch([file.path for file in files], [path for file in files for path in self.beside(file)])

    def beside(self, file: File) -> tuple[str, ...]:
        """The paths of files that belong to one, and may be missing."""
        return ()

    def warnings(self) -> tuple[str, ...]:
        """Remarks on the files as they were opened."""
        return ()


def since(watched: Watched, evidence: Evidence) -> Evidence:
    """The evidence, whose files must be what they were when they were watched, before it was opened."""

    def check() -> None:
        watched.check()
        evidence.check()

    return replace(evidence, check=check)


@dataclass(frozen=True)
class Tasks:
    """The tasks of a file source, created again for each pass."""

    source: FileSource
    shapes: tuple[Shape, ...]

    def __iter__(self) -> Iterator[Task]:
        for shape, reading in self._readings(self.shapes):
            yield replace(reading, skip=self.skips.get(shape.file.number, frozenset()))

    def one_pass(self) -> IdCheck | None:
        """The tasks with their ids noted; None where no id is looked at, or which rows are dropped must be known."""
        numbered = all(routes["id"].numbered for shape in self.shapes for routes in shape.routes)
        if self.source.duplicates != "error" or numbered or "skips" in self.__dict__:
            return None
        return IdCheck((reading for _, reading in self._readings(self.shapes)), self._settle)

    def _settle(self, suspected: bool) -> None:
        """Looks over the ids where two may be the same; else it is known that none are. Raises DataError."""
        if suspected:
            _ = self.skips
        else:
            self.__dict__["skips"] = {}

    def _readings(self, file_shapes: Sequence[Shape]) -> Iterator[tuple[Shape, BatchTask]]:
        left = self.source.limit
        for shape in file_shapes:
            for block in self.source.blocks(shape.file, shape.reads, left is not None):
                if left is None:
                    yield shape, BatchTask(block, shape)
                    continue
                if left <= 0:
                    return
                yield shape, BatchTask(block, shape, min(left, block.count))
                left -= block.count

    def blocks(self, shape: Shape, columns: frozenset[str] | None) -> Iterator[RowBlock]:
        """The blocks of one file, with these columns of its records."""
        return self.source.blocks(shape.file, columns, False)

    @cached_property
    def skips(self) -> dict[int, frozenset[int]]:
        """The rows that are dropped because their id is elsewhere too. Raises DataError where that is not allowed."""
        rule = self.source.duplicates
        numbered = all(routes["id"].numbered for shape in self.shapes for routes in shape.routes)
        if rule == "all" or numbered:
            return {}
        suspects = self._suspects()
        if not suspects:
            return {}
        spots_of_id: dict[str, list[Spot]] = {}
        rows = 0
        for file, ordinals, ids in self._ids():
            rows += len(ids)
            for ordinal, word in zip(ordinals, ids, strict=True):
                if word in suspects:
                    spots_of_id.setdefault(word, []).append((file, ordinal))
        twice = {word: spots for word, spots in spots_of_id.items() if len(spots) > 1}
        if rule == "error" and twice:
            raise self._refusal(twice, rows)
        dropped = [spot for spots in twice.values() for spot in (spots[1:] if rule == "first" else spots[:-1])]
        return {n: frozenset(o for file, o in dropped if file == n) for n in {file for file, _ in dropped}}

    def _suspects(self) -> set[str]:
        """The ids whose hash is that of another row: eight bytes a row are kept, and a second look names the ids."""
        import polars as pl

        hashes = [_hashed(ids) for _, _, ids in self._ids()]
        if not hashes:
            return set()
        column = pl.concat(hashes)
        again = set(column.filter(column.is_duplicated()).to_list())
        if not again:
            return set()
        return {
            word
            for _, _, ids in self._ids()
            for word, hashed in zip(ids, _hashed(ids).to_list(), strict=True)
            if hashed in again
        }

    def _ids(self) -> Iterator[tuple[int, Sequence[int], list[str]]]:
        """File number, ordinals and ids of all rows that are kept, slice by slice."""
        quick = self._quickly()
        if quick is not None:
            yield from quick
            return
        bare = [replace(shape, names=("id",)) for shape in self.shapes]
        for shape, reading in self._readings(bare):
            got = shape.read(reading.block, reading.take)
            columns = shape.columns(got, got.notes)
            ordinals: Sequence[int] = shape.ordinals(got)
            ids = columns["id"]
            if shape.condition is not None:
                keep = shape.kept(columns, got)
                ordinals = [o for o, kept in zip(ordinals, keep, strict=True) if kept]
                ids = [word for word, kept in zip(ids, keep, strict=True) if kept]
            yield shape.file.number, ordinals, ids

    def _quickly(self) -> Iterator[tuple[int, Sequence[int], list[str]]] | None:
        """The same without reading whole records, where the format can and nothing but the id matters."""
        if self.source.limit is not None or self.source.unpivot is not None:
            return None
        parts = []
        for shape in self.shapes:
            if shape.condition is not None or shape.maker is not None:
                return None
            steps = shape.routes[0]["id"].address
            stream = self.source.quick_ids(shape.file, str(steps[0])) if len(steps) == 1 else None
            if stream is None:
                return None
            parts.append((shape.file.number, stream))
        return ((n, numbers, list(map(str, ids))) for n, stream in parts for numbers, ids in stream)

    def _refusal(self, twice: dict[str, list[Spot]], rows: int) -> AuditError:
        word, spots = next(iter(twice.items()))
        places = self._places(set(spots[:2]))
        do = advice(self, twice, rows)
        error = DataError(places[spots[1]], f"duplicate id '{word}'", f"first at {places[spots[0]]}", do)
        return and_more(error, len(twice) - 1)

    def _places(self, spots: set[Spot]) -> Spots:
        """Where rows are, for messages."""
        spots_of_id: Spots = {}
        for shape, reading in self._readings(self.shapes):
            width = len(shape.routes)
            wanted = {ordinal for file, ordinal in spots if file == shape.file.number}
            if not wanted:
                continue
            got = shape.read(reading.block, reading.take)
            for i, ordinal in enumerate(shape.ordinals(got)):
                if ordinal in wanted:
                    spots_of_id[shape.file.number, ordinal] = place(shape.file, got, i // width)
        return spots_of_id


def _hashed(ids: Sequence[str]) -> Any:
    import polars as pl

    return pl.Series("", ids, dtype=pl.String).hash()
