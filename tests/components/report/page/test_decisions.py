"""Decisions in the gallery of report.html, in a real browser: kept over a reload, saved, read back by the command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pages
import pytest
from browsers import FULL, NO_STORAGE, OVERFLOW
from page_reading import HOSTILE, browsing, hostile, text_of
from running import Command
from sentences import report as says

from auditfw.commands.decisions.shown import read_decisions
from auditfw.core.document import Exhibit, Gallery, Section
from auditfw.core.records import Result
from auditfw.core.sampling import trial_key

pytestmark = pytest.mark.slow
HEAD = "key,id,label,note,labeller,reading,kind\n"
KEYS = [trial_key(0, f"t-{n}") for n in range(6)]
NOTES = ["plain", "=1+1", "'-x", 'a "b", c;\td', "  ", "漢字 😀 \u202e\u2028 </script>", "-5 %"]
STEPS = [
    *(("r", "t-1", 1), ("ArrowRight", "t-2", 1), ("c", "t-3", 2), ("u", "t-2", 2), ("u", "t-1", 2)),
    *(("w", "t-2", 3), ("w", "t-3", 3), ("u", "t-2", 3), ("w", "t-3", 3), ("j", "t-4", 3), ("ArrowLeft", "t-3", 3)),
]  # a key, what is shown after it, and how many are decided


def keyed(count: int) -> Result:
    return browsing([replace(one, key=trial_key(0, one.title)) for one in pages.flips(count)])


def said(tab: Any, text: str) -> None:
    """Waits for what is said of the decisions."""
    from playwright.sync_api import expect

    expect(tab.locator(".tally span")).to_have_text(text)


def head(tab: Any) -> str:
    return str(tab.locator(".shown h3").inner_text())


def in_sight(tab: Any) -> None:
    tab.evaluate("document.querySelector('.gallery').scrollIntoView({ behavior: 'instant' })")


def press(tab: Any, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def saved(tab: Any, file: Path, by: str = "s") -> bytes:
    """What is saved, by the key or by the link."""
    with tab.expect_download() as waiting:
        tab.keyboard.press("s") if by == "s" else tab.get_by_role("link", name="Save decisions.csv").click()
    assert waiting.value.suggested_filename == "decisions.csv"
    waiting.value.save_as(file)
    return file.read_bytes()


def test_a_decision_survives_a_reload_and_is_of_its_run_alone(opened: Any, tmp_path: Path) -> None:
    tab, _ = opened(keyed(6))
    said(tab, "0 of 6 decided")
    in_sight(tab)
    press(tab, "r", "w", "n")
    tab.keyboard.type("wait: r or w?")
    tab.reload()
    said(tab, "2 of 6 decided")
    assert head(tab) == "t-2"
    assert tab.get_by_label("note").input_value() == "wait: r or w?"
    assert tab.locator(".option i").all_inner_texts() == ["right", "wrong"]
    assert "Kept in this browser." in tab.locator(".tally + p").inner_text()
    another = tmp_path / "another.html"
    another.write_text(text_of(replace(keyed(6), seed=1)), "utf-8")
    tab.goto(another.as_uri())
    said(tab, "0 of 6 decided")


def test_keys_decide_go_on_and_back(opened: Any, tmp_path: Path) -> None:
    tab, _ = opened(keyed(6))
    tab.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    press(tab, "r")  # nobody decides on what is out of sight
    said(tab, "0 of 6 decided")
    in_sight(tab)
    for key, shown, count in STEPS:
        press(tab, key)
        said(tab, f"{count} of 6 decided")
        assert head(tab) == shown
    press(tab, "k")
    assert tab.locator('.decide [aria-pressed="true"]').all_inner_texts() == ["Wrong w"]
    tab.get_by_role("button", name="Wrong").click()  # its button again takes a decision back
    said(tab, "2 of 6 decided")
    assert head(tab) == "t-2"
    press(tab, "n")
    tab.keyboard.type("src")  # nothing but a note
    press(tab, "Enter", "?", "r", "/")
    assert tab.get_by_role("dialog", name="Keys").is_visible()
    press(tab, "?")
    assert tab.get_by_role("dialog").count() == 0
    said(tab, "2 of 6 decided")
    press(tab, "j", "n", "Space", "Enter")  # no note
    tab.get_by_label("your name").fill(" Ann ")
    rows = [
        f"{KEYS[0]},t-0,right,,Ann,answer_v2+v1 stored+v2,label\n",
        f"{KEYS[1]},t-1,wrong,,Ann,after_think+v2,label\n",
        f"{KEYS[2]},t-2,,src,Ann,answer_v2+v1,label\n",
    ]
    assert saved(tab, tmp_path / "d.csv", "click").decode() == HEAD + "".join(rows)


def test_a_key_that_is_held_decides_once(opened: Any) -> None:
    tab, _ = opened(keyed(6))
    in_sight(tab)
    for _ in range(4):
        tab.keyboard.down("r")
    tab.keyboard.up("r")
    said(tab, "1 of 6 decided")


def test_what_is_undecided_is_filtered(opened: Any) -> None:
    tab, _ = opened(keyed(6))
    in_sight(tab)
    press(tab, "r", "ArrowRight", "w")
    tab.get_by_label("your decision").select_option(label="undecided")
    assert tab.locator(".option b").all_inner_texts() == ["t-1", "t-3", "t-4", "t-5"]
    assert tab.locator(".found").inner_text().startswith("4 of 6 shown")
    tab.get_by_role("listbox").focus()
    press(tab, "Home", "c", "u")  # what is decided stays until another filter is chosen: one can go back to it
    assert head(tab) == "t-1"
    tab.get_by_label("your decision").select_option(label="cannot tell")
    assert tab.locator(".option b").all_inner_texts() == ["cannot tell t-1"]
    tab.get_by_role("button", name="Clear").click()
    assert tab.locator(".option").count() == 6


def test_two_windows_keep_what_the_other_decided(opened: Any) -> None:
    tab, _ = opened(keyed(6))
    other = tab.context.new_page()
    other.goto(tab.url)
    for page, keys in ((tab, "r"), (other, "jw"), (tab, "jc")):
        page.bring_to_front()
        in_sight(page)
        press(page, *keys)
    said(tab, "3 of 6 decided")


@pytest.mark.parametrize("lack", [NO_STORAGE, FULL])
def test_without_storage_it_works_and_says_so(opened: Any, tmp_path: Path, lack: str) -> None:
    tab, _ = opened(keyed(6))
    if lack == NO_STORAGE:
        tab.add_init_script(lack)
        tab.reload()
    in_sight(tab)
    press(tab, "r")
    tab.evaluate(lack)  # storage that was there may be full
    press(tab, "w", "j", "w")
    said(tab, "3 of 6 decided")
    assert says.THIS_BROWSER_KEEPS_NOTHING_SAVE in tab.locator(".tally + p").inner_text()
    decided = read_decisions(str(written(tab, tmp_path)), KEYS)
    assert {key: one.label for key, one in decided.items()} == {KEYS[0]: "right", KEYS[1]: "wrong", KEYS[3]: "wrong"}


def written(tab: Any, folder: Path) -> Path:
    saved(tab, folder / "saved.csv")
    return folder / "saved.csv"


@pytest.mark.parametrize(
    "kept", ["{", "5", '{"of": 3}', '{"of": {"KEY": 7}}', '{"by": [], "of": {"KEY": {"label": "toString"}}}']
)
def test_broken_storage_is_as_none(opened: Any, kept: str) -> None:
    tab, _ = opened(keyed(6))
    name = "`auditfw.decisions.${document.body.dataset.run}`"
    tab.evaluate(f"(text) => localStorage.setItem({name}, text)", kept.replace("KEY", KEYS[0]))
    tab.reload()
    said(tab, "0 of 6 decided")
    in_sight(tab)
    press(tab, "r")
    said(tab, "1 of 6 decided")


def test_hostile_texts_are_saved_as_cells(opened: Any, tmp_path: Path) -> None:
    made = hostile()
    shown = [replace(one, key=KEYS[n], facts=[("id", f"={HOSTILE}\n{n}")]) for n, one in enumerate(exhibits_of(made))]
    facets = (("reading", "b"), ("b",), ("c",))
    made.sections[-1] = Section("g", [Gallery(facets, shown, 5, HOSTILE)], page=True)
    tab, _ = opened(made)
    in_sight(tab)
    press(tab, *"rrrn")
    tab.keyboard.type(HOSTILE.replace("\ud800", ""))
    tab.evaluate("document.querySelector('.decide input').value += '\\ud800'")
    tab.keyboard.type("=")
    press(tab, "Enter")
    decided = read_decisions(str(written(tab, tmp_path)), KEYS)
    assert [one.label for one in decided.values()] == ["right", "right", "right", ""]
    assert decided[KEYS[3]].note == HOSTILE.replace("\ud800", "") + "\ufffd="
    assert (
        re.findall(r"(?m)^[=+@-]|[,\"][=+@-]", (tmp_path / "saved.csv").read_text("utf-8").replace("=x onerror", ""))
        == []
    )
    assert tab.evaluate("'bad' in globalThis") is False
    assert tab.locator("img").count() == 0


def exhibits_of(made: Result) -> Sequence[Exhibit]:
    (gallery,) = made.sections[-1].blocks
    assert isinstance(gallery, Gallery)
    return gallery.exhibits


def test_a_gallery_without_keys_and_a_page_without_scripts_have_no_decisions(opened: Any) -> None:
    tab, _ = opened(browsing(pages.flips(6)))
    in_sight(tab)
    press(tab, "r", "n", "s", "?", "ArrowRight")
    assert head(tab) == "t-1"
    assert tab.locator(".tally, .decide, dialog").count() == 0
    bare, _ = opened(keyed(6), java_script_enabled=False)
    assert bare.locator("details.exhibit").count() == 3
    assert bare.locator(".tally, .decide, dialog").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_the_bar_stays_in_sight_and_in_the_page(opened: Any, width: int, scheme: str) -> None:
    tab, _ = opened(keyed(6), viewport={"width": width, "height": 700}, color_scheme=scheme, reduced_motion="reduce")
    assert tab.evaluate(OVERFLOW) == 0
    tab.locator(".shown .hint").scroll_into_view_if_needed()
    tab.mouse.wheel(0, 300)
    top = "document.querySelector('.decide').getBoundingClientRect().top"
    assert tab.evaluate(f"new Promise((done) => setTimeout(() => done({top}), 300))") == 0
    press(tab, "w")
    below = (
        "document.querySelector('.shown').getBoundingClientRect().top - document.querySelector('.decide').offsetHeight"
    )
    assert abs(tab.evaluate(below)) < 1
    said(tab, "1 of 6 decided")
    tab.emulate_media(media="print")
    assert tab.locator(".decide").is_hidden()
    assert tab.locator(".tally").is_hidden()


def test_the_command_reads_what_was_saved_to_the_byte(opened: Any, command_in: Command, tmp_path: Path) -> None:
    assert command_in(tmp_path, "report=[html]", "hydra.run.dir=run").returncode == 0
    page, file = tmp_path / "run/report.html", tmp_path / "decisions.csv"
    first = page.read_bytes()
    tab, _ = opened(page)
    in_sight(tab)
    wanted = {}
    known = tab.evaluate("JSON.parse(document.getElementById('gallery-0').textContent).keys")
    for n, note in enumerate(NOTES):
        key, label = [("r", "right"), ("w", "wrong"), ("c", "cannot_tell")][n % 3]
        tab.get_by_label("note").fill(note)
        press(tab, "Enter", key)
        wanted[known[n]] = (label, note)
    text = saved(tab, file)
    read = read_decisions(str(file), known)
    assert {key: (one.label, one.note) for key, one in read.items()} == wanted
    done = command_in(tmp_path, "report", "run", "decisions=decisions.csv", "report=[html,console]")
    assert done.returncode == 0, done.stderr
    assert says.DECISIONS_BY_READERS_WHO_SAW.format(len(NOTES)) in done.stdout
    tab.goto(page.as_uri())
    said(tab, f"{len(NOTES)} of {len(known)} decided")
    assert tab.locator("h3", has_text="Your Decisions").count() == 1
    assert saved(tab, file) == text
    assert command_in(tmp_path, "report", "run", "report=[html]").returncode == 0
    assert page.read_bytes() == first
