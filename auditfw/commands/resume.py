"""`resume=FOLDER`: the words of an interrupted run or sweep, as far as they are taken from a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auditfw.commands.sweep.folder import FILE, read_plan
from auditfw.config.stored import check_words, launched, read_words
from auditfw.core.errors import UsageError
from auditfw.core.escaping import quoted
from auditfw.core.files import data_digest, present, read_bytes
from auditfw.core.result_json import JOURNAL, RESULT

from .trust import STORED_BYTES, Origin, made_here

KEY = "resume"


@dataclass(frozen=True)
class Resumed:
    """A command with the words that come from a folder before its own.

    `sweep` is that folder where it is a sweep's; `origin` says where the words come from, None where none were taken;
    `groups` are the words of each run that the sweep has for all of its combinations.
    """

    words: list[str]
    sweep: Path | None = None
    origin: Origin | None = None
    groups: Sequence[Sequence[str]] = ()


def resumed(argv: Sequence[str]) -> Resumed:
    """The words of a command that may go on with a run or a sweep. Raises UsageError, or DataError."""
    named = next((word.partition("=")[2].strip("'\"") for word in argv if word.partition("=")[0] == KEY), "")
    if not named or named == "null":
        return Resumed(list(argv))
    folder = Path(named)
    if not folder.is_dir():
        raise UsageError(KEY, "no such run folder", named, "name the folder of an interrupted run")
    return _of_sweep(argv, folder) if present(folder / FILE) else _of_run(argv, folder)


def _of_run(argv: Sequence[str], folder: Path) -> Resumed:
    """The overrides of a run come first, except for keys that the command sets itself."""
    file = folder / ".hydra" / "overrides.yaml"
    if not present(file):
        if not present(folder / JOURNAL):
            what = "nothing was started there: no stored command, no plan, no journal"
            if present(folder / RESULT):
                what = "the run there is finished and stored no command to repeat"
            raise UsageError(KEY, what, str(folder), "run the original command again, without resume")
        return Resumed(list(argv))
    words, mark = read_words(file)
    before, origin = _stored_words(file, words, argv, Origin(folder, made_here(mark)))
    return Resumed([*before, *argv], None, origin)


def _of_sweep(argv: Sequence[str], sweep: Path) -> Resumed:
    """The words of the original command come first, except for keys that this command sets itself."""
    file = sweep / FILE
    plan = read_plan(sweep)
    assert plan is not None
    own_words = [word for word in argv if word.partition("=")[0] != KEY and word not in ("-m", "--multirun")]
    mark = data_digest(read_bytes(file, STORED_BYTES))
    before, origin = _stored_words(file, [*plan.words, *plan.hydra], own_words, Origin(sweep, made_here(mark)))
    groups = [_stored_words(file, group, own_words, origin)[0] for group in plan.groups]
    return Resumed(["-m", *before, *own_words, f"hydra.sweep.dir={quoted(str(sweep))}"], sweep, origin, groups)


def _stored_words(
    file: Path, words: Sequence[str], own_words: Sequence[str], origin: Origin
) -> tuple[list[str], Origin]:
    """The stored words whose keys the command does not set, checked. Raises UsageError for one that is refused."""
    keys = {_key(word) for word in own_words} | {KEY}
    before = [word for word in words if _key(word) not in keys]
    check_words(file, before)
    origin.check(launched(before))
    return before, origin


def _key(word: str) -> str:
    return word.partition("=")[0].lstrip("+~")
