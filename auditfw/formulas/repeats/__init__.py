"""Stored repeats of items: pass@k and pass^k, where the noise comes from, what to buy next, and a suite's decision."""
