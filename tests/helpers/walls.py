"""Whether this machine can keep programs apart."""

from __future__ import annotations

import pytest

from auditfw.components.executor.tiers import Sandlock
from auditfw.core.errors import IncompleteError, UsageError


def walls() -> str:
    """Why this machine cannot have the kernel tier, "" where it can."""
    try:
        Sandlock().check()
    except (UsageError, IncompleteError) as error:
        return str(error)
    return ""


NO_WALLS = walls()
needs_landlock = pytest.mark.skipif(bool(NO_WALLS), reason=f"no kernel tier on this machine: {NO_WALLS}")
