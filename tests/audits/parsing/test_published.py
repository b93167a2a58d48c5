"""Every published figure of the parsing sets comes out of the real command, by experiment files and overrides alone."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from places import CASES, ROOT
from running import Command
from sentences import parsing as says

from auditfw.samples import actual

REPO = ROOT
NQ = CASES / "data/openqa_eval_nq301"
GSM = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
REFUSALS = ("source.columns.stored=refusal_flag", "gate=[]")

Cell = dict[str, object]
Row = tuple[str, str, str, Cell, str]


class Figure(NamedTuple):
    """A published figure: the experiment and the measurement that give it, and the figure as it is printed."""

    experiment: str
    what: str
    reading: str
    cell: Cell
    figure: str

    def __str__(self) -> str:
        return f"{self.experiment}: {self.what}@{self.reading}{''.join(f' {value}' for value in self.cell.values())}"


@dataclass(frozen=True)
class Finished:
    """The files of a finished run."""

    folder: Path
    exit_code: int

    @cached_property
    def result(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "result.json").read_text("utf-8"))
        return told

    @cached_property
    def report(self) -> str:
        return (self.folder / "report.md").read_text("utf-8")

    @cached_property
    def measurements(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "measurements.parquet")

    @cached_property
    def trials(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "trials.parquet").filter(pl.col("status") == "audited")

    def number(self, what: str, reading: str, cell: Cell) -> float:
        """A measured value, or one of: right, wrong (an answer was given), blank, percent_right; and n over cells."""
        if what == "right":
            return float(self.trials.filter(**cell)[reading].sum())
        if what == "wrong":
            return self.number("n", reading, cell) - sum(self.number(w, reading, cell) for w in ("right", "blank"))
        if what == "blank":
            return self.number("n", reading, cell) * self.number("no_answer", reading, cell) / 100
        if what == "percent_right":
            return 100 - self.number("error_rate", reading, cell)
        by = [name for name in self.trials.columns if name in self.measurements.columns]
        rows = self.measurements.filter(metric=what, reading=reading)
        rows = rows.filter(**cell) if cell else rows.filter(pl.all_horizontal(True, *(pl.col(n).is_null() for n in by)))
        assert len(rows) == 1 or (what == "n" and len(rows)), f"{len(rows)} rows: {what}@{reading} {cell}"
        return float(rows["value"].sum())


Finish = Callable[..., Finished]


@pytest.fixture(scope="module")
def finish(command_in: Command, tmp_path_factory: pytest.TempPathFactory) -> Finish:
    """Runs an experiment with its overrides from the root of the repository, once for all tests."""
    known: dict[tuple[str, ...], Finished] = {}

    def run(experiment: str, *overrides: str) -> Finished:
        key = (experiment, *overrides)
        if key not in known:
            folder = tmp_path_factory.mktemp(experiment)
            plain = "report=[console,markdown,junit]"
            words = ("--config-dir", "tests/cases/conf", f"experiment={experiment}", plain, *overrides)
            done = command_in(REPO, *words, f"hydra.run.dir={folder}")
            assert (folder / "result.json").is_file(), done.stderr
            known[key] = Finished(folder, done.returncode)
        return known[key]

    return run


# Experiment, what, reading, cell, figure as it is printed. The source of each block is the PROVENANCE.md of its data.
SAMPLE: list[Row] = [
    ("answer_parsing", "mismatches", "stored+v1", {}, "0"),
    ("answer_parsing", "n", "stored", {}, "1080"),
    ("answer_parsing", "flips", "answer_v2+v1", {}, "23"),
    ("answer_parsing", "flips", "answer_v2+v2", {}, "30"),
    ("answer_parsing", "flips", "stored+v2", {}, "17"),
    ("answer_parsing", "flips", "stored+v1", {}, "0"),
    ("answer_parsing", "n", "after_think+v2", {}, "120"),
    ("answer_parsing", "flips", "after_think+v2", {}, "10"),
    ("answer_parsing", "flips_to_false", "after_think+v2", {}, "8"),
    ("answer_parsing", "n", "after_think+v2", {"variant": "think_sft"}, "81"),
    ("answer_parsing", "n", "after_think+v2", {"variant": "think"}, "31"),
    ("answer_parsing", "n", "after_think+v2", {"variant": "rl_zero"}, "8"),
]
# Source: grade-school-math, example_model_solutions.jsonl; columns in the order of GSM.
GSM8K = [
    ("gsm8k_labels", "n", "stored", (1319, 1319, 1319, 1319)),
    ("gsm8k_labels", "right", "stored", (286, 515, 458, 742)),
    ("gsm8k_labels", "percent_right", "stored", (21.7, 39.0, 34.7, 56.3)),
    ("gsm8k_labels", "mismatches", "answer_line+none", (0, 0, 0, 0)),
    ("gsm8k_labels", "flips", "answer_line+none", (0, 0, 0, 0)),
    ("gsm8k_labels", "flips", "last_number+none", (0, 0, 0, 0)),
    ("gsm8k_labels", "blank", "answer_line+none", (4, 1, 5, 1)),
    ("gsm8k_spelling", "flips", "answer_line+none", (2, 2, 1, 5)),
    ("gsm8k_anywhere", "flips", "raw+none", (130, 105, 118, 88)),
    ("gsm8k_anywhere", "flips_to_true", "raw+none", (130, 105, 118, 88)),
    ("gsm8k_anywhere", "flips_to_false", "raw+none", (0, 0, 0, 0)),
]
REKA: Cell = {"model": "reka/reka-flash-20240226"}
GEMINI: Cell = {"model": "google/gemini-1.5-flash-exp-0827"}
# Source: ZeroEval, gsm.summary.json (Acc, No answer).
ZEROEVAL: list[Row] = [
    ("zeroeval_gsm", "right", "json_answer+number", REKA, "985"),
    ("zeroeval_gsm", "wrong", "json_answer+number", REKA, "328"),
    ("zeroeval_gsm", "blank", "json_answer+number", REKA, "6"),
    ("zeroeval_gsm", "percent_right", "json_answer+number", REKA, "74.68"),
    ("zeroeval_gsm", "no_answer", "json_answer+number", REKA, "0.45"),
    ("zeroeval_gsm", "right", "json_answer+number", GEMINI, "647"),
    ("zeroeval_gsm", "wrong", "json_answer+number", GEMINI, "34"),
    ("zeroeval_gsm", "percent_right", "json_answer+number", GEMINI, "95.01"),
    ("zeroeval_gsm", "no_answer", "json_answer+number", GEMINI, "0.00"),
]
# Source: OpenQA-eval, the model outputs joined with the human judgments: shares accepted, EM 0 -> Yes, EM 1 -> No.
ACCEPTED: list[tuple[str, Cell, tuple[str, str, str]]] = [
    ("openqa_human", {"model": "zeroshot"}, ("71.1", "176", "0")),
    ("openqa_human", {"model": "fewshot"}, ("75.4", "125", "0")),
    ("openqa_human_fid", {"model": "fid"}, ("64.5", "57", "7")),
]
HUMAN: list[Row] = [
    row
    for experiment, cell, (share, missed, wrong) in ACCEPTED
    for row in (
        (experiment, "n", "stored", cell, "301"),
        (experiment, "percent_right", "stored", cell, share),
        (experiment, "flips_to_false", "first_item+squad", cell, missed),
        (experiment, "flips_to_true", "first_item+squad", cell, wrong),
    )
]
# Source: OpenQA-eval, the model outputs and GPT-4's texts.
OPENQA: list[Row] = [
    ("openqa_exact_match", "percent_right", "first_item+squad", {"model": "zeroshot"}, "12.6"),
    ("openqa_exact_match", "percent_right", "first_item+squad", {"model": "fewshot"}, "33.9"),
    ("openqa_fid", "n", "first_item+squad", {}, "301"),
    ("openqa_fid", "percent_right", "first_item+squad", {}, "47.8"),
    *HUMAN,
    ("openqa_judge", "n", "first_word+none", {}, "1490"),
    ("openqa_judge", "percent_right", "first_word+none", {}, "99.2617"),
    ("openqa_judge_words", "right", "first_word+none", {"word": "Yes"}, "762"),
    ("openqa_judge_words", "right", "first_word+none", {"word": "No"}, "718"),
    ("openqa_judge_words", "wrong", "first_word+none", {"word": "either"}, "10"),
]
SPREAD: list[Row] = [
    (e, w, r, {"model": m}, str(v)) for e, w, r, values in GSM8K for m, v in zip(GSM, values, strict=True)
]
OTHERS = [pytest.param(Figure(*row), marks=pytest.mark.slow) for row in (*SPREAD, *ZEROEVAL, *OPENQA)]
FIGURES = [*(Figure(*row) for row in SAMPLE), *OTHERS]


@pytest.mark.parametrize("published", FIGURES, ids=str)
def test_figure(finish: Finish, published: Figure) -> None:
    experiment, what, reading, cell, figure = published
    decimals = len(figure.partition(".")[2])
    assert f"{finish(experiment).number(what, reading, cell):.{decimals}f}" == figure


# Marker, audited trials whose raw and whose stored text hold it.
MARKERS = [
    ("user", 100, 1),
    ("assistant", 96, 2),
    ("system", 13, 5),
    ("question", 48, 9),
    ("passage", 27, 0),
    ("think_start", 0, 0),
    ("think_end", 120, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("marker", "raw", "stored"), MARKERS)
def test_markers(finish: Finish, marker: str, raw: int, stored: int | None) -> None:
    assert incidence(finish, f"raw text has {marker} markers") == raw
    if stored is not None:
        assert incidence(finish, f"stored text has {marker} markers") == stored


@pytest.mark.slow
def test_raw_and_stored_texts_differ(finish: Finish) -> None:
    assert incidence(finish, "raw and stored text differ") == 146


def incidence(finish: Finish, what: str) -> int:
    """A number of the report's table of markers."""
    section = finish("vivarium_markers").report.split("## Garbage-Marker Incidence")[1].split("\n## ")[0]
    found = re.search(rf"^\| {re.escape(what)} \| ([\d,]+) \|$", section, re.MULTILINE)
    assert found is not None, section
    return int(found[1].replace(",", ""))


def test_buckets_and_cells_of_the_sample(finish: Finish) -> None:
    done = finish("answer_parsing")
    assert done.exit_code == 0
    assert done.result["counts"] == {"read": 2160, "audited": 1080, "no_ground_truth": 1080}
    cells = done.measurements.filter(metric="n", reading="stored").drop_nulls("variant")
    assert (len(cells), set(cells["value"])) == (54, {20.0})


@pytest.mark.slow
def test_truths_that_are_the_text_none_are_told(finish: Finish) -> None:
    """Without `nulls` the opinion items are scored, and the run says so; with them there is nothing to say."""
    told = [warning for warning in finish("vivarium_rates").result["warnings"] if "missing value" in warning]
    assert len(told) == 1
    assert "'None' × 1,080" in told[0]
    assert "source.nulls.ground_truth=['None']" in told[0]
    assert finish("vivarium_rates").result["counts"] == {"read": 2160, "audited": 2160}
    assert not [warning for warning in finish("answer_parsing").result["warnings"] if "missing value" in warning]


@pytest.mark.slow
def test_rates_that_the_authors_published(finish: Finish) -> None:
    """All 54 rows of rates_combined.csv: counts exact, rates to the last digit but rounding."""
    correct, refused = finish("vivarium_rates"), finish("vivarium_rates", *REFUSALS)
    with open(actual("sample:vivarium_behavioral/rates_combined.csv"), encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == 54
    for row in rows:
        cell: Cell = {"temperature": float(row["temperature"]), "variant": row["variant"]}
        cell["condition"] = row["condition_name"]
        assert correct.number("n", "stored", cell) == int(row["n_trials"]) == 40
        assert correct.number("right", "stored", cell) == int(row["n_correct"])
        assert refused.number("right", "stored", cell) == int(row["n_refusals"])
        assert correct.number("error_rate", "stored", cell) / 100 == pytest.approx(float(row["error_rate"]), abs=1e-12)
        assert correct.number("percent_right", "stored", cell) / 100 == pytest.approx(float(row["accuracy"]), abs=1e-12)
        rate = refused.number("percent_right", "stored", cell) / 100
        assert rate == pytest.approx(float(row["refusal_rate"]), abs=1e-12)


@pytest.mark.slow
def test_who_is_better_on_gsm8k(finish: Finish) -> None:
    """286, 515, 458 and 742 of 1,319 right: 515 - 458 = 57 labels apart, so that 58 reverse the order of these two."""
    sides = "better: \"model = '6b_verification'\", than: \"model = '175b_finetuning'\""
    claims = [f"+claims.first={{use: difference, {sides}}}", f"+claims.by_four={{use: difference, {sides}, by: 4}}"]
    done = finish("gsm8k_anywhere", "+source.columns.item=question", *claims)
    scope = done.result["answer"]["scope"]
    assert says.FIRST_HOLDS_IN_OF_READINGS_CHANGED in scope
    assert says.BY_FOUR_HOLDS_IN_OF in scope
    table = done.report.split("## Ranking")[1].split("\n## ")[0]
    ranks = re.findall(r"^\| (\w+) \| 1,319 \| ([\d.]+) .*\| ([^|]+) \|$", table, re.MULTILINE)
    assert ranks == [
        ("175b_verification", "43.75", "1"),
        ("6b_verification", "60.96", "2"),
        ("175b_finetuning", "65.28", "3"),
        ("6b_finetuning", "78.32", "4"),
    ]


@pytest.mark.slow
def test_spelling_fails_the_gate_that_the_number_passes(finish: Finish) -> None:
    assert finish("gsm8k_labels").result["verdict"] == "pass"
    spelt = finish("gsm8k_spelling")
    assert (spelt.exit_code, spelt.result["verdict"], spelt.number("mismatches", "answer_line+none", {})) == (
        1,
        "fail",
        10,
    )


@pytest.mark.slow
def test_gate_without_stored_labels_is_left_out_with_a_warning(finish: Finish) -> None:
    done = finish("zeroeval_gsm")
    assert (done.exit_code, done.result["verdict"], done.result["gates"]) == (0, "none", [])
    assert says.GATE_BASELINE_REPRODUCES_LEFT_OUT_THE in done.result["warnings"]


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["openqa_human", "openqa_human_fid"])
def test_the_answer_without_a_judgment_is_told(finish: Finish, experiment: str) -> None:
    """One answer of the few-shot file ("07") and one of FiD's ("01") stands in no row that was judged."""
    told = says.ROWS_WITHOUT_A_MATCH_FILLED
    warnings = finish(experiment).result["warnings"]
    assert [warning for warning in warnings if warning.startswith("source.join")] == [told]
    assert [i["path"].rpartition("/")[2] for i in finish(experiment).result["inputs"]][-1] == "NQ301_human.tsv"


@pytest.mark.slow
def test_lines_of_the_judged_questions(finish: Finish) -> None:
    """The lines that openqa_fid selects hold exactly the questions of the file that was judged as a whole."""
    lines = (NQ / "NQ_FiD.jsonl").read_text("utf-8").split("\n")
    chosen = [json.loads(lines[int(number) - 1])["question"] for number in finish("openqa_fid").trials["id"]]
    judged = [json.loads(line)["question"] for line in (NQ / "NQ301_text-davinci-003_zeroshot.jsonl").open("rb")]
    assert sorted(chosen) == sorted(judged)
