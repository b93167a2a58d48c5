"""The draw of trials for people: classes, rounds, order and keys, by hand and by law."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.adjudication.draw import CellClasses, DrawRows, distinct, draw, keys_of, pages, sizes
from auditfw.core.sampling import ranks, trial_key

LABEL = st.sampled_from([1, 1, 1, 0, 0, -1])
TRIALS = st.lists(st.tuples(st.sampled_from(["a", "b"]), LABEL, LABEL), min_size=12, max_size=120)


def rows_of(trials: list[tuple[str, int, int]]) -> DrawRows:
    cells, first, second = zip(*trials, strict=True)
    labels = {"stored": np.array(first, np.int8), "v1": np.array(second, np.int8)}
    return DrawRows([f"t{i}" for i in range(len(trials))], [(cell,) for cell in cells], labels)


def test_readings_that_say_the_same_are_there_once() -> None:
    a, b, c = (np.array(labels, np.int8) for labels in ([1, 0, -1], [1, 0, 0], [1, 0, -1]))
    assert list(distinct({"a": a, "b": b, "c": c})) == ["a", "b"]


def test_the_classes_of_each_cell() -> None:
    rows = rows_of([("b", 1, 1), ("a", 0, 0), ("a", 1, 0), ("a", 0, 1), ("a", -1, -1), ("b", -1, 1)])
    groups = sizes(rows, rows.classes())
    assert groups == [CellClasses(("a",), (0, 1, 1, 1), (0,) * 4), CellClasses(("b",), (2, 0, 0, 0), (0,) * 4)]


def test_cells_are_in_order_of_numbers_and_of_texts() -> None:
    cells = [(10,), (9,), ("b",), (None,), ("a",), (True,), (2.5,)]
    rows = DrawRows([str(i) for i in range(7)], list(cells), {"stored": np.ones(7, np.int8)})
    assert [group.cell for group in sizes(rows, rows.classes())] == [
        (True,),
        (2.5,),
        (9,),
        (10,),
        ("a",),
        ("b",),
        (None,),
    ]


def test_trials_that_all_rank_high_are_drawn_too() -> None:
    """Few of their ranks are as low as those of the first 20 of 200 are as a rule."""
    by_rank = sorted((f"t{i}" for i in range(3_000)), key=ranks(7, "label"))
    ids = [*by_rank[:10], *by_rank[-190:]]
    rows = DrawRows(ids[::-1], [()] * 200, {"stored": np.ones(200, np.int8)})
    _, drawn = draw(rows, sizes(rows, rows.classes()), 20, 7)
    assert {rows.ids[one.row] for one in drawn} == {*ids[:20]}


def test_which_and_in_which_order() -> None:
    """Of 40 right trials the first by the rank of the draw `label`; on the page by (t - v)/n."""
    rows = DrawRows([f"t{i}" for i in range(40)], [()] * 40, {"stored": np.ones(40, np.int8)})

    def rank(name: str, trial: str) -> bytes:
        return blake2b(f"7\0{name}\0{trial}".encode(), digest_size=8).digest()

    chosen = sorted(rows.ids, key=lambda trial: rank("label", trial))[:10]
    placed = {t: (n - int.from_bytes(rank("page", t), "big") / 2**64) / 10 for n, t in enumerate(chosen, 1)}
    groups, drawn = draw(rows, sizes(rows, rows.classes()), 10, 7)
    assert groups == [CellClasses((), (40, 0, 0, 0), (10, 0, 0, 0))]
    assert [rows.ids[one.row] for one in drawn] == sorted(chosen, key=lambda trial: placed[trial])
    assert [one.position for one in drawn] == list(range(10))


@settings(max_examples=examples(120))
@given(TRIALS, st.integers(16, 40), st.integers(0, 40), st.integers(0, 5))
def test_laws(trials: list[tuple[str, int, int]], n: int, more: int, seed: int) -> None:
    """Two cells of at least eight labels each, or of all their trials."""
    rows = rows_of(trials)
    none = sizes(rows, rows.classes())
    there = sum(sum(group.trials) for group in none)
    first, drawn = draw(rows, none, n, seed)
    second, further = draw(rows, first, more, seed)
    longer, all_at_once = draw(rows, none, n + more, seed)
    assert len(drawn) == min(n, there)
    assert len({one.row for one in [*drawn, *further]}) == len(drawn) + len(further) == min(n + more, there)
    assert {one.row for one in drawn} <= {one.row for one in all_at_once}
    assert sum(sum(group.drawn) for group in second) == sum(sum(group.drawn) for group in longer)
    for number, group in enumerate(first):
        for kind in range(4):
            members = [one for one in drawn if (one.cell, one.kind) == (number, kind)]
            assert len(members) == group.drawn[kind]
            for one in members:
                assert (rows.cells[one.row], rows.classes()[one.row]) == (group.cell, kind)
    for end in range(len(drawn)):
        for number, group in enumerate(first):
            for kind in range(4):
                part = sum((one.cell, one.kind) == (number, kind) for one in drawn[:end])
                assert abs(part - end * group.drawn[kind] / len(drawn)) <= 3


def test_keys_are_those_of_the_gallery_and_longer_where_two_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = ["x", "claude/é", "\ud800"]
    assert keys_of(ids, 3) == [trial_key(3, name) for name in ids]
    monkeypatch.setattr("auditfw.audits.adjudication.draw.SHORT_KEY", 0)
    assert [len(key) for key in keys_of(ids, 3)] == [16, 16, 16]
    assert [len(key) for key in keys_of(["x"], 3)] == [1]


def test_several_people() -> None:
    rows = DrawRows([f"t{i}" for i in range(30)], [()] * 30, {"stored": np.ones(30, np.int8)})
    _, drawn = draw(rows, sizes(rows, rows.classes()), 10, 0)
    first, second, third = pages(drawn, 3, 4)
    assert first[:4] == second[:4] == third[:4] == drawn[:4]
    assert [one[4:] for one in (first, second, third)] == [
        [drawn[4], drawn[7]],
        [drawn[5], drawn[8]],
        [drawn[6], drawn[9]],
    ]
    assert pages(drawn, 1, 0) == [drawn]
