"""`matcher=[a,b]`: one run gives the labels of the runs with one matcher each, under names that say which."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs
import pytest
from hostile_readings import KERNELS, MATCHERS
from sentences import parsing as says

import auditfw
from auditfw.core.errors import AuditError
from auditfw.core.records import Result

pytestmark = pytest.mark.slow  # whole runs, or very many texts

PIECES = [
    *"aAbB8_*.,'\"() \n²⁹İſΣ\u0301\u200d\x85\xa0", "</think>", "</THINK>", "\nuser", "passage:", "U.S.", "1,000",
    "the answer is", "A: 8", "(B)", "#### 8", "Paris", "É", "\\boxed{8}", "8", "8.0", "b",
]  # fmt: skip
DEFAULT = ["stored+v1", "answer_v2+v1", "stored+v2", "answer_v2+v2", "after_think+v2"]
Rows = list[tuple[str, str]]


def frame(rows: Rows) -> dict[str, Any]:
    """Trials whose stored text is the end of the raw one; every second is stored as right."""
    records = [
        {"id": str(i), "raw_text": raw, "parsed_text": raw[-9:], "ground_truth": truth, "stored": i % 2}
        for i, (raw, truth) in enumerate(rows)
    ]
    return {"use": "frame", "frame": records, "nulls": {"ground_truth": []}}


def audited(rows: Rows, matcher: Any, folder: Path | None = None, **more: Any) -> Result:
    chosen = {"experiment": "answer_parsing", "source": frame(rows), "matcher": matcher, "by": [], "gate": []}
    return auditfw.run({**chosen, "engine": {"workers": 1}, **more}, folder)


def readings(result: Result) -> list[str]:
    return list(dict.fromkeys(one.reading for one in result.measurements if one.metric == "n" and not one.cell))


def hostile(n: int) -> Rows:
    """Texts and truths; every second text begins with its truth."""
    draw = random.Random(7)
    truths = ["".join(draw.choices(PIECES, k=draw.choice((1, 2)))) for _ in range(n)]
    return [
        (truth * (i % 2) + "".join(draw.choices(PIECES, k=draw.randrange(12))), truth) for i, truth in enumerate(truths)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_several_give_the_labels_of_each_alone(kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", kernel)
    rows = hostile(80)
    columns = ["id", "status", "stored", *DEFAULT]

    def labels(name: str, matcher: Any) -> pl.DataFrame:
        audited(rows, matcher, tmp_path / name, metric=["n"], audit={"verify": 1.0})
        return pl.read_parquet(tmp_path / name / "trials.parquet").select(~cs.starts_with("code.", "row."))

    alone = {matcher: labels(matcher, matcher).select(columns) for matcher in MATCHERS}
    different = {frame.drop("id").hash_rows().sum() for frame in alone.values()}
    assert len(different) > len(MATCHERS) // 2
    for several in (MATCHERS, ("exact", "containment"), ("choice", "numeric")):
        together = labels("-".join(several), list(several))
        assert together.columns == [*columns[:3], *(f"{name}+{matcher}" for matcher in several for name in DEFAULT)]
        for matcher in several:
            own = {f"{name}+{matcher}": name for name in DEFAULT}
            assert together.select(*columns[:3], *own).rename(own).equals(alone[matcher])


SOME: Rows = [("It is Paris", "Paris"), ("8", "8"), ("</think> b", "B"), ("the answer is 8", "8.0"), ("no", "Rome")]


def test_default_readings_are_read_under_each_matcher() -> None:
    assert readings(audited(SOME, ["exact", "containment"]))[1:] == [
        f"{name}+{matcher}" for matcher in ("exact", "containment") for name in DEFAULT
    ]
    grid = readings(audited(SOME, ["exact", "containment"], parser=["raw"], normalizer=["v1", "none"]))
    assert grid[1:] == ["raw+v1+exact", "raw+none+exact", "raw+v1+containment", "raw+none+containment"]
    assert readings(audited(SOME, ["exact"]))[1:] == DEFAULT


def test_the_baseline_is_that_of_the_first_matcher() -> None:
    for matchers in (["exact", "containment"], ["containment", "exact"]):
        for baseline in ({"parser": "stored", "normalizer": "v1"}, {"parser": "raw", "normalizer": "none"}):
            result = audited(SOME, matchers, audit={"baseline": baseline})
            alone = audited(SOME, matchers[0], audit={"baseline": baseline})
            [found] = [one for one in result.measurements if one.metric == "mismatches" and not one.cell]
            [wanted] = [one for one in alone.measurements if one.metric == "mismatches" and not one.cell]
            assert (found.reading, found.estimate) == (f"{wanted.reading}+{matchers[0]}", wanted.estimate)


def test_readings_are_named_with_their_matcher() -> None:
    both = ["exact", "containment"]
    picked = audited(SOME, both, audit={"readings": ["stored+v2+containment", "stored+v1+exact"]})
    assert readings(picked) == ["stored", "stored+v2+containment", "stored+v1+exact"]
    against = audited(SOME, both, audit={"reference": "stored+v1+exact"})
    assert readings(against)[:3] == ["stored+v1+exact", "stored", "answer_v2+v1+exact"]
    without = [{k: v for k, v in row.items() if k != "stored"} for row in frame(SOME)["frame"]]
    first = audited(SOME, both, source={"use": "frame", "frame": without}, audit={"baseline": None})
    assert readings(first)[0] == "stored+v1+exact"
    decided = audited(SOME * 40, both, audit={"decides": ["stored+v1+containment"]}).answer
    assert decided is not None
    assert {one.reading for one in decided.rules if one.rule == "churns"} == {"stored+v1+containment"}


@pytest.mark.parametrize(
    ("audit", "told"),
    [
        ({"readings": ["stored+v1"]}, says.NO_READING_AMONG_THOSE_CHOSEN),
        ({"reference": "stored+v1"}, says.NO_READING_DID_YOU_MEAN),
        ({"decides": ["stored+v1+exat"]}, says.NO_READING_AMONG_THOSE_CHOSEN_DID),
        ({"matcher": {"use": "math"}}, says.DIFFERS_FROM_THE_FIRST_OF),
    ],
)
def test_names_that_are_none(audit: dict[str, Any], told: str) -> None:
    with pytest.raises(AuditError) as caught:
        audited(SOME, ["exact", "containment"], audit=audit)
    assert str(caught.value).startswith(told)


def test_names_of_columns_that_the_table_has() -> None:
    with pytest.raises(AuditError, match=r"by: 'row\.item' begins like a column of trials\.parquet - write"):
        audited(SOME, "exact", by=["row.item"])
    with pytest.raises(AuditError, match=r"audit\.parsers\.text\.x: begins like a column of trials\.parquet"):
        audited(SOME, "exact", parser=[], audit={"parsers": {"text.x": {"use": "steps", "column": "raw_text"}}})


def test_settings_of_one_of_several() -> None:
    """A component twice, with settings of its own under each name."""
    letters = {"wide": {"use": "choice"}, "narrow": {"use": "choice", "letters": "A"}}
    result = audited([("b", "B")] * 3, "exact", audit={"matchers": letters}, parser=["raw"], normalizer=["v1"])
    by_name = {one.reading: one.estimate.value for one in result.measurements if one.metric == "n" and not one.cell}
    assert by_name == {"stored": 3, "raw+v1+wide": 3, "raw+v1+narrow": 0}
    assert [one for one in result.warnings if "cannot read" in one] == [says.THE_MATCHER_NARROW_CANNOT_READ]


def test_what_the_report_shows_of_matchers() -> None:
    rows = [("Paris </think> Rome", "Paris"), ("</think> Oslo", "Oslo"), ("Paris", "Paris")] * 5
    result = audited(rows, ["exact", "containment"], reports={"html": {"use": "html"}})
    sections = {one.title: one for one in result.sections}
    [curve] = [one for one in sections["Specification Curve"].blocks if hasattr(one, "choices")]
    [series, *_] = curve.series
    assert [name.split("+") for name in series.x] == [
        list(names) for names in zip(*(curve.choices[one] for one in ("parser", "normalizer", "matcher")), strict=True)
    ]
    notes = [one.text for one in sections["Think-Token Artifacts (</think>)"].blocks if hasattr(one, "text")]
    assert [one.partition(":")[0] for one in notes[1:]] == ["after_think+v2+exact", "after_think+v2+containment"]
    alone = audited(rows, "exact", reports={"html": {"use": "html"}})
    [single] = [
        one for part in alone.sections if part.title == "Specification Curve" for one in part.blocks
        if hasattr(one, "choices")
    ]  # fmt: skip
    assert list(single.choices) == ["parser", "normalizer"]


def test_one_and_two_processes_give_the_same_bytes(tmp_path: Path) -> None:
    draw = random.Random(3)
    words = ["Paris", "8", "</think>", "b", "user:", "1,000", "."]
    rows = [(" ".join(draw.choices(words, k=6)), draw.choice(["Paris", "8", "B"])) for _ in range(3_000)]
    for workers in (1, 2):
        audited(rows, ["choice", "numeric"], tmp_path / str(workers), engine={"workers": workers})
    for name in ("trials.parquet", "measurements.parquet", "result.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_all_trials_computed_again_by_the_definitions() -> None:
    result = audited(SOME * 20, list(MATCHERS), audit={"verify": 1.0})
    assert result.exit_code == 0
    assert len(readings(result)) == 1 + len(DEFAULT) * len(MATCHERS)


def test_the_rule_is_the_metric_churn() -> None:
    rows = [("yes", "yes"), ("no", "yes")] * 60 + [("yes", "yes")] * 6 + [("no", "no")] * 3
    metrics = {"churn": {"use": "churn"}}
    result = audited(rows, "exact", metrics=metrics, parser=["raw"], normalizer=["none"])
    [measured] = [one.estimate for one in result.measurements if one.metric == "churn" and not one.cell]
    assert result.answer is not None
    [rule] = [one for one in result.answer.rules if one.rule == "churns"]
    assert (rule.value, rule.low, rule.high) == (measured.value, measured.low, measured.high)
    assert (rule.bound, rule.fired) == (1.0, (measured.low or 0.0) > 1.0)
