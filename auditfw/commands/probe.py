"""`auditfw probe`: does the scorer of a run tell right from wrong?"""

from __future__ import annotations

from auditfw.audits.parsing.probe.draw import MOST_PROBED
from auditfw.audits.parsing.probe.report import TITLES
from auditfw.audits.parsing.probe.stored_text import TITLE
from auditfw.config import build as bridge
from auditfw.core.errors import UsageError
from auditfw.core.records import Result

from .error_output import ignore_closed_pipe
from .paths.bare_words import check_bare_words
from .paths.command import with_paths
from .run import execute, failure

SETTING = "audit.probe"


def probe(argv: list[str]) -> int:
    """`auditfw probe [PATH...] [OVERRIDES]`: draws up to 20,000 trials and shows what the probe says; writes no file.

    The code is 0 where that could be seen, whatever it is: there is no gate.
    """
    check_bare_words(argv, verb="probe")
    for word in argv:
        if word.startswith("-"):
            raise UsageError(f"probe {word}", "no such flag", None, "probe takes paths, overrides and --config-dir")
    argv = with_paths(argv).words
    settings = bridge.compose(argv)
    audit = settings["audit"]
    if audit["use"] != "parsing":
        raise UsageError("probe", f"the {audit['use']} audit has no scorer to probe", None, "choose a parsing audit")
    if not any(word.lstrip("+").startswith(f"{SETTING}=") for word in argv):
        settings = {**settings, "audit": {**audit, "probe": MOST_PROBED}}
    elif not audit["probe"]:
        raise UsageError(
            SETTING, "draws no trial", audit["probe"], f"write a number up to {MOST_PROBED}, or leave it out"
        )
    result = execute(settings, show=False)
    error = failure(result)
    if error is not None:
        raise error
    with ignore_closed_pipe():
        _print(result)
    return 0


def _print(result: Result) -> None:
    """The sections of the probe, and what was warned of."""
    from auditfw.components.report.console import printing

    with printing() as page:
        for section in result.sections:
            if section.title in (*TITLES, TITLE):
                page.section(section)
        if result.warnings:
            page.head("Warnings", "yellow")
            page.lines(result.warnings)
