"""A plugin of mypy: the builtin `sum` adds whole numbers alone.

From Python 3.12 on `sum` corrects the rounding of floats, before it does not: the last digit would depend on the
Python. `math.fsum` rounds once; a loop adds from left to right everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mypy.maptype import map_instance_to_supertype
from mypy.nodes import RefExpr
from mypy.plugin import FunctionContext, Plugin
from mypy.typeops import tuple_fallback
from mypy.types import Instance, LiteralType, TupleType, Type, UnionType, get_proper_type

MESSAGE = "sum of {}: `sum` is for whole numbers, which types must show; use math.fsum, or add in a loop"


class WholeSums(Plugin):
    """Looks at each call of `sum`, and of `map` with it."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return {"builtins.sum": _added, "builtins.map": _mapped}.get(fullname)


def _added(context: FunctionContext) -> Type:
    alone = context.api.get_expression_type(context.args[0][0])  # in `0.5 * sum(…)` floats are expected
    _check([context.arg_types[0][0], alone], context)
    return context.default_return_type


def _mapped(context: FunctionContext) -> Type:
    function = context.args[0][0]
    if isinstance(function, RefExpr) and function.fullname == "builtins.sum":
        _check([context.default_return_type], context)
    return context.default_return_type


def _check(iterables: Sequence[Type], context: FunctionContext) -> None:
    kinds = list(map(_item, iterables))
    if not any(map(_whole, kinds)):
        context.api.fail(MESSAGE.format(kinds[0]), context.context)


def _item(iterable: Type) -> Type:
    """The type of what an iterable gives."""
    kind = get_proper_type(iterable)
    kind = tuple_fallback(kind) if isinstance(kind, TupleType) else kind
    parents = kind.type.mro if isinstance(kind, Instance) else []
    given = [map_instance_to_supertype(kind, one).args[0] for one in parents if one.fullname == "typing.Iterable"]
    return given[0] if given else kind


def _whole(kind: Type) -> bool:
    kind = get_proper_type(kind)
    if isinstance(kind, UnionType):
        return all(map(_whole, kind.items))
    kind = kind.fallback if isinstance(kind, LiteralType) else kind
    return isinstance(kind, Instance) and kind.type.fullname in ("builtins.int", "builtins.bool")


def plugin(_version: str) -> type[Plugin]:
    """What mypy asks for."""
    return WholeSums
