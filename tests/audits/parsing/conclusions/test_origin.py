"""Which rule gave the stored labels: made-up labels of known rules, of none, of one value, of a judge."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from running import run_auditfw
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.conclusions.origin import labelled_in, missed_by
from auditfw.audits.parsing.table import BatchLabels, LabelTable, NumberedColumn
from auditfw.config.schema import load
from auditfw.core.document import Note, Table
from auditfw.core.errors import AuditError
from auditfw.core.records import Result

pytestmark = pytest.mark.slow  # whole runs, or very many texts

TITLE = "Which Rule Produced the Labels"
FALSE, TRUE, UNDEFINED, MISSING, BLANK, ERROR = range(6)


def texts(n: int) -> list[dict[str, Any]]:
    """Completions in several styles, some right and some wrong, whose answers are letters or numbers."""
    random = Random(5)
    rows: list[dict[str, Any]] = []
    for i in range(n):
        truth = str(random.randrange(2, 60)) if i % 2 else random.choice("ABCD")
        answer = truth if random.random() < 0.6 else (str(random.randrange(2, 60)) if i % 2 else random.choice("ABCD"))
        before, shown = random.randrange(100), f"{answer}." if i % 5 == 0 else answer
        styles = [
            f"I start with {before}.\nSo the answer is {shown}",
            f"{shown}\nbecause {before} is less",
            f"Let me see: {before}\n{shown}",
            f"Answer: {shown}",
            f"The answer is {shown}\nI am sure of it {before} times",
        ]
        raw = styles[random.randrange(len(styles))]
        rows.append(
            {"id": f"t{i:05}", "raw_text": raw, "ground_truth": truth, "item": f"q{i}", "cell": "ab"[i % 3 % 2]}
        )
    return rows


def labelled(rows: list[dict[str, Any]], parser: str, normalizer: str, matcher: str) -> list[dict[str, Any]]:
    """The rows with the stored labels that a rule gives them; what it gives none has none."""
    parse, normalise, match = load("parser", parser), load("normalizer", normalizer), load("matcher", matcher)
    return [{**row, "stored": label_by(row, parse, normalise, match)} for row in rows]


def label_by(row: dict[str, Any], parse: Callable[..., str], normalise: Callable[..., str], match: Any) -> int | None:
    answer = parse(row["raw_text"])
    label = bool(answer) and match(normalise(answer), normalise(row["ground_truth"]))
    return None if label is None else int(label)


def audited(rows: Sequence[dict[str, Any]], **more: Any) -> Result:
    chosen = {"parser": ["raw", "first_line"], "normalizer": ["none"], "matcher": "containment", "by": [], "gate": []}
    audit = {"baseline": {"parser": "raw", "normalizer": "none"}, **more.pop("audit", {})}
    metrics = {"metric": ["n", "mismatches", "unreproduced"]}
    source = {"use": "frame", "frame": list(rows)}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, **metrics, "audit": audit, **more})


def notes(result: Result) -> list[str]:
    blocks = next((section.blocks for section in result.sections if section.title == TITLE), [])
    return [block.text for block in blocks if isinstance(block, Note)]


def best(result: Result) -> list[Sequence[str]]:
    [section] = [section for section in result.sections if section.title == TITLE]
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    return list(table.rows)


def ties(result: Result) -> str:
    return next(text for text in notes(result) if text.startswith("These rules give"))


def fired(result: Result) -> list[str]:
    assert result.answer is not None
    return [rule.rule for rule in result.answer.rules if rule.fired]


def value(result: Result, metric: str) -> float | None:
    [measurement] = [m for m in result.measurements if m.metric == metric and not m.cell]
    return measurement.estimate.value


@pytest.mark.parametrize(
    ("parser", "normalizer", "matcher"),
    [
        ("last_line", "none", "exact"),
        ("choice_letter", "none", "exact"),
        ("answer_is", "v1", "exact"),
        ("last_number", "none", "numeric"),
        ("first_word", "casefold", "prefix"),
        ("last_line", "none", "choice"),
        ("first_line", "none", "containment"),
    ],
)
def test_the_rule_that_made_the_labels(parser: str, normalizer: str, matcher: str) -> None:
    """What is named first gives the same labels by the definitions, trial by trial, and is what the answer names."""
    rows = [row for row in labelled(texts(300), parser, normalizer, matcher) if row["stored"] is not None]
    result = audited(rows)
    assert value(result, "unreproduced") == 0
    assert value(result, "mismatches") != 0  # that of the configured baseline
    name, agreed, of, _ = best(result)[0][1:]
    first, second, third = [*name.split("+"), "containment"][:3]
    assert (agreed, of) == (str(len(rows)), str(len(rows)))
    assert labelled(rows, first, second, third) == rows
    assert result.answer is not None
    [reason] = [
        reason for reason in result.answer.because if reason.startswith(f"{name} reproduces all {of} stored labels")
    ]
    typed = f"'audit.baseline={{parser: {first}, normalizer: {second}}}'"
    assert typed not in reason  # it is said once, as the next step
    typed += f" matcher={third}" if name.count("+") > 1 else ""
    if all(truth in "ABCD" for truth in (row["ground_truth"] for row in rows)):  # letters: by containment none is sound
        assert result.answer.next.startswith("Add sound readings: ")
        assert " audit.baseline=search; " in result.answer.next
    else:
        assert result.answer.next == says.RUN_AGAIN_WITH_THE_RULE.format(typed)
    assert not {"other_labels", "no_rule"} & set(fired(result))


def test_what_the_answer_says_to_type_has_no_mismatch() -> None:
    rows = labelled(texts(300), "last_line", "none", "exact")
    rule = best(audited(rows))[0][1].split("+")
    again = audited(rows, matcher=rule[2], audit={"baseline": {"parser": rule[0], "normalizer": rule[1]}})
    assert (value(again, "mismatches"), value(again, "unreproduced")) == (0, 0)
    assert not notes(again)


def test_ties_are_in_the_order_listed_the_run_s_own_first() -> None:
    rows = labelled(texts(300), "first_line", "none", "exact")
    result = audited(rows, parser=["raw", "first_line"], matcher="containment")
    assert best(result)[0][1:3] == ["first_line+none+exact", "300"]
    assert ties(result).startswith(says.THESE_RULES_GIVE_IDENTICAL_LABELS)
    count = next(text for text in notes(result) if "rules tried reproduce" in text)
    assert int(count.split(" of ")[0]) > 1
    assert count.endswith("reproduce all 300 labels.")


def test_a_reading_of_the_run_comes_before_its_parser_under_another_matcher() -> None:
    """The first parser gives the labels under a matcher that is not the run's, the second one under the run's."""
    rows = labelled(texts(300), "last_line", "none", "exact")
    result = audited(rows, parser=["raw", "last_line"], matcher="exact", audit={"near": None})
    assert result.answer is not None
    assert result.answer.next.endswith("baseline: 'audit.baseline={parser: last_line, normalizer: none}'")


@pytest.mark.parametrize("baseline", [{"parser": "raw", "normalizer": "none"}, "search"])
def test_a_reading_that_needs_a_column_gives_all_labels(baseline: Any) -> None:
    """Such rules are not tried, but a reading of the run is known to give them."""
    options = ["red apple", "green pear", "blue plum", "white fig"]
    pairs = [(i % 4, (i // 4 + i % 3) % 4) for i in range(60)]
    rows = [
        {"id": str(i), "raw_text": f"The {options[said]}.", "choices": options, "ground_truth": "ABCD"[truth]}
        for i, (truth, said) in enumerate(pairs)
    ]
    rows = [{**row, "stored": int(truth == said)} for row, (truth, said) in zip(rows, pairs, strict=True)]
    result = audited(rows, parser=["raw", "choice_text"], matcher="exact", audit={"baseline": baseline})
    assert result.answer is not None
    assert "no_rule" not in fired(result)
    assert best(result)[0][1:3] == ["choice_text+none", "60"]
    assert value(result, "unreproduced") == 0
    if baseline != "search":
        assert result.answer.because[0] == says.CHOICE_TEXT_NONE_REPRODUCES_ALL
        assert "'audit.baseline={parser: choice_text, normalizer: none}'" in result.answer.next
    again = audited(
        rows,
        parser=["raw", "choice_text"],
        matcher="exact",
        audit={"baseline": {"parser": "choice_text", "normalizer": "none"}},
    )
    assert value(again, "mismatches") == 0


def test_noise_is_the_best_of_all_and_sets_nothing() -> None:
    rows = labelled(texts(400), "last_line", "none", "exact")
    for row in rows[::50]:
        row["stored"] = 1 - row["stored"]
    result = audited(rows)
    assert value(result, "unreproduced") == 8
    assert best(result)[0][1:] == ["last_line+none+exact", "392", "400", "98.00"]
    assert any(text.startswith("Best of ") and text.endswith("392 of 400 labels.") for text in notes(result))
    assert result.answer is not None
    [rule] = [rule for rule in result.answer.rules if rule.rule == "no_rule"]
    assert (rule.value, rule.bound, rule.fired) == (2.0, 1.0, (rule.low or 0) > 1)
    written = audited(rows, audit={"baseline": "search"})
    [mismatches] = [m for m in written.measurements if m.metric == "mismatches" and not m.cell]
    assert (mismatches.reading, mismatches.estimate.value) == ("search", None)
    assert (mismatches.estimate.undefined or "").endswith("rules tried, 392 of 400 labels")
    assert value(written, "unreproduced") == 8


def test_labels_of_no_rule_are_broken() -> None:
    random = Random(1)
    rows = [{**row, "stored": int(random.random() < 0.5)} for row in texts(300)]
    result = audited(rows)
    assert result.answer is not None
    assert result.answer.status == "broken"
    missed = value(result, "unreproduced")
    assert missed is not None
    assert f"misses {missed:.0f} of 300 ({missed / 3:.1f} %)" in result.answer.headline
    assert "audit.labels=judge" in result.answer.next
    [rule] = [rule for rule in result.answer.rules if rule.rule == "no_rule"]
    assert (rule.bound, rule.value) == (1.0, pytest.approx(missed / 3))
    assert rule.low is not None
    assert rule.low > 1
    allowed = audited(rows, audit={"mismatch": 90})
    assert "no_rule" not in fired(allowed)


def test_the_interval_of_what_is_missed_is_by_item() -> None:
    """Wrong labels of one question of thirty are one accident: they could be none."""
    rows = labelled(texts(300), "last_line", "none", "exact")
    for i, row in enumerate(rows):
        row["item"] = f"q{i // 10}"
        row["stored"] = 1 - row["stored"] if i < 10 else row["stored"]
    apart = [{name: one for name, one in row.items() if name != "item"} for row in rows]
    lows = []
    for given in (rows, apart):
        answer = audited(given).answer
        assert answer is not None
        [rule] = [rule for rule in answer.rules if rule.rule == "no_rule"]
        lows.append((rule.low, rule.fired))
    assert lows[0][0] < lows[1][0]
    assert [fires for _, fires in lows] == [False, True]


def test_the_labels_of_a_judge_are_not_searched() -> None:
    random = Random(1)
    rows = [{**row, "stored": int(random.random() < 0.5)} for row in texts(300)]
    result = audited(rows, audit={"labels": "judge"})
    assert not notes(result)
    assert not {"no_rule", "other_labels"} & set(fired(result))
    [measurement] = [m for m in result.measurements if m.metric == "unreproduced"]
    assert (measurement.estimate.value, measurement.estimate.undefined) == (None, "nothing was searched")
    written = audited(rows, audit={"labels": "judge", "baseline": "search"})
    assert notes(written)
    assert "no_rule" not in fired(written)


def test_no_reading_of_strings_decides_over_a_judge_that_is_not_named() -> None:
    """A judge may be right where no string is equal; a reading that gives all its labels is said."""
    rows = [{**row, "stored": 1 - number % 2} for number, row in enumerate(texts(60))]
    result = audited(rows, audit={"labels": "judge"})
    assert result.answer is not None
    assert (result.answer.status, result.answer.headline) == (
        "unknown", says.THE_LABELS_ARE_A_JUDGES,
    )  # fmt: skip
    assert says.JUDGE_DOES_NOT_COMPARE_STRINGS in result.answer.because[0]
    reading = "first_line+none"
    named = audited(rows, audit={"labels": "judge", "decides": [reading]})
    assert named.answer is not None
    assert named.answer.status == "fragile"
    other = audited(rows, audit={"labels": "judge", "reference": reading})
    assert other.answer is not None
    assert "judge's" not in other.answer.headline
    same = audited(labelled(texts(60), "raw", "none", "containment"), audit={"labels": "judge", "baseline": None})
    assert same.answer is not None
    assert same.answer.because == [says.RAW_NONE_GIVES_ALL_OF]


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_value_tell_nothing(label: int) -> None:
    rows = [{**row, "stored": label} for row in texts(100)]
    result = audited(rows)
    assert "any rule may fit" in notes(result)[-1]
    assert "no_rule" not in fired(result)
    assert result.answer is not None
    assert "no rule is known" not in result.answer.scope
    assert value(result, "unreproduced") is None


def test_a_rule_of_one_label_does_not_count() -> None:
    """All labels but one are wrong: a rule that is always wrong misses that one, and is none."""
    rows = [{**row, "stored": int(i == 7)} for i, row in enumerate(texts(200))]
    result = audited(rows)
    missed = value(result, "unreproduced")
    assert missed is not None
    assert missed > 1


@pytest.mark.parametrize(
    ("few", "reading", "words", "of_all"),
    [
        (1, "last_number", says.OF_ANSWERS_IS_STORED_AS, "0.3"),
        (20, "last_number", says.OF_ANSWERS_ARE_STORED_AS, "5.0"),
        (-1, "last_number", says.OF_ANSWERS_IS_STORED_AS_WRONG, "0.3"),
        (
            1,
            "boxed",
            says.OF_ANSWERS_IS_STORED_AS_RIGHT,
            "0.3",
        ),
    ],
)
def test_a_best_rule_that_is_no_better_than_a_constant(few: int, reading: str, words: str, of_all: str) -> None:
    """Nearly all labels are equal: the best rule misses more of them than always right or always wrong does."""
    rows = texts(400)
    rows = [{**row, "stored": int(i < few) if few > 0 else int(i >= -few)} for i, row in enumerate(rows)]
    search, metrics = {"baseline": "search"}, ["flips_to_true", "flips_to_false"]
    result = audited(rows, parser=[reading], matcher="numeric", audit=search, metric=metrics)
    assert result.answer is not None
    assert result.answer.status == "broken"
    side = "flips_to_true" if few > 0 else "flips_to_false"
    [further] = [m.estimate.value for m in result.measurements if m.metric == side and m.reading == f"{reading}+none"]
    assert result.answer.headline == words.format(f"{further:.0f}")
    label, given = ("wrong" if few > 0 else "right"), 400 - abs(few)
    assert result.answer.because[0].endswith(f"; calling all {label} does on {of_all} %.")
    assert says.OF_LABELS_CALLING_ALL_GIVES.format(label, given) in result.answer.scope
    if further:
        assert result.answer.next.endswith(says.TO_COMPARE_WITH_A_READING.format(reading))
        search["reference"] = f"{reading}+none"
        other = audited(rows, parser=[reading], matcher="numeric", audit=search)
        assert other.answer is not None
        assert other.answer.headline.endswith(says.NO_RULE_TRIED_EXPLAINS_MORE)


def test_without_a_baseline_nothing_is_searched_unless_it_is_written() -> None:
    rows = labelled(texts(200), "last_line", "none", "exact")
    result = audited(rows, audit={"baseline": None})
    assert not notes(result)
    assert [m for m in result.measurements if m.metric in ("mismatches", "unreproduced")] == []
    written = audited(rows, audit={"baseline": "search"}, by=["cell"])
    [first, *_] = best(written)
    mismatches = [m for m in written.measurements if m.metric == "mismatches"]
    assert {m.reading for m in mismatches} == {first[1]}
    assert [(m.estimate.value, m.estimate.counted) for m in mismatches] == [(0, 200), (0, 133), (0, 67)]
    other = audited(rows, audit={"baseline": "search", "reference": "raw+none"}, by=["cell"])
    assert [m.estimate for m in other.measurements if m.metric == "mismatches"] == [m.estimate for m in mismatches]


def test_a_baseline_whose_text_is_not_there_is_searched() -> None:
    rows = labelled(texts(200), "last_line", "none", "exact")
    result = audited(rows, audit={"baseline": {"parser": "stored", "normalizer": "v1"}}, gate=["baseline_reproduces"])
    assert value(result, "unreproduced") == 0
    assert [m.reading for m in result.measurements if m.metric == "unreproduced"] == ["search"]
    assert says.GATE_BASELINE_REPRODUCES_LEFT_OUT in result.warnings


def test_a_baseline_that_gives_all_labels_is_not_searched() -> None:
    rows = labelled(texts(200), "raw", "none", "containment")
    result = audited(rows)
    assert (value(result, "mismatches"), value(result, "unreproduced")) == (0, 0)
    assert not notes(result)


def test_the_gate_on_a_search_that_ends_without_a_rule_is_open() -> None:
    rows = [{**row, "stored": int(i % 3 == 0)} for i, row in enumerate(texts(120))]
    result = audited(rows, audit={"baseline": "search"}, gate=["baseline_reproduces"])
    assert [gate.status for gate in result.gates] == ["inconclusive"]
    solved = audited(
        labelled(texts(120), "last_line", "none", "exact"), audit={"baseline": "search"}, gate=["baseline_reproduces"]
    )
    assert [gate.status for gate in solved.gates] == ["pass"]


def test_the_truth_is_read_as_configured() -> None:
    rows = labelled(texts(200), "last_number", "none", "numeric")
    rows = [
        {**row, "ground_truth": f"a long way\n#### {row['ground_truth']}"} for row in rows if row["stored"] is not None
    ]
    result = audited(rows, audit={"truth": "last_line", "baseline": "search"}, normalizer=["lm_eval_strict_match"])
    assert value(result, "unreproduced") == 0


@pytest.mark.parametrize(
    ("audit", "words"),
    [
        ({"baseline": "serch"}, says.OR_SEARCH_GOT_DID_YOU),
        ({"baseline": "inspect_matc"}, says.NO_SCORER_NAMED_DID_YOU),
        ({"baseline": "search", "reference": "baseline"}, says.A_BASELINE_THAT_IS_SEARCHED),
        ({"labels": "human"}, says.EXPECTED_RULE_OR_JUDGE_GOT),
        ({"baseline": {"parser": "nope", "normalizer": "v1"}}, "no parser named 'nope'"),
    ],
)
def test_settings_that_cannot_be(audit: dict[str, Any], words: str) -> None:
    with pytest.raises(AuditError) as raised:
        audited(labelled(texts(4), "raw", "none", "exact"), audit=audit)
    assert raised.value.exit_code == 2
    assert words in str(raised.value)


def test_a_column_without_any_label_is_as_none(tmp_path: Path) -> None:
    rows = [{**row, "stored": None if i % 2 else ""} for i, row in enumerate(texts(40))]
    result = audited(rows, metric=["flips", "n"])
    assert [m.reading for m in result.measurements if m.metric == "n"] == ["raw+none", "first_line+none"]
    why = says.NO_ROW_HAS_A_VALUE
    assert says.READINGS_ARE_COMPARED_WITH_RAW.format(why) in result.warnings
    asked = audited(rows, metric=["flips", "n"], audit={"reference": "stored"})
    [flips] = [m for m in asked.measurements if m.metric == "flips" and m.reading == "first_line+none"]
    assert flips.estimate.value is None
    rows[-1]["stored"] = 1  # one label is enough for a reference
    assert next(m.reading for m in audited(rows, metric=["n"]).measurements) == "stored"


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_auditfw(words, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("origin")
    rows = labelled(texts(5_000), "last_line", "none", "exact")
    (place / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return place


FILES = ("result.json", "report.md", "measurements.parquet")
OWN = (
    "source=jsonl",
    "source.path=mine.jsonl",
    "parser=[raw,first_line]",
    "matcher=containment",
    "gate=[]",
    "by=[cell]",
)


def test_any_number_of_workers_gives_the_same_bytes(folder: Path) -> None:
    whole = []
    for workers in (1, 2):
        words = (f"engine.workers={workers}", "+metrics.unreproduced.use=unreproduced")
        done = command(folder, *OWN, *words, f"hydra.run.dir=w{workers}")
        assert done.returncode == 0, done.stderr
        whole.append([(folder / f"w{workers}" / name).read_bytes() for name in FILES])
    assert whole[0] == whole[1]
    assert TITLE.encode() in whole[0][1]
    assert b"unreproduced" in whole[0][0]


@pytest.mark.slow
def test_the_jobs_of_a_sweep_search_as_they_would_alone(folder: Path) -> None:
    swept = ("audit.baseline=search", "normalizer=[none],[v1],[casefold]")
    done = command(folder, "-m", *OWN, *swept, "hydra.sweep.dir=swept")
    assert done.returncode == 0, done.stderr
    alone = command(folder, *OWN, "audit.baseline=search", "normalizer=[v1]", "hydra.run.dir=alone")
    assert alone.returncode == 0, alone.stderr
    both = [json.loads((folder / name / "result.json").read_text("utf-8")) for name in ("swept/1", "alone")]
    assert both[0] == both[1]
    [mismatches] = [m for m in both[0]["measurements"] if m["metric"] == "mismatches"]
    assert (mismatches["value"], mismatches["counted"]) == (0.0, 5_000)


def test_where_there_is_no_text_no_rule_can_be_tried() -> None:
    rows = [{"id": str(i), "ground_truth": "a", "stored": i % 2} for i in range(20)]
    result = audited(rows, parser=["stored"], audit={"baseline": "search"})
    assert says.THERE_IS_NO_TEXT_THAT in notes(result)[-1].lower()
    assert value(result, "unreproduced") is None
    assert result.answer is not None
    assert result.answer.scope.startswith(says.RULE_BEHIND_THE_STORED_LABELS_THERE)


def test_check_says_nothing_of_a_search_and_reads_the_published_table(folder: Path) -> None:
    (folder / "table.csv").write_text("cell,n\na,1\nb,2\n", "utf-8")
    words = ("audit.baseline=search", "audit.published={path: table.csv}")
    done = command(folder, "check", *OWN, *words)
    assert done.returncode == 0, done.stderr
    assert "published figures: 2 rows" in done.stdout
    assert "mismatches" not in done.stdout
    gone = command(folder, "check", *OWN, "audit.published={path: gone.csv}")
    assert (gone.returncode, gone.stderr.count("\n")) == (3, 1)


def test_counts_of_stored_labels() -> None:
    stored = [TRUE, TRUE, TRUE, FALSE, FALSE, *[MISSING] * 4, TRUE]
    codes = [TRUE, TRUE, BLANK, UNDEFINED, MISSING, *[TRUE] * 4, ERROR]
    table = LabelTable()
    table.take(BatchLabels([bytes(stored), bytes(codes)], NumberedColumn.of([("a",)] * 9 + [("b",)])))
    assert labelled_in(table) == (4, 2)
    assert missed_by(table, 0) == 3  # a blank, one without a label, one that failed; an undefined truth is wrong
    assert missed_by(table, -1) == 0
