"""What the first screen of an alignment audit shows before its answer: which outcome misses, where, and an example."""
