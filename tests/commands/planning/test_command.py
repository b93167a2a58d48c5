"""`auditfw plan`: the figures of two public sets, typed numbers, raters, what it refuses, and its exit codes."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from places import TESTS
from running import run_auditfw
from sentences import commands as says

GSM8K = TESTS / "cases" / "data" / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz"
MODELS = ("175b_verification", "175b_finetuning")
QUIET = ("report=[]", "gate=[]", "audit.near=null", "audit.probe=null", "audit.baseline=null")


def plan(*words: str, cwd: Path) -> dict[str, Any]:
    done = run_auditfw(["plan", *words, "--json"], cwd)
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def asked(document: dict[str, Any]) -> dict[str, int]:
    return {one["question"]: one["items"] for one in document["questions"]}


@pytest.fixture(scope="module")
def gsm8k(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two of the models."""
    folder = tmp_path_factory.mktemp("gsm8k")
    with gzip.open(GSM8K, "rt", encoding="utf-8") as file, (folder / "rows.jsonl").open("w") as rows:
        for number, line in enumerate(file):
            record = json.loads(line)
            truth = record["ground_truth"].rpartition("A:")[2].strip()
            for model in MODELS:
                own = record[model]
                row = {"id": f"{number}-{model}", "item": str(number), "model": model, "ground_truth": truth}
                rows.write(json.dumps({**row, "raw_text": own["solution"], "stored": own["is_correct"]}) + "\n")
    source = ("source=jsonl", "source.path=rows.jsonl", "by=[model]", "parser=[last_number]", "normalizer=[none]")
    done = run_auditfw([*source, "matcher=numeric", *QUIET, "hydra.run.dir=run"], folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_pair_of_gsm8k(gsm8k: Path) -> None:
    """360 won and 76 lost of 1,319; 742 right."""
    two = plan("run", "gate=0.5", cwd=gsm8k)
    assert asked(two) == {"width": 2360, "difference": 6489, "gate": 500}
    assert asked(plan("run", "difference=5", cwd=gsm8k))["difference"] == 1040
    assert [two[side]["name"] for side in ("side", "other")] == [*MODELS]
    [pair] = [one for one in two["questions"] if one["question"] == "difference"]
    assert (pair["common"], round(pair["sees"], 1), pair["calls"]) == (1319, 4.4, 12978)
    shown = run_auditfw(["plan", "run"], gsm8k).stdout
    assert says.SIX_THOUSAND_FIVE_HUNDRED_ITEMS in shown


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    done = run_auditfw(["by=[variant]", "report=[]", "gate=[]", "hydra.run.dir=run"], folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_shipped_sample(sample: Path) -> None:
    noise = plan("run", "better=variant = 'base'", cwd=sample)["noise"]
    assert (noise["items"], noise["trials"]) == (20, 180)
    assert [round(noise["variance"][name]["value"], 4) for name in ("item", "repeat")] == [0.0527, 0.0931]
    halves = {one["what"]: round(one["half_width"], 1) for one in noise["buy"]}
    assert halves == {"now": 11.7, "twice_items": 8.0, "twice_repeats": 11.3, "items_once": 5.6}
    shown = run_auditfw(["plan", "run", "better=variant = 'base'"], sample).stdout
    assert says.NOW_AND_WHAT_TO_BUY in shown
    assert says.ELEVEN_HOLD_THE_RARER in shown


def test_typed_numbers(tmp_path: Path) -> None:
    document = plan("rate=0.8", "discordant=0.1", "difference=2", "gate=0.75", cwd=tmp_path)
    assert asked(document) == {"width": 1535, "difference": 1965, "gate": 563}
    assert (document["run"], document["side"], document["noise"]) == (None, None, None)
    shown = run_auditfw(["plan", "discordant=0.1"], tmp_path).stdout
    assert says.TWO_THOUSAND_ITEMS in shown
    assert "± 2" not in shown
    assert says.FEWER_THAN_30 in run_auditfw(["plan", "rate=0.9", "gate=0.5"], tmp_path).stdout


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of 40 items asked three times each, and a third model on items of its own; a run without items."""
    folder = tmp_path_factory.mktemp("repeated")
    rows = [
        {
            "id": f"{model}{item}{repeat}",
            "item": f"{'z' if model == 'c' else ''}{item}",
            "model": model,
            "raw_text": f"{repeat} so 4",
            "ground_truth": "4",
            "stored": int((item * 7 + repeat * place) % 5 > place),
        }
        for place, model in enumerate("abc")
        for item in range(40)
        for repeat in range(3)
    ]
    alone = [{key: row[key] for key in row if key not in ("item", "model")} for row in rows if row["model"] == "a"]
    source = ("source=jsonl", "parser=[last_number]", "normalizer=[none]", "matcher=numeric")
    for name, written, by in (("run", rows, "model"), ("one", alone, "")):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in written), "utf-8")
        words = [f"source.path={name}.jsonl", f"by=[{by}]", f"hydra.run.dir={name}"]
        done = run_auditfw([*source, *QUIET, *words], folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["run", "gate=0.95"], 2, says.NO_NUMBER_OF_ITEMS),
        (["run", "difference=0"], 2, says.DIFFERENCE_IS_POINTS),
        (["run", "better=model = 'a'", "than=model = 'c'"], 2, says.NO_COMMON_ITEM),
        (["run", "than=model = 'x'"], 2, "than: matches no cell"),
        (["run", "reading=x"], 2, "reading: no reading 'x' in this run"),
        (["one", "better=model = 'a'"], 2, "better: the run has one cell"),
        (["rate=0.9", "gate=0.9"], 2, "the rate typed is 0.9"),
        (["rate=0.8", "difference=2"], 2, says.NEEDS_DISCORDANT),
        (["discordant=0.1", "width=2"], 2, "width: needs a rate to plan from"),
        ([], 2, says.PLAN_NEEDS_A_RUN),
        (["width=2"], 2, says.PLAN_NEEDS_A_RUN),
        (["run", "one"], 2, "plan: needs one run folder"),
        (["run.jsonl"], 3, "run.jsonl: is a file"),
        (["."], 3, "no such file"),
    ],
)
def test_what_is_refused(repeated: Path, words: list[str], code: int, message: str) -> None:
    done = run_auditfw(["plan", *words], repeated)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert message in done.stderr


def test_without_a_label_table(repeated: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(repeated / "run", run)
    (run / "trials.parquet").unlink()
    result = json.loads((run / "result.json").read_text("utf-8"))
    del result["digests"]["trials.parquet"]
    (run / "result.json").write_text(json.dumps(result), "utf-8")
    done = run_auditfw(["plan", "run"], tmp_path)
    assert (done.returncode, done.stderr) == (3, says.RUN_HAS_NO_LABEL_TABLE)


def test_a_run_with_one_cell_plans_no_difference(repeated: Path) -> None:
    document = plan("one", cwd=repeated)
    assert list(asked(document)) == ["width"]
    assert document["not_planned"] == [says.NO_DIFFERENCE_WITHOUT_ITEMS]
    assert document["noise"]["variance"]["repeat"] is None  # each trial is an item of its own
    assert asked(plan("one", "discordant=0.1", cwd=repeated))["difference"] == 1965


def test_repeats_are_counted_as_calls(repeated: Path) -> None:
    document = plan("run", cwd=repeated)
    by_question = {one["question"]: one for one in document["questions"]}
    assert by_question["width"]["calls"] == 3 * by_question["width"]["items"]
    assert by_question["difference"]["calls"] == 6 * by_question["difference"]["items"]
    assert says.TRIALS_SAY_AS_MUCH in run_auditfw(["plan", "run"], repeated).stdout


def test_prices(repeated: Path) -> None:
    done = run_auditfw(["plan", "run", "cost={item: 10, trial: 0.5}"], repeated)
    assert (done.returncode, "gain per 1,000 spent" in done.stdout) == (0, True)


def test_raters_and_one_more_judge(tmp_path: Path) -> None:
    lines = ["qid\tone\ttwo\tthree"]
    for n in range(60):
        labels = ("VALID" if n % 3 else "INVALID", "VALID" if n % 4 else "INVALID", "VALID" if n % 5 else "INVALID")
        lines.append("\t".join((f"q{n}", *labels)))
    for place, name in enumerate(("one", "two", "three"), 1):
        rows = ["qid,label", *(f"{line.split(chr(9))[0]},{line.split(chr(9))[place]}" for line in lines[1:])]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", "utf-8")
    paths = "source.paths={one: one.csv, two: two.csv, three: three.csv}"
    words = ["experiment=cross_agent", "source=raters", paths, "audit.reference=one", "report=[]", "gate=[]"]
    done = run_auditfw(
        [*words, "audit.acceptable=[VALID]", "audit.labels=[VALID,INVALID]", "hydra.run.dir=run"], tmp_path
    )
    assert done.returncode == 0, done.stderr
    document = plan("run", cwd=tmp_path)
    assert (document["readings"], document["questions"]) == (["one", "two", "three"], [])
    assert [one["what"] for one in document["noise"]["buy"]] == ["now", "twice_items", "twice_repeats", "one_judge"]
    shown = run_auditfw(["plan", "run"], tmp_path).stdout
    assert says.RATERS_ARE_NO_SAMPLE in shown
    assert asked(plan("run", "reading=two", cwd=tmp_path))["width"] > 100
