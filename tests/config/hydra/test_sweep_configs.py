"""What a sweep makes once for all of its jobs: settings, parsed words, the text of Hydra's own config."""

from __future__ import annotations

from typing import Any

import pytest
from omegaconf import OmegaConf

from auditfw.config.hydra.sweep_configs import Composed, SharedYaml, as_yaml, part_text


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
