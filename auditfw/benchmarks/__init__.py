"""Measurements side by side, run by hand: `python -m auditfw.benchmarks NAME`."""
