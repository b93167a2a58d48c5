"""Two logs of one benchmark: their paired difference, what the gap between them is made of, and tiers of several."""
