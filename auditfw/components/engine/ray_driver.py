"""A driver of Ray in a process of its own: Ray ends its driver's process without a word where the cluster ends."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from auditfw.core.errors import IncompleteError

from .addresses import imported
from .parcels import CALL

BEAT = 2.0  # seconds between two looks whether the cluster is there
REPEATS = 3  # of a task whose worker died, as Dask has it
MODE, TOKENS = "RAY_AUTH_MODE", frozenset({"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"})
CONNECT, RESULT, END = "connect", "result", "end"
CLIENT = "ray://"
NO_TOKEN = ("Unauthenticated", "AuthToken", "AuthenticationError")


class RayDriver:
    """Called with a task it sends it; with RESULT it waits for that of the first one under way (None: not yet there).

    With CONNECT, which comes first, it says how many cores there are, and where the head is.
    """

    def __init__(self, address: str | None, workers: int | None, text: str, parcel: bytes) -> None:
        self._address, self._workers, self._text, self._parcel = address, workers, text, parcel
        self._futures: deque[Any] = deque()

    def __call__(self, message: Any) -> Any:
        """Does what the message says. Raises IncompleteError, or UsageError where Ray is not installed."""
        if message == CONNECT:
            return self._connect()
        if message == RESULT:
            return self._first()
        if message == END:
            with suppress(Exception):
                self._ray.shutdown()
            return None
        self._futures.append(self._remote.remote(CALL, self._text, self._shared, message))
        return None

    def _connect(self) -> tuple[int, str]:
        file = os.path.expanduser("~/.ray/auth_token")
        if self._address is not None and (not TOKENS.isdisjoint(os.environ) or os.path.isfile(file)):
            os.environ.setdefault(MODE, "token")  # as Ray's own commands do; it reads the variable while it loads
        with _captured() as output:
            ray = self._ray = imported("ray", "ray")
            if self._by_client:
                imported("grpc", "ray")
            try:
                self._init(ray)
            except Exception as error:
                raise self._refused(f"{output()} {error}") from None
        self._shared = ray.put(self._parcel)
        self._remote = ray.remote(max_retries=REPEATS)(_by_content(_called))
        head = self._address if self._by_client else ray.get_runtime_context().gcs_address
        return int(ray.cluster_resources().get("CPU", 1)), str(head)

    @property
    def _by_client(self) -> bool:
        """Whether a process of the cluster is the driver, and this one its client: only that address is reached."""
        return self._address is not None and self._address.startswith(CLIENT)

    def _init(self, ray: Any) -> None:
        settings: dict[str, Any] = {"include_dashboard": False} if self._address is None else {}
        if not self._by_client:
            job = settings["job_config"] = ray.job_config.JobConfig()
            # else it puts the current folder before all other places where workers look for modules
            job._client_job = True
        ray.init(address=self._address, num_cpus=self._workers, log_to_driver=False, logging_level="ERROR", **settings)

    def _refused(self, cause: str) -> IncompleteError:
        # a client does not learn what is wrong with its token
        silent = self._by_client and "connection timeout" in cause
        if silent or any(word in cause for word in NO_TOKEN):
            what = "the Ray cluster is silent, or wants a token" if silent else "the Ray cluster wants a token"
            do = f"set {MODE}=token, with the token of its head in ~/.ray/auth_token or RAY_AUTH_TOKEN"
            return IncompleteError("engine.address", what, self._address, do)
        lines = [line for line in cause.splitlines() if line.strip()]
        return IncompleteError("engine.address", "Ray cannot connect", lines[-1] if lines else None, "see its logs")

    def _first(self) -> bytes | None:
        ray = self._ray
        try:
            answer: bytes = ray.get(self._futures[0], timeout=BEAT)
        except ray.exceptions.GetTimeoutError:
            return None
        except ray.exceptions.RayError as error:
            what = f"a Ray worker died, as did {REPEATS} others at the same task"
            raise IncompleteError("engine", what, str(error).splitlines()[0], "see its log") from None
        self._futures.popleft()
        return answer


def _called(call: str, text: str, parcel: bytes, task: bytes) -> bytes:
    return pickle.dumps(eval(call, {"text": text, "parcel": parcel, "task": task}))  # noqa: S307 - a text of ours


def _by_content(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one that is sent itself, not by its name: workers may lack the module."""
    function.__module__ = "__main__"
    return function


@contextmanager
def _captured() -> Iterator[Callable[[], str]]:
    """Within, standard error can be read; then nothing reaches it, nor standard output: our error says it better."""
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)

        def output() -> str:
            file.seek(0)
            return file.read().decode("utf-8", "replace")

        try:
            yield output
        finally:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)  # where it says that tasks are repeated
            os.dup2(nothing, 2)
            os.close(nothing)
