"""Series: a scenario for each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario_files import read, scenarios

from auditfw.config import build as bridge
from auditfw.core.errors import DataError

bridge.prepare()


def test_series(tmp_path: Path) -> None:
    path = tmp_path / "out.tab"
    path.write_text("Time\tStock\tFlow\n0\t1\t0.5\n0.5\t2\t\n1.0\t3\t0.25\n", "utf-8")
    found = read(scenarios("series", path=str(path), params={"k": 1}, label="native").open())
    assert found[0]["intended"] == {
        "Stock@0": 1.0, "Flow@0": 0.5, "Stock@0.5": 2.0, "Stock@1.0": 3.0, "Flow@1.0": 0.25,
    }  # fmt: skip
    assert (found[0]["label"], found[0]["params"]) == ("native", {"k": 1.0})
    end = read(scenarios("series", path=str(path), outcomes="end", columns=["Stock"]).open())
    assert end[0]["intended"] == {"Stock": 3.0}
    assert list(read(scenarios("series", path=str(path), every=2).open())[0]["intended"])[2:] == [
        "Stock@1.0",
        "Flow@1.0",
    ]
    with pytest.raises(DataError, match=r"no column 'Stok' - did you mean 'Stock'\?"):
        scenarios("series", path=str(path), columns=["Stok"]).open()
    path.write_text("Time,Stock\n0,1\n1,one\n", "utf-8")
    with pytest.raises(DataError, match=r"out\.tab:3: expected a finite number in 'Stock', got 'one'"):
        read(scenarios("series", path=str(path)).open())


@pytest.mark.parametrize(
    ("header", "keys"),
    [
        ("Time (Day),Stock : run1,Flow : run1", ["Stock@0", "Flow@0"]),  # as Vensim exports it
        ("Time (Day),Stock : run1,Stock : run2", ["Stock : run1@0", "Stock : run2@0"]),
        ("Time,Stock,Flow : run1", ["Stock@0", "Flow : run1@0"]),
    ],
)
def test_the_name_of_the_one_run_is_no_part_of_a_key(tmp_path: Path, header: str, keys: list[str]) -> None:
    path = tmp_path / "out.csv"
    path.write_text(f"{header}\n0,1,2\n", "utf-8")
    assert list(read(scenarios("series", path=str(path)).open())[0]["intended"]) == keys
