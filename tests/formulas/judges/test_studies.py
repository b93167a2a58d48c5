"""What is looked for in hundreds of studies: next to nothing in healthy ones, and the fault where one is planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from rated_studies import Study, healthy, reversed_scale, scaled, shifted, studies, two_faults, with_placeholders

from auditfw.formulas.judges.lags import shifted_raters
from auditfw.formulas.judges.placeholders import placeholders
from auditfw.formulas.judges.scales import rater_scales

PLANTED: dict[str, tuple[str, Callable[[np.random.Generator], Study]]] = {
    "all shifted": ("labels_shifted", shifted),
    "some shifted": ("labels_shifted", partial(shifted, items=600, stretch=True)),
    "multiples": ("scale_factor", scaled),
    "reversed": ("scale_factor", reversed_scale),
    "words of programs": ("placeholder_labels", with_placeholders),
    "two: placeholders": ("placeholder_labels", two_faults),
    "two: shifted": ("labels_shifted", two_faults),
}


def kinds(study: Study) -> set[str]:
    """The kinds with an effect."""
    rated = study.rated()
    words = placeholders(rated, study.declared)
    return {
        *(["labels_shifted"] if shifted_raters(rated) else []),
        *(["scale_factor"] if rater_scales(rated) else []),
        *(["placeholder_labels"] if words is not None and words.sure else []),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_healthy_studies(seed: int) -> None:
    """Of 300 at most 2 of a kind."""
    alarms: Counter[str] = Counter()
    for study in studies(healthy, 300, seed):
        alarms.update(kinds(study))
    assert not [kind for kind, n in alarms.items() if n > 2], alarms


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults(name: str) -> None:
    """95 of 100, at the strengths that are promised."""
    kind, made = PLANTED[name]
    missed = [i for i, study in enumerate(studies(made, 100, 3)) if kind not in kinds(study)]
    assert len(missed) <= 5, missed


@pytest.mark.parametrize("name", PLANTED)
def test_some_of_them(name: str) -> None:
    kind, made = PLANTED[name]
    assert kind in kinds(next(studies(made, 1, 3)))
