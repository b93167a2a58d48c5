"""The pytest plugin: the fixture `auditfw_run` runs an audit within a test, and fails it as the command would end.

It is imported at the start of every pytest where auditfw is installed, so it imports nothing else until a test asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from auditfw.core.records import GateResult, Result

GATE_FAILED = 1


class AuditRun(Protocol):
    """Runs an audit; the fixture `auditfw_run` is one."""

    def __call__(
        self, *words: str, check: bool = True, allow_inconclusive: bool = False, folder: Path | str | None = None
    ) -> Result:
        """The result of the audit that these words choose, as on the command line.

        Fails the test where a command would not end with exit code 0: a gate failed or is inconclusive, the run is
        incomplete, nothing was audited. `allow_inconclusive=True` passes where no gate failed; `check=False` fails for
        no result at all. Settings and data that cannot be used always fail: there is no result then. The files of the
        run are written to `folder`, or to one below `tmp_path`.
        """
        ...


@pytest.fixture
def auditfw_run(tmp_path: Path) -> AuditRun:
    """Runs an audit with the words of the command line, and fails the test with its answer and its failed gates."""
    numbers = count(1)

    def run(
        *words: str, check: bool = True, allow_inconclusive: bool = False, folder: Path | str | None = None
    ) -> Result:
        __tracebackhide__ = True
        place = Path(folder) if folder is not None else tmp_path / f"auditfw-{next(numbers)}"
        result = _finished(words, place)
        allowed = allow_inconclusive and result.exit_code == GATE_FAILED and result.verdict == "inconclusive"
        if check and result.exit_code and not allowed:
            pytest.fail("\n".join(_failure_lines(result, place)), pytrace=False)
        return result

    return run


def _finished(words: Sequence[str], folder: Path) -> Result:
    """Runs the audit. A mistake in settings or data fails the test with its line; a defect keeps its traceback."""
    from auditfw.commands.error_output import error_lines
    from auditfw.config.hydra.errors import as_audit_error

    __tracebackhide__ = True
    try:
        return _executed(words, folder)
    except Exception as error:
        mistake = as_audit_error(error)
        if mistake is None:
            raise
    pytest.fail("\n".join(error_lines(mistake)), pytrace=False)


def _executed(words: Sequence[str], folder: Path) -> Result:
    from auditfw.commands.notebook.guest import ran_alone
    from auditfw.commands.run import execute
    from auditfw.config.build import compose
    from auditfw.config.hydra.state import composing_state
    from auditfw.core.imports import importable

    with importable():
        with composing_state():
            settings = compose(ran_alone(words, "auditfw_run"))
        return execute(settings, folder, show=False)


def _failure_lines(result: Result, folder: Path) -> Iterator[str]:
    """Why a test fails: verdict, answer, the gates that did not pass, and where the page is."""
    from auditfw.commands.run import failure
    from auditfw.components.report.wording import counts_text, verdict_text
    from auditfw.core.escaping import log_line

    gates = [gate for status in ("fail", "inconclusive") for gate in result.gates if gate.status == status]
    problem, answer = failure(result), result.answer
    head = f"auditfw: {result.audit}: {verdict_text(result)} (exit code {result.exit_code})"
    if problem is not None:
        yield log_line(f"{head}: {problem}")
    else:
        yield log_line(f"{head}: {', '.join(gate.name for gate in gates)}")
    yield log_line(counts_text(result.counts))
    if answer is not None:
        yield log_line(f"answer: {answer.title}: {answer.headline}")
        yield from (log_line(f"  because {reason}") for reason in answer.because)
        yield log_line(f"  next: {answer.next}")
    yield from (log_line(_gate_line(gate, result)) for gate in gates)
    page = folder / "report.html"
    yield log_line(f"report: {page}" if page.is_file() else f"run folder: {folder}")


def _gate_line(gate: GateResult, result: Result) -> str:
    from auditfw.components.report.wording import gate_value

    parts = [f"gate {gate.name}: {gate.status}: {gate.rule}"]
    if gate.value is not None:
        parts.append(f"{gate.reading or 'value'} is {gate_value(gate, result.styles)}")
    if gate.why and (result.answer is None or gate.why != result.answer.headline):
        parts.append(gate.why)
    return "; ".join(parts)
