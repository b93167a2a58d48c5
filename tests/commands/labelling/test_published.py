"""Draws from public sets, to the digit of the figures that the design was decided by.

OpenQA-eval (Kamalloo et al. 2023) and the model solutions of GSM8K (Cobbe et al. 2021), in tests/cases/data.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from places import TESTS
from running import run_auditfw

from auditfw.audits.adjudication.answer import answer_of
from auditfw.audits.adjudication.draw_files import read_draw
from auditfw.audits.adjudication.results import PeoplesResults
from auditfw.audits.adjudication.samples import samples
from auditfw.audits.adjudication.settings import AdjudicationSettings
from auditfw.audits.adjudication.trials import labelled_trials
from auditfw.formulas.people.shares import Share

pytestmark = pytest.mark.slow  # whole runs

DATA = TESTS / "cases" / "data"
OPENQA, GSM8K = DATA / "openqa_eval_nq301", DATA / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz"
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
ALIKE = (
    *("source=jsonl", "source.path=rows.jsonl", "source.columns.item=item", "audit.baseline=null", "audit.near=null"),
    *("audit.lossy=allow", "report=[]", "gate=[]", "hydra.run.dir=run"),
)


def flat(value: Any) -> list[str]:
    return [text for one in value for text in flat(one)] if isinstance(value, list) else [str(value)]


def asked(question: str) -> str:
    return question.strip().lower().rstrip("?")


def openqa() -> Iterator[dict[str, Any]]:
    """1,490 answers, 1,487 of them judged by GPT-4; all by people."""

    def table(name: str) -> list[dict[str, str]]:
        with (OPENQA / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    with (OPENQA / "NQ_FiD.jsonl").open(encoding="utf-8") as file:
        truths = {asked(row["question"]): flat(row["answer"]) for row in map(json.loads, file)}
    judged = {(row["Question"], row["Model answer"]): row["Acceptable?"].strip() for row in table("NQ301_gpt-4.tsv")}
    seen: Counter[str] = Counter()
    for row in table("NQ301_human.tsv"):
        seen[row["id"]] += 1
        label = judged.get((row["Question"], row["Model answer"]))
        yield {
            **{"id": f"{row['id']}-{seen[row['id']]}", "item": row["id"], "question": row["Question"]},
            **{"raw_text": row["Model answer"], "ground_truth": truths[asked(row["Question"])], "gpt4": label},
            "human": row["Acceptable?"].strip() == "Yes",
        }


def gsm8k() -> Iterator[dict[str, Any]]:
    """The solutions of four models."""
    with gzip.open(GSM8K, "rt", encoding="utf-8") as file:
        for number, row in enumerate(map(json.loads, file)):
            for model in MODELS:
                yield {
                    **{"id": f"{number}-{model}", "item": number, "model": model, "question": row["question"]},
                    **{"raw_text": row[model]["solution"], "stored": int(row[model]["is_correct"])},
                    **{"ground_truth": row["ground_truth"].rsplit("A: ", 1)[1].strip()},
                    "human": row[model]["is_correct"],
                }


OF_OPENQA = (
    *("by=[]", "parser=[raw]", "normalizer=[v1,squad]", "matcher=[containment,exact]", "audit.labels=judge"),
    *("source.columns.stored=gpt4", "audit.stored_true=[Yes]", "audit.stored_false=[No]", "audit.unknown_stored=count"),
)
OF_GSM8K = (
    *("by=[model]", "audit.reference=raw+none+containment", "parser=[answer_line,last_number,raw]"),
    *("normalizer=[none]", "matcher=[numeric,containment]"),
    "audit.readings=[answer_line+none+numeric,last_number+none+numeric,raw+none+containment]",
)
DRAWS = [
    (
        *(openqa, OF_OPENQA),
        {"reference": "stored", "trials": (316, 707, 452, 15), "drawn": (31, 69, 48, 2), "first": "265-1"}
        | {"n_eff": 638.4198},
        {
            "error_rate@people": [44.0692, 38.6577, 49.5973],
            "bias_pp@stored": [4.3581, -1.1432, 9.7512],
            "agrees@stored": [85.5097, 79.0182, 90.0471],
            "false_right@stored": [9.8090, 5.2083, 18.0990],
            "false_wrong@stored": [19.4906, 12.1001, 29.7636],
            "new questions": [44.0692, 37.4834, 50.7723],
            "half as wide": 284,
            "pair": ("stored", "raw+v1+containment", 309, 36, 32, 28, 0.00322918),
            "pair share": [77.9840, 62.4595, 88.3495],
            "answer": ("unknown", {"wide"}),
        },
    ),
    (
        *(gsm8k, OF_GSM8K),
        {"reference": "raw+none+containment", "trials": (1992, 2799, 476, 9), "drawn": (42, 58, 48, 2)}
        | {"first": "466-6b_verification", "n_eff": 2369.9538},
        {
            "error_rate@people": [62.0735, 58.7756, 65.1820],
            "bias_pp@raw+none+containment": [-8.8514, -11.9598, -5.5534],
            "agrees@raw+none+containment": [90.8074, 86.3154, 92.1911],
            "false_right@raw+none+containment": [19.2869, 16.6532, 25.9319],
            "false_wrong@raw+none+containment": [0.3205, 0.0712, 6.4103],
            "new questions": [62.0735, 58.2390, 65.7316],
            "half as wide": 152,
            "pair": ("stored", "raw+none+containment", 485, 50, 46, 50, 0.0),
            "pair share": [100.0, 93.1959, 100.0],
            "answer": ("fragile", {"off_some", "better", "wide"}),
        },
    ),
]


@pytest.mark.parametrize(("rows", "words", "wanted", "people"), DRAWS)
def test_a_draw_of_150(
    tmp_path: Path, rows: Any, words: tuple[str, ...], wanted: dict[str, Any], people: dict[str, Any]
) -> None:
    made = list(rows())
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made), "utf-8")
    assert run_auditfw((*ALIKE, *words), tmp_path).returncode == 0
    done = run_auditfw(("label", "run", "format=[csv]"), tmp_path)
    assert done.returncode == 0, done.stderr
    draw = read_draw(tmp_path / "run", "labels")
    [group] = draw.groups
    assert wanted == {
        **{"reference": draw.reference, "trials": group.trials, "drawn": group.drawn, "first": draw.rows()["id"][0]},
        "n_eff": round(draw.n_eff[()] or 0, 4),
    }
    drawn, human = draw.rows()["id"].to_list(), {row["id"]: "right" if row["human"] else "wrong" for row in made}
    (tmp_path / "labels.csv").write_text("id,label\n" + "".join(f"{name},{human[name]}\n" for name in drawn), "utf-8")
    assert numbers_of(tmp_path, people["pair"][:2]) == people


def numbers_of(folder: Path, pair: tuple[str, str]) -> dict[str, Any]:
    """What people's labels come to: of the reference, of a pair of readings, and the answer."""
    settings = AdjudicationSettings(str(folder / "run"), (str(folder / "labels.csv"),))
    results = PeoplesResults(settings, labelled_trials(settings, ()))
    by_reading = {sample.reading.name: sample.data.by_metric for sample in samples(results)}
    against, answer = results.against[pair[1]], answer_of(results)
    assert against.best == pair[0]

    def ends(share: Share | None) -> list[float]:
        assert share is not None
        return [round(100 * end, 4) for end in (share.value, share.low, share.high)]

    def of(metric: str, reading: str) -> list[float]:
        estimate = by_reading[reading][metric]
        return [round(end or 0.0, 4) for end in (estimate.value, estimate.low, estimate.high)]

    counts = (against.differ, against.labelled, against.items, against.right, round(against.p, 8))
    return {
        "error_rate@people": of("error_rate", "people"),
        **{
            f"{name}@{results.reference}": of(name, results.reference)
            for name in ("bias_pp", "agrees", "false_right", "false_wrong")
        },
        **{"new questions": ends(results.error_of_new), "half as wide": results.half_as_wide},
        **{"pair": (*pair, *counts), "pair share": ends(against.share)},
        "answer": (answer.status, {rule.rule for rule in answer.rules if rule.fired}),
    }
