"""A folder of runs that its metadata.json lists."""

from __future__ import annotations

from auditfw.core.escaping import value
from auditfw.kinds.first_look import Looks, Recognised

METADATA = "metadata.json"


def proposes(looks: Looks) -> Recognised | None:
    """The one folder of this shape; where nobody named it, one of its files must be a database."""
    if len(looks) != 1 or looks[0].format != "folder" or METADATA not in looks[0].names:
        return None
    if looks[0].inside and not any(look.format == "sqlite" for look in looks[0].inside):
        return None
    folder = looks[0].path.rstrip("/")
    runs = value(f"{folder}/runs" if "runs/" in looks[0].names else folder)
    words = ("source=conformity", f"source.metadata={value(f'{folder}/{METADATA}')}", f"source.runs_dir={runs}")
    return Recognised("a folder of conformity runs", words)
