"""Installs auditfw for the action: the version that is named, or the checkout that the action is part of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
NONE = "none"


def requirement(environment: Mapping[str, str]) -> str:
    """What pip is given. Raises ValueError for what is no version, or no list of extras."""
    version = environment.get("AUDITFW_ACTION_VERSION", "").strip()
    extras = "".join(environment.get("AUDITFW_ACTION_EXTRAS", "").split())
    if not re.fullmatch(r"[A-Za-z0-9,_-]*", extras):
        raise ValueError(f"extras: write names separated by commas, not {extras!r}")
    if not re.fullmatch(r"[A-Za-z0-9.+!]*", version):
        raise ValueError(f"version: write one such as 0.1.0, not {version!r}")
    chosen = f"[{extras}]" if extras else ""
    return f"auditfw{chosen}=={version}" if version else f"{CHECKOUT}{chosen}"


def main() -> int:
    """Installs, unless there is nothing to install."""
    if os.environ.get("AUDITFW_ACTION_VERSION", "").strip() == NONE:
        return 0
    try:
        wanted = requirement(os.environ)
    except ValueError as error:
        print(f"auditfw: error: {error}", file=sys.stderr)
        return 2
    return subprocess.run([sys.executable, "-P", "-m", "pip", "install", "--quiet", wanted], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
