"""The pages of the manual: each is found by its topic, shown whole, and says nothing that is not so."""

from __future__ import annotations

import contextlib
import io
import re
from functools import cache
from pathlib import Path

import pytest
from running import Command

from auditfw.commands import help as pages
from auditfw.commands.main import main

PAGES = pages.topics()


def test_help_lists_every_page_and_shows_it_whole(command: Command) -> None:
    listed = command("help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [line.split()[0] for line in listed.stdout.splitlines()[2:]] == sorted(PAGES)
    shown = command("help", "safety", env={"COLUMNS": "200"})
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == printed("safety", 200)


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_is_shown_whole_at_any_width(topic: str) -> None:
    shown = printed(topic, 200)
    headings = [line.lstrip("# ") for line in PAGES[topic].splitlines() if line.startswith("#")]
    assert [one for one in headings if one not in shown] == []
    assert "\x1b" not in shown
    assert max(map(len, printed(topic, 60).splitlines())) <= 60


def printed(topic: str, width: int) -> str:
    """What `auditfw help` prints of a page in a terminal of this width."""
    with pytest.MonkeyPatch.context() as patch, io.StringIO() as output, contextlib.redirect_stdout(output):
        patch.setenv("COLUMNS", str(width))
        assert main(["help", topic]) == 0
        return output.getvalue()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["safty"], "did you mean 'safety'?"), (["safety", "x"], "no such page"), (["suite"], "it is described in: ci")],
)
def test_a_page_that_there_is_not(words: list[str], said: str, command: Command) -> None:
    done = command("help", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


@cache
def all_code() -> str:
    return "\n".join(path.read_text("utf-8") for path in Path(pages.__file__).parents[1].rglob("*.py"))


@cache
def all_fields() -> set[str]:
    return {*re.findall(r"\b([a-z_]+): ", all_code())}


@pytest.mark.parametrize("topic", PAGES)
def test_settings_that_a_page_names_are_there(topic: str) -> None:
    """Every `source.x=…` and `executor=x` of a page is a setting or a component of the code."""
    code = all_code()
    assert {*re.findall(r"`(?:source|audit|report|stop)\.([a-z_]+)", PAGES[topic])} <= all_fields()
    for name in re.findall(r"`(?:executor|solver|simulator)=([a-z_]+)", PAGES[topic]):
        assert f'"{name}"' in code or name in code, name
