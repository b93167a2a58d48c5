"""What a page shows of a result: tables by kind of row, hatched cells, quiet gates below an answer."""

from __future__ import annotations

from dataclasses import replace

import pages
import pytest

from auditfw.components.report.page.blocks import matrix_view
from auditfw.components.report.page.content import parted, result_page
from auditfw.core.document import Gallery, Matrix, Note, Section, Table
from auditfw.core.records import Answer

ANSWER = Answer("fragile", "It depends.", ["Why."], "Do.", "Seen.")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["a", "1", "2"], ["b", "3", "4"]], [(["reading", "x", "y"], ["a", "b"])]),
        ([["a", "1", ""], ["b", "", "2"]], [(["reading", "x"], ["a"]), (["reading", "y"], ["b"])]),
        ([["a", "1", "2"], ["b", "3", ""]], [(["reading", "x", "y"], ["a", "b"])]),
        (
            [["a", "1", "2"], ["b", "3", ""], ["c", "4", ""]],
            [(["reading", "x"], list("abc")), (["reading", "y"], ["a"])],
        ),
    ],
)
def test_a_table_has_the_columns_of_its_rows(
    rows: list[list[str]], expected: list[tuple[list[str], list[str]]]
) -> None:
    tables = parted(Table(["reading", "x", "y"], rows, "<>>"))
    assert [(list(one.columns), [row[0] for row in one.rows]) for one in tables] == expected
    assert all(one.align == "<" + ">" * (len(one.columns) - 1) for one in tables)


def test_a_single_row_of_many_numbers_is_turned_and_wide_tables_are_parted() -> None:
    heads = [f"m{n}" for n in range(10)]
    (turned,) = parted(Table(["reading", *heads], [["actual", *map(str, range(9)), ""]], "<" + ">" * 10))
    assert (turned.columns, turned.rows[0], turned.rows[-1], turned.align) == (
        ["reading", "actual"], ["m0", "0"], ["m8", "8"], "<>",
    )  # fmt: skip
    two = parted(Table(["reading", *heads], [["a", *heads], ["b", *heads]], "<" + ">" * 10))
    assert [one.columns for one in two] == [["reading", *heads[:5]], ["reading", *heads[5:]]]


def test_numbers_of_few_trials_are_hatched_and_do_not_stretch_the_scale() -> None:
    values, counts = [[50.0, -5.0, None, 10.0]], [[9, 10, 0, 20]]
    shown = [["+50", "-5", "", "+10"]]
    view = matrix_view(
        Matrix("m", "c", ["r"], list("wxyz"), values, shown, diverging=True, better="lower", counts=counts)
    )
    assert [shade for _, shade in view["rows"][0][1]] == ["few", "e4", "hole", "d9"]
    assert view["ends"] == ("-10", "10")


def test_what_a_page_shows_elsewhere_is_left_out_and_the_picture_is_first() -> None:
    sections = [
        Section("Twice", [Note("n")], off_page=True),
        Section("Folded", [Note("n")], folded="1 note"),
        Section("Curve", [Note("n"), pages.curve()], page=True, screen="picture"),
    ]
    page = result_page(pages.result(sections))
    assert [part.title for part in page.parts[:2]] == ["Curve", "Warnings"]
    assert [(part.title, part.folded) for part in page.parts if part.title in ("Twice", "Folded")] == [
        ("Folded", "1 note")
    ]
    assert "Curve" not in [part.title for part in page.parts[1:]]


def test_what_passed_is_named_below_an_answer() -> None:
    passed = [replace(gate, status="pass") for gate in pages.result().gates]
    page = result_page(replace(pages.result(), answer=ANSWER, verdict="pass", exit_code=0, gates=passed))
    assert page.word.startswith("PASS (labels reproduce, ")


def test_a_run_whose_exhibits_have_keys_has_a_name_that_only_what_it_read_and_drew_changes() -> None:
    bare = pages.result()
    assert result_page(bare).run == ""
    shown = [replace(one, key=f"k{n}") for n, one in enumerate(pages.flips(2))]
    made = replace(bare, sections=[Section("g", [Gallery(pages.FACETS, shown, 2, "flips")], page=True)])
    name = result_page(made).run
    assert len(name) == 16
    same = [replace(made, warnings=["w"]), replace(made, digests={"trials.parquet": "ab"}), replace(made, gates=[])]
    assert {result_page(one).run for one in same} == {name}
    other = [
        replace(made, seed=1),
        replace(made, config_hash="ab"),
        replace(made, counts={"read": 1}),
        replace(made, inputs=[]),
        replace(made, sections=[Section("g", [Gallery(pages.FACETS, shown[:1], 2, "flips")], page=True)]),
    ]
    assert len({name, *(result_page(one).run for one in other)}) == 6
