"""Trials from Python."""

from __future__ import annotations

from auditfw.components.files.formats.frames import HeldFrame
from auditfw.kinds.registry import declare


@declare("source", "frame")
class FrameSource(HeldFrame):
    """Takes a table from Python: a Polars or pandas frame, or a list of records.

    It has the settings of all file sources except `path`, `files` and `encoding`; `frame` is the table. In a pandas
    frame NaN means null.
    """
