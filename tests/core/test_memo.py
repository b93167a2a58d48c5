"""What was made of an object goes with it."""

from __future__ import annotations

import gc

from auditfw.core.document import Note, Section, Table
from auditfw.core.memo import remembered


def section(number: int) -> Section:
    rows = [[f"row {i}", f"{i * number}"] for i in range(3)]
    return Section(f"Part {number}", [Note(f"note {number}"), Table(["name", "n"], rows, "<>")])


def test_what_was_made_of_an_object_goes_with_it() -> None:
    made: list[str] = []

    @remembered
    def title(one: Section) -> str:
        made.append(one.title)
        return one.title

    one, other = section(1), section(1)
    assert [title(one), title(one), title(other)] == ["Part 1"] * 3
    assert len(made) == 2
    del one, other
    gc.collect()
    assert title(section(2)) == "Part 2"
    gc.collect()
    held = [cell.cell_contents for cell in title.__closure__ or () if isinstance(cell.cell_contents, dict)]
    assert held == [{}]
