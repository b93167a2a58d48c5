"""Best-first search for programs: transforms of the grid, then at most one table over the cells of the output."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from .boards import Board, Grid
from .features import ABSOLUTE
from .frames import Canvas, Frame, frames
from .parting import part_transforms
from .patterns import pattern_transforms
from .tables import Codes, Fitting, Verdict, compact, crossed
from .transforms import plain_transforms

TRANSFORMS = {**plain_transforms(), **pattern_transforms(), **part_transforms()}
TRANSFORM_SECONDS, PLANE_SECONDS, JUDGE_SECONDS, CELL_SECONDS = 15e-6, 25e-6, 35e-6, 0.05e-6
DEEPEST = 3
KEPT_PAIRS, KEPT_TRIPLES = 24, 12


@dataclass(frozen=True)
class Candidate:
    """A program with how far it misses the training outputs (0: not at all) and how plain it is (lower is plainer)."""

    program: str
    miss: float
    cost: float
    grids: Callable[[], list[Grid | None]]
    origin: str

    @property
    def rank(self) -> tuple[float, float, str]:
        return self.miss, self.cost, self.program


@dataclass(frozen=True)
class State:
    """The inputs after some transforms."""

    steps: tuple[str, ...]
    boards: tuple[Board, ...]
    cost: float

    @property
    def name(self) -> str:
        return "; ".join(self.steps) or "the grid"


@dataclass
class Laid:
    """A frame over a state, with its features as codes, made when first used."""

    state: State
    frame: Frame
    fitting: Fitting
    value_names: list[str]
    feature_names: list[str]
    pairs: np.ndarray
    codes: dict[str, Codes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.state.name} | {self.frame.name}"


class Search:
    """The search on one task; `step` does one job, and the best programs found so far are `found`."""

    def __init__(self, inputs: Sequence[Grid], outputs: Sequence[Grid]) -> None:
        self.outputs = outputs
        self.wanted = [grid.shape for grid in outputs]
        self.work = 0.0
        self.found: dict[str, Candidate] = {}
        self.favoured: dict[str, float] = {}
        self._jobs: list[tuple[float, int, str, Callable[[], None]]] = []
        self._count = 0
        self._seen: set[bytes] = set()
        self._take(State((), tuple(Board(grid) for grid in inputs), 0.0))

    def step(self) -> bool:
        """Does the cheapest job. False when none is left."""
        if not self._jobs:
            return False
        heapq.heappop(self._jobs)[3]()
        return True

    def favour(self, origin: str, bonus: float) -> None:
        """Brings forward all jobs that build on the state a program came from."""
        if self.favoured.get(origin, 0.0) >= bonus:
            return
        self.favoured[origin] = bonus
        jobs = [(cost - bonus if of == origin else cost, n, of, job) for cost, n, of, job in self._jobs]
        heapq.heapify(jobs)
        self._jobs = jobs

    def _add(self, cost: float, origin: str, job: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._jobs, (cost - self.favoured.get(origin, 0.0), self._count, origin, job))

    def _note(self, candidate: Candidate) -> None:
        held = self.found.get(candidate.program)
        if held is None or candidate.rank < held.rank:
            self.found[candidate.program] = candidate

    def _take(self, state: State) -> None:
        """A new state: a candidate itself, to be expanded and to be laid under frames."""
        trained = [board.grid for board in state.boards[: len(self.outputs)]]
        fits = [_likeness(grid, wanted) for grid, wanted in zip(trained, self.outputs, strict=True)]
        miss = 1 - reduce(add, fits) / len(fits)  # from left to right: ties are broken by the last digit
        if state.steps and any(fits):
            grids: list[Grid | None] = [board.grid for board in state.boards]
            self._note(Candidate(state.name, miss, state.cost, partial(_given, grids), state.name))
        shapes = sum(grid.shape == wanted for grid, wanted in zip(trained, self.wanted, strict=True)) / len(fits)
        nearness = 0.5 * (1 - miss) + 0.5 * shapes
        if miss == 0:
            return
        depth = len(state.steps)
        if depth < DEEPEST:
            self._add(2.4 * depth + state.cost - 1.2 * nearness * (depth > 0), state.name, partial(self._expand, state))
        self._add(1.0 + 2.0 * depth + state.cost - nearness * (depth > 0), state.name, partial(self._lay, state))

    def _expand(self, state: State) -> None:
        for place, (name, transform) in enumerate(TRANSFORMS.items()):
            candidates = []
            for board in state.boards:
                before = board.work
                grid = transform(board)
                self.work += TRANSFORM_SECONDS + board.work - before
                if grid is None or not grid.size or max(grid.shape) > 64:
                    break
                candidates.append(np.ascontiguousarray(grid, dtype=np.int8))
            if len(candidates) < len(state.boards):
                continue
            key = b"|".join(bytes(grid.shape) + grid.tobytes() for grid in candidates)
            if key not in self._seen and not _all_flat(candidates, self.outputs):
                self._seen.add(key)
                cost = state.cost + 0.2 + 0.002 * place
                self._take(State((*state.steps, name), tuple(Board(grid) for grid in candidates), cost))

    def _lay(self, state: State) -> None:
        for number, frame in enumerate(frames(state.boards, self.wanted)):
            laid = self._laid(state, frame)
            start = 1.5 + 2.0 * len(state.steps) + state.cost + 0.1 * number
            self._add(start, state.name, partial(self._singles, laid, start))

    def _laid(self, state: State, frame: Frame) -> Laid:
        trained = frame.canvases[: len(self.outputs)]
        names = [name for name in trained[0].values if all(name in canvas.values for canvas in frame.canvases)][:64]
        matches = []
        for canvas, wanted in zip(trained, self.outputs, strict=True):
            bits = np.zeros(wanted.size, dtype=np.uint64)
            for place, name in enumerate(names):
                self.work += PLANE_SECONDS
                bits |= (canvas.values[name]().ravel() == wanted.ravel()).astype(np.uint64) << np.uint64(place)
            matches.append(bits)
        pairs = np.concatenate([np.full(grid.size, n, dtype=np.int16) for n, grid in enumerate(self.outputs)])
        features = [name for name in trained[0].features if all(name in canvas.features for canvas in frame.canvases)]
        fitting = Fitting(np.concatenate(matches), pairs)
        return Laid(state, frame, fitting, names, features, pairs)

    def _codes(self, laid: Laid, name: str) -> Codes:
        if name not in laid.codes:
            planes = [canvas.features[name]().ravel() for canvas in laid.frame.canvases]
            self.work += PLANE_SECONDS * len(planes) + CELL_SECONDS * sum(map(len, planes))
            laid.codes[name] = compact(np.concatenate(planes))
        return laid.codes[name]

    def _singles(self, laid: Laid, cost: float) -> None:
        judged = self._try(laid, ((name,) for name in laid.feature_names), None)
        self._go_on(laid, judged, cost, KEPT_PAIRS)

    def _try(self, laid: Laid, sets: Iterable[tuple[str, ...]], base: Codes | None) -> list[tuple[Verdict, Any, Codes]]:
        judged: list[tuple[Verdict, Any, Codes]] = []
        known: set[tuple[int, int, int]] = set()
        for names in sets:
            codes = self._codes(laid, names[-1])
            if codes.count < 2 and len(laid.feature_names) > 1 and names[-1] != laid.feature_names[0]:
                continue
            joint = codes if base is None else crossed(base, codes)
            if joint is None:
                continue
            self.work += JUDGE_SECONDS + CELL_SECONDS * len(laid.pairs)
            verdict = laid.fitting.judge(joint)
            same = (verdict.unexplained, verdict.classes, verdict.lonely)
            if same in known and verdict.unexplained:
                continue
            known.add(same)
            judged.append((verdict, names, joint))
            if not verdict.unexplained:
                self._note(self._candidate(laid, names, joint, verdict))
        judged.sort(key=lambda item: (item[0].unexplained, item[0].classes))
        if judged and judged[0][0].unexplained:
            self._note(self._candidate(laid, judged[0][1], judged[0][2], judged[0][0]))
        return judged

    def _go_on(self, laid: Laid, judged: list[tuple[Verdict, Any, Codes]], cost: float, kept: int) -> None:
        """More features on top of the best so far."""
        if not judged or not judged[0][0].unexplained:
            return
        total = len(laid.pairs)
        for place, (verdict, names, joint) in enumerate(judged[:kept]):
            if len(names) < 3 and verdict.classes < 400:
                price = cost + 0.8 + 2.0 * verdict.unexplained / total + 0.03 * place
                self._add(price, laid.state.name, partial(self._further, laid, names, joint, price))

    def _further(self, laid: Laid, names: tuple[str, ...], base: Codes, cost: float) -> None:
        sets = ((*names, other) for other in laid.feature_names if other not in names)
        self._go_on(laid, self._try(laid, sets, base), cost, KEPT_TRIPLES if len(names) == 1 else 0)

    def _candidate(self, laid: Laid, names: tuple[str, ...], codes: Codes, verdict: Verdict) -> Candidate:
        total = len(laid.pairs)
        tested = max(len(codes.values) - total, 1)
        plain = reduce(add, (0.004 * laid.feature_names.index(name) + (name in ABSOLUTE) for name in names))
        risk = 4.0 * verdict.unseen / tested + 3.0 * verdict.lonely / total
        cost = laid.state.cost + 1.0 + 0.5 * len(names) + plain + 0.02 * verdict.classes + risk
        program = f"{laid.name} by {', '.join(names)}"
        miss = verdict.unexplained / total
        return Candidate(program, miss, cost, partial(_painted, laid, codes), laid.state.name)


def _given(grids: list[Grid | None]) -> list[Grid | None]:
    return grids


def _painted(laid: Laid, codes: Codes) -> list[Grid | None]:
    """The outputs of a table learnt from the training cells."""
    table = laid.fitting.learn(codes, range(len(laid.value_names)))
    grids: list[Grid | None] = []
    at = 0
    for canvas in laid.frame.canvases:
        size = canvas.shape[0] * canvas.shape[1]
        chosen = table[codes.values[at : at + size]]
        grids.append(_coloured(canvas, laid.value_names, chosen))
        at += size
    return grids


def _coloured(canvas: Canvas, names: list[str], chosen: np.ndarray) -> Grid:
    flat = np.zeros(len(chosen), dtype=np.int8)
    for value in np.unique(chosen):
        cells = chosen == value
        flat[cells] = np.maximum(canvas.values[names[value]]().ravel()[cells], 0)
    return flat.reshape(canvas.shape)


def _likeness(grid: Grid, wanted: Grid) -> float:
    return float((grid == wanted).mean()) if grid.shape == wanted.shape else 0.0


def _all_flat(made: Sequence[Grid], outputs: Sequence[Grid]) -> bool:
    """Every grid of one colour, where that is not what is wanted."""
    return all(map(_flat, made[: len(outputs)])) and not all(map(_flat, outputs))


def _flat(grid: Grid) -> bool:
    return bool((grid == grid[0, 0]).all())
