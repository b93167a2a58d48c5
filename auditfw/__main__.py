"""`python -m auditfw` and the `auditfw` command. Worker processes import this module and nothing with it."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from auditfw.cli import main as run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
