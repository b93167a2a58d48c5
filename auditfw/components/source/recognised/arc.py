"""ARC tasks: a file of one, or a folder of them, and recorded attempts at them."""

from __future__ import annotations

import json

from auditfw.components.files.looks.words import path_words
from auditfw.kinds.first_look import FirstLook, Looks, Recognised

PARTS = {"train", "test"}  # of a task
START = 1 << 20  # bytes of a task in a folder that is looked at


def proposes(looks: Looks) -> Recognised | None:
    """Tasks, beside them recorded attempts."""
    attempts = [look for look in looks if _is_attempts(look)]
    tasks = [look for look in looks if look not in attempts]
    if len(tasks) != 1 or len(attempts) > 1 or not _is_tasks(tasks[0]):
        return None
    words = ["experiment=self_audit", "source=arc", path_words("source.path", tasks)]
    if attempts:
        words += ["solver=replay", path_words("solver.path", attempts), "solver.past_end=stop"]
    return Recognised("ARC tasks" + (" with recorded attempts" if attempts else ""), tuple(words))


def _is_tasks(look: FirstLook) -> bool:
    if look.format == "object":
        return set(look.names) >= PARTS
    first = next((name for name in look.names if name.endswith(".json")), None)
    if look.format != "folder" or first is None or not all(map(_is_tasks, look.inside)):
        return False
    try:
        with open(f"{look.path}/{first}", "rb") as stream:
            task = json.loads(stream.read(START))
    except (ValueError, RecursionError):
        return False
    return isinstance(task, dict) and set(task) >= PARTS


def _is_attempts(look: FirstLook) -> bool:
    columns = set(look.columns)
    return look.format in ("jsonl", "json") and "problem" in columns and bool({"attempt", "attempts"} & columns)
