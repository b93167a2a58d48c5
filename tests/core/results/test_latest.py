"""What commands call a run: `latest` while that is it, else its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditfw.core.results.latest import newest, of_run, run_called

TEXT = "Read them (report.html; auditfw explain latest v1); if right: auditfw rerun latest seed=2; the latest news"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of two audits; the second ended last."""
    monkeypatch.chdir(tmp_path)
    for name in ("parsing/2026-01-02/10-00-00-000000", "consistency/2026-01-02/11-00-00-000000"):
        folder = Path("outputs") / name
        folder.mkdir(parents=True)
        (folder.parent / "latest").symlink_to(folder.name)


@pytest.mark.parametrize(
    ("folder", "called"),
    [
        ("outputs/consistency/2026-01-02/11-00-00-000000", "latest"),
        ("outputs/parsing/2026-01-02/12-00-00-000000", "latest"),  # it has no link yet
        ("outputs/parsing/2026-01-02/10-00-00-000000", "outputs/parsing/2026-01-02/10-00-00-000000"),
        ("outputs/sweeps/2026-01-03/10-00-00-000000/0", "outputs/sweeps/2026-01-03/10-00-00-000000/0"),
        ("X9", "X9"),
        ("my run", "'my run'"),
    ],
)
def test_a_run_is_called_latest_while_it_is(folder: str, called: str) -> None:
    assert run_called(folder) == run_called(Path(folder).absolute()) == called


def test_commands_of_a_text_name_the_run() -> None:
    whole = "Read them (report.html; auditfw explain X9 v1); if right: auditfw rerun X9 seed=2; the latest news"
    assert of_run(TEXT, "X9") == whole
    assert of_run(TEXT, "outputs/consistency/2026-01-02/11-00-00-000000") == TEXT


def test_the_newest_run_is_by_its_date_whatever_its_audit() -> None:
    assert newest() == Path("outputs/consistency/2026-01-02/11-00-00-000000")
    assert newest("sweeps") is None
