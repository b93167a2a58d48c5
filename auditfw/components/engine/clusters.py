"""Engines of other libraries, which spread batches over machines."""

from __future__ import annotations

import logging
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from itertools import chain
from typing import Any, TypeVar

from auditfw.core.document import some, verb
from auditfw.core.errors import IncompleteError
from auditfw.core.interrupts import pause, raising, result
from auditfw.core.processes import safe_path, shielded
from auditfw.kinds.registry import declare

from .addresses import ClusterSettings, answers, imported
from .local import AHEAD, end_workers, nameless_main, packed, process_pool
from .parcels import CALL, packed_apart, parcel_of, unpacked
from .ray_driver import BEAT, CONNECT, END, RESULT, RayDriver
from .workers import do, in_order, one_by_one

S = TypeVar("S")
T = TypeVar("T")

PATIENCE = 10.0  # seconds that a cluster may be without a worker
DASK_WORKERS = "dask worker {} --nthreads 1 --nworkers -1"


@declare("engine", "dask")
class Dask(ClusterSettings):
    """Runs the work on a Dask cluster, at `address` or started on this machine; the results are the same bytes.

    `address` is that of the scheduler, for example tcp://10.0.0.1:8786; without it `workers` processes (null: one per
    core) are started here. `parts` is a folder, or an address, where workers leave their rows of `trials.parquet` for
    the command, in place of sending them; of more than `most_joined` rows (null: any number) the table stays in parts.
    Needs the extra `dask`.
    """

    schemes = ("tcp", "tls", "ws", "wss", "ucx")
    example = "tcp://10.0.0.1:8786"

    def map_beside(self, work: Callable[[S], T], tasks: Iterable[S], others: Sequence[S]) -> Iterator[T]:
        """Yields `work(task)` for each of the others, which are begun at once, and then for each task, in order."""
        if packed(work) is None:
            yield from one_by_one(work, chain(others, tasks))
            return
        distributed = imported("distributed", "dask")
        text, parcel = parcel_of(work)
        with ExitStack() as stack:
            stack.enter_context(_apart())  # also for a worker that is started in place of one that died
            client = self._client(distributed, stack)
            workers = self._workers(client)
            # a task of its own, which is done again where the workers that have it die
            shared = client.submit(eval, "parcel", {"parcel": parcel}, pure=False)

            def submit(numbered: tuple[int, Any]) -> Any:
                number, task = numbered
                space = {"text": text, "parcel": shared, "task": packed_apart(task, number)}
                return client.submit(eval, CALL, space, pure=False)

            def waited(future: Any) -> Any:
                return self._result(distributed, client, future)

            numbered_tasks = enumerate(chain(others, tasks))
            yield from in_order(numbered_tasks, submit, waited, workers * AHEAD + len(others))

    def _reached(self) -> str:
        distributed = imported("distributed", "dask")
        with ExitStack() as stack:
            workers = self._workers(self._client(distributed, stack))
        return f"Dask at {self.address}, {some(workers, 'worker')}"

    def _client(self, distributed: Any, stack: ExitStack) -> Any:
        for name in list(logging.root.manager.loggerDict):  # errors of ours say what its log would
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of ports in use, and of versions that it does without
                if self.address is None:
                    with shielded(tracked=True):
                        cluster = distributed.LocalCluster(
                            n_workers=self.workers, threads_per_worker=1, processes=True, dashboard_address=None,
                            silence_logs=logging.CRITICAL,
                        )  # fmt: skip
                    stack.enter_context(cluster)
                client = distributed.Client(
                    cluster if self.address is None else self.address, timeout="5s", set_as_default=False
                )
        except (OSError, TimeoutError) as error:
            do = "start one: dask scheduler, and on each machine " + DASK_WORKERS.format("ADDRESS")
            raise IncompleteError(
                "engine.address", "no Dask scheduler answers", self.address or str(error), do
            ) from None
        except (TypeError, ValueError, RuntimeError) as error:
            do = "its certificates are set in Dask's own configuration" if "TLS" in str(error) else ""
            raise IncompleteError("engine.address", "Dask cannot connect", str(error), do) from None
        stack.callback(_closed, client)
        return client

    def _workers(self, client: Any) -> int:
        """How many workers there are, once there are some. Raises IncompleteError for none, and for several threads."""
        until = time.monotonic() + PATIENCE
        while not (workers := _workers_of(client)):
            if time.monotonic() > until:
                raise self._alone()
            pause(0.2)
        several = {address: one["nthreads"] for address, one in workers.items() if one["nthreads"] != 1}
        if several:
            what = f"{verb(len(several), 'a worker has', 'workers have')} more than one thread"
            do = f"start one process for each core instead: {DASK_WORKERS.format(self.address)}"
            raise IncompleteError("engine.address", what, ", ".join(f"{k}: {n}" for k, n in several.items()), do)
        return len(workers)

    def _result(self, distributed: Any, client: Any, future: Any) -> Any:
        since = time.monotonic()
        while True:
            try:
                with raising():
                    answer = future.result(BEAT)
                break
            except distributed.TimeoutError:
                if _workers_of(client):
                    since = time.monotonic()
                elif time.monotonic() - since > PATIENCE:
                    raise self._alone() from None
            except distributed.scheduler.KilledWorker as error:
                last = getattr(error.last_worker, "address", "?")
                what = f"{error.allowed_failures + 1} workers died, each at the same task"
                do = "see their logs: too little memory is the most frequent cause"
                raise IncompleteError(f"worker {last}", what, None, do) from None
            except (distributed.client.FutureCancelledError, distributed.comm.CommClosedError):
                do = "start it again, and run again"
                raise IncompleteError(
                    "engine.address", "the Dask scheduler is gone", self.address or "that of this machine", do
                ) from None
            except Exception as error:
                cause = f"{type(error).__name__}: {error}"
                raise IncompleteError("engine", "a Dask worker cannot do a task", cause, "see its log") from None
        return unpacked(answer)

    def _alone(self) -> IncompleteError:
        what = f"the Dask scheduler has had no worker for {PATIENCE:.0f} s"
        where = self.address or "ADDRESS"
        return IncompleteError("engine.address", what, where, f"start some: {DASK_WORKERS.format(where)}")


@declare("engine", "ray")
class Ray(ClusterSettings):
    """Runs the work on a Ray cluster, at `address` or started on this machine; the results are the same bytes.

    `address` is that of the head node, for example 10.0.0.1:6379, or auto; without it `workers` processes (null: one
    per core) are started here, which takes some seconds. `parts` is a folder, or an address, where workers leave their
    rows of `trials.parquet` for the command, in place of sending them; of more than `most_joined` rows (null: any
    number) the table stays in parts. Needs the extra `ray`.
    """

    schemes = ("ray",)
    words = ("auto", "local")
    example = "10.0.0.1:6379"

    def map_beside(self, work: Callable[[S], T], tasks: Iterable[S], others: Sequence[S]) -> Iterator[T]:
        """Yields `work(task)` for each of the others, which are begun at once, and then for each task, in order."""
        if packed(work) is None:
            yield from one_by_one(work, chain(others, tasks))
            return
        with self._driver(*parcel_of(work)) as ask:
            cores, head = ask(CONNECT)

            def next_result(_: None) -> Any:
                while (answer := ask(RESULT)) is None:
                    if not answers(head):
                        raise self._silent()
                return unpacked(pickle.loads(answer))  # noqa: S301 - written by our worker

            def submit(numbered: tuple[int, Any]) -> None:
                number, task = numbered
                ask(packed_apart(task, number))

            numbered_tasks = enumerate(chain(others, tasks))
            yield from in_order(numbered_tasks, submit, next_result, max(1, cores) * AHEAD + len(others))

    def _reached(self) -> str:
        with self._driver("", b"") as ask:
            cores, _ = ask(CONNECT)
        return f"Ray at {self.address}, {some(cores, 'core')}"

    @contextmanager
    def _driver(self, text: str, parcel: bytes) -> Iterator[Callable[[Any], Any]]:
        """Asks a process that is a driver of the cluster."""
        if find_spec("ray") is None:
            imported("ray", "ray")
        if self.address is not None and not answers(self.address):
            raise self._silent()
        pool = process_pool(pickle.dumps(RayDriver(self.address or _joined(), self.workers, text, parcel)), 1)

        def ask(message: Any) -> Any:
            try:
                with safe_path(), nameless_main():
                    future = pool.submit(do, message)
                return result(future)
            except BrokenProcessPool:
                raise self._silent() from None

        try:
            yield ask
            ask(END)
        except BaseException:
            end_workers(pool, "kill")
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _silent(self) -> IncompleteError:
        do = "start one: ray start --head, and ray start --address=HEAD on each further machine"
        return IncompleteError("engine.address", "no Ray cluster answers", self.address or "that of this machine", do)


def _joined() -> str | None:
    """The address of the cluster that this process is of already."""
    ray = sys.modules.get("ray")
    return str(ray.get_runtime_context().gcs_address) if ray is not None and ray.is_initialized() else None


def _workers_of(client: Any) -> dict[str, Any]:
    with raising():
        try:
            workers: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
        except Exception:  # the connection is lost: the future says so in a moment
            return {}
    return workers


def _closed(client: Any) -> None:
    with suppress(Exception):
        client.close()


@contextmanager
def _apart() -> Iterator[None]:
    """Within, processes that multiprocessing starts import neither the caller's script nor what is beside it."""
    from multiprocessing import spawn

    module: Any = spawn
    usual = module.get_preparation_data

    def without_main(name: str) -> dict[str, Any]:
        return {key: part for key, part in usual(name).items() if not key.startswith("init_main")}

    module.get_preparation_data = without_main
    try:
        with safe_path():
            yield
    finally:
        module.get_preparation_data = usual
