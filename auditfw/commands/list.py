"""`auditfw list`: every component and named variant."""

from __future__ import annotations

import json
from typing import Any

from auditfw.config import build as bridge
from auditfw.config.variants import conf_folders, doc_line
from auditfw.core.errors import UsageError, nearest
from auditfw.kinds import KINDS


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
    rows = {
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
    return [rows[name] for name in sorted(rows)]


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from auditfw.components.report.console import printing

    with printing() as page:
        for kind in dict.fromkeys(row["kind"] for row in rows):
            page.head(f"{kind}: {KINDS[kind].doc if kind in KINDS else 'a complete named run'}")
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
