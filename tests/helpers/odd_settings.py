"""Settings of file sources that are seldom written: addresses, conditions, encodings and the like."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

NAMES = ("id", "raw_text", "parsed_text", "ground_truth", "stored", "model", "facts", "score", "nix", "")
PATHS = (
    *(
        "id",
        "nix",
        "facts.n",
        "facts.tags[0]",
        "facts.tags[9]",
        'facts["n"]',
        "#",
        "#place",
        "{id}/{model}",
        "{nix}",
        "a..b",
    ),
    *("facts", "[0]", "", ".", "{", "{}", "id.x", "raw_text[0]", "facts.tags[-1]", "#fault", "score"),
)
WHERES = (
    *("stored", "model = 'a'", "nix = 1", "score > 0.1", "facts IS NULL", "1/0", "id LIKE '%1'", "SELECT 1", "(", "'"),
    *("score + raw_text > 1", "TRY_CAST(score AS DOUBLE) > 0", "CAST(raw_text AS INT) > 0", "1 = 0", "length(id) > 1"),
    *(
        "facts.n = 1",
        "stored AND NOT stored",
        "id IN ('1a')",
        "",
        "score = 'x'",
        "ground_truth || 1 = 'x'",
        "NULL",
        "\0",
    ),
)
UNPIVOTS: tuple[Any, ...] = (
    {"into": "who", "values": ["raw_text", "parsed_text"], "columns": {"raw_text": "{value}"}},
    {"into": "who", "values": ["facts", "nix"], "columns": {"raw_text": "{value}.n", "id": "{value}"}},
    {"into": "id", "values": ["a", "a"], "columns": {"raw_text": "{value}"}},
)
ENCODINGS = (
    "utf-8",
    "latin-1",
    "utf-16",
    "ascii",
    "utf-8-sig",
    "cp1252",
    "utf-32",
    "utf-7",
    "rot13",
    "idna",
    "shift_jis",
)
JOIN = {"source": {"use": "csv", "path": "j.csv"}, "on": {"model": "who"}, "columns": {"grade": "mark"}}


def odd(draw: random.Random, form: str) -> dict[str, Any]:
    """Settings of a file source that are seldom written, now and then."""
    if draw.random() < 0.6:
        return {}
    ways: tuple[Callable[[], dict[str, Any]], ...] = (
        *(lambda: {"columns": {draw.choice(NAMES): draw.choice(PATHS)}}, lambda: {"where": draw.choice(WHERES)}),
        *(lambda: {"where": draw.choice(WHERES)}, lambda: {"nulls": {draw.choice(NAMES): ["Rome", "", "None"]}}),
        *(lambda: {"unpivot": draw.choice(UNPIVOTS)}, lambda: {"duplicates": draw.choice(("first", "last", "all"))}),
        *(lambda: {"encoding": draw.choice(ENCODINGS)}, lambda: {"limit": draw.choice((1, 2, 100))}),
        *(lambda: {"max_decoded": draw.choice((1, 100, 10**12))}, lambda: {"by": [draw.choice(NAMES)]}),
        *(lambda: {"join": JOIN}, lambda: {"tolerate_torn_tail": True} if form == "jsonl" else {}),
    )
    made: dict[str, Any] = {}
    for _ in range(draw.choice((1, 1, 2))):
        made |= draw.choice(ways)()
    return made
