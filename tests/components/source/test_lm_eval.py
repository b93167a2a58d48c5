"""Logs of lm-evaluation-harness: what the harness wrote, looked up by hand, and what it may write else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from files_read import lines, put, read, refused
from log_records import likelihoods, sample
from places import CASES

import auditfw
from auditfw.components.files.keys import Keys
from auditfw.components.source.lm_eval import LmEval
from auditfw.core.errors import DataError, NothingAudited

pytestmark = pytest.mark.usefixtures("here")
LOGS = CASES / "data" / "field_logs" / "lm_eval"
DATE = "2026-11-22T15-10-07.226628"
GSM, CHOICES = str(LOGS / f"samples_mygsm_{DATE}.jsonl"), str(LOGS / f"samples_mymc_{DATE}.jsonl")
NAMES = ("id", "item", "filter", "repeat", "raw_text", "parsed_text", "ground_truth", "stored")


SOLVER = Keys("solver", ("path",))
BOMB = "(a{1000}){1000}"


def rows_of(source: LmEval, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names or NAMES) for row in read(source)[0]]


def test_what_the_harness_wrote_of_generated_answers() -> None:
    rows = rows_of(LmEval(path=GSM))
    assert len(rows) == 12 * 2 * 2
    assert rows[:2] == [
        ("0/strict-match/0", "0", "strict-match", 0, "step 0+0\n#### 0", "0", "0", 1.0),
        ("0/strict-match/1", "0", "strict-match", 1, "0 because $1,000", None, "0", None),
    ]
    assert rows[3 * 2 + 24] == (
        "3/flexible-extract/0", "3", "flexible-extract", 0, "6 because $1,000", "$1,000", "6", 0.0,
    )  # fmt: skip
    labels = [(row[2], row[-1]) for row in rows if row[3] == 0]
    assert [labels.count((name, 1.0)) for name in ("strict-match", "flexible-extract")] == [4, 6]  # of results_*.json


def test_what_the_harness_wrote_of_log_likelihoods() -> None:
    rows, tally = read(LmEval(path=CHOICES))
    assert [row["parsed_text"] for row in rows] == ["1", "4", "1", "4", "1", "1", "4", "4", "4", "2", "1", "2"]
    assert {(row["raw_text"], row["ground_truth"], tuple(row["choices"])) for row in rows} == {
        (None, "2", ("1", "2", "3", "4"))  # the target is the place of the choice
    }
    assert [row["id"] for row in rows if row["stored"] == 1.0] == ["9/none/0", "11/none/0"]
    assert all((row["parsed_text"] == row["ground_truth"]) == (row["stored"] == 1.0) for row in rows)
    [(remark, count)] = tally["notes"].items()
    assert (remark[:28], count) == ("log-likelihoods have no text", 12)


def test_a_folder_of_logs() -> None:
    source = LmEval(path=str(LOGS))
    rows, tally = read(source)
    assert len(rows) == 48 + 12
    assert (rows[0]["id"], rows[0]["item"]) == ("mygsm/0/strict-match/0", "mygsm/0")
    assert (rows[-1]["id"], rows[-1]["item"], rows[-1]["task"]) == ("mymc/11/none/0", "mymc/11", "mymc")
    assert {(row["model"], row["date"]) for row in rows} == {("i82qcls7", DATE)}
    assert tally["evidence"].rows == 60
    assert [Path(one.path).name for one in tally["evidence"].inputs()] == [
        f"samples_mygsm_{DATE}.jsonl", f"samples_mymc_{DATE}.jsonl", f"results_{DATE}.json",
    ]  # fmt: skip


def test_the_rules_of_the_filters() -> None:
    rules = LmEval(path=str(LOGS)).rules()
    assert list(rules) == ["strict-match", "flexible-extract", "none"]
    rule = rules["flexible-extract"]
    assert (rule.name, rule.version) == ("flexible-extract", "0.4.13")
    assert rule.options["steps"][0] == {
        "function": "regex", "group_select": -1, "regex_pattern": "(-?[$0-9.,]{2,})|(-?[0-9]+)",
    }  # fmt: skip
    assert rule.options["metrics"][0]["regexes_to_ignore"] == [",", "\\$", "(?s).*#### ", "\\.$"]
    assert rules["none"].options["output_type"] == "multiple_choice"


@pytest.mark.parametrize(
    "rule",
    [
        {"filter_list": [{"name": "f", "filter": [{"function": "regex", "regex_pattern": BOMB}]}]},
        {
            "filter_list": [{"name": "f", "filter": [{"function": "take_first"}]}],
            "metric_list": [{"metric": "exact_match", "regexes_to_ignore": [",", BOMB]}],
        },
    ],
)
def test_a_pattern_that_is_too_large_to_be_compiled(rule: dict[str, Any]) -> None:
    lines(sample(filter="f"), name="samples_t_2026-01-01T00-00-00.jsonl")
    put("results_2026-01-01T00-00-00.json", json.dumps({"configs": {"t": rule}}))
    with pytest.raises(DataError, match=r"results_2026\S+json: filter f of t: a pattern of 1,000,000 counted repeats"):
        LmEval(path=".").rules()


def test_without_a_results_file() -> None:
    shutil.copy(GSM, "samples_mygsm.jsonl")
    source = LmEval(path="samples_mygsm.jsonl")
    rows, tally = read(source)
    assert (rows[0]["model"], rows[0]["task"], rows[0]["date"]) == (None, "mygsm", None)
    assert {name: rule.options["declared"] for name, rule in source.rules().items()} == {
        "flexible-extract": False,
        "strict-match": False,
    }
    assert tally["evidence"].warnings == (
        "samples_mygsm.jsonl: no results file next to it: the model and the filters' rules are not known",
    )


def test_runs_of_one_task_are_told_apart() -> None:
    for model in ("a", "b"):
        for date in ("2026-01-01T00-00-00.0", "2026-01-02T00-00-00.0"):
            Path(model).mkdir(exist_ok=True)
            lines({"doc_id": 3, "resps": [["x"]], "target": "x", "acc": 1}, name=f"{model}/samples_t_{date}.jsonl")
            put(f"{model}/results_{date}.json", json.dumps({"model_name": model}))
    rows = rows_of(LmEval(path="."), "id", "item", "model")
    assert rows[:2] == [
        ("a/2026-01-01T00-00-00.0/3/none/0", "3", "a"),
        ("a/2026-01-02T00-00-00.0/3/none/0", "3", "a"),
    ]
    assert len({row[0] for row in rows}) == 4


def test_a_vote_of_the_repeats_is_nobodys_label() -> None:
    lines(sample(exact_match=1.0, metrics=["exact_match"]), name="samples_t_2026-01-01T00-00-00.jsonl")
    steps = [{"function": "regex"}, {"function": "majority_vote"}, {"function": "take_first"}]
    config = {"filter_list": [{"name": "f", "filter": steps}]}
    put("results_2026-01-01T00-00-00.json", json.dumps({"configs": {"t": config}}))
    rows, tally = read(LmEval(path="samples_t_2026-01-01T00-00-00.jsonl"))
    assert [(row["raw_text"], row["parsed_text"], row["stored"], row["unstored"]) for row in rows] == [
        (text, None, None, True) for text in ("1", "2", "2")
    ]
    assert any("filter 'f' decides by a vote of the repeats" in remark for remark in tally["notes"])


def test_a_filter_that_keeps_every_repeat() -> None:
    lines(sample(filtered_resps=[["1", "2", "2"]], acc=1.0))
    assert rows_of(LmEval(path="a.jsonl"), "parsed_text", "stored") == [("1", None), ("2", None), ("2", None)]
    assert rows_of(LmEval(path="a.jsonl"), "unstored") == [(False,)] * 3


def test_one_filter_of_several() -> None:
    source = LmEval(path=GSM, filter="flexible-extract")
    rows, tally = read(source)
    assert {row["filter"] for row in rows} == {"flexible-extract"}
    assert (len(rows), tally["dropped"]) == (24, {"filtered": 12})
    assert list(source.rules()) == ["flexible-extract"]


def audited(words: dict[str, Any]) -> auditfw.Result:
    return auditfw.run(
        {
            "experiment": "answer_parsing",
            "source": {"use": "lm_eval", "path": GSM, **words},
            "parser": ["stored", "lm_eval_strict_match"],
            "normalizer": ["lm_eval_strict_match"],
            "audit": {
                "matcher": {"use": "exact"},
                "baseline": {"parser": "stored", "normalizer": "lm_eval_strict_match"},
            },
            "metric": ["n", "no_answer", "mismatches"],
        }
    )


def test_later_repeats_are_neither_wrong_nor_empty_beside_the_stored_labels() -> None:
    """Of each document and filter the first repeat has the label; what the filter left out was never stored."""
    result = audited({})
    values = {(m.metric, m.reading): m.estimate for m in result.measurements if not m.cell}
    stored, strict = "stored+lm_eval_strict_match", "lm_eval_strict_match+lm_eval_strict_match"
    assert (values["n", stored].value, values["no_answer", stored].value) == (24, 0)
    assert values["n", strict].value == 48  # its text is there: the parser reads it
    assert (values["mismatches", stored].value, values["mismatches", stored].missing) == (0, 24)
    [warning] = [text for text in result.warnings if text.startswith("repeats that the filter left out")]
    assert "the stored label is that of the first repeat" in warning
    first = audited({"where": "repeat = 0"})
    values = {(m.metric, m.reading): m.estimate for m in first.measurements if not m.cell}
    assert (values["n", stored].value, values["mismatches", stored].missing) == (24, 0)


@pytest.mark.parametrize(
    ("more", "metric", "stored"),
    [
        ({"metrics": ["bleu", "exact_match"], "bleu": 0.3, "exact_match": 1.0}, None, 1.0),
        ({"metrics": ["bleu", "exact_match"], "bleu": 0.3, "exact_match": 1.0}, "bleu", 0.3),
        ({"exact_match": "0.0"}, None, "0.0"),  # as older files have it
        ({"metrics": ["word_perplexity"], "word_perplexity": [-1.0, 2]}, None, None),
        ({}, None, None),
    ],
)
def test_the_metric_of_the_label(more: dict[str, Any], metric: str | None, stored: Any) -> None:
    lines(sample(**more))
    assert rows_of(LmEval(path="a.jsonl", metric=metric), "stored")[0] == (stored,)


@pytest.mark.parametrize(
    ("target", "truth"),
    [
        ("['Rome', 'Roma']", ["Rome", "Roma"]),
        ("[1, 2.5]", ["1", "2.5"]),
        ("[", "["),
        ("[x]", "[x]"),
        ("[]", "[]"),
        ("[[1]]", "[[1]]"),
        ("long #### 18", "long #### 18"),
        (7, 7),
    ],
)
def test_targets(target: Any, truth: Any) -> None:
    lines(sample(target=target))
    assert rows_of(LmEval(path="a.jsonl"), "ground_truth")[0] == (truth,)


@pytest.mark.parametrize(
    ("record", "metric", "parsed", "truth"),
    [
        (likelihoods(["-2.0", "-1.0"], ["no", "yes"], "0"), None, "yes", "no"),
        (likelihoods([-1.0, -1.0], ["no", "yes"], "yes"), None, "no", "yes"),  # the first of equal ones
        (likelihoods(["-inf", "nan", "-1"], ["a", "b", "c"], 2), None, "b", "c"),  # as NumPy has it
        (likelihoods(["-2.0", "-3.0"], ["no", "longer"], "[0, 1]", acc_norm=1), "acc_norm", "longer", ["no", "longer"]),
        (likelihoods(["-2.0", "-5.0"], ["no", "éééé"], "0", acc_bytes=1), "acc_bytes", "éééé", "no"),
        (likelihoods(["-2.0", "-3.0"], ["no", "longer"], "7"), None, "no", "7"),  # no such place
        (likelihoods([-1, -2, -0.5, -9], ["a", "b", "a", "b"], 1, acc_mutual_info=1), "acc_mutual_info", "b", "b"),
        (likelihoods(["-2.0"], ["end"], "end", metrics=["perplexity", "acc"], acc=1), None, None, "end"),
    ],
)  # fmt: skip
def test_likeliest_choices(record: dict[str, Any], metric: str | None, parsed: Any, truth: Any) -> None:
    lines(record)
    assert rows_of(LmEval(path="a.jsonl", metric=metric), "parsed_text", "ground_truth") == [(parsed, truth)]


def test_choices_of_the_question() -> None:
    record = likelihoods(["-2.0", "-1.0"], ["end", "end"], "end")
    for i, question in enumerate(("She", "He")):
        record["arguments"][f"gen_args_{i}"]["arg_0"] = question
    lines(record)
    assert rows_of(LmEval(path="a.jsonl"), "parsed_text", "ground_truth") == [("He", None)]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (
            {"id": 1, "text": "x"},
            ("a.jsonl:2", "not a sample of lm-evaluation-harness: no 'doc_id'", "found: id, text"),
        ),
        ({"doc_id": 1}, ("a.jsonl:2", "no 'resps'")),
        ({"doc_id": 1, "resps": []}, ("a.jsonl:2", "the sample has no answer in 'resps'")),
        ({"doc_id": 1, "resps": [[]]}, ("a.jsonl:2", "the sample has no answer in 'resps' ([[]])")),
        ({"doc_id": 1, "resps": [None]}, ("a.jsonl:2", "the sample has no answer in 'resps' ([None])")),
        (likelihoods(["x", "-1"], ["a", "b"], 0), ("a.jsonl:2", "a log-likelihood is not a number (['x', 'False'])")),
        (sample(acc=1), ("a.jsonl:2", "no metric 'f1' (found: acc)")),
    ],
)
def test_what_is_no_sample(record: dict[str, Any], words: tuple[str, ...]) -> None:
    put("a.jsonl", "\n" + json.dumps(record) + "\n")
    refused(DataError, LmEval(path="a.jsonl", metric="f1" if "acc" in record else None), *words)


def test_lists_inside_rows_can_be_exploded() -> None:
    lines(sample(doc={"tags": ["a", "b"]}, resps=[["1", "2"]]), sample(doc_id=1, resps=[["3"]]))
    source = LmEval(path="a.jsonl", explode={"tag": "doc.tags"}, columns={"id": "{#}"})
    assert rows_of(source, "raw_text", "tag") == [("1", 0), ("1", 1), ("2", 0), ("2", 1), ("3", None)]


def test_results_that_cannot_be_read() -> None:
    lines(sample(), name="samples_t_2026-01-01T00-00-00.jsonl")
    put("results_2026-01-01T00-00-00.json", '{\n"model_name": }')
    refused(DataError, LmEval(path="."), "results_2026-01-01T00-00-00.json:2: not JSON")
    put("results_2026-01-01T00-00-00.json", "[1]")
    refused(DataError, LmEval(path="."), "results_2026-01-01T00-00-00.json: expected an object, got a list")


def test_a_run_over_the_folder() -> None:
    result = auditfw.run(
        {
            "experiment": "answer_parsing",
            "source": {"use": "lm_eval", "path": str(LOGS), "where": "filter <> 'none'"},
            "parser": ["lm_eval_strict_match", "lm_eval_flexible_extract"],
            "normalizer": ["lm_eval_strict_match"],
            "audit": {"matcher": {"use": "exact"}, "baseline": None},
        }
    )
    assert result.counts == {"read": 60, "audited": 48, "filtered": 12}


def unnamed(filters: int, documents: int) -> list[dict[str, Any]]:
    """Samples as versions until 0.4.5 wrote them: without a filter, those of one behind those of the other."""
    return [
        {"doc_id": i, "resps": [["t"]], "filtered_resps": [str(f)], "target": "1", "acc": f}
        for f in range(filters)
        for i in range(documents)
    ]


@pytest.mark.parametrize("form", ["lines", "array", "indented"])
@pytest.mark.parametrize("documents", [3, 1_500])  # 3,000 samples are several blocks
def test_older_files_are_an_array_or_name_no_filter(form: str, documents: int) -> None:
    samples = unnamed(2, documents)
    texts = {
        "lines": "".join(json.dumps(one) + "\n" for one in samples),
        "array": json.dumps(samples),
        "indented": json.dumps(samples, indent=2),
    }
    path = put("pretrained__m_gsm8k.jsonl", texts[form])
    source = LmEval(path=path)
    rows = rows_of(source, "id", "filter", "parsed_text")
    assert rows == [(f"{i}/filter {f + 1}/0", f"filter {f + 1}", str(f)) for f in range(2) for i in range(documents)]
    assert [one for one in source.warnings() if "samples name no filter" in one] != []
    assert [row[0] for row in rows_of(LmEval(path=path, filter="filter 2"), "id")] == [
        row[0] for row in rows[documents:]
    ]


def test_filters_without_a_name_have_those_of_the_results() -> None:
    for name in (f"samples_mygsm_{DATE}.jsonl", f"results_{DATE}.json"):
        shutil.copy(LOGS / name, name)
    plain = [json.loads(line) for line in Path(f"samples_mygsm_{DATE}.jsonl").read_text("utf-8").splitlines()]
    known = rows_of(LmEval(path=f"samples_mygsm_{DATE}.jsonl"))
    order = {"strict-match": 0, "flexible-extract": 1}
    older = [
        {k: v for k, v in one.items() if k != "filter"} for one in sorted(plain, key=lambda one: order[one["filter"]])
    ]
    put(f"samples_mygsm_{DATE}.jsonl", "".join(json.dumps(one) + "\n" for one in older))
    assert sorted(map(str, rows_of(LmEval(path=f"samples_mygsm_{DATE}.jsonl")))) == sorted(map(str, known))


def test_one_filter_without_a_name_stays_none() -> None:
    path = put("samples_x.jsonl", "".join(json.dumps(one) + "\n" for one in unnamed(1, 3)))
    assert {row[0] for row in rows_of(LmEval(path=path), "filter")} == {"none"}


def test_one_filter_whose_samples_come_late_is_read() -> None:
    named = [{**one, "filter": f"f{at // 1_100}"} for at, one in enumerate(unnamed(2, 1_100))]
    path = put("samples_x.jsonl", "".join(json.dumps(one) + "\n" for one in named))
    assert len(rows_of(LmEval(path=path, filter="f1"), "id")) == 1_100


def test_the_files_of_a_folder_are_located_once() -> None:
    source = LmEval(path=str(LOGS))
    assert source.located() is source.located()
    again = source.placed(SOLVER)
    assert ([file.keys for file in again.located()], source.located()[0].keys) == ([SOLVER] * 2, source.keys)


def test_a_filter_that_no_record_has() -> None:
    with pytest.raises(NothingAudited, match=r"no record has the filter 'flexible'.*did you mean 'flexible-extract'"):
        LmEval(path=GSM, filter="flexible").open(["id"], [])
