"""Methods made as closures do what those do that Python compiles, and only the command asks for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import dataclasses, pickle, sys
from dataclasses import dataclass, field
from auditfw.commands.start import dataclass_methods
if "quick" in sys.argv:
    print(dataclass_methods.use_closures(), file=sys.stderr)

@dataclass
class Plain:
    a: int
    b: str = "x"
    hidden: int = field(default=1, repr=False)
    apart: int = field(default=2, compare=False)
    more: list = field(default_factory=list)

@dataclass(frozen=True)
class Cold:
    a: float
    b: object = None

@dataclass(frozen=True)
class One:
    only: object

@dataclass(frozen=True)
class Nothing:
    pass

@dataclass(frozen=True)
class Below(Cold):
    c: int = 3

class Free(Cold):
    pass

@dataclass(order=True, unsafe_hash=True)
class Ranked:
    a: int
    b: int

@dataclass(frozen=True, slots=True)
class Slotted:
    a: int = 1

@dataclass(eq=False)
class Same:
    a: int

@dataclass(frozen=True)
class Own:
    a: int
    def __repr__(self): return "own"
    def __hash__(self): return 7
    def __eq__(self, other): return "equal"

def tried(work):
    try:
        return work()
    except Exception as error:
        return type(error).__name__, str(error)

def put(thing, name, value=5):
    setattr(thing, name, value)
    return getattr(thing, name)

def values(thing):
    return tuple(getattr(thing, each.name) for each in dataclasses.fields(thing) if each.compare)

nan = float("nan")
things = [Plain(1), Plain(1, "y", 4, 5, [1]), Plain(1, "x", 1, 9), Cold(nan, (1,)), Cold(nan, (1,)), Cold(1.0), One(1),
          One((1,)), One(nan), Nothing(), Below(1.0), Below(1.0, None, 4), Free(1.0), Ranked(1, 2), Ranked(2, 1),
          Slotted(), Slotted(2), Own(1)]
loop = Plain(3)
loop.more.append(loop)
lines = [repr(loop), repr(Same(1)), Same(1) == Same(1)]
for one in things:
    lines += [repr(one), tried(lambda: hash(one) == hash(values(one)))]
    lines += [one == other for other in things]
    lines += [tried(lambda: put(one, name)) for name in ("a", "new", "only")]
    names = ("a", "new") if one.__dataclass_params__.frozen else ("new",)
    lines += [tried(lambda: delattr(one, name)) for name in names]
lines += [tried(lambda: one < other) for one in things[-6:] for other in things[-6:]]
lines += [hash(Cold(1.5, (2, "x"))) == hash((1.5, (2, "x"))), hash(One(4)) == hash((4,)), hash(Nothing()) == hash(())]
lines += [pickle.loads(pickle.dumps(Below(2.0))) == Below(2.0), dataclasses.replace(Cold(1.0), b=2)]
lines += [Cold(1.0).__eq__(One(1.0)), Cold.__eq__.__qualname__, Cold.__hash__.__qualname__, Cold.__repr__.__qualname__]
lines += [Cold.__setattr__.__qualname__, Cold.__eq__.__name__, dataclasses.astuple(Below(1.0)), Cold.__doc__]
print(*lines, sep="\\n")
"""


def told(*words: str) -> tuple[str, str]:
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python compiles all methods of a class at once")
def test_closures_do_what_compiled_methods_do() -> None:
    (plain, _), (quick, used) = told(), told("quick")
    assert used.strip() == "True"
    assert len(plain.splitlines()) > 300
    assert quick.splitlines() == plain.splitlines()


@pytest.mark.parametrize("change", ["del d._hash_fn", "d._cmp_fn = lambda name, op, fields: None"])
def test_what_is_not_as_it_was_is_left_alone(change: str) -> None:
    code = (
        f"import dataclasses as d; {change}; before = dict(vars(d)); "
        "from auditfw.commands.start import dataclass_methods as m; "
        "print(m.use_closures(), all(vars(d).get(name) is value for name, value in before.items()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_library_that_imports_the_package_keeps_pythons_own() -> None:
    code = (
        "import dataclasses as d; before = d._repr_fn; import auditfw; auditfw.load; import auditfw.commands.run; "
        "print(d._repr_fn is before)"
    )
    if sys.version_info < (3, 13):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["True"]
