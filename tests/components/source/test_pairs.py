"""Judgements from tables: in one row an item, one row a judgement, a file a rater; read quickly and strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quick_consistency import HARD, LABELS, QUICK, value
from searching import examples

import auditfw
from auditfw.components.source.pairs import PairsSource


def table(rows: list[dict[str, Any]], path: Path) -> str:
    frame = pl.DataFrame(rows)
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_csv(
        path, separator="\t" if path.suffix == ".tsv" else ","
    )
    return str(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_wide_and_long_tables(tmp_path: Path, ending: str) -> None:
    """The same labels, 0 and 1, in one row an item, in one row a judgement, and in a file a rater."""
    labels = [(i, int(i % 3 > 0), int(i % 4 > 0)) for i in range(24)]
    audit = {"labels": ["0", "1"], "reference": "b"}
    base = {"experiment": "cross_agent", "policy": [], "metrics": QUICK}
    wide = table([{"item": i, "one": a, "two": b} for i, a, b in labels], tmp_path / f"w.{ending}")
    use = {"use": "parquet"} if ending == "parquet" else {"use": "csv", "delimiter": "\t" if ending == "tsv" else ","}
    columns = {"id": "item", "a": "one", "b": "two"}
    found = [
        auditfw.run(
            {**base, "source": {**use, "path": wide, "columns": columns}, "audit": audit | {"raters": ["a", "b"]}}
        )
    ]
    rows = [{"item": i, "who": who, "said": said} for i, a, b in labels for who, said in (("a", a), ("b", b))]
    source: dict[str, Any] = {"use": "raters", "path": table(rows, tmp_path / f"l.{ending}")}
    source["columns"] = {"id": "item", "rater": "who", "label": "said"}
    found.append(auditfw.run({**base, "source": source, "audit": audit}))
    paths = {
        who: table([{"qid": i, "label": said[k]} for i, *said in labels], tmp_path / f"{who}.{ending}")
        for k, who in enumerate("ab")
    }
    found.append(auditfw.run({**base, "source": {"use": "raters", "paths": paths}, "audit": audit}))
    assert [result.counts["audited"] for result in found] == [24, 48, 48]
    assert len({value(result, "kappa@a") for result in found}) == 1
    assert found[0].measurement("kappa", "a").estimate.counted == 24


TEXTS = st.sampled_from(["p", 'a "quoted" one', "back\\slash", "ü🙂", "tab\t", "new\nline", "", "x, y", '"', "\u2028"])
RECORDS = st.fixed_dictionaries(
    {
        "qid": st.integers(0, 10**6) | st.text("abc", min_size=1, max_size=4),
        "scholar": st.fixed_dictionaries({"label": st.sampled_from([*LABELS, None]), "reason": TEXTS | st.none()}),
        "auditor": st.fixed_dictionaries({"label": st.sampled_from(LABELS), "reason": TEXTS}),
        "answer_json": st.fixed_dictionaries({"claim": TEXTS, "citations": st.lists(TEXTS, max_size=2)}) | st.none(),
        "retrieved_ids": st.lists(TEXTS, max_size=3),
        "flags": st.fixed_dictionaries({name: st.booleans() for name in HARD}) | st.just({}),
    }
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RECORDS, min_size=1, max_size=12), st.booleans(), st.sampled_from([None, (",", ":")]))
def test_quick_reading_is_strict_reading(
    tmp_path: Path, records: list[dict[str, Any]], ascii_only: bool, separators: Any
) -> None:
    file = tmp_path / "p.jsonl"
    text = "".join(json.dumps(r, ensure_ascii=ascii_only, separators=separators) + "\n" for r in records)
    file.write_text(text, "utf-8")
    wanted = ("id", "scholar", "auditor", "scholar.reason", "auditor.reason", "answer_json", "retrieved_ids", "flags")
    source = PairsSource(str(file), duplicates="all")
    quick, strict = [], []
    for task in source.open((), (*wanted, "#place")).tasks:
        quick += _rows(task().columns)
        strict += _rows(task.reading().columns)  # type: ignore[attr-defined]
    assert quick == strict


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    names = [name for name in columns if name not in ("#cited", "#claim")]
    return [{name: columns[name][i] for name in names} for i in range(len(columns["id"]))]
