"""The command line: verbs, or Hydra's own grammar; one line for an error, and the documented exit code."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from auditfw.config.hydra.arguments import check_flags, check_targets, flags_last
from auditfw.config.quoting import is_path, with_quoted_paths
from auditfw.core import interrupts
from auditfw.core.errors import UsageError, nearest
from auditfw.core.imports import importable
from auditfw.core.masking import hidden, masking_streams
from auditfw.core.native import compiled
from auditfw.core.processes import check_address_space
from auditfw.core.remote.addresses import conceal
from auditfw.core.results.latest import LATEST, newest

from .completion.candidates import UPGRADE, VERBS
from .error_output import (
    FULL_ERROR,
    ignore_closed_pipe,
    message_and_code,
    open_closed_streams,
    print_error,
    spell_unwritable,
    warn,
)
from .labelling.adjudicate import ADJUDICATE, adjudicate
from .progress import show_run
from .run_folder import check_folders

if TYPE_CHECKING:
    from auditfw.commands.sweep.task import SweepTask


SHOWING = (
    "check",
    "compare",
    "doctor",
    "explain",
    "export",
    "list",
    "plan",
    "probe",
)  # verbs that leave no file which says that they ended


def main(argv: Sequence[str]) -> int:
    """Runs one command and returns its exit code; what it changes in the process for that is put back."""
    wanted_traceback = os.environ.get(FULL_ERROR) == "1"
    with _restored(), importable():
        os.environ[FULL_ERROR] = "1"  # Hydra then raises instead of printing and exiting
        open_closed_streams()
        spell_unwritable()
        with masking_streams():
            return _main(argv, wanted_traceback)


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    """Leaves the environment, `sys.argv` and the handlers of logging as they were: more may follow in the process."""
    full_error, words, raising = os.environ.get(FULL_ERROR), sys.argv, logging.raiseExceptions
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        if full_error is None:
            os.environ.pop(FULL_ERROR, None)
        else:
            os.environ[FULL_ERROR] = full_error
        for handler in set(root.handlers).difference(handlers):
            with contextlib.suppress(OSError):  # a log is none of the results
                handler.close()
        sys.argv, logging.raiseExceptions, root.handlers[:] = words, raising, handlers
        root.setLevel(level)


def _main(argv: Sequence[str], wanted_traceback: bool) -> int:
    interrupts.guard(compiled())
    code = 0
    try:
        with ignore_closed_pipe():
            code = _command(list(argv))
            sys.stdout.flush()
        return code
    except (KeyboardInterrupt, interrupts.Interrupted):
        return interrupts.end()
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # of a library in Rust
            raise
        if interrupts.number():  # what went wrong after a signal, went wrong for it
            return interrupts.end()
        if wanted_traceback:
            if not hidden():  # its words need no mask: the interpreter shows them
                raise error from None
            print("".join(traceback.format_exception(error)), end="", file=sys.stderr)
            return 1
        message, code = message_and_code(error)
        if not _for_a_prompt(argv):
            print_error(message)
        return code


def _for_a_prompt(argv: Sequence[str]) -> bool:
    """Whether a shell asks how a word may go on: an error would be printed into what is being typed."""
    asks = not {"-sc", "--shell-completion"}.isdisjoint(argv) and "COMP_LINE" in os.environ
    return asks and any(word.startswith("query=") for word in argv)


def _command(argv: list[str]) -> int:
    from auditfw.config.variants import take_config_dirs

    from .trust import take_flag

    conceal(argv)
    check_targets(argv)
    argv = with_quoted_paths(flags_last(take_config_dirs(take_flag(argv))))
    if "--help" in argv or "-h" in argv:
        from .help import manual

        print(manual())
        return 0
    if argv == ["--version"]:
        from importlib.metadata import version

        print(f"auditfw {version('auditfw')}, Hydra {version('hydra-core')}")
        return 0
    check_address_space()
    groups: Sequence[Sequence[str]] = ()
    if argv and argv[0] == ADJUDICATE:
        argv = adjudicate(with_latest(argv))
    if argv and argv[0] == UPGRADE:
        composed = _upgraded(argv[1:])
        if composed is None:
            return 0
        argv = composed
    if argv and argv[0] not in VERBS and not all(map(_is_plain, argv)):
        from auditfw.config.hydra.state import own_state

        from .paths.bare_words import check_bare_words
        from .paths.command import with_paths

        check_bare_words(argv, VERBS)
        with own_state():
            commanded = with_paths(argv)
        groups = commanded.runs if commanded.several else ()
        argv = list(commanded.rest) if groups else commanded.words
    if argv and re.fullmatch(r"[a-z]+", argv[0]):
        verb = _verb(argv[0])
        interrupts.look()
        takes_runs = VERBS[argv[0]].takes in ("runs", "gate", "tables", "labels", "planned")
        with _hydra_state():
            code = verb(_without_links(with_latest(argv)) if takes_runs else argv[1:])
        if argv[0] in SHOWING:
            interrupts.look()
        return code
    logging.raiseExceptions = False  # a closed pipe ends quietly, also where Hydra prints through a logger
    if not groups:
        from .start import start

        start(argv)
    from auditfw.config.hydra.state import own_state

    with own_state():
        return _hydra(argv, groups)


def _upgraded(words: Sequence[str]) -> list[str] | None:
    """The words of the run that `auditfw upgrade` stands for; None where it ran nothing."""
    from auditfw.config.hydra.state import own_state

    from .paths.upgrade import upgrade

    with own_state():
        return upgrade(words)


def _hydra_state() -> AbstractContextManager[None]:
    """Hydra's state for a verb that uses it; others do without its import."""
    if "hydra" not in sys.modules:
        return contextlib.nullcontext()
    from auditfw.config.hydra.state import own_state

    return own_state()


def _is_plain(word: str) -> bool:
    """Whether a word is a flag or an override, and no path or pattern of paths."""
    if is_path(word) or ("=" not in word and not word.startswith(("-", "~"))):
        return False
    if word.startswith(("-", "~")) or not set(word) & set("/*?"):
        return True
    from .paths.bare_words import is_setting

    return is_setting(word)


def _verb(name: str) -> Callable[[list[str]], int]:
    """The function of a verb, whose module is imported now. Raises UsageError."""
    if name not in VERBS:
        raise UsageError(name, "no such command", None, nearest(name, list(VERBS)))
    verb: Callable[[list[str]], int] = getattr(import_module(VERBS[name].module, __package__), VERBS[name].function)
    return verb


def _hydra(argv: list[str], groups: Sequence[Sequence[str]] = ()) -> int:
    """Runs Hydra over these arguments and returns the code of what it ran; groups of words make it a sweep of them."""
    from auditfw.config import build as bridge
    from auditfw.config.choices import parsed
    from auditfw.config.hydra import command as commanding

    from .resume import resumed

    argv = ["-m", *argv] if groups and {"-m", "--multirun"}.isdisjoint(argv) else argv
    words = check_flags(argv)
    keys = [word.partition("=")[0].lstrip("+~") for word in argv if not word.startswith("-")]
    taken = resumed(argv)
    argv = taken.words
    check_targets(argv)
    check_folders(argv, writes=not (words.cfg or words.info or words.multirun))
    if not words.shell_completion:
        parsed([word for word in argv if not word.startswith("-") and "=" in word])
    bridge.prepare()
    for file in bridge.foreign_configs():
        warn(f"{file}: chooses no audit, so it is taken for another program's, and the shipped one is used")
    from auditfw.commands.sweep.task import SweepTask

    interrupts.look()
    task = SweepTask(show_run, taken.sweep, keys, taken.origin, taken.groups or groups)
    task.as_json = any(word.replace(" ", "") in ("report=[json]", "report=json") for word in argv)
    flags = [word for word in argv if word.startswith("-")]
    several = not {"-m", "--multirun"}.isdisjoint(flags)
    if several:
        argv = _without_duplicates(argv)
    sys.argv = [sys.argv[0], *argv]
    plain = len(flags) == several and not any("hydra.mode" in word for word in argv)
    if plain and several:
        return _sweep(task, [word for word in argv if word not in flags])
    if plain:
        try:
            with commanding.composing(task) as hydra:
                hydra.run("config", task, argv)
            return task.finish()
        except commanding.SweepWantedError:
            return _sweep(task, argv)
    begin = commanding.main(task)
    return _ended(task, begin if words.cfg is None else lambda: _shown(begin, words.package))


def _shown(show: Callable[[], Any], package: str | None) -> None:
    """Has Hydra print the config, or a part of it; Hydra itself ends the program where there is no such part."""
    try:
        with contextlib.redirect_stderr(io.StringIO()) if package is not None else contextlib.nullcontext():
            show()
    except SystemExit:
        raise UsageError("--package", "no such part of the config", package, "write it as in source.path") from None


def _sweep(task: SweepTask, overrides: list[str]) -> int:
    """Hydra's sweep."""
    from auditfw.config.hydra.command import composing

    with composing(task) as hydra:
        return _ended(task, lambda: hydra.multirun("config", task, [*overrides, "hydra.mode=MULTIRUN"]))


def _ended(task: SweepTask, work: Callable[[], Any]) -> int:
    """Does the work, and ends what it began, also where it breaks off."""
    with task.held:
        try:
            work()
            interrupts.look()
        except (KeyboardInterrupt, interrupts.Interrupted):
            with contextlib.suppress(Exception):
                task.finish()  # a sweep's summary lists the jobs that are finished
            raise
        except Exception as error:
            interrupts.look()
            return task.end_early(error)
        return task.finish()


def _without_duplicates(argv: list[str]) -> list[str]:
    """The words of a sweep with every value once; warns of duplicates."""
    from auditfw.config.choices import without_duplicates

    once = [without_duplicates(word) if "=" in word.lstrip("-") and word[0] != "-" else word for word in argv]
    for word, kept in zip(argv, once, strict=True):
        if word != kept:
            warn(f"{word}: a duplicate value is run only once")
    return once


def with_latest(argv: Sequence[str]) -> list[str]:
    """The words of a verb that takes runs, `latest` as the newest run below outputs/, for `sweep` as the newest sweep.

    A path of that name counts first. Raises UsageError where there is no run.
    """
    verb, *words = argv
    return [_newest(verb) if word == LATEST and not os.path.lexists(word) else word for word in words]


def _newest(verb: str) -> str:
    """The newest finished run, by the date and time that its folder is named for."""
    run = newest("sweeps" if verb == "sweep" else "*")
    if run is None:
        what = "sweep" if verb == "sweep" else "run"
        raise UsageError(LATEST, f"no finished {what} is below outputs/", None, f"name the folder of a {what}")
    return str(run)


def _without_links(words: Sequence[str]) -> list[str]:
    """The words less links to runs that others name: a pattern of run folders matches the link `latest`, too."""
    links = [word for word in words if os.path.islink(word.rstrip("/"))]
    named = {os.path.realpath(word) for word in words if word not in links}
    return [word for word in words if word not in links or os.path.realpath(word) not in named]
