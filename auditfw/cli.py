"""The command line: verbs, or Hydra's own grammar; one line for an error, and the documented exit code."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import interrupts
from .config.arguments import check_flags, check_folders, check_targets
from .errors import UsageError, nearest
from .native import compiled
from .saying import FULL_ERROR, heard_or_not, open_closed_streams, say, told_of, warn

if TYPE_CHECKING:
    from .sweep.task import Task


def main(argv: Sequence[str]) -> int:
    """Runs one command and returns its exit code."""
    wanted_traceback = os.environ.get(FULL_ERROR) == "1"
    os.environ[FULL_ERROR] = "1"  # Hydra then raises instead of printing and exiting
    interrupts.guard(compiled())
    open_closed_streams()
    code = 0
    try:
        with heard_or_not():
            code = _command(list(argv))
            sys.stdout.flush()
        return code
    except (KeyboardInterrupt, interrupts.Interrupted):
        return interrupts.end()
    except Exception as error:
        if interrupts.number():  # what went wrong after a signal, went wrong for it
            return interrupts.end()
        if wanted_traceback:
            raise
        told, code = told_of(error)
        say(told)
        return code


def _command(argv: list[str]) -> int:
    from auditfw.config.variants import take_config_dirs

    check_targets(argv)
    argv = take_config_dirs(argv)
    if "--help" in argv or "-h" in argv:
        from auditfw.manual import manual

        print(manual())
        return 0
    if argv == ["--version"]:
        from importlib.metadata import version

        print(f"auditfw {version('auditfw')}, Hydra {version('hydra-core')}")
        return 0
    if argv and re.fullmatch(r"[a-z]+", argv[0]):
        verbs = _verbs()
        if argv[0] not in verbs:
            raise UsageError(argv[0], "no such verb", None, nearest(argv[0], list(verbs)))
        interrupts.look()
        return verbs[argv[0]](argv[1:])
    logging.raiseExceptions = False  # a closed pipe ends quietly, also where Hydra prints through a logger
    return _hydra(argv)


def _verbs() -> dict[str, Callable[[list[str]], int]]:
    from auditfw import listing, verbs

    return {
        "list": listing.list_components,
        "check": listing.check,
        "init": listing.init,
        "report": verbs.report,
        "sweep": listing.sweep,
        "compare": verbs.compare,
        "accept": verbs.accept,
        "rerun": verbs.rerun,
    }


def _hydra(argv: list[str]) -> int:
    """Runs Hydra over these arguments and returns the code of what it ran."""
    import hydra

    from auditfw.config import bridge
    from auditfw.config.choices import parsed
    from auditfw.config.places import shipped_conf
    from auditfw.config.variants import conf_folders

    words = check_flags(argv)
    given = [word.partition("=")[0].lstrip("+~") for word in argv if not word.startswith("-")]
    sweep = _resumed_sweep(argv)
    argv = _with_resumed(argv) if sweep is None else _with_sweep(argv, sweep)
    check_folders(argv)
    if not words.shell_completion:
        parsed([word for word in argv if not word.startswith("-") and "=" in word])
    bridge.prepare()
    from auditfw.sweep.task import Task

    interrupts.look()
    task = Task(_progress, sweep, given)
    task.as_json = any(word.replace(" ", "") in ("report=[json]", "report=json") for word in argv)
    flags = [word for word in argv if word.startswith("-")]
    several = not {"-m", "--multirun"}.isdisjoint(flags)
    if several:
        argv = _without_twins(argv)
    sys.argv = [sys.argv[0], *argv]
    plain = len(flags) == several and not any("hydra.mode" in word for word in argv)
    if plain and several:
        return _sweep(task, [word for word in argv if word not in flags])
    if plain and all(origin not in ("--config-dir", "conf/") for origin, _ in conf_folders()):
        with _composing() as composing:
            composing.run("config", task, argv)
        return task.finish()
    begin = hydra.main(version_base="1.3", config_path=str(shipped_conf()), config_name="config")(task)
    return _ended(task, begin if words.cfg is None else lambda: _shown(begin, words.package))


def _shown(show: Callable[[], Any], package: str | None) -> None:
    """Has Hydra print the config, or a part of it; Hydra itself ends the program where there is no such part."""
    try:
        with contextlib.redirect_stderr(io.StringIO()) if package is not None else contextlib.nullcontext():
            show()
    except SystemExit:
        raise UsageError("--package", "no such part of the config", package, "write it as in source.path") from None


def _sweep(task: Task, overrides: list[str]) -> int:
    """Hydra's sweep."""
    with _composing() as composing:
        composing.composed = lambda config: setattr(task, "wanted", Path(str(config.hydra.sweep.dir)))
        return _ended(task, lambda: composing.multirun("config", task, [*overrides, "hydra.mode=MULTIRUN"]))


def _ended(task: Task, work: Callable[[], Any]) -> int:
    """Does the work, and ends what it began, also where it breaks off."""
    with task.held:
        try:
            work()
            interrupts.look()
        except (KeyboardInterrupt, interrupts.Interrupted):
            with contextlib.suppress(Exception):
                task.finish()  # a sweep's summary tells of the jobs that are finished
            raise
        except Exception as error:
            interrupts.look()
            return task.end_early(error)
        return task.finish()


def _resumed_sweep(argv: list[str]) -> Path | None:
    """The folder that `resume` names, if it is a sweep's."""
    run = next((word.partition("=")[2].strip("'\"") for word in argv if word.partition("=")[0] == "resume"), "")
    return Path(run) if run and (Path(run) / "plan.json").is_file() else None


def _with_sweep(argv: list[str], sweep: Path) -> list[str]:
    """The words that made a sweep, but for those given anew."""
    from auditfw.config.launching import quoted
    from auditfw.sweep.plan import read_plan

    plan = read_plan(sweep)
    assert plan is not None
    anew = [word for word in argv if word.partition("=")[0] != "resume" and word not in ("-m", "--multirun")]
    given = {word.partition("=")[0].lstrip("+~") for word in anew}
    before = [word for word in [*plan.words, *plan.hydra] if word.partition("=")[0].lstrip("+~") not in given]
    return ["-m", *before, *anew, f"hydra.sweep.dir={quoted(str(sweep))}"]


def _with_resumed(argv: list[str]) -> list[str]:
    """With `resume=RUN` the overrides of that run come first, but for those given anew."""
    from auditfw.config.guard import load_yaml

    run = next((word.partition("=")[2] for word in argv if word.partition("=")[0] == "resume"), "")
    folder = Path(run.strip("'\""))
    if run and run != "null" and not folder.is_dir():
        raise UsageError("resume", "no such run folder", run, "name the folder of an interrupted run")
    file = folder / ".hydra" / "overrides.yaml"
    if not run or not file.is_file():
        return argv
    given = {word.partition("=")[0].lstrip("+~") for word in argv}
    before = [str(word) for word in load_yaml(file) or ()]
    return [*(word for word in before if word.partition("=")[0].lstrip("+~") not in given), *argv]


@contextlib.contextmanager
def _composing() -> Iterator[Any]:
    """Hydra over the shipped conf/. `hydra.main` composes a first time only to ask whether it is a sweep."""
    from hydra import version
    from hydra._internal.hydra import Hydra
    from hydra._internal.utils import create_config_search_path
    from hydra.core.global_hydra import GlobalHydra
    from hydra.types import RunMode

    from auditfw.config.launching import below_swept_groups
    from auditfw.config.places import shipped_conf

    class Composing(Hydra):  # type: ignore[misc, unused-ignore]
        composed: Callable[[Any], None] = staticmethod(
            lambda config: None
        )  # is shown the config that Hydra starts with

        def compose_config(  # type: ignore[override, unused-ignore]
            self, config_name: str | None, overrides: list[str], run_mode: RunMode, **named: Any
        ) -> Any:
            later = below_swept_groups(overrides) if run_mode == RunMode.MULTIRUN else []
            first = [word for word in overrides if word not in later]
            config = super().compose_config(config_name, first, run_mode, **named)
            own = set(config.hydra.overrides.hydra)
            config.hydra.overrides.task = [word for word in overrides if word not in own]
            self.composed(config)
            return config

    version.setbase("1.3")
    try:
        yield Composing.create_main_hydra2("auditfw", create_config_search_path(str(shipped_conf())))
    finally:
        GlobalHydra.instance().clear()


def _without_twins(argv: list[str]) -> list[str]:
    """The words of a sweep with every value once; says which stood twice."""
    from auditfw.config import bridge

    once = [bridge.without_twins(word) if "=" in word.lstrip("-") and word[0] != "-" else word for word in argv]
    for word, kept in zip(argv, once, strict=True):
        if word != kept:
            warn(f"{word}: a value that stands twice is run once")
    return once


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[int, int | None], None]]:
    """A progress bar on standard error where that is a terminal, else nothing."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("trials", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=max(total, done) if total else None)
