"""What follows from the loops: the answer, records that differ, what stopping at another time would have given."""
