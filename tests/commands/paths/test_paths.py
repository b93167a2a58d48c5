"""`auditfw PATH`: what is recognised, what runs, and what is said of data that is not known."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from running import Command, run_auditfw

from auditfw.audits.consistency.rules import UNKNOWN_LABEL, Rules, as_label
from auditfw.audits.parsing.engine.default_readings import DEFAULTS, OF_LOGS
from auditfw.audits.parsing.engine.grid import ReadingGrid
from auditfw.audits.parsing.probe.pairs import lossy_readings, readings_asked
from auditfw.commands.paths.columns import cells, strata
from auditfw.commands.paths.command import kept, named_paths, recognised, with_paths
from auditfw.commands.paths.field_logs import _readings, rivals
from auditfw.commands.paths.first_look import first_look, top_level
from auditfw.commands.paths.guesses.guessed import guessed
from auditfw.commands.paths.proposal import Proposal, spelt
from auditfw.commands.paths.sources import LogRule, rule_of
from auditfw.commands.paths.truths import ENDS, LETTERS, Truths
from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.logs.promptfoo_assertions import RULES
from auditfw.config import build as bridge
from auditfw.config.quoting import with_quoted_paths
from auditfw.config.schema import load
from auditfw.core.errors import AuditError, UsageError
from auditfw.kinds.evidence import ScorerRule

Capture = pytest.CaptureFixture[str]
SAMPLES = ROOT / "auditfw" / "samples"
REFERENCE = "audit.reference=auditor"
OWN = {"raw_text": "It is 4.", "ground_truth": "4", "stored": 1}
WRONG = {"raw_text": "It is 5.", "ground_truth": "4", "stored": 0}


def written(folder: Path, name: str, rows: list[dict[str, Any]]) -> str:
    """A file of JSON Lines in a folder."""
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("place", "what", "words"),
    [
        (
            "openqa_judges/pairs.jsonl",
            "judgements of scholar, auditor",
            ["experiment=cross_agent", "source=pairs", "PATH", "audit.raters=[scholar,auditor]", REFERENCE],
        ),
        ("arc/tasks", "ARC tasks", ["experiment=self_audit", "source=arc", "PATH"]),
        (
            "mito_posiwid/posiwid_report_zimmerman.json",
            "a POSIWID report",
            [
                "experiment=posiwid_report", "scenarios=posiwid_report", "scenarios.path=FILE", "simulator=table",
                "simulator.format=posiwid_report", "simulator.path=FILE",
            ],
        ),
    ],
)  # fmt: skip
def test_the_audit_that_fits_is_chosen(place: str, what: str, words: list[str]) -> None:
    path = str(SAMPLES / place)
    full = [word.replace("PATH", f"source.path={path}").replace("FILE", path) for word in words]
    [proposed] = recognised([path])[1]
    assert (proposed.what, list(proposed.words)) == (what, full)


def test_a_table_of_our_own_columns_runs(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, "mine.jsonl", [{**OWN, "model": "a"}, {**OWN, "model": "b"}, WRONG | {"model": "b"}])
    done = command(path, "report=[json]")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == (
        f"auditfw: stored answers (jsonl; 3 of 3 truths are numbers): auditfw source=jsonl source.path={path} "
        "\"source.columns.id='#'\" 'parser=[answer_v2,last_number,announced_number]' 'normalizer=[none]' "
        "matcher=numeric audit.matcher.which=last 'by=[model]' audit.baseline=search 'report=[json]'"
    )
    assert json.loads(done.stdout)["counts"] == {"read": 3, "audited": 3}


def test_a_verb_comes_before_a_path_of_its_name(command: Command, tmp_path: Path) -> None:
    (tmp_path / "list").mkdir()
    assert command("list", "matcher").stdout.startswith("╭ matcher")


def test_a_word_that_is_neither_is_a_verb_mistyped(command: Command) -> None:
    done = command("chekc")
    assert (done.returncode, done.stderr) == (2, "auditfw: error: chekc: no such command - did you mean 'check'?\n")


@pytest.mark.parametrize(
    ("name", "text", "code", "words"),
    [
        (
            "x.jsonl",
            '{"response": "A", "answer": "A", "correct": 1}\n{"response": "B", "answer": "A", "correct": 0}\n',
            3,
            "x.jsonl: not recognised as a log (columns response, answer, correct; 2 of 2 truths are letters) - say "
            "which columns are which: auditfw source=jsonl source.path=x.jsonl "
            "'source.columns={raw_text: response, ground_truth: answer, stored: correct}' \"source.columns.id='#'\" "
            "'by=[]' 'parser=[choice_letter,mmlu_pro_three_step,first_letter]' 'normalizer=[casefold]' matcher=exact "
            "audit.baseline=search\n",
        ),
        ("x.csv", "a,b\n1,2\n", 3, "source.columns={raw_text: THEIRS, ground_truth: THEIRS}"),
        (  # the truths alone tell what competes
            "x.csv",
            "theirs,truth,ok\n2.97,2.7,0\n5,5,1\n",
            3,
            "'source.columns={raw_text: THEIRS, ground_truth: truth, stored: ok}' \"source.columns.id='#'\" 'by=[]' "
            "'parser=[answer_v2,last_number,announced_number]' 'normalizer=[none]' matcher=numeric "
            "audit.matcher.which=last audit.baseline=search\n",
        ),
        ("x.csv", "got,truth\n2.97,2.7\n", 3, "'source.columns={raw_text: got, ground_truth: truth}'"),
        (
            "x.csv",
            "response,answer\nRome,None\nParis,Paris\nRome,n/a\n",
            3,
            "'by=[]' \"source.nulls={ground_truth: ['None','n/a']}\" 'parser=[answer_v2,last_line]'",
        ),
        ("x.md", "# A page\n\nof text\n", 3, "x.md: not recognised as a log (csv) - name the files themselves"),
        ("x.md", "a page\nof, text\n", 3, "x.md: not recognised as a log (read as csv: "),
        (
            "x.jsonl",
            '{"a": 1}\nnot JSON\n{"a": 2}\n',
            3,
            " x.jsonl:2:1: not recognised as a log (read as jsonl: not JSON: Expecting value) - write a text in ",
        ),
        ("x.jsonl", "", 5, "x.jsonl: is empty"),
        ("x.db", "SQLite format 3\x00", 3, "x.db: is damaged: the end of the file is missing (16 of 100 bytes) - copy"),
        ("x.zip", "PK\x03\x04 no archive", 3, "x.zip: is a zip archive that cannot be read"),
        ("x.json", '{"a": 1}', 3, "x.json: not recognised as a log (object with a) - name the files themselves"),
    ],
)
def test_what_is_not_known(tmp_path: Path, name: str, text: str, code: int, words: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = run_auditfw((name,), tmp_path, None)
    assert done.returncode == code
    assert done.stderr.startswith("auditfw: error: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_two_files_of_judgements_are_two_raters(tmp_path: Path) -> None:
    rows = [{"id": str(i), "label": "good" if i % 2 else "bad"} for i in range(6)]
    one, two = (written(tmp_path, name, rows) for name in ("a.jsonl", "b.jsonl"))
    words = recognised([one, two])[1][0].words
    assert f"source.paths={{a: {one},b: {two}}}" in words
    assert "audit.labels=[bad,good]" in words


@pytest.mark.parametrize(
    ("labels", "listed"),
    [  # as the reader compares them: `rules.as_text`
        ([False, True], "['false','true']"),
        ([0.0, 1.0], "['0','1']"),
        ([10, 9, -1.5], "['-1.5','9','10']"),
        ([1e3, 1e-7], "['1e-07','1000']"),
        (["1e3", "false", "0.0"], "['0.0','1e3','false']"),
        ([True, "yes", 1], "['1','true',yes]"),
        (["a", "b", None, " ", ["c"], {"d": 1}], "[a,b]"),
    ],
)
def test_labels_are_spelt_as_the_reader_spells_them(tmp_path: Path, labels: list[Any], listed: str) -> None:
    rows = [{"id": i, "label": label} for i, label in enumerate(labels)]
    pairs = [{"id": i, "a": {"label": label}, "b": {"label": labels[0]}} for i, label in enumerate(labels)]
    files = [written(tmp_path, "a.jsonl", rows), written(tmp_path, "b.jsonl", rows)]
    for form in ("a.json", "b.json"):
        (tmp_path / form).write_text(json.dumps(rows), encoding="utf-8")
    merged = written(tmp_path, "pairs.jsonl", pairs)
    for paths in (files, [str(tmp_path / "a.json"), str(tmp_path / "b.json")], [merged]):
        assert f"audit.labels={listed}" in recognised(paths)[1][0].words
    audited = [label for label in labels if as_label(label).strip()]
    rules = Rules(("a", "b"), tuple(listed.strip("[]").replace("'", "").split(",")), {})
    assert UNKNOWN_LABEL not in [rules.label("a", label) for label in audited]


def test_labels_of_a_table_that_was_not_seen_to_its_end_are_those_that_it_holds(tmp_path: Path) -> None:
    rows = [{"id": i, "label": i % 2 == 0} for i in range(PEEKED)]
    paths = [written(tmp_path, name, rows) for name in ("a.jsonl", "b.jsonl")]
    words = recognised(paths)[1][0].words
    assert "audit.labels=found" in words
    assert "audit.acceptable=['false']" in words


def test_paths_come_first_and_own_words_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.eval", "b.eval", "by=x", "b", "model=m,temp=0"):
        (tmp_path / name).touch()
    named = named_paths(["*.eval", "by=[x]", "a.eval"])
    assert named_paths(["model=m,temp=0", "model=*", "by=x", "by=[b]"]).paths == (*["model=m,temp=0"] * 2, "by=x")
    assert (named.paths, named.rest) == (("a.eval", "b.eval"), ("by=[x]", "a.eval"))
    assert named_paths(["--help"]).paths == ()
    assert named_paths(["*.json"]).paths == ()
    proposed = Proposal("", ("source=json", "by=[]", "seed=1"))
    assert kept(proposed, ["+by=[m]", "seed=2"]) == ["source=json"]


@pytest.mark.parametrize(
    ("truths", "kind"),
    [
        (["A", "b", "(C)"], "letter"),
        (["A", "K"], "text"),
        (["1", "1,000", "$5", "-2.5", "50%", 3], "number"),
        (["1", "one"], "text"),
        (["1"] * 19 + ["one"], "number"),
        (["1", "3/4", ".5", "1e3"], "number"),
        (["1", "", "", None, ""], "number"),
        (["1", " ", "\n"], "number"),
        (["1"] * 18 + ["one"], "text"),
        (["A"] * 18 + ["some"], "text"),
        (["A"] * 18 + ["none"], "letter"),
        (["A"] * 19 + ["none"], "letter"),
        ([["A", "B"], "C"], "letter"),
        ([None], "text"),
        ([], "text"),
    ],
)
def test_kinds_of_answers(truths: list[Any], kind: str) -> None:
    assert Truths(truths).kind_of_log == kind


def test_guesses_of_columns() -> None:
    rows = [{"Question": "q", "Response": "r", "target": "t", "score": 0.5, "uid": i, "model": "m"} for i in range(2)]
    assert guessed(list(rows[0]), rows) == {  # a score of 0.5 is neither right nor wrong
        "raw_text": "Response", "ground_truth": "target", "item": "Question", "id": "uid",
    }  # fmt: skip
    assert guessed(["answer", "label"], [{"answer": "A", "label": "B"}]) == {"ground_truth": "answer"}
    assert cells(["model", "task"], [{"model": "a", "task": "t"}, {"model": "b", "task": "t"}]) == ["model"]


@pytest.mark.parametrize(
    ("values", "few"),
    [
        (["x", "y"] * 5, True),
        (["x"] * 10, False),
        (["x", "y"] * 4 + ["x"], False),  # two values need ten records
        ([f"{n % 20}" for n in range(100)], True),
        ([f"{n % 21}" for n in range(105)], False),
        ([0, 1] * 5, True),
        ([0.5, 1.5] * 5, False),
        ([None, "x"] * 5, False),
    ],
)
def test_columns_of_judgements_that_are_cells(values: list[Any], few: bool) -> None:
    rows = [{"a": value, "b": value, "c": value} for value in values]
    assert strata(["a", "b", "c"], rows) == (["a", "b"] if few else [])


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": {"b": 1}, "c": "d: {", "e": [', ["a", "c", "e"]),
        ('{"a\\"x": "\\\\", "b": 2}', ['a\\"x', "b"]),
        ("[]", []),
        ('{"a": "cut', ["a"]),
    ],
)
def test_top_level_keys_of_a_text_that_may_be_cut(text: str, keys: list[str]) -> None:
    assert top_level(text) == keys


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_first_record_may_be_long(ending: str, tmp_path: Path) -> None:
    for text in ("x" * (1 << 21), "} \n{".replace("\n", " ") * (1 << 19)):
        rows = [{"x": text}, {"x": 1, "y": 2}]
        data = "".join(f"{json.dumps(row)}\r\n" for row in rows).encode()
        path = tmp_path / f"a.txt{ending}"
        path.write_bytes(gzip.compress(data) if ending else data)
        assert first_look(str(path)).format == "jsonl"
        path.write_bytes(gzip.compress(data.split(b"\r")[0]) if ending else data.split(b"\r")[0])
        assert first_look(str(path)).format == "object"


def test_first_looks(tmp_path: Path) -> None:
    assert first_look(written(tmp_path, "a.txt", [{"x": 1}, {"x": 2}])).format == "jsonl"
    (tmp_path / "b").write_text('[{"x": 1}]', encoding="utf-8")
    assert first_look(str(tmp_path / "b")).columns == ("x",)
    (tmp_path / "c.tsv").write_text("x\ty\n1\t2\n", encoding="utf-8")
    assert first_look(str(tmp_path / "c.tsv")).columns == ("x", "y")
    assert first_look(str(tmp_path)).names == ["a.txt", "b", "c.tsv"]
    for name, data in (
        ("d.tsv.gz", b"x\ty\n1\t2\n"),
        ("e.csv.gz", b"x,y\n1,2\n"),
        ("f.json.gz", b'[{"x": 1, "y": 2}]'),
    ):
        (tmp_path / name).write_bytes(gzip.compress(data))
        assert first_look(str(tmp_path / name)).columns == ("x", "y"), name
    with pytest.raises(AuditError):
        first_look(str(ROOT / "README.md"))


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (ScorerRule("match", {"location": "begin"}, "0.3.285"), "inspect_match_begin"),
        (ScorerRule("match", {"numeric": True}, "0.3.285"), "inspect_match_numeric"),
        (ScorerRule("answer", {"pattern": "letter"}, "0.3.218"), "inspect_answer_letter_2025"),
        (ScorerRule("match", {"numeric": True}, "0.3.133"), "inspect_match_numeric_2025"),
        (ScorerRule("match", {"numeric": True}, "0.3.220"), "inspect_match_numeric_2025"),
        (ScorerRule("match", {"numeric": True}, "0.3.221"), "inspect_match_numeric"),
        (ScorerRule("match", {"numeric": True}, ""), "inspect_match_numeric"),
        (ScorerRule("match", {}, "0.3.133"), "inspect_match"),
        (ScorerRule("match", {"numeric": True, "location": "begin"}, "0.3.133"), "inspect_match_numeric_2025"),
        (ScorerRule("answer", {"pattern": "letter"}, "0.3.221"), "inspect_answer_letter"),
        (ScorerRule("answer", {"pattern": "letter"}, ""), "inspect_answer_letter"),
        (ScorerRule("choice", {}, "0.3.99"), "inspect_choice_2025"),
        (ScorerRule("f1", {}, "0.3.285"), ""),
    ],
)
def test_rules_of_inspect(rule: ScorerRule, name: str) -> None:
    assert rule_of("inspect", rule).name == name


@pytest.mark.parametrize(
    ("kind", "texts", "parsers"),
    [
        ("number", ["so 7"], ["last_number"]),
        ("number", ["so\nANSWER: 7", None, ""], ["last_number", "announced_number", "inspect_answer_line"]),
        ("number", ["Answer : 7\n\n", "so 7"], ["last_number", "announced_number", "inspect_answer_line"]),
        ("number", ["ANSWER: 7", "so 7", "7"], ["last_number"]),
        ("number", ["ANSWER: 7\nI am sure."], ["last_number", "announced_number"]),
        ("number", ["ANSWER: 7" + " " * 2_000], ["last_number", "announced_number", "inspect_answer_line"]),
        ("number", ["7\n\nQuestion: and 8?", *["so 7"] * 19], ["last_number", "first_turn"]),
        ("number", ["7\n\nQuestion: and 8?", *["so 7"] * 20], ["last_number"]),
        ("number", ["Question: 7"], ["last_number"]),  # what a text begins with is its own
        ("text", ["the answer is: 7"], ["last_line"]),
        ("letter", ["Answer: (b)"], ["choice_letter", "first_letter"]),
        ("letter", ["ANSWER: b\nI am sure."], ["choice_letter", "first_letter", "inspect_answer_letter"]),
        ("letter", ["answer: both"], ["choice_letter", "first_letter"]),
        ("letter", [None], ["choice_letter", "first_letter", "inspect_answer_letter"]),
    ],
)
def test_a_rival_fits_the_texts(kind: str, texts: list[str | None], parsers: list[str]) -> None:
    """A parser that reads a marked line is no rival where fewer than half of the texts have one."""
    assert rivals(kind, texts) == parsers


def sound(kind: str, parsers: list[str], normalizer: str, matcher: str) -> bool:
    """Whether none of the parsers accepts a wrong answer under a normalizer and a matcher, as shipped."""
    parts = {name: load("parser", name) for name in parsers}
    grid = ReadingGrid(parts, {normalizer: load("normalizer", normalizer)}, {})
    plan = grid.plan(grid.names(), load("matcher", matcher))
    return not lossy_readings(plan, readings_asked(plan, kind), kind)


@pytest.mark.parametrize("kind", ["letter", "number"])
def test_no_lossy_reading_is_proposed(kind: str) -> None:
    """Neither for tables nor for logs without a rule, whatever the texts."""
    parsers, normalizers, matcher = DEFAULTS[kind]
    assert all(sound(kind, ["stored", *parsers], one, matcher.split()[0]) for one in normalizers)
    assert sound(kind, [*OF_LOGS[kind]], *ENDS[kind])
    assert sound("letter", [*OF_LOGS["letter"]], *LETTERS)
    assert not sound("number", ["stored"], "v1", "numeric")


@pytest.mark.parametrize(
    ("truths", "kind", "words"),
    [
        (["Add.\n#### 18", "#### 1,000", None], "number", ["audit.truth=last_number"]),
        (["So it is.\nThe answer is $3.50."], "number", ["audit.truth=last_number"]),
        ([["Adding up. The answer is 3721."], ["#### 5", "#### 6"]], "number", ["audit.truth=last_number"]),
        (["#### 18", "Rome"], "text", []),
        (["18", "$5"], "number", []),
        (["It is 18 of 20"], "text", []),
        ([None, ""], "text", []),
    ],
)
def test_the_number_of_a_worked_solution_is_the_truth(truths: list[Any], kind: str, words: list[str]) -> None:
    assert (Truths(truths).kind_of_log, Truths(truths).truth_words) == (kind, words)


@pytest.mark.parametrize(
    ("truths", "matcher"),
    [
        (["A", "b"], "exact"),
        (["(A)", "(B)"], "choice"),
        (["A.", "B."], "choice"),
        (["A)", "B", None], "choice"),
        (["A, C", "B"], "exact"),
        (["(A) is it", "B"], "numeric"),
        (["4", "(5)"], "numeric"),
    ],
)
def test_letters_with_marks_are_compared_as_choices(truths: list[str | None], matcher: str) -> None:
    """No answer equals the truth (A) that is the letter A alone."""
    usual = ("casefold", "exact") if Truths(truths).kind == "letter" else ("none", "numeric")
    assert Truths(truths).ends(usual) == (("none", "choice") if matcher == "choice" else usual)
    assert Truths(truths).ends(usual)[1] == matcher


@pytest.mark.parametrize(
    ("rule", "kind", "words"),
    [
        (
            LogRule("a", ("matcher.x=1",)),
            "number",
            "scorer=[a] parser=[last_number] normalizer=[none] matcher=numeric audit.baseline=a "
            "audit.scorers.a.matcher.x=1",
        ),
        (LogRule("last_number"), "text", "scorer=[last_number] parser=[] normalizer=[v1] matcher=containment"),
        (LogRule(why="no"), "letter", "parser=[last_number] normalizer=[casefold] matcher=exact audit.baseline=search"),
        (LogRule(why="no", judged=True), "text", "parser=[last_number] normalizer=[v1] matcher=containment audit.ba"),
    ],
)
def test_the_rule_of_a_log_and_its_rivals(rule: LogRule, kind: str, words: str) -> None:
    assert " ".join(_readings(rule, ["last_number"], ENDS[kind])).startswith(words)


@pytest.mark.parametrize(
    ("source", "rule", "inline"),
    [
        ("inspect", ScorerRule("match", {"location": "any"}, ""), "inspect_match_any"),
        ("inspect", ScorerRule("match", {"numeric": True}, "0.3.221.dev4+g1"), "inspect_match_numeric"),
        ("inspect", ScorerRule("match", {"numeric": True}, "0.3.220.dev4+g1"), "inspect_match_numeric_2025"),
        (
            "inspect",
            ScorerRule("match", {"numeric": True, "location": "begin", "ignore_case": False}, "0.3.133"),
            "{use: inspect_match_numeric_2025, matcher: {location: begin, ignore_case: false}}",
        ),
        (
            "inspect",
            ScorerRule("pattern", {"pattern": r"a'\d${x}=", "ignore_case": False}, ""),
            r"{use: inspect_pattern, parser: {pattern: 'a\'\d\${x}=', ignore_case: false}, "
            "matcher: {ignore_case: false}}",
        ),
        ("inspect", ScorerRule("choice", {}, "x"), "inspect_choice"),
        (
            "inspect",
            ScorerRule("choice", {"multiple_correct": True}, "0.3.130"),
            "{use: inspect_choice_2025, parser: {steps: [{use: inspect_choice, several: true, which: first}]}}",
        ),
        (
            "inspect",
            ScorerRule("pattern", {"pattern": "(a)", "match_all": True}, ""),
            "{use: inspect_pattern, parser: {pattern: '(a)'}, matcher: {match_all: true}}",
        ),
        ("promptfoo", RULES["icontains-any"], "{use: promptfoo, matcher: {assertion: icontains}}"),
        ("promptfoo", RULES["not-contains-any"], "{use: promptfoo, matcher: {assertion: not-contains-any}}"),
        ("helm", ScorerRule("exact_match", {"method": "generation"}, ""), "helm_exact"),
    ],
)
def test_the_scorer_of_a_rule(source: str, rule: ScorerRule, inline: str) -> None:
    assert rule_of(source, rule).inline() == inline


@pytest.mark.parametrize(
    ("source", "rule", "why"),
    [
        ("inspect", ScorerRule("model_graded_qa", {}, ""), "the scorer model_graded_qa asks a model"),
        ("inspect", ScorerRule("mine", {}, ""), "the scorer mine has no shipped rule"),
        ("helm", ScorerRule("exact_match", {"method": "multiple_choice_joint"}, ""), "exact_match reads the choice of"),
        ("helm", ScorerRule("f1_score", {}, ""), "the metric f1_score has no shipped rule"),
        ("lighteval", ScorerRule("x", {}, ""), "the log does not say how it was scored"),
    ],
)
def test_a_rule_without_a_scorer(source: str, rule: ScorerRule, why: str) -> None:
    known = rule_of(source, rule)
    assert known.why.startswith(why)
    assert known.judged == ("asks a model" in why)


def test_a_command_as_one_types_it() -> None:
    assert spelt(["a=1", "b=[x]", "c='y'", "d='$y'"]) == """auditfw a=1 'b=[x]' "c='y'" 'd='"'"'$y'"'"''"""


HARNESS = "samples_sums_2026-01-02T03-04-05.jsonl"  # the rows of a log of lm-evaluation-harness, below
ROWS = [
    {
        "doc_id": i, "target": f"#### {i}", "resps": [[f"It is {i}."]], "filtered_resps": [f"{i}."],
        "filter": "flexible-extract", "metrics": ["exact_match"], "exact_match": 1.0,
    }
    for i in range(3)
]  # fmt: skip


@pytest.mark.parametrize(
    "folder",
    [
        *("model=gpt4,temp=0", "a (b)", "it's=1", "${n}=1", "~a=1"),
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("gsm:model=a_b", "seed=1", "k=[x]", "+x=1")),
    ],
)
def test_a_path_is_a_path_whatever_characters_it_has(here: Path, capsys: Capture, folder: str) -> None:
    (here / folder).mkdir()
    path = written(here / folder, HARNESS, ROWS).removeprefix(f"{here}/")
    for named in (folder, f"{folder}/", path):
        [words] = with_paths([named, "by=[]"]).runs
        assert list(words)[:1] == ["source=lm_eval"]
        printed = capsys.readouterr().err.splitlines()[-1].partition(": auditfw ")[2]
        typed = with_quoted_paths(shlex.split(printed))
        for again in (typed, with_quoted_paths(["source=lm_eval", f"source.path={named}"])):
            assert bridge.compose(again)["source"]["path"] == named
    with pytest.raises(UsageError) as caught:
        with_paths(["by=[]", path])
    first, _, setting = str(caught.value.do).partition(", or name it in ")
    assert named_paths(shlex.split(first)[1:]).paths == (path,)
    assert bridge.compose(["source=lm_eval", *shlex.split(setting)])["source"]["path"] == path


QUIET = ("seed=1,2", "report=[]")


def test_verbs_and_sweeps_take_such_paths(command: Command, tmp_path: Path) -> None:
    names = ["model=gpt4,temp=0", "model=gpt4,temp=1"]
    for name in names:
        (tmp_path / name).mkdir()
        written(tmp_path / name, HARNESS, ROWS)
    for words in (["check", names[0]], ["probe", names[0]], [names[0], "report=[]"], [names[0], "-m", *QUIET]):
        done = command(*words)
        assert done.returncode == 0, done.stderr
        assert "auditfw: logs of lm-evaluation-harness: auditfw source=lm_eval" in done.stderr
    words = ["source=lm_eval", "report=[]", "gate=[]", "-m"]
    done = command(f"source.path={','.join(names)}", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("╭ Sweep: 2 jobs, exit code 0")
    assert command(f"source.path={names[0]},nowhere", *words).returncode == 2


def test_a_setting_of_the_same_name_goes_behind_another_word(command: Command, tmp_path: Path) -> None:
    (tmp_path / "seed=1").mkdir()
    written(tmp_path / "seed=1", HARNESS, ROWS)
    done = command("check", "seed=1")
    assert done.stderr.startswith("auditfw: warning: seed=1: is the path of this name; a setting goes behind another")
    assert "rows: 3" in done.stdout
    behind = command("experiment=answer_parsing", "seed=1", "--cfg", "job", "-p", "seed")
    assert (behind.stdout, behind.stderr) == ("1\n", "")


@pytest.mark.parametrize(
    ("word", "code", "message"),
    [
        ("model=gpt4,temp=0/nowhere.jsonl", 3, "no such file - known: samples_sums_2026-01-02T03-04-05.jsonl"),
        ("model=gpt4", 2, "model: no such key - known: audit, by"),
        ("sorce.path=a/b", 2, "sorce: no such key - did you mean 'source'?"),
    ],
)
def test_what_is_no_path_stays_an_override(
    command: Command, tmp_path: Path, word: str, code: int, message: str
) -> None:
    (tmp_path / "model=gpt4,temp=0").mkdir()
    written(tmp_path / "model=gpt4,temp=0", HARNESS, ROWS)
    done = command(word)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)
    assert message in done.stderr
