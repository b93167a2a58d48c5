"""A server on this machine that answers requests as a script says, and problems to ask it about."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from auditfw.kinds.solving import Ask, Attempt, Example, Problem

KEY = "sk-secret-0123456789"
PROBLEM = Problem("p", (Example([[1, 2]], [[2, 1]]), Example([[3, 4]], [[4, 3]])), (Example([[5, 6]]),))


def ask(history: tuple[Attempt, ...] = (), timeout: float | None = 5.0, seed: int = 7) -> Ask:
    return Ask(PROBLEM, history, len(history) + 1, seed, timeout)


class Server(ThreadingHTTPServer):
    """Answers each request with the next of its scripted answers (the last one for ever) and keeps what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request: a status, headers, a body whole or cut short or drop by drop, after a while."""

    server: Server

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        step = self.server.script.pop(0) if len(self.server.script) > 1 else self.server.script[0]
        time.sleep(step.get("wait", 0))
        body = step.get("raw") or json.dumps(step.get("body", {})).encode()
        try:
            self.send_response(step.get("status", 200))
            for name, value in {"content-type": "application/json", **step.get("headers", {})}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body) + step.get("missing", 0)))
            self.end_headers()
            for drop in [body[i : i + 1] for i in range(len(body))] if "drip" in step else [body]:
                self.wfile.write(drop)
                self.wfile.flush()
                time.sleep(step.get("drip", 0))
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""
