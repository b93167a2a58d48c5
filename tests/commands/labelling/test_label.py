"""`auditfw label`: what it draws from the shipped sample and from a small run, what it writes, what it refuses."""

from __future__ import annotations

import csv
import json
import shutil
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from places import ROOT
from running import run_auditfw
from sentences import commands as says

from auditfw.audits.adjudication.draw_files import read_draw
from auditfw.commands.label import label
from auditfw.commands.labelling.page import TrialToLabel
from auditfw.commands.labelling.settings import LabelSettings, read_settings
from auditfw.commands.labelling.written import csv_text
from auditfw.core.errors import AuditError

JUDGED = ROOT / "auditfw" / "samples" / "openqa_judges" / "pairs.jsonl"
FIRST = "3ee83345-e268-4455-8831-c8d65b2212c4"
QUIET = ("report=[]", "gate=[]", "audit.near=null", "audit.probe=null", "hydra.run.dir=run")
SETTINGS = (
    *("source=jsonl", "source.path=mine.jsonl", "source.columns.item=task", "by=[model]", "parser=[stored,raw]"),
    *("normalizer=[v1]", "matcher=containment", "report=[texts]"),
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the shipped sample."""
    folder = tmp_path_factory.mktemp("sample")
    done = run_auditfw(QUIET, folder)
    assert done.returncode == 0, done.stderr
    return folder / "run"


def rows() -> list[dict[str, object]]:
    """240 answers of 3 models to 80 questions; every fifth is wrong, and every seventh is right in another text."""
    return [
        {
            **{"id": f"{model}-{task}", "task": task, "model": model, "question": f"What is {task} + 1?"},
            **{"ground_truth": str(task + 1), "parsed_text": str(task + 1 + (task % 5 == 0))},
            "raw_text": f"=A {model[-1]} {task + 1 + (task % 5 == 0) + (task % 7 == 0)}",
            **{"stored": int(task % 5 > 0), "choices": f"{task} or {task + 1}"},
        }
        for task in range(80)
        for model in ("model-a", "model-b", "model-c")
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of made answers, with its texts; the folder of the source."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    done = run_auditfw((*SETTINGS, *QUIET[1:]), folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a copy of that run and of its source."""
    shutil.copytree(made, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def without_texts(run: Path) -> None:
    """Makes the run one without a table of texts."""
    (run / "texts.parquet").unlink()
    file = run / "result.json"
    result = json.loads(file.read_text("utf-8"))
    del result["digests"]["texts.parquet"]
    file.write_text(json.dumps(result), "utf-8")


def test_the_shipped_sample(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert label([str(sample), "n=100"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        says.DRAWN_100,
        f"  {sample / 'labels' / 'page-1.html'}",
        says.WHERE_IT_SAVES.format("labels-1-NAME.csv"),
        f"{says.THEN_ADJUDICATE} {sample} PATH/labels-1-NAME.csv",
    ]
    draw = read_draw(sample, "labels")
    assert [(one.trials, one.drawn) for one in draw.groups] == [((790, 250, 23, 17), (50, 16, 20, 14))]
    assert round(draw.n_eff[()] or 0, 4) == 76.7870
    frame = draw.rows()
    assert (frame["id"][0], frame.height) == (FIRST, 100)
    assert frame["key"].to_list() == list(draw.rounds[0].pages[0].keys)
    page = (sample / "labels" / "page-1.html").read_text("utf-8")
    assert frame["key"][99] in page
    assert not [word for word in (*frame["id"], *draw.readings[1:], "vivarium") if word in page]


def test_rounds_go_on_and_what_is_drawn_stays(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    label(["run", "n=30", "format=[csv]"])
    first = read_draw(Path("run"), "labels").rows()
    capsys.readouterr()
    label(["run", "n=20", "people=2", "overlap=4", "format=[csv,label_studio]"])
    text = capsys.readouterr().out
    assert text.startswith(says.DRAWN_20_MORE)
    assert says.WITH_ALL_50 in text
    files = " ".join(f"run/labels/labels-{page}.csv" for page in ("1", "2-1", "2-2"))
    assert text.endswith(f"{says.THEN_WITH_EARLIER}{files}\n")
    draw = read_draw(Path("run"), "labels")
    both = draw.rows()
    assert both.head(30).drop("probability").equals(first.drop("probability"))
    assert both["round"].to_list() == [1] * 30 + [2] * 20
    assert both["page"].to_list()[30:] == [None] * 4 + [1, 2] * 8
    assert both["position"].to_list()[30:] == [1, 2, 3, 4, *(n for n in range(5, 13) for _ in range(2))]
    pages = draw.rounds[1].pages
    assert [len(page.keys) for page in pages] == [12, 12]
    assert pages[0].keys[:4] == pages[1].keys[:4]
    assert {*pages[0].keys, *pages[1].keys} == {*both["key"].to_list()[30:]}
    label(["run", "n=50", "format=[csv]", "name=longer"])
    assert {*read_draw(Path("run"), "longer").rows()["id"]} == {*both["id"]}
    label(["run", "n=50", "format=[csv]", "name=seeded", "seed=1"])
    seeded = read_draw(Path("run"), "seeded")
    assert (seeded.seed, seeded.groups) == (1, draw.groups)
    assert {*seeded.rows()["id"]} != {*both["id"]}
    assert not {*seeded.rows()["key"]} & {*both["key"]}
    [group] = draw.groups
    for row in both.to_dicts():
        assert row["probability"] == group.drawn[row["class"]] / group.trials[row["class"]]


def test_all_trials_and_no_further_ones(here: Path) -> None:
    label(["run", "n=300", "by=[model]", "format=[csv]"])
    draw = read_draw(Path("run"), "labels")
    assert draw.drawn == 240
    assert draw.rounds[0].n == 240
    assert [group.cell for group in draw.groups] == [("model-a",), ("model-b",), ("model-c",)]
    assert draw.rows()["probability"].unique().to_list() == [1.0]
    assert draw.n_eff == {(): pytest.approx(80, abs=5), **{group.cell: 80.0 for group in draw.groups}}
    with pytest.raises(AuditError, match="n: all 240 trials are drawn already"):
        label(["run", "n=10", "format=[csv]"])


@pytest.mark.parametrize("kept", [True, False])
def test_texts_are_those_of_the_run_or_of_its_source(here: Path, kept: bool) -> None:
    if not kept:
        without_texts(here / "run")
    label(["run", "n=24", "format=[html,csv]", "show=[choices]"])
    of = {str(row["id"]): row for row in rows()}
    frame = read_draw(Path("run"), "labels").rows()
    for row in frame.to_dicts():
        source = of[row["id"]]
        assert (row["question"], row["raw_text"]) == (source["question"], source["raw_text"])
        assert (row["ground_truth"], row["item"]) == ([source["ground_truth"]], str(source["task"]))
        assert row["stored"] is bool(source["stored"])
    lines = list(csv.reader(StringIO((here / "run" / "labels" / "labels-1.csv").read_text("utf-8"))))
    assert lines[0] == ["key", "question", "expected", "answer", "label", "note"]
    assert lines[1] == [
        *(frame["key"][0], frame["question"][0], frame["ground_truth"][0][0], f"'{frame['raw_text'][0]}", "", ""),
    ]
    assert str(of[frame["id"][0]]["choices"]) in (here / "run" / "labels" / "page-1.html").read_text("utf-8")


def test_a_source_that_is_gone_costs_the_questions_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "mine.jsonl").unlink()
    label(["run", "n=20", "format=[csv]"])
    assert says.QUESTIONS_NOT_SHOWN in capsys.readouterr().err
    frame = read_draw(Path("run"), "labels").rows()
    assert (frame["question"].null_count(), frame["raw_text"].null_count()) == (20, 0)
    without_texts(here / "run")
    with pytest.raises(AuditError) as error:
        label(["run", "n=20", "format=[csv]", "name=b"])
    assert str(error.value) == says.SOURCE_GONE
    assert error.value.exit_code == 3


def test_a_source_that_changed(here: Path) -> None:
    without_texts(here / "run")
    with (here / "mine.jsonl").open("a") as file:
        file.write(json.dumps({**rows()[0], "id": "new"}) + "\n")
    before = sorted(path.name for path in (here / "run").iterdir())
    with pytest.raises(AuditError) as error:
        label(["run", "n=20"])
    assert str(error.value) == says.SOURCE_CHANGED
    assert error.value.exit_code == 3
    assert sorted(path.name for path in (here / "run").iterdir()) == before


def test_nothing_else_in_the_run_changes_and_the_same_call_writes_the_same(here: Path) -> None:
    def contents(folder: Path) -> dict[str, bytes]:
        files = (file for file in sorted(folder.rglob("*")) if file.is_file())
        return {str(file.relative_to(folder)): file.read_bytes() for file in files}

    before = contents(here / "run")
    label(["run", "n=20", "format=[html,csv,label_studio]"])
    after = contents(here / "run")
    assert {name: after[name] for name in before} == before
    names = {"draw.json", "draw.parquet", "labels-1.csv", "page-1.html", "tasks-1.json"}
    assert {*after} - {*before} == {f"labels/{name}" for name in names}
    label(["run", "n=20", "format=[html,csv,label_studio]", "out=again"])
    assert contents(here / "again") == contents(here / "run" / "labels")
    tasks = json.loads((here / "again" / "tasks-1.json").read_text("utf-8"))
    assert list(tasks[0]["data"]) == ["key", "question", "expected", "answer"]


def test_a_folder_elsewhere_is_named_for_what_follows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    label(["run", "n=20", "format=[label_studio]", "out=else where"])
    text = capsys.readouterr().out
    assert '<Choice value="cannot_tell" hotkey="c"/>' in text
    assert text.endswith(f"{says.THEN_ADJUDICATE} run PATH/EXPORT.json 'audit.draw=./else where'\n")
    assert read_draw(Path("run"), "./else where").drawn == 20


def test_another_draw_has_files_of_its_own(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pages of two draws, and what they save, can lie in one folder; and the pages of a run know each other."""
    label(["run", "n=20", "readings=[stored]"])
    first = capsys.readouterr().out
    assert says.ONE_READING in first
    label(["run", "n=20", "people=2", "format=[html,csv,label_studio]", "name=two"])
    text = capsys.readouterr().out
    assert says.WHERE_THEY_SAVE.format("labels-two-1-1-NAME.csv") in text
    files = " ".join(f"PATH/labels-two-1-{person}-NAME.csv" for person in (1, 2))
    assert text.endswith(f"{says.THEN_ADJUDICATE} run {files} audit.draw=two\n")
    assert {path.name for path in (here / "run" / "labels-two").iterdir() if "two" in path.name} == {
        f"{kind}-two-1-{person}.{end}"
        for kind, end in (("page", "html"), ("labels", "csv"), ("tasks", "json"))
        for person in (1, 2)
    }
    digest = read_draw(Path("run"), "two").run[:16]
    for page in ("labels/page-1.html", "labels-two/page-two-1-1.html"):
        assert f'data-run="{digest}"' in (here / "run" / page).read_text("utf-8")


def test_a_filled_file_is_not_written_over(here: Path) -> None:
    label(["run", "n=20", "format=[csv]"])
    (here / "run" / "labels" / "draw.json").unlink()
    with pytest.raises(AuditError, match=r"labels-1\.csv: is there already - move it"):
        label(["run", "n=20", "format=[csv]"])


def test_where_nothing_can_be_written(here: Path) -> None:
    (here / "run" / "labels").write_text("")
    with pytest.raises(AuditError) as error:
        label(["run", "n=20"])
    assert error.value.exit_code == 4
    assert str(error.value).endswith("or write out=FOLDER")


def test_a_draw_with_other_settings(here: Path) -> None:
    label(["run", "n=60", "by=[model]", "readings=[raw+v1]", "format=[csv]"])
    draw = read_draw(Path("run"), "labels")
    assert draw.readings == ["stored", "raw+v1"]
    label(["run", "n=10", "by=[model]", "readings=[raw+v1]", "seed=0", "format=[csv]"])
    do = " - a further round keeps them; name=NAME begins another draw"
    for word, what in {
        "readings=[stored]": f"labels: was drawn with readings [stored, raw+v1]{do}",
        "by=[]": f"labels: was drawn with by [model]{do}",
        "seed=1": f"labels: was drawn with seed 0{do}",
    }.items():
        with pytest.raises(AuditError) as error:
            label(["run", "n=10", word])
        assert (str(error.value), error.value.exit_code) == (what, 2)


REFUSED = [
    (["run", "n=9"], "n: expected a whole number from 10 to 20,000, got 9"),
    (["run", "n=20001"], "n: expected a whole number from 10 to 20,000, got 20001"),
    (["run", "n=ten"], "n: expected a whole number, got ten"),
    (["run", "people=21"], "people: expected a whole number from 1 to 20, got 21"),
    (["run", "n=10", "people=2", "overlap=6"], "overlap: expected a whole number from 0 to 5, got 6"),
    (["run", "overlap=1"], "overlap: expected a whole number from 0 to 0 for one person, got 1"),
    (["run", "by=[modell]"], "by: no column 'modell' of the run's cells - did you mean 'model'?"),
    (["run", "n=50", "by=[model]"], "by: 3 cells with 50 labels are fewer than 17 each - n=60, or fewer cells"),
    (["run", "readings=[raw+v2]"], "readings: no reading 'raw+v2' in this run - did you mean 'raw+v1'?"),
    (["run", "show=[choice]"], "show: the source has no column 'choice' - did you mean 'choices'?"),
    (["run", "show=[choices]", "format=[csv]"], "show: is for the page alone (choices) - add html to format=[...]"),
    (["run", "format=[htm]"], "format: no format 'htm' - did you mean 'html'?"),
    (["run", "format=[]"], "format: is empty - write some of html, csv, label_studio"),
    (["run", "reading=[a]"], "reading: unknown setting ([a]) - did you mean 'readings'?"),
    (["run", "name=a b"], "name: expected letters, digits, - and _; got a b - write name=second, or leave it out"),
    (["run", "name=b", "out=x"], "name: names a folder of the run, and out= another one (b) - write one of both"),
    (["run", "out="], "out: is empty - write out=NAME, or leave it out"),
    ([], "label: needs one run folder, first - write auditfw label RUN"),
    (["n=20", "run"], "label: needs one run folder, first (n=20 run) - write auditfw label RUN"),
    (["none"], "label: no finished run is there (none) - name the folder of a finished parsing or consistency run"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_what_is_refused(made: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str) -> None:
    monkeypatch.chdir(made)
    with pytest.raises(AuditError) as error:
        label(words)
    assert str(error.value).startswith(message)
    assert error.value.exit_code == 2
    assert not (made / "run" / "labels").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"audit": "self_audit"},
            "label: draws from parsing and consistency runs (self_audit) - name the folder of one",
        ),
        ({"exit_code": 4}, "label: the run is incomplete (exit code 4) - name the folder of a finished"),
    ],
)
def test_another_run(here: Path, change: dict[str, object], message: str) -> None:
    file = here / "run" / "result.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}), "utf-8")
    with pytest.raises(AuditError) as error:
        label(["run"])
    assert str(error.value).startswith(message)
    assert error.value.exit_code == 2


def test_a_changed_table(here: Path) -> None:
    pl.DataFrame({"id": ["a"]}).write_parquet(here / "run" / "trials.parquet")
    with pytest.raises(AuditError, match=r"trials\.parquet: does not match its SHA-256") as error:
        label(["run"])
    assert error.value.exit_code == 3


PLUGIN = """
from dataclasses import dataclass, field
from auditfw.components.source.formats import JsonLinesSource
from auditfw.kinds.registry import register

@register("source", "barred")
@dataclass(frozen=True)
class Barred(JsonLinesSource):
    "JSON Lines."
"""


@pytest.mark.slow
def test_code_of_a_source_needs_trust(tmp_path: Path) -> None:
    """What the texts are read by is started for whom made the run here, or trusts it."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "mine.py").write_text(PLUGIN)
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    words = ["source=barred" if word == "source=jsonl" else word for word in SETTINGS[:-1]]
    done = run_auditfw((*words, *QUIET), tmp_path)
    assert done.returncode == 0, done.stderr
    stranger = {"XDG_STATE_HOME": str(tmp_path / "state")}
    refused = run_auditfw(("label", "run"), tmp_path, stranger)
    assert refused.returncode == 2
    assert says.BARRED_NEEDS_TRUST in refused.stderr
    assert not (tmp_path / "run" / "labels").exists()
    for words, env in ((["label", "run", "--trust"], stranger), (["label", "run"], None)):
        assert run_auditfw(words, tmp_path, env).returncode == 0


def test_cells_with_numbers(sample: Path) -> None:
    """Each value of a column is a cell with as many labels, in their order."""
    label([str(sample), "n=60", "by=[temperature]", "name=cells", "format=[csv]"])
    draw = read_draw(sample, "cells")
    assert [(one.cell, sum(one.drawn)) for one in draw.groups] == [((0.0,), 20), ((0.5,), 20), ((1.0,), 20)]
    worth = {cell: round(n or 0, 4) for cell, n in draw.n_eff.items()}
    assert worth == {(): 76.7870, (0.0,): 61.6758, (0.5,): 85.7479, (1.0,): 74.2171}
    assert draw.rows()["temperature"].value_counts().sort("temperature")["count"].to_list() == [20, 20, 20]


@pytest.mark.slow
def test_what_raters_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rater's label counts as right if it is acceptable; the items of all trials are those of the source."""
    monkeypatch.chdir(tmp_path)
    words = ("experiment=cross_agent", "report=[]", "gate=[]", "hydra.run.dir=run")
    assert run_auditfw(words, tmp_path).returncode == 0
    label(["run", "n=60", "show=[qid]"])
    draw = read_draw(Path("run"), "labels")
    [group] = draw.groups
    assert (draw.readings, group.trials, sum(group.drawn)) == (["auditor", "scholar"], (228, 201, 40, 30), 60)
    of = {row["qid"]: row for row in map(json.loads, JUDGED.read_text("utf-8").splitlines())}
    for row in draw.rows().to_dicts():
        source = of[row["id"]]
        assert (row["question"], row["item"]) == (source["question"], source["question"])
        assert row["raw_text"] == source["answer_json"]["claim"]
        assert row["scholar"] is (source["scholar"]["label"] in ("VALID", "NOT_IN_CONTEXT"))
    alone = dict.fromkeys(row["question"] for row in of.values())
    assert len(alone) < (draw.n_eff[()] or 0) < len(of)
    file = tmp_path / "run" / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    assert manifest.pop("acceptable") == ["VALID", "NOT_IN_CONTEXT"]
    file.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(AuditError, match=r"no rater of the run has an acceptable label \(its manifest names none\)"):
        label(["run", "name=b"])


def test_settings_as_they_are_written() -> None:
    words = ["n=30", "by=model", "readings=[raw+v1, 'a b']", "people=3", "overlap=10", "seed=7", "out=/x/y"]
    assert read_settings(words) == LabelSettings(
        30, ("model",), ("raw+v1", "a b"), 3, 10, seed=7, out="/x/y"
    )  # fmt: skip
    assert read_settings(["by=null"]).by == ()
    assert [LabelSettings(out=out).place for out in ("x", "x/y", None)] == ["./x", "x/y", "labels"]


def test_cells_of_csv() -> None:
    trial = TrialToLabel("k1", "=1+1?", ["a", "b"], 'She said "no",\nthen -5\x1b')
    text = csv_text([trial])
    assert list(csv.reader(StringIO(text)))[1] == ["k1", "'=1+1?", "a | b", 'She said "no",\nthen -5␛', "", ""]
