"""The rules of the field's own scorers, as named parsers and normalizers: their cuts and labels to the last one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars
import pytest
from places import CASES
from running import run_auditfw

import auditfw
from auditfw import evaluate
from auditfw.components.parser.steps import InspectPattern
from auditfw.config.variants import known_names
from auditfw.core.errors import UsageError
from auditfw.kinds.text import Matcher, Normalizer, Parser

GSM8K = CASES / "data" / "lm_eval_gsm8k"
FILTERS = ("strict_match", "flexible_extract")


@pytest.mark.parametrize("name", FILTERS)
def test_lm_eval_cuts_and_labels(name: str) -> None:
    """The harness's own cuts and labels of hard texts; the parsers without its name cut alike but for "[invalid]"."""
    rule = f"lm_eval_{name}"
    parser, normalizer, exact = load_rule(rule)
    plain = auditfw.load("parser", name)
    side = {"strict_match": "strict", "flexible_extract": "flexible"}[name]
    for line in (GSM8K / "rules.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["text"]:
            assert parser(row["text"]) == row[side], row
        assert plain(row["text"]) == row[side].replace("[invalid]", ""), row
        assert bool(evaluate(parser(row["text"]), row["truth"], normalizer, exact)) is row[f"{side}_right"], row


def load_rule(name: str) -> tuple[Parser, Normalizer, Matcher]:
    return auditfw.load("parser", name), auditfw.load("normalizer", name), auditfw.load("matcher", "exact")


@pytest.mark.parametrize("name", FILTERS)
def test_a_log_of_the_harness_is_reproduced_by_the_command(name: str, tmp_path: Path) -> None:
    settings = [
        "source=jsonl", f"source.path={GSM8K / 'samples_mygsm.jsonl'}", 'source.columns.raw_text="resps[0][0]"',
        'source.columns.parsed_text="filtered_resps[0]"', "source.columns.ground_truth=target",
        "source.columns.stored=exact_match", "source.columns.id=doc_id",
        f"+source.where=\"filter = '{name.replace('_', '-')}'\"", "by=[]", f"parser=[{name},lm_eval_{name}]",
        f"normalizer=[lm_eval_{name}]", "matcher=exact", "audit.keep_text=true", "audit.verify=1",
        f"audit.baseline={{parser: stored, normalizer: lm_eval_{name}}}", "report=[json]", "hydra.run.dir=run",
    ]  # fmt: skip
    done = run_auditfw(settings, tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))
    readings = [f"{name}+lm_eval_{name}", f"lm_eval_{name}+lm_eval_{name}"]
    values = {(m["metric"], m["reading"]): (m["value"], m["counted"]) for m in result["measurements"] if not m["cell"]}
    assert [values["flips", reading] for reading in readings] == [(0.0, 12)] * 2
    assert values["mismatches", f"stored+lm_eval_{name}"] == (0.0, 12)
    trials = polars.read_parquet(tmp_path / "run" / "trials.parquet").filter(polars.col("status") == "audited")
    assert trials[f"text.lm_eval_{name}"].to_list() == filtered(name)


def filtered(name: str) -> list[str]:
    """What the harness kept of the first reply to each document."""
    rows = map(json.loads, (GSM8K / "samples_mygsm.jsonl").read_text("utf-8").splitlines())
    return [row["filtered_resps"][0] for row in rows if row["filter"] == name.replace("_", "-")]


# Rule, completion, truths, what the parser keeps, label.
RULES: list[tuple[str, str, str | tuple[str, ...], str, bool | None]] = [
    ("inspect_match", "It is\n**Paris**.", ("Rome", "paris"), "It is\n**Paris**.", True),
    ("inspect_match", "Paris it is", "Paris", "Paris it is", False),
    ("inspect_match_begin", "Paris it is", "paris", "Paris it is", True),
    ("inspect_match_any", "So Paris it is", "paris", "So Paris it is", True),
    ("inspect_match_exact", " (PARIS) ", "paris", " (PARIS) ", True),
    ("inspect_match_numeric", "I paid $1,000.00 in 3 weeks: 5", "5.0", "I paid $1,000.00 in 3 weeks: 5", True),
    ("inspect_match_numeric", "15", "5", "15", False),
    ("inspect_match_numeric", "so (42)!", "42", "so (42)!", True),
    ("inspect_match_numeric", "so \\$20", "20", "so \\$20", True),
    ("inspect_match_numeric_0_3_260", "so (42)!", "42", "so (42)!", False),
    ("inspect_match_numeric_0_3_260", "so \\$20", "20", "so \\$20", True),
    ("inspect_match_numeric_0_3_252", "so \\$20", "20", "so \\$20", False),
    ("inspect_match_numeric_0_3_252", "15", "5", "15", False),
    ("inspect_match_numeric_0_3_252", "so -5", "-5", "so -5", True),
    ("inspect_match_numeric_2025", "I paid **$1,000**.", "1000", "I paid **$1,000**.", True),
    ("inspect_match_numeric_2025", "15", "5", "15", True),
    ("inspect_match_numeric_2025", "so -5", "-5", "so -5", True),
    ("inspect_match_numeric_2025", "5.0 eggs", "5", "5.0 eggs", True),
    ("inspect_match_numeric_2025", "2.50 eggs", "2.5", "2.50 eggs", False),
    ("inspect_includes", "comPARISon", "paris", "comPARISon", True),
    ("inspect_answer_letter", "ANSWER: a\nNo: answer : C.", "c", "C", True),
    ("inspect_answer_letter", "ANSWER: A\nANSWER: none", "A", "", False),
    ("inspect_answer_letter", "ANSWER: B²", "B", "", False),
    ("inspect_answer_letter_2025", "ANSWER: a\nNo: answer : C.", "C", "a", False),
    ("inspect_answer_word", "ANSWER: no\nANSWER: Yes.", ("yes", "y"), "Yes", True),
    ("inspect_answer_word", "ANSWER: don't", "don't", "don't", True),
    ("inspect_answer_word", "ANSWER: very well", "very", "", False),
    ("inspect_answer_word_2025", "ANSWER: no\nANSWER: yes", "yes", "no", False),
    ("inspect_answer_word_2025", "ANSWER: don't", "don't", "", False),
    ("inspect_answer_word_0_3_220", "ANSWER: don't\nANSWER: no", "don't", "don't", True),
    ("inspect_answer_line", "ANSWER: Rome\nANSWER: New York\n", "new york", "New York", True),
    ("inspect_answer_line", "ANSWER: Rome\nI am sure.", "rome", "", False),
    ("inspect_answer_line_2025", "ANSWER: Rome\nANSWER: New York\n", "new york", "Rome", False),
    ("inspect_choice", "ANSWER: **b**", "B", "B", True),
    ("inspect_choice", "ANSWER: A\nANSWER: C", "A", "C", False),
    ("inspect_choice", "The answer is B", "B", "", False),
    ("inspect_choice_2025", "ANSWER: A\nANSWER: C", "A", "A", True),
    ("inspect_choice_2025", "ANSWER: **b**", "B", "", False),
    ("inspect_exact", "The (42), New-York", "42.0 new york", "The (42), New-York", True),
    ("inspect_exact", "york new", "New York", "york new", False),
    ("inspect_exact", "-", "the", "-", False),
    ("inspect_exact_0_3_276", "-", "the", "-", True),
    ("inspect_exact_0_3_276", "york new", "New York", "york new", False),
    ("inspect_exact_0_3_252", "york new york", "New York", "york new york", True),
    ("inspect_exact_0_3_252", "(4.2)", "4.2", "(4.2)", False),
    ("inspect_f1", "new new new", "new", "new new new", True),
    ("inspect_f1", "new new new new", "new", "new new new new", False),
    ("inspect_f1_0_3_276", "-", "the", "-", True),
    ("inspect_f1_0_3_269", "new new new new", "new", "new new new new", True),
    ("inspect_f1_0_3_269", "(4.2)", "4.2", "(4.2)", True),
    ("inspect_f1_0_3_252", "(4.2)", "4.2", "(4.2)", False),
    ("inspect_choice_0_3_263", "ANSWER: **b**", "B", "", False),
    ("inspect_choice_0_3_263", "ANSWER: A\nANSWER: b,", "B", "B", True),
    ("inspect_choice_0_3_259", "ANSWER: b,", "B", "", False),
    ("inspect_choice_0_3_258", "ANSWER: A\nANSWER: b", "B", "B", True),
    ("inspect_choice_0_3_258", "ANSWER: b,", "B", "", False),
    ("lm_eval_strict_match", "so 5\n#### 1,000.", "9 #### 1000", "1,000.", True),
    ("lm_eval_strict_match", "so 5", "5", "[invalid]", False),
    ("lm_eval_flexible_extract", "so 5, or 1,000.", "$1000", "1,000.", True),
    ("helm_exact", " Paris\n", ("Rome", "Paris "), " Paris\n", True),
    ("helm_exact", "paris", "Paris", "paris", False),
    ("helm_exact", " ", "\n", " ", True),
    ("helm_quasi_exact", "The  Paris!", "paris", "The  Paris!", True),
    ("helm_quasi_exact", "the", "A", "the", True),
    ("helm_quasi_exact", "Paris", "A", "Paris", False),
    ("helm_final_number", "3 + 4 = 7,000 eggs", "so 7000.", "7000", True),
    ("helm_final_number", "from 5 12", "12", "5 12", False),
    ("helm_final_number", "one, two", "none", "", False),
    ("mmlu_pro_three_step", "the answer is (C), not D", "C", "C", True),
    ("mmlu_pro_three_step", "answer is c\nAnswer: D or answer: E", "E", "E", True),
    ("mmlu_pro_three_step", "A is wrong, B² too, I say J!", "J", "J", True),
    ("mmlu_pro_three_step", "none of these", "A", "", False),
    ("mmlu_pro_three_step", "answer is C", "c", "C", False),
    ("simple_evals_mcq", "Answer: $B$\nAnswer: C", "B", "B", True),
    ("simple_evals_mcq", "**Answer:** B", "B", "", False),
    ("simple_evals_mcq", "answer: b", "B", "b", False),
    ("simple_evals_line", "Answer:\n 5 eggs \nAnswer: 6", "5 eggs ", "5 eggs ", True),
    ("openai_evals_match", "Paris, I think", ("Rome", "Paris"), "Paris, I think", True),
    ("openai_evals_match", " Paris", "Paris", " Paris", False),
    ("openai_evals_match", "Paris", "", "Paris", True),
    ("inspect_includes", "Paris", "", "Paris", True),
    ("inspect_match_exact", "Paris", "", "Paris", False),
    ("lm_eval_strict_match", "#### 18", "", "18", False),
    ("hendrycks_math", "so $x=\\frac12$", "\\frac{1}{2}", "so $x=\\frac12$", True),
    ("hendrycks_math", "it is 5", "5", "it is 5", False),
    ("opencompass_gsm8k", "5 + 3 = 8.00\nQuestion: and 9?", "5+3\n#### 8", "8.00", True),
    ("opencompass_gsm8k", "about 1,000", "x #### 1,000", "000", False),
    ("opencompass_gsm8k", "Question: 8", "8", "NULL", False),
]


NEED_MORE = {"inspect_pattern", "lighteval_extractive", "lm_eval_filter", "minerva_math_verify", "parts", "promptfoo"}
NEED_MORE |= {"stored_exact"}


@pytest.mark.parametrize(("rule", "text", "truth", "kept", "right"), RULES)
def test_a_rule_cuts_and_labels(
    rule: str, text: str, truth: str | tuple[str, ...], kept: str, right: bool | None
) -> None:
    scorer = auditfw.load("scorer", rule)
    assert scorer.parser(text) == kept
    assert evaluate(kept, truth, scorer.normalizer, scorer.matcher) is right


def test_each_scorer_is_tried() -> None:
    """But those that need a pattern or an extra, and what is no program's rule."""
    assert set(known_names("scorer")) == {rule for rule, *_ in RULES} | NEED_MORE


@pytest.mark.parametrize(
    ("settings", "text", "kept"),
    [
        ({"pattern": r"is (\w+)"}, "It IS Paris, is Rome", "Paris"),
        ({"pattern": r"is (\w+)", "ignore_case": False}, "It IS Paris, is Rome", "Rome"),
        ({"pattern": r"(\d)x|(\d)y|z"}, "5y", "5"),
        ({"pattern": r"(\d)x|(\d)y|z"}, "z", ""),
        ({"pattern": r"(\w+) and (\w+)"}, "so a and b", "a\x1fb"),
        ({"pattern": r"\d+"}, "so 5", "5"),
        ({"pattern": r"(.*)"}, "\nx", ""),
        ({"pattern": r"\w+"}, "", ""),
        ({"pattern": r"\b\w\b", "column": "parsed_text"}, "B² C", "C"),
    ],
)
def test_what_a_pattern_of_inspect_captures(settings: dict[str, Any], text: str, kept: str) -> None:
    assert InspectPattern(**settings)(text) == kept


def test_patterns_that_cannot_be_searched_with() -> None:
    with pytest.raises(UsageError, match=r"^pattern: not a regular expression"):
        InspectPattern("(")
    with pytest.raises(TimeoutError, match=r"took longer than 0\.05 s"):
        InspectPattern("(a|aa)+c", deadline=0.05)("a" * 40)
    assert "exponential" in (InspectPattern("(a+)+$").lint() or "")


def test_the_command_takes_a_rule_by_its_name(tmp_path: Path) -> None:
    """Parser, normalizer and matcher of one name; the old rule beside the new one is an audit of an upgrade."""
    rows = [
        {"id": "1", "raw_text": "ANSWER: B", "ground_truth": ["B"], "stored": 1},
        {"id": "2", "raw_text": "ANSWER: A\nWait. ANSWER: C", "ground_truth": ["A", "D"], "stored": 1},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    rules = "[inspect_answer_letter_2025,inspect_answer_letter]"
    words = [
        "source=jsonl", "source.path=rows.jsonl", "by=[]", f"parser={rules}", "normalizer=[inspect_answer_letter]",
        "matcher=inspect_answer_letter", "audit.baseline=null", "gate=[]", "report=[json]", "hydra.run.dir=run",
    ]  # fmt: skip
    done = run_auditfw(words, tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))
    flips = {m["reading"]: m["value"] for m in result["measurements"] if m["metric"] == "flips"}
    assert flips == {
        "inspect_answer_letter_2025+inspect_answer_letter": 0.0,
        "inspect_answer_letter+inspect_answer_letter": 1.0,
    }
