"""Studies of raters made of numbers: healthy ones, with the oddities of real files, and such with one fault planted.

A rater's label is its confusion of the truth of an item, or where it puts the item on a line; truths come at random, in
order, in blocks, or each near the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from auditfw.formulas.judges.placeholders import RatedItems

Draw = np.random.Generator
WORDS = (["no", "yes"], ["bad", "fair", "good"], ["A", "B", "tie"], ["N/A", "anger", "joy", "sadness"], list("abcdefg"))
SCALES = ((1, 5), (1, 7), (0, 3), (1, 10), (-2, 2), (0, 100))


@dataclass
class Study:
    """Labels (raters × items, "" for none), who is the reference, which items are trials of one."""

    labels: np.ndarray
    reference: int | None = 0
    groups: np.ndarray | None = None
    declared: tuple[str, ...] = ()

    def rated(self) -> RatedItems:
        names = sorted(set(self.labels.ravel().tolist()) - {""})
        codes = np.searchsorted(np.array([*names, "\U0010ffff"]), self.labels)
        return RatedItems(names, np.where(self.labels == "", -1, codes).astype(np.int16), self.reference, self.groups)


def _along(draw: Draw, values: np.ndarray, order: float) -> np.ndarray:
    """Values in order, in blocks, or as they come."""
    if order < 0.1:
        return np.sort(values)
    if order < 0.25:
        blocks = np.array_split(np.sort(values), max(2, len(values) // 10))
        return np.concatenate([blocks[i] for i in draw.permutation(len(blocks))])
    return values


def _words(draw: Draw, raters: int, items: int, skill: np.ndarray, order: float) -> np.ndarray:
    names = WORDS[draw.integers(len(WORDS))]
    shares = 0.9 * draw.dirichlet(np.full(len(names), draw.choice([1.0, 4.0]))) + 0.1 / len(names)
    truth = _along(draw, draw.choice(len(names), items, p=shares), order)
    hard = draw.beta(1, 4, items)
    labels = np.empty((raters, items), dtype="<U12")
    for rater in range(raters):
        confused = draw.dirichlet(np.full(len(names), 0.8), len(names)).cumsum(1)
        wrong = (draw.random((items, 1)) > confused[truth] / confused[truth, -1:]).sum(1)
        right = draw.random(items) < skill[rater] + 0.1 - 0.5 * hard
        labels[rater] = np.array(names)[np.where(right, truth, np.minimum(wrong, len(names) - 1))]
    return labels


def _numbers(draw: Draw, raters: int, items: int, skill: np.ndarray, order: float) -> np.ndarray:
    low, high = SCALES[draw.integers(len(SCALES))]
    near = draw.uniform(0, 0.6) if draw.random() < 0.2 else 0.0  # each near the one before
    steps = draw.normal(0, 1, items)
    line = np.empty(items)
    for item in range(items):
        line[item] = near * line[item - 1] + np.sqrt(1 - near**2) * steps[item] if item else steps[item]
    line = _along(draw, line, order)
    labels = np.empty((raters, items), dtype="<U12")
    for rater in range(raters):
        noise = draw.normal(0, 1, items) * np.sqrt(1 / skill[rater] - 1)
        size = (high - low) / draw.uniform(3.5, 4.5)
        at = (high + low) / 2 + size * (line + noise + draw.uniform(-0.3, 0.3))
        labels[rater] = [f"{x:g}" for x in np.clip(np.round(at), low, high) + 0.0]
    return labels


def healthy(draw: Draw, items: int = 0, skill: float = 0.0, numbers: bool | None = None, calm: bool = False) -> Study:
    """A study without a fault; a `calm` one is in no order and has no oddities."""
    raters = int(draw.choice([2, 2, 3, 4, 6, 12, 30] if not calm else [2, 2, 3, 5]))
    n = items or int(draw.choice([12, 25, 50, 100, 250, 800]))
    each = np.clip((skill or draw.uniform(0.45, 0.97)) + draw.normal(0, 0.04, raters), 0.2, 0.99)
    order = 1.0 if calm else draw.random()
    made = _numbers if (draw.random() < 0.5 if numbers is None else numbers) else _words
    labels = made(draw, raters, n, each, order)
    reference = 0 if draw.random() < 0.7 else None
    if calm:
        return Study(labels, reference)
    odd = draw.uniform(0, 0.03)
    labels[draw.random(labels.shape) < draw.choice([0, 0.05, 0.25])] = ""
    if draw.random() < 0.3:  # a tired rater
        start, size = int(draw.integers(n)), max(2, int(2 * odd * n))
        labels[draw.integers(raters), start : start + size] = labels[0, start]
    if draw.random() < 0.2:  # slips of a program
        labels[(draw.random(labels.shape) < min(odd, 0.005)) & (labels != "")] = "None"
    if draw.random() < 0.2:  # a poor rater
        labels[-1] = draw.permutation(labels[-1])
    groups = None
    if draw.random() < 0.2:  # several trials of an item, beside each other or one run after the other
        times = int(draw.integers(2, 6))
        picked = np.arange(n * times) // times if draw.random() < 0.5 else np.tile(np.arange(n), times)
        again = draw.random((raters, len(picked))) < 0.15
        groups = picked
        labels = np.where(again, labels[:, draw.permutation(picked)], labels[:, picked])
    return Study(labels, reference, groups)


def shifted(draw: Draw, items: int = 200, stretch: bool = False) -> Study:
    """The labels of the last rater stand one to three rows too late or too early: all, or of 60 to 120 items."""
    study = healthy(draw, items, draw.uniform(0.85, 0.97), calm=True)
    lag = int(draw.choice([-3, -2, -1, 1, 2, 3]))
    size = min(items, int(draw.integers(60, 120))) if stretch else items
    start = int(draw.integers(0, items - size + 1))
    part = study.labels[-1, start : start + size]
    study.labels[-1, start : start + size] = np.roll(part, lag)
    return study


def scaled(draw: Draw, items: int = 60) -> Study:
    """The numbers of the last rater are a multiple of the others'; of a scale about 0 twice as much is too near."""
    study = healthy(draw, items, draw.uniform(0.85, 0.97), numbers=True, calm=True)
    while "-1" in study.labels:
        study = healthy(draw, items, draw.uniform(0.85, 0.97), numbers=True, calm=True)
    factor = float(draw.choice([10, 100, 0.1, 0.01, 2, 0.5]))
    study.labels[-1] = [f"{float(x) * factor:.10g}" for x in study.labels[-1]]
    return study


def reversed_scale(draw: Draw, items: int = 200) -> Study:
    study = healthy(draw, items, draw.uniform(0.85, 0.97), numbers=True, calm=True)
    numbers = study.labels.astype(float)
    study.labels[-1] = [f"{numbers.max() + numbers.min() - x + 0.0:g}" for x in numbers[-1]]
    return study


def with_placeholders(draw: Draw, items: int = 200) -> Study:
    """From 3 to 20 % of all labels, or more of one rater's, are a program's word for none."""
    study = healthy(draw, items, draw.uniform(0.7, 0.97), calm=True)
    word = str(draw.choice(["None", "nan", "null", "NULL", "undefined"]))
    rows = draw.random(study.labels.shape) < draw.uniform(0.03, 0.2)
    if draw.random() < 0.5:
        rows[:-1] = False
        rows[-1] = draw.random(items) < draw.uniform(0.03, 0.2) * len(rows)
    study.labels[rows] = word
    return study


def two_faults(draw: Draw, items: int = 300) -> Study:
    """Shifted labels with placeholders among them."""
    study = shifted(draw, items)
    study.labels[draw.random(study.labels.shape) < 0.06] = "None"
    return study


def studies(made: Callable[[Draw], Study], n: int, seed: int = 0) -> Iterator[Study]:
    for i in range(n):
        yield made(np.random.default_rng([seed, i]))
