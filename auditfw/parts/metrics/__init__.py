"""Metrics: numbers made from readings."""

from . import agreement, alignment, decisions, judgements, labels, loops

__all__ = ["agreement", "alignment", "decisions", "judgements", "labels", "loops"]
