"""The page of a comparison: parts, conditions, and the texts of items that make the gap."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from running import run_auditfw
from sentences import gaps as says

HOSTILE = "</script><b onmouseover=x>bold</b> [red]"


def logs(folder: Path) -> None:
    """Two tables of 30 questions: B is wrong on the first ten."""
    for name, wrong in (("A", 0), ("B", 10)):
        rows = [
            {
                "id": str(at),
                "item": f"q{at}",
                "question": f"Which number is {at}?",
                "ground_truth": str(at),
                "raw_text": f"{HOSTILE} {name} says {at + (100 if at < wrong else 0)}",
                "stored": at >= wrong,
                "model": name,
            }
            for at in range(30)
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("texts", [True, False])
def test_the_page_has_the_texts_of_items(tmp_path: Path, texts: bool) -> None:
    logs(tmp_path)
    words = ("compare", "A.jsonl", "B.jsonl", *([] if texts else ["report.texts=false"]))
    done = run_auditfw(words, tmp_path)
    assert done.returncode == 0, done.stderr
    [page] = (tmp_path / "outputs" / "compare").glob("*/*/report.html")
    text = page.read_text("utf-8")
    assert f"page: {page.relative_to(tmp_path)}" in done.stdout
    assert ("A says 3" in text, "B says 103" in text) == (texts, texts)
    assert HOSTILE not in text
    assert "<b onmouseover" not in text
    for line in (says.ITEMS_THAT_MAKE_IT, says.TEN_ITEMS, says.WHY_NOT_RECORDED):
        assert line in text, line
    assert says.WHY_NOT_RECORDED in done.stdout


@pytest.mark.slow
def test_models_of_one_log(tmp_path: Path) -> None:
    """The cells of one file are the sides, with the texts of each."""
    logs(tmp_path)
    rows = [json.loads(line) for name in "AB" for line in (tmp_path / f"{name}.jsonl").read_text("utf-8").splitlines()]
    text = "".join(json.dumps({**row, "id": f"{row['id']}{row['model']}"}) + "\n" for row in rows)
    (tmp_path / "both.jsonl").write_text(text, "utf-8")
    done = run_auditfw(("compare", "both.jsonl", "compare.by=[model]"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert says.WHY_NOT_RECORDED in done.stdout
    assert "│ B     model=B" in done.stdout
    [page] = (tmp_path / "outputs" / "compare").glob("*/*/report.html")
    assert "B says 103" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("A.jsonl", "B.jsonl", "compare.by=[model]"), "compares the cells of one log or run (2 paths)"),
        (("A.jsonl", "compare.by=[model]"), "A.jsonl has 1 such cell"),
        (("A.jsonl", "compare.by=[colour]"), "no column 'colour'"),
    ],
)
def test_cells_that_there_are_not(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    logs(tmp_path)
    done = run_auditfw(("compare", *words), tmp_path)
    assert done.returncode in (2, 3)
    assert message in done.stderr


@pytest.mark.slow
def test_one_run_under_two_names(tmp_path: Path) -> None:
    logs(tmp_path)
    (tmp_path / "copy.jsonl").write_bytes((tmp_path / "A.jsonl").read_bytes())
    done = run_auditfw(("compare", "A.jsonl", "copy.jsonl"), tmp_path)
    assert says.READ_TWICE in done.stdout
    [page] = (tmp_path / "outputs" / "compare").glob("*/*/report.html")
    assert says.NO_ITEM_ADDS in page.read_text("utf-8")


RULES = ("last_number", "first_line", "last_line", "raw", "answer_v2")


@pytest.mark.slow
def test_more_than_four_rules(tmp_path: Path) -> None:
    """Five rules on the same texts: the first side is labelled by all, each other one by its own and the first's."""
    logs(tmp_path)
    text = (tmp_path / "A.jsonl").read_text("utf-8")
    words = []
    for number, rule in enumerate(RULES, 1):
        (tmp_path / f"{rule}.jsonl").write_text(text, "utf-8")
        words.append(f"{number}:audit.baseline={{parser: {rule}, normalizer: none}}")
    files = [f"{rule}.jsonl" for rule in RULES]
    done = run_auditfw(("compare", *files, "normalizer=[none]", "matcher=containment", *words), tmp_path)
    assert done.returncode == 0, done.stderr
    assert says.FIVE_RULES in done.stderr
    tables = sorted((tmp_path / "outputs" / "compare").glob("*/*/*/trials.parquet"))
    scored = [sum(name.startswith("rule of ") for name in pl.read_parquet_schema(table)) for table in tables]
    assert (scored[0] >= 3, max(scored[1:]) <= 1) == (True, True)  # the first rule is a reading of all of them anyway
