"""Which items of two label tables are the same: by an id that both have, else by their questions.

An id counts only where the questions of the items that share it agree: else they are two numberings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditfw.commands.stored_run import read_reference
from auditfw.components.files.run_tables import has_table, read_table
from auditfw.core.document import some, verb
from auditfw.core.errors import DataError, NothingAudited
from auditfw.core.imports import np, pl

TRIALS = "trials.parquet"
ID, STATUS, TEXT, STORED = "id", "status", "text.", "stored"
ITEM, MODEL, QUESTION, OPTIONS, TRUTH = "row.item", "row.model", "row.question", "row.options", "row.truth"
UNREAD = tuple(
    f"row.{name}"
    for name in (
        *("place", "rank", "rest", "answer_key", "stored_key", "truth_key", "mask", "mask_chars", "est", "sourced"),
        *("score", "option_letter", "option_text"),
    )
)
WITH_OPTIONS = "question and options"
AGREE = 0.98  # of the questions of common items, so that ids are those of one numbering
TOO_MANY = 0.5  # keys with trials of different truths: that is no item
_PLACE = re.compile(r"[^/:]*[/:]")  # what a source puts before ids of several files


@dataclass(frozen=True)
class LabelledSide:
    """A finished run as a side: its folder, its label table (Polars), and the reading that is compared.

    `labels` are those of the reading: 1 right, 0 wrong, -1 none, a trial each.
    """

    folder: Path
    frame: Any
    reading: str

    @property
    def labels(self) -> Any:
        return labels_of(self.frame, self.reading)

    @property
    def share(self) -> float:
        """The share right of all trials with a label; 0 where none has one."""
        labels = self.labels[self.labels >= 0]
        return float(labels.mean()) if len(labels) else 0.0

    def within(self, cell: Mapping[str, str]) -> LabelledSide:
        """Its trials of a cell. Raises DataError for a column that it lacks."""
        side = self
        for name, value in cell.items():
            side = LabelledSide(self.folder, side.frame.filter(side.column(name) == value), self.reading)
        return side

    def column(self, name: str) -> Any:
        """A column of cells as text (Polars). Raises DataError where there is none."""
        at = next((one for one in (name, f"row.{name}") if one in self.frame.columns), None)
        if at is None:
            known = ", ".join(_plain(one) for one in self.frame.columns if self.has(one))
            raise DataError(f"compare.by={name}", f"{self.folder} has no such column", known, "name one of these")
        return self.frame[at].cast(pl.String)

    def has(self, column: str) -> bool:
        """Whether some trial has a value there."""
        return _has_values(self.frame, column)


def labelled_side(folder: Path, reading: str | None = None) -> LabelledSide:
    """The label table of a finished run, by a reading: the stored labels, or the reference where none are stored.

    Raises DataError where the run has no label table, or none of that reading.
    """
    file = folder / TRIALS
    again = f"auditfw rerun {folder}"
    if not has_table(file):
        raise DataError(str(folder), "no label table", None, again)
    frame = read_table(file, _wanted)
    if QUESTION not in frame.columns:
        raise DataError(str(folder), "no label table", None, again)
    chosen = reading or (STORED if _has_values(frame, STORED) else read_reference(folder) or STORED)
    if chosen not in frame.columns or str(frame.schema[chosen]) != "Boolean":
        raise DataError(str(folder), f"no labels of the reading '{chosen}'", None, again)
    own = [name for name in frame.columns if name.startswith("row.") and name != QUESTION]
    return LabelledSide(folder, frame.drop([name for name in own if not _has_values(frame, name)]), chosen)


def _has_values(frame: Any, reading: str) -> bool:
    return reading in frame.columns and frame[reading].null_count() < frame.height


def _wanted(columns: Sequence[str]) -> list[str]:
    return [name for name in columns if not name.startswith(TEXT) and name not in UNREAD]


def labels_of(frame: Any, reading: str) -> Any:
    """The labels of a reading: 1 right, 0 wrong, -1 none."""
    return frame[reading].to_physical().cast(pl.Int8).fill_null(-1).to_numpy()


@dataclass(frozen=True)
class MatchedItems:
    """The items of two sides by number, from 0: those of A in their order, then those that B alone has.

    - `key`: the column by which they are the same, or `question and options`;
    - `numbers`: of each side the item of each trial; -1 where its key is not stored, or names trials of other truths;
    - `names`: the key of each item, as text (Polars);
    - `other_truth`: flags of items with another truth on the other side; `truths_known`: common ones with both truths;
    - `clashes`: keys left out on each side, for their trials have different truths;
    - `refused`: of each id that was two numberings (its column, agreeing questions, common items with a question);
    - `asked`: common items whose questions are stored on both sides, and how many of these agree.
    """

    key: str
    numbers: tuple[Any, Any]
    names: Any
    other_truth: Any
    truths_known: int
    clashes: tuple[int, int] = (0, 0)
    refused: Sequence[tuple[str, int, int]] = field(default_factory=tuple)
    asked: tuple[int, int] = (0, 0)

    @property
    def items(self) -> int:
        return len(self.names)

    @property
    def common(self) -> Any:
        """Flags of items that both sides have, whether labelled or not."""
        return self.here(0) & self.here(1)

    def here(self, side: int, rows: Any | None = None) -> Any:
        """Flags of items that have a trial on a side, or one among some of its rows."""
        numbers = self.numbers[side] if rows is None else self.numbers[side][rows]
        return np.bincount(numbers[numbers >= 0], minlength=self.items) > 0


@dataclass(frozen=True)
class ItemKey:
    """A way to name items: the names on both sides (columns of one type), whether these are ids."""

    name: str
    sides: tuple[Any, Any]
    is_id: bool


def matched_items(one: LabelledSide, other: LabelledSide, on: str | None = None) -> MatchedItems:
    """The items of two sides, by `on` or by the key with the most common ones, of several the first.

    Raises DataError where a side lacks `on` or it names no items, NothingAudited where no item is common.
    """
    sides = (one, other)
    if on is not None:
        _check_column(on, sides)
        matched = _matched(columns_of(on, sides), sides)
        if matched is None:
            raise DataError(f"compare.on={on}", "not an item", "most of its values have trials of different truths")
        if not matched.common.any():
            raise _nothing(sides, [on], [])
        return matched
    best: MatchedItems | None = None
    refused: list[tuple[str, int, int]] = []
    tried: list[str] = []
    for key in _candidates(sides):
        tried.append(key.name)
        if best is not None and not key.is_id and _most(key) <= best.common.sum():
            continue
        matched = _matched(key, sides)
        if matched is None or not matched.common.any():
            continue
        agreeing, there = matched.asked
        if key.is_id and there and agreeing < AGREE * there:
            refused.append((key.name, agreeing, there))
        elif best is None or matched.common.sum() > best.common.sum():
            best = matched
    if best is None:
        raise _nothing(sides, tried, refused)
    return MatchedItems(**{**vars(best), "refused": tuple(refused)})


def _most(key: ItemKey) -> int:
    """More items than this cannot be common by a key."""
    return min(int(names.n_unique()) - int(names.null_count() > 0) for names in key.sides)


def numberings(refused: Sequence[tuple[str, int, int]]) -> str:
    """That ids are two numberings, for people; "" where none were refused."""
    lines = [f"{name} is two numberings: {n:,} of {some(of, 'question')} agree" for name, n, of in refused]
    return "; ".join(lines)


def _nothing(sides: Sequence[LabelledSide], tried: Sequence[str], refused: Sequence[tuple[str, int, int]]) -> Exception:
    sizes = " and ".join(f"{_size(side, tried):,}" for side in sides)
    names = ", ".join(_plain(name) for name in tried) or "nothing: a side stores neither ids nor questions"
    why = f"; {numberings(refused)}" if refused else ""
    what = f"nothing to compare: 0 of {sizes} items are common (tried {names}{why})"
    return NothingAudited("compare", what, None, "compare.on=COLUMN")


def _plain(name: str) -> str:
    return name.removeprefix("row.")


def _size(side: LabelledSide, tried: Sequence[str]) -> int:
    """How many items a side has by the first key that it has values of; else its trials."""
    column = next((name for name in (ITEM, *tried, QUESTION) if side.has(name)), None)
    return int(side.frame.height if column is None else side.frame[column].n_unique())


def _check_column(name: str, sides: Sequence[LabelledSide]) -> None:
    for side in sides:
        if not side.has(_stored_as(name, side)):
            known = ", ".join(_plain(one) for one in side.frame.columns if side.has(one))
            raise DataError(f"compare.on={name}", f"{side.folder} has no such column", known, "name one of both sides")


def _stored_as(name: str, side: LabelledSide) -> str:
    return f"row.{name}" if f"row.{name}" in side.frame.columns else name


def _candidates(sides: tuple[LabelledSide, LabelledSide]) -> list[ItemKey]:
    """The keys that both sides have, in their order of trust; ids of trials where there is no other."""
    keys: list[ItemKey] = []
    for name in (ITEM, "doc_hash"):
        if all(side.has(name) for side in sides):
            keys.append(columns_of(name, sides))
    if all(side.has(QUESTION) for side in sides):
        keys.append(ItemKey(QUESTION, _both(sides, lambda frame: frame[QUESTION]), False))
        if all(side.has(OPTIONS) for side in sides):
            keys.append(ItemKey(WITH_OPTIONS, _both(sides, _with_options), False))
    return keys or [ItemKey(ID, _both(sides, lambda frame: frame[ID]), True)]


def _both(sides: Sequence[LabelledSide], read: Callable[[Any], Any]) -> tuple[Any, Any]:
    one, other = (read(side.frame).rename("key") for side in sides)
    return one, other


def columns_of(name: str, sides: Sequence[LabelledSide]) -> ItemKey:
    """A column of both sides as ids, less what sources put before all of a side's where there are several files."""
    one, other = (side.frame[_stored_as(name, side)].cast(str).rename("key") for side in sides)
    plain = (_without_place(one), _without_place(other))
    better = (plain[0] is not one or plain[1] is not other) and _shared(*plain) > _shared(one, other)
    return ItemKey(_stored_as(name, sides[0]), plain if better else (one, other), True)


def _shared(one: Any, other: Any) -> int:
    """How many values two columns share."""
    ours, theirs = (pl.DataFrame({"key": column.drop_nulls().unique()}) for column in (one, other))
    return int(ours.join(theirs, on="key", how="semi").height)


def _without_place(names: Any) -> Any:
    """The names of a side without the beginning that all of them share, up to a slash or colon."""
    first = next(iter(names.drop_nulls()), "")
    there = _PLACE.match(first)
    while there and there[0] != first and names.drop_nulls().str.starts_with(there[0]).all():
        names = names.str.slice(len(there[0]))
        first = first[len(there[0]) :]
        there = _PLACE.match(first)
    return names


def _with_options(frame: Any) -> Any:
    both = pl.concat_str(pl.col(QUESTION), pl.lit("/"), pl.col(OPTIONS))
    return frame.select(both.alias("key"))["key"]


def _matched(key: ItemKey, sides: Sequence[LabelledSide]) -> MatchedItems | None:
    """The items of both sides by a key; None where for most of its values trials have different truths."""
    known = []
    codes = _coded(*key.sides)
    for of_rows, side in zip(codes, sides, strict=True):
        columns = {"key": of_rows, "truth": _hashes(side, TRUTH), "question": _hashes(side, QUESTION)}
        trials = pl.DataFrame(columns).with_row_index("row").drop_nulls("key")
        of_key = trials.group_by("key", maintain_order=True).agg(
            pl.col("truth").drop_nulls().n_unique().alias("truths"),
            pl.col("truth").drop_nulls().first(),
            pl.col("question").drop_nulls().first(),
            pl.col("row").first(),
        )
        if of_key.height and (of_key["truths"] > 1).sum() > TOO_MANY * of_key.height:
            return None
        known.append(of_key)
    clashing = [one.filter(pl.col("truths") > 1).select("key") for one in known]
    left = pl.concat(clashing)
    one, other = (of_key.join(left, on="key", how="anti", maintain_order="left") for of_key in known)
    both = one.join(other, on="key", how="left", suffix=".b", maintain_order="left")
    alone = other.join(one, on="key", how="anti", maintain_order="left")
    names = pl.concat([key.sides[0].gather(both["row"]), key.sides[1].gather(alone["row"])])
    numbers = pl.DataFrame({"key": pl.concat([both["key"], alone["key"]])}).with_row_index("number")
    rows = [
        pl.DataFrame({"key": column}).join(numbers, on="key", how="left", maintain_order="left")["number"]
        for column in codes
    ]
    shared = both.filter(pl.col("row.b").is_not_null())
    asked = shared.filter(pl.col("question").is_not_null() & pl.col("question.b").is_not_null())
    agreeing = int((asked["question"] == asked["question.b"]).sum())
    truths = pl.col("truth").is_not_null() & pl.col("truth.b").is_not_null()
    differ = both.select((truths & (pl.col("truth") != pl.col("truth.b"))).fill_null(False).alias("differ"))["differ"]
    other_truth = np.zeros(len(names), bool)
    other_truth[: both.height] = differ.to_numpy()
    return MatchedItems(
        key.name,
        (_codes(rows[0]), _codes(rows[1])),
        names.cast(str),
        other_truth,
        int(shared.select(truths.sum()).item()),
        (clashing[0].height, clashing[1].height),
        (),
        (agreeing, asked.height),
    )


def _coded(one: Any, other: Any) -> tuple[Any, Any]:
    """Both columns of names as numbers: names of text are slow to group and to join."""
    if one.dtype != pl.String:
        return one, other
    both = pl.concat([one, other]).cast(pl.Categorical).to_physical()
    return both[: len(one)], both[len(one) :]


def _codes(numbers: Any) -> Any:
    return numbers.cast(int).fill_null(-1).to_numpy()


def _hashes(side: LabelledSide, name: str) -> Any:
    absent = name not in side.frame.columns
    return pl.Series(name, [None] * side.frame.height, pl.UInt64) if absent else side.frame[name]


def clash_note(matched: MatchedItems) -> str:
    """That items were left out for trials of different truths, for people; "" where none were."""
    number = sum(matched.clashes)
    return (
        f"{some(number, 'item')} {verb(number, 'has', 'have')} trials of different truths: left out" if number else ""
    )
