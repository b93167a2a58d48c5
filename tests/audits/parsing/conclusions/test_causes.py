"""Why labels change, in whole runs: the section, the answer, the gallery; the same for any processes and kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hostile_readings import KERNELS
from running import run_auditfw
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.conclusions.causes import NO_SIGN, TITLE, StepFlips, by_step, cause_text, sign_text
from auditfw.audits.parsing.conclusions.tracing import NO_STEP
from auditfw.audits.parsing.kept.flips import MOST_CAUSES, WRONG
from auditfw.audits.parsing.trials import FlipCause, Trial
from auditfw.core.document import Gallery, Note, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Result
from auditfw.core.sampling import ranks
from auditfw.kinds.registry import register

SHOUT = "shout_for_causes"
AFTER = 'after_last "</think>"'


def tables(result: Result) -> dict[str, Table]:
    """The tables by reading."""
    blocks = [block for section in result.sections if section.title == TITLE for block in section.blocks]
    return {block.caption.partition(":")[0]: block for block in blocks if isinstance(block, Table)}


def causes(table: Table) -> list[tuple[str, ...]]:
    """Step, flips, to right, to wrong, sufficient."""
    return [tuple(row[:5]) for row in table.rows]


def gallery_of(result: Result) -> Gallery:
    [gallery] = [block for section in result.sections for block in section.blocks if isinstance(block, Gallery)]
    return gallery


def flips_of(result: Result, name: str) -> int:
    [flips] = [m.estimate.value for m in result.measurements if m.metric == "flips" and m.reading == name and m.overall]
    return int(flips or 0)


def audited(rows: Sequence[dict[str, Any]], folder: Path | None = None, **more: Any) -> Result:
    chosen = {"parser": ["stored", "answer_v2"], "normalizer": ["v1"], "by": [], "gate": []}
    source = {"use": "frame", "frame": list(rows)}
    return auditfw.run({"experiment": "answer_parsing", "source": source, **chosen, **more}, folder)


def row(raw: str, parsed: str | None, truth: str | list[str], stored: int) -> dict[str, Any]:
    return {"raw_text": raw, "parsed_text": parsed, "ground_truth": truth, "stored": stored}


CUT = row("Paris</think>Lyon", "Paris</think>Lyon", "Paris", 1)
KEPT = row("Paris", "Paris", "Paris", 1)


def test_the_sample() -> None:
    """The old normalizer with the cut: 18 of 23 at the think delimiter; the new one: subscript digits."""
    result = auditfw.run({})
    shown = tables(result)
    assert causes(shown["answer_v2+v1"]) == [
        (AFTER, "18", "0", "18", "18"),
        ("first_of (before_first | first_line)", "5", "0", "5", "5"),
    ]
    assert causes(shown["stored+v2"])[0] == ("digits", "15", "15", "0", "15")
    assert shown["stored+v2"].rows[0][6].startswith("Unicode form 15")
    assert "stored+v1" not in shown  # no flip
    for name, table in shown.items():
        assert sum(int(row[1]) for row in table.rows) == flips_of(result, name)
        assert all(int(row[1]) == int(row[2]) + int(row[3]) >= int(row[4]) for row in table.rows)
        assert table.caption == f"{name}: {flips_of(result, name)} changed labels"
    [section] = [section for section in result.sections if section.title == TITLE]
    assert not section.console
    notes = [block.text for block in section.blocks if isinstance(block, Note)]
    assert says.BY_THE_RULE_OF_THE in notes[0]
    assert len(notes) == 2  # nothing on what is not in the tables


@pytest.mark.parametrize("name", KERNELS)
def test_any_kernel_and_any_number_of_processes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes with one process and with two, with either kernel; fewer flips than there are."""
    monkeypatch.setenv("AUDITFW_KERNEL", name)
    settings = {"audit": {"causes": 7}, "report": ["markdown", "html"]}
    results = [auditfw.run({**settings, "engine": {"workers": n}}, tmp_path / str(n)) for n in (1, 2)]
    assert len({(tmp_path / str(n) / "report.md").read_bytes() for n in (1, 2)}) == 1
    assert gallery_of(results[0]) == gallery_of(results[1])
    assert causes(tables(results[0])["answer_v2+v1"]) == [(AFTER, "7", "0", "7", "7")]
    assert tables(results[0])["answer_v2+v1"].caption == says.ANSWER_OF_CHANGED_LABELS_A


def test_every_flip_of_the_gallery_has_its_causes(tmp_path: Path) -> None:
    """Those that are not drawn for the table, too."""
    settings = {"audit": {"causes": 1}, "report": ["html"], "normalizer": ["v1", "v2"]}
    result = auditfw.run(settings, tmp_path)
    whole = tables(auditfw.run({"report": ["html"]}))
    gallery = gallery_of(result)
    assert gallery.facets[-3:] == [("reading", "direction", "cause"), ("marker",), ("sign",)]
    shown = Counter((tag[0], tag[2]) for one in gallery.exhibits for tag in one.tags[-3])
    assert shown == {(name, row[0]): int(row[1]) for name, table in whole.items() for row in table.rows}
    assert {table.caption.partition(": ")[2] for table in tables(result).values()} >= {says.OF_CHANGED_LABELS_A_RANDOM}
    for one in gallery.exhibits:
        facts = dict(one.facts)
        assert all(facts[f"cause under {tag[0]}"].startswith(tag[2]) for tag in one.tags[-3])
        assert one.tags[-1]
    page = (tmp_path / "report.html").read_text()
    assert '"cause"' in page


def test_none_are_looked_for() -> None:
    result = auditfw.run({"audit": {"causes": 0}, "report": ["html"]})
    assert tables(result) == {}
    assert gallery_of(result).facets[-2:] == [("reading", "direction"), ("marker",)]
    assert not [fact for one in gallery_of(result).exhibits for fact in one.facts if "cause" in fact[0]]


@pytest.mark.parametrize("causes", [-1, MOST_CAUSES + 1])
def test_how_many_is_bounded(causes: int) -> None:
    with pytest.raises(UsageError, match=r"audit\.causes: expected a whole number from 0 to 2,000"):
        auditfw.run({"audit": {"causes": causes}})


@pytest.mark.parametrize(("cut", "other", "named"), [(8, 2, True), (7, 2, False), (40, 10, True), (39, 10, False)])
def test_the_answer_names_a_step_that_explains_four_of_five(cut: int, other: int, named: bool) -> None:
    """Of all the flips of the reading that the answer is about, so many through the cut and so many through none."""
    plain = row("Lyon", "Paris", "Paris", 1)
    rows = [CUT] * cut + [plain] * other + [KEPT] * 200
    answer = audited(rows, audit={"baseline": {"parser": "stored", "normalizer": "v1"}}).answer
    assert answer is not None
    assert answer.because[0].startswith(says.ANSWER_SHIFTS_THE_ERROR_RATE)
    ending = says.STEP_CAUSES_OF_THE_CHANGES.format(AFTER, cut, cut + other)
    assert answer.because[0].endswith(ending) is named
    assert named or answer.because[0].endswith(says.TO_WRONG_NONE_TO_RIGHT.format(cut + other))


def test_a_draw_is_said_in_the_answer() -> None:
    answer = audited([CUT] * 20 + [KEPT] * 200, audit={"causes": 10}).answer
    assert answer is not None
    assert answer.because[0].endswith(says.STEP_CAUSES_OF_THE_SAMPLED.format(AFTER))


def test_a_reading_that_churns_is_explained_too() -> None:
    right = row("x</think>Paris", "x</think>Paris", "Paris", 0)
    wrong = row("a</think>b", "a</think>b", "a</think>b", 1)
    answer = audited([right] * 20 + [wrong] * 20 + [KEPT] * 200, matcher="exact").answer
    assert answer is not None
    assert answer.because[0] == (says.ANSWER_TURNS_LABELS_RIGHT_AND.format(AFTER))


def test_no_step_is_no_explanation(tmp_path: Path) -> None:
    result = audited([row("Lyon", "Paris", "Paris", 1)] * 20 + [KEPT] * 200, tmp_path, report=["html"])
    assert {(*one.tags[0][0], *one.tags[-1][0]) for one in gallery_of(result).exhibits} == {
        ("answer_v2+v1", WRONG, NO_STEP, NO_SIGN)
    }
    assert result.answer is not None
    assert " causes " not in result.answer.because[0]
    assert causes(tables(result)["answer_v2+v1"]) == [("no step", "20", "0", "20", "0")]


def test_a_rule_that_is_not_known_is_taken_to_be_the_first() -> None:
    """Without a baseline; and what the reference does and the reading does not is explained."""
    rows = [row("paris", "paris", "Paris", 1), KEPT]
    result = audited(rows, parser=["stored"], normalizer=["v1", "none"], audit={"baseline": None})
    assert causes(tables(result)["stored+none"]) == [("without v1", "1", "0", "1", "1")]
    [section] = [section for section in result.sections if section.title == TITLE]
    first, *_, last = (block.text for block in section.blocks if isinstance(block, Note))
    assert says.NOT_KNOWN_ASSUMED_TO_BE in first
    assert last == says.WITHOUT_THE_REFERENCE_NORMALIZES_IN


def test_without_the_delimiter_there_is_no_label_and_no_flip() -> None:
    rows = [CUT, row("Lyon", "Paris", "Paris", 1), KEPT]
    result = audited(rows, parser=["stored", "after_think"])
    assert causes(tables(result)["after_think+v1"]) == [(AFTER, "1", "0", "1", "1")]


def test_another_reference() -> None:
    """The cut is undone: the readings of the stored text are compared with those of the cut one."""
    rows = [row("Paris</think>Lyon", "Paris", ["Paris", "Nice"], 1), KEPT]
    readings = ["stored+v1", "stored+v2", "answer_v2+v1"]
    result = audited(rows, normalizer=["v1", "v2"], audit={"reference": "answer_v2+v1", "readings": readings})
    assert causes(tables(result)["stored+v1"]) == [("no step", "1", "1", "0", "0")]
    assert set(tables(result)) == {"stored+v1", "stored+v2"}  # the stored labels have no pipeline
    [section] = [section for section in result.sections if section.title == TITLE]
    first, *_, last = (block.text for block in section.blocks if isinstance(block, Note))
    assert says.BY_THE_RULE_OF_THE_LABELS in first
    assert last.startswith(says.NO_STEP_THE_LABEL_DIFFERS)


def test_a_parser_of_a_plugin_is_one_step() -> None:
    from dataclasses import dataclass

    @register("parser", SHOUT)
    @dataclass(frozen=True)
    class ShoutForCauses:
        """Shouts."""

        column: str = "raw_text"
        only_with: str | None = None

        def __call__(self, text: object) -> str:
            return str(text or "").upper()

    rows = [row("paris", "paris", "paris", 1), row("8", "8", "8", 1)]
    chosen = {"parser": ["stored"], "normalizer": ["none"], "matcher": "exact"}
    audit = {"parsers": {"loud": {"use": SHOUT}}, "baseline": {"parser": "stored", "normalizer": "none"}}
    result = audited(rows, audit=audit, engine={"workers": 1}, **chosen)
    assert causes(tables(result)["loud+none"]) == [(SHOUT, "1", "0", "1", "1")]


@pytest.mark.slow
def test_jobs_that_share_their_work_have_the_same_causes(tmp_path: Path) -> None:
    """Each job of a sweep says what its own run says."""
    words = ["-m", "normalizer=[v1],[v2],[v1,v2]", "audit.causes=9", "report=[markdown]", f"hydra.sweep.dir={tmp_path}"]
    run_auditfw(words, tmp_path)
    for job, chosen in enumerate((["v1"], ["v2"], ["v1", "v2"])):
        settings = {"normalizer": chosen, "audit": {"causes": 9}, "report": ["markdown"]}
        alone = auditfw.run(settings, tmp_path / f"alone{job}")
        text = (tmp_path / str(job) / "report.md").read_text()
        assert TITLE in text
        assert _section(text) == _section((tmp_path / f"alone{job}" / "report.md").read_text())
        assert tables(alone)


def _section(text: str) -> str:
    return text.partition(f"## {TITLE}")[2].partition("\n## ")[0]


def test_flips_by_step() -> None:
    causes = {
        "one": FlipCause("b", True, True, ("case",)),
        "two": FlipCause("c", False, False, ()),
        "three": FlipCause("a", False, True, ()),
        "four": FlipCause("c", True, True, ("case", "LaTeX")),
    }
    drawn = [(Trial(name, "t", (), b"", None, None), cause) for name, cause in causes.items()]
    steps = by_step(drawn)
    assert [(name, of.flips, of.right, of.wrong, of.sufficient, of.example) for name, of in steps.items()] == [
        ("c", 2, 1, 1, 1, "two"),
        ("a", 1, 1, 0, 0, "three"),
        ("b", 1, 1, 0, 1, "one"),
    ]
    assert steps["c"].signs == {"case": 1, "LaTeX": 1}
    signs = Counter({"case": 2, "LaTeX": 3, "Markdown": 2, "empty answer": 1})
    assert sign_text(StepFlips("one", signs=signs)) == "LaTeX 3, case 2, Markdown 2"
    assert sign_text(StepFlips("one")) == "–"
    assert by_step([]) == {}


def test_examples_are_the_first_of_the_draw() -> None:
    shown = tables(audited([{**CUT, "id": name} for name in "abc"] + [{**KEPT, "id": "d"}]))["answer_v2+v1"]
    first = min("abc", key=ranks(0, "trial"))
    assert [row[5:] for row in shown.rows] == [[first, "think delimiter 3"]]


@pytest.mark.parametrize(
    ("step", "sufficient", "text"),
    [
        ("digits", True, "digits (sufficient)"),
        ("digits", False, "digits (with other steps)"),
        (NO_STEP, False, says.NO_STEP_THE_REFERENCE_READS),
    ],
)
def test_a_cause_in_words(step: str, sufficient: bool, text: str) -> None:
    assert cause_text(FlipCause(step, sufficient, True, ())) == text
