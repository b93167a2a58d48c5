"""What the first screen of a consistency audit shows before its answer: who is off, where raters differ, an example."""
