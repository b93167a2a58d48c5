"""Engines of other libraries, which spread batches over machines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, TypeVar

from auditfw.core.errors import AuditError, IncompleteError
from auditfw.core.interrupts import listen
from auditfw.core.processes import safe_path, shielded
from auditfw.kinds.registry import declare

from .local import AHEAD, packed
from .workers import ClusterSettings, apply_work, imported, in_order, one_by_one, parcel_of, waited

S = TypeVar("S")
T = TypeVar("T")


@declare("engine", "dask")
class Dask(ClusterSettings):
    """Runs the work on a Dask cluster, at `address` or started on this machine; the results are the same bytes.

    `address` is that of the scheduler, for example tcp://10.0.0.1:8786; without it `workers` processes (null: one per
    core) are started here. Needs the extra `dask`.
    """

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        pickled = packed(work)
        if pickled is None:
            yield from one_by_one(work, tasks)
            return
        distributed = imported("distributed", "dask")
        with ExitStack() as stack:
            stack.enter_context(safe_path())  # also for a worker that is started in place of one that died
            client = self._client(distributed, stack)
            parcel = client.scatter(parcel_of(pickled), broadcast=True, hash=False)
            workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
            try:
                yield from in_order(
                    tasks,
                    lambda task: client.submit(apply_work, parcel, task, pure=False, retries=0),
                    lambda future: waited(future.result),
                    workers * AHEAD,
                )
            except (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError) as error:
                raise IncompleteError("engine", "a Dask worker died", str(error), "see its log") from None

    def _client(self, distributed: Any, stack: ExitStack) -> Any:
        logging.getLogger("distributed").setLevel(logging.ERROR)
        try:
            if self.address is not None:
                return stack.enter_context(distributed.Client(self.address, timeout="10s", set_as_default=False))
            with shielded(tracked=True):
                cluster = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=self.workers, threads_per_worker=1, processes=True, dashboard_address=None
                    )
                )
            return stack.enter_context(distributed.Client(cluster, set_as_default=False))
        except OSError as error:
            do = "start one: dask scheduler, and dask worker ADDRESS on each machine"
            raise IncompleteError(
                "engine.address", "no Dask scheduler answers", self.address or str(error), do
            ) from None


@declare("engine", "ray")
class Ray(ClusterSettings):
    """Runs the work on a Ray cluster, at `address` or started on this machine; the results are the same bytes.

    `address` is that of the head node, for example 10.0.0.1:6379, or auto; without it `workers` processes (null: one
    per core) are started here, which takes some seconds. Needs the extra `ray`.
    """

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        pickled = packed(work)
        if pickled is None:
            yield from one_by_one(work, tasks)
            return
        ray = imported("ray", "ray")
        with ExitStack() as stack:
            self._connect(ray, stack)
            parcel = ray.put(parcel_of(pickled))
            remote = ray.remote(max_retries=0)(apply_work)
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
            try:
                yield from in_order(
                    tasks,
                    lambda task: remote.remote(parcel, task),
                    lambda future: waited(ray.get, future),
                    workers * AHEAD,
                )
            except ray.exceptions.RayTaskError as error:
                raise _cause(error) from None
            except ray.exceptions.RayError as error:
                cause = str(error).splitlines()[0]
                raise IncompleteError("engine", "a Ray worker died", cause, "see its log") from None

    def _connect(self, ray: Any, stack: ExitStack) -> None:
        if ray.is_initialized():
            return
        quiet = {"include_dashboard": False} if self.address is None else {}
        job = ray.job_config.JobConfig()
        job._client_job = True  # else it puts the current folder before all other places where workers look for modules
        try:
            ray.init(
                address=self.address, num_cpus=self.workers, log_to_driver=False, logging_level="ERROR",
                job_config=job, **quiet,
            )  # fmt: skip
        except ConnectionError as error:
            do = "start one: ray start --head, and ray start --address=HEAD on each further machine"
            raise IncompleteError("engine.address", "no Ray cluster answers", self.address or str(error), do) from None
        listen()  # it takes SIGTERM for itself
        stack.callback(ray.shutdown)


def _cause(error: Any) -> Exception:
    """What was raised in the worker."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, AuditError) else cause if isinstance(cause, Exception) else error
