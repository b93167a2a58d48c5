"""A result in three lines, as HTML in a notebook, and its page in a browser."""

from __future__ import annotations

import webbrowser
from collections import Counter
from pathlib import Path

from auditfw.commands.paths.proposal import spelt
from auditfw.components.report import wording
from auditfw.components.report.page.first_screen import first_screen
from auditfw.core.document import some
from auditfw.core.errors import IncompleteError, NothingAudited, UsageError
from auditfw.core.escaping import log_line
from auditfw.core.files import present
from auditfw.core.records import STATUSES, Result

PAGE = "report.html"


def short_text(result: Result) -> str:
    """Three lines: audit, verdict and what the exit code means; the answer; what to do next, or where the run is."""
    code = f"(exit code {result.exit_code}: {exit_meaning(result)})"
    head = f"{wording.judged(result)}: {wording.verdict_text(result)} {code}"
    lines = [head, *_answer(result)]
    return "\n".join(log_line(line) for line in lines)


def exit_meaning(result: Result) -> str:
    """What the exit code of a finished run says, in a few words."""
    code, judged = result.exit_code, Counter(gate.status for gate in result.gates)
    if code == NothingAudited.exit_code:
        return "nothing was audited"
    if code == IncompleteError.exit_code:
        return "the run is incomplete"
    if not result.gates:
        return "no gates"
    if judged["pass"] == len(result.gates):
        return "all gates passed"
    shares = [f"{judged[status]} {_WORDS[status]}" for status in STATUSES if judged[status]]
    return f"of {some(len(result.gates), 'gate')} {', '.join(shares)}"


_WORDS = {"fail": "failed", "inconclusive": "inconclusive", "pass": "passed"}


def _answer(result: Result) -> list[str]:
    if result.answer is not None:
        headline, do = wording.answer_short(result.answer)
        return [f"{result.answer.title}: {headline}", do]
    counts = wording.counts_text(result.counts)
    return [f"No answer; {counts}" if counts else "No answer", _place(result)]


def _place(result: Result) -> str:
    if result.folder is None:
        return "In memory only: run(settings, FOLDER) also writes its files."
    return f"Run folder: {result.folder}"


def html(result: Result) -> str:
    """The first screen of the result's page, for a notebook."""
    return first_screen(result, _place(result))


def open_page(result: Result) -> Path:
    """Opens the page of a run in a browser and returns its path. Raises UsageError where there is none."""
    if result.folder is None:
        do = 'run({..., "report": ["html"]}, FOLDER) writes one'
        raise UsageError("open", "this result has no run folder, and so no page", None, do)
    page = Path(result.folder) / PAGE
    if not present(page):
        do = f"write it with: {spelt(['report', result.folder, 'report=[html]'])}"
        raise UsageError("open", f"no {PAGE} in the run folder", result.folder, do)
    webbrowser.open(page.absolute().as_uri())
    return page
