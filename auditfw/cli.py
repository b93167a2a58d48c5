"""The command line: verbs, or Hydra's own grammar; one line for an error, and the documented exit code."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .errors import TARGET, TARGET_ADVICE, Findings, IncompleteError, UsageError, nearest

DEFECT, INTERRUPTED, TERMINATED = 70, 130, 143
FULL_ERROR = "HYDRA_FULL_ERROR"

_TARGET = re.compile(r"(?<![\w/-])_target_['\"]?\s*[=:]")


def main(argv: Sequence[str]) -> int:
    """Runs one command and returns its exit code."""
    wanted_traceback = os.environ.get(FULL_ERROR) == "1"
    os.environ[FULL_ERROR] = "1"  # Hydra then raises instead of printing and exiting
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = _command(list(argv))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _say("interrupted; nothing was left half written")
        return INTERRUPTED
    except _Terminated:
        _say("terminated; nothing was left half written")
        return TERMINATED
    except Exception as error:
        if wanted_traceback:
            raise
        told, code = _told(error)
        _say(told)
        return code


def _command(argv: list[str]) -> int:
    from auditfw.config.variants import take_config_dirs

    _check_targets(argv)
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
        return verbs[argv[0]](argv[1:])
    logging.raiseExceptions = False  # a closed pipe ends quietly, also where Hydra prints through a logger
    return _hydra(argv)


def _verbs() -> dict[str, Callable[[list[str]], int]]:
    from auditfw import listing

    return {
        "list": listing.list_components,
        "check": listing.check,
        "init": listing.init,
        "report": listing.report,
        "sweep": listing.sweep,
    }


class _Terminated(BaseException):
    """SIGTERM arrived."""


def _terminate(*_: object) -> None:
    raise _Terminated


def _say(told: object) -> None:
    errors = told.errors[:20] if isinstance(told, Findings) else (told,)
    for error in errors:
        print(f"auditfw: error: {error}", file=sys.stderr)
    if isinstance(told, Findings) and len(told.errors) > len(errors):
        print(f"auditfw: error: and {len(told.errors) - len(errors)} more", file=sys.stderr)


def _told(error: Exception) -> tuple[object, int]:
    """What to say of an exception, and the exit code it stands for."""
    from auditfw.config.complaints import complaint

    told = complaint(error)
    return (told, told.exit_code) if told is not None else (_defect(error), DEFECT)


def _defect(error: Exception) -> str:
    return (
        f"a defect of auditfw: {type(error).__name__}: {' '.join(str(error).split())[:300]} "
        f"- please report it with the traceback that {FULL_ERROR}=1 shows"
    )


def _hydra(argv: list[str]) -> int:
    """Runs Hydra over these arguments and returns the code of what it ran."""
    import hydra

    from auditfw.config import bridge
    from auditfw.config.places import shipped_conf
    from auditfw.config.variants import conf_folders

    _check_flags(argv)
    argv = _with_resumed(argv)
    _check_folders(argv)
    bridge.prepare()
    jobs = _Jobs()
    if not {"-m", "--multirun"}.isdisjoint(argv):
        argv = _without_twins(argv)
    sys.argv = [sys.argv[0], *argv]
    plain = not any(word.startswith("-") or "hydra.mode" in word for word in argv)
    if plain and all(origin not in ("--config-dir", "conf/") for origin, _ in conf_folders()):
        _run_once(argv, jobs)
    else:
        hydra.main(version_base="1.3", config_path=str(shipped_conf()), config_name="config")(jobs.task)()
    return jobs.finish()


def _with_resumed(argv: list[str]) -> list[str]:
    """With `resume=RUN` the overrides of that run come first, but for those given anew."""
    from auditfw.config.guard import load_yaml

    run = next((word.partition("=")[2] for word in argv if word.partition("=")[0] == "resume"), "")
    file = Path(run.strip("'\"")) / ".hydra" / "overrides.yaml"
    if not run or not file.is_file():
        return argv
    given = {word.partition("=")[0].lstrip("+~") for word in argv}
    before = [str(word) for word in load_yaml(file) or ()]
    return [*(word for word in before if word.partition("=")[0].lstrip("+~") not in given), *argv]


def _run_once(overrides: list[str], jobs: _Jobs) -> None:
    """Hydra's run of one job. `hydra.main` composes the config a first time only to ask whether it is a sweep."""
    from hydra import version
    from hydra._internal.hydra import Hydra
    from hydra._internal.utils import create_config_search_path
    from hydra.core.global_hydra import GlobalHydra

    from auditfw.config.places import shipped_conf

    version.setbase("1.3")
    try:
        search_path = create_config_search_path(str(shipped_conf()))
        Hydra.create_main_hydra2("auditfw", search_path).run("config", jobs.task, overrides)
    finally:
        GlobalHydra.instance().clear()


def _without_twins(argv: list[str]) -> list[str]:
    """The words of a sweep with every value once; says which stood twice."""
    from auditfw.config import bridge

    once = [bridge.without_twins(word) if "=" in word.lstrip("-") and word[0] != "-" else word for word in argv]
    for word, kept in zip(argv, once, strict=True):
        if word != kept:
            print(f"auditfw: warning: {word}: a value that stands twice is run once", file=sys.stderr)
    return once


def _check_flags(argv: list[str]) -> None:
    from hydra._internal.utils import get_args_parser

    parser = get_args_parser()
    known = sorted(flag for action in parser._actions for flag in action.option_strings)

    def refuse(message: str) -> None:
        flag = next((word for word in argv if word.startswith("-")), "command line")
        raise UsageError(flag, message, None, nearest(flag, known))

    parser.error = refuse  # type: ignore[method-assign,assignment]
    parser.parse_args([word for word in argv if word not in ("--version", "--help", "-h", "--hydra-help")])


def _check_targets(argv: list[str]) -> None:
    for word in argv:
        if _TARGET.search(word):
            key = word.partition("=")[0].lstrip("+~")
            raise UsageError(key, TARGET, word, TARGET_ADVICE)


def _check_folders(argv: list[str]) -> None:
    for word in argv:
        key, _, value = word.partition("=")
        if key.lstrip("+") in ("hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir") and ".." in Path(value).parts:
            raise UsageError(
                key,
                "a run folder must not climb with '..'",
                value,
                "name a folder below the current one, or an absolute path",
            )


class _Jobs:
    """What the jobs of one command came to. A job never raises: in a sweep the others go on."""

    def __init__(self) -> None:
        self.code = 0
        self.failure: Exception | None = None
        self.sweep: Path | None = None

    def task(self, config: Any) -> float | None:
        from hydra.core.hydra_config import HydraConfig
        from hydra.types import RunMode
        from omegaconf import OmegaConf

        own = HydraConfig.get()
        folder = Path(own.runtime.output_dir)
        overrides = [str(word) for word in OmegaConf.to_container(own.overrides.task, resolve=False) or ()]
        self.sweep = Path(own.sweep.dir) if own.mode == RunMode.MULTIRUN else None
        try:
            return self._run(config, folder)
        except (Exception, SystemExit) as error:
            cause = error if isinstance(error, Exception) else _exited(error)
            if self.sweep is None:
                self.failure = cause
            else:
                _note_failure(cause, folder, overrides)
            return None

    def _run(self, config: Any, folder: Path) -> float | None:
        from auditfw.config import bridge
        from auditfw.execute import execute, failure
        from auditfw.files import link_latest

        settings = bridge.settings_of(config)
        with _progress() as progress:
            result = execute(settings, folder, progress)
        if self.sweep is None:
            link_latest(folder)
        self.code = result.exit_code
        told = failure(result)
        if told is not None:
            _say(told)
        if settings.get("objective") is None:
            return None
        metric, _, reading = str(settings["objective"]).partition("@")
        try:
            return result.measurement(metric, reading).estimate.value
        except KeyError:
            raise UsageError(
                "objective", "no such measurement", settings["objective"], "write metric@reading"
            ) from None

    def finish(self) -> int:
        if self.failure is not None:
            raise self.failure
        if self.sweep is None:
            return self.code
        from auditfw.files import link_latest
        from auditfw.sweep import gather, show, worst, write

        jobs = gather(self.sweep)
        write(self.sweep, jobs)
        link_latest(self.sweep)
        show(self.sweep, jobs)
        return worst([job.exit_code for job in jobs])


def _exited(error: SystemExit) -> IncompleteError:
    return IncompleteError("audit", "a component ended the program", error.code, "let components raise instead")


def _note_failure(error: Exception, folder: Path, overrides: list[str]) -> None:
    """Leaves a failed job's cause in its folder, and says it at once."""
    from auditfw.sweep import note_error

    told, code = _told(error)
    text = str(told)
    note_error(folder, overrides, code, text)
    _say(f"{' '.join(overrides)}: {text} (log: {folder / 'auditfw.log'})")


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
