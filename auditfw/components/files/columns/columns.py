"""Which columns a source has and where each comes from, settled when the files are opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.components.files.batches import Route, Shape
from auditfw.components.files.columns.addresses import pieces
from auditfw.components.files.file_settings import ERROR, PEEKED, PLACE, ROW_NUMBER, FileSettings, Glance, Records, Row
from auditfw.components.files.files import File
from auditfw.components.files.join import Joined
from auditfw.core.document import some
from auditfw.core.errors import AuditError, DataError, Findings, UsageError, and_more, brief, near
from auditfw.kinds.conditions import Condition, condition, kind_of

from .addresses import ABSENT, Address, address, bins_of, dig
from .contents import REASONING, TEXTS


@dataclass(frozen=True)
class SeenColumns:
    """A file and its start; `late` are columns that it is taken to have though no record at the start does."""

    file: File
    glance: Glance
    late: frozenset[str] = frozenset()


Fault = tuple[SeenColumns, AuditError]


def shapes(
    settings: FileSettings,
    seen: Sequence[SeenColumns],
    required: Sequence[str],
    optional: Sequence[str] | None,
    joined: Joined | None = None,
) -> tuple[Shape, ...]:
    """One shape a file, all with the same columns. Raises DataError or Findings for columns that are not there."""
    own = [settings.of(one.file) for one in seen]
    wanted = every_column(settings, seen) if optional is None else optional
    names = list(dict.fromkeys(("id", *required, *wanted)))
    anywhere, errors, absent = {"id"}, list[Fault](), list[Fault]()
    for mine, one in zip(own, seen, strict=True):
        for error in (*_unmapped(mine, one, required), *_unjoined(mine, one)):
            errors.append((one, error))
        there = {name for name in names if route(settings, one, name, 0) is not None}
        anywhere |= there
        for name in required if one.glance.rows or one.glance.columns else ():
            if name not in there and name != "id" and mine.columns.get(name, name) == name:  # else: as unmapped
                absent.append((one, _missing(settings, one, name)))
    absent += _unknown_names(settings, own, seen)
    if errors or absent:
        _refuse([*errors, *absent])
    names = [name for name in names if name in anywhere or name in required]
    tests, result = {mine.where: _condition(mine, seen) for mine in own}, list[Shape]()
    for mine, one in zip(own, seen, strict=True):
        late = _lacking(mine, one) if one.late else one.late
        bare = Shape(one.file, tuple(names), (), condition=tests[mine.where], joined=joined, late=late)
        result.append(_shape(mine, one, bare))
    for where, test in tests.items():
        same = [i for i, mine in enumerate(own) if mine.where == where] if test is not None else []
        fixed = test and _fixed(test, [result[i] for i in same], [seen[i] for i in same])
        for i in same:
            result[i] = replace(result[i], condition=fixed)
    return tuple(result)


def _refuse(errors: Sequence[Fault]) -> None:
    """Raises errors, those that are the same but for the file as one, with the first file and the number of others."""
    alike: dict[tuple[str, str, str], list[AuditError]] = {}
    for one, error in errors:
        where = "" if error.where == one.file.path else error.where
        what = error.what.removesuffix(_limit(one)).removesuffix(f" in {one.file.path}")
        alike.setdefault((where, what, type(error).__name__), []).append(error)
    folded = [_in_files(same[0], len(same) - 1) for same in alike.values()]
    raise folded[0] if len(folded) == 1 else Findings(folded)


def _in_files(error: AuditError, others: int) -> AuditError:
    if not others or not error.what.startswith("no column"):
        return and_more(error, others)
    what = f"{error.what}, nor in {some(others, 'other file')}"
    return type(error)(error.where, what, error.found, error.do)


def with_later(settings: FileSettings, one: SeenColumns, required: Sequence[str]) -> SeenColumns:
    """The start of a file, with those later records that have needed columns which no record at the start has."""
    settings = settings.of(one.file)
    turn = settings.unpivot
    tested = condition(settings.where, settings.keys.of("where")).names if settings.where else ()
    named = (*required, *settings.columns, *settings.nulls, *settings.bins, *tested)
    wanted = [(name, 0) for name in named if turn is None or name not in turn.columns]
    wanted += [(name, side) for name in turn.columns for side in range(len(turn.values))] if turn else []
    left: list[Address] = []
    for name, side in wanted if not one.glance.whole else ():
        theirs, where = _theirs(settings, name, side)
        if theirs is not None and route(settings, one, name, side) is None:
            texts = [text for braced, text in pieces(theirs, one.glance.columns, where) if braced] or [theirs]
            left += [steps for text in texts for steps in ((text,), *([address(text, (), where)] if where else []))]
    names = {str(step) for steps in left for step in steps}
    rows = settings.holding(one.file, names) if left and settings.row_maker(one.file) is None else None
    if rows is None:
        return one
    later: list[Row] = []
    for row in rows:
        if any(dig(row, steps) is not ABSENT for steps in left):
            later.append(row)
            left = [steps for steps in left if dig(row, steps) is ABSENT]
        if not left:
            break
    columns = tuple(dict.fromkeys([*one.glance.columns, *(name for row in later for name in row)]))
    return replace(one, glance=replace(one.glance, rows=[*one.glance.rows, *later], columns=columns, whole=True))


def every_column(settings: FileSettings, seen: Sequence[SeenColumns]) -> tuple[str, ...]:
    """Our names first, then every column of the records that was not renamed; that of errors where records have it."""
    named = {**settings.columns, **{name: theirs for one in seen for name, theirs in one.file.columns.items()}}
    ours = [name for name in named if name != ERROR or _somewhere(settings, seen, ERROR)]
    if settings.unpivot is not None:
        ours += [settings.unpivot.into, *settings.unpivot.columns]
    ours += [*(name for one in seen for name in one.file.set), *(settings.join.columns if settings.join else ())]
    renamed = set(named.values()) - set(ours)
    names = dict.fromkeys([*ours, *(c for one in seen for c in one.glance.columns if c not in renamed)])
    if REASONING not in renamed and _somewhere(settings, seen, REASONING):
        names[REASONING] = None
    return tuple(names)


def _somewhere(settings: FileSettings, seen: Sequence[SeenColumns], name: str) -> bool:
    """Whether records at the start of some file have a column."""
    return any(route(settings, one, name, 0) is not None for one in seen)


def route(settings: FileSettings, one: SeenColumns, name: str, side: int) -> Route | None:
    """Where a column comes from in one file, for one of the rows made of a record; None where it is not there."""
    settings = settings.of(one.file)
    if settings.join is not None and name in settings.join.columns:
        return Route()
    if name in one.file.set:
        return Route(value=one.file.set[name])
    theirs, where = _theirs(settings, name, side)
    if theirs is None:
        value = settings.unpivot.values[side] if settings.unpivot else None
        return Route(value=value)
    way = _composite(settings, one, name, side) if where and "{" in theirs else None
    if way is None:
        way = _simple(one, theirs, where)
    if way is not None and (name in one.late or way.present(one.glance.rows, one.glance.columns)):
        return way
    return _reasoning(settings, one, side) if name == REASONING and not where else None


def _simple(one: SeenColumns, theirs: str, where: str) -> Route | None:
    """The route to an address in a file's records; None where it is none, which only a setting may not be."""
    columns = one.glance.columns
    if theirs == ROW_NUMBER and ROW_NUMBER not in columns:
        return Route(numbered=True)
    if theirs == PLACE and (not where or PLACE not in columns):  # a file's own only where it is asked for
        return Route(placed=True)
    if where or "." in theirs or "[" in theirs:
        try:
            return Route(address(theirs, columns, where))
        except UsageError:
            if where:
                raise
            return None
    return Route((theirs,))


def _composite(settings: FileSettings, one: SeenColumns, name: str, side: int) -> Route | None:
    """The route of a column put together of others: ours by their names, else addresses in the record."""
    theirs, where = _theirs(settings, name, side)
    texts = pieces(theirs or "", one.glance.columns, where) if where else []
    parts: list[str | Route] = []
    for braced, text in texts:
        if not braced:
            parts.append(text)
        elif text in one.file.set:
            parts.append(Route(value=one.file.set[text]))
        elif settings.join is not None and text in settings.join.columns:
            raise UsageError(where, f"'{text}' is a joined column", theirs, "name columns of the file itself")
        else:
            inner, setting = (text, where) if text == name else _theirs(settings, text, side)
            if inner is None:
                parts.append(route(settings, one, text, side) or Route())
            elif pieces(inner, one.glance.columns, where):
                raise UsageError(where, f"'{text}' is itself composed of columns", theirs, "name those columns")
            else:
                parts.append(_simple(one, inner, setting or where) or Route((text,)))
    return Route(parts=tuple(parts)) if parts else None


def _reasoning(settings: FileSettings, one: SeenColumns, side: int) -> Route | None:
    """The route to the reasoning in the raw text's content parts, where records at the start have some."""
    text = route(settings, one, TEXTS[0], side)
    if text is None or not text.address:
        return None
    way = replace(text, reasoning=True)
    rows = one.glance.rows
    values = way.values(Records(rows, range(1, len(rows) + 1)), one.file)
    return way if any(value is not None for value in values) else None


def _lacking(settings: FileSettings, one: SeenColumns) -> frozenset[str]:
    """The late columns that no record at the start has."""
    start = replace(one, late=frozenset())
    return frozenset(name for name in one.late if route(settings, start, name, 0) is None)


def _theirs(settings: FileSettings, name: str, side: int) -> tuple[str | None, str]:
    """The address that a name stands for (None: the value of the unpivoted row) and the setting that says so."""
    turn = settings.unpivot
    if turn is not None and name == turn.into:
        return None, ""
    if turn is not None and name in turn.columns:
        return turn.columns[name].replace("{value}", turn.values[side]), settings.keys.of(f"unpivot.columns.{name}")
    if name in settings.columns:
        return settings.columns[name], settings.keys.of(f"columns.{name}")
    return name, ""


def _shape(settings: FileSettings, one: SeenColumns, bare: Shape) -> Shape:
    """The shape with its routes, the endings of ids and the texts that mean null."""
    turn = settings.unpivot
    wanted = bare.wanted
    sides: list[Mapping[str, Route]] = []
    for side in range(len(turn.values) if turn else 1):
        routes = {name: route(settings, one, name, side) or Route() for name in wanted}
        if route(settings, one, "id", side) is None:
            routes["id"] = Route(numbered=True)
        sides.append(routes)
    own = turn is None or "id" in turn.columns
    endings = ("",) * len(sides) if own or turn is None else tuple(f".{value}" for value in turn.values)
    nulls = {name: frozenset(texts) for name, texts in settings.nulls.items()}
    bins = {name: bins_of(edges, settings.keys.of(f"bins.{name}")) for name, edges in settings.bins.items()}
    return replace(bare, routes=tuple(sides), endings=endings, nulls=nulls, split=settings.split, bins=bins)


def _unmapped(settings: FileSettings, one: SeenColumns, required: Sequence[str]) -> list[AuditError]:
    """The mapped columns that no record at the start of the file has; not `required` ones under their own names."""
    if not one.glance.rows and not one.glance.columns:
        return []
    turn, errors = settings.unpivot, list[AuditError]()
    pairs = [(name, 0) for name in settings.columns if turn is None or name not in turn.columns]
    if turn is not None:
        pairs += [(name, side) for name in turn.columns for side in range(len(turn.values))]
    for name, side in pairs:
        if name not in (ERROR, *one.file.set) and route(settings, one, name, side) is None:
            theirs, where = _theirs(settings, name, side)
            columns = one.glance.columns
            if theirs == name in required:
                continue
            theirs = _absent_piece(settings, one, name, side) or theirs
            what = f"no column '{theirs}' in {one.file.path}{_limit(one)}"
            errors.append(DataError(where, what, _found(columns), one.glance.advice or near(str(theirs), columns)))
    return errors


def _absent_piece(settings: FileSettings, one: SeenColumns, name: str, side: int) -> str:
    """The first name in a composite address that no record at the start has; "" for another address."""
    theirs, where = _theirs(settings, name, side)
    composite, columns = _composite(settings, one, name, side), one.glance.columns
    named = zip(composite.parts, pieces(theirs or "", columns, where), strict=True) if composite else ()
    absent = (t for part, (_, t) in named if isinstance(part, Route) and not part.present(one.glance.rows, columns))
    return next(absent, "")


def _unjoined(settings: FileSettings, one: SeenColumns) -> list[AuditError]:
    """What is wrong with a join's own side: keys that are no columns, columns whose names are taken."""
    if settings.join is None or not (one.glance.rows or one.glance.columns):
        return []
    columns, errors = every_column(settings, [one]), list[AuditError]()
    for name in settings.join.on:
        if route(settings, one, name, 0) is None and name != "id":
            what = f"no column '{name}' in {one.file.path}"
            errors.append(DataError(settings.keys.of(f"join.on.{name}"), what, _found(columns), near(name, columns)))
    turn = settings.unpivot
    taken = {*settings.columns, *one.file.set, *({turn.into, *turn.columns} if turn else ())}
    for name in settings.join.columns:
        if name in taken:
            where, do = settings.keys.of(f"join.columns.{name}"), "give one of the two another name"
            errors.append(UsageError(where, "the source has a column of this name", None, do))
    return errors


def _missing(settings: FileSettings, one: SeenColumns, name: str) -> DataError:
    columns = one.glance.columns
    close = near(name, columns)
    guess = close.split("'")[1] if close else "THEIR_NAME"
    do = one.glance.advice or f"write {settings.keys.of(f'columns.{name}')}={guess}"
    return DataError(one.file.path, f"no column '{name}'{_limit(one)}", _found(columns), do)


def _limit(one: SeenColumns) -> str:
    return "" if one.glance.whole else f" among the first {PEEKED:,} records"


def _found(columns: Sequence[str]) -> str:
    names = [name for name in columns if not name.startswith("#")]  # the others are ours
    return "found: " + ", ".join(names) if names else "found: no column"


def _known(settings: FileSettings, seen: Sequence[SeenColumns], name: str) -> bool:
    empty = not any(one.glance.rows or one.glance.columns for one in seen)
    return empty or any(route(settings, one, name, 0) is not None for one in seen)


def _unknown_names(settings: FileSettings, own: Sequence[FileSettings], seen: Sequence[SeenColumns]) -> Iterator[Fault]:
    """The names of columns by which other settings go, and that no file has."""
    texts = {f"nulls.{name}": name for mine in own for name in mine.nulls}
    texts |= {f"{part}.{name}": name for part in ("split", "bins") for name in getattr(settings, part)}
    for setting, name in texts.items():
        if not _known(settings, seen, name):
            columns = [column for one in seen for column in one.glance.columns]
            what = f"no column '{name}'"
            yield seen[0], UsageError(settings.keys.of(setting), what, _found(columns), near(name, columns))


def _condition(settings: FileSettings, seen: Sequence[SeenColumns]) -> Condition | None:
    if settings.where is None:
        return None
    where = settings.keys.of("where")
    test = condition(settings.where, where)
    for name in test.names:
        if name != "id" and not _known(settings, seen, name):
            known = [column for column in every_column(settings, seen) if not column.startswith("#")]  # ours
            raise UsageError(where, f"no column '{name}'", _found(known), near(name, known))
    return test


def _fixed(test: Condition, shapes: Sequence[Shape], seen: Sequence[SeenColumns]) -> Condition:
    """The condition with the kinds of its columns settled by the start of the files, tried once on it."""
    from collections import Counter

    parts: dict[str, list[Any]] = {name: [] for name in test.names}
    for shape, one in zip(shapes, seen, strict=True):
        rows = one.glance.rows
        columns = shape.columns(Records(rows, range(1, len(rows) + 1), unfinite=True), Counter())
        for name in test.names:
            parts[name] += columns[name]
    kinds = {name: kind for name, values in parts.items() if (kind := kind_of(values)) is not None}
    fixed = replace(test, kinds=kinds)
    fixed.keep(parts, max(map(len, parts.values()), default=1), brief(seen[0].file.path))
    return fixed
