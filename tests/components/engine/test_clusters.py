"""What can be set of an engine on a cluster; nothing is connected."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from auditfw.core.errors import UsageError
from auditfw.kinds.registry import component


@pytest.mark.parametrize("name", ["dask", "ray"])
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"workers": 0}, "workers: expected a whole number of 1 or more, got 0"),
        ({"workers": 2, "address": "h"}, "workers: a cluster at an address has its own (2) - set only one of the two"),
    ],
)
def test_workers_that_cannot_be(name: str, settings: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as refused:
        component("engine", name).cls(**settings)
    assert str(refused.value) == line


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_settings_and_what_starts(name: str) -> None:
    cls = component("engine", name).cls
    assert [field.name for field in fields(cls)] == ["address", "workers"]
    assert (cls(workers=2).starts, cls("h:1").starts) == ("", "sends the work to h:1")
