"""Steps: text to text."""

from . import answers, characters, cuts, patterns, words

__all__ = ["answers", "characters", "cuts", "patterns", "words"]
