"""Lines of judgements read by the kernel and strictly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from files_read import placed
from hypothesis import strategies as st

from auditfw.audits.consistency.rules import Rules
from auditfw.audits.consistency.scoring import ConsistencyScorer, Pass
from auditfw.components.source.pairs import PairsSource, Quick
from auditfw.core.errors import AuditError
from auditfw.core.native import VARIABLE, compiled
from auditfw.core.records import Batch
from auditfw.kinds.judgements import ANSWER, EVIDENCE, FAULT, PLACE, REASON, RETRIEVED, Typing, claim

BUILT = pytest.mark.skipif(compiled() is None, reason="the kernel is not built")
KERNELS = ("python", pytest.param("native", marks=BUILT))
RATERS = ("scholar", "auditor")
PARTS = tuple(f"{rater}.{part}" for rater in RATERS for part in (REASON, ANSWER, RETRIEVED))
COLUMNS = (*RATERS, *EVIDENCE, *PARTS, "score", FAULT, PLACE)
USUAL = {
    "qid": "a",
    "scholar": {"label": "VALID", "reason": "ok"},
    "auditor": {"label": "REJECT", "reason": "ok"},
    "answer_json": {"claim": "x", "citations": ["a"]},
    "retrieved_ids": ["a", "b"],
    "flags": {"provenance_violation": False, "constraints_mismatch": False},
    "score": 1,
}
LINE = json.dumps(USUAL)

WORD = st.one_of(st.sampled_from(["a", "b", ",", ", ", "é", 'a"b', "", "\u2028", "x\\y"]), st.text(max_size=3))
ODDITY = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**20), st.floats(allow_nan=False, allow_infinity=False), WORD
)
LABEL = st.one_of(st.sampled_from(["VALID", "REJECT", "valid", "other", "", None, 1]), ODDITY)
LISTED = st.one_of(st.lists(WORD, max_size=3), st.lists(ODDITY, max_size=2), st.none(), WORD)
FLAGGED = st.one_of(st.fixed_dictionaries({"provenance_violation": st.booleans()}), st.none(), WORD)
JUDGED = st.fixed_dictionaries(
    {
        "scholar": st.one_of(st.fixed_dictionaries({"label": LABEL, "reason": WORD}), st.none(), WORD),
        "auditor": st.fixed_dictionaries({"label": LABEL}, optional={"reason": ODDITY}),
    },
    optional={
        "answer_json": st.one_of(st.fixed_dictionaries({"citations": LISTED}), st.none(), WORD),
        "retrieved_ids": LISTED,
        "flags": FLAGGED,
        "score": ODDITY,
    },
)


@contextmanager
def kernel(name: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, name)
        yield


def said(read: Callable[[], Batch]) -> Any:
    """What a stretch of lines says: columns with the types of their values, notes and drops, or the error."""
    try:
        batch = read()
    except AuditError as error:
        return str(error)
    columns = {name: list(column) for name, column in batch.columns.items() if name != "#cited"}
    if "answer_json" in columns:
        columns.setdefault("#claim", [claim(answer) for answer in columns["answer_json"]])
    return {n: (c, list(map(repr, c))) for n, c in columns.items()}, batch.dropped, placed(batch.notes)


def opened(path: Path, **how: Any) -> Quick:
    """The task of a file of usual lines."""
    path.write_text(f"{LINE}\n" * 3, encoding="utf-8")
    [task] = PairsSource(path=str(path), duplicates="all", **how).open(RATERS, COLUMNS).tasks
    assert isinstance(task, Quick)
    return task


def of(task: Quick, data: bytes, start: int = 1) -> Quick:
    """The same task of other lines."""
    own = task.reading.block
    block = replace(own, piece=replace(own.piece, data=data), start=start)  # type: ignore[type-var]
    return Quick(replace(task.reading, block=block))


def read_both_ways(task: Quick) -> tuple[Any, Any]:
    """What a stretch says as it is read, and what the strict reader says of it."""
    quick, strict = said(task), said(task.reading)
    if isinstance(quick, tuple) and isinstance(strict, tuple):  # columns that no line has may be left out
        missing = {name: given for name, given in strict[0].items() if name not in quick[0]}
        assert all(value is None for values, _ in missing.values() for value in values)
        strict = ({name: given for name, given in strict[0].items() if name in quick[0]}, *strict[1:])
    return quick, strict


HOW: list[dict[str, Any]] = [{}, {"malformed": "count"}, {"missing_qid": "line"}, {"tolerate_torn_tail": True}]


def passed(task: Callable[[], Batch], typing: Typing) -> dict[str, Any]:
    """What the audit makes of a stretch, row by row."""
    hard = ("provenance_violation", "constraints_mismatch")
    rules = Rules(RATERS, ("VALID", "REJECT", "ABSTAIN"), {r: {"valid": "VALID"} for r in RATERS}, False, hard, typing)
    done = Pass(ConsistencyScorer(rules, (), 7, 5), task()).done
    names = ("counts", "unknown", "findings", "finding_counts", "shown", "alike")
    each = {name: getattr(done, name) for name in names} | {"odd": done.rows.odd, "ids": list(done.rows.ids)}
    patterns = done.rows.patterns
    return each | {"rows": [patterns[n] for n in done.rows.codes], "order": patterns}
