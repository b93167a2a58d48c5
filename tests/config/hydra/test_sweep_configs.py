"""What a sweep makes once for all of its jobs: configs, parsed words, settings, the text of Hydra's own config."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig, ListConfig, OmegaConf

from auditfw.config import build as bridge
from auditfw.config.hydra.lists import initialized
from auditfw.config.hydra.state import composing_state
from auditfw.config.hydra.sweep_configs import Composed, Composer, SharedYaml, as_yaml, part_text
from auditfw.kinds import KINDS

FIXED = (
    ["parser=[raw]", "normalizer=[v2]", "matcher=exact"],
    ["experiment=posiwid", "scenarios=lhs"],
    ["experiment=cross_agent", "policy=[strict,auditor_veto]"],
    ["~scenarios", "parser=[]", "source=jsonl"],
    ["matcher=[choice,exact,containment]", "normalizer=[v2]"],
    ["weights=[balanced,magnitude]", "gate=[stable]"],
    ["weights=[balanced,direction]", "experiment=posiwid_report"],
    ["experiment=posiwid", "weights=direction"],
    ["audit=alignment", "weights=[direction,balanced]"],
)
OVER = "# @package _global_\n# Over.\ndefaults: [override /matcher: choice]\naudit: {matcher: {signed: true}}\n"
OWN = {
    "conf/experiment/over.yaml": OVER.replace("signed", "ignore_case"),
    "conf/experiment/nothing.yaml": "# @package _global_\n# None.\nsource: null\n",
    "conf/experiment/linked.yaml": "# @package _global_\n# Linked.\nsource: ${audit}\n",
    "conf/parser/bare.yaml": "use: steps\n",
    "conf/parser/first.yaml": "# @package audit.parsers.first\ndefaults: [_self_, steps@_here_]\nsteps: [strip]\n",
    "conf/parser/mine.yaml": "# @package audit.parsers.mine\ndefaults: [answer_v2@_here_]\ncolumn: raw_text\n",
    "conf/audit/below.yaml": "# @package audit\n# Below.\ndefaults: [parsing@_here_, _self_]\nmatcher: {use: exact}\n",
}
IN_A_PROJECT = (
    ["experiment=over", "matcher=exact"],
    ["experiment=over", "matcher=[exact,choice]"],
    ["experiment=nothing", "source=jsonl"],
    ["experiment=linked", "source=jsonl"],
    ["audit=below", "matcher=choice"],
    ["parser=[bare]"],
    ["parser=[first,mine]", "+matcher@audit.parsers.mine.x=exact"],
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


def order(value: Any, path: str = "") -> Iterator[str]:
    """The keys below places of kinds, in their order: that of names is the order of readings."""
    for key, part in value.items():
        yield f"{path}.{key}"
        if isinstance(part, dict):
            yield from order(part, f"{path}.{key}")


def check_the_same(composer: Composer, words: Sequence[str]) -> None:
    """Both ways give the same values, order within each place of a kind, and the same mappings open for new keys."""
    quick = composer._laid(OverridesParser.create().parse_overrides(list(words)))
    assert quick is not None, words
    slow = composer._by_hydra(words)
    one, other = (OmegaConf.to_container(config, resolve=False) for config in (quick, slow))
    assert one == other, words
    assert dict(flags(quick)) == dict(flags(slow)), words
    for place in ("audit.parsers", "audit.matchers", "audit.policies", "metrics", "gates", "source", "audit.matcher"):
        parts = [OmegaConf.select(config, place) for config in (quick, slow)]
        first, second = (list(order(OmegaConf.to_container(part))) if part else [] for part in parts)
        assert first == second, (words, place)


@pytest.mark.parametrize("words", FIXED, ids=" ".join)
def test_what_is_laid_is_what_hydra_composes(composer: Composer, words: list[str]) -> None:
    check_the_same(composer, words)


@pytest.mark.slow
def test_any_choices_give_what_hydra_composes(composer: Composer) -> None:
    for words in drawn(composer, 12, 200):
        check_the_same(composer, words)


@pytest.mark.parametrize("words", IN_A_PROJECT, ids=" ".join)
def test_files_of_a_project_give_what_hydra_composes(here: Path, words: list[str]) -> None:
    for name, text in OWN.items() if "audit=below" in words else list(OWN.items())[:-1]:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, "utf-8")
    with composing_state():
        bridge.prepare()
        with initialized() as loader:
            composer = Composer(loader, loader.load_configuration("config", [], RunMode.MULTIRUN))
            job = composer.compose(0, words)
            slow = composer._by_hydra(words)
    assert job.config == slow, job.error
    assert dict(flags(job.config)) == dict(flags(slow))


def test_a_wrong_choice_is_told_as_hydra_tells_it(composer: Composer) -> None:
    for words, told in ((["matcher=exakt"], "exakt"), (["scenarios=null"], "expected a name"), (["x=1"], "x")):
        job = composer.compose(0, words)
        assert job.config is None
        assert told in str(job.error)


@pytest.mark.parametrize(("name", "direction"), [("direction", 1.0), ("magnitude", 0.0), ("balanced", 0.5)])
def test_chosen_weights_stand_above_those_of_the_audit(composer: Composer, name: str, direction: float) -> None:
    config = composer.compose(0, ["experiment=posiwid", f"weights={name}"]).config
    assert config is not None
    assert config.audit.weights.direction == direction


def test_jobs_share_no_node(composer: Composer) -> None:
    one = composer.compose(0, ["parser=[raw]", "gates.baseline_reproduces.max=3"])
    other = composer.compose(1, ["parser=[raw]"])
    assert one.config is not None
    assert other.config is not None
    assert (one.config.gates.baseline_reproduces.max, other.config.gates.baseline_reproduces.max) == (3, 0)


@pytest.mark.parametrize("shared", [[], ["a"], ["a", "b", "c", "d"]])
def test_a_mapping_written_in_parts_is_that_written_whole(shared: list[str]) -> None:
    parts: dict[str, Any] = {"a": {"x": [1, "2", None]}, "b": [], "c": "on", "d": {}, "e": "two\nlines", "f": ["p q"]}
    texts = {name: part_text("hydra", name, parts[name]) for name in shared}
    assert (
        SharedYaml("hydra", parts, texts).text
        == as_yaml({"hydra": parts})
        == as_yaml(SharedYaml("hydra", parts, texts))
    )


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": 1}, True),
        ({"a": {"b": ["x", "$y"]}}, True),
        ({"a": "${b}", "b": 1}, False),
        ({"a": [{"b": "x${c}"}]}, False),
    ],
)
def test_settings_stand_as_they_are_where_none_refers_to_another(value: dict[str, Any], plain: bool) -> None:
    assert Composed(0, (), OmegaConf.create(value)).plain is plain


def test_a_job_without_a_config_is_not_plain() -> None:
    assert not Composed(0, (), None, ValueError()).plain
