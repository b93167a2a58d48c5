"""The draw for the probe: whole items by rank, the same whatever the batches and the processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from auditfw.audits.parsing.probe import draw as module
from auditfw.audits.parsing.probe.draw import DrawSieve, ProbeDraw, ProbedTrial, bar, each_of, hashes

Pair = tuple[str, str, int]  # item, id, characters


def rows(trials: Sequence[Pair], low: dict[str, int]) -> list[tuple[object, ...]]:
    kept = [(item, name, n) for item, name, n in trials if item in low]
    orders = hashes([name for _, name, _ in kept], 7)
    return [
        tuple(ProbedTrial(low[item], item, order, name, (), "t", 1, "x" * n, None))
        for (item, name, n), order in zip(kept, orders, strict=True)
    ]


def draw(batches: Sequence[Sequence[Pair]], limit: int, processes: int = 1) -> list[ProbedTrial]:
    """The draw from batches, each worked on by one of the processes in turn."""
    sieves, whole = [DrawSieve(limit) for _ in range(processes)], ProbeDraw(limit)
    for number, batch in enumerate(batches):
        sieve = sieves[number % processes]
        whole.take(sieve.of(rows(batch, sieve.low([item for item, _, _ in batch], 7))))
    return whole.trials()


def test_the_ranks_are_of_seed_and_name() -> None:
    [first, second] = hashes(["a", "b"], 7)
    assert first != second
    assert hashes(["a", "\ud800"], 7) == [first, hashes(["?"], 7)[0]]
    assert hashes(["a"], 8) != [first]


def test_names_that_follow_each_other_are_drawn_in_no_order_of_their_own() -> None:
    """Of numbered items every fourth has the same letter: in the draw its next one has it by chance alone."""
    names = [str(i) for i in range(1, 401)]
    for seed in range(20):
        order = [int(name) for _, name in sorted(zip(hashes(names, seed), names, strict=True))]
        alike = sum(a % 4 == b % 4 for a, b in pairwise(order))
        assert 60 <= alike <= 140  # 100 are expected, of a standard deviation of 8.7


SIZES = {(1, "a"): (3, 10), (1, "b"): (4, 10), (5, "a"): (1, 10)}


@pytest.mark.parametrize(("limit", "end"), [(8, None), (7, (5, "a")), (6, (1, "b")), (3, (1, "b")), (2, (1, "b"))])
def test_the_bar(limit: int, end: tuple[int, str] | None) -> None:
    """The first item that goes beyond the limit, never the first of all."""
    assert bar(SIZES, limit) == end


def test_the_bar_by_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHARACTERS", 70)
    assert bar(SIZES, 100) == (5, "a")
    monkeypatch.setattr(module, "CHARACTERS", 69)
    assert bar(SIZES, 100) == (1, "b")
    monkeypatch.setattr(module, "CHARACTERS", 1)
    assert bar(SIZES, 100) == (1, "b")


def test_whole_items_by_rank() -> None:
    trials = [(f"item {i}", f"{i}-{j}", 5) for i in range(100) for j in range(3)]
    drawn = draw([trials], limit=200)
    ranks = dict(zip([f"item {i}" for i in range(100)], hashes([f"item {i}" for i in range(100)], 7), strict=True))
    first = sorted(ranks, key=lambda name: (ranks[name], name))[:66]
    assert [trial.item for trial in drawn] == [name for name in first for _ in range(3)]
    assert len({trial.id for trial in drawn}) == 198


def test_a_large_item_gives_a_part() -> None:
    """Of each item at most a twentieth of the draw: those of lowest rank by their ids."""
    trials = [("large", f"{j}", 5) for j in range(50)] + [("small", "s", 5)]
    drawn = draw([trials], limit=100)
    assert Counter(trial.item for trial in drawn) == {"large": each_of(100), "small": 1}
    assert each_of(100) == 5
    assert each_of(1) == 1
    orders = sorted(hashes([f"{j}" for j in range(50)], 7))
    assert [trial.order for trial in drawn if trial.item == "large"] == orders[:5]


TRIALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), min_size=1, max_size=80)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TRIALS, st.integers(1, 60), st.integers(1, 25), st.integers(1, 3), st.sampled_from([60, 400, 10**9]))
@example([*[(0, 0)] * 7, (0, 8), (1, 0), (1, 8), (2, 0), (2, 4), (3, 0), (4, 5), (3, 8)], 56, 1, 1, 60)
def test_the_same_for_any_batches_and_processes(
    pairs: list[tuple[int, int]], limit: int, size: int, processes: int, characters: int
) -> None:
    trials = [(f"i{item}", f"{at}", n) for at, (item, n) in enumerate(pairs)]
    batches = [trials[at : at + size] for at in range(0, len(trials), size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHARACTERS", characters)
        patch.setattr(module, "PRUNED_FROM", 10)
        patch.setattr(module, "PRUNED_CHARACTERS", 40)
        patch.setattr(module, "NAMES_KEPT", 5)
        whole = draw([trials], limit)
        assert draw(batches, limit, processes) == whole
        assert draw(list(reversed(batches)), limit, processes) == whole
    kept = Counter(trial.item for trial in whole)
    sizes = Counter(item for item, _, _ in trials)
    assert all(n == min(each_of(limit), sizes[item]) for item, n in kept.items())
    assert sum(kept.values()) <= limit or len(kept) == 1


def test_a_text_that_is_there_twice_counts_once() -> None:
    """The most characters of a trial of each item, of the raw and the stored text together."""
    sieve, text = DrawSieve(100), "x" * 5
    sieve.low(["a", "b", "c"], 7)
    texts = [("a", text, "y" * 3), ("a", "x", None), ("b", text, text), ("c", None, "")]
    batch = sieve.of([tuple(ProbedTrial(1, item, 1, "1", (), "t", 1, raw, parsed)) for item, raw, parsed in texts])
    assert {name: most for (_, name), most in batch.longest.items()} == {"a": 8, "b": 5, "c": 0}
    assert batch.characters == 2 * 8 + 5


def test_a_copy_of_a_draw_goes_on_apart() -> None:
    low, first = {"a": 3, "b": 1}, ProbeDraw(2)
    first.take(module.ProbeRows(rows([("b", "2", 9)], low), {(1, "b"): 9}))
    apart = first.copy()
    apart.take(module.ProbeRows(rows([("a", "1", 4)], low), {(3, "a"): 4}))
    assert [[one.item for one in draw.trials()] for draw in (first, apart)] == [["b"], ["b", "a"]]
