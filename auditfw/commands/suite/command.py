"""`auditfw suite`: one decision whether to release, over several benchmarks."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from auditfw.core.errors import UsageError
from auditfw.core.result_json import dumps

from .decision import SuiteDecision, decided
from .entries import judged_entries, suite_measurements, whole_gates
from .settings import SuiteFile, read_suite
from .written import as_document, as_markdown, print_suite, write_suite

FLAGS = ("--json", "--markdown")
SETTINGS = ("out", "sweep")
WRITE = "write auditfw suite FILE.yaml [NAME=RUN] [candidate=TEXT] [sweep=FOLDER] [out=FOLDER] [--json|--markdown]"


def suite(argv: list[str]) -> int:
    """`auditfw suite FILE.yaml [NAME=RUN] [candidate=TEXT] [sweep=FOLDER] [out=FOLDER] [--json|--markdown]`.

    Whether to release: every entry of the file against its bound, and one decision. The code is 0 for GO and 1
    otherwise, or that of a run which ended with 2 or above and stops the release.
    """
    flags = [word for word in argv if word in FLAGS]
    words = [word for word in argv if word not in flags]
    if not words or words[0].startswith("-") or len(flags) > 1:
        what = "needs the file of a suite" if len(flags) < 2 else "takes one of --json and --markdown"
        raise UsageError("suite", what, " ".join(argv) or None, WRITE)
    path, *words = words
    settings = {key: text for key, _, text in (word.partition("=") for word in words) if key in SETTINGS}
    file = read_suite(Path(path), [word for word in words if word.partition("=")[0] not in SETTINGS])
    decision = judged(file, Path(settings["sweep"]) if "sweep" in settings else None)
    folder = Path(settings["out"]) if "out" in settings else _folder()
    write_suite(folder, decision)
    if flags == ["--json"]:
        print(dumps(as_document(decision)), end="")
    elif flags == ["--markdown"]:
        print(as_markdown(decision), end="")
    else:
        _print(decision, folder)
    return decision.exit_code


def judged(file: SuiteFile, sweep: Path | None) -> SuiteDecision:
    """The decision of a suite; `sweep` is the folder of the sweep whose jobs entries name. Raises AuditError."""
    entries = judged_entries(file, sweep)
    return decided(entries, whole_gates(file.whole_gates, suite_measurements(entries)))


def _folder() -> Path:
    now = datetime.now()
    return Path("outputs") / "suite" / f"{now:%Y-%m-%d}" / f"{now:%H-%M-%S-%f}"


def _print(decision: SuiteDecision, folder: Path) -> None:
    from auditfw.components.report.console import from_here, printing

    with printing() as page:
        print_suite(page, decision)
        page.console.print(
            page.text(f"files: {from_here(str(folder))}: suite.json, suite.md, junit.xml"), soft_wrap=True
        )
