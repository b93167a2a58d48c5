"""Student's t: values of printed tables, those of SciPy, and the whole degrees that the core computes."""

from __future__ import annotations

import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.statistics import t975
from auditfw.formulas.student import incomplete_beta, least_share, t_p_value, t_p_values, t_quantile


@pytest.mark.parametrize(
    ("share", "degrees", "value"),
    [(0.975, 1, 12.7062), (0.975, 10, 2.2281), (0.8, 19, 0.8610), (0.975, 10**9, 1.9600), (0.975, 0.2, 12.7062)],
)
def test_quantile(share: float, degrees: float, value: float) -> None:
    assert t_quantile(share, degrees) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("degrees", [1, 2, 7, 40, 200, 201, 5_000])
def test_quantile_is_that_of_the_core(degrees: int) -> None:
    assert t_quantile(0.975, degrees) == pytest.approx(t975(degrees), abs=1e-8)


@given(st.floats(1, 1e6), st.floats(1, 1e6))
def test_more_degrees_never_widen(one: float, other: float) -> None:
    few, many = sorted((one, other))
    assert t_quantile(0.975, few) >= t_quantile(0.975, many) - 1e-12


@given(st.floats(1, 1e4))
def test_p_value_turns_the_quantile_back(degrees: float) -> None:
    assert t_p_value(t_quantile(0.975, degrees), degrees) == pytest.approx(0.05, abs=1e-9)
    assert t_p_value(-t_quantile(0.975, degrees), degrees) == pytest.approx(0.05, abs=1e-9)
    assert t_p_value(0.0, degrees) == 1.0


@given(st.lists(st.tuples(st.floats(-40, 40), st.integers(0, 200_000)), min_size=1, max_size=30))
def test_many_p_values_are_those_of_one_after_another(tests: list[tuple[float, int]]) -> None:
    t, degrees = zip(*tests, strict=True)
    assert t_p_values(t, degrees).tolist() == pytest.approx([t_p_value(*one) for one in tests], rel=1e-7, abs=1e-300)


def test_a_t_that_is_none_has_no_p_value() -> None:
    one, other = t_p_values([float("nan"), 2.0], [5, 5]).tolist()
    assert (one != one, other) == (True, pytest.approx(t_p_value(2.0, 5)))  # noqa: PLR0124 - NaN


@given(st.floats(1, 1e7), st.sampled_from([0.9, 0.975, 0.8, 0.3, 0.9999, 0.5]))
def test_quantile_is_that_of_scipy(degrees: float, share: float) -> None:
    assert t_quantile(share, degrees) == pytest.approx(
        float(scipy.special.stdtrit(degrees, share)), rel=1e-9, abs=1e-12
    )


@given(st.floats(0.5, 3e4), st.floats(0.5, 3e4), st.floats(0, 1))
def test_incomplete_beta_is_that_of_scipy(a: float, b: float, x: float) -> None:
    wanted = float(scipy.special.betainc(a, b, x))
    assert incomplete_beta(a, b, x, 1.0 - x) == pytest.approx(wanted, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(("successes", "trials"), [(1, 1), (6, 6), (6, 100), (8, 20), (11, 1000), (20, 50_000)])
def test_least_share(successes: int, trials: int) -> None:
    share = least_share(successes, trials, 0.8)
    assert share == pytest.approx(float(scipy.special.betaincinv(successes, trials - successes + 1, 0.8)), rel=1e-9)
    assert float(scipy.stats.binom.sf(successes - 1, trials, share)) == pytest.approx(0.8, abs=1e-9)
