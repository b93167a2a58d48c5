"""Metrics: numbers made from readings."""

from . import labels

__all__ = ["labels"]
