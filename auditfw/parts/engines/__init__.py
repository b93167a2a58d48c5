"""Engines: where the work of an audit runs."""

from . import clusters, local
from .local import Local

__all__ = ["Local", "clusters", "local"]
