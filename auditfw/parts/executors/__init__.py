"""Executors: where candidate programs run."""

from . import simulated, tiers

__all__ = ["simulated", "tiers"]
