"""Trials in the logs of Inspect AI."""

from __future__ import annotations

from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare

from .inspect_log.logs import HEADER, START
from .inspect_log.scorers import inspect_scorers
from .inspect_log.source import InspectLogs


@declare("source", "inspect")
class Inspect(InspectLogs):
    """Reads the logs of Inspect AI, .eval and .json: a row for each sample and epoch.

    - `path`: a log, a list of logs, a folder with all logs below it, or a pattern;
    - `scorer`: the one whose scores are the stored labels (null: the first of each log); if several scorers have one
      name, the second is NAME1;
    - `partial`: the number that the score P stands for; `threshold`: the smallest number that counts as right; `key`:
      which value counts if a score has several;
    - `max_decoded`: how many bytes a member of an .eval file may unpack to (null: 512 MB).

    It has the settings of all file sources. Columns: id (`ID#EPOCH`, preceded by task and model if the logs differ in
    them), item, epoch, question, choices, ground_truth, raw_text, parsed_text (of pattern, answer, choice and math),
    stored, explanation, reasoning, error, scorer, model, task, temperature, stop, tokens_in, tokens_out, limit, reason,
    planned, unscored, and the samples' metadata.
    """

    logs = "logs of Inspect AI"
    chooses = ("scorer",)
    scorers_of = staticmethod(inspect_scorers)

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is a log."""
        if look.format == "zip":
            return any(name in look.names for name in (HEADER, START))
        return look.format == "object" and {"version", "status", "eval"} <= set(look.names)
