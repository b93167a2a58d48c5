"""`auditfw adjudicate`: an audit of a finished run by labels of people, and what came of it beside that run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditfw.components.files.run_tables import digest_of
from auditfw.config.quoting import is_path
from auditfw.core.document import Note, Section
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.escaping import quoted
from auditfw.core.files import present, read_text
from auditfw.core.records import Result, titled_answer
from auditfw.core.result_json import RESULT
from auditfw.core.shapes import declared, json_value

ADJUDICATE = "adjudicate"
ADJUDICATED = "labels/adjudicated.json"  # below a run: the last adjudication of it
EXAMPLE = "write auditfw adjudicate RUN labels.csv"


def adjudicate(words: Sequence[str]) -> list[str]:
    """`auditfw adjudicate RUN LABELS... [OVERRIDES]`: what people say about the labels of a run, and its true rate.

    The words of the run that it stands for. Raises UsageError.
    """
    places = [word for word in words if is_path(word) or ("=" not in word and not word.startswith(("-", "~")))]
    if not places:
        raise UsageError(ADJUDICATE, "needs a run folder and files with labels", " ".join(words) or None, EXAMPLE)
    run, *files = places
    if not files:
        raise UsageError(ADJUDICATE, "needs files with labels behind the run folder", run, EXAMPLE)
    named = f"audit.labels=[{','.join(map(quoted, files))}]"
    return ["experiment=adjudication", f"audit.run={quoted(run)}", named, *(w for w in words if w not in places)]


@dataclass(frozen=True)
class _StoredAnswer:
    status: str
    words: str
    headline: str


@dataclass(frozen=True)
class _Adjudicated:
    """adjudicated.json: the SHA-256 of the result.json it is of, what the answer says, where the adjudication is."""

    run: str
    answer: _StoredAnswer
    folder: str


def with_people(result: Result, folder: Path) -> Result:
    """A finished result with one line on its last adjudication, if that lies beside it and is of this result."""
    file = folder / ADJUDICATED
    try:
        if not present(file):
            return result
        of = declared(_Adjudicated, json_value(read_text(file)), str(file))
    except (AuditError, ValueError):
        return result
    if of.run != digest_of(folder / RESULT) or not present(Path(of.folder) / RESULT):
        return result
    answer = of.answer
    note = Note(f"By people: {titled_answer(answer.words, answer.status)}. {answer.headline} ({of.folder})")
    shown = next((one for one in result.sections if one.screen == "data"), None)
    if shown is None:
        return replace(result, sections=[*result.sections, Section("Data", [note], screen="data")])
    added = replace(shown, blocks=[*shown.blocks, note])
    return replace(result, sections=[added if one is shown else one for one in result.sections])
