"""A sentence that a test of an audit, a report or a command pins stands in one table: `tests/helpers/sentences`.

Whoever words a sentence otherwise changes one line. What is handed to a call is input, and may stand in place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LOOKS = ("startswith", "endswith", "count", "index", "partition", "split", "removeprefix")
CODE = re.compile(r"'[^']*'|\"[^\"]*\"|\{[^}]*\}|<[^>]*>|[\w.+]*=\S*|\b\w+(?:\.\w+)+\b")
SENTENCE = 5  # words


def words(text: str) -> int:
    """How many words a text has, without what is code in it."""
    return len(re.findall(r"(?<![\w.])[A-Za-z][A-Za-z'’-]*(?![\w=])", CODE.sub(" ", text)))


def compared(node: ast.AST) -> Iterator[str]:
    """The texts that an expression compares with."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.Call):
        yield from compared(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr in LOOKS:
            yield from (text for part in node.args for text in compared(part))
    elif isinstance(node, ast.Subscript):
        yield from compared(node.value)
    else:
        yield from (text for part in ast.iter_child_nodes(node) for text in compared(part))


def pinned(source: str) -> list[str]:
    """The sentences that the assertions of a module compare with."""
    asserts = (node.test for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert))
    texts = (text for test in asserts for text in compared(test))
    return [text for text in texts if words(text) >= SENTENCE and text.count("\n") <= 6]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('assert x == "one two three four five"', 1),
        ('assert f"one two {x} three four five" in y', 1),
        ('assert y.startswith("one two three four five")', 1),
        ('assert f("one two three four five") == 5', 0),
        ('assert x == "one two three four"', 0),
        ('assert x == "one audit.two=three four five six"', 0),
        ('assert x == says.ONE', 0),
    ],
)  # fmt: skip
def test_what_counts_as_pinned(source: str, found: int) -> None:
    assert len(pinned(source)) == found


@pytest.mark.parametrize("folder", ["audits", "commands", "components/report"])
def test_sentences_stand_in_tables(folder: str) -> None:
    files = sorted((TESTS / folder).rglob("test_*.py"))
    assert {str(file): found for file in files if (found := pinned(file.read_text("utf-8")))} == {}


def test_no_sentence_and_no_name_stands_twice_in_a_table() -> None:
    for table in sorted((TESTS / "helpers" / "sentences").glob("*.py")):
        assigned = [node for node in ast.parse(table.read_text("utf-8")).body if isinstance(node, ast.Assign)]
        values = [node.value.value for node in assigned if isinstance(node.value, ast.Constant)]
        names = [ast.unparse(node.targets[0]) for node in assigned]
        assert len(values) == len(set(values)), table
        assert len(names) == len(set(names)), table
