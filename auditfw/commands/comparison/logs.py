"""`auditfw compare` with logs among its paths: each is audited with the rules of all, then compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.commands.error_output import warn
from auditfw.commands.paths.command import looks_like_path, named_paths
from auditfw.commands.stored_run import StoredRun, stored
from auditfw.commands.sweep.folder import job_folders
from auditfw.components.files.files import missing
from auditfw.config.hydra.arguments import sets_hydra
from auditfw.config.quoting import is_path
from auditfw.core.document import some
from auditfw.core.errors import AuditError, IncompleteError, NothingAudited, UsageError
from auditfw.core.escaping import typed
from auditfw.core.result_json import RESULT
from auditfw.kinds.capabilities import capability

from .label_changes import read_accepted
from .pair import ComparedPair, compared_pair
from .settings import PREFIX, CompareSettings, compare_settings
from .sides import (
    COMPLETE,
    LETTERS,
    ComparedSide,
    LogSide,
    audited,
    cells_of,
    log_side,
    new_folder,
    with_all_rules,
)

FLAGS = ("--json", "--markdown", "--all")
OF_SIDE = re.compile(r"(\d{1,3}):(.+)", re.DOTALL)
SCHEMA, START = b'"auditfw.baseline/', 4_096  # what an accepted run says of itself, in its first bytes
GATES = ("gate=[stable]", "gate=stable")


@dataclass(frozen=True)
class CompareWords:
    """The words of the command: paths, flags, settings, overrides of all sides and of single ones, by number."""

    paths: Sequence[str]
    flags: frozenset[str]
    settings: CompareSettings
    gated: bool
    overrides: Sequence[str] = ()
    of_side: dict[int, list[str]] = field(default_factory=dict)


def compare_words(argv: Sequence[str]) -> CompareWords:
    """The words, sorted. Raises UsageError."""
    flags = frozenset(word for word in argv if word in FLAGS)
    rest = [word for word in argv if word not in FLAGS]
    paths: list[str] = []
    while rest and (is_path(rest[0]) or "=" not in rest[0]) and not rest[0].startswith(("-", "~")):
        paths.append(rest.pop(0))
    own = [word for word in rest if word.startswith(PREFIX)]
    of_side: dict[int, list[str]] = {}
    overrides = []
    for word in rest:
        side = OF_SIDE.fullmatch(word)
        if side is not None and not is_path(word):
            of_side.setdefault(int(side[1]), []).append(side[2])
        elif word not in own and word not in GATES:
            overrides.append(word)
    for word in (*overrides, *(one for own_words in of_side.values() for one in own_words)):
        if sets_hydra(word):
            raise UsageError(word.partition("=")[0], "is not for compare: its files go below outputs/compare", None)
    for number in of_side:
        if not 1 <= number <= len(paths):
            what = f"there {'is one side' if len(paths) == 1 else f'are {len(paths)} sides'}"
            raise UsageError(f"{number}:{of_side[number][0]}", what, None, "number them as the paths stand")
    return CompareWords(paths, flags, compare_settings(own), any(w in GATES for w in rest), overrides, of_side)


def is_run(path: str) -> bool:
    """Whether a path is a run folder, or an accepted run."""
    place = Path(path)
    return (place / RESULT).is_file() or (place.is_file() and _is_accepted(place))


def _is_accepted(file: Path) -> bool:
    """Whether a file is an accepted run, by its name or its start."""
    if file.name.endswith("baseline.json"):
        return True
    try:
        with file.open("rb") as stream:
            return file.suffix == ".json" and SCHEMA in stream.read(START)
    except OSError:
        return False


def is_log(path: str) -> bool:
    """Whether a path is a log: a file or a folder that is there, and neither a run, a sweep nor what is left of one."""
    place = Path(path)
    left = any((place / name).exists() for name in ("manifest.json", "error.json", ".hydra", "sweep.json"))
    return (
        bool(named_paths([path]).paths)
        and not is_run(path)
        and not left
        and not (place.is_dir() and job_folders(place))
    )


def pairs_of_runs(runs: Sequence[StoredRun], settings: CompareSettings) -> list[ComparedPair]:
    """The first of finished runs with each further one; none where one has no label table, or they share no item."""
    if len(runs) > len(LETTERS) or any(one.folder.is_file() or one.result["audit"] != "parsing" for one in runs):
        return []
    sides = [ComparedSide(letter, str(run.folder), run) for letter, run in zip(LETTERS, runs, strict=False)]
    for side in sides:
        if why := _lacking(side, side.audit):
            warn(str(IncompleteError(side.called, "is an incomplete side", why)))
    try:
        return [compared_pair(sides[0], side, settings) for side in sides[1:]]
    except AuditError:
        if settings.on is not None:
            raise
        return []


def sides_of(words: CompareWords) -> tuple[list[ComparedSide], Path]:
    """The sides of a comparison, those of logs audited now, and the folder of its files. Raises AuditError."""
    _check(words)
    folder = new_folder()
    by = words.settings.by
    cells = [f"by=[{','.join(by)}]"] if by else []
    logs: dict[int, LogSide] = {}
    for at, path in enumerate(words.paths):
        if not is_run(path):
            _check_finished(Path(path))
            own = words.of_side.get(at + 1, [])
            named = {word.partition("=")[0] for word in own}
            common = [word for word in words.overrides if word.partition("=")[0] not in named]
            with _numbered(at + 1):
                logs[at] = log_side(LETTERS[at], [path], [*cells, *common, *own])
    with_rules = dict(zip(logs, with_all_rules(list(logs.values())), strict=True))
    sides = []
    for at, path in enumerate(words.paths):
        if at in with_rules:
            with _numbered(at + 1):
                side = audited(with_rules[at], folder / str(at + 1), words.settings.reuse, one_model=not by)
        elif Path(path).is_file():
            if at or by:
                what = "an accepted run has labels without texts" if by else "an accepted run comes first"
                raise UsageError(path, what, None, "write auditfw compare baseline.json LOG")
            side = ComparedSide(LETTERS[at], path, read_accepted(Path(path)))
        else:
            side = ComparedSide(LETTERS[at], path, stored(Path(path)))
        _check_complete(side)
        if side.run.folder.is_dir():
            _check_whole(side, logs.get(at))
        sides.append(side)
    return (cells_of(sides[0], by) if by else sides), folder


def best_first(sides: Sequence[ComparedSide]) -> list[ComparedSide]:
    """The sides with the best before the others, which stay in order; letters are anew by place."""
    best = max(sides, key=lambda side: side.labels.share)
    order = [best, *(side for side in sides if side is not best)]
    return [replace(side, letter=letter) for letter, side in zip(LETTERS, order, strict=False)]


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    """Writes the number of a side before a setting of its source that would mend an error of that side."""
    try:
        yield
    except AuditError as error:
        if not error.do or not error.do.startswith("source."):
            raise
        where, what, evidence, do = error.args
        raise type(error)(where, what, evidence, f"{number}:{do}") from error


def _check(words: CompareWords) -> None:
    paths = words.paths
    if words.settings.by and len(paths) != 1:
        do = "write auditfw compare LOG compare.by=[model]"
        raise UsageError("compare.by", "compares the cells of one log or run", some(len(paths), "path"), do)
    if len(paths) < 2 and not words.settings.by:
        raise UsageError("compare", "needs two", paths[0] if paths else None, "write auditfw compare A B")
    if len(paths) > len(LETTERS):
        raise UsageError("compare", f"at most {len(LETTERS)} sides", str(len(paths)), "leave some out")
    for path in paths:
        if not named_paths([path]).paths and looks_like_path(path):
            raise missing(path)
        if not named_paths([path]).paths:
            raise UsageError(path, "is no path", None, "paths come first, then settings")
    for at, path in enumerate(paths):
        before = next((one for one in paths[:at] if Path(one).resolve() == Path(path).resolve()), None)
        if before is not None:
            raise UsageError("compare", f"both are {path}: one run against itself", None, "name another")


def _check_finished(folder: Path) -> None:
    """Raises IncompleteError for the folder of a run that has no result."""
    if (folder / "manifest.json").is_file() and (folder / ".hydra").is_dir():
        raise IncompleteError(str(folder), "is an incomplete side", "a run without a result", "finish it first")


def _check_whole(side: ComparedSide, log: LogSide | None) -> None:
    """Raises IncompleteError for a log that is not whole, and for a finished run of such a log."""
    why = _lacking(side, side.audit if log is None else log.audit)
    if why:
        planned = f"audit.planned={side.run.result['counts']['read']}"
        do = f"write {LETTERS.index(side.letter) + 1}:{planned} to compare what is there"
        if log is None:
            do = f"compare a run of what is there: auditfw rerun {typed(str(side.run.folder))} {planned}"
        raise IncompleteError(side.called, f"{side.letter} is an incomplete side", why, f"finish the run, or {do}")


def _lacking(side: ComparedSide, audit: ParsingSettings | None) -> str:
    """In words how a side is of an unfinished run, or lacks trials of those that were planned; else empty.

    With `audit.planned` the user says how many there are to be, and that they are enough.
    """
    declared = capability(audit.source, "unfinished") if audit is not None and audit.planned is None else None
    try:
        why = declared() if callable(declared) else ""
    except AuditError:  # the log of a finished run is gone
        why = ""
    read, absent = side.run.result["counts"].get("read", 0), side.run.result["budget"]["absent"]
    return ", ".join(filter(None, [why, f"{read:,} of {read + absent:,} planned trials are read" * bool(absent)]))


def _check_complete(side: ComparedSide) -> None:
    result = side.run.result
    if result["audit"] != "parsing":
        what = f"is of a {result['audit']} run: gaps are made of right and wrong answers"
        raise UsageError(side.called, what, None, "compare runs of one audit")
    if result["exit_code"] not in COMPLETE:
        kind = NothingAudited if result["exit_code"] == NothingAudited.exit_code else IncompleteError
        why = f"exit code {result['exit_code']}"
        raise kind(side.called, "is an incomplete side", why, "correct its cause and run again")
