"""The self-audit: does a solve-and-check loop stop at the right time?"""
