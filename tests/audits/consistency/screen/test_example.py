"""One row on which raters differ: what was asked and each label with its reason, in four lines at most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from first_screens import first, lines, rated
from sentences import consistency as says

import auditfw
from auditfw.core.document import Note
from auditfw.core.records import Result

REASON = "It is wrong, because the word that was looked for is in no source that the answer cites at all, not one."


def row(i: int, one: str, other: str, **more: Any) -> dict[str, Any]:
    return {"id": f"q{i}", "x": one, "y": other, **more}


def shown(result: Result) -> list[str]:
    section = next((section for section in first(result) if section.screen == "example"), None)
    texts = [] if section is None else [block.text for block in section.blocks if isinstance(block, Note)]
    return [] if section is None else [section.title, *texts]


def judged(rows: list[dict[str, Any]], **more: Any) -> Result:
    columns = {"x.reason": "xr", "y.reason": "yr"} if "xr" in rows[0] else {}
    source = {"use": "frame", "frame": rows, "columns": columns}
    audit = {"raters": ["x", "y"], "reference": "y", "labels": ["a", "b"], "abstain": []}
    run = {"experiment": "cross_agent", "source": source, "gate": [], "policy": [], "audit": audit}
    return auditfw.run({**run, **more})


def texts(question: str, claim: str, xr: str, yr: str) -> dict[str, Any]:
    return {"question": question, "answer_json": {"claim": claim}, "xr": xr, "yr": yr}


CASES = {
    "short": (
        texts("what is it?", "a cat", "no", "yes\n\nyes"),
        ['what is it?: "a cat"', 'x: a, "no"', 'y: b, "yes⏎yes"'],
    ),
    "no texts": ({}, ["x: a; y: b"]),
    "no claim": ({"question": "what is it?"}, ["what is it?", "x: a; y: b"]),
    "long": (
        texts("q" * 400, "c" * 400, REASON, "r" * 900),
        [
            f'{"q" * 71}…: "{"c" * 73}…"',
            'x: a, "… looked for is in no source that the answer cites at all, not one."',
            f'y: b, "… {"r" * 65}…"',
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_texts_are_cut_to_lines(case: str) -> None:
    more, expected = CASES[case]
    told = shown(judged([row(i, "a", "b", **more) for i in range(3)] + [row(9, "b", "b", **more)]))
    assert told[0].startswith("One of the 3: q")
    assert told[1:] == expected
    assert all(len(text) <= 2 * 76 for text in told)


def test_the_row_that_says_most_of_the_largest_disagreement() -> None:
    rows = [row(i, "a", "b", **texts("q", "c", "no", "yes")) for i in range(4)]
    rows += [row(5, "a", "b", **texts("q", "c", "no, never", "yes")), row(6, "b", "a", **texts("q", "c", "", ""))]
    rows += [row(7, "a", "b", **texts("q" * 400, "c", "", ""))]
    rows += [row(8, "a", "b", **texts("q" * 60, "c" * 30, "no", "yes"))]
    assert shown(judged(rows))[0] == "One of the 7: q5"  # whose question and answer are in one line
    assert shown(judged(rows[5:6]))[0] == "Where they differ most: q6"


def test_none_without_a_disagreement_or_without_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(1, "a", "b"), row(2, "b", "b")]
    assert shown(judged(rows))
    assert not shown(judged(rows[1:]))
    assert not shown(judged(rows, report={"max_examples": 0}))
    monkeypatch.setenv("AUDITFW_SAFE", "1")  # which is about code, not about texts
    assert shown(judged(rows))
    assert not shown(judged(rows, report={"texts": False}))


def test_of_several_raters_the_row_on_which_they_are_farthest_apart() -> None:
    rows = [{"id": f"q{i}", "a": "3", "b": "3", "c": "4"} for i in range(8)]
    rows += [{"id": "far", "a": "1", "b": "3", "c": "5"}]
    assert shown(rated(rows, ["a", "b", "c"], [*"12345"])) == [says.WHERE_THEY_DIFFER_MOST_FAR, "a 1, b 3, c 5"]
    named = [{name: f"l{label}" if name != "id" else label for name, label in row.items()} for row in rows]
    assert shown(rated(named, ["a", "b", "c"], [f"l{i}" for i in range(1, 6)]))[1:] == ["a l1, b l3, c l5"]


@pytest.mark.parametrize("raters", [2, 3, 8])
def test_four_lines_are_the_most(raters: int) -> None:
    names = [f"{k}{'n' * 60}" for k in range(raters)]
    own = {name: "x" * 60 if k else "y" for k, name in enumerate(names)}
    rows = [{"id": "i" * 90, "question": "q" * 300, **own, **{f"{name}r": REASON for name in names}}]
    source = {"use": "frame", "frame": rows, "columns": {f"{name}.reason": f"{name}r" for name in names}}
    audit = {"raters": names, "reference": names[0], "labels": ["y", "x" * 60], "abstain": []}
    title, *texts = shown(
        auditfw.run({"experiment": "cross_agent", "source": source, "gate": [], "policy": [], "audit": audit})
    )
    assert len(title) < 80
    assert sum(-(-len(text) // 78) for text in texts) == 4
    assert sum(text.endswith('not one."') for text in texts) == 2


def test_two_of_several_who_differ_say_why() -> None:
    """The first of those with the lowest label, and of those with the highest."""
    own = {"a": "1", "b": "3", "c": "5", "d": "5"}
    rows = [{"id": "q", **own, "ar": "low", "br": "", "cr": "high", "dr": "high, too"}]
    columns = {f"{name}.reason": f"{name}r" for name in own}
    audit = {"raters": [*own], "reference": "a", "labels": [*"12345"], "abstain": []}
    source = {"use": "frame", "frame": rows, "columns": columns}
    result = auditfw.run({"experiment": "cross_agent", "source": source, "gate": [], "policy": [], "audit": audit})
    assert shown(result)[1:] == ["a 1, b 3, c 5, d 5", 'a: 1, "low"', 'c: 5, "high"']


def test_labels_of_many_raters_are_counted() -> None:
    names = [f"r{k}" for k in range(12)]
    rows = [{"id": f"q{i}", **{name: "xyz"[(i * k) % 3] for k, name in enumerate(names)}} for i in range(9)]
    assert shown(rated(rows, names, [*"xyz"]))[1] == says.SAY_SAY_SAY


def test_markup_and_control_characters_are_data(tmp_path: Path) -> None:
    """They come to the section as they are, and reach no report unescaped."""
    markup, control = "<b>x</b>|", "y\x1b[31m"
    rows = [row(i, markup, control, question="<script>q</script>\x07") for i in range(6)]
    rows += [row(10 + 4 * k + i, one, one) for k, one in enumerate((markup, control)) for i in range(4)]
    source = {"use": "frame", "frame": rows}
    audit = {"raters": ["x", "y"], "reference": "y", "labels": [markup, control], "abstain": []}
    run = {"experiment": "cross_agent", "source": source, "gate": [], "policy": [], "audit": audit}
    result = auditfw.run({**run, "report": ["markdown", "html"]}, tmp_path / "run")
    assert says.RATER_WITH_THE_OTHER_SAYS.format(markup, control) in lines(result)
    for name in ("report.md", "report.html"):
        written = (tmp_path / "run" / name).read_text("utf-8")
        assert "Who agrees with whom" in written
        assert not {"\x1b", "\x07"} & {*written}
        assert "says <b>x" not in written
        assert "<script>q" not in written.replace("\n```text\n<script>q", "")  # verbatim in an exhibit of report.md
