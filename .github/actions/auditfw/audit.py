"""Runs an audit for the action: its reports, the summary of the job, and what later steps need to know.

The step itself does not fail: the exit code of the audit is an output, and the last step of the action ends with it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

USAGE, DEFECT = 2, 70
SUMMARY = "GITHUB_STEP_SUMMARY"
WITHHELD = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", SUMMARY, "GITHUB_TOKEN", "GH_TOKEN")
ERROR = "auditfw: error:"
SHOWN = 20


def words(text: str) -> list[str]:
    """The words of the command, a line each. Raises ValueError for what an action cannot take."""
    listed = [line.strip() for line in text.splitlines() if line.strip()]
    for word in listed:
        if word.startswith("-"):
            raise ValueError(f"arguments: flags cannot be set here ({word}): the action runs one audit")
        if word.lstrip("+~").startswith("hydra."):
            raise ValueError(f"arguments: {word.partition('=')[0]} is set by the action")
    return listed


def quoted(path: Path) -> str:
    """A path as a value of the command line."""
    return "'" + str(path).replace("\\", "\\\\").replace("'", "\\'") + "'"


def environment() -> dict[str, str]:
    """What auditfw sees, which runs code of the checkout: nothing that later steps take, nor what may comment.

    Who writes into GITHUB_ENV or GITHUB_PATH sets variables and programs for the step that has the token.
    """
    withheld = {name for name in os.environ if name in WITHHELD or name.startswith("ACTIONS_")}
    return {name: value for name, value in os.environ.items() if name not in withheld}


def ran(command: Sequence[str], **more: str) -> tuple[int, list[str]]:
    """Runs auditfw; gives its exit code and the errors that it printed."""
    errors: list[str] = []
    started = [sys.executable, "-P", "-m", "auditfw", *command]
    with subprocess.Popen(
        started, env={**environment(), **more}, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    ) as process:
        for line in process.stderr or ():
            print(line, end="", file=sys.stderr, flush=True)
            if line.startswith(ERROR) and len(errors) < SHOWN:
                errors.append(line.rstrip())
    return process.returncode, errors


def audited(command: Sequence[str], folder: Path) -> tuple[int, list[str]]:
    """Runs the audit into a folder, and writes the page and what GitHub shows."""
    summary = folder.parent / "summary.md"
    code, errors = ran([*command, f"hydra.run.dir={quoted(folder)}"], **{SUMMARY: str(summary)})
    if not (folder / "result.json").is_file():
        return (code or USAGE), errors or [f"{ERROR} no run came of it (exit code {code})"]
    ran(["report", str(folder), "report=[html,ci]"], **{SUMMARY: str(summary)})
    if SUMMARY in os.environ and summary.is_file() and not summary.is_symlink():
        with open(os.environ[SUMMARY], "ab") as stream:
            stream.write(summary.read_bytes())
    return code, errors


def outcome(folder: Path) -> dict[str, str]:
    """Verdict and answer of a finished run; empty where there is none."""
    try:
        result = json.loads((folder / "result.json").read_text("utf-8"))
        values = {"verdict": result["verdict"], "answer": (result["answer"] or {}).get("status", "")}
    except (OSError, ValueError, KeyError):
        values = {"verdict": "", "answer": ""}
    return {name: value if re.fullmatch("[a-z]*", value) else "" for name, value in values.items()}


def main() -> int:
    """Runs the audit and writes the outputs of the step."""
    place = Path(tempfile.mkdtemp(prefix="auditfw-", dir=os.environ.get("RUNNER_TEMP") or None))
    folder = place / "run"
    try:
        code, errors = audited(words(os.environ.get("AUDITFW_ACTION_ARGUMENTS", "")), folder)
    except ValueError as error:
        code, errors = USAGE, [f"{ERROR} {error}"]
        print(errors[0], file=sys.stderr)
    (place / "errors.txt").write_text("\n".join(errors), "utf-8")
    finished = str(folder) if (folder / "result.json").is_file() else ""
    outputs = {"exit-code": str(code), **outcome(folder), "folder": finished, "place": str(place)}
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as stream:
        stream.writelines(f"{name}={value}\n" for name, value in outputs.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
