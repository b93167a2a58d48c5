"""`auditfw list`: what it shows to people and to scripts."""

from __future__ import annotations

import json
import re

import pytest
from running import Command


@pytest.mark.parametrize("words", [("list", "--json"), ("list", "parser", "--json"), ("list", "--json", "experiment")])
def test_list_is_json_for_scripts(command: Command, words: tuple[str, ...]) -> None:
    done = command(*words)
    rows = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert rows
    for row in rows:
        assert set(row) == {"kind", "name", "what", "doc", "settings", "origin"}
        assert row["doc"]
        assert row["origin"]


def test_list_shows_name_sentence_settings_and_origin(command: Command) -> None:
    told = command("list", "gate").stdout
    assert told.startswith("╭ gate: a bound on measurements\n")
    assert re.search(
        r"│ bound +Checks that a metric is between a minimum and a maximum.*\n(│ .*\n)*│ +metric=.*max=null", told
    )
    assert re.search(r"│ baseline_reproduces +Passes when the baseline .* \(auditfw\)\n", told)
    kinds = re.findall(r"^╭ (\w+):", command("list").stdout, re.MULTILINE)
    assert {"audit", "source", "parser", "normalizer", "matcher", "metric", "gate", "report", "experiment"} <= set(
        kinds
    )
