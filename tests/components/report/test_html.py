"""report.html read back by an HTML parser: what it says, what it may load, and that hostile texts stay texts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pages
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_reading import HOSTILE, Reader, hostile, text_of
from running import Command
from searching import examples

from auditfw.commands import stored_run
from auditfw.commands.report import report
from auditfw.commands.run_folder import write_measurements, write_result
from auditfw.components.report.html import HtmlReport
from auditfw.components.report.page import page
from auditfw.core import escaping as sinks
from auditfw.core.document import Exhibit, Gallery, Mark, Matrix, Section, Snippet, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Result


@pytest.fixture(scope="module")
def whole() -> str:
    return text_of(pages.result())


def test_verdict_and_gates_come_first(whole: str) -> None:
    read = Reader(whole)
    wanted = ["All readings, sorted.", "1 truth normalises", "few_flips", "80 is above 25",
              "and 7 more rows", "Quality by the iterations allowed", "problem a",
              "In this file: 12 of 10,812 flips", "nothing is stored", "1,234,567", "cd" * 32, "2.1.0"]  # fmt: skip
    places = [read.text.index(word) for word in wanted]
    heads = [of["id"] for tag, of in read.elements if tag in ("h3", "h4") and "id" in of]
    assert (
        read.text.index("Audit parsing") < read.text.index("FAIL") < read.text.index("exit code 1, 2,160 trials read")
    )
    assert places == sorted(places)
    assert heads == [f"head-{n}" for n in range(1, 11)]
    assert not read.wrong


def test_policy_allows_this_style_and_this_script_and_nothing_else(whole: str) -> None:
    read = Reader(whole)
    policy = next(str(of["content"]) for _, of in read.elements if of.get("http-equiv") == "Content-Security-Policy")
    own = [text for of, text in read.raw if "type" not in of]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in own]
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert f"style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'" in policy
    assert "unsafe" not in policy
    assert len(own) == 2


def classes(text: str) -> set[str]:
    return {name for _, of in Reader(text).elements for name in str(of.get("class") or "").split()}


STYLED = sorted(set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"\{[^}]*\}", "", page._own(page.STYLE)))))


@pytest.mark.parametrize("verdict", ["pass", "fail", "inconclusive", "none", "error"])
def test_words_of_a_result_are_no_classes_of_the_layout(verdict: str) -> None:
    def made(words: list[str]) -> Result:
        rows = [[word, word, word] for word in (*words, verdict)]
        marks = [Mark(word, n, n + 1) for n, word in enumerate(words)]
        one = Exhibit("e", [("status", "none")], [Snippet("t", "abc" * len(words), marks=marks)], [], [])
        gallery = Gallery((("status",),), [replace(one, tags=[[(word,) for word in words]])], 1, "none")
        heat = Matrix("none", "none", words, ["none"], [[1.0]] * len(words), [["1"]] * len(words))
        found = [Section("none", [Table(["status", *words, "status"], rows, "<>"), one, gallery, heat])]
        counts = {"read": len(words), **dict.fromkeys(words, 1)}
        return replace(pages.result(found, verdict), audit="none", counts=counts)

    plain = classes(text_of(made(["a word", "another"])))
    assert {f"verdict-{verdict}", f"status-{verdict}"} <= plain
    assert not {"pass", "fail", "inconclusive", "none", "error"} & (plain | set(STYLED))
    if verdict == "none":
        plain = classes(text_of(made([f"word {n}" for n in range(len(STYLED))])))
        assert classes(text_of(made(STYLED))) - {"truth"} <= plain  # a mark called "truth" is one


def test_nothing_is_loaded_and_nothing_acts(whole: str) -> None:
    for tag, of in Reader(whole).elements:
        assert tag not in ("img", "iframe", "object", "embed", "form", "base", "audio", "video", "foreignObject", "use")
        assert not [name for name in of if name.startswith("on") or name in ("style", "src", "srcset", "action")]
        assert str(of.get("href", "#")).startswith(("#", "data:,"))
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", whole)


def test_the_same_bytes_twice_and_from_a_stored_run(tmp_path: Path, whole: str) -> None:
    assert text_of(pages.result()) == whole
    result = pages.result()
    write_measurements(tmp_path, result)
    stored_run.save_sections(str(tmp_path), result.sections)
    write_result(tmp_path, result)
    assert HtmlReport()(stored_run.read_result(tmp_path), str(tmp_path)) == ("report.html",)
    assert (tmp_path / "report.html").read_text("utf-8") == whole


def test_other_reports_leave_out_what_only_a_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    from auditfw.components.report.console import ConsoleReport
    from auditfw.components.report.markdown import report_text

    text = report_text(pages.result())
    assert "By Cell" in text
    assert "| 0.5, base |  | -10.0 | +4.0 |" in text
    assert "Specification Curve" not in text
    ConsoleReport()(pages.result(), None)
    assert "Flips" not in capsys.readouterr().out


def test_hostile_texts_stay_texts() -> None:
    text = text_of(hostile())
    plain = Reader(text_of(pages.result()))
    read = Reader(text)
    known = {tag for tag, _ in plain.elements}
    names = {name for _, of in plain.elements for name in of}
    assert {tag for tag, _ in read.elements} <= known | {"tspan"}  # a long name on several lines
    assert {name for _, of in read.elements for name in of} <= names | {"font-weight", "stroke-dasharray", "dy"}
    assert sum("type" not in of for of, _ in read.raw) == 2
    assert not read.wrong
    shown = sinks.visible(HOSTILE, "\n\t")
    assert read.text.count(re.sub(r"\s+", " ", shown)) > 20
    assert read.data()["gallery-0"]["items"][0][0] == shown
    assert not set(text) & set("\x1b\u202e\ud800")
    assert "{{7*7}} ${7*7}" in read.text


@settings(max_examples=examples(40), deadline=None)
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda of: st.lists(of) | st.dictionaries(st.text(), of), max_leaves=12
    )
)
def test_json_sink_is_json_without_anything_html_could_read(document: object) -> None:
    def shown(of: object) -> object:
        if isinstance(of, str):
            return sinks.visible(of, "\n\t")
        if isinstance(of, dict):
            return {shown(name): shown(value) for name, value in of.items()}
        return [shown(one) for one in of] if isinstance(of, list) else of

    text = sinks.html_json(document)
    assert json.loads(text) == shown(document)
    assert not set(text) & set("<>&\u2028\u2029\x00")


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(UsageError, match="max_bytes"):
        HtmlReport(-1)


def test_command_writes_the_page_and_writes_it_again(command: Command, tmp_path: Path) -> None:
    done = command("report=[html]", "reports.html.max_bytes=350000", "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    written = (tmp_path / "run" / "report.html").read_bytes()
    assert len(written) <= 350_000
    assert b"reports.html.max_bytes=350,000" in written
    assert not (tmp_path / "run" / "report.md").exists()
    assert report([str(tmp_path / "run")]) == 0  # its own reports, with its own settings
    assert (tmp_path / "run" / "report.html").read_bytes() == written
    assert report([str(tmp_path / "run"), "report=[html]"]) == 0
    again = (tmp_path / "run" / "report.html").read_bytes()
    assert len(again) > len(written)
    assert Reader(again.decode()).text[:400] == Reader(written.decode()).text[:400]
    assert report([str(tmp_path / "run"), "report=[html]", "reports.html.max_bytes=350000"]) == 0
    assert (tmp_path / "run" / "report.html").read_bytes() == written
