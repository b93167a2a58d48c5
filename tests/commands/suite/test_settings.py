"""The file of a suite: what it may say, and every mistake in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sentences import commands as says

from auditfw.commands.suite.settings import read_suite
from auditfw.core.errors import UsageError

GOOD = """\
suite:
  defaults: {tier: supporting, metric: right_of_all, max_drop: 1.5}
  entries:
    mmlu_pro: {candidate: new/mmlu, baseline: old/mmlu, tier: critical, max_drop: 1}
    gsm8k: {jobs: "task = 'gsm8k'", candidate: "model = '{candidate}'", baseline: "model = 'old'", max_relative: 3}
    safety: {candidate: new/safe, tier: critical, min: 98}
    style: {candidate: new/style, tier: advisory, undecided: pass}
  gates: {answer: {use: answer}, none: {use: bound, metric: suite_missing, max: 0}}
"""


def test_a_file(write: Callable[[str], Path]) -> None:
    suite = read_suite(write(GOOD), ["candidate=new", "style=newer/style"])
    assert list(suite.entries) == ["mmlu_pro", "gsm8k", "safety", "style"]
    assert [one.max_drop for one in suite.entries.values()] == [1, 1.5, None, None]
    assert [one.tier for one in suite.entries.values()] == ["critical", "supporting", "critical", "advisory"]
    assert suite.entries["gsm8k"].candidate == "model = 'new'"
    assert suite.entries["style"].candidate == "newer/style"
    assert (list(suite.gates), list(suite.whole_gates)) == (["answer"], ["none"])


ENTRY = "suite: {{entries: {{style: {{{}}}}}}}"
FOLDERS = "candidate: a, baseline: b"
MISTAKES = [
    ("", ": is empty"),
    ("suit: {}", ": unknown key 'suit' - did you mean 'suite'?"),
    ("suite: {entires: {}}", ": suite: unknown key 'entires' - did you mean 'entries'?"),
    ("suite: {entries: {}}", ": entries: an empty suite"),
    ("suite: {defaults: {max_drop: 1}}", ": entries: an empty suite"),
    ("suite: {entries: [a]}", ": entries: is no mapping"),
    ("suite: {entries: {a: 3}}", ": entries.a: expected a mapping, got a number"),
    ("suite: {defaults: {candidate: a}, entries: {a: {}}}", ": defaults: 'candidate' is of one entry"),
    ("suite: {sweep: [a], entries: {a: {candidate: a, min: 1}}}", ": sweep: expected the folder of a sweep"),
    (
        ENTRY.format(f"{FOLDERS}, max_dorp: 1"),
        ": entries.style.max_dorp: unknown setting (1) - did you mean 'max_drop'?",
    ),
    (ENTRY.format(f"{FOLDERS}, max_drop: -1"), ": entries.style.max_drop: expected 0 or more, got -1"),
    (ENTRY.format(f"{FOLDERS}, max_relative: -3"), ": entries.style.max_relative: expected 0 or more, got -3"),
    (ENTRY.format(f"{FOLDERS}, max_drop: .nan"), ": entries.style.max_drop: expected a finite number"),
    (ENTRY.format(f"{FOLDERS}, max_drop: much"), ": entries.style.max_drop: expected a number, got 'much'"),
    (
        ENTRY.format(f"{FOLDERS}, max_drop: 1, tier: main"),
        ": entries.style.tier: expected one of critical, supporting, advisory",
    ),
    (ENTRY.format("candidate: a"), ": entries.style: nothing to hold"),
    (ENTRY.format(FOLDERS), ": entries.style: nothing to hold"),
    (ENTRY.format("min: 3"), ": entries.style: has no candidate"),
    (ENTRY.format("candidate: a, max_drop: 1"), ": entries.style.max_drop: needs a baseline (1"),
    (ENTRY.format("candidate: a, min: 3, max: 2"), ": entries.style.min: is above max: no number can hold (3 > 2)"),
    (
        ENTRY.format(f"{FOLDERS}, max_drop: 1, relative_below: 0"),
        ": entries.style.relative_below: expected a number above 0",
    ),
    (ENTRY.format(f"{FOLDERS}, max_relative: 1, relative_below: 20"), says.HOLDS_NOTHING_WHERE_BASELINE),
    (
        "suite:\n  entries:\n    a: {candidate: x, min: 1}\n    a: {candidate: y, min: 1}\n",
        ":4: duplicate key 'a' (first in line 3)",
    ),
    ("suite: {entries: {a: {candidate: x}}, gates: {g: {use: bonud, metric: n}}}", "did you mean 'bound'?"),
    (
        f"suite: {{entries: {{{', '.join(f'e{i}: {{candidate: a, min: 1}}' for i in range(1001))}}}}}",
        says.AT_MOST_1000_ENTRIES,
    ),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_a_mistake(write: Callable[[str], Path], text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_suite(write(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["candidate=x", "mmlu=y"], "mmlu=y: is no entry of the suite - did you mean 'mmlu_pro'?"),
        (["mmlu_pro="], "mmlu_pro=: needs a candidate - write mmlu_pro=RUN"),
        (["mmlu_pro=a", "mmlu_pro=b"], "mmlu_pro=b: is there twice"),
        ([], "entries.gsm8k.candidate: has {candidate} in it - write candidate=RUN"),
    ],
)
def test_a_word_that_is_wrong(write: Callable[[str], Path], words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_suite(write(GOOD), words)
    assert message in str(caught.value)


def test_a_candidate_that_nothing_takes(write: Callable[[str], Path]) -> None:
    with pytest.raises(UsageError) as caught:
        read_suite(write(GOOD.replace("{candidate}", "new")), ["candidate=x"])
    assert "no candidate of" in str(caught.value)
