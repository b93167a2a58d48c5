"""A result as it prints itself: three lines, whatever it came to; and its page in a browser."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path

import pages
import pytest
from page_reading import HOSTILE
from sentences import commands as says

import auditfw
from auditfw.commands.notebook import lines
from auditfw.core.records import Answer, GateResult, Result

FRAGILE = Answer("fragile", "Error lies between 3 and 9 %.", ["b turns 6 labels."], "Read the 6.", "100 trials.")
MEMORY = "In memory only: run(settings, FOLDER) also writes its files."
COUNTED = "No answer; 1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)"


def gates(*statuses: str) -> list[GateResult]:
    return [GateResult(f"g{n}", "flips <= 2", None, 1.0, status) for n, status in enumerate(statuses)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        (
            {"answer": FRAGILE, "verdict": "pass", "exit_code": 0, "gates": gates("pass", "pass"), "folder": "run"},
            [says.AUDIT_PARSING_GATES_PASS_EXIT, says.FRAGILE_ERROR_LIES_BETWEEN_AND,
             "Next: Read the 6."],
        ),
        (
            {},
            [
                says.AUDIT_PARSING_GATES_FAIL_EXIT,
                COUNTED,
                MEMORY,
            ],
        ),
        (
            {"verdict": "none", "exit_code": 0, "gates": [], "folder": "outputs/x"},
            [says.AUDIT_PARSING_NO_GATES_EXIT, COUNTED, "Run folder: outputs/x"],
        ),
        (
            {"verdict": "fail", "gates": gates("fail"), "counts": {}},
            [says.AUDIT_PARSING_GATES_FAIL_EXIT_CODE, "No answer", MEMORY],
        ),
        (
            {"verdict": "inconclusive", "gates": gates("inconclusive"), "counts": {"read": 1}},
            [
                says.AUDIT_PARSING_GATES_INCONCLUSIVE_EXIT,
                "No answer; 1 trial read",
                MEMORY,
            ],
        ),
        (
            {"verdict": "pass", "exit_code": 4, "gates": gates("pass"), "counts": {"audited": 3}},
            [says.AUDIT_PARSING_GATES_INCOMPLETE_PASS,
             "No answer; 3 trials audited", MEMORY],
        ),
        (
            {"verdict": "inconclusive", "exit_code": 5, "gates": [], "counts": {"read": 2, "filtered": 2}},
            [says.AUDIT_PARSING_INCONCLUSIVE_EXIT_CODE,
             says.NO_ANSWER_TRIALS_READ_NOT, MEMORY],
        ),
    ],
)  # fmt: skip
def test_three_lines(changes: dict[str, object], wanted: list[str]) -> None:
    result = replace(pages.result(), **changes)  # type: ignore[arg-type]
    assert repr(result).splitlines() == str(result).splitlines() == wanted


def test_hostile_texts_stay_on_their_lines() -> None:
    answer = replace(FRAGILE, headline=f"{HOSTILE}\n", next=f"a\nb{HOSTILE}")
    shown = repr(replace(pages.result(), audit=HOSTILE, answer=answer))
    assert len(shown.splitlines()) == 3
    assert all(line.isprintable() for line in shown.split("\n"))


def test_a_list_of_results_shows_each() -> None:
    shown = repr([pages.result(), pages.result(verdict="pass")])
    assert (shown.count("Audit parsing, gates: "), len(shown)) == (2, len(repr(pages.result())) * 2 + 4)


def test_fields_equality_copies_and_pickles_are_as_before() -> None:
    result = pages.result()
    assert [field.name for field in fields(Result)][:3] == ["audit", "verdict", "exit_code"]
    assert set(vars(result)) == {field.name for field in fields(Result)}
    assert result == pickle.loads(pickle.dumps(result)) == deepcopy(result)
    assert result != replace(result, seed=1)


def test_what_shows_a_result_is_imported_when_it_is_asked_for() -> None:
    code = "import auditfw; auditfw.Result; import sys; print(*[m for m in sys.modules if m.startswith('auditfw.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = ("", ".errors", ".masking", ".records", ".results", ".results.findings", ".results.views")
    assert sorted(done.stdout.split()) == [f"auditfw.core{name}" for name in modules]


def test_open_shows_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BROWSER names the command: what it is called with is the page's address."""
    monkeypatch.setenv("BROWSER", f"sh -c 'printf %s \"$1\" > {tmp_path}/address' x %s")
    (tmp_path / "report.html").write_text("<p>", "utf-8")
    code = "import sys, pickle; print(pickle.load(sys.stdin.buffer).open())"
    for folder in (str(tmp_path), "."):
        stored = pickle.dumps(replace(pages.result(), folder=folder))
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, input=stored, cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.decode().strip() == str(Path(folder) / "report.html")
        assert (tmp_path / "address").read_text("utf-8") == (tmp_path / "report.html").as_uri()
        (tmp_path / "address").unlink()


def test_open_without_a_page(tmp_path: Path) -> None:
    with pytest.raises(auditfw.UsageError) as no_folder:
        pages.result().open()
    assert str(no_folder.value) == says.OPEN_THIS_RESULT_HAS_NO
    folder = tmp_path / "my run"
    folder.mkdir()
    with pytest.raises(auditfw.UsageError) as no_page:
        replace(pages.result(), folder=str(folder)).open()
    assert str(no_page.value) == (says.OPEN_NO_IN_THE_RUN.format(folder, folder))


def test_open_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "report.html").symlink_to("/etc/passwd")
    with pytest.raises(auditfw.DataError):
        lines.open_page(replace(pages.result(), folder=str(tmp_path)))
