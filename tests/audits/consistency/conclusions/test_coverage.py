"""Labels that are missing, and records that were joined though they are of two items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judging import REJECT, VALID, answer, fired, joined, judged, rows, statuses
from sentences import consistency as says

import auditfw
from auditfw.core.errors import AuditError

NINE = {(VALID, VALID): 460, (REJECT, REJECT): 445, (VALID, REJECT): 5, (None, VALID): 45, (None, REJECT): 45}
LABELS = [VALID, REJECT] * 100


def test_nulls_of_nine_percent_passed_as_missing() -> None:
    """The judge gives no label on 9 % of the items: `abstain_rate` is 0 and its gate passes; only coverage tells."""
    result = judged(rows(NINE))
    assert result.measurement("abstain_rate", "scholar").estimate.value == 0.0
    assert {name for name, status in statuses(result).items() if status != "pass"} == {"coverage"}
    assert result.measurement("coverage", "scholar").estimate.value == 0.91
    assert result.measurement("coverage", "all").estimate.value == 0.91
    drawn = answer(result)
    assert drawn.status == "unknown"
    assert fired(result) >= {("coverage", "scholar")}
    assert drawn.headline == says.SCHOLAR_LABELLED_OF_ITEMS_ITS
    assert "audit.missing_label=NONE" in drawn.next
    assert result.counts == {"read": 1000, "audited": 910, "one_sided": 90}


def test_just_enough_is_enough() -> None:
    enough = {(VALID, VALID): 480, (REJECT, REJECT): 465, (VALID, REJECT): 5, (None, VALID): 50}
    assert answer(judged(rows(enough))).status == "stable"
    assert fired(judged(rows(enough | {(None, VALID): 51}))) == {("coverage", "scholar")}


def test_a_null_that_is_a_label_counts_as_an_abstention() -> None:
    result = judged(rows(NINE), audit={"missing_label": "NONE"})
    assert result.measurement("abstain_rate", "scholar").estimate.value == 0.09
    assert result.measurement("coverage", "scholar").estimate.value == 1.0
    assert statuses(result)["abstain"] == "fail"
    assert answer(result).status == "fragile"
    assert ("abstain_rate_missed", "either") in fired(result)
    assert result.counts == {"read": 1000, "audited": 1000}
    assert result.trials["scholar"].value_counts().sort("scholar").rows() == [("NONE", 90), (REJECT, 445), (VALID, 465)]


def test_every_item_labelled_raises_no_alarm() -> None:
    full = {(VALID, VALID): 500, (REJECT, REJECT): 490, (VALID, REJECT): 10}
    for more in ({}, {"audit": {"missing_label": "NONE"}}):
        result = judged(rows(full), **more)
        assert (result.exit_code, answer(result).status, result.warnings) == (0, "stable", [])


@pytest.mark.parametrize(("label", "abstained"), [("ABSTAIN", 0.09), (REJECT, 0.0)])
def test_a_null_may_stand_for_a_label_that_is_declared(label: str, abstained: float) -> None:
    """One that means abstaining goes on meaning it; another is counted as it is, and a warning says so."""
    result = judged(rows(NINE), audit={"missing_label": label})
    assert result.measurement("abstain_rate", "scholar").estimate.value == abstained
    assert result.counts == {"read": 1000, "audited": 1000}
    told = [warning for warning in result.warnings if "audit.missing_label" in warning]
    assert bool(told) == (label == REJECT)


@pytest.mark.parametrize(
    ("audit", "message"),
    [
        ({"missing_label": " "}, r"audit\.missing_label: is blank"),
        (
            {"missing_label": "NONE", "labels": ["0", "1"], "values": [0, 1], "valid": "1", "acceptable": ["1"]},
            r"audit\.missing_label: a label without a number, where audit\.values gives numbers",
        ),
    ],
)
def test_bad_missing_labels(audit: dict[str, Any], message: str) -> None:
    with pytest.raises(auditfw.UsageError, match=message):
        judged(rows(NINE), audit=audit)


def test_values_may_number_the_missing_label() -> None:
    audit = {"missing_label": "2", "labels": ["0", "1", "2"], "values": [0, 1, 5], "abstain": ["2"]}
    result = judged(rows({("0", "0"): 20, ("1", "1"): 20, (None, "1"): 3}), audit=audit)
    assert result.counts == {"read": 43, "audited": 43}


def records(labels: list[str | None], **columns: list[Any]) -> list[dict[str, Any]]:
    return [
        {"qid": f"q{i:03}", "label": label, **{name: values[i] for name, values in columns.items()}}
        for i, label in enumerate(labels)
    ]


def test_an_absent_record_is_no_null_label(tmp_path: Path) -> None:
    """Of joined files a null label, or a blank one, is an answer; an item that a file lacks has none."""
    given: list[str | None] = [None, "", *LABELS[2:190]]
    files = {"scholar": records(given), "auditor": records(list(LABELS))}
    result = joined(tmp_path, files, audit={"missing_label": "NONE"})
    assert result.counts == {"read": 390, "audited": 380, "one_sided": 10}
    assert result.measurement("abstain_rate", "scholar").estimate.value == 2 / 190


def test_merged_records_count_their_nulls(tmp_path: Path) -> None:
    lines = ['{"qid": "a", "scholar": {"label": null}, "auditor": {"label": "VALID"}}\n'] * 3
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(line.replace('"a"', f'"{i}"') for i, line in enumerate(lines)), "utf-8")
    plain = {"experiment": "cross_agent", "source": {"use": "pairs", "path": str(file)}}
    assert auditfw.run({**plain, "audit": {"missing_label": "NONE"}}).counts == {"read": 3, "audited": 3}
    assert auditfw.run(plain).counts == {"read": 3, "audited": 0, "one_sided": 3}
    loose = {**plain, "experiment": "cross_agent_reference", "audit": {"missing_label": "NONE"}}
    assert auditfw.run(loose).counts == {"read": 3, "audited": 3}


def test_undeclared_labels_are_not_covered() -> None:
    counted = {("valid", VALID): 20, (REJECT, REJECT): 80, (VALID, VALID): 60, (VALID, REJECT): 2}
    drawn = answer(judged(rows(counted), audit={"unknown_labels": "count"}, gate=[]))
    assert (drawn.status, drawn.next) == ("unknown", says.IGNORE_UPPER_AND_LOWER_CASE)
    other = {("MAYBE", VALID): 20, (REJECT, REJECT): 80, (VALID, VALID): 60, (VALID, REJECT): 2}
    drawn = answer(judged(rows(other), audit={"unknown_labels": "count"}, gate=[]))
    assert drawn.next == says.DECLARE_WHAT_SCHOLAR_WRITES_OR


def test_coverage_may_be_less_where_that_is_said() -> None:
    lax = judged(rows(NINE), audit={"coverage": 0.9}, gates={"coverage": {"min": 0.9}})
    assert (lax.exit_code, fired(lax)) == (0, set())


# Joins


QUESTIONS = [f"What is the answer to {i}?" for i in range(200)]
SCHOLAR = [REJECT if i % 40 == 0 else label for i, label in enumerate(LABELS)]


def files(question: list[Any], **more: list[Any]) -> dict[str, list[dict[str, Any]]]:
    return {
        "scholar": records(list(SCHOLAR), question=question, **more),
        "auditor": records(list(LABELS), question=QUESTIONS, **{name: values[::-1] for name, values in more.items()}),
    }


def test_a_join_of_the_wrong_items_passed(tmp_path: Path) -> None:
    """Ids that count on from 0 in both files join whatever stands there: every other gate passes."""
    shifted = [*QUESTIONS[:150], *QUESTIONS[151:], QUESTIONS[150]]
    result = joined(tmp_path, files(shifted))
    assert {name for name, status in statuses(result).items() if status != "pass"} == {"joins"}
    measured = result.measurement("joined_differ", "all").estimate
    assert (measured.value, measured.counted) == (0.25, 200)
    drawn = answer(result)
    assert drawn.status == "fragile"
    assert drawn.headline == says.OF_THE_JOINED_RECORDS_DIFFER
    assert drawn.next.startswith(says.JOIN_BY_THE_COLUMN_THAT)
    assert drawn.because[0].count(" by scholar") == 2
    assert says.QUESTION_IS_BY_SCHOLAR_BY in drawn.because[0]
    assert any("50 items whose joined records differ in a shared column" in w for w in result.warnings)


def test_a_right_join_raises_no_alarm(tmp_path: Path) -> None:
    """Ids of rows, scores and times are a rater's own, whatever they are called; so are its notes, and its name."""
    own: dict[str, list[Any]] = {name: list(range(200)) for name in ("annotation_id", "a", "latency")}
    both = files([f" {question}" for question in QUESTIONS], **own)
    for rater, records_of in both.items():
        for record in records_of:
            record["model"] = f"{rater}-1"
            record["updated_at"] = f"2026-01-02T03:04:05.{rater}.{record['qid']}"
            record["nested"] = {"id": record["qid"], "why": f"{rater} thinks so of {record['qid']}"}
    result = joined(tmp_path, both)
    assert result.measurement("joined_differ", "all").estimate.value == 0.0
    assert (result.exit_code, answer(result).status) == (0, "stable")
    assert says.JOINED_RECORDS_WERE_COMPARED_IN in answer(result).scope


def test_chance_agreement_on_two_answers_speaks_of_the_join(tmp_path: Path) -> None:
    """One question, two answers: no value is shared, so they may be notes; at a low kappa it is named."""
    both = files(QUESTIONS)
    for rater, records_of in both.items():
        for i, record in enumerate(records_of):
            label = (VALID, REJECT)[i % 2 if rater == "scholar" else i // 2 % 2]
            record |= {"answer": f"an answer of {rater} to question {i}", "label": label}
    drawn = answer(joined(tmp_path, both, gate=[]))
    assert drawn.status == "broken"
    assert drawn.next == says.LOOK_WHETHER_BOTH_JUDGE_THE
    named = answer(joined(tmp_path, both, gate=[], audit={"common": ["question", "answer"]}))
    assert (named.status, named.headline[:25]) == ("fragile", "100 % of the joined recor")
    for record in both["scholar"][1:]:
        record["answer"] = f"an answer of auditor to question {record['qid'][1:].lstrip('0')}"
    slip = answer(joined(tmp_path, both, gate=[], audit={"common": ["answer"]}))
    assert slip.status == "broken"  # one of 200 that differs explains nothing


def test_two_of_two_hundred_may_differ(tmp_path: Path) -> None:
    wrong = ["?", "??", *QUESTIONS[2:]]
    just = joined(tmp_path, files(wrong))
    assert (statuses(just)["joins"], answer(just).status) == ("pass", "stable")
    assert statuses(joined(tmp_path, files(["?", "??", "???", *QUESTIONS[3:]])))["joins"] == "fail"
    lax = joined(tmp_path, files(["?", "??", "???", *QUESTIONS[3:]]), audit={"joins": 0.02}, gate=["stable"])
    assert lax.exit_code == 0


def test_columns_that_are_compared_may_be_named(tmp_path: Path) -> None:
    both = files(QUESTIONS[::-1], score=list(range(200)))
    assert joined(tmp_path, both, audit={"common": []}).measurement("joined_differ", "all").estimate.value is None
    result = joined(tmp_path, both, audit={"common": ["score"]})
    assert result.measurement("joined_differ", "all").estimate.value == 1.0
    with pytest.raises(
        auditfw.UsageError, match=r"audit\.common: no column 'scor' .*in common: question, score.*score"
    ):
        joined(tmp_path, both, audit={"common": ["scor"]})


def test_cells_say_where_joins_went_wrong(tmp_path: Path) -> None:
    part = ["a", "b"] * 100
    both = {
        "scholar": records(
            list(SCHOLAR), question=[q if i % 2 else "?!"[i % 4 // 2] for i, q in enumerate(QUESTIONS)], part=part
        ),
        "auditor": records(list(LABELS), question=QUESTIONS, part=part),
    }
    result = joined(tmp_path, both, by=["part"])
    assert [result.measurement("joined_differ", "all", part=p).estimate.value for p in "ab"] == [1.0, 0.0]


def test_merged_records_have_nothing_to_compare() -> None:
    result = judged(rows({(VALID, VALID): 30, (REJECT, REJECT): 30}))
    estimate = result.measurement("joined_differ", "all").estimate
    assert (estimate.value, statuses(result)["joins"]) == (None, "pass")
    assert estimate.undefined == says.THE_JOINED_RECORDS_HAVE_NO


def test_a_value_is_the_same_in_every_format(tmp_path: Path) -> None:
    """A table holds texts, JSON numbers and truths."""
    lines = [f"q{i},{LABELS[i]},{i % 7},{str(i % 2 == 0).lower()},{i}.0" for i in range(200)]
    (tmp_path / "auditor.csv").write_text("\n".join(["qid,label,hops,open,size", *lines]) + "\n", "utf-8")
    records_of = [
        {"qid": f"q{i}", "label": SCHOLAR[i], "hops": i % 7, "open": i % 2 == 0, "size": float(i)} for i in range(200)
    ]
    (tmp_path / "scholar.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records_of), "utf-8")
    paths = {"scholar": str(tmp_path / "scholar.jsonl"), "auditor": str(tmp_path / "auditor.csv")}
    result = joined(tmp_path, {}, source={"use": "raters", "paths": paths}, audit={"common": ["hops", "open"]})
    assert result.measurement("joined_differ", "all").estimate.value == 0.0
    assert answer(result).status == "stable"


def test_long_and_odd_values_are_shown_short(tmp_path: Path) -> None:
    strange = [f"<b>{i}</b>\x1b[31m {'long ' * 30}" if i % 3 == 0 else QUESTIONS[i] for i in range(200)]
    drawn = answer(joined(tmp_path, files(strange)))
    assert "…' by scholar" in drawn.because[0]
    assert "\x1b" not in drawn.because[0]
    assert len(drawn.because[0]) < 600


def test_a_blank_label_is_a_null() -> None:
    table = rows({(VALID, VALID): 30, (REJECT, REJECT): 30, ("", VALID): 4})
    assert (
        judged(table, audit={"missing_label": "NONE"}).measurement("abstain_rate", "scholar").estimate.value == 4 / 64
    )
    assert judged(table).counts == {"read": 64, "audited": 60, "one_sided": 4}


def test_malformed_records_are_no_items(tmp_path: Path) -> None:
    """A rater is not blamed for labels of records that cannot be read."""
    lines = [json.dumps({"qid": f"q{i}", "scholar": {"label": VALID}, "auditor": {"label": VALID}}) for i in range(20)]
    lines += [json.dumps({"qid": f"x{i}", "scholar": {"label": [1]}, "auditor": {"label": VALID}}) for i in range(5)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    source = {"use": "pairs", "path": str(tmp_path / "pairs.jsonl")}
    result = joined(tmp_path, {}, source=source, audit={"malformed": "count"})
    assert result.counts == {"read": 25, "audited": 20, "malformed": 5}
    measured = result.measurement("coverage", "scholar").estimate
    assert (measured.value, measured.counted) == (1.0, 20)


def test_records_of_one_rater_are_not_compared(tmp_path: Path) -> None:
    """Votes of one rater may hold what they will; the first of them is compared with the other rater's."""
    own = [
        {"qid": f"q{i}", "label": SCHOLAR[i], "note": f"{word} of all these notes: {i}"}
        for i in range(200)
        for word in ("one", "two")
    ]
    both = {"scholar": own, "auditor": records(list(LABELS), note=[f"one of all these notes: {i}" for i in range(200)])}
    both["auditor"] = [{**record, "qid": f"q{i}"} for i, record in enumerate(both["auditor"])]
    result = joined(tmp_path, both, audit={"duplicates": "votes"})
    measured = result.measurement("joined_differ", "all").estimate
    assert (measured.value, measured.counted) == (0.0, 200)


@pytest.mark.parametrize(("shift", "share"), [(0, 0.0), (1, 1.0)])
def test_one_table_of_items_raters_and_labels(tmp_path: Path, shift: int, share: float) -> None:
    lines = ["item,who,said,question"]
    lines += [f"q{i},scholar,{SCHOLAR[i]},{QUESTIONS[i]}" for i in range(200)]
    lines += [f"q{i},auditor,{LABELS[i]},{QUESTIONS[(i + shift) % 200]}" for i in range(200)]
    (tmp_path / "long.csv").write_text("\n".join(lines) + "\n", "utf-8")
    columns = {"id": "item", "rater": "who", "label": "said"}
    source = {"use": "raters", "path": str(tmp_path / "long.csv"), "columns": columns}
    result = joined(tmp_path, {}, source=source)
    assert result.measurement("joined_differ", "all").estimate.value == share
    assert statuses(result)["joins"] == ("fail" if share else "pass")


@pytest.mark.parametrize(
    ("labels", "advised"),
    [
        ([VALID, REJECT] * 50 + [None] * 20, True),  # nulls
        ([VALID, REJECT] * 50, False),  # no records
        ([VALID, REJECT] * 45 + [None] * 5, True),  # both
    ],
)
def test_a_label_for_null_is_advised_where_there_are_nulls(
    tmp_path: Path, labels: list[str | None], advised: bool
) -> None:
    files = {
        name: [{"qid": f"q{i}", "label": label} for i, label in enumerate(side)]
        for name, side in (("scholar", labels), ("auditor", [REJECT, REJECT, *[VALID, REJECT] * 59]))
    }
    drawn = answer(joined(tmp_path, files, gate=[]))
    assert (drawn.status, drawn.headline.startswith("scholar labelled ")) == ("unknown", True)
    assert ("audit.missing_label" in drawn.next) == advised
    assert "missing labels" in drawn.next


Written = list[tuple[str, Any]]  # items with a label each


@pytest.mark.parametrize(
    ("scholar", "auditor", "audit", "message"),
    [
        (
            [("a", VALID), ("b", VALID)],
            [("a", VALID), ("b", "OK")],
            {},
            r"auditor\.jsonl:2: a label that is not declared: auditor says 'OK' -",
        ),
        (
            [("a", VALID), ("b", "NO")],
            [("b", "OK"), ("a", VALID)],
            {},
            r"scholar\.jsonl:2: .* scholar says 'NO', auditor says 'OK' \(\S*auditor\.jsonl:1\)",
        ),
        (
            [("a", VALID), ("b", VALID)],
            [("a", VALID), ("b", ["VALID"])],
            {},
            r"auditor\.jsonl:2: auditor: the label is a list",
        ),
        (
            [("a", VALID)],
            [("a", VALID), ("a", "OK")],
            {"duplicates": "last"},
            r"auditor\.jsonl:2: .* auditor says 'OK'",
        ),
        (
            [("a", VALID)],
            [("a", "OK"), ("a", "NO")],
            {"duplicates": "first"},
            r"auditor\.jsonl:1: .* auditor says 'OK'",
        ),
        (
            [("a", VALID)],
            [("a", VALID), ("a", REJECT)],
            {"duplicates": "votes", "labels": [VALID, REJECT]},
            r"a tie gives 'ABSTAIN', which is no declared label: the votes of auditor tie \(VALID × 1, REJECT × 1\)",
        ),
    ],
)
def test_what_is_not_declared_is_where_it_is_written(
    tmp_path: Path, scholar: Written, auditor: Written, audit: dict[str, Any], message: str
) -> None:
    files = {
        name: [{"qid": item, "label": label} for item, label in side]
        for name, side in (("scholar", scholar), ("auditor", auditor))
    }
    with pytest.raises(AuditError, match=message):
        joined(tmp_path, files, audit=audit)


def test_ties_that_are_counted_name_what_a_tie_gives(tmp_path: Path) -> None:
    votes = [{"qid": f"q{i}", "label": label} for i in range(40) for label in ([VALID, REJECT] if i < 9 else [VALID])]
    files = {"scholar": votes, "auditor": [{"qid": f"q{i}", "label": REJECT if i % 2 else VALID} for i in range(40)]}
    audit = {"duplicates": "votes", "labels": [VALID, REJECT], "unknown_labels": "count"}
    drawn = answer(joined(tmp_path, files, gate=[], audit=audit))
    assert drawn.next == says.DECLARE_WHAT_A_TIE_OF
