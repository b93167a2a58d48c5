"""The solver that is a Python function of the user's."""

from __future__ import annotations

import inspect
from dataclasses import field
from typing import Any, ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.imports import check_path, find, refuse_if_safe
from auditfw.kinds.registry import declare
from auditfw.kinds.solving import Ask, Clock, Reply


@declare("solver", "python")
class PythonSolver:
    """Calls a Python function with each request, and takes its result as an attempt.

    - `function`: `pkg.module:name` of a function of one `auditfw.Ask` (its problem with `train` and `test`, the earlier
      attempts, the iteration, a seed, the seconds allowed), or of a class, made once with `settings`, whose objects can
      be called. Modules in the current folder are found too.

    It may return a `Reply`; a text, which is a program for the executor; or a list of outputs, one for each training
    and then each test input. It may raise RequestTimeoutError or TransientError of auditfw; any other exception is a
    failed request. Temporary failures (a connection, a timeout, too many requests) are retried after a pause, others at
    once; the same error from the same line three times in a row ends the run. The function runs in the audit's own
    process and is not interrupted.
    """

    function: Any
    settings: dict[str, Any] = field(default_factory=dict)

    clock: ClassVar[Clock] = "wall"
    own_code: ClassVar[bool] = True

    def __post_init__(self) -> None:
        refuse_if_safe("the solver 'python' runs your code")
        if isinstance(self.function, str):
            check_path(self.function, "function")
        elif not callable(self.function):
            raise UsageError("function", "cannot be called", type(self.function).__name__, "write pkg.module:name")

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        return f"runs {self.function}"

    def check(self) -> None:
        """Imports the function. Raises UsageError."""
        self._opened()

    def __call__(self, ask: Ask) -> Reply:
        answer = self._opened()(ask)
        if isinstance(answer, Reply):
            return answer
        if isinstance(answer, str):
            return Reply(program=answer)
        if answer is None:
            return Reply(why="the function returned nothing")
        examples = len(ask.problem.train) + len(ask.problem.test)
        if isinstance(answer, list | tuple) and len(answer) == examples:
            return Reply(outputs=list(answer))
        kind = f"a {type(answer).__name__}" + (f" of {len(answer)}" if isinstance(answer, list | tuple) else "")
        raise TypeError(f"the function returned {kind}; expected a Reply, a program's text, or {examples} outputs")

    @property
    def place(self) -> str:
        """The place named in errors that no line of the function raises: its import path, or its name."""
        return self.function if isinstance(self.function, str) else str(getattr(self.function, "__qualname__", "it"))

    def _opened(self) -> Any:
        kept = _MADE.get(id(self))
        if kept is not None and kept[0] is self:
            return kept[1]
        target = find(self.function, "solver.function") if isinstance(self.function, str) else self.function
        if inspect.isclass(target):
            target = _object(target, self.settings)
        elif self.settings:
            raise UsageError("solver.settings", "only a class takes settings", ", ".join(self.settings))
        if not callable(target):
            raise UsageError("solver.function", "cannot be called", self.function, "name a function")
        _MADE[id(self)] = (self, target)
        return target


_MADE: dict[int, tuple[PythonSolver, Any]] = {}


def _object(cls: Any, settings: dict[str, Any]) -> Any:
    try:
        return cls(**settings)
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {error}"
        raise UsageError("solver.settings", f"{cls.__name__} cannot be made with them", message) from None
