"""Decisions that a reader made in the gallery of a page, read back into the report of the run."""
