"""`auditfw adjudicate`: the published figures of the shipped sample, labels made elsewhere, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw import samples
from auditfw.audits.adjudication.draw_files import read_draw
from auditfw.audits.adjudication.results import PeoplesResults
from auditfw.audits.adjudication.settings import AdjudicationSettings
from auditfw.audits.adjudication.trials import labelled_trials
from auditfw.commands.label import label
from auditfw.core.errors import AuditError

LABELS = samples.actual("sample:vivarium_behavioral/labels.csv")
QUIET = ("report=[]", "audit.near=null", "audit.lossy=allow", "audit.probe=null", "hydra.run.dir=run")
MADE = (
    *("source=jsonl", "source.path=mine.jsonl", "source.columns.item=task", "by=[model]", "parser=[stored,raw]"),
    *("normalizer=[v1]", "matcher=containment", "gate=[]", "audit.baseline=null"),
)


def adjudicated(folder: Path, *words: str, code: int = 0) -> dict[str, Any]:
    """What an adjudication in a folder comes to."""
    done = run_auditfw(["adjudicate", *words, "report=[]", "hydra.run.dir=by_people"], folder)
    assert done.returncode == code, done.stderr
    read: dict[str, Any] = json.loads((folder / "by_people" / "result.json").read_text("utf-8"))
    return read


def numbers(result: dict[str, Any], metric: str, reading: str) -> list[float]:
    """A number and the ends of its interval, in four places."""
    found = next(m for m in result["measurements"] if (m["metric"], m["reading"]) == (metric, reading))
    return [round(found[part], 4) for part in ("value", "low", "high")]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the shipped sample, 100 trials drawn, and of its adjudication by the shipped labels."""
    folder = tmp_path_factory.mktemp("sample")
    assert run_auditfw(QUIET, folder).returncode == 0
    label([str(folder / "run"), "n=100", "format=[csv]"])
    adjudicated(folder, "run", LABELS)
    return folder


def test_published(sample: Path) -> None:
    result = json.loads((sample / "by_people" / "result.json").read_text("utf-8"))
    assert result["counts"] == {"read": 100, "audited": 97, "undecided": 3}
    figures = {
        ("error_rate", "people"): [18.0796, 10.3704, 28.7037],
        ("bias_pp", "stored"): [6.6427, -3.9815, 14.3519],
        ("agrees", "stored"): [86.9601, 74.8148, 93.2407],
        ("false_right", "stored"): [4.2491, 1.2300, 15.7442],
        ("false_wrong", "stored"): [39.8074, 17.9775, 68.9139],
    }
    assert {named: numbers(result, *named) for named in figures} == figures
    answer = result["answer"]
    assert (answer["status"], answer["headline"]) == ("unknown", says.CANNOT_TELL_WHETHER_OFF)
    assert answer["next"] == says.ABOUT_82_MORE


def test_pairs_of_readings_by_questions(sample: Path) -> None:
    settings = AdjudicationSettings(str(sample / "run"), (LABELS,))
    results = PeoplesResults(settings, labelled_trials(settings, ()))
    assert results.best == "stored+v2"
    pairs = {name: (p.differ, p.labelled, p.items, p.right, p.p) for name, p in results.against.items()}
    assert pairs["stored"] == (17, 14, 2, 14, 0.5)
    assert pairs["answer_v2+v1"] == (40, 34, 13, 32, 0.016357421875)
    share = results.against["answer_v2+v1"].share
    assert share is not None
    assert [round(100 * end, 4) for end in (share.value, share.low, share.high)] == [94.25, 90.0, 95.0]
    new = results.error_of_new
    assert new is not None
    assert [round(100 * end, 4) for end in (new.low, new.high)] == [7.4296, 33.6692]
    assert results.half_as_wide == 70


def test_tables(sample: Path) -> None:
    trials = pl.read_parquet(sample / "by_people" / "trials.parquet")
    assert trials.columns[:5] == ["id", "status", "class", "probability", "people"]
    assert trials.height == 100
    assert trials["people"].sum() == 84
    assert trials["people"].null_count() == 3
    assert round((1 / trials["probability"]).sum(), 6) == 1080
    labels = pl.read_parquet(sample / "by_people" / "labels.parquet")
    assert labels.columns == ["key", "id", "labeller", "label", "note", "file", "row"]
    assert (labels["id"][0], labels["label"][0], labels["row"][0]) == (trials["id"][0], "wrong", 2)


def test_other_commands_know_it(sample: Path) -> None:
    """`report` of the run has a line on it, `explain` its rules; the same words give the same bytes."""
    shown = run_auditfw(["report", "run", "report=[console]"], sample)
    assert says.BY_PEOPLE_CANNOT_TELL in " ".join(shown.stdout.replace("│", " ").split())
    explained = run_auditfw(["explain", "by_people"], sample)
    assert explained.returncode == 0
    assert says.WHETHER_FAR_FROM_PEOPLE in explained.stdout
    checked = run_auditfw(["check", "experiment=adjudication", "audit.run=run", f"audit.labels=[{LABELS}]"], sample)
    assert says.LABELS_97_OF_100 in checked.stdout
    before = (sample / "by_people" / "result.json").read_bytes()
    shutil.rmtree(sample / "by_people")
    adjudicated(sample, "run", LABELS)
    assert (sample / "by_people" / "result.json").read_bytes() == before


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 3 models at 40 questions: every fourth stored label is wrong, the reading of the raw text is right."""
    folder = tmp_path_factory.mktemp("made")
    rows = [
        {
            **{"id": f"{model}-{task}", "task": task, "model": model, "question": f"What is {task} + 1?"},
            **{"ground_truth": str(task + 1), "raw_text": f"It is {task + 1 if task % 3 else -9}."},
            **{"parsed_text": "", "stored": int(task % 3 > 0 and task % 4 > 0)},
        }
        for task in range(1, 41)
        for model in ("a", "b", "c")
    ]
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = run_auditfw((*MADE, *QUIET), folder)
    assert done.returncode == 0, done.stderr
    assert run_auditfw(["label", "run", "n=60", "by=[model]"], folder).returncode == 0
    return folder


def right(name: str) -> bool:
    """Whether the answer of a trial is right: all but those to every third question."""
    return int(name.partition("-")[2]) % 3 > 0


def labels(folder: Path, name: str, rows: list[str], head: str = "id,label") -> str:
    """A file of labels in a folder."""
    (folder / name).write_text("".join(f"{row}\n" for row in (head, *rows)), "utf-8")
    return name


def by_truth(ids: list[str]) -> list[str]:
    """The labels of these trials by somebody who is never wrong."""
    return [f"{name},{'right' if right(name) else 'wrong'}" for name in ids]


def every_id() -> list[str]:
    return [f"{model}-{task}" for task in range(1, 41) for model in ("a", "b", "c")]


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a copy of that run."""
    shutil.copytree(made, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def test_cells_are_those_of_the_draw(here: Path) -> None:
    """Everybody's labels are known: 13 of 40 answers of each model are wrong, and the reading of the raw text knows."""
    ids = read_draw(here / "run", "labels").rows()["id"].to_list()
    result = adjudicated(here, "run", labels(here, "mine.csv", by_truth(ids)))
    assert result["by"] == ["model"] if "by" in result else True
    cells = pl.read_parquet(here / "by_people" / "measurements.parquet")
    people = cells.filter((pl.col("metric") == "error_rate") & (pl.col("reading") == "people"))
    assert people["model"].to_list() == [None, "a", "b", "c"]
    [whole, *_] = people["value"].to_list()
    assert whole == pytest.approx(100 * 13 / 40, abs=6)
    assert numbers(result, "agrees", "raw+v1")[0] == 100.0
    assert result["answer"]["status"] == "broken"


def adjudication(here: Path, *rows: str, head: str = "id,label", **settings: Any) -> PeoplesResults:
    """What rows of labels say of that run."""
    made = AdjudicationSettings("run", (labels(here, "mine.csv", list(rows), head),), **settings)
    return PeoplesResults(made, labelled_trials(made, ()))


def test_labels_of_all_trials_whatever_they_were_chosen_by(here: Path) -> None:
    """With every trial labelled each way to choose them gives the share itself: 39 of 120."""
    rows = by_truth(every_id())
    for sampling in ("random", "items"):
        results = adjudication(here, *rows, sampling=sampling)
        assert results.error is not None
        assert results.error.value == pytest.approx(39 / 120)
        assert results.trials.counts == {"read": 120, "audited": 120}
    weighted = adjudication(here, *(f"{row},1" for row in rows), head="id,label,probability", sampling="probability")
    assert weighted.error is not None
    assert weighted.error.value == pytest.approx(39 / 120)
    assert weighted.off is not None
    assert weighted.off.own == pytest.approx(60 / 120)


def test_claims_are_read_with_peoples_numbers(here: Path) -> None:
    """Everybody's labels: 13 of 40 answers of each model are wrong, so no model is better, and 40 % is not reached."""
    side = "+claims.side={use: difference, metric: error_rate, better: \"model = 'a'\", than: \"model = 'b'\"}"
    most = "+claims.most={use: at_most, metric: error_rate, value: 40}"
    least = "+claims.least={use: at_least, metric: error_rate, value: 60, where: \"model = 'a'\"}"
    file = labels(here, "all.csv", by_truth(every_id()))
    words = ("audit.sampling=random", "by=[model]", "gate=[stable]", side, most, least)
    result = adjudicated(here, "run", file, *words, code=1)
    rules = {rule["rule"]: rule["fired"] for rule in result["answer"]["rules"] if rule["rule"].startswith("claim")}
    assert rules == {"claim_fails": True}
    assert says.LEAST_FAILS in " ".join(result["answer"]["because"])
    assert [gate["status"] for gate in result["gates"]] == ["fail"]


def test_labels_of_a_run_with_raters(tmp_path: Path) -> None:
    """Whoever agrees with one of two raters: that one agrees best, and questions are those of the draw."""
    words = ("experiment=cross_agent_reference", "report=[]", "hydra.run.dir=run")
    assert run_auditfw(words, tmp_path).returncode in (0, 1)
    assert run_auditfw(["label", "run", "n=60"], tmp_path).returncode == 0
    drawn = read_draw(tmp_path / "run", "labels").rows()
    rows = [f"{key},{'right' if one else 'wrong'}" for key, one in zip(drawn["key"], drawn["scholar"], strict=True)]
    result = adjudicated(tmp_path, "run", labels(tmp_path, "mine.csv", rows, "key,label"))
    assert numbers(result, "agrees", "scholar")[0] == 100.0
    assert result["answer"]["kinds"][0] == "better"


def test_probabilities_weigh(here: Path) -> None:
    """Ten right ones that were drawn with 1/2 and ten wrong ones with 1/4 stand for 20 and 40: two thirds."""
    names = every_id()
    rows = [f"{name},right,0.5" for name in names if right(name)][:10]
    rows += [f"{name},wrong,0.25" for name in names if not right(name)][:10]
    results = adjudication(here, *rows, head="id,label,probability", sampling="probability")
    assert results.error is not None
    assert results.error.value == pytest.approx(2 / 3)


def test_two_labellers(here: Path) -> None:
    """They differ on 2 of 20: undecided, or as one of them says."""
    names = [name for name in every_id() if name[0] == "a"][:20]
    rows = [f"{row},ann" for row in by_truth(names)]
    rows += [f"{name},{'right' if right(name) != (i < 2) else 'wrong'},bob" for i, name in enumerate(names)]
    settings: dict[str, Any] = {"head": "id,label,labeller", "sampling": "random"}
    both = adjudication(here, *rows, **settings)
    assert (both.labelled, both.undecided, both.people) == (18, 2, ["ann", "bob"])
    assert both.labellers is not None
    assert (both.labellers.pairs, both.labellers.equal) == (20, 18)
    assert both.labeller_error == pytest.approx((1 - (1 - 2 * 0.1) ** 0.5) / 2)
    assert adjudication(here, *rows, disagree="ann", **settings).labelled == 20


def refusal(call: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(AuditError) as caught:
        call()
    return caught.value.exit_code, str(caught.value)


ALL = by_truth(every_id())


@pytest.mark.parametrize(
    ("rows", "head", "settings", "expected"),
    [
        (["k0,right"], "key,label", {}, (3, says.WAS_NOT_DRAWN)),
        (["x-1,right"], "id,label", {"sampling": "random"}, (3, says.IS_NO_TRIAL)),
        (ALL[:1], "id,verdict", {}, (3, says.NO_COLUMN_LABEL)),
        (["a-1,maybe", "a-2,maybe"], "id,label", {"sampling": "random"}, (3, says.MAYBE_IS_NO_LABEL)),
        (["a-1,right", "a-1,wrong"], "id,label", {"sampling": "random"}, (3, says.ANOTHER_LABEL)),
        (ALL[:4], "id,label", {"sampling": "items"}, (3, says.LABELLED_IN_PART)),
        ([f"{ALL[0]},0"], "id,label,probability", {"sampling": "probability"}, (3, says.EXPECTED_A_PROBABILITY)),
        ([f"{ALL[0]},"], "id,label,probability", {"sampling": "probability"}, (3, says.EXPECTED_A_PROBABILITY_NOTHING)),
        ([r for r in ALL if not int(r[2:].partition(",")[0]) % 4][:28], "id,label", {"sampling": "random"},
         (3, says.NO_RANDOM_TRIALS)),
        (ALL[:30], "id,label", {"sampling": "random"}, (3, says.NO_SINGLE_TRIALS)),
        (["k0,right"], "key,label", {"sampling": "random"}, (3, says.KEYS_OF_A_DRAW)),
        (ALL[:1], "id,label", {"sampling": "random", "reference": "raw+v2"}, (2, says.NO_READING)),
        (ALL[:1], "id,label", {"draw": "second"}, (2, says.NO_DRAW_OF_THIS_NAME)),
    ],
)  # fmt: skip
def test_what_is_refused(
    rows: list[str], head: str, settings: dict[str, Any], expected: tuple[int, str], here: Path
) -> None:
    assert refusal(lambda: adjudication(here, *rows, head=head, **settings)) == expected


def test_folders_that_are_refused(here: Path) -> None:
    shutil.rmtree(here / "run" / "labels")
    assert refusal(lambda: adjudication(here, *ALL)) == (2, says.NO_LABELS_WERE_DRAWN)
    (here / "run" / "result.json").unlink()
    assert refusal(lambda: adjudication(here, *ALL)) == (2, says.NO_FINISHED_RUN)


@pytest.mark.parametrize(("words", "line"), [((), says.NEEDS_A_RUN), (("run",), says.NEEDS_FILES)])
def test_words_that_are_missing(words: tuple[str, ...], line: str, tmp_path: Path) -> None:
    done = run_auditfw(["adjudicate", *words], tmp_path)
    assert (done.returncode, done.stderr) == (2, f"auditfw: error: {line}\n")


def test_no_label_at_all(here: Path) -> None:
    """Empty cells are no labels: nothing was audited."""
    drawn = read_draw(here / "run", "labels").rows()
    file = labels(here, "empty.csv", [f"{key}," for key in drawn["key"]], "key,label")
    assert adjudicated(here, "run", file, code=5)["counts"] == {"read": 60, "audited": 0, "not_reached": 60}
