"""The sweeper and the launcher of auditfw: Hydra's plugin points, and what our side of them must offer.

Jobs are composed once, in one process, each job whatever becomes of the others. Other launchers (joblib, submitit,
Ray) get the same jobs from the same sweeper; other sweepers (Optuna) may use this launcher.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, Protocol

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus, configure_log, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, RunMode, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from auditfw.audits.sweep_settings import check_not_swept
from auditfw.config.choices import GROUPS
from auditfw.core.escaping import quoted
from auditfw.core.files import whole
from auditfw.core.interrupts import look, raising
from auditfw.core.masking import masked
from auditfw.core.processes import adopt, shielded
from auditfw.kinds import KINDS

from .arguments import SUBDIR
from .sweep_configs import Composed, Composer, Site

WHOLE = ("hydra.", "hydra/", "sweep.")  # keys of a whole sweep
HOME = "hydra_plugins.auditfw_sweeps"  # Hydra makes plugins of classes in modules so named, and of no others
NAME = "auditfw"


class Director(Protocol):
    """Our side of a sweep: the task function that Hydra runs offers these too.

    `groups` are the words of each of several runs: every combination of the sweep's own words is run with each.
    `folders` are those of the jobs of a sweep that is gone on with, if they have other names than numbers.
    """

    groups: Sequence[Sequence[str]]
    folders: Sequence[str]

    def count(self, jobs: int, config: Any) -> None:
        """Gets the number of jobs before one is made. Raises AuditError to refuse them."""
        ...

    def leave_out(self, jobs: int) -> None:
        """Gets the number of jobs that have the config of another, and are not run."""
        ...

    def begin(self, folder: Path, words: Sequence[str], config: Any, jobs: Sequence[Composed]) -> tuple[Path, set[int]]:
        """Claims the folder of a sweep; gives the one to be used, and the numbers of the jobs to run."""
        ...

    def note(self, folder: Path, jobs: Sequence[Composed]) -> None:
        """Gets the jobs of another sweeper before they are run. Raises AuditError to refuse them."""
        ...

    def refuse(self, folder: Path, job: Composed) -> None:
        """Gets a job whose config could not be composed."""
        ...

    def running(self, folder: Path, jobs: Sequence[Composed], here: bool) -> AbstractContextManager[None]:
        """What lasts as long as the jobs of a launcher run, in this process or in others."""
        ...

    def run(self, folder: Path, job: Composed, hydra: Any) -> float | None:
        """Runs one job in this process; it never raises."""
        ...


class AuditfwSweeper(Sweeper):
    """Makes the jobs of a sweep, each once, and gives them to the launcher."""

    __module__ = HOME

    def __init__(self, max_batch_size: int | None = None, params: Mapping[str, str] | None = None) -> None:
        self.max_batch_size, self.params = max_batch_size, params or {}

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.config: DictConfig = config
        self.hydra_context: HydraContext = hydra_context
        self.launcher: Launcher = Plugins.instance().instantiate_launcher(hydra_context, task_function, config)
        self.director: Director = task_function  # type: ignore[assignment]  # ours is both

    def sweep(self, arguments: list[str]) -> Any:
        """Runs every job. Raises AuditError for a sweep that cannot begin."""
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        overrides = parser.parse_overrides([*(f"{key}={value}" for key, value in self.params.items()), *arguments])
        groups = self.director.groups or ((),)
        self.director.count(width(overrides) * len(groups), self.config)
        own = combinations(overrides)
        words_by_job = [[*group, *words] for group in groups for words in own]
        composer = Composer(self.hydra_context.config_loader, self.config)
        jobs = list(_each_once(composer, words_by_job))
        if len(self.director.folders) == len(jobs):
            jobs = [replace(job, named=job.named or self.director.folders[job.number]) for job in jobs]
        self.director.leave_out(len(words_by_job) - len(jobs))
        words = [str(one.input_line) for one in overrides]
        folder, numbers = self.director.begin(Path(str(self.config.hydra.sweep.dir)), words, self.config, jobs)
        self._settle(folder)
        whole = [job for job in jobs if job.number in numbers and job.error is None]
        for job in jobs:
            if job.number in numbers and job.error is not None:
                self.director.refuse(folder, job)
        if not whole:
            return []
        with self.director.running(folder, whole, isinstance(self.launcher, AuditfwLauncher)):
            most = self.max_batch_size or len(whole)
            return [self._launch(whole[at : at + most]) for at in range(0, len(whole), most)]

    def _launch(self, jobs: Sequence[Composed]) -> Sequence[JobReturn]:
        if isinstance(self.launcher, AuditfwLauncher):
            return self.launcher.launch_all(jobs)
        words = [[*job.overrides, f"{SUBDIR}={quoted(job.folder) if job.named else job.number}"] for job in jobs]
        adopt()
        with shielded(tracked=True), raising():
            return self.launcher.launch(words, initial_job_idx=jobs[0].number)

    def _settle(self, folder: Path) -> None:
        """Lets every job of this sweep know its folder, and keeps how Hydra was set up."""
        with read_write(self.config), open_dict(self.config):
            self.config.hydra.sweep.dir = str(folder)
            self.config.hydra.overrides.hydra.append(f"hydra.sweep.dir={quoted(str(folder))}")
        with whole(folder / "multirun.yaml", sync=False) as stream:
            stream.write(masked(OmegaConf.to_yaml(self.config)).encode("utf-8"))


def _last_of_each(overrides: Sequence[Override]) -> list[Override]:
    return list({one.get_key_element(): one for one in overrides}.values())


def below_swept_groups(words: Sequence[str]) -> list[str]:
    """Values of a sweep whose keys only a job's config may have: they belong to what a swept group chooses."""
    overrides = OverridesParser.create().parse_overrides(list(words))
    kinds = [KINDS[one.key_or_group] for one in overrides if one.is_sweep_override() and one.key_or_group in KINDS]
    places = [place for kind in kinds for place in (kind.place, kind.list_place) if place]
    below = tuple(f"{place.removesuffix('.{name}')}." for place in places)
    return [str(one.input_line) for one in overrides if below and one.key_or_group.startswith(below)]


def below_groups(words: Sequence[str]) -> list[str]:
    """Words that only the jobs of several runs have: choices, and settings of what these choose."""
    keys = {word: word.partition("=")[0].lstrip("+~") for word in words}
    return [w for w, key in keys.items() if not key.startswith(WHOLE) and ("." in key or "@" in key or key in GROUPS)]


def width(overrides: Sequence[Override]) -> int:
    """How many combinations the values of a sweep's overrides have; of a duplicate key the last counts.

    Raises UsageError for a key that cannot be swept.
    """
    check_not_swept((one.key_or_group, str(one.input_line)) for one in overrides if one.is_sweep_override())
    swept = [one for one in _last_of_each(overrides) if one.is_discrete_sweep()]
    return prod(len(list(one.sweep_string_iterator())) for one in swept)


def combinations(overrides: Sequence[Override]) -> list[list[str]]:
    """The overrides of each combination, as Hydra's own sweeper makes them."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper  # Hydra's scan makes this class again

    [words_by_job] = BasicSweeper.split_arguments(_last_of_each(overrides), None)
    return words_by_job


def _each_once(composer: Composer, words_by_job: Sequence[Sequence[str]]) -> Iterator[Composed]:
    """The jobs by number, of those with equal configs the first."""
    known: set[str] = set()
    number = 0
    for words in words_by_job:
        look()
        job = composer.compose(number, words)
        text = repr(job.raw) if job.error is None else repr(tuple(words))
        if text in known:
            continue
        known.add(text)
        number += 1
        yield job


class AuditfwLauncher(Launcher):
    """Runs jobs one after another in this process; each is composed once."""

    __module__ = HOME

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.config, self.hydra_context, self.task_function = config, hydra_context, task_function
        self.director: Director = task_function  # type: ignore[assignment]  # ours is both
        self.composer = Composer(hydra_context.config_loader, config)

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Runs jobs for any other sweeper."""
        jobs = [self.composer.compose(initial_job_idx + i, words) for i, words in enumerate(job_overrides)]
        folder = Path(str(self.config.hydra.sweep.dir))
        folder.mkdir(parents=True, exist_ok=True)
        self.director.note(folder, jobs)
        with self.director.running(folder, [job for job in jobs if job.error is None], True):
            return self.launch_all(jobs)

    def launch_all(self, jobs: Sequence[Composed]) -> Sequence[JobReturn]:
        """Runs composed jobs; the one who calls has begun the sweep."""
        setup_globals()
        configure_log(self.config.hydra.hydra_logging, self.config.hydra.verbose)
        site, before = Site(self.config), HydraConfig.instance().cfg
        try:
            return [self._run(site, job) for job in jobs]
        finally:
            HydraConfig.instance().cfg = before

    def _run(self, site: Site, job: Composed) -> JobReturn:
        look()
        folder = Path(str(self.config.hydra.sweep.dir))
        if job.error is not None:
            self.director.refuse(folder, job)
            return _returned(job, None)
        hydra = site.enter(job.number, job.overrides, str((folder / job.folder).resolve()))
        return _returned(job, self.director.run(folder, job, hydra))


@dataclass
class LauncherSettings:
    """Hydra's settings of the launcher: it has none, and one meant for another launcher is refused by its key."""

    _target_: str = f"{HOME}.AuditfwLauncher"


def _returned(job: Composed, value: float | None) -> JobReturn:
    done = JobReturn(overrides=list(job.overrides), cfg=job.config, task_name=NAME, status=JobStatus.COMPLETED)
    done.return_value = value
    return done


@contextmanager
def findable() -> Iterator[None]:
    """Within, this module is found under the name that Hydra asks plugins to have."""
    root, _, name = HOME.partition(".")
    here = sys.modules[__name__]
    try:
        home = importlib.import_module(root)
    except ModuleNotFoundError:
        home = types.ModuleType(root)
        home.__path__ = []
    before = sys.modules.get(root)
    sys.modules[root], sys.modules[HOME] = home, here
    setattr(home, name, here)
    try:
        yield
    finally:
        delattr(home, name)
        del sys.modules[HOME]
        if before is None:
            del sys.modules[root]


def register_plugins() -> None:
    """Registers the sweeper and the launcher, and their config groups' options."""
    for plugin in (AuditfwSweeper, AuditfwLauncher):
        Plugins.instance().register(plugin)
    store = ConfigStore.instance()
    target = f"{HOME}.{AuditfwSweeper.__name__}"
    node = {"_target_": target, "max_batch_size": None, "params": None}
    store.store(group="hydra/sweeper", name=NAME, node=node, provider=NAME)
    store.store(group="hydra/launcher", name=NAME, node=LauncherSettings, provider=NAME)


def plain(node: Any) -> Any:
    """A part of a config as plain data; None stays None."""
    return None if node is None else OmegaConf.to_container(node, resolve=True)


def unresolved(node: Any) -> Any:
    """A part of a config as plain data, its interpolations as they stand."""
    return OmegaConf.to_container(node, resolve=False)


def at_hand() -> tuple[Path, list[str], Path | None, int]:
    """Of the job that Hydra runs: its folder, its overrides, the folder of its sweep if there is one, its number."""
    own = HydraConfig.get()
    overrides = [str(word) for word in OmegaConf.to_container(own.overrides.task, resolve=False) or ()]
    if own.mode != RunMode.MULTIRUN:
        return Path(own.runtime.output_dir), overrides, None, 0
    return Path(own.runtime.output_dir), overrides, Path(own.sweep.dir), int(own.job.num)
