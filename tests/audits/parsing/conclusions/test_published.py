"""Published figures against what was measured: by hand, and by the whole command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import run_auditfw
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.conclusions.published import PublishedFigures, compared, published_argument
from auditfw.audits.parsing.conclusions.published_table import Published, PublishedTable
from auditfw.core.document import Note, Table
from auditfw.core.errors import AuditError, DataError, UsageError
from auditfw.core.records import Reading, Role, Value
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Sample

TITLE = "Published Figures"


def counts(right: int, wrong: int, blank: int = 0, stored: bool = False) -> LabelCounts:
    return LabelCounts(right, wrong, 0, blank, 0, 0, 0, 0, stored=stored)


def sample(cell: Mapping[str, Value], data: LabelCounts, name: str = "stored", role: Role = "reference") -> Sample:
    return Sample(Reading(name, role), cell, data)


SAMPLES = [
    sample({}, counts(65, 35)),
    sample({"model": "a", "t": 0.5}, counts(2, 1)),
    sample({"model": "a", "t": 1.0}, counts(3, 4)),
    sample({"model": "b", "t": 1.0}, counts(60, 30)),
    sample({"model": "b", "t": None}, counts(0, 0)),
    sample({"model": "a", "t": 1.0}, counts(6, 1, 1), "raw+v1", "candidate"),
    sample({"model": "a", "t": 1.0}, counts(0, 7), "raw+v1", "baseline"),
]


def figures(
    rows: Sequence[tuple[tuple[str, ...], dict[str, str]]], names: tuple[str, ...] = ("model", "t"), **more: Any
) -> PublishedFigures:
    table = PublishedTable(names, ("error_rate", "accuracy", "n", "no_answer"), rows)
    return compared(Published("table.csv", **more), table, SAMPLES, "stored")


@pytest.mark.parametrize(
    ("name", "text", "equal"),
    [
        ("error_rate", "33.3", True),  # 33.333… is within 33.25 and 33.35
        ("error_rate", "33.34", False),
        ("error_rate", "33.33", True),
        ("error_rate", "33", True),
        ("error_rate", "34", False),
        ("error_rate", "30", False),  # as written its last digit is a 0
        ("error_rate", "3.3e1", True),
        ("error_rate", "3e1", True),  # half of ten
        ("error_rate", "33.333333333333336", True),  # all digits of a float
        ("error_rate", "33.3333333", True),
        ("error_rate", "33.3333343", False),
        ("error_rate", "33.3 %", True),
        ("accuracy", "66.7", True),
        ("accuracy", "66.6", False),
        ("n", "3", True),
        ("n", "4", False),
        ("n", "3.0", True),
    ],
)
def test_half_a_unit_of_the_last_digit(name: str, text: str, equal: bool) -> None:
    [figure] = figures([(("a", "0.5"), {name: text})]).figures
    assert figure.equal is equal


def test_half_a_unit_is_still_equal() -> None:
    """35 of 100 are 35.0 %: both 34.5 and 35.5 are written 35 by somebody."""
    data = [sample({}, counts(655, 345))]
    for text, equal in (("34", True), ("35", True), ("36", False), ("33", False)):
        table = PublishedTable((), ("error_rate",), [((), {"error_rate": text})])
        assert compared(Published("table.csv"), table, data, "stored").figures[0].equal is equal


def test_shares_and_thousands() -> None:
    rows = [(("b", "1"), {"error_rate": "0.33", "accuracy": "66.7%", "n": "90"})]
    assert [one.equal for one in figures(rows, scale="share").figures] == [True, True, True]
    assert [one.equal for one in figures(rows).figures] == [False, True, True]
    data = [sample({}, counts(1_000, 234))]
    for text, equal in (("1,234", True), ("1234", True), ("1,235", False)):
        table = PublishedTable((), ("n",), [((), {"n": text})])
        assert compared(Published("table.csv"), table, data, "stored").figures[0].equal is equal


def test_cells_are_met_by_value_and_the_others_counted() -> None:
    done = figures([(("a", "0.50"), {"n": "3"}), (("a", " 1 "), {"n": "8"}), (("c", "1"), {"n": "5"})])
    assert [(one.key, one.equal) for one in done.figures] == [(("a", "0.50"), True), (("a", " 1 "), False)]
    assert (list(done.only_published), list(done.only_measured)) == ([("c", "1")], [("b", "1.0")])
    assert [one.text for one in done.differing] == ["8"]


def test_finer_cells_are_added_up() -> None:
    done = figures([(("a",), {"error_rate": "50.0", "n": "10"}), (("b",), {"accuracy": "66.67"})], names=("model",))
    assert [one.measured for one in done.figures] == [Fraction(50), Fraction(10), Fraction(200, 3)]
    assert not done.differing
    [whole] = figures([((), {"error_rate": "35"})], names=()).figures
    assert whole.measured == 35


def test_empty_answers_are_added_up_too() -> None:
    data = [sample({"m": "a", "t": i}, counts(2, 3, blank), "raw+v1", "candidate") for i, blank in ((1, 1), (2, 2))]
    table = PublishedTable(("m",), ("no_answer",), [(("a",), {"no_answer": "30"})])
    [figure] = compared(Published("table.csv", reading="raw+v1"), table, data, "stored").figures
    assert figure.measured == 30


def test_a_reading_is_compared_and_its_empty_answers() -> None:
    done = figures([(("a", "1"), {"error_rate": "14.3", "no_answer": "14.29"})], reading="raw+v1")
    assert [one.equal for one in done.figures] == [True, True]
    table = PublishedTable((), ("no_answer",), [((), {"no_answer": "14.29"})])
    with pytest.raises(UsageError, match="stored labels do not say which answers were empty"):
        compared(Published("table.csv"), table, [sample({}, counts(3, 4, stored=True))], "stored")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(("a", "0.5"), {"n": "three"})], says.ROW_IS_NOT_A_NUMBER),
        ([(("a", "0.5"), {"n": "1e999999999"})], "is not a number"),
        ([(("a", "0.5"), {"n": "nan"})], "is not a number"),
        ([(("a", "0.5"), {"n": "3"}), (("a", "0.50"), {"n": "3"})], says.HAS_TWO_ROWS_FOR_ONE),
        (
            [(("z", "0.5"), {"n": "3"})],
            says.HAS_NO_FIGURE_FOR_ANY,
        ),
        ([], says.HAS_NO_FIGURE_FOR_ANY_CELL),
    ],
)
def test_tables_that_cannot_be_compared(rows: Any, words: str) -> None:
    with pytest.raises(DataError) as raised:
        figures(rows)
    assert words in str(raised.value)


@given(st.integers(0, 500), st.integers(1, 500), st.integers(0, 12))
def test_a_figure_written_from_the_counts_is_equal(wrong: int, right: int, digits: int) -> None:
    """Whatever the digits, and whichever way a half is rounded."""
    data, share = [sample({}, counts(right, wrong))], Fraction(100 * wrong, right + wrong)
    exact = share * 10**digits
    for whole in (round(exact), int(exact + Fraction(1, 2))):
        text = f"{whole // 10**digits}.{whole % 10**digits:0{digits}}" if digits else str(whole)
        table = PublishedTable((), ("error_rate",), [((), {"error_rate": text})])
        assert compared(Published("t.csv"), table, data, "stored").figures[0].equal
        off = PublishedTable((), ("error_rate",), [((), {"error_rate": str(whole + 2 * 10**digits)})])
        assert not compared(Published("t.csv"), off, data, "stored").figures[0].equal


def test_what_the_answer_says() -> None:
    done = figures([(("a", "0.5"), {"error_rate": "33.3"}), (("a", "1"), {"error_rate": "50.0"})])
    argument = published_argument(done)
    [rule] = argument.rules
    assert (rule.rule, rule.reading, rule.value, rule.fired) == ("published", "stored", 50.0, True)
    assert not argument.fired()  # it decides nothing
    assert list(argument.scope) == [says.OF_PUBLISHED_FIGURES_EQUALS_THAT]
    assert list(argument.remarks) == [says.OF_PUBLISHED_FIGURES_DIFFERS_FROM]
    assert published_argument(None).rules == ()


ROWS = [
    {"id": str(i), "raw_text": "a" if i % 4 else "b", "ground_truth": "a", "stored": int(i % 4 > 0), "m": "xy"[i % 2]}
    for i in range(40)
]


def audited(**more: Any) -> Any:
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "by": ["m"], "gate": []}
    source = {"use": "frame", "frame": ROWS}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, **more})


def test_a_run_reads_its_table(tmp_path: Path) -> None:
    """x has 10 of 20 wrong, y none."""
    file = tmp_path / "table.csv"
    file.write_text("m,err,N\nx,50.0,20\ny,1.0,20\nz,3,4\n", "utf-8")
    settings = {"path": str(file), "columns": {"error_rate": "err", "n": "N"}}
    result = audited(audit={"baseline": None, "published": settings})
    [section] = [section for section in result.sections if section.title == TITLE]
    texts = [block.text for block in section.blocks if isinstance(block, Note)]
    assert texts[0].startswith(says.OF_FIGURES_IN_EQUAL_THOSE.format(file))
    assert texts[1] == says.CELL_ONLY_IN_THE_PUBLISHED
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert list(table.rows) == [["y", "error_rate", "1.0", "0.00", "-1.00"]]
    assert says.OF_PUBLISHED_FIGURES_EQUAL_THOSE in result.answer.scope
    assert [one.path for one in result.inputs][-1].endswith("table.csv")
    plain = audited(audit={"baseline": None})
    assert (plain.answer.status, plain.answer.headline) == (result.answer.status, result.answer.headline)
    assert [section.title for section in plain.sections if section.title == TITLE] == []


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ({"path": "nope.csv"}, 3, "nope.csv: no such file"),
        ({"path": "table.xls"}, 2, says.IS_OF_A_TYPE_THAT),
        ({"path": "table.csv", "on": ["model"]}, 2, says.THE_RUN_HAS_NO_CELLS),
        ({"path": "table.csv", "columns": {"error_rate": "error"}}, 3, says.HAS_NO_COLUMN_DID_YOU),
        ({"path": "table.csv", "columns": {"erorr": "err"}}, 2, "audit.published.columns.erorr: is neither a figure"),
        ({"path": "table.csv", "reading": "row+none"}, 2, "audit.published.reading: no reading 'row+none'"),
        (
            {"path": "table.csv", "scale": "parts"},
            2,
            says.EXPECTED_PERCENT_OR_SHARE_GOT,
        ),
        ({"path": "table.csv"}, 3, says.HAS_NO_COLUMN_OF_FIGURES),
    ],
)
def test_settings_of_what_is_not_there(
    settings: dict[str, Any], code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("m,err\nx,50.0\n", "utf-8")
    with pytest.raises(AuditError) as raised:
        audited(audit={"baseline": None, "published": settings})
    assert raised.value.exit_code == code
    assert words in str(raised.value)


def test_the_command_names_what_differs(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    (tmp_path / "table.json").write_text('[{"m": "x", "error_rate": 50.0}, {"m": "y", "error_rate": 0.1}]', "utf-8")
    words = ["source=jsonl", "source.path=mine.jsonl", "parser=[raw]", "normalizer=[none]", "matcher=exact", "by=[m]"]
    words += [
        "gate=[]",
        "audit.baseline=null",
        "audit.published={path: table.json}",
        "hydra.run.dir=out",
        "report=[console]",
        "report.detail=full",
    ]
    done = run_auditfw(words, tmp_path)
    assert done.returncode == 0, done.stderr
    assert says.OF_FIGURES_IN_EQUALS_THAT in " ".join(done.stdout.replace("│", " ").split())
    answer = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))["answer"]
    [rule] = [rule for rule in answer["rules"] if rule["rule"] == "published"]
    assert (rule["value"], rule["fired"]) == (50.0, True)
