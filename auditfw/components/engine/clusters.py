"""Engines of other libraries, which spread batches over machines."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar

from auditfw.core.document import some, verb
from auditfw.core.errors import IncompleteError
from auditfw.core.interrupts import listen, pause, raising
from auditfw.core.processes import safe_path, shielded
from auditfw.kinds.registry import declare

from .addresses import ClusterSettings, answers, imported
from .local import AHEAD, packed
from .parcels import CALL, packed_apart, parcel_of, unpacked
from .workers import in_order, one_by_one

S = TypeVar("S")
T = TypeVar("T")

BEAT = 2.0  # seconds between two looks whether the cluster is there
PATIENCE = 10.0  # seconds that a cluster may be without a worker
REPEATS = 3  # of a task whose worker died, as Dask has it
DASK_WORKERS = "dask worker {} --nthreads 1 --nworkers -1"
MODE, TOKENS = "RAY_AUTH_MODE", frozenset({"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"})


@declare("engine", "dask")
class Dask(ClusterSettings):
    """Runs the work on a Dask cluster, at `address` or started on this machine; the results are the same bytes.

    `address` is that of the scheduler, for example tcp://10.0.0.1:8786; without it `workers` processes (null: one per
    core) are started here. Needs the extra `dask`.
    """

    schemes = ("tcp", "tls", "ws", "wss", "ucx")
    example = "tcp://10.0.0.1:8786"

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        if packed(work) is None:
            yield from one_by_one(work, tasks)
            return
        distributed = imported("distributed", "dask")
        text, parcel = parcel_of(work)
        with ExitStack() as stack:
            stack.enter_context(_apart())  # also for a worker that is started in place of one that died
            client = self._client(distributed, stack)
            workers = self._workers(client)
            # a task of its own, which is done again where the workers that have it die
            shared = client.submit(eval, "parcel", {"parcel": parcel}, pure=False)

            def submit(task: Any) -> Any:
                space = {"text": text, "parcel": shared, "task": packed_apart(task)}
                return client.submit(eval, CALL, space, pure=False)

            def result(future: Any) -> Any:
                return self._result(distributed, client, future)

            yield from in_order(tasks, submit, result, workers * AHEAD)

    def reached(self) -> str:
        """The cluster at the address, in words. Raises IncompleteError where none answers or none can do the work."""
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
    per core) are started here, which takes some seconds. Needs the extra `ray`.
    """

    schemes = ("ray",)
    words = ("auto", "local")
    example = "10.0.0.1:6379"

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        if packed(work) is None:
            yield from one_by_one(work, tasks)
            return
        ray = self._imported()
        text, parcel = parcel_of(work)
        with ExitStack() as stack:
            head = self._connect(ray, stack)
            shared = ray.put(parcel)
            remote = ray.remote(max_retries=REPEATS)(_by_content(_called))
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
            yield from in_order(
                tasks,
                lambda task: remote.remote(CALL, text, shared, packed_apart(task)),
                lambda future: self._result(ray, head, future),
                workers * AHEAD,
            )

    def reached(self) -> str:
        """The cluster at the address, in words. Raises IncompleteError where none answers or none can do the work."""
        ray = self._imported()
        with ExitStack() as stack:
            self._connect(ray, stack)
            cores = int(ray.cluster_resources().get("CPU", 0))
        return f"Ray at {self.address}, {some(cores, 'core')}"

    def _imported(self) -> Any:
        """Ray, which sends the token that there is, as its own commands do: it reads the variable while it loads."""
        file = os.path.expanduser("~/.ray/auth_token")
        if self.address is not None and (not TOKENS.isdisjoint(os.environ) or os.path.isfile(file)):
            os.environ.setdefault(MODE, "token")
        return imported("ray", "ray")

    def _connect(self, ray: Any, stack: ExitStack) -> str:
        """Connects, and says where the head is."""
        if ray.is_initialized():
            return str(ray.get_runtime_context().gcs_address)
        if self.address is not None and not answers(self.address):
            raise self._silent()
        quiet = {"include_dashboard": False} if self.address is None else {}
        job = ray.job_config.JobConfig()
        job._client_job = True  # else it puts the current folder before all other places where workers look for modules
        with _captured() as output:
            try:
                ray.init(
                    address=self.address, num_cpus=self.workers, log_to_driver=False, logging_level="ERROR",
                    job_config=job, **quiet,
                )  # fmt: skip
            except Exception as error:
                raise self._refused(f"{output()} {error}") from None
        listen()  # it takes SIGTERM for itself
        stack.callback(_shut_down, ray)
        return str(ray.get_runtime_context().gcs_address)

    def _refused(self, cause: str) -> IncompleteError:
        if any(word in cause for word in ("Unauthenticated", "AuthToken", "AuthenticationError")):
            do = f"set {MODE}=token, with the token of its head in ~/.ray/auth_token or RAY_AUTH_TOKEN"
            return IncompleteError("engine.address", "the Ray cluster wants a token", self.address, do)
        lines = [line for line in cause.splitlines() if line.strip()]
        return IncompleteError("engine.address", "Ray cannot connect", lines[-1] if lines else None, "see its logs")

    def _result(self, ray: Any, head: str, future: Any) -> Any:
        while True:
            try:
                with raising():
                    return unpacked(ray.get(future, timeout=BEAT))
            except ray.exceptions.GetTimeoutError:
                if not answers(head):
                    raise self._silent() from None
            except ray.exceptions.RayError as error:
                if not answers(head):
                    raise self._silent() from None
                cause = str(error).splitlines()[0]
                what = f"a Ray worker died, as did {REPEATS} others at the same task"
                raise IncompleteError("engine", what, cause, "see its log") from None

    def _silent(self) -> IncompleteError:
        do = "start one: ray start --head, and ray start --address=HEAD on each further machine"
        return IncompleteError("engine.address", "no Ray cluster answers", self.address or "that of this machine", do)


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


def _shut_down(ray: Any) -> None:
    with _captured(), suppress(Exception):
        ray.shutdown()


def _called(call: str, text: str, parcel: bytes, task: bytes) -> Any:
    return eval(call, {"text": text, "parcel": parcel, "task": task})  # noqa: S307 - a text of ours


def _by_content(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one that is sent itself, not by its name: workers may lack the module."""
    function.__module__ = "__main__"
    return function


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


@contextmanager
def _captured() -> Iterator[Callable[[], str]]:
    """Within, nothing reaches standard error: libraries in C++ write there what the error of ours says better."""
    with tempfile.TemporaryFile() as file:
        sys.stderr.flush()
        number = os.dup(2)
        os.dup2(file.fileno(), 2)

        def output() -> str:
            file.seek(0)
            return file.read().decode("utf-8", "replace")

        try:
            yield output
        finally:
            os.dup2(number, 2)
            os.close(number)
