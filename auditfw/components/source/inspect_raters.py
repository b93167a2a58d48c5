"""Judgements in the logs of Inspect AI."""

from __future__ import annotations

from typing import Any, Literal

from auditfw.core.errors import UsageError, nearest
from auditfw.kinds.registry import declare

from .inspect_log.head import LogHead
from .inspect_log.samples import epoch_name
from .inspect_log.source import InspectLogs
from .inspect_log.start import LogStart


@declare("source", "inspect_raters")
class InspectRaters(InspectLogs):
    """Reads the scores in logs of Inspect AI as judgements: each scorer, or each epoch, is a rater.

    - `each`: what a rater is, `scorer` or `epoch`;
    - `scorers`: the scorers that are raters (null: all); the labels of epochs are those of `scorer`.

    Labels are C, I, P and N as Inspect writes them; a number of `threshold` or more is C, else I; an unscored sample
    has no label. Everything else is as in `source=inspect`.
    """

    each: Literal["scorer", "epoch"] = "scorer"
    scorers: tuple[str, ...] | None = None

    def raters(self) -> tuple[str, ...]:
        """The scorers that have scores, or the epochs; () where only the samples tell how many of these there are."""
        if self.each == "scorer":
            return tuple(dict.fromkeys(name for one in self._rules for name in one.raters))
        names = [name for log in self._logs for name in log.names or ("",)]
        epochs = {name.rpartition("_epoch_")[2] for name in names}
        known = all(epoch.isdecimal() for epoch in epochs)
        return tuple(epoch_name(epoch) for epoch in sorted(epochs, key=int)) if known else ()

    def _judging(self, head: LogHead, start: LogStart) -> dict[str, Any]:
        if self.each == "epoch":
            return {"epochs": True}
        known = start.scorers(head)
        for name in self.scorers or ():
            if name not in known:
                listed = f"its scorers are {', '.join(known)}"
                where = self.keys.of("scorers")
                raise UsageError(where, f"no scorer '{name}' in {head.path}", listed, nearest(name, known))
        return {"raters": self.scorers or tuple(known)}
