"""What raters, cells, labels and flags are called: what means nothing is never passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import Command
from sentences import consistency as says

import auditfw
from auditfw.core.errors import AuditError
from auditfw.core.records import Result

NONE = {"interval": {"method": "none"}}
METRICS = dict.fromkeys(("percent_agreement", "kappa", "weighted_kappa", "scott_pi", "fleiss_kappa"), NONE)
METRICS |= {"krippendorff_alpha": NONE, "gwet_ac1": NONE, "accepted_rate": {"use": "accepted_rate"}}
OTHER_LABELS = {"labels": ["yes", "no"]}


def pair(qid: Any, scholar: Any, auditor: Any, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "scholar": {"label": scholar}, "auditor": {"label": auditor}, **more}


def lines(rows: list[Any]) -> str:
    return "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)


def audited(folder: Path, rows: list[Any] | str, source: dict[str, Any] | None = None, **more: Any) -> Result:
    """Runs cross_agent on merged records, or on a table given as text; `more` are settings of the audit."""
    path = folder / ("t.csv" if isinstance(rows, str) else "p.jsonl")
    path.write_text(rows if isinstance(rows, str) else lines(rows), "utf-8")
    by = more.pop("by", [])
    given = {"use": "pairs", "path": str(path)} | (source or {})
    return auditfw.run({"experiment": "cross_agent", "source": given, "audit": more, "by": by, "metrics": METRICS})


def refused(code: int, *args: Any, **more: Any) -> str:
    with pytest.raises(AuditError) as raised:
        audited(*args, **more)
    assert raised.value.exit_code == code
    return str(raised.value)


def told(result: Result, metric: str, reading: str) -> tuple[float | None, str | None]:
    found = result.measurement(metric, reading).estimate
    return found.value, found.undefined


def gates(result: Result) -> dict[str, str]:
    return {gate.name: gate.status for gate in result.gates}


YES = [pair(f"q{i}", "yes", "yes") for i in range(20)]
FLAGGED = [{**row, "flags": {"provenance_violation": True}} for row in YES]
VALID = [pair(f"q{i}", "VALID", "VALID", flags={"provenance_violation": True}) for i in range(20)]


@pytest.mark.parametrize(
    ("setting", "given", "word", "guess"),
    [
        ("abstain", ["ABSTAN"], "ABSTAN", "did you mean 'ABSTAIN'?"),
        ("valid", "VALDI", "VALDI", "did you mean 'VALID'?"),
        ("acceptable", ["VALID", "VALDI"], "VALDI", "did you mean 'VALID'?"),
        ("acceptable", ["VALDI"], "VALDI", "did you mean 'VALID'?"),
    ],
)
def test_settings_that_name_no_label(setting: str, given: Any, word: str, guess: str, tmp_path: Path) -> None:
    text = refused(2, tmp_path, VALID, **{setting: given})
    assert text.startswith(says.AUDIT_NO_LABEL_VALID_NOT.format(setting, word))
    assert text.endswith(guess)


def test_a_validator_for_a_label_that_is_none(tmp_path: Path) -> None:
    text = refused(2, tmp_path, YES, **OTHER_LABELS, validators={"grounded": {"use": "grounded"}})
    assert text.startswith("audit.validators.grounded.label: no label 'VALID'")


def test_usual_settings_leave_undefined_what_other_labels_cannot_tell(tmp_path: Path) -> None:
    result = audited(tmp_path, FLAGGED, **OTHER_LABELS)
    assert told(result, "abstain_rate", "either") == (0.0, None)  # none of these labels says that
    assert told(result, "hard_flags", "all") == (None, says.NO_LABEL_IS_CALLED_VALID)
    assert told(result, "accepted_rate", "scholar")[0] is None
    assert (gates(result)["abstain"], gates(result)["hard_flags"]) == ("pass", "inconclusive")
    assert result.verdict == "inconclusive"


def test_what_was_undefined_is_defined_when_it_is_said(tmp_path: Path) -> None:
    result = audited(tmp_path, FLAGGED, **OTHER_LABELS, valid="yes", abstain=[], acceptable=["yes"])
    assert told(result, "hard_flags", "all") == (20.0, None)
    assert told(result, "abstain_rate", "either") == (0.0, None)
    assert told(result, "accepted_rate", "scholar") == (1.0, None)


def test_without_a_flag_it_does_not_matter_which_label_is_valid(tmp_path: Path) -> None:
    assert told(audited(tmp_path, YES, **OTHER_LABELS), "hard_flags", "all") == (0.0, None)


@pytest.mark.parametrize(
    ("hard", "flags", "warned"),
    [
        (["provenence"], {"provenance_violation": True}, ["'provenence'"]),
        (["provenance_violation", "other"], {"provenance_violation": True}, ["'other'"]),
        (["provenance_violation"], {"provenance_violation": False}, []),
        (None, {"provenance_violation": False}, []),
        (None, {"leaked": True}, ["'provenance_violation', 'constraints_mismatch'"]),
        (None, None, []),
    ],
)
def test_hard_flags_that_no_record_has(hard: Any, flags: Any, warned: list[str], tmp_path: Path) -> None:
    rows = [row | {"flags": flags} if flags else {k: v for k, v in row.items() if k != "flags"} for row in VALID]
    result = audited(tmp_path, rows, **({} if hard is None else {"hard_flags": hard}))
    listed = [text for text in result.warnings if text.startswith(says.NO_RECORD_HAS_A_FLAG_2)]
    assert listed == [says.NO_RECORD_HAS_A_FLAG.format(names) for names in warned]


@pytest.mark.parametrize(
    "name", ["id", "status", "final", "why", "qid", "label", "hard_flag", "evidence_missing", "all"]
)
def test_raters_cannot_be_called_what_has_another_meaning(name: str, tmp_path: Path) -> None:
    rows = [{"qid": n, name: {"label": "VALID"}, "auditor": {"label": "VALID"}} for n in range(3)]
    text = refused(2, tmp_path, rows)
    assert text.startswith(says.A_RATER_CANNOT_BE_CALLED.format(name))
    assert f"source.columns={{NAME: {name}.label}}" in text
    if name != "qid":
        result = audited(tmp_path, rows, {"columns": {"judge": f"{name}.label"}}, raters=["judge", "auditor"])
        assert result.counts == {"read": 3, "audited": 3}


@pytest.mark.parametrize(
    "name", ["id", "status", "reason", "flags", "answer_json", "retrieved_ids", "code.auditor", "row.place"]
)
def test_nor_can_files_of_raters(name: str, tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text(lines([{"qid": n, "label": "VALID"} for n in range(3)]))
    paths = dict.fromkeys((name, "auditor"), str(tmp_path / "f.jsonl"))
    text = refused(2, tmp_path, [], {"use": "raters", "path": None, "paths": paths})
    assert text.startswith(says.A_RATER_CANNOT_BE_CALLED.format(name))
    assert "source.paths={NAME: FILE}" in text


def test_a_rater_is_no_cell(tmp_path: Path) -> None:
    assert refused(2, tmp_path, VALID, by=["scholar"]) == says.BY_IS_A_RATER_NOT
    for name in ("status", "row.place", "code.scholar"):
        text = refused(2, tmp_path, [{**row, name: "a"} for row in VALID], by=[name])
        assert text.startswith(says.BY_IS_A_COLUMN_OF.format(name))


def test_our_own_columns_are_not_told(tmp_path: Path) -> None:
    assert "#" not in refused(3, tmp_path, VALID, by=["nosuch"])
    (tmp_path / "f.jsonl").write_text(lines([{"qid": n, "label": "VALID"} for n in range(3)]))
    paths = dict.fromkeys(("scholar", "auditor"), str(tmp_path / "f.jsonl"))
    text = refused(3, tmp_path, [], {"use": "raters", "path": None, "paths": paths}, by=["nosuch"])
    assert "no column 'nosuch'" in text
    assert "#" not in text


WIDE = "id,an,bo,cy,topic\n" + "".join(f"{n},VALID,VALID,REJECT,t\n" for n in range(20))
CSV = {"use": "csv"}


def readings(result: Result) -> set[str]:
    return {m.reading for m in result.measurements if m.metric == "percent_agreement"}


def test_raters_of_a_wide_table_are_its_mapped_columns(tmp_path: Path) -> None:
    columns = {"id": "id", "scholar": "an", "auditor": "bo", "third": "cy"}
    assert readings(audited(tmp_path, WIDE, CSV | {"columns": columns})) == {"scholar", "third", "all"}
    columns = {"id": "id", "an": "an", "bo": "bo", "cy": "cy", "subject": "topic"}
    source = CSV | {"columns": columns}
    assert readings(audited(tmp_path, WIDE, source, reference="an", by=["subject"])) == {"bo", "cy", "all"}
    columns = {"scholar": "an", "subject": "topic"}
    text = WIDE.replace("bo", "auditor")
    assert readings(audited(tmp_path, text, CSV | {"columns": columns})) == {"scholar"}
    filtered = source | {"where": "subject = 't'"}
    assert readings(audited(tmp_path, WIDE, filtered, reference="an")) == {"bo", "cy", "all"}


def test_a_reference_that_is_no_rater_says_what_to_write(tmp_path: Path) -> None:
    assert refused(2, tmp_path, WIDE, CSV, reference="an") == says.NO_RATER_FOUND_SCHOLAR_AUDITOR


LONG = {"use": "raters", "columns": {"id": "item", "rater": "who", "label": "said"}}


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("raters", [("lo", "mo"), ("lo", "mo", "no")])
def test_a_row_that_names_no_rater(raters: tuple[str, ...], blank: str, tmp_path: Path) -> None:
    rows = [f"i{i},{rater},VALID\n" for i in range(5) for rater in raters]
    text = "item,who,said\n" + "".join([*rows, f"i1,{blank},VALID\n"])
    line = len(rows) + 2
    told = refused(3, tmp_path, text, LONG, reference="lo")
    assert told == says.NO_RATER_IS_NAMED_FIX.format(tmp_path, line)
    result = audited(tmp_path, text, LONG, reference="lo", malformed="count")
    assert result.counts == {"read": len(rows) + 1, "audited": len(rows), "malformed": 1}


NUMBERED = [pair(n, "VALID", "VALID") for n in range(1, 6)]


def test_records_without_an_id_are_malformed(tmp_path: Path) -> None:
    rows = [*NUMBERED, pair(None, "VALID", "VALID"), pair("", "VALID", "VALID"), pair([1], "VALID", "VALID")]
    assert "p.jsonl:6: the id is null" in refused(3, tmp_path, rows)
    result = audited(tmp_path, rows, malformed="count")
    assert result.counts == {"read": 8, "audited": 5, "malformed": 3}


def test_a_malformed_line_says_nothing_of_ids(tmp_path: Path) -> None:
    result = audited(tmp_path, [*NUMBERED, "{broken\n"], malformed="count")
    assert result.counts == {"read": 6, "audited": 5, "malformed": 1}
    assert not [text for text in result.warnings if "ids are numbers" in text]
    mixed = audited(tmp_path, [*NUMBERED, pair("a", "VALID", "VALID")])
    assert [text for text in mixed.warnings if "ids are numbers" in text]


def test_lines_of_which_none_is_a_record(tmp_path: Path) -> None:
    result = audited(tmp_path, ["{\n", "nope\n"], malformed="count")
    assert result.counts == {"read": 2, "audited": 0, "malformed": 2}
    assert result.exit_code == 5


def test_malformed_lines_of_two_files_are_not_one_item(tmp_path: Path) -> None:
    for name, rows in (("a", NUMBERED), ("b", [pair("x", "VALID", "VALID")] * 1)):
        (tmp_path / f"{name}.jsonl").write_text(lines(["{\n", *rows]))
    files = [{"path": str(tmp_path / f"{name}.jsonl")} for name in "ab"]
    result = audited(tmp_path, [], {"path": None, "files": files}, malformed="count")
    assert result.counts == {"read": 8, "audited": 6, "malformed": 2}


def test_ids_that_are_line_numbers_are_not_missing(tmp_path: Path) -> None:
    rows = [{k: v for k, v in row.items() if k != "qid"} for row in NUMBERED]
    assert audited(tmp_path, rows, malformed="count").counts == {"read": 5, "audited": 5}


KRIPPENDORFF = {
    "a": "1 2 3 3 2 1 4 1 2 . . .",
    "b": "1 2 3 3 2 2 4 1 2 5 . 3",
    "c": ". 3 3 3 2 3 4 2 2 5 1 .",
    "d": "1 2 3 3 2 4 4 1 2 5 1 .",
}


def test_gwet_takes_items_that_one_rater_labelled_for_chance(tmp_path: Path) -> None:
    """12 units and 4 observers; irrCAC's gwet.ac1.raw gives 0.77544 for them."""
    for name, row in KRIPPENDORFF.items():
        rows = [{"qid": f"u{i}", "label": label} for i, label in enumerate(row.split()) if label != "."]
        (tmp_path / f"{name}.jsonl").write_text(lines(rows))
    paths = {name: str(tmp_path / f"{name}.jsonl") for name in KRIPPENDORFF}
    result = audited(tmp_path, [], {"use": "raters", "path": None, "paths": paths}, reference="a", labels=list("12345"))
    assert result.counts == {"read": 41, "audited": 40, "one_sided": 1}
    found = result.measurement("gwet_ac1", "all").estimate
    assert (found.value, found.counted, found.missing) == (pytest.approx(0.77544, abs=5e-6), 11, 0)
    assert told(result, "krippendorff_alpha", "all")[0] == pytest.approx(0.743, abs=5e-4)


ODDLY = [pair("a", "Y", "VALID"), pair("b", "Y", "VALID"), pair("c", "Invald", "REJECT"), pair("d", "VALID", "VALID")]


@pytest.mark.parametrize(
    ("aliases", "warned"),
    [
        ({"Y": "VALID", "Invald": "REJECT"}, []),
        ({"Y": "VALID", "Invalid": "REJECT"}, ["Invalid: no rater wrote 'Invalid', so the alias has no effect; did you "
                                               "mean 'Invald'?"]),
        ({"scholar": {"Y": "VALID"}, "auditor": {"Y": "REJECT"}}, ["auditor.Y: auditor never wrote 'Y', so the alias "
                                                                   "has no effect; known: "]),
        ({"Y": "VALID", "VALD": "REJECT"}, ["VALD: no rater wrote 'VALD', so the alias has no effect; did you mean "
                                            "'VALID'?"]),
        ({"scholar": {"null": "REJECT", "Y": "VALID"}}, ["scholar.null: scholar never wrote 'null', so the alias"]),
        ({" y ": "VALID"}, []),
        ({}, []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("duplicates", ["error", "votes"])
def test_an_alias_that_nobody_wrote_is_warned_of(
    aliases: dict[str, Any], warned: list[str], duplicates: str, tmp_path: Path
) -> None:
    case = "fold" if " y " in aliases else "exact"
    result = audited(tmp_path, ODDLY, aliases=aliases, unknown_labels="count", duplicates=duplicates, case=case)
    found = [text for text in result.warnings if "audit.aliases" in text and "alias has no effect" in text]
    assert len(found) == len(warned), found
    assert all(text.startswith(f"audit.aliases.{start}") for text, start in zip(found, warned, strict=True)), found


NO_TEXT = "null is not text - a missing label has no alias and is counted as missing; the text null is quoted"


@pytest.mark.parametrize(
    ("aliases", "text"),
    [
        (
            {None: "VALID"},
            says.A_KEY_THAT_IS_NULL,
        ),
        ({"scholar": {None: "VALID"}}, f"audit.aliases.scholar.None: {NO_TEXT}"),
        ({"Y": None}, "audit.aliases.Y: no label 'null' - known: "),
        ({"scholar": {"Y": None}}, "audit.aliases.scholar.Y: no label 'null' - known: "),
        ({"scholar": {"Y": "VALDI"}}, says.NO_LABEL_DID_YOU_MEAN),
        ({"schola": {"Y": "VALID"}}, says.NO_RATER_DID_YOU_MEAN),
    ],
)
def test_aliases_that_mean_nothing(aliases: dict[Any, Any], text: str, tmp_path: Path) -> None:
    assert refused(2, tmp_path, ODDLY, aliases=aliases).startswith(text)


def test_an_alias_of_null_on_the_command_line_is_one_line(command: Command) -> None:
    done = command("experiment=cross_agent", 'audit.aliases={first: {null: "1"}}')
    line = says.AUDITFW_ERROR_A_KEY_THAT
    assert (done.returncode, done.stderr.count("\n"), done.stderr[: len(line)]) == (2, 1, line)
