"""Reports: each tells a result, to the terminal or into a file."""

from . import annotations, ci, codequality, consistency, console, html, junit, machine, markdown, sarif, summary

__all__ = [
    "annotations",
    "ci",
    "codequality",
    "consistency",
    "console",
    "html",
    "junit",
    "machine",
    "markdown",
    "sarif",
    "summary",
]
