"""Rows scored in groups come to what each comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judgement_lines import COLUMNS, KERNELS, RATERS, USUAL, kernel, passed

from auditfw.components.source.pairs import PairsSource
from auditfw.kinds.judgements import Typing

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


@pytest.mark.parametrize("typing", ["strict", "loose"])
@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=30, deadline=None)
@given(records=st.lists(JUDGED, min_size=1, max_size=5), ascii_only=st.booleans())
def test_rows_in_groups_come_to_what_each_comes_to(
    name: str, typing: Typing, records: list[Any], ascii_only: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [USUAL, *[{"qid": f"q{i}", **record} for i, record in enumerate(records * 2)], *[USUAL] * 50]
    path = tmp_path_factory.getbasetemp() / "grouped.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows), encoding="utf-8")
    with kernel(name):
        for task in PairsSource(path=str(path), duplicates="all").open(RATERS, COLUMNS).tasks:
            assert passed(task, typing) == passed(task.reading, typing)  # type: ignore[attr-defined]
