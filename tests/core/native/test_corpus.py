"""The stored corpus of odd lines and texts: the kernel says of each what Python says. See cases/fuzz/PROVENANCE.md."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hostile_readings import GRID, MATCHERS, NORMALIZERS, PARSERS, SIGNS
from judgement_lines import BUILT, HOW, KERNELS, LINE, kernel, of, opened, read_both_ways
from kernel_ways import ALWAYS, through, told
from places import CASES

import auditfw
from auditfw.audits.parsing.engine.kernels import Native, Plain
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.components.files.formats.scanned_cells import OTHER
from auditfw.components.files.formats.strict_json import parse
from auditfw.components.matcher.texts import Containment, Exact
from auditfw.components.step import answers, cuts
from auditfw.core.native import compiled
from auditfw.core.native.columns import ODD, TextSlices, coded, crossed, equal, joined, within
from auditfw.kinds.capabilities import Named
from auditfw.kinds.text import Step

CORPUS = CASES / "fuzz"
LINES, TEXTS = (sorted(CORPUS.glob(f"{name}/*.bin")) for name in ("lines", "texts"))
PATHS = (
    *((), ("qid",), ("scholar", "label"), ("scholar", "reason"), ("auditor",), ("auditor", "reason")),
    *(("answer_json", "citations"), ("retrieved_ids",), ("flags",), ("score",), (OTHER, "label")),
)
STEPS: tuple[Step, ...] = (
    *ALWAYS,
    cuts.AfterLast("</think>"),
    cuts.AfterLast("ı", ignore_case=True),
    cuts.BeforeLast(":"),
    cuts.BeforeLast("user", ignore_case=True),
    cuts.BeforeFirst(("\nuser", "user:", "passage:", "\u3000", "é")),
    cuts.BeforeFirst(("USER:", "İ"), ignore_case=True),
    cuts.FirstOf(((cuts.AfterLast("\n"),), (cuts.FirstLine(),))),
    answers.LastNumber(),
)
TRUTHS = ("8", "new york", "i̇", "paris", "the", "a.b", "é", "𝟠", "ß", "1,000", "B", "\ud800")


def text_of(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogatepass")


def scanned(data: bytes) -> dict[tuple[str, ...], TextSlices]:
    """The columns that the kernel finds in a block of lines."""
    module = compiled()
    assert module is not None
    paths = tuple(tuple(step.encode() for step in path) for path in PATHS)
    found = module.lines(data, paths, module.ends(data) + 1)
    return {path: TextSlices(data, held, {}, parse) for path, held in zip(PATHS, found, strict=True)}


def at(record: Any, path: tuple[str, ...]) -> Any:
    """The value at a path of a record, None where there is none."""
    for step in path:
        record = record.get(step) if isinstance(record, dict) else None
    return record


def compared(columns: dict[tuple[str, ...], TextSlices]) -> list[Any]:
    """All that the kernel says of columns beside and of each other."""
    each = [*columns.values()]
    blocks = [joined(column) for column in each]
    module = compiled()
    assert module is not None
    codes = [code for column in each if (code := coded(column)) is not None]
    pairs = [(within(a, b), equal(a, b)) for a in each for b in each]
    return [
        blocks,
        codes,
        crossed(codes) if codes else None,
        pairs,
        [module.texts(a.data, a.held) for a in each],
    ]


def test_there_is_a_corpus() -> None:
    """Some dozens of files, and no more than is read in a second or two."""
    files = LINES + TEXTS
    assert min(len(LINES), len(TEXTS)) >= 24
    assert sum(file.stat().st_size for file in files) < 150_000


@pytest.mark.parametrize("name", KERNELS)
def test_lines_of_the_corpus_are_read_as_strictly(name: str, tmp_path: Path) -> None:
    """As they are, and among usual lines, without which the strict reader would take them all."""
    among = f"{LINE}\n".encode() * 9
    for how in HOW[:2]:
        task = opened(tmp_path / "pairs.jsonl", **how)
        with kernel(name):
            for file in LINES:
                data = file.read_bytes()
                for lines in (data, among * (1 + data.count(b"\n") // 2) + data + b"\n" + among):
                    quick, strict = read_both_ways(of(task, lines))
                    assert quick == strict, (file.name, how)


@BUILT
@pytest.mark.parametrize("file", LINES, ids=lambda file: file.stem)
def test_what_the_scanner_takes_of_the_corpus_is_what_the_lines_say(file: Path) -> None:
    data = file.read_bytes()
    lines = [line for line in data.split(b"\n") if line.strip(b" \t\r")]
    columns = scanned(data)
    assert len(columns[()]) == len(lines)
    taken = {i: parse(lines[i].decode()) for i, kind in enumerate(columns[()].kinds) if kind != ODD}
    for path, column in columns.items():
        for i, record in taken.items() if OTHER not in path else ():
            assert repr(column[i]) == repr(at(record, path)), (path, lines[i])


@BUILT
@pytest.mark.parametrize("file", LINES, ids=lambda file: file.stem)
def test_columns_of_the_corpus_are_compared_as_their_values_are(file: Path) -> None:
    columns = scanned(file.read_bytes())
    for column in columns.values():
        known: dict[Any, int] = {}
        keys = [(kind, b"" if kind == ODD else column.raw(i)) for i, kind in enumerate(column.kinds)]
        wanted = [known.setdefault(key, len(known)) for key in keys]
        assert coded(column) == (None if len(known) > 250 else bytes(wanted))
        block = joined(column)
        assert block is None or list(block) == list(column)
    for one, other in ((a, b) for a in columns.values() for b in columns.values()):
        same, inner = equal(one, other), within(one, other)
        for i in range(len(one)):
            assert same[i] == 0 or same[i] == said_equal(one[i], other[i])
            assert inner[i] == 0 or inner[i] == said_within(one[i], other[i])


def said_equal(one: Any, other: Any) -> int:
    return 1 if not one or not other else 2 if one == other else 3


def said_within(inner: list[str], outer: list[str]) -> int:
    return 1 if not inner else 2 if set(inner) <= set(outer) else 3


@BUILT
def test_lines_of_the_corpus_may_end_anywhere() -> None:
    """Nothing is read beyond the end, wherever it is; which a build with a sanitizer sees to."""
    module = compiled()
    assert module is not None
    for file in LINES:
        data = file.read_bytes()
        for end in sorted({*range(0, len(data), 1 + len(data) // 100), *range(max(0, len(data) - 40), len(data))}):
            columns = scanned(data[:end])
            assert all(len(module.texts(data[:end], column.held)) == len(column) for column in columns.values())


@BUILT
@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_steps_make_of_the_corpus_what_they_make_in_python(step: Step) -> None:
    texts = [text_of(file) for file in TEXTS]
    made = through([step], texts)
    for file, text, one in zip(TEXTS, texts, made, strict=True):
        assert one == (step(text) if text else ""), file.name


@BUILT
@pytest.mark.parametrize("matcher", MATCHERS)
def test_both_kernels_tell_the_same_of_the_corpus(matcher: str) -> None:
    plan = ReadingPlan(PARSERS, NORMALIZERS, auditfw.load("matcher", matcher), GRID)
    texts = [text_of(file) for file in TEXTS]
    rows = [(text, texts[i - 1][:200], TRUTHS[i % len(TRUTHS)]) for i, text in enumerate(texts)]
    columns = ([row[0] for row in rows], [row[1] for row in rows])
    assert told(Native(plan, SIGNS), *columns, rows) == told(Plain(plan, SIGNS), *columns, rows)


@BUILT
def test_needles_find_in_the_corpus_what_they_find_in_python() -> None:
    module = compiled()
    assert module is not None
    for text in map(text_of, TEXTS):
        for truth in (*TRUTHS, " ".join(text.split()[:3]), text[2:9]):
            for matcher, blanks in ((m, b) for m in (Containment(), Exact()) for b in (None, frozenset(".,*"))):
                shape = matcher.shape(truth, blanks) if truth else None
                if shape is not None:
                    found = module.Needle(shape[0], "".join(shape[1]), *shape[2:])(text)
                    assert found is matcher.needle(truth, blanks)(text), (truth, text)


@cache
def every_way() -> Native:
    """A kernel with a parser for each of the steps."""
    parsers = tuple(Named(f"p{i}", type(PARSERS[0].part)(steps=(step,))) for i, step in enumerate(STEPS))
    plan = ReadingPlan(parsers, NORMALIZERS, Containment(), tuple((p, n) for p in range(len(STEPS)) for n in range(2)))
    return Native(plan, SIGNS)


def score(data: bytes) -> None:
    """Takes a text through the kernel: for whoever looks for texts that reach more of it."""
    text = data.decode("utf-8", "surrogatepass")
    for truth in ("8", "new york"):
        every_way().score([text], [text[:9]], [truth])


def scan(data: bytes) -> None:
    """The same of lines."""
    compared(scanned(data))


def is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
