"""Sources: where trials come from."""
