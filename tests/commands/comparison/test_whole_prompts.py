"""Questions of logs that store whole prompts: what differs between these."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CASES
from running import run_auditfw

from auditfw.commands.comparison.conditions import compared, side_conditions
from auditfw.commands.comparison.items import labelled_side
from auditfw.commands.comparison.pairing import PairedSides, paired_runs
from auditfw.commands.comparison.whole_prompts import own_questions, shared_ends
from auditfw.commands.stored_run import stored


@pytest.mark.parametrize(
    ("texts", "rest"),
    [
        ([], []),
        (["Q: 1+1?\nA:"], ["Q: 1+1?\nA:"]),
        (["Q: 1+1?\nA:", "Q: 12+1?\nA:"], ["1+1?", "12+1?"]),  # no half number is cut
        (["What is 3 + 12?", "What is 3 + 15?"], ["12?", "15?"]),
        (["<|user|>\nQ: a?\nA:<|end|>\n", "<|user|>\nQ: b?\nA:<|end|>\n"], ["a?", "b?"]),
        (["one", "two"], ["one", "two"]),
        (["a ", "a b "], ["", "b "]),
    ],
)
def test_what_remains(texts: list[str], rest: list[str]) -> None:
    begin, end = shared_ends(texts)
    assert [text[begin : len(text) - end] for text in texts] == rest


@given(st.sets(st.text(alphabet="ab \n", max_size=9), min_size=2, max_size=6))
def test_only_what_all_texts_share_is_cut(texts: set[str]) -> None:
    begin, end = shared_ends(texts)
    assert begin + end <= min(map(len, texts))
    assert len({(text[:begin], text[len(text) - end :]) for text in texts}) == 1
    assert len({text[begin : len(text) - end] for text in texts}) == len(texts)


LOGS = {
    "i_base": "inspect/base.eval",
    **{f"l_{name}": f"lm_eval/{name}" for name in ("base", "chat", "one_shot", "limit", "filter")},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of each log."""
    folder = tmp_path_factory.mktemp("runs")
    for name, log in LOGS.items():
        done = run_auditfw((str(CASES / "data" / "two_logs" / log), f"hydra.run.dir={name}", "report=[]"), folder)
        assert done.returncode in (0, 1), done.stderr
    return folder


def differing(pairs: PairedSides) -> list[str]:
    sides = [side_conditions(stored(side.folder), side.frame) for side in pairs.sides]
    assert [side.why for side in sides] == ["", ""]
    return [row.name for row in compared(sides, [pairs]) if row.status == "differs"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other", "key", "rows"),
    [
        ("l_base", "l_chat", "row.item", ["prompts", "chat template", "system text", "completions"]),
        ("l_base", "l_one_shot", "row.item", ["prompts", "shots", "completions"]),
        ("l_base", "l_limit", "row.item", ["limit", "completions"]),
        ("l_base", "l_filter", "row.item", ["scorer"]),
        ("i_base", "l_base", "row.question", ["harness", "dataset", "seed", "scorer"]),
        ("l_chat", "i_base", "row.question", [
            "harness", "dataset", "prompts", "chat template", "system text", "seed", "scorer", "completions",
        ]),
    ],
)  # fmt: skip
def test_logs_with_other_prompts(runs: Path, one: str, other: str, key: str, rows: list[str]) -> None:
    pairs = paired_runs(runs / one, runs / other)
    assert (pairs.sets()["common"], pairs.matched.key, pairs.matched.refused) == (40, key, ())
    assert differing(pairs) == rows


@pytest.mark.slow
def test_logs_that_are_not_what_they_were(runs: Path) -> None:
    one, other = labelled_side(runs / "l_base"), labelled_side(runs / "l_chat")
    [_, kept] = own_questions((one, other)) or (None, None)
    assert kept is not None
    assert kept.frame["row.prompt"].equals(other.frame["row.question"])
    assert kept.frame["row.question"].null_count() == 40
    changed = other.frame.with_columns(other.frame["row.question"].reverse())
    assert own_questions((labelled_side(runs / "i_base"), type(other)(other.folder, changed, other.reading))) is None
    assert own_questions((labelled_side(runs / "i_base"),) * 2) is None
