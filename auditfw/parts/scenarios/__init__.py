"""Scenario sets made here: lists in the config and designs. Those that are files are read where sources are."""

from . import designs, inline

__all__ = ["designs", "inline"]
