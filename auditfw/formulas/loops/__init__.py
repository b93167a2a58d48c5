"""Questions about many refine loops, as arrays of a value each: pure functions."""
