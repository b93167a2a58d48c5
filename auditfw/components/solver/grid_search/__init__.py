"""The embedded solver: a search for programs that turn grids into grids. Only its settings are imported here."""
