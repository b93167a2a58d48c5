"""What a paper can say of a run: a table of small runs for each audit, none with a sentence that is false for it."""

# ruff: noqa: E501 (sentences as they are read)
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from made_loops import audited as loops_audited
from sentences import all_audits as says

from auditfw.audits import paper
from auditfw.commands.run import execute
from auditfw.config import build as bridge
from auditfw.core.records import Result


def said(result: Result) -> str:
    sections = [one for one in result.sections if one.title == paper.TITLE]
    assert not any(one.console or one.page or one.off_page for one in sections)
    return " ".join(block.text for one in sections for block in one.blocks).replace("auditfw 0.1.0, seed 0", "BY")


def run(*words: str) -> str:
    return said(execute(bridge.compose([*words, "report=[]", "gate=[]"]), None, show=False))


def write(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def answers(wrong: int, n: int, missing: int = 0, items: int = 0, stored: bool = True) -> list[dict[str, Any]]:
    """Answers that are labelled right, of which the last line names another city in the first `wrong` ones."""
    rows = []
    for i in range(n):
        text = f"Answer: {'Rome' if i < wrong else 'Paris'}"
        truth = "" if i >= n - missing else "Paris"
        row = {"id": f"t{i}", "raw_text": text, "parsed_text": "Paris", "ground_truth": truth}
        rows.append(row | ({"item": f"q{i % items}"} if items else {}) | ({"stored": True} if stored else {}))
    return rows


def both_ways(down: int, up: int) -> list[dict[str, Any]]:
    """Thirty answers, of which `down` turn wrong and `up` that are labelled wrong turn right."""
    rows = answers(down, 30)
    return [row | {"stored": not down <= i < down + up} for i, row in enumerate(rows)]


EMPTY = "source.nulls={ground_truth: ['']}"
INDEPENDENT = "(95 % CI 0.0–16.1, answers taken as independent)"
ONE = f"We rescored all 20 answers with one alternative reading (BY). The error rate is 0.0 % {INDEPENDENT} by the stored labels and"
EXACT = "8 labels, all to wrong (exact McNemar test"
THINKS = {**answers(0, 1)[0], "id": "u", "raw_text": "x</think>Answer: Paris"}
ENDS = [
    row | {"raw_text": f"{row['raw_text']}\nbye" if i < 10 else "Answer: Paris"} for i, row in enumerate(answers(8, 20))
]
CLUSTERED = "We rescored all 24 answers with one alternative reading (BY). The error rate is 0.0 % (95 % CI 0.0–{end}, clustered by {n} items) by the stored labels and 33.3 % by answer_v2+v1; it changes 8 labels, {test}."
PARSING: list[tuple[str, list[dict[str, Any]], list[str], str]] = [
    ("moves", answers(8, 20), [], f"{ONE} 40.0 % by answer_v2+v1; it changes {EXACT}, p = 0.0078)."),
    ("equal", answers(0, 20), [], f"{ONE} 0.0 % by answer_v2+v1; it changes no label."),
    ("one flip", answers(1, 20), [], f"{ONE} 5.0 % by answer_v2+v1; it changes 1 label, too few for a test."),
    (
        "two move",
        ENDS,
        ["parser=[answer_v2,last_line]"],
        "We rescored all 20 answers with two alternative readings (BY). The error rate is 0.0 % (95 % CI 0.0–16.1, answers taken as independent) by the stored labels and 40.0 to 50.0 % by the others; two of them shift it beyond chance, most surely last_line+v1, which changes 10 labels, all to wrong (exact McNemar test, Holm-adjusted p = 0.0039).",
    ),
    ("no delimiter", answers(8, 20), ["parser=[answer_v2,after_think]"], f"{ONE} 40.0 % by answer_v2+v1; it changes {EXACT}, p = 0.0078)."),
    (
        "of a part alone",
        [*answers(8, 20), THINKS],
        ["parser=[after_think]"],
        "The error rate of all 21 answers is 0 % (95 % CI 0–15, answers taken as independent) by the stored labels (BY); every other reading is of a part of them.",
    ),
    (
        "of a part beside",
        [*answers(8, 20), THINKS],
        ["parser=[answer_v2,after_think]"],
        f"We rescored all 21 answers with one alternative reading, and a part of them with one more (BY). The error rate is 0.0 % (95 % CI 0.0–15.5, answers taken as independent) by the stored labels and 38.1 % by answer_v2+v1; it changes {EXACT}, Holm-adjusted p = 0.0078).",
    ),
    (
        "no other reading",
        answers(8, 20),
        ["parser=[stored]"],
        "The error rate of all 20 answers is 0 % (95 % CI 0–16, answers taken as independent) by the stored labels (BY); no other reading was compared.",
    ),
    (
        "another reference",
        answers(8, 20),
        ["parser=[stored,answer_v2]", "audit.reference=answer_v2+v1", "audit.baseline=null"],
        "We rescored all 20 answers with one reading (BY). The error rate is 40.0 % (95 % CI 21.9–61.3, answers taken as independent) by the labels of answer_v2+v1 and 0.0 % by the stored labels; it changes 8 labels, all to right (exact McNemar test, p = 0.0078).",
    ),
    ("items", answers(8, 24, items=8), [], CLUSTERED.format(end="32.4", n=8, test="all to wrong (exact sign-flip test over 8 items, p = 0.0078)")),
    ("few items", answers(8, 24, items=3), [], CLUSTERED.format(end="56.1", n=3, test="in too few items for a test")),
    ("one answer", answers(0, 1), [], "We rescored one answer with one alternative reading (BY). The error rate is 0.0 % (95 % CI 0.0–79.3, answers taken as independent) by the stored labels and 0.0 % by answer_v2+v1; it changes no label."),
    (
        "no stored labels",
        answers(2, 6, stored=False),
        [],
        "We rescored all 6 answers with two readings (BY). The error rate is 0.0 % (95 % CI 0.0–39.0, answers taken as independent) by the labels of stored+v1 and 33.3 % by answer_v2+v1; it changes 2 labels, too few for a test.",
    ),
    (
        "no shift",
        both_ways(6, 4),
        [],
        "We rescored all 30 answers with one alternative reading (BY). The error rate is 13.3 % (95 % CI 5.3–29.7, answers taken as independent) by the stored labels and 20.0 % by answer_v2+v1; no shift beyond chance was shown (exact McNemar test, p = 0.75).",
    ),
    (
        "both ways",
        both_ways(12, 1),
        [],
        "We rescored all 30 answers with one alternative reading (BY). The error rate is 3.3 % (95 % CI 0.6–16.7, answers taken as independent) by the stored labels and 40.0 % by answer_v2+v1; it changes 13 labels, 1 to right and 12 to wrong (exact McNemar test, p = 0.0034).",
    ),
    ("no truth", answers(0, 4, missing=4), [EMPTY], ""),
    (
        "by model",
        [{**row, "model": "ab"[i % 2], "stored": i % 4 != 1} for i, row in enumerate(answers(0, 40))],
        ["by=[model]", "parser=[stored]"],
        "The error rate of all 40 answers is 25 % (95 % CI 14–40, answers taken as independent) by the stored labels (BY); no other reading was compared. By model the share of right answers by the stored labels is 100 % (95 % CI 84–100) for a, 50 % (95 % CI 30–70) for b.",
    ),
    ("some truths", answers(0, 24, missing=4), [EMPTY], ONE.replace("all 20", "20 of 24") + " 0.0 % by answer_v2+v1; it changes no label."),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "words", "wanted"), [case[1:] for case in PARSING], ids=[case[0] for case in PARSING])
def test_parsing(rows: list[dict[str, Any]], words: list[str], wanted: str, here: Path) -> None:
    write("mine.jsonl", rows)
    text = run("source=jsonl", "source.path=mine.jsonl", "by=[]", "parser=[answer_v2]", "normalizer=[v1]", *words)
    assert text == wanted


V, R = "VALID", "REJECT"
PAIRS = [(V, V)] * 8 + [(R, R)] * 6 + [(V, R)] * 2
SIXTEEN = (
    "We compared the labels that scholar and auditor gave to 16 items (BY); on 2 of them the labels differ. The agreement "
    "of auditor with scholar is"
)
CONSISTENCY: list[tuple[list[tuple[str, str | None]], list[str], str]] = [
    (PAIRS, [], f"{SIXTEEN} 88 % (95 % CI 64–97, n = 16), Cohen's kappa 0.8 (95 % CI 0.4–1.0)."),
    (PAIRS, ["metric=[kappa]"], f"{SIXTEEN} Cohen's kappa 0.8 (95 % CI 0.4–1.0, n = 16)."),
    (PAIRS, ["metric=[percent_agreement]"], f"{SIXTEEN} 88 % (95 % CI 64–97, n = 16)."),
    (PAIRS, ["metric=[abstain_rate]"], ""),
    ([(V, None)] * 8, ["audit.malformed=count"], ""),
    ([(V, V)] * 8, ["metric=[kappa]"], ""),  # kappa is not defined
]  # fmt: skip


@pytest.mark.parametrize(("pairs", "words", "wanted"), CONSISTENCY)
def test_consistency(pairs: list[tuple[str, str | None]], words: list[str], wanted: str, here: Path) -> None:
    rows = [{"qid": f"q{i}", "scholar": {"label": a}, "auditor": {"label": b}} for i, (a, b) in enumerate(pairs)]
    write("pairs.jsonl", rows)
    assert run("experiment=cross_agent", "source=pairs", "source.path=pairs.jsonl", *words) == wanted


def test_several_raters_and_items(here: Path) -> None:
    rows = [{"qid": f"q{i}", "item": f"i{i // 4}", **{r: {"label": one[r == "auditor"]} for r in ("scholar", "auditor")}}
            for i, one in enumerate(PAIRS)]  # fmt: skip
    write("pairs.jsonl", rows)
    text = run("experiment=cross_agent", "source=pairs", "source.path=pairs.jsonl")
    assert text.startswith(says.WE_COMPARED_THE_LABELS_THAT)
    for name, labels in zip(
        "abcde", ("VVVVRRRRVVVV", "VVVVRRRRVVRR", "VVRRRRRRVVVV", "VVVVRRRRVVVR", "VVVVRRRVVVVR"), strict=True
    ):
        write(f"{name}.jsonl", [{"qid": f"q{i}", "label": {"V": V, "R": R}[x]} for i, x in enumerate(labels)])
    files = "{a: a.jsonl, b: b.jsonl, c: c.jsonl, d: d.jsonl, e: e.jsonl}"
    text = run("experiment=cross_agent", "source=raters", f"source.paths={files}", "audit.reference=a")
    assert text == says.WE_COMPARED_THE_LABELS_THAT_A + says.ALPHA_OF_FIVE
    four = run(
        "experiment=cross_agent",
        "source=raters",
        f"source.paths={files.replace(', e: e.jsonl', '')}",
        "audit.reference=a",
    )
    assert says.WITH_IS_CI_COHENS_KAPPA in four


def test_labels_in_order_have_the_weighted_coefficient_and_raters_that_are_off_are_named(here: Path) -> None:
    """The kappa of the first screen: linear weights, 1 - (mean distance) / (that by chance); d gives one label."""
    labels = [1 + i % 3 for i in range(60)]
    off_by = {"a": 7, "b": 11, "c": 13}
    rows = [{"qid": f"q{i}", **{r: str(min(3, x + (i % n == 0))) for r, n in off_by.items()}, "d": "3", "e": str(x)}
            for i, x in enumerate(labels)]  # fmt: skip
    write("wide.jsonl", rows)
    words = ("audit.raters=[a,b,c,d,e]", "audit.reference=e", "audit.labels=['1','2','3']", "policy=[]", "gate=[]")
    text = run("experiment=cross_agent", "source=jsonl", "source.path=wide.jsonl", "source.columns={id: qid}", *words)
    own = [min(3, x + (i % 7 == 0)) for i, x in enumerate(labels)]
    apart = sum(map(abs, map(int.__sub__, own, labels))) / 60
    by_chance = sum(abs(x - y) for x in own for y in labels) / 60**2
    assert f"linearly weighted kappa {1 - apart / by_chance:.2f} (95 % CI" in text
    assert "Cohen" not in text
    assert says.FURTHER_RATER_IN_THE_REPORT in text
    assert says.ALPHA_AT_THE_ORDINAL in text
    assert says.WITHOUT_D_IT_IS in text


def scenarios(n: int, same: bool = False, items: int = 0) -> list[dict[str, Any]]:
    rows = []
    for i in range(n):
        y = 3.0 if same else float(i)
        row = {"label": f"s{i}", "intended": {"y": y, "z": y + 1}, "params": {"x": i}}
        rows.append(row | ({"item": f"i{i % items}"} if items else {}))
    return rows


ALL24 = "We scored all 24 intended outcomes, in 12 scenarios, from 0 to 1 (BY). The mean score is"
BEST = "its difference from the best trivial baseline"
ALIGNMENT: list[tuple[list[dict[str, Any]], int, list[str], str]] = [
    (scenarios(12), 12, [], f"{ALL24} 0.96 (95 % CI 0.95–0.97, over 12 scenarios); {BEST} (intended mean) is +0.23 (95 % CI 0.09–0.37)."),
    (scenarios(12), 12, ["metric=[mean_overall]"], f"{ALL24} 0.96 (95 % CI 0.95–0.97, over 12 scenarios)."),
    (scenarios(12), 12, ["metric=[direction]"], ""),
    (scenarios(1), 1, [], ""),  # no interval
    (
        scenarios(12, same=True),
        12,
        [],
        f"{ALL24} 0.61 (95 % CI 0.49–0.73, over 12 scenarios); it was not compared with trivial baselines (every scenario has "
        "the same intentions, so a constant may score as well as any simulator).",
    ),
    (
        scenarios(12),
        9,
        [],
        "We scored 18 of 24 intended outcomes, in 9 scenarios, from 0 to 1 (BY). The mean score is 0.96 (95 % CI 0.95–0.97, over "
        f"9 scenarios); {BEST} (constant) is +0.24 (95 % CI 0.05–0.43).",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "known", "words", "wanted"), ALIGNMENT)
def test_alignment(rows: list[dict[str, Any]], known: int, words: list[str], wanted: str, here: Path) -> None:
    write("scenarios.jsonl", rows)
    write("actual.jsonl", [{"label": f"s{i}", "actual": {"y": 1.1 * i, "z": 1.1 * i + 1}} for i in range(known)])
    files = ("scenarios=jsonl", "scenarios.path=scenarios.jsonl", "simulator=table", "simulator.path=actual.jsonl")
    assert run("experiment=posiwid", *files, "by=[]", *words) == wanted


def test_alignment_names_the_items(here: Path) -> None:
    write("scenarios.jsonl", scenarios(12, items=4))
    write("actual.jsonl", [{"label": f"s{i}", "actual": {"y": 1.1 * i, "z": 1.1 * i + 1}} for i in range(12)])
    files = ("scenarios=jsonl", "scenarios.path=scenarios.jsonl", "simulator=table", "simulator.path=actual.jsonl")
    assert "over 12 scenarios of 4 items" in run("experiment=posiwid", *files, "by=[]")


LOOPS = [
    (["t+", "-+", "--", "+"], "all 4 problems, with at most 2 attempts each", "3, 75 % (95 % CI 30–95); of 3 solved with known "
     "tests 0 are wrong on the tests, 0 % (95 % CI 0–56)"),
    (["--", "--"], "all 2 problems, with at most 2 attempts each", "0, 0 % (95 % CI 0–66)"),
    (["s"], "one problem, with at most 1 attempt each", "1, 100 % (95 % CI 21–100); of 1 solved with known tests 1 is wrong on "
     "the tests, 100 % (95 % CI 21–100)"),
]  # fmt: skip


@pytest.mark.parametrize(("loops", "problems", "solved"), LOOPS)
def test_self_audit(loops: list[str], problems: str, solved: str, tmp_path: Path) -> None:
    text = said(loops_audited(tmp_path, loops))
    assert text == says.WE_AUDITED_THE_LOOPS_OF.format(problems, solved)


@pytest.mark.parametrize(
    ("low", "high", "digits", "text"),
    [(16.43, 35.42, 1, "x (95 % CI 16.4–35.4)"), (-0.034, 0.076, 2, "x (95 % CI -0.03 to 0.08)"),
     (-0.001, 0.5, 2, "x (95 % CI 0.00–0.50)"), (0.002, 0.5, 2, "x (95 % CI 0.002–0.50)"),
     (-0.5, -0.004, 1, "x (95 % CI -0.5 to -0.004)"), (0.0, 3.2, 0, "x (95 % CI 0–3)")],
)  # fmt: skip
def test_spans(low: float, high: float, digits: int, text: str) -> None:
    assert paper.with_span("x", low, high, digits) == text
