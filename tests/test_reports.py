"""The reports of one made-up parsing audit, plain and with hostile names and texts, read back."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from test_html import Reader

import auditfw
from auditfw.components.report import wording
from auditfw.components.report.console import ConsoleReport
from auditfw.components.report.json import JsonReport
from auditfw.components.report.junit import JunitReport, junit_text
from auditfw.components.report.markdown import MarkdownReport, report_text
from auditfw.components.report.page.page import page_text
from auditfw.components.report.page.telling import tell
from auditfw.core.digits import fixed
from auditfw.core.document import Exhibit, Note, Section, Snippet, Table, shown, some
from auditfw.core.errors import IncompleteError
from auditfw.core.records import Estimate, GateResult, Input, Measurement, Result
from auditfw.core.result_json import dumps, measurement_rows, result_document, write_whole

HOSTILE = "\x1b[31m[red]|`x`\n::error::y <img src=x onerror=z>\u202e@evil #12 :smile: \x9b ##vso[t] \ud800 漢字"
FOLDER = "outputs/parsing/2026-01-02/03-04-05.678901"
SHIFTS = {"stored+v1": (61.2, 0.0, 0), "answer_v2+v2": (55.5, -5.7, 1061), "after_think+v2": (70.0, 8.8, 12)}


def measurements() -> list[Measurement]:
    found = []
    for reading, (error, delta, flips) in SHIFTS.items():
        missing = 960 if reading.startswith("after") else 0
        n = 1080 - missing
        found += [
            Measurement("error_rate", reading, {}, Estimate(error, n, missing)),
            Measurement("error_rate", reading, {"temperature": 0.5}, Estimate(error, n, missing)),
            Measurement("delta_pp", reading, {}, Estimate(delta, n, missing, delta - 1.5, delta + 1.5)),
            Measurement("flips", reading, {}, Estimate(float(flips), n, missing)),
            Measurement("flips_to_true", reading, {}, Estimate(float(flips // 2), n, missing)),
            Measurement("flips_to_false", reading, {}, Estimate(float(flips - flips // 2), n, missing)),
            Measurement("n", reading, {}, Estimate(float(n), n, missing)),
        ]
    why = "only the baseline is compared"
    found.append(Measurement("mismatches", "stored+v1", {}, Estimate(0.0, 1080)))
    found.append(Measurement("mismatches", "answer_v2+v2", {}, Estimate(None, 0, undefined=why)))
    return found


def sections() -> list[Section]:
    rows = [["0.0", "base-7b", "control", "90", "-3.33"], ["0.5", "think-32b", "asch_unanimous", "90", "+13.33"]]
    cells = Table(["temperature", "variant", "condition", "n", "Δ pp"], rows, "<<<>>", "Largest first.", 22)
    raw = Snippet("raw_text", "It is\nWashington, D.C.</think>", "``` USER:", 1234, (0, 40))
    receipt = Exhibit("flip 1", [("id", "t-1"), ("stored", "true → false")], [raw, Snippet("parsed_text", "")])
    return [
        Section("By cell", [Note("Each cell apart."), cells], 2, console=True),
        Section("Receipts", [receipt, Table(["a"], [], "")], 3),
    ]


@pytest.fixture
def plain() -> Result:
    return Result(
        audit="parsing",
        verdict="fail",
        exit_code=1,
        counts={"malformed": 0, "no_ground_truth": 1080, "audited": 1080, "read": 2160},
        by=("temperature",),
        measurements=measurements(),
        gates=[
            GateResult("baseline", "mismatches <= 0", "stored+v1", 0.0, "pass"),
            GateResult("flips", "flips <= 25", "answer_v2+v2", 1061.0, "fail", "1,061 is above 25"),
            GateResult("shift", "delta_pp >= -5", "after_think+v2", None, "inconclusive", "nothing was read"),
        ],
        warnings=["1 truth normalises to nothing"],
        inputs=[Input("data/trials.jsonl", "ab" * 32, 1234567)],
        config_hash="cd" * 32,
        seed=0,
        versions={"polars": "2.1.0", "auditfw": "0.1.0"},
        sections=sections(),
        folder=FOLDER,
    )


@pytest.fixture
def hostile(plain: Result) -> Result:
    exhibit = Exhibit(HOSTILE, [(HOSTILE, HOSTILE)], [Snippet(HOSTILE, HOSTILE, HOSTILE, 3, (0, 9))])
    table = Table([HOSTILE, "n"], [[HOSTILE, HOSTILE], ["a" * 300, "2"], ["x", "1", HOSTILE]], "<>", HOSTILE)
    cell = {"temperature": HOSTILE, "value": math.nan}
    return replace(
        plain,
        measurements=[
            *plain.measurements,
            Measurement("flips", HOSTILE, {}, Estimate(math.nan, 3, 1, -math.inf, math.inf)),
            Measurement(HOSTILE, HOSTILE, cell, Estimate(1.0, 3)),
            Measurement("combined", "actual", {"key": HOSTILE}, Estimate(0.5, 1)),
        ],
        gates=[*plain.gates, GateResult(HOSTILE, HOSTILE, HOSTILE, math.inf, "fail", HOSTILE * 300)],
        warnings=[*plain.warnings, HOSTILE],
        inputs=[Input(HOSTILE, "ab" * 32, 1)],
        sections=[*plain.sections, Section(HOSTILE, [Note(HOSTILE), table, exhibit], 3, console=True)],
        folder=f"outputs/{HOSTILE}",
    )


class Stream(io.TextIOWrapper):
    """A standard output that is no terminal, in an encoding."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def text(self) -> str:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


def told(monkeypatch: pytest.MonkeyPatch, result: Result, encoding: str = "utf-8", **env: str) -> str:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    stream = Stream(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    assert ConsoleReport()(result, result.folder) == ()
    return stream.text()


def unwrapped(out: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\n[│╭|+] ?", " ", "\n" + out))


@pytest.mark.parametrize(
    ("value", "metric", "wanted"),
    [
        (61.2, "error_rate", "61.20"),
        (-3.1, "delta_pp", "-3.10"),
        (3.1, "delta_pp", "+3.10"),
        (-0.0, "delta_pp", "0.00"),
        (-0.001, "delta_pp", "0.00"),
        (1061.0, "flips", "1,061"),
        (0.75123, "kappa", "0.7512"),
        (1.0, "kappa", "1"),
        (1e-9, "mcnemar_p", "<0.0001"),
        (0.0, "mcnemar_p", "<0.0001"),
        (0.000099, "mcnemar_q", "<0.0001"),
        (0.0001, "bowker_p", "0.0001"),
        (1.0, "bowker_p", "1.0000"),
        (-2.22e-16, "kappa", "0.0000"),
        (9.252e-17, "scott_pi", "0.0000"),
        (-0.0, "kappa", "0"),
        (-3.2e-05, "kappa", "-3.2e-05"),
        (3e-17, "absolute_error", "3e-17"),
        (1e-9, "x", "1e-09"),
        (1e300, "x", "1e+300"),
        (math.nan, "x", "–"),
        (None, "x", "–"),
    ],
)
def test_numbers(value: float | None, metric: str, wanted: str) -> None:
    assert wording.number(value, metric) == wanted


@pytest.mark.parametrize(
    ("value", "digits", "signed", "wanted"),
    [
        (-0.0004, 2, True, "+0.00"),
        (-0.0, 3, False, "0.000"),
        (-2.2e-16, 4, False, "0.0000"),
        (-0.006, 2, True, "-0.01"),
        (0.006, 2, True, "+0.01"),
        (-1234.5, 1, False, "-1,234.5"),
    ],
)
def test_nothing_is_a_negative_zero(value: float, digits: int, signed: bool, wanted: str) -> None:
    assert fixed(value, digits, signed) == wanted
    assert "-0" not in shown(-0.0)


@pytest.mark.parametrize(
    ("n", "noun", "plural", "wanted"),
    [
        (1, "loop", "", "1 loop"),
        (0, "loop", "", "0 loops"),
        (1_000, "row", "", "1,000 rows"),
        (2, "try", "tries", "2 tries"),
        (1, "try", "tries", "1 try"),
    ],
)
def test_a_count_has_its_noun_in_the_right_number(n: int, noun: str, plural: str, wanted: str) -> None:
    assert some(n, noun, plural) == wanted


def test_counts_are_an_equation(plain: Result) -> None:
    assert wording.counts_text(plain.counts) == "read 2,160 = audited 1,080 + no_ground_truth 1,080"
    assert wording.counts_text({"read": 3, "audited": 0, "b": 1, "a": 2}) == "read 3 = audited 0 + a 2 + b 1"


def test_intervals_stand_in_brackets() -> None:
    assert wording.estimate_text(Estimate(12.3, 9, 0, 10.1, 14.8), "error_rate") == "12.30 [10.10, 14.80]"
    assert wording.estimate_text(Estimate(12.3, 9, 0, None, 14.8), "error_rate") == "12.30"
    assert wording.estimate_text(Estimate(None, 0, undefined="no trial")) == "–"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_console_says_everything_at_any_width(
    monkeypatch: pytest.MonkeyPatch, plain: Result, hostile: Result, width: int
) -> None:
    for result in (plain, hostile):
        out = told(monkeypatch, result, COLUMNS=str(width))
        *lines, last = out.splitlines()
        assert last.startswith("run folder: outputs/")
        assert max(map(cell_len, lines)) <= width
        assert {line[0] for line in lines} == {"╭", "│"}
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", out)
        assert "##vso[" not in out
    said = unwrapped(told(monkeypatch, plain, COLUMNS=str(width)))
    for word in ["FAIL", "1,061", "+8.80", "[+7.30, +10.30]", "inconclusive", "960", "22 more rows", "+13.33"]:
        assert word in said
    assert "read 2,160 = audited 1,080 + no_ground_truth 1,080" in said
    assert "flips_to_true" not in said
    assert "Washington" not in said


def test_console_table(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    lines = told(monkeypatch, plain, COLUMNS="100").splitlines()
    assert [line.rstrip() for line in lines[:8]] == [
        "╭ Audit parsing: FAIL",
        "│ exit code 1",
        "│ read 2,160 = audited 1,080 + no_ground_truth 1,080",
        "╭ Measurements",
        "│ reading         error %                   Δ pp  flips  → true  → false      n  mismatches",
        "│ ─────────────────────────────────────────────────────────────────────────────────────────",
        "│ stored+v1         61.20    0.00 [-1.50, +1.50]      0       0        0  1,080           0",
        "│ answer_v2+v2      55.50   -5.70 [-7.20, -4.20]  1,061     530      531  1,080           –",
    ]
    assert "│ – mismatches of answer_v2+v2: only the baseline is compared" in lines
    assert "│ after_think+v2: 120 counted, 960 missing" in lines


def test_console_colours_only_where_asked(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    assert "\x1b" not in told(monkeypatch, plain)
    coloured = told(monkeypatch, plain, FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[32mpass" in coloured
    assert "\x1b[1;31mfail" in coloured
    assert "\x1b[33minconclusive" in coloured
    bare = told(monkeypatch, plain, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")
    assert not re.search("\x1b\\[[0-9;]*3[0-9]", bare)
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == re.sub("\x1b\\[[0-9;]*m", "", bare)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_console_in_a_narrow_encoding(monkeypatch: pytest.MonkeyPatch, hostile: Result, encoding: str) -> None:
    lines = told(monkeypatch, hostile, encoding, COLUMNS="80").splitlines()
    assert {line[0] for line in lines[:-1]} == {"+", "|"}
    assert any("delta pp" in line and "-> true" in line for line in lines)
    assert any("<U+001B>[31m[red]" in line for line in lines)


def test_console_in_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    lines = told(monkeypatch, plain, FORCE_COLOR="1", TERM="dumb", COLUMNS="40").splitlines()
    assert {line[0] for line in lines[:-1]} == {"+", "|"}
    assert max(map(cell_len, lines[:-1])) <= 40
    assert not any("\x1b" in line for line in lines)


def test_console_without_gates_or_measurements(monkeypatch: pytest.MonkeyPatch, plain: Result) -> None:
    empty = replace(plain, verdict="none", measurements=[], gates=[], sections=[], warnings=[], folder=None)
    out = told(monkeypatch, empty)
    assert out.splitlines()[0] == "╭ Audit parsing: no gates"
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize(
    ("verdict", "code", "head", "status"),
    [
        ("pass", 0, "PASS", "pass"),
        ("pass", 4, "INCOMPLETE (PASS on what was audited)", "inconclusive"),
        ("none", 4, "INCOMPLETE (no gates on what was audited)", "inconclusive"),
        ("fail", 4, "INCOMPLETE (FAIL on what was audited)", "fail"),
        ("inconclusive", 1, "INCONCLUSIVE", "inconclusive"),
    ],
)
def test_an_incomplete_run_is_no_pass(plain: Result, verdict: str, code: int, head: str, status: str) -> None:
    found = replace(plain, verdict=verdict, exit_code=code)
    assert (wording.verdict_text(found), wording.verdict_status(found)) == (head, status)
    assert f"**Verdict: {head}** (exit code {code})" in report_text(found)
    assert (tell(found).word, tell(found).status) == (head, status)


def test_markdown_is_written_whole(plain: Result, tmp_path: Path) -> None:
    assert MarkdownReport()(plain, None) == ()
    assert MarkdownReport()(plain, str(tmp_path)) == ("report.md",)
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    assert (tmp_path / "report.md").read_bytes() == report_text(plain).encode()


def test_markdown_says_it_in_order(plain: Result) -> None:
    text = report_text(plain)
    parts = [
        "# Audit: parsing\n\n**Verdict: FAIL** (exit code 1)",
        "read 2,160 = audited 1,080 + no_ground_truth 1,080",
        "## Gates",
        "| flips | flips <= 25 | answer_v2+v2 | 1,061 | fail |",
        "- shift: nothing was read",
        "## Measurements",
        "| reading | error % | Δ pp | flips | → true | → false | n | mismatches |\n| :--- | ---: |",
        "## By cell\n\nEach cell apart.\n\nLargest first.\n\n| temperature |",
        "| 0.5 | think-32b | asch_unanimous | 90 | +13.33 |\n\nand 22 more rows",
        "### Receipts\n\n#### flip 1\n\n- id: `t-1`\n- stored: `true → false`",
        "raw_text (characters 0–40 of raw_text):\n\n```text\nIt is\nWashington, D.C.</think>\n```",
        "… [1,234 characters omitted] …\n\n````text\n``` USER:\n````",
        "parsed_text: (empty)",
        "No rows.",
        "## Warnings\n\n- 1 truth normalises to nothing",
        "## Inputs",
        "| data/trials.jsonl | 1,234,567 | abab",
        "- versions auditfw 0.1.0, polars 2.1.0\n",
    ]
    at = [text.index(part) for part in parts]
    assert at == sorted(at)
    assert "2026" not in text


def test_markdown_keeps_its_structure(hostile: Result) -> None:
    text = report_text(hostile)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", text)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or []}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "em_open", "s_open", "code_block"}
    heads = [token.tag for token in tokens if token.type == "heading_open"]
    assert heads == ["h1", "h2", "h2", "h2", "h3", "h4", "h3", "h4", "h2", "h2"]
    assert sum(token.type == "fence" for token in tokens) == 4
    rows = [len(re.sub(r"\\.", "", line).split("|")) for line in text.splitlines() if line.startswith("|")]
    assert set(rows) == {3, 5, 7, 10}


def test_document_is_the_contract(hostile: Result) -> None:
    document = json.loads(dumps(result_document(hostile)))
    assert list(document) == [
        *("schema", "audit", "verdict", "exit_code", "answer", "digests", "counts", "measurements"),
        *("gates", "warnings", "inputs", "config_hash", "seed", "versions"),
    ]
    assert document["schema"] == "auditfw.result/2"
    assert list(document["counts"]) == ["read", "audited", "malformed", "no_ground_truth"]
    assert document["gates"][1] == {
        "name": "flips",
        "rule": "flips <= 25",
        "reading": "answer_v2+v2",
        "value": 1061.0,
        "status": "fail",
        "why": "1,061 is above 25",
    }
    assert document["gates"][3]["value"] is None
    assert document["inputs"][0]["path"] == HOSTILE.replace("\ud800", "\ufffd")
    assert document["measurements"][0] == {
        "metric": "error_rate",
        "reading": "stored+v1",
        "cell": {},
        "value": 61.2,
        "counted": 1080,
        "missing": 0,
        "low": None,
        "high": None,
        "undefined": None,
    }
    assert [list(found["cell"]) for found in document["measurements"] if found["cell"]] == [["key"]]
    broken = next(found for found in document["measurements"] if found["metric"] == "flips" and found["counted"] == 3)
    assert (broken["value"], broken["low"], broken["high"], broken["undefined"]) == (None, None, None, "not finite")


def test_dumps() -> None:
    assert dumps({"b": "é漢", "a": [1.0, None]}) == '{\n "b": "é漢",\n "a": [\n  1.0,\n  null\n ]\n}\n'
    assert dumps("\ud800\x9b\u202e😀") == '"\ufffd\\u009b\\u202e😀"\n'
    assert dumps("é😀", ascii_only=True) == '"\\u00e9\\ud83d\\ude00"\n'
    with pytest.raises(ValueError, match="JSON"):
        dumps(math.nan)


def test_measurement_rows_share_their_columns(hostile: Result) -> None:
    rows = measurement_rows(hostile)
    wanted = ["metric", "reading", "temperature", "cell.value", "key", "value", "counted", "missing"]
    assert all(list(row) == [*wanted, "low", "high", "undefined"] for row in rows)
    assert len(rows) == len(hostile.measurements)
    assert (rows[0]["temperature"], rows[1]["temperature"], rows[-1]["key"]) == (None, 0.5, HOSTILE)
    assert rows[-2]["cell.value"] is None
    assert not any(isinstance(value, float) and not math.isfinite(value) for row in rows for value in row.values())


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_is_all_there_is(monkeypatch: pytest.MonkeyPatch, hostile: Result, encoding: str) -> None:
    stream = Stream(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    assert JsonReport()(hostile, None) == ()
    assert json.loads(stream.text()) == json.loads(dumps(result_document(hostile)))
    quiet = Stream()
    monkeypatch.setattr(sys, "stdout", quiet)
    assert JsonReport(print=False)(hostile, None) == ()
    assert quiet.text() == ""


def test_junit_reads_back(hostile: Result, tmp_path: Path) -> None:
    assert JunitReport()(hostile, None) == ()
    assert JunitReport()(hostile, str(tmp_path)) == ("junit.xml",)
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]
    assert {k: suite.get(k) for k in ("name", "tests", "failures", "errors", "skipped")} == {
        "name": "parsing",
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases[:3]] == ["baseline", "flips", "shift"]
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["skipped"], ["failure"]]
    assert cases[1][0].get("message") == "flips <= 25: value 1061.0 of answer_v2+v2"
    assert cases[1][0].text == "1,061 is above 25"
    assert cases[2][0].get("message") == "inconclusive: nothing was read"
    assert len((cases[3][0].text or "").encode()) < 16_500


def test_junit_has_an_error_where_the_run_broke(plain: Result) -> None:
    suite = ET.fromstring(junit_text(replace(plain, exit_code=4, gates=[])).encode())[0]
    assert suite.get("errors") == "1"
    assert suite.findall("testcase")[0][0].tag == "error"


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    assert write_whole(str(tmp_path), "a", "é\nb\n") == "a"
    assert (tmp_path / "a").read_bytes() == "é\nb\n".encode()
    (tmp_path / "folder").mkdir()
    for folder, name in ((tmp_path / "none", "a"), (tmp_path, "folder"), (tmp_path / "a", "b")):
        with pytest.raises(IncompleteError, match="cannot be written"):
            write_whole(str(folder), name, "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "folder"]


def test_reports_load_without_rich() -> None:
    code = "import sys, auditfw.components.report; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_whether_conclusions_survive_does_not_hang_on_the_chosen_metrics() -> None:
    """Ten labels all moved the same way are beyond chance (p = 2 / 2^10), p-value metric chosen or not."""
    rows = [
        {"id": i, "raw_text": "Rome", "parsed_text": "Paris", "ground_truth": "Rome", "stored": 0} for i in range(10)
    ]
    result = auditfw.run(
        {
            "experiment": "answer_parsing",
            "source": {"use": "frame", "frame": rows},
            "by": [],
            "metric": ["flips"],
            "gate": [],
            "parser": ["raw"],
            "normalizer": ["v1"],
        }
    )
    [table] = [s.blocks[0] for s in result.sections if s.title == "Do the Conclusions Survive?"]
    assert [row[:2] for row in table.rows] == [["raw+v1", "no: the whole shifts"]]


def inputs(n: int) -> list[Input]:
    return [Input(f"logs/{i:03}.jsonl", f"{i:064x}", 1_000 + i) for i in range(n)]


@pytest.mark.parametrize(("n", "listed"), [(1, 1), (10, 10), (11, 5), (523, 5)])
def test_many_inputs_are_one_line_and_the_first_few(plain: Result, n: int, listed: int) -> None:
    result = replace(plain, inputs=inputs(n))
    text = report_text(result).split("## Inputs")[1]
    assert text.count("| logs/") == listed
    # What `sha256sum` would print of the files, hashed.
    digest = hashlib.sha256("".join(f"{i:064x}  logs/{i:03}.jsonl\n" for i in range(n)).encode()).hexdigest()
    line = f"{n} inputs, {sum(1_000 + i for i in range(n)):,} bytes, SHA-256 of their list {digest}."
    assert (line in text) == (n > 10)
    assert ("The whole list is in result.json." in text) == (n > 10)
    assert (f"and {n - 5} more rows" in text) == (n > 10)
    document = json.loads(dumps(result_document(result)))
    assert len(document["inputs"]) == n
    page = page_text(tell(result), 5_000_000)
    closed = re.findall(r'<details class="folded"><summary>([^<]*)</summary>', page)
    assert closed == ([f"{line} The whole list is in result.json."] if n > 10 else [])
    assert page.count("<td>logs/") == n


def test_an_input_of_any_name_has_a_digest(plain: Result) -> None:
    odd = [Input("\ud800\n|", "0" * 64, 1)] * 11
    assert "11 inputs, 11 bytes" in report_text(replace(plain, inputs=odd))


MISSING = [
    ({"a": (5, 2), "b": (5, 2), "c": (7, 0)}, ["a, b: 5 counted, 2 missing"]),
    (
        {"a": (0, 9), "b": (3, 6), "c": (0, 9), "d": (0, 9)},
        ["a, c, d: 0 counted, 9 missing", "b: 3 counted, 6 missing"],
    ),
    ({"a": (9, 0)}, []),
]


@pytest.mark.parametrize(("counts", "wanted"), MISSING)
def test_readings_that_lack_the_same_share_a_line(counts: dict[str, tuple[int, int]], wanted: list[str]) -> None:
    found = [Measurement("n", name, {}, Estimate(1.0, *numbers)) for name, numbers in counts.items()]
    assert wording._missing(found) == wanted


TEXTS = [{"id": str(n), "raw_text": f"it is {n}", "ground_truth": str(n % 3), "t": n % 2} for n in range(12)]
STORED = [{**row, "parsed_text": row["raw_text"][-1], "stored": row["id"] == row["ground_truth"]} for row in TEXTS]
THINK = [{**row, "raw_text": f"hm</think>{row['raw_text']} USER: no"} for row in STORED]
SAID = {  # which of these sections a run has
    "Garbage-Marker Incidence": "think",
    "Think-Token Artifacts (</think>)": "think",
    "Do the Conclusions Survive?": "stored think",
}


def answers(rows: list[dict], **settings: object) -> Result:
    import polars as pl

    source = {"use": "frame", "frame": pl.DataFrame(rows)}
    return auditfw.run({"experiment": "answer_parsing", "source": source, "by": [], "report": ["html"], **settings})


@pytest.mark.parametrize(("name", "rows"), [("bare", TEXTS), ("stored", STORED), ("think", THINK)])
@pytest.mark.parametrize("by", [[], ["t"]])
def test_what_holds_nothing_is_not_printed(
    name: str, rows: list[dict], by: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    result = answers(rows, by=by, parser=["answer_v2", "after_think", "before_think"], normalizer=["v1", "v2"])
    text, page = report_text(result), Reader(page_text(tell(result), 5_000_000)).text
    titles = {section.title for section in result.sections}
    assert {title for title in SAID if title in titles} == {title for title, of in SAID.items() if name in of.split()}
    for told in (text, page):
        assert "No rows." not in told
        assert "0 of 0" not in told
    assert ("Raw and stored text differ in 12 audited trials." in text) == (name == "stored")
    assert all(block.rows for section in result.sections for block in section.blocks if isinstance(block, Table))
    feet = [line.partition(": ")[2] for line in wording.overall_table(result)[1] if " counted, " in line]
    assert len(feet) == len(set(feet))


OTHERS = [
    {"experiment": "self_audit", "source": {"limit": 1}},
    {"experiment": "cross_agent", "validator": ["refusal_token", "grounded", "same_evidence"]},
    {"experiment": "cross_agent", "source": {"where": "qid = 'none'"}},
    {"experiment": "answer_parsing", "source": {"where": "id = 'none'"}},
]


@pytest.mark.parametrize("settings", OTHERS)
def test_no_audit_prints_an_empty_table(settings: dict) -> None:
    found = auditfw.run(settings)
    tables = [block for section in found.sections for block in section.blocks if isinstance(block, Table)]
    assert [table.columns for table in tables if not table.rows] == []
    notes = [block.text for section in found.sections for block in section.blocks if isinstance(block, Note)]
    assert len(notes) == len(set(notes))
    assert not [note for note in notes if "of 0 " in note or note.rstrip().endswith(":")]
    why = wording.gates_table(found.gates)[1]
    assert len({line.partition(": ")[2] for line in why}) == len(why)
    assert sum("0 items." in note for note in notes) <= 1
