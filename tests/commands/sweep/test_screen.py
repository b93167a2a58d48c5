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
from sentences import commands as says
from terminals import on_terminal

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.sweep.answers import answer_of, answers_of, doubted_in, reasoned, words_of
from auditfw.commands.sweep.comparable import first_numbers
from auditfw.commands.sweep.jobs import FIRST, LOSSY, UNFIT, Job
from auditfw.commands.sweep.screen import OF_SCORING, OTHER_TRIALS, build_screen
from auditfw.core.records import Estimate
from auditfw.formulas.best_of import best_of

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
    assert screen.head == says.JOBS_ERROR_THE_BEST_FIRST
    assert rows(SIX) == [
        ["2", "q", "v1", "20 [16, 24]", "holds"],
        ["0, 1", "p", "both", "30 [26, 34]", "depends on scoring"],
        ["5", "r", "v2", "40 [36, 44]", "depends on scoring"],
        ["4", "r", "v1", "50 [46, 54]", "cannot tell"],
        ["3", "q", "v2", "60 [56, 64]", "depends on scoring"],
    ]
    assert [row[:2] for row in rows(SIX, 2)] == [["2", "q"], ["0, 1", "p"], ["… 2 more", ""], ["3", "q"]]
    assert screen.means == says.MEANS_PARSER_TO_NORMALIZER_AND
    assert screen.best == OF_SCORING
    assert screen.first == "best: job 2 (parser=q normalizer=v1), error % 20 [16, 24]"
    assert screen.headline == "Error: 20 to 60 %."
    assert list(screen.jobs) == [
        says.DEPEND_ON_SCORING_CANNOT_TELL,
        says.NO_GATE_CHECKS_THE_ANSWER,
    ]
    assert screen.counts == says.JOBS_EQUALS_ANOTHER_DIFFER
    assert (screen.answer, screen.status) == ("4 OF 6 DEPEND ON SCORING", "fragile")


def test_the_other_end_may_be_the_better_one_and_a_lossy_reading_is_left_out() -> None:
    assert [row[0] for row in rows(SIX, best="max")] == ["3", "4", "5", "0, 1", "2"]
    rules = {2: LOSSY, 3: UNFIT, 4: FIRST}
    unsound = [replace(one, unsound={"error_rate@a": rules[one.job]}) if one.job in rules else one for one in SIX]
    assert [row[0] for row in rows(unsound)] == ["0, 1", "5"]
    assert build_screen(HERE, unsound, SweepTable()).head == says.DIFFER_LEFT_OUT_JOB_ACCEPTS


def test_jobs_that_take_the_first_number_stand_where_there_are_no_others() -> None:
    jobs = [replace(one, unsound={"error_rate@a": FIRST}, write={"error_rate@a": "x=last"}) for one in SIX]
    screen = build_screen(HERE, jobs, SweepTable())
    assert (len(screen.tables[-1].rows), screen.head) == (5, says.JOBS_ERROR_THE_BEST_FIRST)
    assert screen.jobs[1] == says.FIRST_NUMBER_JOBS_TAKE_THE.format("x=last")


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([], ""),
        ([("stable", "")], "1 OF 1 HOLDS"),
        ([("stable", "")] * 3, "3 OF 3 HOLD"),
        ([("stable", ""), ("unknown", "")], "1 OF 2 CANNOT TELL"),
        ([("fragile", "WHO IS BETTER DEPENDS ON SCORING"), ("fragile", "")], "2 OF 2 DEPEND ON SCORING"),
        ([("broken", ""), ("fragile", ""), ("fragile", "")], says.OF_LABELS_HAVE_NO_RULE),
        ([("fragile", "THEY AGREE IN PART")] * 2, says.OF_THEY_AGREE_IN_PART),
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
        (["unknown", "", "fragile", "fragile"], says.DEPEND_ON_SCORING_CANNOT_TELL_2, (2, "depends on scoring", "2")),
        (["fragile", "", "unknown", "fragile"], says.DEPEND_ON_SCORING_CANNOT_TELL_2, (0, "depends on scoring", "0")),
        (["stable", "unknown"], "1 cannot tell, 1 holds (job 0)", (1, "cannot tell", "1")),
        (["broken", "stable"], says.LABELS_HAVE_NO_RULE_HOLDS, (0, "labels have no rule", "0")),
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
    assert doubted_in(jobs) == (None if doubted is None else (*doubted, "", ""))
    if doubted is not None:
        assert doubted_in(jobs, jobs[:1]) == (0, words_of(jobs[0]).lower(), "0", "the best", "")


def test_why_labels_are_in_doubt_and_not_of_a_job_that_reads_none() -> None:
    rules = [{"rule": name, "fired": True, "asks": "Why?"} for name in ("near_misses", "answers_unsourced")]
    answer = {"status": "fragile", "words": "LABELS ARE IN DOUBT", "rules": rules}
    jobs = [replace(job(0, 30), answer=answer), replace(job(1, 20), answer=answer), job(2, 30, "stable")]
    jobs[1] = replace(jobs[1], unsound={"error_rate@a": UNFIT})
    assert answers_of(jobs) == says.LABELS_ARE_IN_DOUBT_ANSWERS
    assert (reasoned(jobs[0]), reasoned(jobs[1])) == ("labels are in doubt (answers_unsourced)", "reads no answers")


def test_the_lowest_error_is_no_proof_where_it_changes_labels() -> None:
    flips = {"flips@a": 7.0}
    jobs = [replace(one, measurements={**one.measurements, **flips}, readings={"error_rate@a": "q+v1"}) for one in SIX]
    answer = build_screen(HERE, jobs, SweepTable(metrics=("error_rate",))).as_answer
    assert answer is not None
    assert answer.next == says.LOWEST_ERROR_IS_NOT_PROOF.format("from the folder of this file")
    assert "proof" not in str(build_screen(HERE, jobs, SweepTable(metrics=("error_rate",), best="max")).as_answer)
    same = [replace(one, measurements={**one.measurements, "flips@a": 0.0}) for one in jobs]
    assert "proof" not in str(build_screen(HERE, same, SweepTable(metrics=("error_rate",))).as_answer)


@pytest.mark.parametrize(
    ("write", "own", "text"),
    [
        (["normalizer=[none] x=last"] * 6, {}, "normalizer=none x=last"),
        (["x=last"] * 5 + ["y=last"], {}, "parser=last_number instead of parser=p,q,r"),
        (["x=last"] * 6, {0: "matcher=exact", 1: "matcher=numeric"}, "parser=last_number instead of parser=p,q,r"),
    ],
)
def test_one_setting_for_jobs_that_take_the_first_number(write: list[str], own: dict[int, str], text: str) -> None:
    jobs = [
        replace(one, overrides=[*one.overrides, own.get(one.job, "matcher=exact")], write={"error_rate@a": what})
        for one, what in zip(SIX, write, strict=True)
    ]
    jobs = [replace(one, unsound={"error_rate@a": FIRST}) for one in jobs]
    assert first_numbers("error_rate", jobs) == [says.FIRST_NUMBER_JOBS_TAKE_THE.format(text)]


def test_the_files_have_the_same_answer_and_what_to_read() -> None:
    answer = build_screen(HERE, SIX, SweepTable()).as_answer
    assert answer is not None
    assert (answer.title, answer.headline) == (says.OF_DEPEND_ON_SCORING_FRAGILE, "Error: 20 to 60 %.")
    assert list(answer.because)[:2] == [
        "Best: job 2 (parser=q normalizer=v1), error % 20 [16, 24]",
        says.JOBS_DIFFER_IN_SCORING_NOT,
    ]
    assert answer.next == says.READ_WHY_JOB_DEPENDS_ON
    labels = [replace(one, answer={"status": "broken", "words": "LABELS HAVE NO RULE"}) for one in SIX]
    told = build_screen(HERE, labels, SweepTable()).as_answer
    assert told is not None
    assert told.next.startswith(says.READ_WHY_JOB_SAYS_LABELS)
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
    """A sweep over four models that answered the same questions, and one over two of them and one with others."""
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
    for name, chosen in ("same", range(K)), ("other", (0, 1, K)):
        paths = ",".join(f"m{model}.jsonl" for model in chosen)
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
    named = says.JOB_JSONL_IS_THE_BEST.format(best.best, best.best)
    assert says.WITH_RIGHT_IF_NONE_DIFFERED.format(named, 100 * best.rate) in text
    assert says.THE_BEST_OF_WOULD_LIE.format(100 * best.gain) in text
    assert "Whatever wins scores about " in text


def test_the_files_say_what_the_terminal_says(models: Path) -> None:
    sweep = models / "same"
    [told] = [
        line for line in (sweep / "sweep.md").read_text("utf-8").splitlines() if " is the best of 4 with " in line
    ]
    assert told.endswith(r"\] %.") or told.endswith(" %.")
    page = (sweep / "report.html").read_text("utf-8")
    for text in (says.IS_THE_BEST_OF_WITH, "<b>Next</b> read why job ", says.FROM_THE_FOLDER_OF_THIS):
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


@pytest.mark.parametrize("width", [40, pytest.param(80, marks=pytest.mark.slow)])
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
