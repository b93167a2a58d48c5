"""Whether an outcome that comes is the one that is intended: its unit, its sign, its name, its time.

Pure formulas over columns of numbers, a row a scenario.
"""
