"""Executors: where candidate programs run."""
