"""Hydra over the shipped conf/, with the config checked before a folder is made for it; launchers started safely."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import hydra
import hydra._internal.hydra as hydra_module
from hydra import version
from hydra._internal.hydra import Hydra
from hydra._internal.utils import create_config_search_path
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import env_override
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from auditfw.audits.sweep_settings import MOST_JOBS
from auditfw.config import build as bridge
from auditfw.config.build import prepare
from auditfw.config.choices import parsed
from auditfw.config.variants import shipped_conf
from auditfw.core.errors import UsageError
from auditfw.core.files import refuse_links, refused
from auditfw.core.imports import refuse_if_safe
from auditfw.core.processes import SAFE_PATH, safe_path
from auditfw.core.remote.addresses import check_addresses

from .arguments import check_climb
from .lists import initialized, taking_lists
from .sweeper import NAME, AuditfwSweeper, below_groups, below_swept_groups, combinations, findable, unresolved, width

LOCAL = ("AuditfwLauncher", "BasicLauncher")  # they run every job in this process
JOBLIB = "JoblibLauncher"


class Commanded(Protocol):
    """What Hydra runs, as far as it takes part before that; `groups` are the words of several runs of a sweep."""

    groups: Sequence[Sequence[str]]

    def look_ahead(self, settings: dict[str, Any]) -> None:
        """Is shown the settings of a single run before its folder is made. Raises AuditError to refuse them."""
        ...

    def look_around(self, folder: Path) -> None:
        """Is shown the folder that a sweep wants."""
        ...


class SweepWantedError(Exception):
    """A run whose config says that it is a sweep: it was only composed."""


class Composing(Hydra):  # type: ignore[misc, unused-ignore]
    """Hydra that shows the config it starts with to the command, and composes a sweep's without what its jobs add."""

    task: Commanded
    going = False
    folder = ""  # of the run or sweep, as soon as it is known
    safely: ExitStack

    def __init__(self, task_name: str, config_loader: ConfigLoader) -> None:
        super().__init__(task_name, taking_lists(config_loader))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "safely"}  # joblib sends Hydra's state

    def run(self, config_name: str | None, task_function: Any, overrides: list[str], *args: Any, **named: Any) -> Any:
        self.going = True
        with self._guarded():
            return super().run(config_name, task_function, overrides, *args, **named)

    def multirun(
        self, config_name: str | None, task_function: Any, overrides: list[str], *args: Any, **named: Any
    ) -> Any:
        self.going = True
        with self._guarded(), ExitStack() as self.safely:
            return super().multirun(config_name, task_function, overrides, *args, **named)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Says of the disk's refusals where they were, as far as only the folder is known."""
        try:
            yield
        except Exception as error:
            refusal = refused(error, self.folder)
            if refusal is None:
                raise
            raise refusal from error

    def compose_config(  # type: ignore[override, unused-ignore]
        self, config_name: str | None, overrides: list[str], run_mode: RunMode, **named: Any
    ) -> Any:
        """The config as Hydra composes it. Raises AuditError for one that must not run."""
        several = run_mode == RunMode.MULTIRUN and self.going
        later = (below_groups if self.task.groups else below_swept_groups)(overrides) if several else []
        first = [word for word in overrides if word not in later]
        config = super().compose_config(config_name, first, run_mode, **named)
        if self.going:
            if run_mode == RunMode.RUN and config.hydra.mode == RunMode.MULTIRUN:
                raise SweepWantedError
            own = set(unresolved(config.hydra.overrides.hydra))
            config.hydra.overrides.task = [word for word in overrides if word not in own]
            self._look(config, run_mode)
        return config

    def _look(self, config: DictConfig, run_mode: RunMode) -> None:
        several = run_mode == RunMode.MULTIRUN
        words: Any = OmegaConf.to_container(config.hydra.overrides.hydra, resolve=False)
        _check_folder(words, several)
        self.folder = str(config.hydra.sweep.dir if several else config.hydra.run.dir)
        check_addresses(OmegaConf.to_container(config, resolve=False))
        if several:
            for key in ("sweep.dir", "sweep.subdir", "output_subdir"):
                _check_place(config, key)
            self.safely.enter_context(started_safely(str(config.hydra.launcher.get("_target_"))))
            if self.task.groups:
                _check_sweeper(config)
            self.task.look_around(Path(str(config.hydra.sweep.dir)))
            return
        for key in ("run.dir", "output_subdir"):
            _check_place(config, key)
        refuse_links(Path(str(config.hydra.run.dir)), f"{config.hydra.job.name}.log", config.hydra.output_subdir)
        settings = _settings_ahead(config)
        if settings is not None:
            self.task.look_ahead(settings)


@contextmanager
def composing(task: Commanded) -> Iterator[Composing]:
    """Hydra over the shipped conf/, without the first composing of `hydra.main` that asks whether it is a sweep.

    So a run may raise SweepWantedError.
    """
    version.setbase("1.3")
    try:
        hydra_app = Composing.create_main_hydra2(NAME, create_config_search_path(str(shipped_conf())))
        assert isinstance(hydra_app, Composing)
        hydra_app.task = task
        with findable():
            yield hydra_app
    finally:
        GlobalHydra.instance().clear()


def main(task: Commanded) -> Callable[[], Any]:
    """`hydra.main` with its flags, over the same Hydra: what it is to do is read from sys.argv."""

    class Ours(Composing):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            self.task = task

    def run() -> Any:
        hydra_module.Hydra = Ours  # type: ignore[misc]
        try:
            with findable():
                return hydra.main(version_base="1.3", config_path=str(shipped_conf()), config_name="config")(task)()  # type: ignore[arg-type]
        finally:
            hydra_module.Hydra = Hydra  # type: ignore[misc]

    return run


def _check_sweeper(config: DictConfig) -> None:
    """Raises UsageError where another sweeper is to make the jobs of several runs: it knows but one."""
    target = str(config.hydra.sweeper.get("_target_"))
    if not target.endswith(AuditfwSweeper.__name__):
        raise UsageError("hydra/sweeper", "cannot sweep over several runs", target, "run each by its own command")


def _check_folder(words: Iterable[str], several: bool) -> None:
    """Raises UsageError where words name a folder for one run and there are several, or the other way round."""
    folders = dict(word.lstrip("+").split("=", 1) for word in words if "=" in word)
    key, other, what = "hydra.run.dir", "hydra.sweep.dir", "is for one run, and there are several"
    if not several:
        key, other, what = other, key, "is for several runs, and there is one"
    if key in folders and other not in folders:
        raise UsageError(key, what, folders[key], f"write {other}={folders[key]}")


def _check_place(config: DictConfig, key: str) -> None:
    """Looks at a folder's key as it resolves, wherever it was set."""
    try:
        value = OmegaConf.select(config.hydra, key)
    except Exception:  # such as the number of a job, which only the job knows
        value = None
    group, _, name = key.rpartition(".")
    raw = OmegaConf.to_container(config.hydra, resolve=False)
    written = raw[group][name] if group else raw[name]  # type: ignore[call-overload, index, unused-ignore]
    for text in (value, written):
        if text is None:
            continue
        check_climb(f"hydra.{key}", str(text))
        if key == "output_subdir" and Path(str(text)).is_absolute():
            raise UsageError("hydra.output_subdir", "names a folder outside the run folder", str(text), "write a name")


def _settings_ahead(config: DictConfig) -> dict[str, Any] | None:
    """The settings as the run will have them; None where they are only known within its folder, or to a callback."""
    if config.hydra.job.chdir or config.hydra.get("callbacks"):
        return None
    hydra_config, before = HydraConfig.instance(), HydraConfig.instance().cfg
    try:
        with read_write(config.hydra.runtime), open_dict(config.hydra.runtime):
            config.hydra.runtime.output_dir = os.path.abspath(str(config.hydra.run.dir))
        hydra_config.cfg = config  # type: ignore[assignment]
        with env_override(OmegaConf.to_container(config.hydra.job.env_set)):  # type: ignore[arg-type]
            return bridge.settings_of(OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"]))
    finally:
        hydra_config.cfg = before


@contextmanager
def started_safely(launcher: str) -> Iterator[None]:
    """Within, the processes of a launcher, named by its class, do not see it. Raises UsageError in safe mode.

    That is for launchers whose processes would see it.
    """
    name = launcher.rpartition(".")[2]
    if name not in (*LOCAL, JOBLIB):
        refuse_if_safe(f"the launcher {name} starts Python where modules of the current folder come first")
    if name != JOBLIB:
        yield
        return
    module: Any = importlib.import_module("joblib.externals.loky.backend.fork_exec")
    start = module.fork_exec  # of Unix; on Windows loky asks multiprocessing for the words
    module.fork_exec = lambda words, *rest, **named: start([words[0], SAFE_PATH, *words[1:]], *rest, **named)
    try:
        with safe_path():
            yield
    finally:
        module.fork_exec = start


def jobs(overrides: Sequence[str], name: str = "config", groups: Sequence[Sequence[str]] = ()) -> list[list[str]]:
    """The overrides of each job of a sweep, as Hydra's own sweeper makes them; of several runs behind those of each."""
    from hydra import compose as hydra_compose
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    prepare()
    parsed(overrides)
    with initialized() as loader:
        parser = OverridesParser.create(loader)
        later = (below_groups if groups else below_swept_groups)(overrides)
        known = [one for one in parser.parse_overrides(list(overrides)) if one.input_line not in later]
        fixed = [str(one.input_line) for one in known if not one.is_sweep_override()]
        sweeper = hydra_compose(name, fixed, return_hydra_config=True).hydra.sweeper
        if not str(sweeper["_target_"]).endswith((f".{BasicSweeper.__name__}", f".{AuditfwSweeper.__name__}")):
            raise UsageError(
                "hydra/sweeper", "its jobs are only known while they run", sweeper["_target_"], "leave out -m"
            )
        words = [f"{key}={value}" for key, value in (sweeper.get("params") or {}).items()]
        parsed_words = parser.parse_overrides([*words, *overrides])
        count = width(parsed_words) * max(1, len(groups))
        if count > MOST_JOBS:
            raise UsageError(
                "check -m", f"a sweep of {count:,} jobs", f"at most {MOST_JOBS:,} are checked", "sweep fewer values"
            )
        words_by_job = combinations(parsed_words)
    words_by_job = [[*group, *words] for group in groups or ((),) for words in words_by_job]
    return [list(words) for words in dict.fromkeys(map(tuple, words_by_job))]
