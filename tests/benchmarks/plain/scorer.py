"""A plain scorer of two judges, as one would write it in an afternoon: the other side of the agreement benchmark.

It holds every record in memory, and gives matrix, percent agreement, kappa, abstain rate and a table of the
disagreements with what an auditor's veto makes of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import Any

LABELS = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"]


def read(path: str) -> Iterator[dict[str, Any]]:
    """Yields the records of a JSON Lines file."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def decide(row: dict[str, Any]) -> tuple[str, str]:
    """The final label of one record, and why."""
    flags = row.get("flags") or {}
    if flags.get("provenance_violation") or flags.get("constraints_mismatch"):
        return "REJECT", "hard_flag"
    cited = set((row.get("answer_json") or {}).get("citations") or [])
    if not cited <= set(row.get("retrieved_ids") or []):
        return "REJECT", "citation_out_of_scope"
    if row["auditor"]["label"] != "VALID":
        return "REJECT", "auditor_veto"
    return ("VALID", "auditor_ok") if row["scholar"]["label"] in LABELS[:2] else ("REJECT", "incoherent_pair")


def score(path: str, table: str) -> dict[str, Any]:
    """Scores a file of merged records, and writes the disagreements."""
    rows = list(read(path))
    places = {label: i for i, label in enumerate(LABELS)}
    matrix = [[0] * len(LABELS) for _ in LABELS]
    for row in rows:
        matrix[places[row["scholar"]["label"]]][places[row["auditor"]["label"]]] += 1
    n = len(rows)
    observed = sum(matrix[i][i] for i in range(len(LABELS))) / n
    shares = [sum(row) / n for row in matrix]
    chance = fsum(shares[i] * sum(row[i] for row in matrix) / n for i in range(len(LABELS)))
    differing = [row for row in rows if row["scholar"]["label"] != row["auditor"]["label"]]
    with open(table, "w", encoding="utf-8", newline="\n") as out:
        out.write("qid\tscholar\tauditor\tfinal\twhy\n")
        for row in differing:
            out.write("\t".join([row["qid"], row["scholar"]["label"], row["auditor"]["label"], *decide(row)]) + "\n")
    return {
        "n": n,
        "percent_agreement": observed,
        "kappa": (observed - chance) / (1 - chance),
        "abstain_rate": shares[3],
        "disagreements": len(differing),
    }


def main(arguments: list[str]) -> None:
    """Scores a file: RECORDS TABLE SCORES."""
    records, table, scores = arguments
    Path(scores).write_text(json.dumps(score(records, table)), encoding="utf-8", newline="\n")
