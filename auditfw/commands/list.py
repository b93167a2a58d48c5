"""The verbs that run no audit: list, check, init, sweep."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from auditfw.config import build as bridge
from auditfw.config.hydra.errors import complaint
from auditfw.config.hydra.jobs import jobs as sweep_jobs
from auditfw.config.variants import doc_line
from auditfw.core.document import some
from auditfw.core.errors import AuditError, Findings, UsageError, and_more, nearest
from auditfw.kinds import KINDS
from auditfw.kinds.capabilities import capability


def list_components(argv: list[str]) -> int:
    """`auditfw list [KIND] [--json]`: every component and named variant with its settings and origin."""
    as_json = "--json" in argv
    words = [word for word in argv if word != "--json"]
    bridge.prepare()
    kinds = [*KINDS, "experiment"]
    if len(words) > 1 or (words and words[0] not in kinds):
        raise UsageError(f"list {' '.join(words)}", "no such kind", None, nearest(words[0], kinds))
    rows = [row for kind in (words or kinds) for row in _rows(kind)]
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=1, default=str))
    else:
        _print(rows)
    return 0


def _rows(kind: str) -> list[dict[str, Any]]:
    if kind != "experiment":
        return bridge.described(kind)
    from auditfw.config.variants import conf_folders

    found = {
        file.stem: {
            "kind": kind,
            "name": file.stem,
            "what": "experiment",
            "doc": doc_line(file),
            "settings": {},
            "origin": origin,
        }
        for origin, folder in reversed(conf_folders())
        for file in sorted((folder / kind).glob("*.yaml"))
    }
    return [found[name] for name in sorted(found)]


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from auditfw.components.report.console import printing

    with printing() as page:
        for kind in dict.fromkeys(row["kind"] for row in rows):
            page.head(f"{kind}: {KINDS[kind].doc if kind in KINDS else 'a named whole run'}")
            grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
            for row in rows:
                if row["kind"] == kind:
                    grid.add_row(page.text(row["name"]), page.text(f"{row['doc']} ({_origin(row)})"), style="bold")
                    settings = ", ".join(f"{k}={_short(v)}" for k, v in row["settings"].items() if k != "use")
                    if settings:
                        grid.add_row("", page.text(settings))
            page.bar(grid)


def _origin(row: dict[str, Any]) -> str:
    return str(row["origin"]).removeprefix("auditfw.components.").removeprefix("auditfw.audits.")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


def check(argv: list[str]) -> int:
    """`auditfw check [OVERRIDES] [-m]`: composes, builds, finds files and columns, estimates the work; runs nothing.

    With -m it checks every job of the sweep, and ends with the worst code a job would have.
    """
    from .sweep import worst

    name, sweep, overrides = _asked(argv)
    if not sweep:
        _show([*_look(overrides, name), "nothing was run"])
        return 0
    errors: dict[str, list[AuditError]] = {}
    jobs = sweep_jobs(overrides, name)
    for number, job in enumerate(jobs):
        try:
            _show([f"job {number}: {' '.join(job)}", *_look(job, name)])
        except Exception as error:
            told = complaint(error)
            if told is None:
                raise
            for one in told.errors if isinstance(told, Findings) else [told]:
                placed = type(one)(f"job {number}, {' '.join(job)}: {one.where}", one.what, one.found, one.do)
                errors.setdefault(str(one), []).append(placed)
    _show([f"{some(len(jobs), 'job')}, nothing was run"])
    if errors:
        found = Findings([and_more(same[0], len(same) - 1) for same in errors.values()])
        found.exit_code = worst([same[0].exit_code for same in errors.values()])
        raise found
    return 0


def _asked(argv: list[str]) -> tuple[str, bool, list[str]]:
    """The primary config, whether a sweep is meant, and the overrides. Raises UsageError for other flags."""
    name, sweep, overrides = "config", False, list[str]()
    words = iter(argv)
    for word in words:
        flag, _, value = word.partition("=")
        if flag in ("--config-name", "-cn"):
            name = value or next(words, "")
        elif word in ("-m", "--multirun"):
            sweep = True
        elif word.startswith("-"):
            raise UsageError(f"check {word}", "no such flag", None, "check takes --config-dir, --config-name and -m")
        else:
            overrides.append(word)
    return name, sweep, overrides


def _look(overrides: list[str], name: str) -> list[str]:
    """What a run would do."""
    from auditfw.audits.spine import check_gates_known, contradictions

    settings = bridge.compose(overrides, name)
    run, warnings = bridge.build(settings)
    check_gates_known(run)
    lines = [f"audit: {run.audit.name}"]
    looked = capability(run.audit, "look")
    if looked is not None:
        lines += looked(run.cells)
    lines += [f"gates: {', '.join(run.gates) or 'none'}", f"reports: {', '.join(run.reports) or 'none'}"]
    warnings += contradictions(run.gates)
    return [*lines, *(f"warning: {warning}" for warning in warnings)]


def _show(lines: list[str]) -> None:
    from rich.console import Console

    from auditfw.core.escaping import terminal

    console = Console(file=sys.stdout)
    for line in lines:
        console.print(terminal(line), soft_wrap=True)


README = """# Audits of this project

Run here:

    auditfw experiment=mine

`conf/` holds experiments and named variants (the shipped ones stay available: `auditfw list`), `plugins/` Python
modules with components of your own: each `*.py` in it is imported at start.
"""

EXPERIMENT = """# @package _global_
# Audits the completions of this project (a first copy of the shipped sample's settings).
defaults:
  - answer_parsing
  - _self_
by: [variant]
"""

PLUGIN = '''"""A step of this project: register it, and use it in any list of steps."""

from dataclasses import dataclass

from auditfw import register


@register("step", "drop_hedge")
@dataclass(frozen=True)
class DropHedge:
    """Drops a leading hedge such as "I think"."""

    def __call__(self, text: str) -> str:
        return text.removeprefix("I think ").removeprefix("Maybe ")
'''

PARSER = """# @package audit.parsers.unhedged
# Keeps the first line, without a hedge before it.
defaults: [steps@_here_, _self_]
steps: [first_line, drop_hedge]
"""


def init(argv: list[str]) -> int:
    """`auditfw init FOLDER`: a user's project with conf/, plugins/ and a README that runs."""
    if len(argv) != 1:
        raise UsageError("init", "needs one folder", " ".join(argv) or None, "auditfw init FOLDER")
    folder = Path(argv[0])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(str(folder), "is not an empty folder", None, "name a new one")
    files = {
        "README.md": README,
        "conf/experiment/mine.yaml": EXPERIMENT,
        "conf/parser/unhedged.yaml": PARSER,
        "plugins/drop_hedge.py": PLUGIN,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"made {folder}: cd {folder} && auditfw experiment=mine")
    return 0


def sweep(argv: list[str]) -> int:
    """`auditfw sweep FOLDER`: reads the jobs of a sweep again, writes its summary and prints it."""
    from auditfw.commands.sweep.summary import summarise

    if len(argv) != 1:
        raise UsageError("sweep", "needs one folder", " ".join(argv) or None, "auditfw sweep FOLDER")
    return summarise(Path(argv[0]))
