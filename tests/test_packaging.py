"""What a package index, pre-commit and a reader who cites are given."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml
from places import ROOT

HOOK = runpy.run_path(str(ROOT / ".github" / "long_description.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MANUAL = ROOT / "auditfw" / "commands" / "manual"
HOME = "https://github.com/o/r"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](auditfw/b.md#c)", f"[a]({HOME}/blob/1f/auditfw/b.md#c)"),
        ("![a: b](.github/c.png)", f"![a: b]({HOME}/raw/1f/.github/c.png)"),
        ("[![a](b.svg)](c.md)", f"[![a]({HOME}/raw/1f/b.svg)]({HOME}/blob/1f/c.md)"),
        ("[one\nword](a.md), [b](c.md)", f"[one\nword]({HOME}/blob/1f/a.md), [b]({HOME}/blob/1f/c.md)"),
        ("[a](#below) [b](https://x.org/c.md) [d](mailto:e@f.org)", None),
        ("`gate=[stable]` (see a.md) [a] (b)", None),
    ],
)
def test_links_of_the_long_description(text: str, shown: str | None) -> None:
    assert HOOK["absolute"](text, HOME, "1f") == (text if shown is None else shown)


def test_an_address_is_named_by_who_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    hook, metadata = HOOK["LongDescription"](str(ROOT), {}), {}
    hook.update(metadata)
    assert metadata == {"readme": {"content-type": "text/markdown", "text": readme}}
    for name, value in (("REPOSITORY", "o/r"), ("SHA", "1f"), ("SERVER_URL", "https://github.com")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    hook.update(metadata)
    assert all(address.startswith(HOME) for address in metadata["urls"].values())
    links = re.findall(r"\]\(([^)]+)\)", metadata["readme"]["text"])
    assert len(links) == len(re.findall(r"\]\(([^)]+)\)", readme)) > 50
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    for path in re.findall(rf"{HOME}/(?:blob|raw)/1f/([^)#]+)", metadata["readme"]["text"]):
        assert (ROOT / path).exists(), path


def test_every_licence_of_what_is_installed_is_named() -> None:
    texts = {file for pattern in PROJECT["license-files"] for file in ROOT.glob(pattern)}
    assert texts == {ROOT / "LICENSE", *(ROOT / "auditfw").rglob("LICENSE*")}
    first = {file.read_text("utf-8").split(maxsplit=1)[0] for file in texts}
    assert {name.removesuffix("-2.0") for name in PROJECT["license"].split(" AND ")} == first


def test_the_citation_names_this_version() -> None:
    page = (MANUAL / "faq.md").read_text("utf-8")
    assert re.findall(r"^  version = \{(.*)\},$", page, re.MULTILINE) == [PROJECT["version"]]
    [author] = PROJECT["authors"]
    assert f"{{{{{author['name']}}}}}" in page
    assert author["name"] in (ROOT / "LICENSE").read_text("utf-8")


def test_the_hook_for_pre_commit_is_the_one_of_the_manual() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    page = (MANUAL / "ci.md").read_text("utf-8")
    [block] = [body for body in re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "repos:" in body]
    [repository] = yaml.safe_load(block)["repos"]
    assert [used["id"] for used in repository["hooks"]] == [hook["id"]]
    assert (hook["entry"], hook["language"], hook["pass_filenames"]) == ("auditfw check", "python", False)
    assert [bool(re.search(hook["files"], name)) for name in ("conf/a.yaml", "plugins/b.py", "a.py")] == [
        True,
        True,
        False,
    ]


def test_security_says_where_to_read_on() -> None:
    file = ROOT / ".github" / "SECURITY.md"
    for path in re.findall(r"\]\(([^)#]+)\)", file.read_text("utf-8")):
        assert (file.parent / path).resolve() == MANUAL / Path(path).name
