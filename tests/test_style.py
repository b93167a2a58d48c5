"""The house style, as far as tools can see it: ruff and mypy find nothing, and mypy finds sums of floats."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=600, check=False)


@pytest.mark.parametrize(
    "words",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), pytest.param(("mypy",), marks=pytest.mark.slow)],
    ids=" ".join,
)
def test_tool_finds_nothing(words: tuple[str, ...]) -> None:
    done = ran(*words)
    assert done.returncode == 0, done.stdout + done.stderr


SUMS = """
def refused(numbers: list[float], unknown: Any, both: dict[str, float | int], table: list[list[float]]) -> None:
    sum(numbers)
    sum(n / 2 for n in (1, 2))
    sum(0.5 * n for n in range(3))
    sum(both.values())
    sum((1, 2.5))
    sum(unknown)
    sum(map(float, "12"))
    sum([n for n in numbers], 0)
    sum(unknown.rows, 0.0)
    list(map(sum, table))

def fine(numbers: list[int], unknown: Any, pairs: Counter[str], table: list[list[int]]) -> float:
    sum(1 for _ in unknown)
    sum(map(len, unknown))
    sum(n > 2 for n in unknown)
    sum(row is None for row in table)
    sum(map(sum, table))
    list(map(sum, table))
    sum((1, 2))
    math.fsum([0.5])
    return 0.5 * sum(n * n for n in numbers) / sum(pairs.values())
"""


def test_the_builtin_sum_adds_whole_numbers_alone(tmp_path: Path) -> None:
    """From Python 3.12 on it corrects the rounding of floats: the last digit would depend on the Python."""
    file = tmp_path / "sums.py"
    text = "import math\nfrom collections import Counter\nfrom typing import Any\n" + SUMS
    file.write_text(text, "utf-8", newline="\n")
    done = ran("mypy", str(file))
    first = text[: text.index("def refused")].count("\n") + 1
    refused = {int(number) for number in re.findall(r"sums\.py:(\d+): error", done.stdout)}
    assert refused == set(range(first + 1, first + 11)), done.stdout
