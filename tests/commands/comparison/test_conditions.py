"""What two logs were made under: logs made for it, each with one thing other than its base."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from places import CASES
from running import run_auditfw
from same_answers_as_logs import WRITERS
from sentences import conditions as says
from sentences import gaps

from auditfw.commands.comparison.conditions import (
    ConditionRow,
    SideConditions,
    compared,
    conditions_table,
    logs_of_rows,
    of_logs,
    one_run,
)
from auditfw.commands.comparison.items import LabelledSide
from auditfw.commands.comparison.pairing import PairedSides, paired_sides
from auditfw.components.source.inspect import Inspect
from auditfw.components.source.lm_eval import LmEval
from auditfw.kinds.evidence import CONDITIONS, LogConditions

LOGS = CASES / "data" / "two_logs"
ACCOUNTANT = "You are a careful accountant."


def conditions(log: str) -> SideConditions:
    """The conditions of a log: `inspect/base` and so on."""
    harness, _, name = log.partition("/")
    source = Inspect(path=str(LOGS / f"{log}.eval")) if harness == "inspect" else LmEval(path=str(LOGS / log))
    assert name
    return of_logs(source.conditions())


def differing(*logs: str) -> dict[str, list[str]]:
    rows = compared([conditions(log) for log in logs], [])
    return {row.name: list(row.values) for row in rows if row.status == "differs"}


@pytest.mark.parametrize(
    ("one", "other", "rows"),
    [
        ("inspect/base", "inspect/base", {}),
        ("inspect/base", "inspect/limit", {"limit": ["64", "16"]}),
        ("inspect/base", "inspect/system", {"system text": ["none", ACCOUNTANT]}),
        ("inspect/base", "inspect/one_shot", {"shots": ["2", "1"]}),
        (
            "inspect/base",
            "inspect/pattern",
            {"scorer": ["match (numeric true)", "pattern (pattern #### (\\d+))"]},
        ),
        ("lm_eval/base", "lm_eval/base", {}),
        ("lm_eval/base", "lm_eval/limit", {"limit": ["64", "16"]}),
        (
            "lm_eval/base",
            "lm_eval/chat",
            {
                "chat template": ["no template, no marks", "a template (hash 77610a86), marks in 100 % of prompts"],
                "system text": ["none", ACCOUNTANT],
            },
        ),
        ("lm_eval/base", "lm_eval/one_shot", {"shots": ["2", "1"]}),
    ],
)
def test_pairs_that_differ_in_one_thing(one: str, other: str, rows: dict[str, list[str]]) -> None:
    assert differing(one, other) == rows


def test_another_filter() -> None:
    assert list(rows := differing("lm_eval/base", "lm_eval/filter")) == ["scorer"]
    assert [text.partition(" ")[0] for text in rows["scorer"]] == ["strict-match", "flexible-extract"]


def test_two_harnesses() -> None:
    rows = compared([conditions("inspect/base"), conditions("lm_eval/base")], [])
    by_status = {status: [row.name for row in rows if row.status == status] for status in ("differs", "not_recorded")}
    assert by_status == {
        "differs": ["harness", "dataset", "seed", "scorer"],
        "not_recorded": ["split", "top_p"],
    }  # fmt: skip


def test_three_sides() -> None:
    assert differing("inspect/base", "inspect/limit", "inspect/one_shot") == {
        "shots": ["2", "2", "1"],
        "limit": ["64", "16", "64"],
    }


def side(texts: list[int | None], items: list[str], **columns: Any) -> LabelledSide:
    frame = {"id": [str(i) for i in range(len(items))], "stored": [True] * len(items), "row.item": items}
    hashes = {"row.text": texts, "row.question": [None] * len(items), **{f"row.{k}": v for k, v in columns.items()}}
    typed = {name: pl.Series(values, dtype=pl.UInt64) for name, values in hashes.items()}
    return LabelledSide(Path("run"), pl.DataFrame({**frame, **typed}), "stored")


def facts(pairs: PairedSides, *sides: SideConditions) -> dict[str, tuple[str, list[str]]]:
    rows = compared(sides or [SideConditions({}), SideConditions({})], [pairs])
    return {row.name: (row.status, list(row.values)) for row in rows if row.name not in CONDITIONS}


NONE = ("not_recorded", ["–"])


@pytest.mark.parametrize(
    ("one", "other", "rows"),
    [
        (
            side([1, 2], ["a", "b"]),
            side([1, 2], ["a", "b"]),
            {
                "items": ("same", ["all 2"]), "truths": NONE, "prompts": NONE,
                "completions": ("same", ["byte-equal on 100 % of 2 common trials: one run"]),
            },
        ),
        (
            side([1, 2, 3], ["a", "a", "b"], truth=[7, 7, 8], prompt=[1, 1, 2]),
            side([2, 1, 3], ["a", "a", "b"], truth=[7, 7, 9], prompt=[1, 1, 2]),
            {
                "items": ("same", ["all 2"]),
                "truths": ("differs", ["1 of 2 common items (50.0 %)"]),
                "prompts": ("same", ["the same on all 2 common items"]),
                "completions": ("differs", ["differ on 2 of 3 common trials (66.7 %)"]),
            },
        ),
        (
            side([1, None, 3], ["a", "b", "c"], truth=[7, 7, 7], prompt=[1, 1, 1]),
            side([1, 2], ["a", "b"], truth=[7, 7], prompt=[1, 2]),
            {
                "items": ("differs", ["2 common items, 1 only in A, 0 only in B"]),
                "truths": ("same", ["the same on all 2 common items"]),
                "prompts": ("differs", ["differ on 1 of 2 common items (50.0 %)"]),
                "completions": NONE,
            },
        ),
    ],
)  # fmt: skip
def test_what_common_items_show(one: LabelledSide, other: LabelledSide, rows: dict[str, Any]) -> None:
    assert facts(paired_sides(one, other)) == rows


def test_prompts_by_the_first_of_both_logs() -> None:
    pairs = paired_sides(side([1, 2], ["a", "b"]), side([1, 2], ["a", "b"]))
    one = SideConditions({}, {"a": "Q: a", "b": "Q: b"})
    assert facts(pairs, one, SideConditions({}, {"a": "Q: a"}))["prompts"][1] == [says.SAME_ON_ONE_SEEN]
    assert facts(pairs, one, SideConditions({}, {"a": "Q: a", "b": "q: b"}))["prompts"] == (
        "differs",
        [says.ONE_OF_TWO_SEEN],
    )


def test_questions_that_are_whole_prompts() -> None:
    """Their hashes are without case; the first prompts themselves show what is lost there."""
    pairs = paired_sides(side([1], ["a"], question=[5]), side([1], ["a"], question=[5]))
    sides = [SideConditions({}, {"a": prompt}, asked=True) for prompt in ("Q: a", "q: a", "Q: a")]
    assert facts(pairs, sides[0], sides[2])["prompts"] == ("same", [says.SAME_ON_ONE])
    assert facts(pairs, *sides[:2])["prompts"][0] == "differs"


def test_one_run_scored_twice() -> None:
    pairs = paired_sides(side([1], ["a"]), side([1], ["a"]))
    sides = [SideConditions({"scorer": {"name": name}}) for name in ("match", "includes")]
    assert facts(pairs, *sides)["completions"] == ("same", [says.SCORED_TWICE])


@pytest.mark.parametrize(
    ("one", "other", "status"),
    [
        ("lm_eval 0.4.13", "lm_eval 0.4.13", "same"),
        ("lm_eval", "lm_eval", "same"),
        ("lm_eval 0.4.13", "lm_eval 0.4.12", "differs"),
        ("lm_eval 0.4.13", "helm", "differs"),
        ("lm_eval 0.4.13", "lm_eval", "not_recorded"),
        ("lm_eval 0.4.13", None, "not_recorded"),
    ],
)
def test_harness_without_a_version(one: str | None, other: str | None, status: str) -> None:
    rows = compared([SideConditions({"harness": name}) for name in (one, other)], [])
    assert rows[0].status == status


def test_rules_that_label_alike() -> None:
    sides = [SideConditions({"scorer": {"name": name}}) for name in ("match", "exact_match")]
    row = next(row for row in compared(sides, [], alike=True) if row.name == "scorer")
    assert (row.status, list(row.values)) == ("same", ["match", says.ALIKE])
    ruled = [SideConditions(side.values, rule="lm_eval_strict_match") for side in sides]
    assert next(row for row in compared(ruled, []) if row.name == "scorer").status == "same"


ROWS = [
    ConditionRow("model", "same", ["m", "m"]),
    ConditionRow("limit", "not_recorded", ["–", "64"]),
    ConditionRow("truths", "differs", ["1 of 2"]),
    ConditionRow("task", "differs", ["a\x1b[31m", "b" * 99]),
]


def test_table() -> None:
    head, table = conditions_table(ROWS, 2)
    assert head == says.HEAD
    assert [list(row) for row in table.rows] == [
        ["truths", "differs", "1 of 2", ""],
        ["task", "differs", "a\\x1b[31m", "b" * 79 + "…"],
        ["token limit", "not recorded", "–", "64"],
    ]
    head, table = conditions_table(ROWS, 2, everything=True)
    assert (head, len(table.rows)) == (says.HEAD_OF_ALL, 4)


def test_table_of_several_sides() -> None:
    _, table = conditions_table([ConditionRow("items", "differs", ["x", "y"])], 3)
    assert [list(row) for row in table.rows] == [["items", "differs", "", "x", "y"]]


def test_one_run() -> None:
    rows = [ConditionRow("completions", "same", [""])]
    assert one_run(rows)
    assert not one_run([ConditionRow("completions", "not_recorded", [""])])


def test_a_side_that_is_a_part_of_several_logs() -> None:
    """The conditions of a model are those of its own log, not of all that were read."""
    logs = [LogConditions({"model": model, "limit": limit}) for model, limit in (("m1", 64), ("m2", 16), ("m3", 16))]
    frame = pl.DataFrame({"row.model": ["m2", "m2", "m3"]})
    assert [log.values["limit"] for log in logs_of_rows(logs, frame)] == [16, 16]
    assert [log.values["limit"] for log in logs_of_rows(logs, frame.head(0))] == [64, 16, 16]


@pytest.mark.slow
def test_a_log_that_is_gone(tmp_path: Path) -> None:
    for name, log in (("a", "base"), ("b", "limit")):
        shutil.copy(LOGS / "inspect" / f"{log}.eval", tmp_path / f"{name}.eval")
        assert run_auditfw((f"{name}.eval", f"hydra.run.dir={name}"), tmp_path).returncode in (0, 1)
    (tmp_path / "b.eval").unlink()
    done = run_auditfw(("compare", "a", "b"), tmp_path)
    assert gaps.LOG_NOT_READ_AGAIN in done.stdout


@pytest.mark.slow
def test_a_limit_that_no_log_records_is_shown_as_assumed(tmp_path: Path) -> None:
    """lm-eval's own of 256 tokens, beside a log that says 64."""
    for name in "ab":
        log = Path(WRITERS["lm_eval"](tmp_path / name))
        if name == "b":
            for file in log.parent.iterdir():
                file.write_text(file.read_text("utf-8").replace('"max_gen_toks": 64', '"until": []'), "utf-8")
    done = run_auditfw(("compare", "a/lm_eval", "b/lm_eval", "--json"), tmp_path)
    assert done.returncode == 0, done.stderr
    limit = next(row for row in json.loads(done.stdout)["conditions"] if row["name"] == "limit")
    assert (limit["status"], limit["values"]) == ("not_recorded", ["64", "256 (assumed)"])
