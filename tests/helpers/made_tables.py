"""Tables of labels made of numbers: whole ones, with the oddities of real logs, and such with one fault planted.

A text is a number, too: of its wording and what it answers, or, where texts are long, of nothing else in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from label_rows import TableOfLabels

from auditfw.audits.parsing.kept.keys import hashed, key_of

Draw = np.random.Generator
Columns = dict[str, np.ndarray]
SHAPES = ("letters", "numbers", "names", "yes_no")
LETTERS = np.array([key_of(letter, "letter", letter) for letter in "ABCDE"], np.uint64)
NONE = np.uint64(hashed("none"))


@dataclass
class Made:
    """A table: columns of one number a row; `long`: no two texts are alike; `options` of letters."""

    shape: str
    columns: Columns
    long: bool
    values: int
    known: bool = True
    rules: tuple[np.ndarray, ...] = ()
    missing: tuple[int, ...] = field(default=())

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def n(self) -> int:
        return len(self.columns["item"])

    def take(self, rows: np.ndarray) -> Made:
        columns = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, columns=columns, rules=tuple(rule[rows] for rule in self.rules))

    def with_columns(self, **changed: np.ndarray) -> Made:
        return replace(self, columns={**self.columns, **changed})

    def scored(self, draw: Draw) -> Made:
        """Labels by what is answered; two more rules that read some rows otherwise."""
        right = self.answer == self.truth
        loose = right | (draw.random(self.n) < 0.04)
        strict = right & (draw.random(self.n) < 0.9)
        return replace(self.with_columns(stored=right.astype(float)), rules=(right, loose, strict))

    def table(self) -> TableOfLabels:
        """The table as questions see it."""
        key = LETTERS if self.shape == "letters" else np.arange(1, self.values + 2, dtype=np.uint64) * 7919
        truths = key[self.truth].copy()
        truths[list(self.missing)] = NONE
        words = np.where(self.long, self.text, self.wording * 10_000 + self.answer).astype(np.uint64)
        masks = np.where(self.long, self.text, self.wording).astype(np.uint64)
        columns: dict[str, Any] = {
            "model": list(map("model {}".format, self.model)),
            "topic": list(map("topic {}".format, self.topic)),
            "row.item": list(map("q{}".format, self.item)) if self.known else [None] * self.n,
            "row.answer_key": pl.Series(key[self.answer], dtype=pl.UInt64),
            "row.truth_key": pl.Series(truths, dtype=pl.UInt64),
            "row.truth": pl.Series(truths, dtype=pl.UInt64),
            "row.rest": pl.Series(self.model * 100 + self.repeat + 1, dtype=pl.UInt64),
            "row.text": pl.Series(words + 1, dtype=pl.UInt64),
            "row.mask": pl.Series(masks + 1, dtype=pl.UInt64),
            "row.mask_chars": np.full(self.n, 150 if self.long else 20),
            "row.chars": np.full(self.n, 150 if self.long else 24),
            "code.stored": pl.Series(np.where(np.isnan(self.stored), 3, self.stored).astype(np.uint8)),
            **{f"code.rule{i}": pl.Series(rule.astype(np.uint8)) for i, rule in enumerate(self.rules)},
        }
        if self.shape != "names":
            columns["row.sourced"] = self.sourced > 0
        if self.shape == "letters":
            columns |= {
                f"row.option_{of}": pl.Series(self.columns[of].astype(np.uint8)) for of in ("letter", "text_of")
            }
            columns["row.option_text"] = columns.pop("row.option_text_of")
        by = ["model", "topic"] if self.topic.any() else ["model"]
        return TableOfLabels(columns, by, "model", "declared")


def plain(
    draw: Draw, shape: str = "", *, rows: int = 0, models: int = 0, right: float = 0.0, long: bool | None = None
) -> Made:
    """A table without any fault. `right` is about the share of right answers, 0: another one for each model."""
    shape = shape or str(draw.choice(SHAPES))
    rows, models = rows or int(60 * 60 ** draw.random()), models or int(draw.integers(1, 6))
    items = max(8, rows // models)
    values = {"letters": int(draw.integers(3, 6)), "yes_no": 2, "names": 300}.get(
        shape, int(10 ** draw.uniform(1, 3.5))
    )
    weights = draw.dirichlet(np.full(values, 20.0)) if values < 6 else np.full(values, 1 / values)
    truth, common = draw.choice(values, items, p=weights), draw.choice(values, items)
    hard = draw.normal(0, 1, items)
    item, model = np.tile(np.arange(items), models), np.repeat(np.arange(models), items)
    level = np.log(right / (1 - right)) + draw.normal(0, 0.2, models) if right else draw.uniform(-0.5, 2.5, models)
    chance = 1 / (1 + np.exp(hard[item] - level[model]))
    if not right:
        chance[np.isin(model, np.flatnonzero(draw.random(models) < 0.1))] = 1 / values  # a model at chance
    knows = draw.random(len(item)) < chance
    other = np.where(draw.random(len(item)) < 0.4, common[item], draw.integers(0, values, len(item)))
    answer = np.where(knows, truth[item], other)
    columns = {
        "item": item,
        "model": model,
        "topic": (item * int(draw.integers(1, 5))) // items if draw.random() < 0.4 else item * 0,
        "repeat": item * 0,
        "answer": answer,
        "truth": truth[item],
        "text": draw.integers(1, 2**50, len(item)),
        "wording": draw.integers(0, 3, len(item)) + 10 * model,
        "sourced": np.ones(len(item)),
        "letter": answer,
        "text_of": answer,
        "stored": np.zeros(len(item)),
    }
    made = Made(shape, columns, bool(draw.random() < 0.5) if long is None else long, values)
    return made.scored(draw)


def whole(draw: Draw) -> Made:
    """A table as logs are: other scorers, gaps, mended keys, a few copies and repeats, rows in any order."""
    made = plain(draw)
    if draw.random() < 0.15:
        made = repeated(made, draw, int(draw.integers(2, 5)))
    few = lambda: draw.random(made.n) < draw.uniform(0, 0.03)  # noqa: E731
    stored = made.stored.copy()
    if draw.random() < 0.4:
        stored = np.where(few(), 1 - stored, stored)
    if draw.random() < 0.25:
        stored[few()] = np.nan
    made = made.with_columns(stored=stored)
    if draw.random() < 0.3:
        made = made.with_columns(sourced=np.where(few() & (draw.random(made.n) < 0.3), 0.0, 1.0))
    if draw.random() < 0.3:
        made = made.with_columns(text_of=np.where(few(), (made.text_of + 1) % made.values, made.text_of))
    if draw.random() < 0.2:
        made = without_truths(made, draw.integers(0, made.n, 2))
    if draw.random() < 0.15 and made.model.max():
        mended = made.item == draw.integers(0, made.item.max() + 1)
        made = made.with_columns(truth=np.where(mended & (made.model == 0), (made.truth + 1) % made.values, made.truth))
    elif not made.missing:
        lost = few() if draw.random() < 0.5 else (made.model == 0) & (made.item > 0.98 * made.item.max())
        made = made.take(np.flatnonzero(~lost | (draw.random() < 0.6)))
        if draw.random() < 0.2:
            made = made.take(np.sort(np.append(np.arange(made.n), draw.integers(0, made.n, 1 + made.n // 200))))
        if draw.random() < 0.3:
            made = made.take(draw.permutation(made.n) if draw.random() < 0.4 else np.argsort(made.item, kind="stable"))
    return replace(made, known=bool(draw.random() < 0.9))


def without_truths(made: Made, rows: np.ndarray) -> Made:
    """The truths of these rows are the word "None", so that no answer is right."""
    kept = ~np.isin(np.arange(made.n), rows)
    scored = made.with_columns(stored=made.stored * kept)
    return replace(scored, missing=tuple(rows.tolist()), rules=tuple(rule & kept for rule in made.rules))


def repeated(made: Made, draw: Draw, times: int) -> Made:
    """The same questions several times, each answered anew; half of them are numbered."""
    rows = np.repeat(np.arange(made.n), times)
    more = made.take(rows)
    numbered = np.tile(np.arange(times), made.n) * int(draw.random() < 0.5)
    anew = np.where(draw.random(more.n) < 0.7, more.answer, draw.integers(0, made.values, more.n))
    more = more.with_columns(
        repeat=numbered, answer=anew, letter=anew, text_of=anew, text=draw.integers(1, 2**50, more.n)
    )
    return more.scored(draw)


def _turned(draw: Draw, **made: Any) -> Made:
    one = plain(draw, right=float(draw.uniform(0.2, 0.9)), models=2, **made)
    rows = one.model >= int(draw.integers(0, 2))
    return one.with_columns(stored=np.where(rows, 1 - one.stored, one.stored))


def _lagged(n: int, draw: Draw, length: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a span, and those whose labels or truths they get."""
    length = min(length, n)
    first, lag = int(draw.integers(0, n - length + 1)), int(draw.choice([-3, -2, -1, 1, 2, 3]))
    rows = np.arange(first, first + length)
    return rows, np.clip(rows + lag, 0, n - 1)


def _shifted_labels(draw: Draw, **made: Any) -> Made:
    one = plain(draw, right=float(draw.uniform(0.3, 0.75)), **made)
    rows, of = _lagged(one.n, draw, int(draw.choice([100, 200, one.n])))
    stored = one.stored.copy()
    stored[rows] = one.stored[of]
    return one.with_columns(stored=stored)


def _shifted_truths(draw: Draw, **made: Any) -> Made:
    shape = made.pop("shape")
    one = plain(draw, "letters" if shape == "yes_no" else shape, right=float(draw.uniform(0.5, 0.9)), long=True, **made)
    many = len(np.unique(one.truth)) >= 20
    rows, of = _lagged(one.n, draw, one.n if not many or draw.random() < 0.5 else 100)
    truth = one.truth.copy()
    truth[rows] = one.truth[of]
    return one.with_columns(truth=truth, item=np.arange(one.n)).scored(draw)


def _two_graders(draw: Draw, **made: Any) -> Made:
    one = plain(draw, right=float(draw.uniform(0.4, 0.8)), models=3, **made)
    rows = (one.model == 1) & (draw.random(one.n) < 0.4) & (one.stored == 1)
    return one.with_columns(stored=np.where(rows, 0.0, one.stored))


def _twice(draw: Draw, **made: Any) -> Made:
    one = plain(draw, long=True, **made)
    size = int(one.n * draw.uniform(0.08, 1))
    first = int(draw.integers(0, one.n - size + 1))
    twice = one.take(np.append(np.arange(one.n), np.arange(first, first + size)))
    return replace(twice, known=bool(draw.random() < 0.7))


def _copied_model(draw: Draw, **made: Any) -> Made:
    one = plain(draw, models=3, long=True, **made)
    items = one.item.max() + 1
    of = np.where(one.model == 2, np.arange(one.n) - items, np.arange(one.n))
    copied = {name: one.columns[name][of] for name in ("answer", "text", "letter", "text_of", "wording")}
    return one.with_columns(**copied).scored(draw)


def _truths_differ(draw: Draw, **made: Any) -> Made:
    one = plain(draw, models=2, **made)
    items = one.item.max() + 1
    chosen = np.isin(one.item, draw.choice(items, max(4, int(0.06 * items)), replace=False)) & (one.model == 1)
    return one.with_columns(truth=np.where(chosen, (one.truth + 1) % one.values, one.truth)).scored(draw)


def _truths_missing(draw: Draw, **made: Any) -> Made:
    one = plain(draw, **made)
    return without_truths(one, np.flatnonzero(draw.random(one.n) < 0.1))


def _one_truth(draw: Draw, **made: Any) -> Made:
    one = plain(draw, **made)
    rare = draw.random(one.item.max() + 1) < 0.04
    return one.with_columns(truth=np.where(rare[one.item], one.truth, 0)).scored(draw)


def _one_label(draw: Draw, **made: Any) -> Made:
    one = plain(draw, right=0.6, **made)
    return one.with_columns(stored=np.full(one.n, float(draw.random() < 0.5)))


def _uneven(draw: Draw, **made: Any) -> Made:
    one = plain(draw, models=3, **made)
    wrong = np.bincount(one.item, one.stored < 1)
    hardest = np.argsort(-wrong, kind="stable")[: int(0.25 * len(wrong))]
    return one.take(np.flatnonzero(~((one.model == 2) & np.isin(one.item, hardest))))


def _unsourced(draw: Draw, **made: Any) -> Made:
    shape = made.pop("shape")
    one = plain(draw, "letters" if shape == "names" else shape, models=1, **made)
    return one.with_columns(sourced=np.where(draw.random(one.n) < draw.uniform(0.06, 0.3), 0.0, 1.0))


def _permuted(draw: Draw, **made: Any) -> Made:
    made.pop("shape")
    one = plain(draw, "letters", **made)
    rows = one.model >= int(draw.integers(0, one.model.max() + 1))
    return one.with_columns(text_of=np.where(rows, draw.integers(0, one.values, one.n), one.letter))


def _no_skill(draw: Draw, **made: Any) -> Made:
    shape = made.pop("shape")
    shape = "letters" if shape == "yes_no" else shape
    one = plain(draw, shape, models=2, right=float(draw.uniform(0.6, 0.9)), **made)
    truth, last = one.truth.copy(), one.model == 1
    truth[last] = draw.permutation(truth[last])
    return one.with_columns(truth=truth).scored(draw)


PLANTED: Mapping[str, Callable[..., Made]] = {
    "truths_missing": _truths_missing,
    "truths_differ": _truths_differ,
    "one_truth": _one_truth,
    "one_label": _one_label,
    "rows_twice": _twice,
    "cell_twice": _copied_model,
    "items_uneven": _uneven,
    "labels_inverted": _turned,
    "labels_shifted": _shifted_labels,
    "truths_shifted": _shifted_truths,
    "graders_mixed": _two_graders,
    "answers_unsourced": _unsourced,
    "options_permuted": _permuted,
    "cell_no_skill": _no_skill,
}


def planted(kind: str, number: int, seed: int = 0) -> Iterator[Made]:
    """So many tables with a fault of a kind: of every shape, of 400 to 2,000 rows."""
    for i in range(number):
        draw = np.random.default_rng([seed, list(PLANTED).index(kind), i])
        yield PLANTED[kind](draw, shape=SHAPES[i % 4], rows=(400, 800, 2_000)[i % 3])


def whole_tables(number: int, seed: int = 0) -> Iterator[Made]:
    for i in range(number):
        yield whole(np.random.default_rng([seed, 99, i]))
