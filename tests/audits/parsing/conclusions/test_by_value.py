"""A baseline with a rule for each value of a column: labels of two made-up scorers, each with its own rule."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from running import Command
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.engine.grid import Baseline, BaselineRule
from auditfw.core.document import Table
from auditfw.core.errors import AuditError, DataError, UsageError
from auditfw.core.records import Measurement, Result
from auditfw.kinds.capabilities import Named

LAST = {"parser": "last_line", "normalizer": "none"}
FIRST = {"parser": "first_line", "normalizer": "none"}
RULES = {"last": LAST, "first": FIRST}
TEXTS = ("A\nB", "B\nA", "A\nA", "B\nB")  # the truth is A


def rows(n: int = 24, values: Sequence[str] = ("last", "first")) -> list[dict[str, Any]]:
    """Every text under every value, with the label of the value's rule; item and place say nothing."""
    made = []
    for i in range(n):
        text, value = TEXTS[i % 4], values[i // 4 % len(values)]
        lines = text.split("\n")
        label = int(lines[0 if value == "first" else -1] == "A")
        made.append({"id": f"t{i}", "raw_text": text, "ground_truth": "A", "stored": label, "scorer": value})
    return made


def audited(trials: Sequence[dict[str, Any]], rules: Any = None, **more: Any) -> Result:
    chosen = {"parser": ["raw", "first_line"], "normalizer": ["none"], "matcher": "exact", "by": []}
    audit = {"verify": 1.0, "baseline": {"by": "scorer", "rules": rules or RULES}, **more.pop("audit", {})}
    metrics = {"metric": ["n", "error_rate", "flips", "mismatches", "unreproduced"]}
    source = {"use": "frame", "frame": list(trials)}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, **metrics, "audit": audit, **more})


def of(result: Result, metric: str, reading: str = "baseline") -> Measurement:
    [one] = [m for m in result.measurements if (m.metric, m.reading) == (metric, reading) and not m.cell]
    return one


def reasons(result: Result) -> list[str]:
    assert result.answer is not None
    return list(result.answer.because)


def test_every_row_is_reproduced_by_the_rule_of_its_value() -> None:
    result = audited(rows())
    for metric in ("mismatches", "unreproduced"):
        assert (of(result, metric).estimate.value, of(result, metric).estimate.counted) == (0, 24)
    assert [(gate.name, gate.status) for gate in result.gates] == [("baseline_reproduces", "pass")]
    assert of(result, "flips", "first_line+none").estimate.value == 6  # of the 12 rows of last: A\nB and B\nA
    assert result.warnings == []
    assert result.answer is not None
    scope = says.RULE_BEHIND_THE_STORED_LABELS
    assert result.answer.scope.startswith(scope)


def test_neither_rule_alone_would_do() -> None:
    for rule in RULES.values():
        assert audited(rows(), audit={"baseline": {**rule, "by": None, "rules": None}}).gates[0].status == "fail"


def test_the_value_that_is_not_reproduced_is_named_with_the_rule_that_gives_its_labels() -> None:
    result = audited(rows(), {"last": LAST, "first": {"parser": "raw", "normalizer": "none"}})
    # every row of first whose first line is A: two of four
    assert (of(result, "mismatches").estimate.value, of(result, "mismatches").estimate.counted) == (6, 24)
    assert of(result, "unreproduced").estimate.value == 0
    assert result.gates[0].status == "fail"
    [reason] = [text for text in reasons(result) if text.startswith("Where scorer is ")]
    assert reason == says.WHERE_SCORER_IS_FIRST_ITS
    [section] = [one for one in result.sections if one.title == "Stored-Label Consistency Check"]
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert table.rows == [["last", "last_line+none", "12", "12", "0"], ["first", "raw+none", "12", "12", "6"]]
    assert result.answer is not None
    assert "no rule is known" not in result.answer.scope  # the probe takes the rule that was found


def test_a_value_whose_labels_are_nearly_all_equal() -> None:
    trials = rows(400)
    first = [row for row in trials if row["scorer"] == "first"]
    for i, row in enumerate(first):
        row["stored"] = int(i == 7)
    result = audited(trials)
    assert result.answer is not None
    assert result.answer.headline == says.WHERE_SCORER_IS_FIRST_OF
    assert result.answer.because[-1].endswith(says.CALLING_ALL_WRONG_DOES_ON)


def test_a_value_that_no_rule_gives_breaks_the_labels() -> None:
    trials = rows(400)
    for i, row in enumerate(trials):
        if row["scorer"] == "first":
            row["stored"] = int(i * 7919 % 97 < 48)  # whatever the text
    result = audited(trials)
    assert result.answer is not None
    assert result.answer.status == "broken"
    assert result.answer.headline.startswith(says.NO_RULE_REPRODUCES_THE_STORED)
    assert len(result.answer.headline) <= 140
    assert [rule.cell for rule in result.answer.rules if rule.rule == "no_rule"] == [{"scorer": "first"}]
    missed = of(result, "unreproduced").estimate.value
    assert missed is not None
    assert 0 < missed < 200


def test_a_judge_is_not_searched() -> None:
    result = audited(rows(), {"last": LAST, "first": LAST}, audit={"labels": "judge"})
    assert reasons(result)[0] == says.WHERE_SCORER_IS_FIRST_ITS_RULE
    assert of(result, "unreproduced").estimate.undefined == says.SCORER_FIRST_NOTHING_WAS_SEARCHED


def test_rows_whose_value_has_no_rule_are_counted_and_never_labelled() -> None:
    trials = rows()
    for row in trials[:5]:
        row["scorer"] = "judge" if row["id"] != "t4" else None
        row["stored"] = 1 - row["stored"]
    result = audited(trials)
    assert result.counts == {"read": 24, "audited": 19, "no_rule": 5}
    assert (of(result, "mismatches").estimate.value, of(result, "mismatches").estimate.counted) == (0, 19)
    warning = says.ROWS_NOT_AUDITED_NO_RULE
    assert result.warnings == [warning]


def test_a_rule_for_no_row_is_warned_of() -> None:
    result = audited(rows(), {**RULES, "lats": LAST})
    assert result.warnings == [says.NO_AUDITED_ROW_HAS_THE]


def test_values_that_are_no_texts() -> None:
    trials = [{**row, "scorer": {"last": 1.5, "first": True}[row["scorer"]]} for row in rows()]
    assert of(audited(trials, {1.5: LAST, True: FIRST}), "mismatches").estimate.value == 0


def test_the_baseline_as_the_reference_is_that_of_each_row() -> None:
    trials = [{key: value for key, value in row.items() if key != "stored"} for row in rows()]
    result = audited(trials, audit={"reference": "baseline"}, gate=[])
    assert of(result, "error_rate").estimate.value == 50
    assert of(result, "flips", "first_line+none").estimate.value == 6
    with_labels = audited(rows(), audit={"reference": "baseline"})
    assert of(with_labels, "flips", "stored").estimate.value == 0
    assert of(with_labels, "mismatches").estimate.value == 0


def test_without_stored_labels_it_is_the_reference_by_itself() -> None:
    trials = [{key: value for key, value in row.items() if key != "stored"} for row in rows()]
    assert of(audited(trials, gate=[]), "error_rate").estimate.value == 50


def test_rules_with_matchers_and_settings_of_their_own() -> None:
    trials = rows()
    for row in trials:
        if row["scorer"] == "first":
            row["raw_text"] = f"So #{row['raw_text'][0]}# is it"
    caught = {"use": "steps", "steps": [{"use": "capture", "pattern": "#(.)#"}]}
    rules = {"last": LAST, "first": {"parser": caught, "normalizer": "casefold", "matcher": "numeric"}}
    result = audited(trials, rules)
    assert of(result, "mismatches").estimate.missing == 12  # letters are no numbers
    [warning] = result.warnings
    assert warning.startswith(says.THE_MATCHER_OF_CANNOT_READ)
    rules["first"]["matcher"] = "containment"
    result = audited(trials, rules, parser=["raw", "stored"], audit={"keep_text": True})
    assert of(result, "mismatches").estimate.value == 0


def test_causes_and_the_probe_go_by_the_rule_of_each_row() -> None:
    trials = [{**row, "item": row["id"], "ground_truth": "A"} for row in rows(80)]
    result = audited(trials)
    [section] = [one for one in result.sections if one.title == "Why Labels Change"]
    assert says.ONE_RULE_FOR_EACH_VALUE in section.blocks[0].text  # type: ignore[union-attr]
    assert result.answer is not None
    assert "no rule is known" not in result.answer.scope  # the probe knows the scorer: the rules of all rows


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        ({"by": "scorer"}, "audit.baseline.rules: has no rule - write audit.baseline.rules={VALUE: "),
        ({"by": "scorer", "rules": {}}, "audit.baseline.rules: has no rule"),
        ({"rules": RULES}, says.NOT_SET_NAME_THE_COLUMN),
        ({"by": "", "rules": RULES}, "audit.baseline.by: not set"),
        ({"by": "scorre", "rules": RULES}, "audit.baseline.by: no column 'scorre' (columns id, "),
        ({"by": "scorer", "rules": {"a": {"parser": "raw"}}}, "audit.baseline.rules.a.normalizer: not set"),
        ({"by": "scorer", "rules": {"a": "raw"}}, "audit.baseline.rules.a: no scorer named 'raw'"),
        ({"by": "scorer", "rules": {"a": {**LAST, "parser": "last_lin"}}}, "did you mean 'last_line'?"),
        ({"by": "scorer", "rules": {"a": {**LAST, "parser": {"steps": []}}}}, "audit.baseline.rules.a.parser: "),
        ({"by": "scorer", "rules": {"a": {**LAST, "matchr": "exact"}}}, "audit.baseline.rules.a.matchr: unknown"),
    ],
)
def test_what_is_no_such_baseline(baseline: dict[str, Any], words: str) -> None:
    with pytest.raises(AuditError) as error:
        audited(rows(), audit={"baseline": baseline})
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert isinstance(error.value, DataError if "no column" in words else UsageError)


def test_a_baseline_is_one_rule_or_several() -> None:
    parser: Any = Named("p", None)
    assert Baseline(parser, parser).single == BaselineRule(parser, parser)
    both = Baseline(parser, parser, "f", {"a": BaselineRule(parser, parser)})
    assert (both.single, both.column) == (None, "f")
    with pytest.raises(UsageError, match="normalizer: not set"):
        Baseline(parser)


TYPED = "audit.baseline={by: scorer, rules: {last: {parser: last_line, normalizer: none}, first: " + (
    "{parser: first_line, normalizer: none, matcher: exact}}}"
)
OWN = ("source=jsonl", "source.path=a.jsonl", "parser=[raw,first_line]", "normalizer=[none]", "matcher=exact", "by=[]")
FILES = ("result.json", "trials.parquet", "measurements.parquet", "report.md", "junit.xml")


def bytes_of(folder: str) -> list[bytes]:
    return [(Path(folder) / name).read_bytes() for name in FILES]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_any_number_of_workers_gives_the_same_bytes(command: Command) -> None:
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(20_000)), "utf-8")
    for workers in (1, 2):
        done = command(*OWN, TYPED, f"engine.workers={workers}", f"hydra.run.dir=w{workers}")
        assert done.returncode == 0, done.stderr
    assert bytes_of("w1") == bytes_of("w2")


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_run_can_be_checked_and_run_again(command: Command) -> None:
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    done = command(*OWN, TYPED, "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    done = command("rerun", "one")
    assert done.returncode == 0, done.stderr
    assert "result.json has the same bytes" in done.stdout
    done = command("check", *OWN, TYPED)
    assert says.BASELINE_A_RULE_FOR_EACH in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_jobs_of_a_sweep_are_what_they_are_alone(command: Command) -> None:
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    other = "{by: scorer, rules: {last: {parser: last_line, normalizer: none}}}"
    single = "{parser: first_line, normalizer: none}"
    swept = ("gate=[]", f"{TYPED},{other},{single}", "parser=[raw,first_line],[raw]")
    done = command("-m", *OWN[:2], *OWN[3:], *swept, "hydra.sweep.dir=swept")
    assert done.returncode == 0, done.stderr
    for i, baseline in enumerate((TYPED, f"audit.baseline={other}", f"audit.baseline={single}")):
        done = command(*OWN, "gate=[]", baseline, f"hydra.run.dir=alone{i}")
        assert done.returncode == 0, done.stderr
        assert bytes_of(f"swept/{2 * i}")[0] == bytes_of(f"alone{i}")[0]


@pytest.mark.usefixtures("here")
def test_the_table_of_texts_has_what_the_rule_of_each_row_extracted(command: Command) -> None:
    import polars as pl

    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(8)), "utf-8")
    done = command(*OWN, TYPED, "report=[texts]", "audit.keep_text=true", "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    table = pl.read_parquet("one/texts.parquet").filter(pl.col("reading") == "baseline")
    assert table["answer"].to_list() == ["B", "A", "A", "B", "A", "B", "A", "B"]
    assert pl.read_parquet("one/trials.parquet")["text.baseline"].to_list() == table["answer"].to_list()


def test_readings_compare_by_the_rule_of_each_row() -> None:
    """Where a truth is a pattern for some rows, a text or an absent one for others, a rival asks the same of it."""
    part = {"parser": "stored", "normalizer": "none"}
    kinds = ("regex", "icontains", "not-icontains")
    rules = {kind: {**part, "matcher": {"use": "promptfoo", "assertion": kind}} for kind in kinds}
    truths = {"regex": "^[0-9]+$", "icontains": "YES", "not-icontains": "sorry"}
    texts = {  # the label of the whole text, and of its last line
        "regex": [("41\n42", 0, 1), ("42", 1, 1), ("^[0-9]+$", 0, 0)],
        "icontains": [("yes\nno", 1, 0), ("no\nyes", 1, 1), ("no", 0, 0)],
        "not-icontains": [("Sorry.\nDear guest", 0, 1), ("Dear guest", 1, 1), ("So sorry", 0, 0)],
    }
    every = [(kind, *one) for kind in kinds for one in texts[kind]]
    trials = [
        {
            "id": str(i),
            "scorer": kind,
            "ground_truth": truths[kind],
            "raw_text": text,
            "parsed_text": text,
            "stored": whole,
        }
        for i, (kind, text, whole, _) in enumerate(every * 4)
    ]
    result = audited(trials, rules, parser=["stored", "last_line"], matcher="of_rule", by=["scorer"])
    assert of(result, "mismatches").estimate.value == 0
    assert of(result, "flips", "stored+none").estimate.value == 0
    assert of(result, "flips", "last_line+none").estimate.value == 12
    errors = {
        m.cell["scorer"]: m.estimate.value
        for m in result.measurements
        if m.cell and m.reading == "last_line+none" and m.metric == "error_rate"
    }
    assert errors == {kind: pytest.approx(100 * sum(1 - last for *_, last in texts[kind]) / 3) for kind in kinds}
    assert result.answer is not None
    assert says.WITHOUT_TRIALS_WHOSE_RULE_IS in result.answer.scope


@pytest.mark.parametrize("baseline", [None, {"by": "scorer", "rules": RULES}])
def test_the_matcher_of_the_rule_needs_one(baseline: Any) -> None:
    with pytest.raises(UsageError, match="needs a rule with a matcher for each value"):
        audited(rows(), matcher="of_rule", audit={"baseline": baseline})
