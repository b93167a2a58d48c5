"""Reports: each tells a result, to the terminal or into a file."""

from . import console, junit, machine, markdown

__all__ = ["console", "junit", "machine", "markdown"]
