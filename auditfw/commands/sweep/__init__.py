"""Sweeps: their folder and plan, what their jobs came to, the table, and the files of the whole."""

from .jobs import Job, gather, worst

__all__ = ["Job", "gather", "worst"]
