"""Wrong answers that are right in another form, and right ones with another number: tables to check by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import polars as pl
import pytest
from sentences import parsing as says

import auditfw
from auditfw.audits.claim_report import kept_for
from auditfw.core.document import Note, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Measurement, Result
from auditfw.kinds import registry
from auditfw.kinds.registry import register

RIGHT = [(str(n), str(n)) for n in range(11, 31)]  # answer and truth
NUMBERS = [("$40", "40"), ("$41", "41"), ("42 apples", "42"), ("43 pears", "43"), ("44 kg", "44"), ("1,450", "1450")]
WRONG = [("7", "50"), ("3 apples, 8 pears", "8")]


def audited(
    pairs: Sequence[tuple[Any, Any]], *, folder: Path | None = None, others: int | None = None, **more: Any
) -> Result:
    """A run over answers and truths, two models alike; labels are those of texts that are equal.

    With `others` the second model gives so many answers, all right.
    """
    right = pairs if others is None else [(str(n), str(n)) for n in range(others)]
    rows = [
        {"id": f"{model}{i}", "item": f"q{i}", "model": model, "parsed_text": answer, "ground_truth": truth,
         "stored": int(answer == truth)}
        for model, own in (("a", pairs), ("b", right)) for i, (answer, truth) in enumerate(own)
    ]  # fmt: skip
    chosen = {"parser": ["stored"], "normalizer": ["none"], "matcher": "exact", "by": ["model"], "gate": []}
    metrics = {"metric": more.pop("metric", None) or ["n", "error_rate", "near_misses", "near_rate", "false_rights"]}
    audit = {"baseline": None, **more.pop("audit", {})}
    source = {"use": "frame", "frame": rows}
    settings = {"experiment": "answer_parsing", "source": source, **chosen, **metrics, "audit": audit, **more}
    return auditfw.run(settings, folder=None if folder is None else str(folder))


def text_of(result: Result, kind: str = "near_misses") -> list[str]:
    return [one.text for one in result.findings if one.kind == kind]


def of(result: Result, metric: str, **cell: str) -> Measurement:
    [one] = [m for m in result.measurements if (m.metric, m.reading, m.cell) == (metric, "stored", cell)]
    return one


def test_they_are_counted_by_form_and_cell() -> None:
    result = audited([*RIGHT, *NUMBERS, *WRONG])
    [finding] = [one for one in result.findings if one.kind == "near_misses"]
    assert (finding.value, finding.of, finding.effect) == (10, 56, "reported")
    assert finding.detail == {"unit": 6, "currency": 4}, "two trials are too few to count: thousands"
    assert [(count.cell, count.value) for count in finding.cells] == [({"model": "a"}, 5), ({"model": "b"}, 5)]
    assert finding.items[:2] == ["q20", "q21"]
    assert finding.points == pytest.approx(1000 / 56)
    rate = of(result, "near_rate").estimate
    assert rate.value == pytest.approx(1000 / 56)
    assert (rate.low, rate.high) == (pytest.approx(finding.low), pytest.approx(finding.high))
    assert of(result, "near_rate", model="a").estimate.value == pytest.approx(500 / 28)
    assert of(result, "near_misses").estimate.value == 10


def test_what_moves_the_error_rate_decides() -> None:
    many = [(f"${n}", str(n)) for n in range(40, 60)]
    result = audited([*RIGHT, *many])
    words = says.OF_ANSWERS_ARE_RIGHT_IN
    assert text_of(result) == [words]
    assert result.answer is not None
    assert (result.answer.status, result.answer.headline) == ("fragile", words)
    assert "matcher=forms 'audit.matcher.forms=[currency]' (accepts 40 of 40)" in result.answer.next
    scored = audited([*RIGHT, *many], matcher="forms", audit={"matcher": {"forms": ["currency"]}})
    assert text_of(scored) == [], "that reading accepts them, and decides"
    assert [one.effect for one in audited([*RIGHT, *many], audit={"decides": ["stored+none"]}).findings] == ["reported"]


def test_what_moves_the_error_rate_of_one_cell_decides() -> None:
    """8 of 200 answers of one model, and 8 of 2,000 of all: less than the margin."""
    result = audited([(f"${n}" if n < 8 else str(n), str(n)) for n in range(200)], others=1800)
    [finding] = [one for one in result.findings if one.kind == "near_misses"]
    assert (finding.value, finding.effect) == (8, "fragile")
    assert finding.text.endswith(" model = a.")


def test_few_are_said_in_a_sentence() -> None:
    assert text_of(audited([*RIGHT, ("There are eight of them", "8")], audit={"near": {"least": 2}})) == [
        says.ANSWERS_SAY_WHERE_IS_EXPECTED
    ]


def test_what_is_expected_by_chance_does_not_count() -> None:
    pairs = [*RIGHT, ("They are 1 dog and 2 cats, so 3", "2 cats"), *[("A dog and 2 cats", "cats")] * 3]
    assert audited(pairs).findings != []
    same = [("red blue green", color) for color in ("red", "blue", "green")] * 2
    assert text_of(audited(same)) == [], "each answer holds the truth of the next item as well"


def test_forms_of_a_run() -> None:
    assert text_of(audited([*RIGHT, *NUMBERS], form=["currency"]))[0].startswith("4 answers are right")
    assert [one for one in audited(RIGHT + NUMBERS, audit={"near": None}).findings if one.kind == "near_misses"] == []
    [unchecked] = [one for one in audited(RIGHT, audit={"near": None}).not_checked if one.kind == "near_misses"]
    assert unchecked.why == "audit.near is null"


@pytest.mark.parametrize(
    ("near", "words"),
    [({"trials": -1}, "expected a whole number from 0 to 100,000"), ({"least": 0}, "expected a whole number from 1"),
     ({"luck": 1.5}, "expected a number from 0 to 1"), ({"trails": 5}, "did you mean 'trials'")],
)  # fmt: skip
def test_settings_that_cannot_be(near: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        audited(RIGHT, audit={"near": near})


def test_without_any_truth_nothing_is_known() -> None:
    rows = [{"id": str(i), "parsed_text": "1", "ground_truth": None} for i in range(3)]
    source = {"use": "frame", "frame": rows}
    chosen: dict[str, Any] = {"parser": ["stored"], "normalizer": ["none"], "matcher": "exact", "by": [], "gate": []}
    chosen |= {"metric": ["near_misses"], "audit": {"baseline": None}}
    result = auditfw.run({"experiment": "answer_parsing", "source": source, **chosen})
    assert [one.estimate.undefined for one in result.measurements if one.metric == "near_misses"] == ["no truth"]


def test_a_draw_is_an_estimate() -> None:
    many = [(f"${n}", str(n)) for n in range(100, 400)]
    result = audited([*RIGHT, *many], audit={"near": {"trials": 100}})
    [text] = text_of(result)
    assert text.endswith(says.OF_WRONG_ANSWERS_WERE_EXAMINED)
    rate = of(result, "near_rate").estimate
    assert rate.value is not None
    assert 80 < rate.value <= 100
    assert rate.counted < 640


def test_the_table_of_a_run(tmp_path: Path) -> None:
    result = audited([*RIGHT, *NUMBERS, *WRONG], folder=tmp_path)
    table = pl.read_parquet(tmp_path / "near.parquet")
    assert table.columns == ["id", "item", "model", "form", "counted", "answer", "truth", "place"]
    listed = table.filter(pl.col("id").str.starts_with("a")).select("id", "form", "counted", "answer", "truth").rows()
    assert ("a22", "unit", True, "42 apples", "42") in listed
    assert ("a27", "last_loose", False, "3 apples, 8 pears", "8") in listed
    [section] = [one for one in result.sections if one.title == "Answers That Are Right in Another Form"]
    assert section.blocks == [
        Table(
            ["form", "answers", "a", "b", "by chance", "example"],
            [["unit", "6", "3", "3", "0.0", "43 pears → 43"], ["currency", "4", "2", "2", "0.0", "$40 → 40"]],
            "<>>>><",
        ),
        Note("Not counted: last_loose 2, thousands 2."),
    ]


def test_how_many_are_expected_by_chance() -> None:
    """Two answers of each model are the truth of the next item; 10 of 50 answers are wrong: 4 x 10 / 50."""
    result = audited([*RIGHT, *NUMBERS[:2], ("$61", "60"), ("$62", "61"), ("$60", "62")], audit={"near": {"luck": 1.0}})
    [section] = [one for one in result.sections if one.title == "Answers That Are Right in Another Form"]
    [table] = section.blocks
    assert isinstance(table, Table)
    assert table.rows == [["currency", "4", "2", "2", "0.8", "$40 → 40"]]


def test_right_answers_with_another_number() -> None:
    pairs = [*RIGHT, *[(f"5 and {n}, so {n + 1}", str(n)) for n in range(41, 51)], ("41 or 42", "41")]
    result = audited(pairs, matcher="substring")
    words = says.STORED_NONE_CALLS_ANSWERS_RIGHT
    assert text_of(result, "false_rights") == [words]
    [rate] = [m.estimate for m in result.measurements if m.metric == "false_rights"]
    assert rate.value == pytest.approx(2200 / 62)
    assert text_of(audited(RIGHT), "false_rights") == []


def test_a_very_long_truth_and_options() -> None:
    assert text_of(audited([*RIGHT, ("x" * 100, "x" * 500_000), ("", " "), ("1", ["2", "3"])])) == []
    both = [("$12", ["11", "12"]), ("$13", ["13", "x"]), ("$14", ["14"])]
    assert text_of(audited([*RIGHT, *both]))[0].startswith(says.ANSWERS_ARE_RIGHT_IN_ANOTHER)


@pytest.fixture
def forms_of_others() -> Iterator[None]:
    """A form that knows a text from its end, and one that fails."""

    @register("form", "reversed")
    @dataclass(frozen=True)
    class Reversed:
        """The text from its end."""

        kinds: ClassVar[tuple[str, ...]] = ("text",)
        counts: ClassVar[bool] = True

        def value(self, text: str) -> str:
            return min(text, text[::-1])

    @register("form", "failing")
    @dataclass(frozen=True)
    class Failing:
        """Always fails."""

        kinds: ClassVar[tuple[str, ...]] = ("text",)
        counts: ClassVar[bool] = True

        def value(self, text: str) -> str:
            raise ValueError(text)

    yield
    for name in ("reversed", "failing"):
        registry._entries.pop(("form", name))


@pytest.mark.usefixtures("forms_of_others")
def test_forms_of_others(tmp_path: Path) -> None:
    cities = [("emoR", "Rome"), ("siraP", "Paris"), ("nodnoL", "London")]
    assert text_of(audited([*RIGHT, *cities], form=["reversed"]))[0].startswith("6 answers are right")
    audited([*RIGHT, *cities], form=["failing"], folder=tmp_path)
    assert pl.read_parquet(tmp_path / "near.parquet")["form"].to_list() == ["error"] * 6


REWRITTEN = {
    "thousands": "{0:,}", "currency": "${0}", "unit": "{0} apples", "zeros": "{0}.00", "percent": "{0}%",
    "exponent": "{0}e0", "decimal_comma": "{0},0",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", REWRITTEN)
def test_planted_forms_are_found(form: str) -> None:
    rng = Random(form)
    numbers = [rng.randrange(1_000, 100_000) for _ in range(1_000)]
    pairs = [(REWRITTEN[form].format(n) if i < 20 else str(n), str(n)) for i, n in enumerate(numbers)]
    [finding] = [one for one in audited(pairs).findings if one.kind == "near_misses"]
    assert finding.value == 40
    assert finding.effect == "fragile"


@pytest.mark.slow
def test_truths_of_other_items_are_no_near_misses() -> None:
    for seed in range(40):
        rng = Random(seed)
        numbers = [rng.choice([rng.randrange(2, 30), rng.randrange(30, 3_000)]) for _ in range(200)]
        answers = [f"So that makes {n} in all" if rng.random() < 0.5 else f"{n:,} dollars" for n in numbers]
        pairs = list(zip(answers, [str(n) for n in numbers[1:] + numbers[:1]], strict=True))
        assert [one.effect for one in audited([*RIGHT, *pairs]).findings if one.kind == "near_misses"] in (
            [], ["reported"],
        )  # fmt: skip


def test_its_rate_is_worked_out_where_a_metric_asks() -> None:
    assert kept_for({"share": auditfw.load("metric", "near_rate")}, {}) == {"near"}
    asked, other = (audited([*RIGHT, *NUMBERS], metric=metrics) for metrics in (["near_rate"], ["near_misses"]))
    assert {m.metric for m in asked.measurements} == {"near_rate"}
    assert asked.findings == other.findings
