"""`auditfw upgrade LOG`: the shipped states of a log's scorer against each other, as one run."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_logs import head, json_log, sample
from places import TESTS
from running import Command
from sentences import commands as says

DATA = TESTS / "cases" / "data"
SOLUTIONS = DATA / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz"
NUMERIC = {"name": "match", "options": {"numeric": True}}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def log_of(scorer: dict[str, Any], version: str, *texts: tuple[str, str], name: str = "a.json") -> str:
    """Writes a log of one scorer, answers and targets; it names a version of Inspect, or none."""
    samples = [
        sample(number, target=target, output={"choices": [], "completion": text})
        | {"scores": {scorer["name"]: {"value": "C", "answer": text}}}
        for number, (text, target) in enumerate(texts or [("so 4", "4")])
    ]
    packages = {"inspect_ai": version} if version else {}
    return json_log(*samples, log_head=head(scorers=[scorer], packages=packages, eval_id=name), name=name, indent=None)


def solutions() -> Iterator[dict[str, Any]]:
    """The samples of a log with the published answers of four models to 1,319 questions, and their labels."""
    with gzip.open(SOLUTIONS, "rt", encoding="utf-8") as lines:
        for number, row in enumerate(map(json.loads, lines)):
            target = row["ground_truth"].rpartition("A: ")[2]
            models = [one for one in row.values() if isinstance(one, dict)]
            for epoch, model in enumerate(models, 1):
                label = "C" if model["is_correct"] else "I"
                yield sample(number, epoch, target=target, output={"choices": [], "completion": model["solution"]}) | {
                    "scores": {"match": {"value": label}}, "input": row["question"],
                }  # fmt: skip


def test_one_change_of_the_published_answers(command: Command, here: Path) -> None:
    """78 of 5,276 labels are turned, 69 to wrong; the newer rule gives the published labels, 62.07 % wrong."""
    json_log(*solutions(), log_head=head(scorers=[NUMERIC], packages={"inspect_ai": "0.3.220"}), indent=None)
    done = command("upgrade", "a.json", "to=0.3.221", "report=[console,json]", "hydra.run.dir=run")
    assert done.returncode == 1, done.stderr  # the labels are not those of the older rule
    result = json.loads((here / "run/result.json").read_text("utf-8"))
    numbers = {
        (one["metric"], one["reading"].removeprefix("inspect_match_numeric")): one["value"]
        for one in result["measurements"]
        if not one["cell"]
    }
    new, old = "_0_3_252", "_2025"
    assert (numbers["flips", new], numbers["flips_to_false", new], numbers["flips_to_true", new]) == (78, 69, 9)
    assert round(numbers["error_rate", old], 2) == 60.94
    assert round(numbers["error_rate", new], 2) == round(numbers["error_rate", "stored"], 2) == 62.07
    first = done.stderr[done.stderr.index("╭") :]  # beside JSON tables are on standard error
    assert first.startswith(says.MATCH_NUMERIC_FROM_TO)
    assert says.POINTS_FEWER_RIGHT in " ".join(first.replace("│ ", "").split())


@pytest.mark.usefixtures("here")
def test_changes_between_stand_apart(command: Command) -> None:
    texts = [("so 25", "5"), ("so \\$20", "20"), ("(42)", "42"), ("so 4", "4")]
    log = log_of(NUMERIC, "0.3.220", *texts)
    done = command("upgrade", log, "from=0.3.219", "hydra.run.dir=run", env={"COLUMNS": "200"})
    rows = [line.split()[1:2] + line.split()[-3:] for line in done.stdout.splitlines() if line.startswith("│ 0.3.")]
    assert rows == [
        ["0.3.221", "0", "2", "-50.00"],
        ["0.3.253", "1", "0", "+25.00"],
        ["0.3.261", "1", "0", "+25.00"],
    ]
    assert says.AS_MANY_OF_MATCH_NUMERIC in done.stdout


@pytest.mark.parametrize(
    ("scorer", "version", "words", "code", "said"),
    [
        (NUMERIC, "0.3.221", ("to=0.3.252",), 0, says.NO_CHANGE_OF_MATCH_NUMERIC),
        (NUMERIC, "0.3.270", (), 0, says.NO_CHANGE_UP_TO_THE_LAST),
        (NUMERIC, "0.3.270", ("to=0.3.999",), 0, says.NO_CHANGE_BEYOND_THE_TABLE),
        ({"name": "pattern", "options": {"pattern": "(\\d+)"}}, "0.3.240", (), 0, says.NO_CHANGE_OF_PATTERN),
        ({"name": "mine"}, "0.3.100", (), 2, says.THE_SCORER_MINE_IS_NONE),
        (NUMERIC, "", (), 3, says.THE_LOG_NAMES_NO_VERSION),
        (NUMERIC, "0.3.100", (), 2, says.A_RULE_BEFORE_THE_OLDEST),
        ({"name": "model_graded_qa"}, "0.3.230", (), 2, says.A_RULE_OF_GRADED),
        (NUMERIC, "0.3.270", ("to=0.3.100",), 2, says.TO_IS_BEFORE_THE_LOG),
        (NUMERIC, "0.3.270", ("from=0.3.280", "to=0.3.279"), 2, says.TO_IS_BEFORE_FROM),
        (NUMERIC, "0.3.270", ("from=new",), 2, says.FROM_IS_NO_VERSION),
        (NUMERIC, "0.3.220", ("parser", "answer_v2"), 2, says.PARSER_HAS_NO_VALUE),
    ],
)
@pytest.mark.usefixtures("here")
def test_where_nothing_is_compared(  # noqa: PLR0917
    command: Command, scorer: dict[str, Any], version: str, words: tuple[str, ...], code: int, said: str
) -> None:
    done = command("upgrade", log_of({"options": {}} | scorer, version), *words)
    assert (done.returncode, (done.stderr if code else done.stdout).strip()) == (code, said)
    assert not Path("outputs").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), says.UPGRADE_NEEDS_A_LOG),
        (("from=0.3.200",), says.UPGRADE_NEEDS_A_LOG_FROM),
        (("a.csv",), says.A_TABLE_IS_NO_LOG),
        (("old.json", "new.json"), says.LOGS_OF_TWO_VERSIONS),
        (("--list", "old.json"), says.LIST_STANDS_ALONE),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_no_log(command: Command, words: tuple[str, ...], said: str) -> None:
    Path("a.csv").write_text("id,raw_text,ground_truth,stored\n1,so 5,5,1\n2,so 6,5,0\n")
    log_of(NUMERIC, "0.3.220", name="old.json")
    log_of(NUMERIC, "0.3.285", name="new.json")
    done = command("upgrade", *words)
    assert (done.returncode, done.stderr.strip()) == (2, said)


@pytest.mark.usefixtures("here")
def test_a_log_without_a_version_has_a_date(command: Command) -> None:
    log = log_of(NUMERIC, "")
    document = json.loads(Path(log).read_text("utf-8"))
    for created, taken in (("2026-05-20T10:00:00+00:00", "0.3.221"), ("2026-03-20T10:00:00+00:00", "0.3.206")):
        document["eval"]["created"] = created
        Path(log).write_text(json.dumps(document), "utf-8")
        done = command("upgrade", log, "to=0.3.252")
        assert done.returncode == 0, done.stderr
        assert says.NO_VERSION_BUT_A_DATE.format(taken, created[:10]) in done.stderr


GSM8K_2 = {
    "output_type": "generate_until",
    "filter_list": [
        {
            "name": "get-answer",
            "filter": [{"function": "regex", "regex_pattern": "#### (\\-?[0-9\\.\\,]+)"}, {"function": "take_first"}],
        }
    ],
    "metric_list": [
        {
            "metric": "exact_match",
            "ignore_case": True,
            "ignore_punctuation": False,
            "regexes_to_ignore": [",", "\\$", "(?s).*#### "],
        }
    ],
}


@pytest.mark.usefixtures("here")
def test_an_older_task_of_lm_eval(command: Command) -> None:
    """GSM8K of version 2 did not drop the full stop at the end of an answer."""
    date = "2024-02-01T10-00-00.000000"
    results = {"results": {"gsm8k": {}}, "configs": {"gsm8k": GSM8K_2}, "versions": {"gsm8k": 2.0}}
    Path(f"results_{date}.json").write_text(json.dumps(results | {"lm_eval_version": "0.4.1"}), "utf-8")
    answers = ("5", "5.", "1,000", "7")
    rows = [
        {"doc_id": i, "doc": {}, "target": f"so\n#### {'1000' if i == 2 else '5'}", "filter": "get-answer"}
        | {"resps": [[f"so\n#### {one}"]], "filtered_resps": [one], "exact_match": float(i in (0, 2))}
        for i, one in enumerate(answers)
    ]
    Path(f"samples_gsm8k_{date}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    done = command("upgrade", f"samples_gsm8k_{date}.jsonl", "report=[console,json]", "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    assert says.POINTS_MORE_RIGHT_OF_GSM8K in " ".join(done.stderr.replace("│ ", "").split())
    [mismatches] = [one for one in json.loads(done.stdout)["measurements"] if one["metric"] == "mismatches"]
    assert mismatches["value"] == 0
    none = command("upgrade", f"samples_gsm8k_{date}.jsonl", "from=0.4.2")
    assert (none.returncode, none.stdout.strip()) == (0, says.NO_CHANGE_OF_GSM8K)


def lm_eval_log(task: str, facts: dict[str, Any], config: dict[str, Any], pairs: list[tuple[str, str, float]]) -> str:
    """A log of lm-evaluation-harness in the current folder: answers with their truths and labels."""
    date = "2024-02-01T10-00-00.000000"
    results = {"results": {task: {}}, "configs": {task: config}, **facts}
    Path(f"results_{date}.json").write_text(json.dumps(results), "utf-8")
    rows = [
        {"doc_id": i, "doc": {}, "target": truth, "filter": "none", "resps": [[text]], "filtered_resps": [text],
         "exact_match": label}
        for i, (text, truth, label) in enumerate(pairs)
    ]  # fmt: skip
    log = f"samples_{task}_{date}.jsonl"
    Path(log).write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return log


MATH = {"output_type": "generate_until", "metric_list": [{"metric": "exact_match"}], "process_results": "def f(): ..."}
MATHS = [
    ("so $\\frac12$", "\\frac{1}{2}", 1.0), ("$x=5$", "5", 1.0), ("$0.5$", "1/2", 1.0), ("it is 5", "5", 0.0),
    ("3 \\text{ cm}", "3", 1.0), ("$a$ or $b$", "b", 0.0),
]  # fmt: skip


@pytest.mark.usefixtures("here")
def test_a_log_of_math(command: Command) -> None:
    """Its labels are those of the shipped rule, and no change of it is known; no version, but that of its task."""
    log = lm_eval_log("hendrycks_math_algebra", {"versions": {"hendrycks_math_algebra": 1.0}}, MATH, MATHS)
    ran = command(log, "report=[json]", "audit.near=null")
    [mismatches] = [one for one in json.loads(ran.stdout)["measurements"] if one["metric"] == "mismatches"]
    assert mismatches == mismatches | {"value": 0, "reading": "hendrycks_math"}
    done = command("upgrade", log)
    assert done.returncode == 0, done.stderr
    assert says.NO_VERSION_BUT_A_TASK.format("0.4.3", "1.0") in done.stderr
    assert says.NO_CHANGE_OF_HENDRYCKS_MATH in done.stdout


@pytest.mark.usefixtures("here")
def test_another_rule_than_the_log_names(command: Command) -> None:
    """What would set the steps of the log's own rule is left out with that rule."""
    log = lm_eval_log("mymath", {"lm_eval_version": "0.4.13"}, MATH, MATHS)
    ran = command(log, "scorer=[hendrycks_math]", "audit.baseline=hendrycks_math", "report=[json]", "audit.near=null")
    assert ran.returncode == 0, ran.stderr
    assert "lm_eval_filter" not in ran.stderr
    both = command(log, "scorer=[hendrycks_math,lm_eval_filter]", "report=[json]", "audit.near=null")
    assert "audit.scorers.lm_eval_filter.parser.steps=[]" in both.stderr


@pytest.mark.usefixtures("here")
def test_a_rule_of_a_task_that_does_not_ship(command: Command) -> None:
    """Its changes stand in words, from the version that its task's version tells."""
    facts = {"versions": {"minerva_math_algebra": 3.0}, "git_hash": "1a2b3c4"}
    log = lm_eval_log("minerva_math_algebra", facts, MATH, MATHS)
    done = command("upgrade", log)
    assert done.returncode == 2
    assert says.NO_VERSION_BUT_A_TASK.format("0.4.9.2", "3.0") in done.stderr
    assert says.EQUAL_TEXTS_COUNT in done.stdout
    unknown = command("upgrade", lm_eval_log("mytask", {"versions": {"mytask": 3.0}}, MATH, MATHS))
    assert unknown.returncode == 3
    assert "write from=0.4.1" in unknown.stderr


def test_the_list_shows_changes_and_rules(command: Command) -> None:
    done = command("upgrade", "--list", env={"COLUMNS": "200"})
    assert done.returncode == 0
    assert "match(numeric)" in done.stdout
    assert "inspect_match_numeric_0_3_252" in done.stdout
    assert "no longer takes 5 in 25" in done.stdout
