"""The agreement benchmark compares like with like, and says so when a number differs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from auditfw.formulas.agreement import Ratings, scorer
from auditfw.formulas.agreement.counting import counted
from benchmarks import agreement
from benchmarks.plain import scorer as plain


def test_coded_pairs_are_those_of_the_other_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    assert not agreement.coded(3_000, 1)
    told = capsys.readouterr().out
    assert "kappa of all: equal to 1e-9" in told
    assert "scikit-learn kappa, text" in told


@pytest.mark.slow
def test_records_give_the_numbers_of_a_plain_scorer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not agreement.from_records(tmp_path, 400, 1)
    assert "numbers compared: 5, different: 0" in capsys.readouterr().out
    found = plain.score(str(tmp_path / "pairs-400.jsonl"), str(tmp_path / "again.tsv"))
    rows = list(plain.read(str(tmp_path / "pairs-400.jsonl")))
    ours = scorer.confusion_and_kappa(rows)
    assert (found["n"], found["kappa"]) == (ours["n"], pytest.approx(ours["kappa"]))
    assert len((tmp_path / "again.tsv").read_text("utf-8").splitlines()) == found["disagreements"] + 1


def test_a_difference_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("n", "percent_agreement", "kappa", "abstain_rate", "disagreements")
    ours = [(name, "all" if name == "disagreements" else "scholar") for name in names[1:]]
    measured = [{"metric": name, "reading": reading, "cell": {}, "value": 1.0} for name, reading in ours]
    result = {"counts": {"audited": 1}, "measurements": measured}
    assert not agreement.differing(dict.fromkeys(names, 1), result)
    assert agreement.differing({**dict.fromkeys(names, 1), "kappa": 0.5}, result)
    assert "kappa: 0.5 and 1.0" in capsys.readouterr().out


@pytest.mark.parametrize("raters", [2, 3, 9])
def test_counting_codes_is_counting(raters: int) -> None:
    """Few kinds go by one table, many by sorting."""
    stream = np.random.Generator(np.random.PCG64(raters))
    codes = stream.integers(-1, 4, (70_000 if raters < 9 else 500, raters))
    names = [f"r{i}" for i in range(raters)]
    patterns: dict[tuple[int, ...], int] = {}
    for row in codes.tolist():
        patterns[tuple(row)] = patterns.get(tuple(row), 0) + 1
    expected = Ratings.of("abcd", names, patterns)
    for dtype in (np.int64, np.int8):
        assert counted(list(codes.astype(dtype).T), "abcd", names) == expected


@pytest.mark.parametrize(
    "codes", [[[0, 4], [0, 0]], [[0, -2], [0, 0]], [[0.0, 1.0], [0, 0]], [[0], [0, 0]], [[0, 0]], [[[0]], [[0]]]]
)
def test_codes_that_are_none_are_refused(codes: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="code"):
        counted([np.asarray(column) for column in codes], "abcd", ["one", "other"])
