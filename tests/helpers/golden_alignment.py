"""Golden vectors of the alignment audit: the public functions in the reference settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import auditfw

WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}


def decode(value: Any) -> Any:
    """A golden input as the Python value it stands for."""
    if isinstance(value, Mapping) and "$type" in value:
        return typed(value)
    if isinstance(value, Mapping):
        return {key: decode(part) for key, part in value.items()}
    if isinstance(value, list):
        return [decode(part) for part in value]
    return WORDS.get(value, value) if isinstance(value, str) else value


def typed(told: Mapping[str, Any]) -> Any:
    """What {"$type": T, "value": V} stands for."""
    name, value = told["$type"], told["value"]
    if name == "numpy.ndarray":
        return np.array(decode(value), dtype=told["dtype"]).reshape(told["shape"])
    if name.startswith("numpy."):
        return getattr(np, name.removeprefix("numpy.").replace("bool_", "bool"))(decode(value))
    plain: dict[str, Callable[[Any], Any]] = {
        "str": str,
        "bytes": bytes.fromhex,
        "int": int,
        "tuple": lambda v: tuple(decode(v)),
        "complex": lambda v: complex(*map(decode, v)) if isinstance(v, list) else complex(v),
        "decimal.Decimal": Decimal,
        "fractions.Fraction": Fraction,
    }
    return plain[name](value)


def encode(value: Any) -> Any:
    """A result as the vectors write it: the inverse of decode."""
    if isinstance(value, Mapping):
        return {key: encode(part) for key, part in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        return encode(float(value) if isinstance(value, np.longdouble) else value.tolist())
    if isinstance(value, list):
        return [encode(part) for part in value]
    if isinstance(value, tuple):
        return {"$type": "tuple", "value": [encode(part) for part in value]}
    if isinstance(value, float) and not np.isfinite(value):
        return next(word for word, number in WORDS.items() if repr(number) == repr(value))
    if isinstance(value, str) and value in WORDS:
        return {"$type": "str", "value": value}
    return value if isinstance(value, str | int | float | None) else encode_rare(value)


def encode_rare(value: Any) -> Any:
    """A value that JSON cannot carry."""
    if isinstance(value, bytes):
        return {"$type": "bytes", "value": value.hex()}
    if isinstance(value, complex):
        return {"$type": "complex", "value": [value.real, value.imag]}
    return {"$type": f"{type(value).__module__.lstrip('_')}.{type(value).__name__}", "value": str(value)}


class Simulator:
    """The simulators that the vectors name."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.told = told
        self.calls = 0

    def run(self, params: Any) -> Any:
        self.calls += 1
        made: Any = getattr(self, self.told["kind"])(params)
        return made

    def identity(self, params: Any) -> Any:
        return dict(params)

    def same_object(self, params: Any) -> Any:
        return params

    def negate(self, params: Any) -> Any:
        return {key: -value for key, value in params.items()}

    def offset(self, params: Any) -> Any:
        return {key: value + self.told["offset"] for key, value in params.items()}

    def doc_model(self, params: Any) -> Any:
        return {"fitness": params["x"] * 2, "energy": 1 - params["x"]}

    def table(self, params: Any) -> Any:
        return self.told["actuals"][self.calls - 1]

    def mutate(self, params: Any) -> Any:
        params["x"] += 1
        return {"y": params["x"]}

    def none(self, params: Any) -> Any:
        return None

    def pairs(self, params: Any) -> Any:
        return list(params.items())

    def __getattr__(self, name: str) -> Any:
        """`raise` and `raise_on` are no names Python allows to define."""
        if name not in ("raise", "raise_on"):
            raise AttributeError(name)

        def fail(params: Any) -> Any:
            if name == "raise_on" and self.calls != next(v for k, v in self.told.items() if k != "kind"):
                return dict(params)
            raise RuntimeError("boom")

        return fail


def score(given: Mapping[str, Any]) -> Any:
    told = decode(given)
    return encode(auditfw.score_alignment(told["intended"], told["actual"]))


def batch(given: Mapping[str, Any]) -> Any:
    told = decode(given)
    scenarios: Iterable[Any] = told["scenarios"]
    return encode(auditfw.POSIWIDAuditor(Simulator(told["simulator"])).batch_audit(scenarios))


FUNCTIONS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "posiwid_score_alignment": score,
    "posiwid_batch_audit": batch,
}
