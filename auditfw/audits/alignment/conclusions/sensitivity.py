"""How sensitive each outcome is to the parameters, beside the score: Sobol indices, or importance in a forest.

First-order and total indices are SALib's (Herman and Usher 2017, J. Open Source Softw. 2), from a design of Saltelli
2010 (Comput. Phys. Commun. 181). Of other scenarios a random forest is fitted by scikit-learn, and the importance of a
parameter is how much R² falls where it is permuted among held-out scenarios (Breiman 2001, Mach. Learn. 45).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.audits.alignment.actual import SCORED
from auditfw.audits.alignment.intended import Floats
from auditfw.audits.alignment.scenario_sample import Drawn
from auditfw.audits.alignment.trials import stream
from auditfw.core.digits import fixed
from auditfw.core.document import Block, Note, Section, Table, some
from auditfw.core.errors import UsageError
from auditfw.core.imports import np
from auditfw.formulas.alignment import is_finite

MOST = 100_000  # scenarios that are kept for this
FITTED = 5_000  # at most so many fit a forest
LEAST = 20
TREES, REPEATS = 200, 10
SCORE = "(score)"
PACKAGES = {"SALib": "SALib", "scikit-learn": "sklearn"}


@dataclass(frozen=True)
class ParameterIndex:
    """One parameter of one outcome: its first-order and total index with half their intervals, or its importance."""

    name: str
    total: float
    total_half: float = 0.0
    first: float | None = None
    first_half: float = 0.0


@dataclass(frozen=True)
class OutcomeSensitivity:
    """One outcome, or the score: its parameters, the most important first; `explained` is R² where a forest is used."""

    name: str
    parameters: Sequence[ParameterIndex]
    explained: float | None = None


@dataclass(frozen=True)
class Design:
    """A design of Saltelli: rows in blocks of a point, its mixtures with another, and that other."""

    second_order: bool


def check_installed() -> None:
    """Raises UsageError where a package that this needs is not installed."""
    lacking = [name for name, module in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if lacking:
        what = f"needs {' and '.join(lacking)}"
        raise UsageError("audit.sensitivity", what, None, "pip install 'auditfw[sensitivity]'")


def design_of(values: Floats) -> Design | None:
    """The design that scenarios are, seen from their parameters alone; None where they are none of Saltelli's."""
    n, size = values.shape
    for step, second in ((size + 2, False), (2 * size + 2, True)):
        if n % step or n < 2 * step:
            continue
        blocks = values.reshape(-1, step, size)
        first, last = blocks[:, 0], blocks[:, -1]
        mixed = [(1 + j, first, last, j) for j in range(size)]
        mixed += [(1 + size + j, last, first, j) for j in range(size)] if second else []
        if all(_is_mixture(blocks[:, at], of, other, j) for at, of, other, j in mixed) and (first != last).any():
            return Design(second)
    return None


def _is_mixture(rows: Floats, of: Floats, other: Floats, column: int) -> bool:
    """Whether rows are those `of` one sample, but for one column of the `other`."""
    expected = of.copy()
    expected[:, column] = other[:, column]
    return bool(np.array_equal(rows, expected))


def outcome_sensitivity(drawn: Drawn, varied: Sequence[str], seed: int) -> tuple[str, list[OutcomeSensitivity]]:
    """How it was computed (sobol, forest, "" for not at all), and each outcome and the score."""
    whole = [i for i, params in enumerate(drawn.params) if all(is_finite(params.get(name)) for name in varied)]
    if len(whole) < LEAST or not varied:
        return "", []
    values = np.array([[float(drawn.params[i][name]) for name in varied] for i in whole])
    state = int(stream(seed, "sensitivity") >> np.uint64(33))
    columns = dict(_columns(drawn, whole))
    design = design_of(values) if len(whole) == len(drawn) else None
    if design is not None and all(np.isfinite(column).all() for column in columns.values()):
        return "sobol", [_sobol(name, column, varied, design, state) for name, column in columns.items()]
    return "forest", [_forest(name, column, values, varied, state) for name, column in columns.items()]


def _columns(drawn: Drawn, rows: Sequence[int]) -> Iterator[tuple[str, Floats]]:
    """The values of each outcome that varies, and the score."""
    for one in drawn.keys:
        yield from _varying(one.key, np.where(one.codes == SCORED, one.compared.actual, np.nan)[rows])
    yield from _varying(SCORE, drawn.overall[rows])


def _varying(name: str, column: Floats) -> Iterator[tuple[str, Floats]]:
    held = column[np.isfinite(column)]
    if held.size >= LEAST and held.min() < held.max():
        yield name, column


def _sobol(name: str, column: Floats, varied: Sequence[str], design: Design, state: int) -> OutcomeSensitivity:
    from SALib.analyze import sobol

    problem = {"num_vars": len(varied), "names": list(varied), "bounds": [[0.0, 1.0]] * len(varied)}
    result: Mapping[str, Any] = sobol.analyze(problem, column, calc_second_order=design.second_order, seed=state)
    numbers = zip(*(result[part] for part in ("ST", "ST_conf", "S1", "S1_conf")), strict=True)
    indices = [ParameterIndex(one, *map(float, four)) for one, four in zip(varied, numbers, strict=True)]
    return OutcomeSensitivity(name, sorted(indices, key=lambda one: (-one.total, one.name)))


def _forest(name: str, column: Floats, values: Floats, varied: Sequence[str], state: int) -> OutcomeSensitivity:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance

    rows = np.random.Generator(np.random.PCG64(state)).permutation(np.flatnonzero(np.isfinite(column)))[:FITTED]
    fitted, held = rows[: 2 * rows.size // 3], rows[2 * rows.size // 3 :]
    forest = RandomForestRegressor(TREES, random_state=state, n_jobs=1).fit(values[fitted], column[fitted])
    drops = permutation_importance(forest, values[held], column[held], n_repeats=REPEATS, random_state=state, n_jobs=1)
    ends = zip(varied, drops.importances_mean, drops.importances_std, strict=True)
    indices = [ParameterIndex(one, float(mean), float(spread)) for one, mean, spread in ends]
    explained = float(forest.score(values[held], column[held]))
    return OutcomeSensitivity(name, sorted(indices, key=lambda one: (-one.total, one.name)), explained)


def sensitivity_section(drawn: Drawn, varied: Sequence[str], seed: int, most: int) -> Section:
    """The section of the report."""
    how, outcomes = outcome_sensitivity(drawn, varied, seed)
    title = "Sensitivity of the Outcomes"
    if not outcomes:
        why = f"Needs {LEAST} scenarios with a varying parameter and a varying outcome; there are {len(drawn):,}."
        return Section(title, [Note(why)])
    rows = [_row(one, parameter) for one in outcomes for parameter in one.parameters]
    if how == "sobol":
        columns = ["outcome", "parameter", "first order", "total"]
        text = (
            f"Sobol indices by SALib, from the {some(len(drawn), 'scenario')} of a Saltelli design, ± half the width "
            "of their 95 % bootstrap intervals. First order: the share of the variance that the parameter explains "
            "alone; total: with all its interactions."
        )
    else:
        columns = ["outcome", "parameter", "importance", "R²"]
        text = (
            "Importance: how much the R² of a random forest (scikit-learn) falls on held-out scenarios where the "
            "parameter is permuted, ± its standard deviation. Where the R² of the forest is near 0 or "
            "negative, it learned nothing. For Sobol indices: scenarios=saltelli."
        )
    left = max(0, len(rows) - most)
    blocks: list[Block] = [Table(columns, rows[:most], "<<>>", left_out=left), Note(text)]
    return Section(title, blocks, console=True)


def _row(one: OutcomeSensitivity, index: ParameterIndex) -> list[str]:
    total = f"{fixed(index.total, 3)} ± {fixed(index.total_half, 3)}"
    if index.first is None:
        return [one.name, index.name, total, fixed(one.explained or 0.0, 3)]
    return [one.name, index.name, f"{fixed(index.first, 3)} ± {fixed(index.first_half, 3)}", total]
