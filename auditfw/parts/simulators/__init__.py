"""Simulators: parameters to outcomes."""
