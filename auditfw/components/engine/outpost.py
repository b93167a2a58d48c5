"""What is sent to a worker as a text and runs there first: it needs Python alone, of whatever version.

So a worker that has no auditfw, or another one, still says who it is and what is wrong there.
"""

from __future__ import annotations


def answer(parcel: bytes, task: bytes) -> tuple[str, str, object]:
    """The name of this machine, how the task went, and what it came to: see `parcels.Outcome`."""
    import socket

    host = socket.gethostname()
    try:
        from auditfw.components.engine.parcels import apply

        return (host, *apply(parcel, task))
    except Exception as error:
        return host, "lacking", f"{type(error).__name__}: {error}"
