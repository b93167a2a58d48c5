"""Tables with a column of numbers for each rater, of more different ones than labels have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from auditfw.audits.consistency.conclusions.scale import is_number
from auditfw.audits.consistency.rules import as_label
from auditfw.components.files.looks.column_names import plain, values_at
from auditfw.kinds.first_look import FirstLook

from .judged_names import ITEMS, OTHER_WORDS, RATER_WORDS
from .judged_tables import DIGITS, ENOUGH, FEWEST, JudgedTable, is_label, own_words, table_of

LARGEST = 100.0  # of scores: columns of other numbers must be called as raters are
ALIKE = 0.5  # the concordance of two raters, at least


def numbers_table(look: FirstLook) -> JudgedTable | None:
    """Columns that are called as raters are, else whose scores from 0 to 100 are nearly those of the first of them."""
    numbers: dict[str, list[float]] = {}
    for name in look.columns:
        odd = set(name) & set('[]{}#"') or plain(name) in ITEMS or own_words(name) & OTHER_WORDS
        column = None if odd else _numbers(values_at(look.records, look.columns, name))
        if column is not None:
            numbers[name] = column
    group = [name for name in numbers if own_words(name) & RATER_WORDS]
    group = group if len(group) >= FEWEST else _alike(numbers)
    different = {x for name in group for x in numbers[name] if math.isfinite(x)}
    apart = len(group) >= FEWEST and len(different) > DIGITS
    return replace(table_of(look, group), sure=False) if apart else None  # they may be two measurements of anything


def _numbers(values: Sequence[object]) -> list[float] | None:
    """A column of numbers, NaN where there is none; None for one of other things, and for one that counts the rows."""
    texts = [as_label(one).strip() if is_label(one) else "" for one in values]
    there = [float(text) for text in texts if is_number(text)]
    plain_ones = len(there) == sum(map(bool, texts)) and not any(isinstance(one, dict | list) for one in values)
    counter = all(one < other for one, other in pairwise(there))
    return [float(text) if text else math.nan for text in texts] if plain_ones and not counter else None


def _alike(numbers: Mapping[str, Sequence[float]]) -> list[str]:
    """Of the columns of scores those that are nearly the first of them."""
    import numpy as np

    from auditfw.formulas.judges.scales import concordance

    held = {name: np.array(column) for name, column in numbers.items()}
    scores = [name for name, x in held.items() if np.nanmin(x) >= 0 and np.nanmax(x) <= LARGEST]
    group = scores[:1]
    for name in scores[1:]:
        both = np.isfinite(held[scores[0]]) & np.isfinite(held[name])
        if both.sum() >= ENOUGH and concordance(held[scores[0]][both], held[name][both]).value >= ALIKE:
            group.append(name)
    return group
