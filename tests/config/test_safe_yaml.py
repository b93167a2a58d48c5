"""The dialect of YAML that configs are read in is Hydra's."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from auditfw.config.safe_yaml import parsed
from auditfw.core.errors import UsageError

ODD = (
    *(
        "2020-01-01",
        "2001-12-14t21:59:43.10-05:00",
        "1:30",
        "1:30.5",
        "1E-5",
        "1.e3",
        ".5e3",
        ".5e+3",
        "0x1F",
        "1_000.5",
    ),
    *("0o7", "010", "yes", "null", ".nan", "-.inf", "1e5", "1__0e1", "e5", "+1e+5", "-1e-5", "1e", "12e03", "True"),
)


def test_values_are_those_of_omegaconf() -> None:
    words = [*ODD, *("".join(word) for n in (2, 3, 4) for word in itertools.product("1e.+_", repeat=n))]
    text = "".join(f"k{n}: {word}\n" for n, word in enumerate(words))
    ours, theirs = parsed(Path("a.yaml"), text), OmegaConf.to_container(OmegaConf.create(text))
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(
    ("word", "what"),
    [
        *((f"!!{kind} foo", f"not a value of the kind {kind}") for kind in ("int", "float", "bool", "timestamp")),
        *((word, "not a value of the kind int") for word in ("0x_", "0b_", "!!int ''", "{!!int x: 1}")),
        *(
            (word, "a number of more than 1,000 characters")
            for word in ("9" * 5_000, "0x" + "f" * 5_000, "1" + ":1" * 600, "1." + "0" * 1_000)
        ),
    ],
)  # fmt: skip
def test_values_that_no_kind_has(word: str, what: str) -> None:
    with pytest.raises(UsageError, match=rf"a\.yaml:2:\d+: {what}"):
        parsed(Path("a.yaml"), f"\nx: {word}\n")
