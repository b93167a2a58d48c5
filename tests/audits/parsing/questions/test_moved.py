"""Labels and truths of other rows: what is said, with its numbers, and what it explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from label_rows import TableOfLabels, asked, codes
from sentences import parsing as says

from auditfw.audits.parsing.questions.mismatches import Moved
from auditfw.core.results.findings import CellCount

N = 600
RULE = np.random.default_rng(1).random(N) < 0.6
OTHER = np.random.default_rng(2).random(N) < 0.5
MODELS = ["m" if i < 300 else "n" for i in range(N)]


def table(stored: Any, **columns: Any) -> TableOfLabels:
    readings = {"code.other": codes(OTHER), "code.last+none": codes(RULE)}
    return TableOfLabels({"model": MODELS, "code.stored": codes(stored), **readings, **columns}, ["model"], "model")


def test_labels_that_are_the_opposite() -> None:
    stored = ~RULE
    stored[:2] = ~stored[:2]
    known, _ = asked(Moved(), table(stored))
    one = known["labels_inverted"]
    assert one.text == says.THE_STORED_LABELS_ARE_THE
    assert (one.effect, one.value, one.points, one.cells) == ("broken", 600, 100, [])
    assert {"no_rule", "no_skill", "graders_mixed"} <= set(one.explains)
    assert one.next.endswith("audit.stored_true=[0,false] audit.stored_false=[1,true]")


def test_those_of_one_model() -> None:
    stored = np.where(np.array(MODELS) == "n", ~RULE, RULE)
    known, _ = asked(Moved(), table(stored))
    one = known["labels_inverted"]
    assert one.text == says.WHERE_MODEL_THE_STORED_LABELS
    assert (one.effect, one.points, one.cells) == ("fragile", 50, [CellCount({"model": "n"}, 300)])
    assert one.items[0] == "r301"
    assert "no_rule" in one.explains, "turned round they are the rule's"


def test_labels_that_stand_too_early() -> None:
    stored = RULE.copy()
    stored[540:600] = RULE[np.minimum(np.arange(541, 601), 599)]
    known, _ = asked(Moved(), table(stored))
    one = known["labels_shifted"]
    assert one.detail["lag"] == 1
    assert abs(one.detail["first"] - 541) < 6
    assert one.text.startswith(f"From mine.jsonl:{one.detail['first']} on, ")
    assert one.text.endswith(says.LABELS_STAND_ONE_ROW_TOO)
    assert one.effect == "fragile"
    assert set(one.explains) >= {"no_rule", "graders_mixed"}
    assert one.points == 100 * one.detail["mismatches"] / 600
    assert one.places[0] == f"mine.jsonl:{one.detail['first']}"


def test_what_the_rule_misses_beside_them() -> None:
    """Row 303 is behind the last: ten mismatches of 600 may be 1 % (from 0.91 %), eleven are more (from 1.02 %)."""
    stored = RULE.copy()
    stored[200:300] = RULE[201:301]
    stored[[*range(20, 181, 20), 302]] ^= True
    for further, fits in (([], True), ([320], False)):
        stored[further] ^= True
        one = asked(Moved(), table(stored))[0]["labels_shifted"]
        assert (one.detail["last"], "no_rule" in one.explains) == (302, fits)


def test_all_of_them_too_late() -> None:
    known, _ = asked(Moved(), table(np.roll(RULE, 2)))
    one = known["labels_shifted"]
    assert (one.effect, one.detail["lag"], one.value) == ("broken", -2, 598)
    assert one.text == says.FROM_ON_LABELS_STAND_ROWS


def test_labels_of_their_own_rows() -> None:
    for stored in (RULE, np.random.default_rng(3).random(N) < 0.6, np.ones(N, bool)):
        assert asked(Moved(), table(stored))[0] == {}


def test_truths_that_stand_too_late() -> None:
    truths = np.random.default_rng(4).integers(1, 90, N)
    answers = np.where(RULE, truths, np.random.default_rng(5).integers(1, 90, N))
    moved = truths.copy()
    moved[100:200] = truths[99:199]
    keys = {"row.answer_key": pl.Series(answers, dtype=pl.UInt64), "row.truth_key": pl.Series(moved, dtype=pl.UInt64)}
    known, _ = asked(Moved(), table(answers == moved, **keys))
    one = known["truths_shifted"]
    assert (one.effect, one.detail["lag"]) == ("fragile", 1)
    assert says.ON_TRUTHS_STAND_ONE_ROW.format(one.value) in one.text
    keys["row.truth_key"] = pl.Series(truths, dtype=pl.UInt64)
    assert asked(Moved(), table(RULE, **keys))[0] == {}


def test_what_could_not_be_looked_for() -> None:
    known, whys = asked(Moved(), table([None] * N))
    assert known == {}
    assert whys == {
        "labels_inverted": says.NO_TRIAL_HAS_A_STORED,
        "labels_shifted": says.NO_TRIAL_HAS_A_STORED,
        "truths_shifted": says.NO_ANSWER_COULD_BE_READ,
    }
