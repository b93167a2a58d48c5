"""A suite: several benchmarks, each with what it may lose, and one decision whether to release."""
