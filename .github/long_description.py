"""What a package index shows: README with links into the repository, and where the project is.

GitHub tells its builds which repository they build. Nobody else is believed to know: another build names no address and
leaves the links as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[((?:[^\[\]]|!?\[[^\[\]]*\](?:\([^()]*\))?)*)\]\(([^()\s]+)\)")
ELSEWHERE = ("https://", "http://", "mailto:", "#")


class LongDescription(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds them to what pyproject.toml says."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        if os.environ.get("GITHUB_REPOSITORY"):
            home = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['GITHUB_REPOSITORY']}"
            commit = os.environ.get("GITHUB_SHA", "HEAD")
            text = absolute(text, home, commit)
            metadata["urls"] = {
                "Repository": home,
                "Documentation": f"{home}/blob/{commit}/README.md#the-manual",
                "Changelog": f"{home}/blob/{commit}/CHANGELOG.md",
                "Issues": f"{home}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute(text: str, home: str, commit: str) -> str:
    """Markdown whose links and pictures lead to files of the repository at a commit."""

    def link(match: re.Match[str]) -> str:
        mark, words, target = match.groups()
        there = target.startswith(ELSEWHERE)
        address = target if there else f"{home}/{'raw' if mark else 'blob'}/{commit}/{target}"
        return f"{mark}[{LINK.sub(link, words)}]({address})"

    return LINK.sub(link, text)
