"""The solver that asks a model over the network, at any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, TypeVar

from auditfw.core.errors import UsageError
from auditfw.core.interrupts import LATE, joined
from auditfw.core.masking import hide, masked
from auditfw.kinds.registry import declare
from auditfw.kinds.solving import Ask, Clock, Reply, RequestTimeoutError, TransientError

from .prompts import Extractor, Prompt, extract_code

T = TypeVar("T")

INSTALL = "pip install 'auditfw[openai]'"
MILLION = 1_000_000
LONGEST = 900.0
REFUSED = (401, 403, 404)
NO_KEY = "none"
PASSING = (408, 409, 425, 429)


@declare("solver", "openai")
class OpenAI:
    """Asks a model for programs, at any endpoint that speaks OpenAI's chat protocol.

    - `model`, `base_url`: which model, and where; `key_env` names the environment variable that holds the key (null:
      the endpoint needs none). The key is never written anywhere.
    - `temperature`, `max_tokens`, `extra` (further fields of the request): a setting that is null is not sent.
    - `price_in`, `price_out`: the price of a million tokens, for budgets of cost; null: the cost is unknown.
    - `code`: how the code is extracted from a reply, `reference`, `lenient` or `strict`
      (auditfw.components.solver.prompts.extract_code).
    - `prompt`: how the request is worded; `arrays` must say what the executor's `arrays` says.

    Each call is one request, limited to the seconds that the stop rule allows (900 if it sets no limit); the client
    does not retry by itself. Needs `pip install 'auditfw[openai]'`.
    """

    model: str
    base_url: str = "https://api.openai.com/v1"
    key_env: str | None = "OPENAI_API_KEY"
    temperature: float | None = 1.0
    max_tokens: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    code: Extractor = "reference"
    arrays: bool = False
    prompt: Prompt = field(default_factory=Prompt)
    extra: dict[str, Any] = field(default_factory=dict)

    clock: ClassVar[Clock] = "wall"
    programs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise UsageError("base_url", "is not the address of an endpoint", self.base_url, "write https://.../v1")
        for name in ("price_in", "price_out", "temperature"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise UsageError(name, "expected a number of 0 or more", value)
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError("max_tokens", "expected a whole number of 1 or more", self.max_tokens)

    @property
    def starts(self) -> str:
        """Where it sends the problems, and which key."""
        key = "" if self.key_env is None else f" with the key in {self.key_env}"
        return f"sends the problems{key} to {self.base_url}"

    def check(self) -> None:
        """Raises UsageError where the package or the key is missing."""
        try:
            import openai  # noqa: F401 - only whether it can be imported
        except ImportError:
            raise UsageError("solver", "the package openai is not installed", None, INSTALL) from None
        self._key()

    def _key(self) -> str:
        if self.key_env is None:
            return NO_KEY
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            do = f"export {self.key_env}=..., or solver.key_env=null for an endpoint that needs none"
            raise UsageError("solver.key_env", f"the environment variable {self.key_env} is not set", None, do)
        if not key.isascii() or not key.isprintable():
            raise UsageError("solver.key_env", f"the environment variable {self.key_env} holds no usable key")
        hide(key)
        return key

    def __call__(self, ask: Ask) -> Reply:
        types = "; lists come and go as NumPy arrays" if self.arrays else "; grids are lists of rows"
        messages = self.prompt.write(ask, types)
        if messages is None:
            return Reply(why=f"the examples are longer than {self.prompt.total} characters", tokens=0, cost=0.0)
        timeout = LONGEST if ask.timeout is None else ask.timeout
        return self._reply(self._asked(messages, timeout))

    def _asked(self, messages: list[dict[str, str]], timeout: float) -> Any:
        import openai

        _quiet()
        key = self._key()
        request: dict[str, Any] = {"model": self.model, "messages": messages, "temperature": self.temperature}
        request |= {"max_tokens": self.max_tokens, "extra_body": self.extra or None}
        client = openai.OpenAI(api_key=key, base_url=self.base_url, max_retries=0, timeout=timeout)
        try:
            return _within(timeout, lambda: _send(client, request), client.close)
        except openai.APITimeoutError:
            raise RequestTimeoutError(f"no reply within {timeout:g} s") from None
        except openai.APIStatusError as error:
            raise self._failure(error, key) from None
        except (openai.APIError, ValueError) as error:
            raise TransientError(_masked(f"{type(error).__name__}: {error}", key)) from None
        finally:
            client.close()

    def _failure(self, error: Any, key: str) -> Exception:
        """What an HTTP status other than success means."""
        status = int(error.status_code)
        if status in REFUSED:
            what = "does not know the model or the address" if status == 404 else "refuses the key"
            where = "solver.model" if status == 404 else "solver.key_env"
            return UsageError(
                where, f"the endpoint {what}", f"HTTP {status} from {self.base_url}", "check the settings solver.*"
            )
        message = _masked(f"HTTP {status}: {error.message}", key)
        if status in PASSING or status >= 500:
            return TransientError(message, wait=_wait(error.response.headers.get("retry-after")))
        return RuntimeError(message)

    def _reply(self, completion: Any) -> Reply:
        """The code of a completion, with what it cost as far as that is reported."""
        choices = getattr(completion, "choices", None)
        if not choices or getattr(choices[0], "message", None) is None:
            raise TransientError("the endpoint's reply is not a chat completion")
        tokens, cost = self._bill(getattr(completion, "usage", None))
        content = choices[0].message.content
        if isinstance(content, str) and self.key_env is not None:
            content = masked(content, [self._key()])
        if not isinstance(content, str) or not content.strip():
            return Reply(why="the reply is empty", tokens=tokens, cost=cost)
        code, why = extract_code(content, self.code)
        if why and choices[0].finish_reason == "length":
            why += ", and the reply was cut off at its longest"
        return Reply(program=code, why=why, tokens=tokens, cost=cost)

    def _bill(self, usage: Any) -> tuple[int | None, float | None]:
        counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
        sent, answered = (count if isinstance(count, int) and count >= 0 else None for count in counts)
        if sent is None or answered is None:
            return None, None
        if self.price_in is None or self.price_out is None:
            return sent + answered, None
        return sent + answered, (sent * self.price_in + answered * self.price_out) / MILLION


def _send(client: Any, request: dict[str, Any]) -> Any:
    given = {name: value for name, value in request.items() if value is not None}
    return client.chat.completions.create(**given)


def _within(seconds: float, call: Callable[[], T], abandon: Callable[[], None]) -> T:
    """The call's value or error, or RequestTimeoutError: also where a reply comes in, but byte by byte.

    A reply may cost money: a signal gives it a moment to come in.
    """
    values: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            values.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    if not joined(thread, seconds + 0.5, LATE):
        abandon()
        raise RequestTimeoutError(f"no whole reply within {seconds:g} s")
    if errors:
        raise errors[0]
    return values[0]


def _masked(text: str, key: str) -> str:
    return text if key == NO_KEY else masked(text, [key])


def _quiet() -> None:
    """Keeps what HTTP libraries say of each request off standard error, where nobody set them otherwise."""
    for name in ("httpx", "httpcore", "openai"):
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)


def _wait(header: str | None) -> float | None:
    """The seconds a server asks to wait, where it says so in seconds."""
    try:
        wait = float(header or "")
    except ValueError:
        return None
    return wait if 0 <= wait < 86_400 else None
