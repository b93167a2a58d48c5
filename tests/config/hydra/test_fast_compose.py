"""Configs of a sweep's jobs, composed from layers that are read once: what Hydra itself would have made."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig, ListConfig, OmegaConf

from auditfw.config import build as bridge
from auditfw.config.hydra.fast_compose import OPEN, Unsure, _replaces
from auditfw.config.hydra.lists import initialized
from auditfw.config.hydra.sweep_configs import Composer
from auditfw.config.variants import merged
from auditfw.kinds import KINDS

FIXED = (
    ["parser=[raw]", "normalizer=[v2]", "matcher=exact"],
    ["experiment=posiwid", "scenarios=lhs"],
    ["experiment=cross_agent", "policy=[strict,auditor_veto]"],
    ["~scenarios", "parser=[]", "source=jsonl"],
    ["matcher=[choice,exact,containment]", "normalizer=[v2]"],
)


@pytest.fixture(scope="module")
def composer() -> Iterator[Composer]:
    bridge.prepare()
    with initialized() as loader:
        yield Composer(loader, loader.load_configuration("config", [], RunMode.MULTIRUN))


def drawn(composer: Composer, seed: int, count: int) -> Iterator[list[str]]:
    """Choices of one to three groups, whatever comes of them."""
    draw = random.Random(seed)
    options = {kind: composer.loader.get_group_options(kind) for kind, told in KINDS.items() if told.place}
    options["experiment"] = composer.loader.get_group_options("experiment")
    for _ in range(count):
        words = []
        for kind in draw.sample([kind for kind in options if options[kind]], draw.choice((1, 2, 3))):
            one_or_several = kind in KINDS and KINDS[kind].list_place is not None
            several = kind in KINDS and (KINDS[kind].several or (one_or_several and draw.random() < 0.5))
            names = draw.sample(options[kind], min(len(options[kind]), 2 if several else 1))
            words.append(f"{kind}=[{','.join(names)}]" if several else f"{kind}={names[0]}")
        yield words


def flags(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The flags of all nodes: what is open, what is closed."""
    if isinstance(node, DictConfig | ListConfig):
        yield path, node._metadata.flags or {}
        if isinstance(node, DictConfig) and not (node._is_none() or node._is_missing() or node._is_interpolation()):
            for key in node:
                yield from flags(node._get_node(key), f"{path}.{key}")


def check_the_same(composer: Composer, words: Sequence[str]) -> None:
    parsed = OverridesParser.create().parse_overrides(list(words))
    quick = composer._quickly(parsed)
    assert quick is not None, words
    slow = composer._by_hydra(words)
    one, other = (OmegaConf.to_container(config, resolve=False) for config in (quick, slow))
    assert json.dumps(one, default=repr) == json.dumps(other, default=repr), words
    assert dict(flags(quick)) == dict(flags(slow)), words


@pytest.mark.parametrize("words", FIXED, ids=" ".join)
def test_layers_give_what_hydra_composes(composer: Composer, words: list[str]) -> None:
    check_the_same(composer, words)


@pytest.mark.slow
def test_any_choices_give_what_hydra_composes(composer: Composer) -> None:
    for words in drawn(composer, 11, 150):
        check_the_same(composer, words)


def test_a_wrong_choice_is_told_as_hydra_tells_it(composer: Composer) -> None:
    for words, told in ((["matcher=exakt"], "exakt"), (["scenarios=null"], "expected a name"), (["x=1"], "x")):
        job = composer.compose(0, words)
        assert job.config is None
        assert told in str(job.error)


def test_jobs_share_no_node(composer: Composer) -> None:
    one = composer.compose(0, ["parser=[raw]", "gates.baseline_reproduces.max=3"])
    other = composer.compose(1, ["parser=[raw]"])
    assert one.config is not None
    assert other.config is not None
    assert (one.config.gates.baseline_reproduces.max, other.config.gates.baseline_reproduces.max) == (3, 0)


def test_mappings_are_laid_over_each_other() -> None:
    below = {"a": {"x": 1, "y": [1, 2]}, "b": None, "c": 3}
    above = {"a": {"y": [3]}, "b": {"z": 1}, "c": {}, "d": 4}
    assert merged(below, above, _replaces) == {"a": {"x": 1, "y": [3]}, "b": {"z": 1}, "c": {}, "d": 4}
    assert below["a"] == {"x": 1, "y": [1, 2]}
    assert merged({"a": {"x": 1, OPEN: True}}, {"a": {"y": 2}}, _replaces)["a"] == {"x": 1, OPEN: True, "y": 2}
    for low, high in (({"a": "${b}"}, {"a": {"x": 1}}), ({"a": 1}, {"a": "???"})):
        with pytest.raises(Unsure):
            merged(low, high, _replaces)
