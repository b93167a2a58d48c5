"""Agreement of raters: what was judged, and every coefficient with its interval."""

from .ratings import MISSING, Abstain, Group, Judged, Pair, Ratings
from .settings import Interval, RandomStream, Sampling

__all__ = ["MISSING", "Abstain", "Group", "Interval", "Judged", "Pair", "RandomStream", "Ratings", "Sampling"]
