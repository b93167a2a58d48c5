"""Labels that people gave to a part of the trials: which trials to label, and what the labels say about the others."""
