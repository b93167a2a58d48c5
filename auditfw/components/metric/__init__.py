"""Metrics: numbers made from readings."""
