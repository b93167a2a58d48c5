"""Solvers: problem and history to one attempt. One of them replays recorded attempts."""
