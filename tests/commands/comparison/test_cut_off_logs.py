"""A side of a comparison that is cut off, or whose run is not finished: one line, the side, what to write, the code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inspect_logs
import polars as pl
import pytest
from running import run_auditfw
from same_answers_as_logs import WRITERS
from sentences.gaps import (
    CUT_JSON,
    CUT_JSON_OF_INSPECT,
    CUT_LINE,
    CUT_PARQUET,
    CUT_ZIP,
    ENDED_BY_AN_ERROR,
    LEFT_OUT,
    LEFT_OUT_OF_PART,
    PART_IS_INCOMPLETE,
    RERUN_PART,
    UNFINISHED,
)

Damage = Callable[[Path], None]


def half(log: Path) -> None:
    data = log.read_bytes()
    log.write_bytes(data[: len(data) * 3 // 5])


def lines(log: Path) -> None:
    log.write_text("".join(log.read_text("utf-8").splitlines(keepends=True)[:25]), "utf-8")


def document(log: Path, left: int = 25, status: str = "success") -> dict[str, Any]:
    whole = json.loads(log.read_text("utf-8"))
    return {**whole, "status": status, "samples": whole["samples"][:left]}


def status(word: str, left: int = 25) -> Damage:
    return lambda log: log.write_text(json.dumps(document(log, left, word)), "utf-8") and None


def archive(log: Path, left: int, word: str = "success", headless: bool = False) -> list[tuple[str, bytes]]:
    """The members of the same log as an archive; without a head where its run was killed."""
    whole = document(log, left, word)
    samples, head = whole.pop("samples"), whole
    members = [("_journal/start.json", inspect_logs.text(head)), *inspect_logs.members(samples, head)[1:]]
    return members[:-1] if headless else members


def states(log: Path) -> None:
    whole = json.loads(log.read_text("utf-8"))
    log.write_text(json.dumps({**whole, "request_states": whole["request_states"][:25]}), "utf-8")


def results(log: Path) -> None:
    whole = json.loads(log.read_text("utf-8"))
    whole["results"]["results"] = whole["results"]["results"][:25]
    log.write_text(json.dumps(whole), "utf-8")


def details(log: Path) -> None:
    pl.read_parquet(log).head(25).write_parquet(log)


def zipped(left: int, word: str = "success", headless: bool = False) -> Damage:
    return lambda log: log.write_bytes(inspect_logs.zipped(archive(log, left, word, headless))) and None


def half_zip(log: Path) -> None:
    zipped(40)(log)
    half(log)


UNREADABLE = {
    "inspect": (half, CUT_JSON_OF_INSPECT),
    "lm_eval": (half, CUT_LINE),
    "lighteval": (half, CUT_PARQUET),
    "helm": (half, CUT_JSON),
    "promptfoo": (half, CUT_JSON),
    "every_eval_ever": (half, CUT_LINE),
}  # fmt: skip
INCOMPLETE = {
    "a line missing": ("lm_eval", lines, LEFT_OUT),
    "samples missing": ("inspect", status("success"), LEFT_OUT),
    "details missing": ("lighteval", details, LEFT_OUT),
    "requests missing": ("helm", states, LEFT_OUT),
    "records missing": ("every_eval_ever", lines, LEFT_OUT),
    "results missing": ("promptfoo", results, UNFINISHED.format("25 of 40 counted results are there")),
    "still running": ("inspect", status("started"), UNFINISHED.format("the run is still running")),
    "ended by an error": ("inspect", status("error"), UNFINISHED.format("the run ended with status 'error'")),
    "cancelled": ("inspect", zipped(25, "cancelled"), UNFINISHED.format("the run ended with status 'cancelled'")),
    "killed": ("inspect", zipped(25, "", headless=True), UNFINISHED.format("the run ended without writing")),
}  # fmt: skip


def compared(name: str, damage: Damage, folder: Path, *words: str) -> tuple[int, str]:
    """The exit code of a comparison with a damaged log as side B, and what it said last on standard error."""
    log = Path(WRITERS[name](folder / "b"))
    damage(log)
    if log.read_bytes()[:2] == b"PK":
        log = log.rename(log.with_suffix(".eval"))
    done = run_auditfw(
        ("compare", WRITERS["inspect"](folder / "a"), log.relative_to(folder).as_posix(), *words), folder
    )
    return done.returncode, done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_log_cut_off_in_the_middle_is_unreadable(name: str, tmp_path: Path) -> None:
    damage, sentence = UNREADABLE[name]
    code, error = compared(name, damage, tmp_path)
    assert code == 3
    assert error.startswith("auditfw: error: b/")
    assert sentence in error


def test_an_archive_cut_off_in_the_middle_is_unreadable(tmp_path: Path) -> None:
    code, error = compared("inspect", half_zip, tmp_path)
    assert code == 3
    assert CUT_ZIP in error


@pytest.mark.parametrize("case", INCOMPLETE)
def test_a_log_of_an_unfinished_run_is_an_incomplete_side(case: str, tmp_path: Path) -> None:
    name, damage, sentence = INCOMPLETE[case]
    code, error = compared(name, damage, tmp_path)
    assert code == 4
    assert sentence in error
    assert "2:audit.planned=25" in error


@pytest.mark.parametrize("case", ["a line missing", "ended by an error", "requests missing", "results missing"])
def test_what_is_there_is_compared_where_that_is_all_there_is_to_be(case: str, tmp_path: Path) -> None:
    name, damage, _ = INCOMPLETE[case]
    code, _ = compared(name, damage, tmp_path, "2:audit.planned=25")
    assert code == 0


def test_a_last_line_that_is_half_is_left_out_by_the_printed_setting(tmp_path: Path) -> None:
    words = ("2:source.tolerate_torn_tail=true", "2:audit.planned=25")
    code, error = compared("lm_eval", half, tmp_path)
    assert words[0] in error
    code, error = compared("lm_eval", half, tmp_path / "again", *words)
    assert code == 0, error


def test_a_finished_run_of_such_a_log_is_an_incomplete_side_too(tmp_path: Path) -> None:
    """Beside a log it is refused; among finished runs alone, whose lines and codes stay, it is said."""
    whole, log = (WRITERS["inspect"](tmp_path / name) for name in "ab")
    status("error")(Path(log))
    for path, name in ((whole, "whole"), (log, "part")):
        assert run_auditfw((path, f"hydra.run.dir={name}", "report=[]"), tmp_path).returncode == 0
    done = run_auditfw(("compare", whole, "part"), tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    assert UNFINISHED.format(ENDED_BY_AN_ERROR) in done.stderr
    assert RERUN_PART in done.stderr
    done = run_auditfw(("compare", "whole", "part"), tmp_path)
    assert (done.returncode, done.stderr) == (0, f"auditfw: warning: {PART_IS_INCOMPLETE}\n")
    Path(log).unlink()  # then only its table tells
    done = run_auditfw(("compare", "part", "whole"), tmp_path)
    assert LEFT_OUT_OF_PART in done.stderr
    status("error")(Path(WRITERS["inspect"](tmp_path / "b")))
    assert run_auditfw(("rerun", "part", "audit.planned=25"), tmp_path).returncode == 0
    again = next((tmp_path / "outputs" / "parsing").glob("*/*/result.json")).parent
    done = run_auditfw(("compare", "whole", str(again)), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
