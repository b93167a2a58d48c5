"""Rows scored in groups come to what each comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judgement_lines import BUILT, COLUMNS, JUDGED, RATERS, USUAL, kernel, passed
from searching import examples

from auditfw.components.source.pairs import PairsSource
from auditfw.kinds.judgements import Typing


@BUILT
@pytest.mark.parametrize("typing", ["strict", "loose"])
@settings(max_examples=examples(30), deadline=None)
@given(records=st.lists(JUDGED, min_size=1, max_size=5), ascii_only=st.booleans())
def test_rows_in_groups_come_to_what_each_comes_to(
    typing: Typing, records: list[Any], ascii_only: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [USUAL, *[{"qid": f"q{i}", **record} for i, record in enumerate(records * 2)], *[USUAL] * 50]
    path = tmp_path_factory.getbasetemp() / "grouped.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows), encoding="utf-8")
    with kernel("native"):
        for task in PairsSource(path=str(path), duplicates="all").open(RATERS, COLUMNS).tasks:
            assert passed(task, typing) == passed(task.reading, typing)  # type: ignore[attr-defined]
