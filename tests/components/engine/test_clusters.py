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
        ({"most_joined": -1}, "most_joined: expected a whole number of 0 or more, got -1"),
        ({"workers": 2, "address": "h"}, "workers: a cluster at an address has its own (2) - set only one of the two"),
    ],
)
def test_workers_that_cannot_be(name: str, settings: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as refused:
        component("engine", name).cls(**settings)
    assert str(refused.value) == line


@pytest.mark.parametrize(
    ("name", "address"),
    [
        *(
            ("dask", address)
            for address in ("", "http://h:1", "inproc://10.0.0.1/7/1", "h", "tcp://h", "tcp://h:0", "h:99999")
        ),
        *(("ray", address) for address in ("", "http://h:1", "tls://h:1", "tcp://h:1", "h", "automatic")),
    ],
)
def test_addresses_that_cannot_be(name: str, address: str) -> None:
    with pytest.raises(UsageError) as refused:
        component("engine", name).cls(address)
    assert str(refused.value).startswith(f"address: is no address of a cluster ({address!r}) - write it as in ")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        *(("dask", address) for address in ("tcp://10.0.0.1:8786", "tls://h:1", "h.example.org:1", "tcp://[::1]:8786")),
        *(("ray", address) for address in ("10.0.0.1:6379", "auto", "ray://h:10001")),
    ],
)
def test_addresses(name: str, address: str) -> None:
    assert component("engine", name).cls(address).starts == f"sends the work to {address}"


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_settings_and_what_starts(name: str) -> None:
    cls = component("engine", name).cls
    assert [field.name for field in fields(cls)] == ["address", "workers", "parts", "most_joined"]
    assert (cls(parts="d").starts, cls("h:1", parts="d").starts) == (
        "has workers write into d",
        "sends the work to h:1 and has workers write into d",
    )
    assert (cls(workers=2).starts, cls("h:1").starts) == ("", "sends the work to h:1")
