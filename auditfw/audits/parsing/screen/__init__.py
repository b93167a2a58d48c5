"""What the first screen of a parsing audit shows before its answer: who wins under which scoring, and an example."""
