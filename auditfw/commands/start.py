"""What is slow to start is started before the config is composed, where the words of a command let it be expected.

Nothing depends on it: what was started in vain is ended, and what was not expected is started when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.kinds.component_index import MODULES

WORKERS = "engine.workers"
HARMLESS = (WORKERS, "hydra.run.dir")  # of the keys under engine and hydra
EXPERIMENT = "answer_parsing"  # the default, and the only one whose workers are known by the words
SCORING = (
    "auditfw.audits.parsing.scoring",
    *(f"auditfw.components.{name}" for name in ("matcher.texts", "normalizer.steps", "parser.steps")),
    *(f"auditfw.components.step.{name}" for name in ("characters", "cuts", "words")),
)


def start(words: Sequence[str]) -> None:
    """Starts the process that workers are forked from, where it is likely to be needed."""
    modules = expected_modules(words)
    if modules:
        from auditfw.components.engine.server import start_early

        start_early(modules)


def expected_modules(words: Sequence[str]) -> list[str]:
    """What workers of the run will import; nothing where it is not known, or there will be none."""
    chosen = dict(word.partition("=")[::2] for word in words)
    groups = [key.strip("+~") for key in chosen if key not in HARMLESS]
    others = [key for key in groups if key == "audit" or key.split(".")[0] in ("engine", "hydra")]
    several = chosen.get(WORKERS, "").isdecimal() and int(chosen[WORKERS]) > 1
    if not several or others or chosen.get("experiment", EXPERIMENT) != EXPERIMENT:
        return []
    if any(word.startswith("-") for word in words):
        return []
    return [*SCORING, *(MODULES[pair] for pair in chosen.items() if pair in MODULES)]
