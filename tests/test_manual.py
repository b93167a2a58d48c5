"""The pages of the manual: each is found by its topic, shown whole, and says nothing that is not so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import Command

from auditfw.commands import help as pages

PAGES = pages.topics()


def test_help_lists_every_page_and_shows_it_whole(command: Command) -> None:
    listed = command("help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [line.split()[0] for line in listed.stdout.splitlines()[2:]] == sorted(PAGES)
    for topic, page in PAGES.items():
        shown = command("help", topic, env={"COLUMNS": "200"})
        assert (shown.returncode, shown.stderr) == (0, "")
        headings = [line.lstrip("# ") for line in page.splitlines() if line.startswith("#")]
        assert [one for one in headings if one not in shown.stdout] == []
        assert "\x1b" not in shown.stdout
        assert max(map(len, command("help", topic, env={"COLUMNS": "60"}).stdout.splitlines())) <= 60


@pytest.mark.parametrize(("words", "said"), [(["safty"], "did you mean 'safety'?"), (["safety", "x"], "no such page")])
def test_a_page_that_there_is_not(words: list[str], said: str, command: Command) -> None:
    done = command("help", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


@pytest.mark.parametrize("topic", PAGES)
def test_settings_that_a_page_names_are_there(topic: str) -> None:
    """Every `source.x=…` and `executor=x` of a page is a setting or a component of the code."""
    code = "\n".join(path.read_text("utf-8") for path in Path(pages.__file__).parents[1].rglob("*.py"))
    for setting in re.findall(r"`(?:source|audit|report|stop)\.([a-z_]+)", PAGES[topic]):
        assert re.search(rf"\b{setting}: ", code), setting
    for name in re.findall(r"`(?:executor|solver|simulator)=([a-z_]+)", PAGES[topic]):
        assert f'"{name}"' in code or name in code, name
