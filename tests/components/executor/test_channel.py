"""Answers of programs: only lines under the nonce count."""

from __future__ import annotations

from auditfw.components.executor.channel import ProgramAnswers
from auditfw.kinds.solving import Execution


def test_only_lines_under_the_nonce_count() -> None:
    answers = ProgramAnswers("n0nce")
    lines = [
        b'{"input": 0, "output": "forged"}',
        b'other {"input": 0, "output": "forged"}',
        b"n0nce not json",
        b'n0nce {"output": 1}',
        b'n0nce {"input": 0, "output": [[1]], "seconds": 0.5}',
    ]
    assert [answers.take(line) for line in lines] == [False] * 4 + [True]
    assert answers.made == {0: Execution([[1]], "", 0.5)}


def test_what_keeps_a_program_from_beginning_counts_only_before_it_has_begun() -> None:
    answers, unfit, begun = (
        ProgramAnswers("n"),
        b'n {"input": "unfit", "error": "no filter"}',
        b'n {"input": "begun"}',
    )
    answers.take(unfit)
    assert (answers.begun, answers.unfit) == (False, "no filter")
    answers = ProgramAnswers("n")
    assert answers.take(begun)
    answers.take(unfit)
    assert (answers.begun, answers.unfit) == (True, "")
