"""Scenario sets made here: lists in the config and designs. Those that are files are read where sources are."""
