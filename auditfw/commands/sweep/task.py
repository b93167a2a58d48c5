"""The work of one command: a single run, or the jobs of a sweep, wherever a launcher runs them.

A job never raises: what went wrong is written into its folder, and the others go on.
"""

from __future__ import annotations

import contextlib
import gc
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from auditfw.audits.spine import Progress, Run, check_plan
from auditfw.audits.sweep_settings import SweepTable, check_count, failures_borne
from auditfw.commands.error_output import DEFECT, message_and_code, print_error, warn
from auditfw.commands.run import Prepared, execute, failure, link_latest, objective
from auditfw.commands.run_folder import note_error
from auditfw.commands.trust import Origin, code_in, may_start, remember
from auditfw.config import build as bridge
from auditfw.config.hydra.arguments import SUBDIR
from auditfw.config.hydra.errors import KNOWN
from auditfw.config.hydra.sweep_configs import Composed
from auditfw.config.hydra.sweeper import at_hand, plain, unresolved
from auditfw.config.stored import launched
from auditfw.core.document import some, verb
from auditfw.core.errors import AuditError, IncompleteError, UsageError
from auditfw.core.files import guarded, refuse_link, refuse_links, remove, remove_left, scratch_in
from auditfw.core.interrupts import keeps, look
from auditfw.core.result_json import JOURNAL

from .columns import check_table
from .folder import (
    FILE,
    SweepPlan,
    check_folders,
    claim_sweep,
    code_digest,
    failed_so_far,
    forget_failed,
    holding,
    job_folders,
    note_folders,
    read_plan,
    set_aside,
    settle,
    write_plan,
)
from .jobs import LOG, worst
from .progress import (
    Failures,
    check_same_jobs,
    keep_origin,
    kept,
    logged,
    mask_hydra,
    save,
    settings_of,
    share,
    show_progress,
)

log = logging.getLogger("hydra.auditfw")
SHARED = ".shared"
OF_THIS_SWEEP = ("hydra.mode=", "hydra.sweep.dir=", f"{SUBDIR}=")  # words that a resumed sweep does not repeat
COLLECT_AFTER = 50_000  # what jobs share lives as long as they do; looking through it at the usual pace costs 6 %
Settings = Callable[[], Mapping[str, Any]]


class SweepTask:
    """What Hydra is given to run; as the sweep's director it also claims the folder and says which jobs are run.

    `resumed` is the folder of the sweep to go on with; `new_keys` are the keys that the command line sets itself;
    `origin` is the folder that words were taken from; `groups` are the words of each of several runs.
    """

    def __init__(
        self,
        progress: Callable[[], Any],
        resumed: Path | None = None,
        new_keys: Sequence[str] = (),
        origin: Origin | None = None,
        groups: Sequence[Sequence[str]] = (),
    ) -> None:
        self.groups: Sequence[Sequence[str]] = [list(group) for group in groups]
        self.progress, self.resumed, self.new_keys, self.origin = progress, resumed, tuple(new_keys), origin
        self.ready: tuple[Mapping[str, Any], tuple[Run, list[str]]] | None = None
        self.code = 0
        self.failure: Exception | None = None
        self.failures = Failures()
        self.sweep: Path | None = None
        self.wanted: Path | None = None
        self.max_failures: int | None = None
        self.as_json = False
        self.measured = True  # whether a job names the number that it gives to the sweeper
        self.journals: dict[int, str] = {}
        plan = read_plan(resumed) if resumed is not None else None
        self.folders: Sequence[str] = plan.folders if plan is not None else ()
        self.numbers: dict[Path, int] = {}  # of planned jobs, by folder
        self.held = ExitStack()
        self.prepared: dict[int, Prepared] = {}

    def __getstate__(self) -> dict[str, Any]:
        left: dict[str, Any] = dict.fromkeys(("held", "failure", "ready"))
        return {**self.__dict__, **left, "progress": nullcontext, "prepared": {}}

    def look_ahead(self, settings: Mapping[str, Any]) -> None:
        """Builds a single run before its folder is made. Raises AuditError for one that must not run."""
        built = bridge.build(settings)
        if self.origin is not None:
            self.origin.check(code_in(built[0]))
        check_plan(built[0])
        self.ready = settings, built

    def look_around(self, folder: Path) -> None:
        """Remembers the folder that a sweep wants."""
        self.wanted = folder

    def __call__(self, config: Any) -> float | None:
        """Runs the job that Hydra has at hand, in this process or in one of a launcher's."""
        folder, overrides, sweep, number = at_hand()
        if sweep is not None:
            bridge.prepare()
            if not self.numbers:
                note_folders(sweep, {number: folder})
            place = folder.resolve(), self.numbers.get(folder.resolve(), number)
            return self.job(sweep, *place, overrides, lambda: bridge.settings_of(config))
        try:
            if self.ready is None:
                self.look_ahead(bridge.settings_of(config))
            with self.progress() as progress:
                return self._alone(folder, progress)
        except (Exception, SystemExit) as error:
            self.failure = _cause(error)
            return None

    def _alone(self, folder: Path, progress: Progress) -> float | None:
        assert self.ready is not None
        settings, built = self.ready
        keep_origin(folder, settings)
        mask_hydra(folder)
        result = execute(settings, folder, progress, prepared=Prepared(built))
        link_latest(folder)
        self.code = result.exit_code
        error = failure(result)
        if error is not None:
            print_error(error)
        return objective(result, settings)

    # The director of a sweep

    def count(self, jobs: int, config: Any) -> None:
        """Reports how many jobs there will be, and refuses too many."""
        self.wanted = None  # the caller claims the folder
        log.info("sweep of %s", some(jobs, "job"))
        check_count(jobs, config.get("max_jobs"))
        self.max_failures = failures_borne(str(config.get("on_error", "continue")))

    def leave_out(self, jobs: int) -> None:
        """Warns of jobs that are equal to others."""
        if jobs:
            have, are = verb(jobs, "has", "have"), verb(jobs, "is", "are")
            warn(f"{some(jobs, 'job')} {have} the same config as another and {are} not run again")

    def begin(self, folder: Path, words: Sequence[str], config: Any, jobs: Sequence[Composed]) -> tuple[Path, set[int]]:
        """Claims the folder of a sweep, or goes on with one; gives it, and the numbers of the jobs to run."""
        own = [str(word) for word in unresolved(config.hydra.overrides.hydra)]
        named = any(word.startswith("hydra.sweep.dir=") for word in own)
        table = bridge.build_part(SweepTable, plain(config.get("sweep")) or {}, "sweep")
        check_table(table, jobs)
        planned, folders = [list(job.overrides) for job in jobs], [job.folder for job in jobs]
        check_folders(folders)
        kept_words = [word for word in own if not word.startswith(OF_THIS_SWEEP)]
        code = code_digest(bridge.versions(), bridge.plugin_files())
        columns = {"metrics": list(table.metrics), "sort_by": table.sort_by, "best": table.best}
        folders = folders if any(job.named for job in jobs) else []
        shown = table.best_of, table.suite
        plan = SweepPlan(planned, list(words), kept_words, columns, code, self.groups, folders, *shown)
        numbers = {job.number for job in jobs}
        self._check_origin(jobs)
        sweep = claim_sweep(folder, named) if self.resumed is None else self.resumed
        self.held.enter_context(holding(sweep))
        if self.resumed is not None:
            remove_left(sweep)
            numbers = self._left(sweep, plan, jobs)
        elif named:
            settle(sweep)
        write_plan(sweep, plan)
        if launched(kept_words) or any(may_start(job.raw) for job in jobs if job.config is not None):
            remember([sweep / FILE])
        self.sweep, self.numbers = sweep, {(sweep / job.folder).resolve(): job.number for job in jobs}
        keeps(sweep)
        return sweep, numbers

    def _check_origin(self, jobs: Sequence[Composed]) -> None:
        """Raises UsageError where words of a folder that is not trusted would have jobs start code."""
        if self.origin is None or self.origin.own:
            return
        starters: dict[str, None] = {}
        for job in jobs:
            with contextlib.suppress(Exception):  # such a job never runs, and reports why
                run, _ = bridge.build(bridge.settings_of(job.config))
                starters |= dict.fromkeys(code_in(run))
        self.origin.check(list(starters))

    def _left(self, sweep: Path, plan: SweepPlan, jobs: Sequence[Composed]) -> set[int]:
        """The numbers of the jobs that a resumed sweep still has to run; their unfinished folders are moved away."""
        before = read_plan(sweep)
        if before is None:
            raise UsageError("resume", "holds no sweep plan", str(sweep), "name the folder of a sweep")
        check_same_jobs(before.jobs, plan.jobs, self.new_keys)
        if list(before.folders) != list(plan.folders):
            raise UsageError(SUBDIR, "a resumed sweep has the folders that it had", None, f"leave {SUBDIR} out")
        forget_failed(sweep)
        done = {job.number for job in jobs if before.code == plan.code and kept(sweep, job)}
        for job in jobs:
            earlier = set_aside(sweep, job.number, sweep / job.folder) if job.number not in done else None
            if earlier is not None and (earlier / JOURNAL).is_file():
                self.journals[job.number] = str(earlier)
        log.info("%d of %d jobs are kept", len(done), len(jobs))
        return {job.number for job in jobs} - done

    @contextmanager
    def running(self, folder: Path, jobs: Sequence[Composed], here: bool) -> Iterator[None]:
        """Shows how far the jobs are; those that run in this process share what they can."""
        if self.sweep is None:
            self.sweep = folder
        often = gc.get_threshold()
        scratch = scratch_in(folder, SHARED) if here else None
        for job in () if here else jobs:  # Hydra writes their first files itself
            refuse_link(folder / job.folder)
            refuse_links(folder / job.folder, LOG)
        try:
            if scratch is not None:
                gc.set_threshold(COLLECT_AFTER)
                self._share(jobs, scratch)
            with show_progress(folder, [job.folder for job in jobs]):
                yield
        finally:
            gc.set_threshold(*often)
            self.prepared.clear()
            if scratch is not None:
                remove([scratch])

    def _share(self, jobs: Sequence[Composed], scratch: Path) -> None:
        """Builds the jobs' runs ahead, so that those over the same evidence read it once."""
        built: dict[int, tuple[Run, list[str]]] = {}
        for job in jobs:
            look()
            with contextlib.suppress(Exception):  # the job meets it again, and reports it
                built[job.number] = bridge.build(settings_of(job))
        self.prepared = {number: Prepared(one) for number, one in built.items()}
        for number, (run, work) in share({number: run for number, (run, _) in built.items()}, scratch).items():
            self.prepared[number] = Prepared((run, built[number][1]), work)

    def note(self, folder: Path, jobs: Sequence[Composed]) -> None:
        """Keeps where the jobs of another sweeper are. Raises UsageError where two would have one folder."""
        note_folders(folder, {job.number: folder / job.folder for job in jobs})

    def refuse(self, folder: Path, job: Composed) -> None:
        """Writes down a job whose config could not be composed."""
        place = folder / job.folder
        save(place, {"overrides.yaml": list(job.overrides)})
        assert job.error is not None
        self.failures.report(folder, place, job.number, job.overrides, job.error)

    def run(self, folder: Path, job: Composed, hydra: Any) -> float | None:
        """Runs one job in this process."""
        refuse_link(folder / job.folder)
        place = (folder / job.folder).resolve()
        try:
            with guarded(place):
                save(place, {"config.yaml": job.raw, "hydra.yaml": hydra, "overrides.yaml": list(job.overrides)})
        except IncompleteError as error:
            self.failures.report(folder, place, job.number, job.overrides, error)
            return None
        with logged(place / LOG):
            return self.job(folder, place, job.number, job.overrides, lambda: settings_of(job))

    def job(self, sweep: Path, folder: Path, number: int, overrides: Sequence[str], settings: Settings) -> float | None:
        """Runs one job of a sweep to its files, or writes down why it has none."""
        try:
            if self.max_failures is not None and failed_so_far(sweep) >= self.max_failures:
                why = f"not run: {self.max_failures} jobs failed before it (on_error)"
                note_error(folder, None, why, overrides=list(overrides))
                return None
            composed = dict(settings())
            self.measured = composed.get("objective") is not None
            keep_origin(folder, composed)
            prepared = self.prepared.pop(number, None)
            if number in self.journals:
                composed["resume"], prepared = self.journals[number], None
            result = execute(composed, folder, show=False, prepared=prepared or Prepared())
            problem = failure(result)
            if problem is not None:
                self.failures.report(sweep, folder, number, overrides, str(problem))
            return objective(result, composed)
        except (Exception, SystemExit) as error:
            self.failures.report(sweep, folder, number, overrides, _cause(error))
            return None

    # The end

    def finish(self) -> int:
        """Ends the command: the exit code of the run, or the summary of the sweep and its code."""
        if self.failure is not None:
            raise self.failure
        self._find_sweep()
        if self.sweep is None and self.wanted is not None:
            what, do = "left no job where jobs are looked for", "leave hydra/sweeper out, or hydra.sweep.subdir"
            raise IncompleteError("hydra/sweeper", what, str(self.wanted), do)
        if self.sweep is None:
            return self.code
        from .summary import summarise

        link_latest(self.sweep)
        return summarise(self.sweep, self.as_json, listed=bool(self.groups))

    def _find_sweep(self) -> None:
        """Looks where Hydra put the jobs of a sweep whose sweeper and launcher are both not ours."""
        if self.sweep is None and self.wanted is not None and self.wanted.is_dir():
            self.sweep = self.wanted if job_folders(self.wanted) else None

    def end_early(self, error: Exception) -> int:
        """Ends a sweep that stopped early: its summary lists every job all the same."""
        self._find_sweep()
        if self.sweep is None:
            raise error
        message, code = message_and_code(error)
        if code == DEFECT or not isinstance(error, (AuditError, *KNOWN)):  # a launcher or sweeper gave up, not we
            early = IncompleteError("hydra", f"the sweep stopped early: {type(error).__name__}", str(error))
            why, do = "is not set: no job gave the sweeper a number, and it stopped", "write objective=METRIC@READING"
            message, code = (early, 4) if self.measured else (UsageError("objective", why, str(error), do), 2)
        print_error(message)
        warn(f"to run the remaining jobs: auditfw resume={self.sweep}")
        return worst([code, self.finish()])


def _cause(error: BaseException) -> Exception:
    if isinstance(error, Exception):
        return error
    assert isinstance(error, SystemExit)
    return IncompleteError("audit", "a component ended the program", error.code, "raise an exception instead")
