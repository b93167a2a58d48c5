"""`auditfw explain`: why an answer or a gate came out as it did, from what is stored."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from running import Command, run_auditfw
from sentences import commands as says

pytestmark = pytest.mark.slow  # whole runs, or very many texts

GATES = (
    "gate=[stable,baseline_reproduces]",
    "+gates.few_flips={use: bound, metric: flips, max: 20}",
    "+gates.small={use: bound, metric: delta_pp, min: -60, max: 9, cell: worst}",
    '+gates.named={use: rule, where: "\\"flips@answer_v2+v2\\" <= 10"}',
    "+gates.whole={use: bound, metric: error_rate, max: 25, decide: interval, reading: answer_v2+v2}",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped sample with gates of every kind."""
    folder = tmp_path_factory.mktemp("explained")
    done = run_auditfw((*GATES, "report=[]", "hydra.run.dir=run"), folder)
    assert done.returncode == 1, done.stderr
    return folder


@pytest.fixture
def copied(run: Path, tmp_path: Path) -> Path:
    """The run, to be changed."""
    shutil.copytree(run / "run", tmp_path / "run")
    return tmp_path / "run"


def explained(folder: Path, *words: str, columns: int = 200) -> str:
    done = run_auditfw(("explain", "run", *words), folder, {"COLUMNS": str(columns)})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def as_json(folder: Path, *words: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(explained(folder, *words, "--json"))
    assert (document["schema"], document["run"], document["audit"]) == ("auditfw.explanation/1", "run", "parsing")
    return document


def heads(text: str) -> list[str]:
    return [line.removeprefix("╭ ") for line in text.splitlines() if line.startswith("╭")]


def test_the_answer_with_its_rules(run: Path) -> None:
    text = explained(run)
    assert heads(text) == [
        *(says.ANSWER_DEPENDS_ON_SCORING_FRAGILE, "What to Do", says.WHAT_WAS_FOUND_IN_THE),
        *(says.WHAT_COULD_NOT_BE_LOOKED, "The Deciding Rules", says.WHAT_WOULD_HAVE_CHANGED_IT),
        *("Other Rules That Fired", says.RULES_THAT_DID_NOT_FIRE, "Gates", says.WHAT_IT_IS_BASED_ON),
    ]
    lines = [line.removeprefix("│ ") for line in text.splitlines()]
    at = lines.index(says.MOVES_WHOLE_DOES_A_READING)
    assert lines[at + 1 : at + 3] == [
        says.ITS_NUMBER_IS_THE_SHIFT,
        says.IT_FIRES_IF_IT_IS,
    ]
    assert re.search(r"answer_v2\+v1 +\+2\.13 pp, approximate interval \[0\.00, 4\.22\], p = 0\.0007 by", text)
    assert re.search(
        r"answer_v2\+v2 +-0\.37 pp, approximate interval .* p = 1\.00 by .*at least 0\.5 pp in size and p",
        text,
    )
    assert re.search(r"after_think\+v2 +\+5\.00 pp, .* p = 0\.30 by .* p at most 0\.05\n", text)
    at = lines.index(says.WITHOUT_ALL_OF_THESE_RULES)
    assert lines[at + 1 : at + 3] == ["moves_whole of answer_v2+v1", "unfinished of stored"]
    assert says.READ_THE_CHANGED_LABELS_AUDITFW in text


def test_the_answer_for_scripts(run: Path) -> None:
    document = as_json(run)
    stored = json.loads((run / "run" / "result.json").read_text("utf-8"))
    answer = document["answer"]
    assert {k: v for k, v in answer.items() if k not in ("rules", "without_them")} == {
        k: v for k, v in stored["answer"].items() if k != "rules"
    }
    assert answer["without_them"] == "unknown"
    assert [(r["rule"], r["reading"]) for r in answer["rules"] if r["decided"]] == [
        ("moves_whole", "answer_v2+v1"), ("unfinished", "stored"),
    ]  # fmt: skip
    for rule, before in zip(answer["rules"], stored["answer"]["rules"], strict=True):
        assert before.items() <= rule.items()
    assert document["gates"] == stored["gates"]


@pytest.mark.parametrize(
    ("gate", "texts"),
    [
        (
            "few_flips",
            [
                "Gate few_flips: FAIL",
                "The rule is: flips <= 20.",
                "The deciding value of answer_v2+v2 is 30, 10 beyond the bound.",
                r"answer_v2\+v1 +23 +no +1,080",
                r"stored\+v2 +17 +yes +1,080",
                r"1\.0 +think +asch_history_5 +3 +yes +20",
                "30 trials where answer_v2+v2 and stored differ.",
                "and 25 more rows",
                "raw_text: ",
                "To bound it elsewhere: gates.few_flips.max=NUMBER",
            ],
        ),
        (
            "small",
            [
                "The deciding value of after_think+v2 is +50.00, 41.00 beyond the bound.",
                r"0\.5 +rl_zero +authoritative_bias +\+50\.00 .* +no +2",
                "gates.small.max=NUMBER",
            ],
        ),
        ("named", ["Gate named: FAIL", r"flips +answer_v2\+v2 +30 +1,080|answer_v2\+v2 +30 +1,080", "30 trials where"]),
        (
            "whole",
            [
                "Gate whole: INCONCLUSIVE",
                "its whole interval is compared with 25.00",
                "further items would decide it",
                r"answer_v2\+v2 +24\.35 .* +open +1,080",
                "263 trials that answer_v2+v2 has wrong.",
                "Audit more items",
            ],
        ),
        ("stable", ["Gate stable: FAIL", "auditfw explain run says how the answer came about."]),
        (
            "baseline_reproduces",
            [
                "Gate baseline_reproduces: PASS",
                r"stored\+v1 +0 +yes +1,080",
                ", exactly the bound",
                "Nothing: the gate passed.",
            ],
        ),
    ],
)
def test_a_gate(run: Path, gate: str, texts: list[str]) -> None:
    text = explained(run, gate)
    for one in texts:
        assert one in text or re.search(one, text), one


def test_a_gate_for_scripts(run: Path) -> None:
    document = as_json(run, "few_flips")
    assert (document["gate"]["name"], document["gate"]["value"]) == ("few_flips", 30)
    assert {m["reading"]: m["value"] for m in document["measurements"]} == {
        **{"stored+v1": 0, "answer_v2+v1": 23, "stored+v2": 17, "answer_v2+v2": 30},
        "after_think+v2": 10,
    }
    assert document["trials"]["total"] == 30
    assert len(document["trials"]["first"]) == 5
    assert document["cells"][0]["value"] == 3
    names = ["metric", "reading", "value", "counted", "missing", "low", "high", "undefined", "cell"]
    assert list(document["cells"][0]) == names  # in this order each time
    assert "gates.few_flips.max=" in document["next"]


@pytest.mark.parametrize("columns", [20, 40, 80])
@pytest.mark.parametrize("gate", [(), ("few_flips",), ("small",)])
def test_it_fits_a_terminal(run: Path, gate: tuple[str, ...], columns: int) -> None:
    assert max(map(len, explained(run, *gate, columns=columns).splitlines())) <= columns


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            (),
            2,
            says.EXPLAIN_NEEDS_A_RUN_FOLDER_AND,
        ),
        (
            ("run", "a", "b"),
            2,
            says.EXPLAIN_NEEDS_A_RUN_FOLDER_AND_AT,
        ),
        (("run", "few_flip"), 2, says.EXPLAIN_FEW_FLIP_NO_GATE),
        (("nowhere",), 3, says.NOWHERE_NO_SUCH_FILE_NAME),
        (("run/result.json",), 3, says.RUN_IS_A_FILE_NOT),
    ],
)
def test_what_cannot_be_explained(run: Path, words: tuple[str, ...], code: int, message: str) -> None:
    done = run_auditfw(("explain", *words), run)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert done.stderr.startswith(f"auditfw: error: {message}")


def changed(folder: Path, **parts: Any) -> None:
    file = folder / "result.json"
    document = json.loads(file.read_text("utf-8"))
    document |= parts
    file.write_text(json.dumps({k: v for k, v in document.items() if v is not ...}), "utf-8")


def test_a_run_of_the_first_schema(copied: Path) -> None:
    changed(copied, schema="auditfw.result/1", answer=..., digests=...)
    shutil.rmtree(copied / ".hydra")
    (copied / "sections.json").unlink()
    text = explained(copied.parent)
    assert heads(text) == ["No Answer", "Gates"]
    assert says.IS_OLDER_THAN_THE_ANSWERS in text
    gate = explained(copied.parent, "few_flips")
    assert says.TRIALS_WHERE_ANSWER_AND_STORED in gate
    assert as_json(copied.parent)["answer"] is None


def test_a_run_without_gates_or_manifest(copied: Path) -> None:
    changed(copied, gates=[])
    (copied / "manifest.json").unlink()
    assert "Gates" not in heads(explained(copied.parent))
    done = run_auditfw(("explain", "run", "few_flips"), copied.parent)
    assert done.stderr == says.AUDITFW_ERROR_EXPLAIN_FEW_FLIPS


FLIPS = {"metric": "flips", "side": "max", "bound": 20, "on": "value"}
CHANGE = {"metric": "flips", "side": "max", "bound": 2, "on": "change"}
TERMS = {"terms": [{"metric": "flips", "reading": "answer_v2+v1"}]}


@pytest.mark.parametrize(
    ("numbers", "status", "value", "text"),
    [
        (FLIPS, "inconclusive", None, "gates.g.undefined=fail"),
        ({**FLIPS, "side": "min"}, "fail", 3.0, "gates.g.min=NUMBER"),
        (CHANGE, "fail", 3.0, "auditfw accept RUN"),
        (TERMS, "fail", 3.0, "gates.g.where="),
        ({}, "fail", 3.0, says.THE_RUN_DOES_NOT_STORE),
        (FLIPS, "pass", 20.0, "Nothing: the gate passed."),
    ],
)
def test_what_to_do_next(copied: Path, numbers: dict[str, Any], status: str, value: float | None, text: str) -> None:
    gate = {"name": "g", "rule": "flips <= 20", "reading": "answer_v2+v1", "value": value, "status": status, "why": ""}
    changed(copied, gates=[{**gate, **numbers}])
    assert text in as_json(copied.parent, "g")["next"]
    assert text in explained(copied.parent, "g")


def test_a_whole_interval_is_within_the_bounds_beyond_them_or_neither(copied: Path) -> None:
    rows = {"rule": "x", "reading": "stored", "value": 24.72, "status": "fail", "why": "it is high"}
    rows |= {"metric": "error_rate", "side": "between", "bound": [5, 15.5], "on": "interval"}
    changed(copied, gates=[{"name": "g", **rows}])
    text = explained(copied.parent, "g")
    assert re.search(r"answer_v2\+v1 +26\.85 \[18\.15, 37\.80\] +no +1,080", text)
    assert re.search(r"after_think\+v2 +12\.50 \[5\.47, 26\.06\] +open +120", text)
    assert "It is high." in text
    changed(copied, gates=[{"name": "g", **rows, "bound": [5, 30]}])
    assert re.search(r"after_think\+v2 +12\.50 \[5\.47, 26\.06\] +yes +120", explained(copied.parent, "g"))


def test_a_run_that_stores_neither_numbers_of_gates_nor_words_of_rules(copied: Path) -> None:
    """As runs did before: what they say is shown, and nothing is read out of their sentences."""
    stored = json.loads((copied / "result.json").read_text("utf-8"))
    gates = [{name: gate[name] for name in OLDER_GATE} for gate in stored["gates"]]
    rules = [{name: rule[name] for name in OLDER_RULE} for rule in stored["answer"]["rules"]]
    answer = {name: stored["answer"][name] for name in ("status", "headline", "because", "next", "scope")}
    changed(copied, gates=gates, answer={**answer, "rules": rules}, findings=[], not_checked=[])
    text = explained(copied.parent)
    assert heads(text) == [
        *("Answer: FRAGILE", "What to Do", says.WHAT_WOULD_HAVE_CHANGED_IT, "Other Rules That Fired"),
        *(says.RULES_THAT_DID_NOT_FIRE, "Gates", says.WHAT_IT_IS_BASED_ON),
    ]
    assert says.AN_OLDER_RUN_DOES_NOT in text
    assert "moves_whole: moves_whole?" in text
    assert "decides nothing" not in text
    shown = explained(copied.parent, "few_flips")
    assert says.THE_DECIDING_VALUE_OF_ANSWER in shown
    assert says.THE_RUN_DOES_NOT_STORE in shown
    assert "Measured Overall" not in shown
    assert json.loads(run_auditfw(("report", "run", "report=[json]"), copied.parent).stdout)["verdict"] == "fail"
    assert run_auditfw(("compare", "run", "run"), copied.parent).returncode == 0


OLDER_GATE = ("name", "rule", "reading", "value", "status", "why")
OLDER_RULE = ("rule", "reading", "cell", "value", "low", "high", "p", "bound", "fired")


def test_rules_of_one_name_with_several_bounds(copied: Path) -> None:
    """Claims have a bound each: no one sentence says when they fire."""
    numbers = {"cell": {}, "value": 2.0, "low": 1.5, "high": 3.0, "p": None, "fired": True}
    numbers |= {"asks": "Does it?", "test": "low_above", "unit": " %", "status": "fragile"}
    rules = [{"rule": "churns", "reading": f"r{bound}", "bound": bound, **numbers} for bound in (1.0, 1.2)]
    answer = {"status": "fragile", "headline": "h", "because": [], "next": "n", "scope": "s", "rules": rules}
    changed(copied, answer=answer)
    text = explained(copied.parent)
    assert "It fires if" not in text
    assert re.search(r"r1\.0 .* lower end at most 1 %\n│ r1\.2 .* lower end at most 1\.2 %", text)
    changed(copied, answer={**answer, "rules": rules[:1]})
    assert says.IT_FIRES_IF_THE_LOWER in explained(copied.parent)


def test_a_changed_table_is_refused(copied: Path) -> None:
    (copied / "trials.parquet").write_bytes(b"PAR1")
    done = run_auditfw(("explain", "run", "few_flips"), copied.parent)
    assert (done.returncode, done.stdout) == (3, "")
    assert says.DOES_NOT_MATCH_ITS_SHA_2 in done.stderr


def test_a_rule_without_words_is_shown_with_its_numbers(copied: Path) -> None:
    numbers = {"value": 1.5, "low": None, "high": None, "p": None, "bound": 1.0}
    rule = {"rule": "later", "reading": "r", "cell": {"model": "\x1b[31mred"}, **numbers, "fired": True}
    answer = {"status": "fragile", "headline": "h", "because": [], "next": "n", "scope": "s", "rules": [rule]}
    changed(copied, answer=answer)
    text = explained(copied.parent)
    assert "\x1b" not in text
    assert "model = ␛[31mred" in text
    assert says.NO_STORED_RULE_GIVES_THE in text


def test_model_text_is_data(copied: Path) -> None:
    exhibit = {"facts": [], "snippets": [{"label": "raw", "head": "\x1b[2Jgone [bold]\u202e"}]}
    sections = json.loads((copied / "sections.json").read_text("utf-8"))
    first = as_json(copied.parent, "few_flips")["trials"]["first"][0]["id"]
    sections["sections"].insert(0, {"title": "t", "blocks": [{"block": "exhibit", **exhibit, "title": first}]})
    (copied / "sections.json").write_text(json.dumps(sections), "utf-8")
    text = explained(copied.parent, "few_flips")
    assert f"{first}, raw: ␛[2Jgone [bold]<U+202E>" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("text", ["[]", "{}", '{"sections": [{"blocks": [1]}]}', "nonsense"])
def test_sections_that_cannot_be_read_are_left_out(copied: Path, text: str) -> None:
    (copied / "sections.json").write_text(text, "utf-8")
    assert "30 trials where" in explained(copied.parent, "few_flips")


OTHERS: list[Any] = [
    ("cross_agent", "kappa", "72 trials where GPT-4 (scholar) and human annotators (auditor) differ."),
    ("posiwid", "aligned", None),
    pytest.param("self_audit", "solved", None, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("experiment", "gate", "trials"), OTHERS)
def test_every_audit(command: Command, experiment: str, gate: str, trials: str | None) -> None:
    words = () if trials else (f"gates.{gate}.min=0.99",)
    assert command(f"experiment={experiment}", *words, "report=[]", "hydra.run.dir=run").returncode == 1
    answer = command("explain", "run")
    assert (answer.returncode, answer.stderr) == (0, "")
    shown = command("explain", "run", gate)
    assert f"╭ Gate {gate}: FAIL" in shown.stdout
    assert (trials or "╭ The Trials Behind It") in shown.stdout


def test_a_sweep_asks_for_one_job(command: Command) -> None:
    words = (
        "-m",
        "parser=[stored],[stored,answer_v2]",
        "report=[]",
        "gate=[]",
        "audit.unfinished=none",
        "hydra.sweep.dir=sweep",
    )
    assert command(*words, "audit.unfinished=none").returncode == 0
    done = command("explain", "sweep")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == says.AUDITFW_ERROR_SWEEP_IS_A
    for verb in "export", "label", "report", "accept", "rerun":
        refused = command(verb, "sweep")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == done.stderr.replace("explain", verb)
    for folders in ["sweep"], ["sweep/0", "sweep"]:
        refused = command("compare", *folders)
        assert (refused.returncode, refused.stderr) == (2, says.AUDITFW_ERROR_COMPARE_A_SWEEP)
    assert command("explain", "sweep/1").stdout.startswith(says.ANSWER_DEPENDS_ON_SCORING_FRAGILE_2)
