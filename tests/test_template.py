"""Judgements in lines built alike are read by a pattern: the same values as strictly, the same refusals."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditfw.components.source.pairs import PairsSource, Quick
from auditfw.components.source.template import Uniform
from auditfw.core.errors import DataError
from auditfw.kinds.judgements import EVIDENCE

WORD = st.text(alphabet=st.sampled_from('ab"\\/{}[],: \n\t\x7f\u2028é😀\x00'), max_size=6)
LABEL = st.sampled_from(["VALID", "REJECT", "", None])
RECORD = st.fixed_dictionaries(
    {
        "scholar": st.fixed_dictionaries({"label": LABEL, "reason": WORD}),
        "auditor": st.fixed_dictionaries({"label": LABEL}),
        "answer_json": st.fixed_dictionaries({"claim": WORD, "citations": st.lists(WORD, max_size=3)}),
        "retrieved_ids": st.one_of(st.none(), st.lists(WORD, max_size=2)),
        "flags": st.fixed_dictionaries({"provenance_violation": st.booleans()}),
        "score": st.one_of(st.integers(-(10**17), 10**17), st.floats(-1e15, 1e15), WORD),
    }
)
USUAL = {
    "scholar": {"label": "VALID", "reason": "ok"},
    "auditor": {"label": "VALID"},
    "answer_json": {"claim": "x", "citations": ["a"]},
    "retrieved_ids": ["a", "b"],
    "flags": {"provenance_violation": False},
    "score": 1,
}


def batches(lines: list[str], folder: Path) -> list[tuple[dict[str, list[Any]], dict[str, list[Any]]]]:
    """Each stretch read by the pattern and strictly."""
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    evidence = PairsSource(path=str(path), duplicates="all").open(
        ["scholar", "auditor"], [*EVIDENCE, "scholar.reason", "score"]
    )
    tasks = list(evidence.tasks)
    assert tasks
    assert all(isinstance(task, Quick) for task in tasks)
    return [(plain(task().columns), plain(task.reading().columns)) for task in tasks]  # type: ignore[attr-defined]


def read_all(path: Path) -> int:
    tasks = PairsSource(path=str(path), duplicates="all").open(["scholar", "auditor"], None).tasks
    return sum(len(task()) for task in tasks)


def plain(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in columns.items() if not name.startswith("#")}


def written(records: list[dict[str, Any]], **how: Any) -> list[str]:
    return [json.dumps({"qid": f"q{i}", **record}, **how) for i, record in enumerate(records)]


@settings(max_examples=30, deadline=None)
@given(records=st.lists(RECORD, min_size=1, max_size=8), ascii_only=st.booleans(), compact=st.booleans())
def test_a_pattern_gives_what_reading_strictly_gives(records: list[Any], ascii_only: bool, compact: bool) -> None:
    lines = written(
        [USUAL, *records] * 2 + [USUAL] * 120,
        ensure_ascii=ascii_only,
        separators=(",", ":") if compact else (", ", ": "),
    )
    with tempfile.TemporaryDirectory() as folder:
        for quick, strict in batches(lines, Path(folder)):
            assert {name: quick[name] for name in strict} == strict
            kinds = [[type(value) for value in side["score"]] for side in (quick, strict)]
            assert kinds[0] == kinds[1]


ODD = [
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}, "qid": "b"}',
    '{"qid": "a", "scholar": {"label": "VALID", "label": "REJECT"}, "auditor": {"label": "VALID"}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": 1e999}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": 01}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"},}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "\t"}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "\\x"}}',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}} {}',
    '{"qid": "a" "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}',
    "{'qid': 'a', 'scholar': {'label': 'VALID'}, 'auditor': {'label': 'VALID'}}",
    '["qid", "a"]',
    '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": ' + "9" * 5000 + "}}",
    '{"qid": "a',
]


@pytest.mark.parametrize("line", ODD)
def test_what_strict_reading_refuses_no_pattern_lets_pass(line: str, tmp_path: Path) -> None:
    usual = '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}'
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([*[usual] * 11, line, *[usual] * 20, ""]), encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs\.jsonl:12"):
        read_all(path)


def test_a_label_that_is_not_a_number_is_null_and_told(tmp_path: Path) -> None:
    usual = '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}'
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([*[usual] * 11, usual.replace('"VALID"}}', "NaN}}"), *[usual] * 20, ""]), "utf-8")
    evidence = PairsSource(path=str(path), duplicates="all").open(["scholar", "auditor"], None)
    [batch] = [task() for task in evidence.tasks]
    assert [i for i, label in enumerate(batch.columns["auditor"]) if label is None] == [11]
    assert batch.notes == {f"auditor: NaN or Infinity read as null (first: {path}:12)": 1}


def test_two_torn_lines_are_not_one_record(tmp_path: Path) -> None:
    """A quote left open on one line and closed on the next must not make a record of both."""
    usual = '{"qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}}'
    torn = ['{"qid": "b", "scholar": {"label": "VALID"}, "auditor": {"label": "VAL', 'ID"}}']
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([*[usual] * 20, *torn, *[usual] * 20, ""]), encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs\.jsonl:21"):
        read_all(path)


def test_usual_lines_are_not_parsed_one_by_one() -> None:
    lines = written([USUAL] * 30)

    def read(line: bytes, number: int) -> dict[str, Any] | None:
        raise AssertionError("read strictly")

    made = Uniform({"id": ("qid",), "scholar": ("scholar", "label")}, "x").columns("\n".join(lines).encode(), 1, read)
    assert made is not None
    assert list(made["scholar"]) == ["VALID"] * 30
    assert list(made["id"]) == [f"q{i}" for i in range(30)]
