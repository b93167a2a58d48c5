"""Engines: where the work of an audit runs."""
