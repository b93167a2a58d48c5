"""The end of a sweep: the best and the last jobs, what the best is worth, how many hold, and the answer once."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from files_read import lines
from running import Command, run_auditfw
from terminals import on_terminal

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.sweep.answers import answer_of, answers_of, doubted_in
from auditfw.commands.sweep.best import OF_SCORING, OTHER_TRIALS
from auditfw.commands.sweep.jobs import Job
from auditfw.commands.sweep.screen import build_screen
from auditfw.core.records import Estimate
from auditfw.formulas.ranking.best_of import best_of

HERE = Path()
WORDS = {"stable": "HOLDS", "fragile": "DEPENDS ON SCORING", "unknown": "CANNOT TELL", "broken": "LABELS HAVE NO RULE"}


def job(number: int, error: float, answer: str = "fragile", words: str = "", **own: str) -> Job:
    estimate = Estimate(error, counted=100, low=error - 4, high=error + 4)
    drawn = {"status": answer, "words": words or WORDS[answer]}
    overrides = [f"{key}={value}" for key, value in own.items()]
    name = "error_rate@a"
    one = Job(number, overrides, "pass", 0, None, str(number), {name: error}, answer=drawn, estimates={name: estimate})
    return replace(one, data=["x"])


SIX = [
    job(0, 30, parser="p", normalizer="v1"),
    job(1, 30, parser="p", normalizer="v2"),
    job(2, 20, "stable", parser="q", normalizer="v1"),
    job(3, 60, parser="q", normalizer="v2"),
    job(4, 50, "unknown", parser="r", normalizer="v1"),
    job(5, 40, parser="r", normalizer="v2"),
]


def rows(jobs: Sequence[Job], most: int = 4, **settings: Any) -> list[list[str]]:
    return [list(row) for row in build_screen(HERE, jobs, SweepTable(**settings)).tables[most - 1].rows]


def test_equal_jobs_are_one_row_and_the_best_is_the_first() -> None:
    screen = build_screen(HERE, SIX, SweepTable())
    assert screen.head == "6 jobs, error %, the best first (5 differ)"
    assert rows(SIX) == [
        ["2", "q", "v1", "20 [16, 24]", "holds"],
        ["0, 1", "p", "both", "30 [26, 34]", "depends on scoring"],
        ["5", "r", "v2", "40 [36, 44]", "depends on scoring"],
        ["4", "r", "v1", "50 [46, 54]", "cannot tell"],
        ["3", "q", "v2", "60 [56, 64]", "depends on scoring"],
    ]
    assert [row[:2] for row in rows(SIX, 2)] == [["2", "q"], ["0, 1", "p"], ["…", "2 more"], ["3", "q"]]
    assert screen.means == "means: parser 30 to 45, normalizer 33 and 43"
    assert screen.best == OF_SCORING
    assert screen.first == "best: job 2 (parser=q normalizer=v1), error % 20 [16, 24]"
    assert screen.headline == "Error: 20 to 60 %."
    assert list(screen.jobs) == [
        "4 depend on scoring, 1 cannot tell, 1 holds (job 2); no job failed (exit 0)",
        "no gate checks the answer: gate=[baseline_reproduces,stable]",
    ]
    assert (screen.answer, screen.status) == ("4 OF 6 DEPEND ON SCORING", "fragile")


def test_the_other_end_may_be_the_better_one_and_a_lossy_reading_is_left_out() -> None:
    assert [row[0] for row in rows(SIX, best="max")] == ["3", "4", "5", "0, 1", "2"]
    lossy = [replace(one, lossy=frozenset({"error_rate@a"})) if one.job == 2 else one for one in SIX]
    assert [row[0] for row in rows(lossy)] == ["0, 1", "5", "4", "3"]
    head = build_screen(HERE, lossy, SweepTable()).head
    assert head.endswith("(4 differ; 1 job of readings that accept wrong answers left out)")


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([], ""),
        ([("stable", "")], "1 OF 1 HOLDS"),
        ([("stable", "")] * 3, "3 OF 3 HOLD"),
        ([("stable", ""), ("unknown", "")], "1 OF 2 CANNOT TELL"),
        ([("fragile", "WHO IS BETTER DEPENDS ON SCORING"), ("fragile", "")], "2 OF 2 DEPEND ON SCORING"),
        ([("broken", ""), ("fragile", ""), ("fragile", "")], "1 OF 3: LABELS HAVE NO RULE"),
        ([("fragile", "THEY AGREE IN PART")] * 2, "2 OF 2 THEY AGREE IN PART"),
        ([("fragile", "MISSES SOME")] * 2, "2 OF 2 MISS SOME"),
    ],
)
def test_the_answer_is_that_of_the_worst(answers: list[tuple[str, str]], words: str) -> None:
    jobs = [job(n, 20, status, said) for n, (status, said) in enumerate(answers)]
    assert answer_of(jobs)[0] == words


@pytest.mark.parametrize(
    ("statuses", "text", "doubted"),
    [
        ([], "", None),
        (["", ""], "", None),
        (["unknown", "", "fragile", "fragile"], "2 depend on scoring, 1 cannot tell", (2, "depends on scoring", "2")),
        (["fragile", "", "unknown", "fragile"], "2 depend on scoring, 1 cannot tell", (0, "depends on scoring", "0")),
        (["stable", "unknown"], "1 cannot tell, 1 holds (job 0)", (1, "cannot tell", "1")),
        (["broken", "stable"], "1: labels have no rule, 1 holds (job 1)", (0, "labels have no rule", "0")),
        (["stable"] * 5, "5 hold (jobs 0, 1, 2, 3, 4)", None),
        (["stable"] * 6, "6 hold", None),
    ],
)
def test_how_many_jobs_have_which_answer_and_which_to_read(
    statuses: list[str], text: str, doubted: tuple[int, str, str] | None
) -> None:
    jobs = [job(n, 20, status or "stable") for n, status in enumerate(statuses)]
    jobs = [one if status else replace(one, answer=None) for one, status in zip(jobs, statuses, strict=True)]
    assert answers_of(jobs) == text
    assert doubted_in(jobs) == doubted


def test_the_files_have_the_same_answer_and_what_to_read() -> None:
    answer = build_screen(HERE, SIX, SweepTable()).as_answer
    assert answer is not None
    assert (answer.title, answer.headline) == ("4 OF 6 DEPEND ON SCORING (fragile)", "Error: 20 to 60 %.")
    assert list(answer.because)[:2] == [
        "Best: job 2 (parser=q normalizer=v1), error % 20 [16, 24]",
        "Jobs differ in scoring, not in models: the best is no better system.",
    ]
    assert answer.next == "read why job 0 depends on scoring: auditfw report 0 (from the folder of this file)"
    labels = [replace(one, answer={"status": "broken", "words": "LABELS HAVE NO RULE"}) for one in SIX]
    told = build_screen(HERE, labels, SweepTable()).as_answer
    assert told is not None
    assert told.next.startswith("read why job 0 says: labels have no rule: auditfw report 0")
    quiet = build_screen(HERE, SIX, SweepTable(best_of=False))
    assert (quiet.best, quiet.first != "") == ("", True)


def test_jobs_without_a_number_still_end() -> None:
    bare = [Job(n, [f"seed={n}"], None, 3, "broken file", str(n)) for n in range(2)]
    screen = build_screen(HERE, bare, SweepTable())
    assert (list(screen.tables), screen.best, screen.answer, screen.headline) == ([], "", "", "")
    assert list(screen.jobs) == ["2 jobs failed (exit 3)"]


K, N = 4, 60


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep over four models that answered the same questions, and one over a fifth that answered others."""
    folder = tmp_path_factory.mktemp("models")
    draw = random.Random(2)
    for model in range(K + 1):
        right = [draw.random() < 0.7 for _ in range(N)]
        answers = [
            {
                "id": f"{'x' * (model == K)}q{i}",
                "raw_text": f"It is {i if ok else 'not known'}.",
                "ground_truth": str(i),
                "stored": int(ok),
            }
            for i, ok in enumerate(right)
        ]
        lines(*answers, name=str(folder / f"m{model}.jsonl"))
    words = ["source=jsonl", "parser=[last_number]", "normalizer=[none]", "matcher=numeric", "by=[]", "gate=[]"]
    for name, last in ("same", K), ("other", K + 1):
        paths = ",".join(f"m{model}.jsonl" for model in range(last))
        done = run_auditfw(["-m", f"source.path={paths}", *words, "report=[]", f"hydra.sweep.dir={name}"], folder)
        assert done.returncode == 0, done.stderr
        (folder / f"{name}.txt").write_text(done.stdout, "utf-8")
    return folder


def test_what_the_best_of_several_models_is_worth(models: Path) -> None:
    import numpy as np

    labels = [
        [json.loads(line)["stored"] for line in (models / f"m{n}.jsonl").read_text("utf-8").splitlines()]
        for n in range(K)
    ]
    order = sorted(range(N), key=lambda i: f"q{i}")  # as the ids are
    best = best_of(np.array(labels).T[order], np.ones(N, dtype=np.int64))
    assert best is not None
    text = " ".join((models / "same.txt").read_text("utf-8").replace("\n│", "").split())
    named = f"job {best.best} (source.path=m{best.best}.jsonl) is the best of 4"
    assert f"{named} with {100 * best.rate:.1f} % right; if none differed" in text
    assert f"the best of 4 would lie {100 * best.gain:.1f} points above the mean (p = " in text
    assert "Whatever wins scores about " in text


def test_the_files_say_what_the_terminal_says(models: Path) -> None:
    sweep = models / "same"
    [told] = [
        line for line in (sweep / "sweep.md").read_text("utf-8").splitlines() if " is the best of 4 with " in line
    ]
    assert told.endswith(r"\] %.") or told.endswith(" %.")
    page = (sweep / "report.html").read_text("utf-8")
    for text in (" is the best of 4 with ", "<b>Next</b> read why job ", "(from the folder of this file)"):
        assert text in page
    assert "<b>Scope</b>" not in page


def test_without_best_of_nothing_is_compared(models: Path, command: Command) -> None:
    done = command("sweep", str(models / "same"), "sweep.best_of=false")
    assert (done.returncode, "best of 4" in done.stdout) == (0, False)
    assert "best of 4" in command("sweep", str(models / "same")).stdout
    plan = json.loads((models / "same" / "plan.json").read_text("utf-8"))
    assert plan.pop("best_of") is True
    (models / "same" / "plan.json").write_text(json.dumps(plan), "utf-8")  # as of an older version
    assert command("sweep", str(models / "same")).returncode == 0


def test_jobs_that_label_other_trials_are_not_compared(models: Path) -> None:
    assert OTHER_TRIALS in (models / "other.txt").read_text("utf-8")


def test_a_finished_sweep_is_sorted_without_running(models: Path, command: Command) -> None:
    sweep = str(models / "same")
    before = sorted((models / "same").glob("*/result.json"))
    stamps = [file.stat().st_mtime_ns for file in before]
    rates = {}
    for best in "min", "max":
        done = command("sweep", sweep, "sweep.sort_by=error_rate", f"sweep.best={best}")
        assert done.returncode == 0, done.stderr
        jobs = json.loads((models / "same" / "sweep.json").read_text("utf-8"))["jobs"]
        errors = {one["job"]: one["measurements"]["error_rate@last_number+none"] for one in jobs}
        listed = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("│   ") and "m" in line]
        rates[best] = [errors[number] for number in listed[:K]]
    assert rates["min"] == sorted(rates["min"])
    assert rates["max"] == sorted(rates["max"], reverse=True)
    assert [file.stat().st_mtime_ns for file in before] == stamps
    for words, said in (
        (["sweep.sort_by=eror_rate"], "neither a measurement nor a swept key"),
        (["seed=1"], "seed: is no setting of a sweep's table"),
        (["sweep.best=most"], "sweep.best"),
    ):
        done = command("sweep", sweep, *words)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("width", [80, 40])
def test_a_terminal_has_one_screen(models: Path, width: int) -> None:
    code, output = on_terminal(models, ["sweep", "same", "sweep.sort_by=error_rate"], width=width)
    printed = plain(output).splitlines()
    assert code == 0
    assert (len(printed) <= 24, max(map(len, printed)) <= width) == (True, True), output
    assert sum("Answer: " in line for line in printed) == 1
    assert any(line.startswith("╭ The best of 4") for line in printed)


def plain(output: str) -> str:
    """What a terminal shows, without colours and links."""
    return re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;?]*[a-zA-Z]", "", output).replace("\r", "")
