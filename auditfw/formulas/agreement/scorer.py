"""Agreement in the reference scorer's order of operations: plain Python, to the last digit.

Source: `confusion_and_kappa` in `eval_cross_agent_consistency.md` (github.com/onestardao/WFGY). Its arithmetic gives
the number of every mode; only in the reference mode is kappa 0.0 where it is undefined.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
NO_CHANCE = 1e-12

Table = Sequence[Sequence[int]]


def percent_agreement(table: Table) -> float | None:
    """The share of the diagonal; None without an item."""
    n = sum(map(sum, table))
    return sum(table[i][i] for i in range(len(table))) / n if n else None


def kappa(table: Table, undefined: Literal["null", "zero"] = "null") -> float | None:
    """Cohen's kappa of confusion counts, summed in the order of the labels.

    It is exactly 0.0 where agreement is that of chance, whatever rounding leaves of their difference. Where chance
    alone gives full agreement (both raters used one and the same label), or there is no item, it is None; with `zero`
    0.0.
    """
    n = sum(map(sum, table))
    if n == 0:
        return 0.0 if undefined == "zero" else None
    k = range(len(table))
    observed = sum(table[i][i] for i in k) / n
    rows, columns = [sum(row) for row in table], [sum(row[j] for row in table) for j in k]
    chance = 0.0
    for i in k:  # one after the other, as the source adds before Python 3.12, whose `sum` adds floats differently
        chance += (rows[i] / n) * (columns[i] / n)
    if 1 - chance > NO_CHANCE:
        if n * sum(table[i][i] for i in k) == sum(rows[i] * columns[i] for i in k):
            return 0.0  # in whole numbers they agree just as often as chance would have it
        return (observed - chance) / (1 - chance)
    return 0.0 if undefined == "zero" else None


def confusion(rows: Sequence[Mapping[str, Any]], labels: Sequence[str] = LABELS) -> list[list[int]]:
    """Counts of scholar's labels (rows) by auditor's (columns); a row with another label counts nothing.

    Raises KeyError for a record without a side or a label, TypeError for a label that is no plain value.
    """
    places: dict[Hashable, int] = {label: i for i, label in enumerate(labels)}
    table = [[0] * len(labels) for _ in labels]
    for row in rows:
        scholar, auditor = row["scholar"]["label"], row["auditor"]["label"]
        if scholar in places and auditor in places:
            table[places[scholar]][places[auditor]] += 1
    return table


def confusion_and_kappa(rows: Sequence[Mapping[str, Any]], labels: Sequence[str] = LABELS) -> dict[str, Any]:
    """The reference scorer's figures: matrix, percent_agreement, kappa, n, and the scholar's abstain_rate.

    Without an item all are 0.0. Raises as `confusion`.
    """
    table = confusion(rows, labels)
    n = sum(map(sum, table))
    abstained = sum(table[labels.index("ABSTAIN")]) if "ABSTAIN" in labels else 0
    return {
        "matrix": table,
        "percent_agreement": percent_agreement(table) or 0.0,
        "kappa": kappa(table, "zero"),
        "n": n,
        "abstain_rate": abstained / n if n else 0.0,
    }
