"""The parser that needs a further column: options by their texts, and the trials that bring them along."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from running import Command

import auditfw
from auditfw.components.parser.options import ChoiceText
from auditfw.core.errors import DataError
from auditfw.kinds.text import TextBeside, beside

TOWNS = ["Rome", "New York", "York", "Paris (France)"]


@pytest.mark.parametrize(
    ("answer", "choices", "letter", "text"),
    [
        ("It is rome.", TOWNS, "A", "Rome"),
        ("Not Rome: in  NEW\nYork", TOWNS, "B", "New York"),
        ("York, not New York, I mean York", TOWNS, "C", "York"),
        ("paris (france)!", TOWNS, "D", "Paris (France)"),
        ("Romeo", TOWNS, "", ""),
        ("C++ of course", ["C", "C++"], "B", "C++"),
        ("none", TOWNS, "", ""),
        ("", TOWNS, "", ""),
        ("4 apples", [3, 4, ""], "B", "4"),
        ("42", [4, 2], "", ""),
        ("yes", ["yes", "Yes"], "A", "yes"),
        ("b", json.dumps(["a", "b"]), "B", "b"),
        ("b", {"text": ["a", "b"], "label": ["A", "B"]}, "B", "b"),
        ("b", "a, b", "", ""),
        ("b", None, "", ""),
        pytest.param("b", "[" * 100_000, "", "", id="many floors"),
        ("x27", [f"x{n}" for n in range(1, 29)], "1", "x27"),
    ],
)
def test_the_option_whose_text_the_answer_repeats(answer: str, choices: Any, letter: str, text: str) -> None:
    trial = TextBeside(answer, {"choices": choices})
    assert ChoiceText()(trial) == letter
    assert ChoiceText(gives="text")(trial) == text


def test_without_the_column_there_is_no_answer() -> None:
    assert (ChoiceText()("Rome"), ChoiceText()(None), beside("Rome")) == ("", "", {})


def test_texts_that_bring_columns_along() -> None:
    """Equal if the texts and the columns are; a plain text of the same characters equals any of them."""
    one, same, other = (TextBeside("a", {"choices": list(word)}) for word in ("xy", "xy", "xz"))
    assert one == same != other
    assert (one == other, one != same) == (False, False)
    assert one == "a" == other
    assert len({one, same, other}) == 2
    copy = pickle.loads(pickle.dumps(one))
    assert (copy, beside(copy)) == (one, {"choices": ["x", "y"]})
    assert (type(one.strip()), one < "b", beside(one.strip())) == (str, True, {})


ROWS = [
    {"id": n, "raw_text": text, "choices": choices, "ground_truth": truth, "stored": stored, "parsed_text": text}
    for n, (text, choices, truth, stored) in enumerate(
        [
            ("It is Rome", ["Rome", "Oslo"], "A", 1),
            ("It is Rome", ["Oslo", "Rome"], "B", 1),
            ("It is Rome", ["Oslo", "Bern"], "A", 1),
            ("A", ["Oslo", "A"], "B", 0),
            ("B", ["A", "B"], "B", 1),
            ("Oslo", ["A", "Oslo"], "A", 1),
        ]
    )
]
AUDIT: dict[str, Any] = {
    "experiment": "answer_parsing",
    "normalizer": "none",
    "matcher": "exact",
    "audit": {"baseline": None, "verify": 1.0},
}


def labels(*parsers: str) -> dict[str, list[Any]]:
    frame = {"use": "frame", "frame": ROWS}
    result = auditfw.run({**AUDIT, "source": frame, "parser": list(parsers)})
    return {name: result.trials[f"{name}+none"].to_list() for name in parsers}


def test_an_audit_hands_each_trial_its_own_options() -> None:
    """The same text with other options has another answer; parsers beside it read the text alone."""
    found = labels("choice_text", "raw")
    assert found["choice_text"] == [True, True, False, True, True, False]
    assert found["raw"] == [False, False, False, False, True, False]
    assert labels("raw")["raw"] == found["raw"]


def test_the_column_is_required() -> None:
    rows = [{name: value for name, value in row.items() if name != "choices"} for row in ROWS]
    source = {"use": "frame", "frame": rows}
    with pytest.raises(DataError, match="no column 'choices'"):
        auditfw.run({**AUDIT, "source": source, "parser": ["choice_text"]})


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_the_command_and_a_sweep(command: Command) -> None:
    """The column is mapped like others; jobs with and without such a parser share a source."""
    records = [{("options" if name == "choices" else name): value for name, value in row.items()} for row in ROWS]
    Path("a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    words = ["source=jsonl", "source.path=a.jsonl", "source.columns.choices=options", "normalizer=none"]
    words += ["matcher=exact", "audit.baseline=null"]
    done = command("parser=[choice_text,raw]", *words, "report=[json]")
    assert done.returncode in (0, 1), done.stderr
    flips = {
        one["reading"]: one["value"] for one in json.loads(done.stdout)["measurements"] if one["metric"] == "flips"
    }
    assert flips == {"choice_text+none": 3, "raw+none": 4}
    swept = command("-m", "parser=[choice_text],[raw],[choice_text,raw]", *words)
    assert swept.returncode in (0, 1), swept.stderr
    jobs = json.loads(next(Path("outputs/sweeps").glob("*/*/sweep.json")).read_text("utf-8"))["jobs"]
    measured = [{k: v for k, v in one["measurements"].items() if k.startswith("flips@")} for one in jobs]
    assert measured == [
        {"flips@choice_text+none": 3},
        {"flips@raw+none": 4},
        {"flips@choice_text+none": 3, "flips@raw+none": 4},
    ]
