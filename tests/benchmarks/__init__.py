"""Measurements side by side, run by hand in a checkout: `python -m tests.benchmarks NAME`."""
