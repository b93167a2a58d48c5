"""The jobs of a sweep, known before it runs."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.audits.sweep_settings import MOST_JOBS
from auditfw.config.build import prepare
from auditfw.config.choices import parsed
from auditfw.core.errors import UsageError

from .lists import initialized
from .sweeper import AuditfwSweeper, below_groups, below_swept_groups, combinations, width


def jobs(overrides: Sequence[str], name: str = "config", groups: Sequence[Sequence[str]] = ()) -> list[list[str]]:
    """The overrides of each job of a sweep, as Hydra's own sweeper makes them; of several runs behind those of each."""
    from hydra import compose as hydra_compose
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    prepare()
    parsed(overrides)
    with initialized() as loader:
        parser = OverridesParser.create(loader)
        later = (below_groups if groups else below_swept_groups)(overrides)
        known = [one for one in parser.parse_overrides(list(overrides)) if one.input_line not in later]
        fixed = [str(one.input_line) for one in known if not one.is_sweep_override()]
        sweeper = hydra_compose(name, fixed, return_hydra_config=True).hydra.sweeper
        if not str(sweeper["_target_"]).endswith((f".{BasicSweeper.__name__}", f".{AuditfwSweeper.__name__}")):
            raise UsageError(
                "hydra/sweeper", "its jobs are only known while they run", sweeper["_target_"], "leave out -m"
            )
        words = [f"{key}={value}" for key, value in (sweeper.get("params") or {}).items()]
        parsed_words = parser.parse_overrides([*words, *overrides])
        count = width(parsed_words) * max(1, len(groups))
        if count > MOST_JOBS:
            raise UsageError(
                "check -m", f"a sweep of {count:,} jobs", f"at most {MOST_JOBS:,} are checked", "sweep fewer values"
            )
        words_by_job = combinations(parsed_words)
    words_by_job = [[*group, *words] for group in groups or ((),) for words in words_by_job]
    return [list(words) for words in dict.fromkeys(map(tuple, words_by_job))]
