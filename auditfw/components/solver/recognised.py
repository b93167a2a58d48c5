"""Recorded attempts whose results are recorded, which are a run without the problems."""

from __future__ import annotations

from auditfw.components.files.looks.attempts import Attempts
from auditfw.kinds.first_look import Looks, Recognised


def replay_proposes(looks: Looks) -> Recognised | None:
    """One file of attempts whose results are scores, yes or no."""
    attempts = Attempts.of(looks[0]) if len(looks) == 1 else None
    if attempts is None or not attempts.scores:
        return None
    return Recognised("recorded attempts", ("experiment=self_audit", *attempts.alone(), *attempts.words()))
