"""Components by kind. Importing this package registers them all."""

from . import engines, gates, matchers, metrics, reports, sources, steps, text

__all__ = ["engines", "gates", "matchers", "metrics", "reports", "sources", "steps", "text"]
