"""What passes between the self-audit's loop and its parts: problems, requests, replies, what programs gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Clock = Literal["work", "wall"]


@dataclass(frozen=True, slots=True)
class Example:
    """An input with its output; `output` is None for a test whose answer is not known."""

    input: Any
    output: Any = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be solved: training examples that decide success, tests that do not, further facts by name."""

    id: str
    train: tuple[Example, ...]
    test: tuple[Example, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """One stored try as later requests see it: its number from 1, its program or text, its score and feedback."""

    number: int
    program: str
    score: float
    feedback: str


@dataclass(frozen=True)
class Ask:
    """One request: the problem without the tests' outputs, what was tried, a seed, and the most seconds it may take."""

    problem: Problem
    history: Sequence[Attempt]
    iteration: int
    seed: int
    timeout: float | None


@dataclass(frozen=True)
class Reply:
    """What one request gave.

    Either `outputs`, one for each training and then each test input (None: no output), or a `program` that an
    executor is to run on them, or neither (`why` says why there is nothing to run). `seconds` is what the request
    took on the solver's own clock, None where only the wall knows; `tokens` and `cost` None where not reported.
    """

    program: str = ""
    outputs: Sequence[Any] | None = None
    why: str = ""
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None


class RequestTimeoutError(Exception):
    """A request ended without a reply because its time was over."""

    def __init__(self, message: str = "", seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class TransientError(Exception):
    """A request failed in a way that may pass: too many requests, a server's own error, a broken connection.

    `wait` is how long the other side asks to wait, `seconds` what the request took on the solver's own clock.
    """

    def __init__(self, message: str = "", wait: float | None = None, seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait, self.seconds = wait, seconds


class TraceEndError(Exception):
    """A solver of recorded attempts has no further one; `known` says that there never was another."""

    def __init__(self, message: str = "", known: bool = False) -> None:
        super().__init__(message)
        self.known = known


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """What the records of attempts say came of one of them, or of the whole problem where `attempt` is None.

    `score` and `success` are as they were written, of any type; None where the records have none. `place` is where, and
    `attempts` how many attempts of the problem there are.
    """

    attempt: int | None
    attempts: int
    score: Any
    success: Any
    place: str


class Solver(Protocol):
    """Problem and history to one attempt: each call is one request, never more, never repeated inside.

    Raises RequestTimeoutError or TransientError where they apply, TraceEndError where recorded attempts end; any other
    exception is a failed request; an AuditError ends the whole run. `clock` is the clock its runs use unless set
    otherwise; `check()` finds out before the first request what is missing (packages, keys, files), raising AuditError.
    It may also declare

    - `starts`: what code it runs or where it sends requests, in words that follow its name; a run read back from a
      folder asks before it builds such a component;
    - `reads()`: the paths of the files it reads, which the run names with their checksums;
    - `programs = True`: its replies hold programs, for which the run needs an executor;
    - `own_code`: whether an exception is a fault in the user's own code, told with its place (True for a plugin's);
    - `place`: where that code is, for messages;
    - `facts`: the columns of the problems that it must see, each with what to do where there is none;
    - `outputs(problem)`: the recorded outputs of each attempt with their place, which a scoring may refuse;
    - `place_of(problem, number)`: where its record of an attempt is written, None where it stands with the problem;
    - `recorded(problem)`: what its records say of the attempts' scores and successes, which the audit holds against
      what it computes itself;
    - `light = True`: a request costs next to nothing, as a look-up does.
    """

    clock: Clock

    def check(self) -> None: ...

    def __call__(self, ask: Ask) -> Reply: ...


@dataclass(frozen=True)
class Execution:
    """What a program gave for one input: its output, or the reason why there is none; seconds of wall time."""

    output: Any = None
    error: str = ""
    seconds: float = 0.0


class Executor(Protocol):
    """Runs a candidate program on inputs, apart from everything else; never raises for what the program does.

    Raises IncompleteError where something else than the program failed: its process could not be started, was killed.

    `tier` names how apart ("kernel", "process"); `check()` runs the canary before the first candidate and raises
    AuditError where the tier does not hold. It may also declare

    - `starts`: what it starts, in words that follow its name; a run read back from a folder asks before it builds such
      a component;
    - `reads()`: the paths of the files it reads, which the run names with their checksums.
    """

    tier: str

    def check(self) -> None: ...

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]: ...


class Scoring(Protocol):
    """Soft score of an output against the expected one: 1.0 exactly for success, else in [0, 1).

    It may also declare

    - `read(value)`: a problem's input, an expected output or an output as it is meant (a text as the grid that it
      writes down);
    - `refusal(expected)`: why every output would fail against an expected one (`is no grid`) and what to do, both ""
      where one can pass; refused outputs end a run before its first request;
    - `unreadable(output)`: why an output cannot be scored at all and what to do, both "" where it can; recorded outputs
      are asked before the first request;
    - `full_marks(score)`: the setting under which a score below 1 is a success, "" where none makes it one;
    - `recorded`: True where the output is the score itself, so that nothing is held against what was expected;
    - `on_scale(score)`: a score as records of attempts write it, where that is not the score itself;
    - `remark(output, expected)`: what a later request reads about an output that is wrong.
    """

    def __call__(self, output: Any, expected: Any) -> float: ...
