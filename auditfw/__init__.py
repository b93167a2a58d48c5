"""Audits you run before you believe a number."""
