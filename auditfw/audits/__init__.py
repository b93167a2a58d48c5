"""The audits: which readings are compared with which reference."""

from . import parsing

__all__ = ["parsing"]
