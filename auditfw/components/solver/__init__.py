"""Solvers: problem and history to one attempt. The one that replays recorded attempts lies with the sources."""
