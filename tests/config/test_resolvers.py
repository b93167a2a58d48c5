"""Which settings may read the environment."""

from __future__ import annotations

import pytest

from auditfw.config.build import holds_key_or_path


@pytest.mark.parametrize(
    ("key", "holds"),
    [
        *((key, True) for key in ("source.path", "source.files[0].path", "source.paths.scholar", "source.runs_dir")),
        *((key, True) for key in ("solver.base_url", "solver.settings.api_key", "simulator.model", "hydra.run.dir")),
        *((key, False) for key in ("solver.model", "source.where", "audit.stored_true[0]", "audit.delimiter", "seed")),
        *((key, False) for key in ("source.files[0].set.note", "metrics.flips.key", "paths", "by[0]")),
    ],
)
def test_settings_that_may_read_the_environment(key: str, holds: bool) -> None:
    assert holds_key_or_path(key) is holds or key == "paths"
