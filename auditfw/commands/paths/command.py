"""`auditfw PATH...`: paths as the first words of a command, in place of the settings that runs would need."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from auditfw.commands.error_output import warn
from auditfw.components.files.files import missing
from auditfw.components.files.looks.attempts import path_word
from auditfw.components.files.looks.first_look import first_look
from auditfw.components.files.paths import paths_of
from auditfw.components.files.walk import PassedOver, matching
from auditfw.config.choices import parsed
from auditfw.config.quoting import is_path
from auditfw.core.errors import UsageError
from auditfw.core.escaping import terminal, typed
from auditfw.core.remote.addresses import is_remote
from auditfw.core.remote.places import actual, typed_again
from auditfw.kinds.first_look import FirstLook

from .bare_words import is_setting
from .field_logs import of_harness
from .guessed_runs import guessed_run, unknown
from .proposal import Own, Proposal, spelt
from .sources import Scan, left_out, scanned
from .tables import of_others, of_tables

ONE_RUN = re.compile(r"(--cfg|-c|--info|-i|--package|-p|--resolve)(=.*)?")  # flags
ALONE = ("-m", "--multirun", "--resolve")  # flags that take no word


@dataclass(frozen=True)
class NamedPaths:
    """The paths at the start of a command, and the words that follow."""

    paths: tuple[str, ...]
    rest: tuple[str, ...]
    left_out: PassedOver = field(default_factory=PassedOver)


@dataclass(frozen=True)
class PathRuns:
    """What a command is to run: the words of each run that its paths stand for, before those of the user.

    Without paths there is one run, of no words.
    """

    runs: tuple[tuple[str, ...], ...]
    rest: tuple[str, ...]

    @property
    def several(self) -> bool:
        return len(self.runs) > 1

    @property
    def words(self) -> list[str]:
        """The words of the only run. Raises UsageError for several."""
        if self.several:
            raise UsageError("paths", "are several runs", f"{len(self.runs)}", "name the files of one of them")
        return [*self.runs[0], *self.rest]


def named_paths(argv: Sequence[str]) -> NamedPaths:
    """The first words that are existing files or folders, whatever characters they have, or globs with matches."""
    paths: list[str] = []
    left_out = PassedOver()
    limit = next((word.partition("=")[2] for word in argv if word.startswith("source.max_remote=")), "")
    for at, word in enumerate(argv):
        matches = _matches(word, left_out, int(limit) if limit.isdecimal() else None)
        if not matches:
            return NamedPaths(tuple(paths), tuple(argv[at:]), left_out)
        paths += matches
    return NamedPaths(tuple(paths), (), left_out)


def with_paths(argv: Sequence[str], letter: str = "") -> PathRuns:
    """The runs that fit the paths at the start of a command; writes them out, too. Raises AuditError.

    Of a side of a comparison, by its letter, it writes what it is, and no more.
    """
    named = named_paths(argv)
    check_no_path(named.rest, named.paths)
    for path in filter(is_setting, named.paths):
        warn(f"{path}: is the path of this name; a setting goes behind another word, as in experiment=NAME {path}")
    if not named.paths:
        return PathRuns(((),), tuple(argv))
    scan, proposed = recognised(named.paths, named.rest)
    runs = tuple(tuple(typed_again(kept(one, named.rest))) for one in proposed)
    if len(runs) > 1:
        _check_flags(named.rest)
    for number, (one, words) in enumerate(zip(proposed, runs, strict=True)):
        job = f"job {number}: " if len(runs) > 1 else ""
        line = f"{job}{one.what}: {spelt([*words, *named.rest])}"
        line = f"{letter} is {' '.join(named.paths)}: {one.what}" if letter else line
        print(terminal(f"auditfw: {line}"), file=sys.stderr)
    scan.left_out.join(named.left_out)
    for line in left_out(scan, {file for one in proposed for file in one.files}):
        warn(line)
    return PathRuns(runs, named.rest)


def _matches(word: str, left_out: PassedOver, most: int | None) -> list[str]:
    if word.startswith("-"):
        return []
    if is_remote(word):
        word, pattern = actual(word, most, "source.max_remote"), word
        if not os.path.lexists(word):
            return matching(word, left_out, folders=True) or [pattern]
    if is_path(word):
        return [word]
    if not glob.has_magic(word) or is_setting(word):
        return []
    here = PassedOver()
    matches = matching(word, here, folders=True)
    if here and not matches:
        raise here.refusal(word)
    left_out.join(here)
    return matches


def check_no_path(words: Sequence[str], paths: Sequence[str] = ()) -> None:
    """Raises DataError for a first word that looks like a path and is none, UsageError for a path that comes later."""
    for at, word in enumerate(words):
        is_override = (is_setting(word) or word.startswith("~")) and not ("/" in word and is_path(word))
        before = words[at - 1] if at else ""
        of_flag = before.startswith("-") and "=" not in before and before not in ALONE
        if is_override or word.startswith("-") or not word or of_flag:
            continue
        if at == 0 and not os.path.exists(word) and looks_like_path(word):
            if glob.has_magic(word):
                paths_of(word, (), "")
            raise missing(word)
        if os.path.exists(word) or is_remote(word):
            others = [one for one in words if one != word]
            setting = typed(path_word("source.path", [word]))
            do = f"{spelt([*paths, word, *others])}, or name it in {setting}"
            raise UsageError(word, "is a path, and paths come first", None, do)


def looks_like_path(word: str) -> bool:
    """Whether a word would be a path: it has a slash, an ending, or what is special in patterns, or is in a folder."""
    if "=" in word:
        return os.path.isdir(os.path.dirname(word))
    return "/" in word or glob.has_magic(word) or re.search(r"\w\.\w+$", word) is not None


def _check_flags(words: Sequence[str]) -> None:
    """Raises UsageError for what only one run can be asked. Several runs are a sweep, whose values need -m."""
    sweeps = not {"-m", "--multirun"}.isdisjoint(words)
    for word in words:
        if ONE_RUN.fullmatch(word):
            raise UsageError(
                word, "works on one run, and these paths make several runs", None, "name the files of one of them"
            )
        if word.partition("=")[0] == "resume":
            raise UsageError(word, "takes its runs from the folder", None, f"auditfw {word}")
    if sweeps:
        return
    for one in parsed([word for word in words if "=" in word and not word.startswith("-")]):
        if one.is_sweep_override():
            raise UsageError(str(one.input_line), "has several values", None, "write -m for all of them")


def recognised(paths: Sequence[str], rest: Sequence[str] = ()) -> tuple[Scan, list[Proposal]]:
    """What the paths hold, and the runs that fit, sorted by format and file. Raises AuditError."""
    own: Own = {key.lstrip("+~"): text for key, _, text in (word.partition("=") for word in rest)}
    scan = scanned(paths)
    named = [path for path in dict.fromkeys(paths) if path not in scan.empty]
    together = of_tables(_whole(named, scan)) if not scan.logs else None
    if together is not None:
        return scan, [replace(together, files=tuple(look.path for look in scan.others))]
    proposed = [run for name in sorted(scan.logs) for run in of_harness(name, scan.logs[name], paths, own)]
    proposed += of_others(scan)
    if not proposed:
        looks = scan.others or _whole(named, scan)
        if (guessed := guessed_run(looks, own, ask)) is None:
            for path in scan.unread:
                first_look(path)  # which says what is wrong with it
            raise unknown(looks)
        proposed = [replace(guessed, files=(looks[0].path,))]
    if len(proposed) == 1 and proposed[0].error is not None:
        raise proposed[0].error
    return scan, proposed


def _whole(paths: Sequence[str], scan: Scan) -> list[FirstLook]:
    """A look at each path as it was named. Raises AuditError."""
    seen = {look.path: look for look in scan.others}
    return [seen.get(path) or first_look(path) for path in paths]


def kept(proposed: Proposal, rest: Sequence[str]) -> list[str]:
    """The words of a proposed run, less those whose keys the user sets, and the one that has it say its guesses."""
    own = {word.partition("=")[0].lstrip("+~") for word in rest}
    guessed = [key for key in proposed.guessed if key not in own]
    words = [*proposed.words, *([f"guessed=[{','.join(guessed)}]"] if guessed else [])]
    other = {one.partition("=")[0] for one in rest if one not in words}
    chosen = next((one for one in rest if one.startswith("scorer=")), None)
    words = [word for word in words if chosen is None or _scorer(word) in chosen]
    return [word for word in words if word.partition("=")[0] not in own and _component(word) not in other]


def _scorer(word: str) -> str:
    """The scorer of which a word sets something: that of audit.scorers.NAME.parser.steps; "" of another word."""
    place, _, below = word.partition("=")[0].partition("audit.scorers.")
    return below.partition(".")[0] if not place else ""


def _component(word: str) -> str:
    """The group of which a word sets something: `matcher` of audit.matcher.which=last; no other component has it."""
    place, _, below = word.partition("=")[0].removeprefix("audit.").partition(".")
    return place if below and word.startswith("audit.") else ""


# A question on the terminal, answered by one key.

termios: Any = None
tty: Any = None
try:
    import termios
    import tty
except ImportError:  # on Windows
    pass

MOST = 9  # choices, of a key each


def ask(question: str, choices: Sequence[str]) -> int | None:
    """Asks on standard error, and returns the place of the choice; None for any other key, or without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or not 0 < len(choices) <= MOST:
        return None
    print(terminal(f"auditfw: {question}?"), file=sys.stderr)
    for number, choice in enumerate(choices, 1):
        print(terminal(f"  {number}  {choice}"), file=sys.stderr)
    print("one key (any other: the command to complete): ", end="", file=sys.stderr, flush=True)
    key = _key()
    print(terminal(key.strip()), file=sys.stderr)
    return int(key) - 1 if key.isdecimal() and 1 <= int(key) <= len(choices) else None


def _key() -> str:
    """The next key, as it is pressed; a line where single keys cannot be read."""
    if termios is None:
        return sys.stdin.readline()[:1]
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSANOW)  # a key that was pressed early counts
        return os.read(sys.stdin.fileno(), 1).decode("ascii", "replace")
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
