"""Resuming where nothing had begun says what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditfw.commands.resume import resumed
from auditfw.core.errors import UsageError


@pytest.mark.parametrize("left", [(), ("manifest.json",), ("multirun.yaml",), (".hydra",)], ids=str)
def test_resume_where_nothing_had_begun_says_what_to_type(left: tuple[str, ...], tmp_path: Path) -> None:
    """A sweep killed before its plan, a run killed before its command was stored: there is nothing to go on from."""
    folder = tmp_path / "killed"
    folder.mkdir()
    for name in left:
        (folder / name).mkdir() if name == ".hydra" else (folder / name).write_text("{}", "utf-8")
    for words in (["experiment=self_audit"], ["-m", "seed=1,2"], []):
        with pytest.raises(UsageError, match=r"nothing was started there.*run the original command again"):
            resumed([*words, f"resume={folder}"])
    (folder / "result.json").write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="the run there is finished"):
        resumed([f"resume={folder}"])
    (folder / "attempts.jsonl").write_text("", "utf-8")  # a journal alone goes on with the words that are given
    assert resumed(["experiment=self_audit", f"resume={folder}"]).words == ["experiment=self_audit", f"resume={folder}"]
