"""Simulators: parameters to outcomes."""

from . import environments, equations, function, mockup_unit, program, system_dynamics

__all__ = ["environments", "equations", "function", "mockup_unit", "program", "system_dynamics"]
