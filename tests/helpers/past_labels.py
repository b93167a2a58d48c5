"""Labels of hard texts by other programs, past versions of them too, so that a test needs none of them.

`python past_labels.py PYTHON WHEELS [RULE ...]` writes them anew, of some rules or all: PYTHON is of an environment
with a newer inspect-ai, in WHEELS is a folder inspect_ai-VERSION for each version, its wheel unpacked, and lm_eval. A
rule has 2,000 cases, drawn by seed (`field_cases`), whose labels are the bits of a number in base 16, the first case
the highest.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from field_cases import cases

NUMBER = 2_000
HERE = Path(__file__).parent
LABELS = HERE.parent / "cases" / "data" / "inspect_scorers" / "labels.json"
PLACES = ("", "_begin", "_any", "_exact")
RULES = (
    *(f"inspect_match_numeric{place}_0_3_{version}" for version in (252, 260) for place in PLACES),
    *(f"inspect_choice{several}_0_3_{version}" for version in (258, 259, 263) for several in ("", "_several")),
    *(f"inspect_exact_0_3_{version}" for version in (252, 276)),
    *(f"inspect_f1_0_3_{version}" for version in (252, 269, 276)),
    *("inspect_answer_word_0_3_220", "inspect_exact", "inspect_f1"),
    *("hendrycks_math", "minerva_math_verify"),
)

Pairs = Sequence[tuple[str, list[str]]]


def digest(pairs: Pairs) -> str:
    """What the cases were, to see whether they are still the same."""
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:16]


def packed(labels: Sequence[bool | None]) -> str:
    return f"{int(''.join('1' if label else '0' for label in labels), 2):0{len(labels) // 4}x}"


def unpacked(text: str) -> list[bool]:
    return [bit == "1" for bit in f"{int(text, 16):0{4 * len(text)}b}"]


def main() -> None:
    python, wheels, *named = sys.argv[1:]
    stored = json.loads(LABELS.read_text("utf-8"))
    for rule in named or RULES:
        pairs = cases(rule, NUMBER)
        command = (python, str(HERE / "field_scorers.py"), wheels)
        ran = subprocess.run(
            command, input=json.dumps({rule: pairs}), capture_output=True, encoding="utf-8", check=True
        )
        stored[rule] = {"cases": digest(pairs), "labels": packed(json.loads(ran.stdout)[rule])}
    LABELS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
