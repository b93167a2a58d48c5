"""Reports: each tells a result, to the terminal or into a file."""

from . import consistency, console, junit, machine, markdown

__all__ = ["consistency", "console", "junit", "machine", "markdown"]
