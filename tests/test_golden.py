"""Golden vectors: every file in the folder named by AUDITFW_GOLDEN, through public functions and shipped variants."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import conformity
import golden_alignment
import golden_consistency
import golden_self_audit
import pytest
from places import CASES

import auditfw
from auditfw.audits.parsing.samples import format_row, sort_deltas
from auditfw.core.document import Table
from auditfw.formulas.markers import BLOCK_MARKERS, ROLE_MARKERS

FOLDER = Path(os.environ.get("AUDITFW_GOLDEN", CASES / "golden"))
TITLES = {
    "v2 parse + v1 normalization (isolates parsing effect)": "answer_v2+v1",
    "v2 parse + v2 normalization (parse + normalization)": "answer_v2+v2",
    "stored parse + v2 normalization (isolates normalization effect)": "stored+v2",
}
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def decode(value: Any) -> Any:
    """A golden input as the Python value it stands for."""
    if isinstance(value, dict) and "$repeat_alphabet" in value:
        n = value["$repeat_alphabet"]
        return (ALPHABET * (n // 26 + 1))[:n]
    if isinstance(value, dict) and "$type" in value:
        return TYPES[value["$type"]](value["value"])
    if isinstance(value, dict):
        return {key: decode(part) for key, part in value.items()}
    if isinstance(value, list):
        return [decode(part) for part in value]
    return (
        {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}.get(value, value)
        if isinstance(value, str)
        else value
    )


TYPES: dict[str, Callable[[Any], Any]] = {
    "str": str,
    "bytes": bytes.fromhex,
    "int": int,
    "tuple": lambda v: tuple(decode(v)),
    "decimal.Decimal": Decimal,
    "fractions.Fraction": Fraction,
    "complex": complex,
    "numpy.float32": float,
}


def normaliser(name: str) -> Callable[[dict[str, Any]], Any]:
    part = auditfw.load("normalizer", name)
    return lambda given: part(given["text"])


def parser(name: str, key: str) -> Callable[[dict[str, Any]], Any]:
    part = auditfw.load("parser", name)
    return lambda given: part(given[key])


def correctness(given: dict[str, Any]) -> dict[str, bool | None]:
    matcher = auditfw.load("matcher", "containment")
    answer, truth = given["parsed_answer_text"], given["ground_truth_text"]
    return {name: auditfw.evaluate(answer, truth, auditfw.load("normalizer", name), matcher) for name in ("v1", "v2")}


def incidence(given: dict[str, Any]) -> dict[str, bool]:
    text = given["text"]
    return {
        "role": auditfw.has_marker(text, ROLE_MARKERS),
        "block": auditfw.has_marker(text, BLOCK_MARKERS),
        "think_end": auditfw.has_think_end(text),
    }


def snipped(given: dict[str, Any]) -> dict[str, int]:
    head, tail = auditfw.snip(given["text"], given["head"], given["tail"])
    return {"head_len": len(head), "tail_len": len(tail)}


def deltas(given: dict[str, Any]) -> dict[str, Any]:
    cells = auditfw.cell_deltas(given["rows"])
    return {"cells": cells, "table": [format_row(row) for row in sort_deltas(cells)[: given["max_rows"]]]}


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "normalize_v1": normaliser("v1"),
    "normalize_v2": normaliser("v2"),
    "strip_after_think_end": parser("after_think", "text"),
    "parse_answer_v1_runner": parser("answer_v1", "raw_text"),
    "parse_answer_v2": parser("answer_v2", "raw_text"),
    "evaluate_correctness": correctness,
    "marker_incidence": incidence,
    "is_refusal": lambda given: auditfw.is_refusal(given["text"]),
    "snip": snipped,
    "cell_deltas": deltas,
}


# Functions of whole cases: each decodes its own inputs.
WHOLE: dict[str, Callable[[dict[str, Any]], Any]] = {
    **golden_alignment.FUNCTIONS,
    **golden_consistency.FUNCTIONS,
    **golden_self_audit.FUNCTIONS,
}


def cases(stem: str) -> list[dict[str, Any]]:
    file = FOLDER / f"{stem}.json"
    return golden_self_audit.comparable(stem, json.loads(file.read_text("utf-8"))["cases"]) if file.is_file() else []


def expected_of(case: dict[str, Any]) -> Any:
    expected = case["expected"]
    return expected["pandas_2"] if isinstance(expected, dict) and "pandas_2" in expected else expected


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(same(found[k], expected[k]) for k in expected)
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float):
        return found == pytest.approx(expected, abs=1e-9)
    return bool(found == expected)


def test_every_file_is_known() -> None:
    stems = {file.stem for file in FOLDER.glob("*.json")}
    assert stems, f"no golden file in {FOLDER}"
    unknown = stems - {*FUNCTIONS, *WHOLE, E2E, SCORER}
    assert not unknown, f"golden files that nothing tests: {sorted(unknown)}"


@pytest.mark.parametrize(
    ("stem", "case"), [pytest.param(s, c, id=f"{s}-{c['id']}") for s in FUNCTIONS for c in cases(s)]
)
def test_function(stem: str, case: dict[str, Any]) -> None:
    expected = expected_of(case)
    given = decode(case["input"])
    if isinstance(expected, dict) and "$raises" in expected:
        with pytest.raises(Exception):  # noqa: B017, PT011 - only that it is refused counts
            FUNCTIONS[stem](given)
        return
    assert same(FUNCTIONS[stem](given), expected), case["note"]


@pytest.mark.parametrize(("stem", "case"), [pytest.param(s, c, id=f"{s}-{c['id']}") for s in WHOLE for c in cases(s)])
def test_whole_case(stem: str, case: dict[str, Any]) -> None:
    expected = case["expected"]
    if isinstance(expected, dict) and "$raises" in expected:
        with pytest.raises(Exception) as raised:  # noqa: PT011 - the name is compared below
            WHOLE[stem](case["input"])
        assert raised.type.__name__ == expected["$raises"]
        return
    assert same(WHOLE[stem](case["input"]), expected), case["note"]


SCORER = "consistency_cli"


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in cases(SCORER)])
def test_scorer(case: dict[str, Any], tmp_path: Path) -> None:
    """A crash of the original is an error of ours, unless the experiment mends what it broke on."""
    given, expected = decode(case["input"]), case["expected"]
    found = golden_consistency.scorer(given, tmp_path)
    if expected["error"] is not None:
        assert found["error"] or golden_consistency.forgiven(given), case["note"]
        return
    assert found["error"] is None
    assert same(found["report"], expected["report"]), case["note"]
    assert golden_consistency.rows_of(expected["tsv"], found["rows"], given["stale_tsv"]), case["note"]


E2E = "answer_parsing_audit_e2e"


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in cases(E2E)])
def test_whole_audit(case: dict[str, Any], tmp_path: Path) -> None:
    expected = expected_of(case)
    metadata, runs = conformity.build(case, tmp_path)
    words = case["input"]["cli"]
    options = dict(zip(words[::2], words[1::2], strict=True))
    settings = {
        "experiment": "answer_parsing",
        "source": {"use": "conformity", "metadata": str(metadata), "runs_dir": str(runs)},
        "report": {"max_examples": int(options.get("--max-examples", 30))},
        "seed": int(options.get("--seed", 0)),
    }
    if expected["exit_code"]:
        assert failure_code(settings) in (3, 5), expected["error_last_line"]
        return
    summary, found = expected["summary"], summarise(auditfw.run(settings))
    tables = summary.pop("tables")
    for title, reading in TITLES.items():
        assert ties(found["tables"][reading]) == ties(tables[title]), title
    for name in ("runs_loaded", "headings", "ends_with_newline"):
        summary.pop(name)
    assert len(found.pop("think_example_trials")) == len(summary.pop("think_example_trials"))
    assert len(found.pop("flip_example_trials")) == len(summary.pop("flip_example_trials"))
    found.pop("tables")
    assert found == summary


def failure_code(settings: dict[str, Any]) -> int:
    try:
        return auditfw.run(settings).exit_code
    except auditfw.AuditError as error:
        return error.exit_code


def ties(rows: list[list[str]]) -> list[list[list[str]]]:
    """Rows of equal printed shift as sets: their order is float noise in the original."""
    groups: dict[str, list[list[str]]] = {}
    for row in rows:
        groups.setdefault(row[-2].lstrip("+-"), []).append(row)
    return [sorted(group) for group in groups.values()]


def summarise(result: Any) -> dict[str, Any]:
    def number(metric: str, reading: str) -> int | None:
        value = result.measurement(metric, reading).estimate.value
        return None if value is None else int(value)

    sections = {section.title: section for section in result.sections}
    marked = sections.get("Garbage-Marker Incidence")  # left out where nothing was found
    facts = dict(marked.blocks[0].rows) if marked else dict.fromkeys(FACTS.values(), "0")
    incidence = {k: int(facts[v].replace(",", "")) for k, v in FACTS.items()}
    exhibits = {title: s for title, s in sections.items() if title.startswith(("Examples", "Random"))}
    temperatures = sorted({m.cell["temperature"] for m in result.measurements if "temperature" in m.cell})
    return {
        "temperatures": ", ".join(f"{t:.1f}" for t in temperatures),
        "rows_total": result.counts["read"],
        "rows_factual": result.counts["audited"],
        "v1_mismatches": number("mismatches", "stored+v1"),
        "flips_parse_only": number("flips", "answer_v2+v1"),
        "flips_parse_norm": number("flips", "answer_v2+v2"),
        "flips_norm_only": number("flips", "stored+v2"),
        **incidence,
        "think_flips": number("flips", "after_think+v2"),
        "tables": {r: sections[r].blocks[0].rows for r in TITLES.values() if isinstance(sections[r].blocks[0], Table)},
        "think_example_trials": [e.title for t, s in exhibits.items() if t.startswith("Examples") for e in s.blocks],
        "flip_example_trials": [e.title for t, s in exhibits.items() if t.startswith("Random") for e in s.blocks],
    }


FACTS = {
    "raw_role": "raw text has role markers",
    "raw_block": "raw text has block markers",
    "parsed_role": "stored text has role markers",
    "parsed_block": "stored text has block markers",
    "think_rows": "raw text has </think>",
}
