"""Small simulators, sound and hostile, for the tests: named by import path."""

from __future__ import annotations

import ctypes
import decimal
import os
import random
import signal
import sys
import time
from typing import Any

import numpy as np

Params = dict[str, float]


def double(params: Params) -> dict[str, float]:
    return {"fitness": params["x"] * 2, "energy": 1 - params["x"]}


def every_third_fails(params: Params) -> dict[str, float]:
    print("noise on standard output")
    n = int(params["x"])
    params.clear()
    if n % 3 == 0:
        raise ValueError("bad\nluck")
    return {"y": n}


ODD: list[Any] = [
    {"y": 1},
    None,
    [1.0],
    "text",
    np.zeros(3),
    {"y": float("nan")},
    {"y": "text"},
    {"y": np.zeros(3)},
    {"y": np.float32(0.5)},
    {"y": np.array(2.5)},
    {"y": None},
    {"y": decimal.Decimal(1)},
    {"y": np.ma.masked},
    {"y": np.bool_(True)},
    {"y": True},
    {"y": 10**400},
    {2: 1.0},
]


def odd(params: Params) -> Any:
    return ODD[int(params["x"])]


def slow(params: Params) -> Any:
    """Sleeps, loops, exits: all of it can be interrupted."""
    n = int(params["x"])
    if n == 1:
        time.sleep(60)
    if n == 3:
        while True:
            pass
    if n == 5:
        sys.exit(3)
    return {"y": n}


def deadly(params: Params) -> Any:
    """Does not answer to an interruption, ends its process, floods its streams."""
    n = int(params["x"])
    if n == 20:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(60)
    if n == 30:
        os._exit(7)
    if n == 31:
        ctypes.string_at(0)
    if n == 40:
        os.write(1, b"x" * 100_000)
        os.write(2, b"x" * 100_000)
        with open("left_behind", "w", encoding="utf-8") as file:
            file.write("x")
    return {"y": n}


def dice(params: Params) -> dict[str, float]:
    return {"python": random.random(), "numpy": float(np.random.random())}


def with_seed(params: Params, seed: int) -> dict[str, float]:
    return {"y": seed}


def same_dict_again(params: Params, gives: dict[str, float] = {}) -> dict[str, float]:  # noqa: B006 - on purpose
    gives["y"] = params["x"]
    return gives


class Scaled:
    """An object with settings, made once."""

    made = 0

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor
        Scaled.made += 1

    def run(self, params: Params) -> dict[str, float]:
        return {"y": self.factor * params["x"], "made": Scaled.made}


class Vectorised(Scaled):
    """Many at once, but for a three, which fails; one by one only a three fails."""

    def run(self, params: Params) -> dict[str, float]:
        if params["x"] == 3:
            raise KeyError("three")
        return {"y": -self.factor * params["x"]}

    def run_batch(self, frame: dict[str, Any]) -> dict[str, Any]:
        if (frame["x"] == 3).any():
            raise KeyError("a three among them")
        return {"y": self.factor * frame["x"]}


def batch_of_wrong_length(frame: dict[str, Any]) -> dict[str, Any]:
    return {"fitness": frame["x"][:-1]}


def run_batch(frame: dict[str, Any]) -> dict[str, Any]:
    return {"y": frame["x"] + 0.5}


def run(params: Params) -> dict[str, float]:
    return {"y": params["x"]}


def decay(_t: float, y: list[float], params: Params) -> list[float]:
    return [-params["rate"] * y[0]]


def decay_start(params: Params) -> list[float]:
    return [1.0]


def echo(params: dict[str, float]) -> dict[str, float]:
    """A simulator that gives what it is given."""
    return {"y": params["x"]}
