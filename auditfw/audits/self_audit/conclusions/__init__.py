"""What follows from the loops: the answer, records that differ, what other stop rules would have saved and lost."""
