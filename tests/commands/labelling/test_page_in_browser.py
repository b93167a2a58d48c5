"""The page on which people label, in a real browser, opened from disk: keys, what is kept, what is saved."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browsers import FLAGS, FULL, NO_STORAGE, OVERFLOW, program
from page_reading import HOSTILE
from running import Command
from sentences import commands as says

from auditfw.commands.labelling.page import LabelPage, TrialToLabel
from auditfw.core.escaping import visible

pytestmark = pytest.mark.slow
UNNAMED = "labels-1-unnamed.csv"
HEAD = "key,label,note,labeller\n"
QUESTION = "where are the washington redskins based out of"
TRIALS = [TrialToLabel(f"k{n}", f"{QUESTION} {n}", ["Landover", "Washington, D.C."], f"answer {n}") for n in range(6)]
STEPS = [
    *(("r", 2, 1), ("ArrowRight", 3, 1), ("C", 4, 2), ("u", 3, 2), ("ArrowLeft", 2, 2), ("u", 1, 2), ("u", 1, 2)),
    *(("w", 2, 2), ("Control+r", 2, 2), ("Alt+w", 2, 2), ("x", 2, 2), ("w", 3, 3), ("w", 4, 3), ("r", 5, 4)),
]  # a key, the trial that is shown after it, and how many have a label
FIRST = LabelPage("d1")
Open = Callable[..., tuple[Any, Any]]


@pytest.fixture
def opened(opened_file: Open, tmp_path: Path) -> Open:
    """Opens a page of these trials."""

    def look(trials: list[TrialToLabel] = TRIALS, page: LabelPage = FIRST, **settings: Any) -> Any:
        return opened_file(written(tmp_path, trials, page), **settings)

    return look


def written(folder: Path, trials: list[TrialToLabel] = TRIALS, page: LabelPage = FIRST) -> Path:
    file = folder / page.file
    file.write_text(page.text(trials), "utf-8")
    return file


def said(tab: Any, text: str) -> None:
    """Waits for how many have a label."""
    from playwright.sync_api import expect

    expect(tab.locator(".progress b")).to_have_text(text)


def press(tab: Any, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def news(tab: Any) -> str:
    return str(tab.locator(".bar").get_by_role("status").inner_text())


def head(tab: Any) -> str:
    return str(tab.locator("h2").inner_text())


def saved(tab: Any, folder: Path, name: str = UNNAMED, act: Callable[[Any], None] | None = None) -> str:
    """Saves without a name, or with the one that is there."""
    act = act or (lambda tab: tab.keyboard.press("s"))
    if name.endswith("unnamed.csv"):  # it asks for a name first
        act(tab)
        assert news(tab) == says.ASKS_FOR_NAME
        press(tab, "Escape")
    with tab.expect_download() as waiting:
        act(tab)
    assert waiting.value.suggested_filename == name
    waiting.value.save_as(folder / "saved.csv")
    return (folder / "saved.csv").read_bytes().decode()


def test_keys_label_and_go_on_and_back(opened: Open) -> None:
    tab, _ = opened()
    said(tab, "0 of 6 labelled")
    for key, shown, count in STEPS:
        _press_with(tab, key) if "+" in key else press(tab, key)
        said(tab, f"{count} of 6 labelled")
        assert head(tab) == f"Trial {shown} of 6"
    press(tab, "u")
    assert tab.locator('[aria-pressed="true"]').all_inner_texts() == ["Right r"]
    assert tab.locator("progress").evaluate("(one) => [one.value, one.max]") == [4, 6]


def _press_with(tab: Any, keys: str) -> None:
    """A key with Control or Alt is the browser's: told to the page alone, for the browser would reload it."""
    held, key = keys.split("+")
    event = {"key": key, "ctrlKey": held == "Control", "altKey": held == "Alt", "bubbles": True}
    tab.evaluate("(event) => document.body.dispatchEvent(new KeyboardEvent('keydown', event))", event)


def test_a_key_that_is_held_labels_once_and_those_of_fields_are_text(opened: Open) -> None:
    tab, _ = opened()
    for _ in range(4):
        tab.keyboard.down("w")
    tab.keyboard.up("w")
    said(tab, "1 of 6 labelled")
    press(tab, "n")
    tab.keyboard.type("wrc?us")
    assert tab.get_by_label("Note").input_value() == "wrc?us"
    press(tab, "Enter", "r")
    said(tab, "2 of 6 labelled")
    press(tab, "?", "r", "u")
    assert tab.get_by_role("dialog", name="Keys").is_visible()
    press(tab, "Escape", "c")
    said(tab, "3 of 6 labelled")
    assert tab.get_by_role("dialog").count() == 0


def test_buttons_do_what_keys_do_and_take_a_label_back(opened: Open, tmp_path: Path) -> None:
    tab, _ = opened()
    for name, shown, count in (
        *(("Right", 2, 1), ("Wrong", 3, 2), ("Back", 2, 2), ("Wrong", 2, 1), ("Next", 3, 1), ("Cannot tell", 4, 2)),
        *(("Next", 5, 2), ("Next", 6, 2), ("Back", 5, 2)),
    ):
        tab.locator(".bar").get_by_role("button", name=name).click()
        said(tab, f"{count} of 6 labelled")
        assert head(tab) == f"Trial {shown} of 6"
        assert tab.evaluate("document.activeElement.tagName") in ("H2", "BUTTON")
    tab.keyboard.press("Space")  # scrolls: after a click no button has the focus
    said(tab, "2 of 6 labelled")
    press(tab, "ArrowRight", "ArrowRight")
    assert head(tab) == says.END_OF_PAGE
    assert says.FOUR_WITHOUT in tab.locator("main").inner_text()
    press(tab, "r")
    text = saved(tab, tmp_path, act=lambda tab: tab.locator("main").get_by_role("button", name="Save CSV").click())
    assert text == HEAD + "k0,right,,\nk2,cannot_tell,,\n"
    assert news(tab) == says.SAVED_AS.format(2, UNNAMED)
    tab.get_by_role("button", name="Go to the first without a label").click()
    assert head(tab) == "Trial 2 of 6"


def test_labels_survive_the_end_of_the_browser(driver: Any, tmp_path: Path) -> None:
    file = written(tmp_path)
    other, another = written(tmp_path, page=LabelPage("d1", 1, 2)), tmp_path / "other.html"
    another.write_text(LabelPage("d2").text(TRIALS), "utf-8")
    for start, keys in enumerate(("rw", "c")):
        context = driver.chromium.launch_persistent_context(tmp_path / "profile", executable_path=program(), args=FLAGS)
        tab = context.new_page()
        tab.goto(file.as_uri())
        said(tab, f"{(0, 2)[start]} of 6 labelled")
        assert head(tab) == f"Trial {(1, 3)[start]} of 6"
        assert tab.get_by_label("Your name").input_value() == ("", "Ann Lee")[start]
        tab.get_by_label("Your name").fill("Ann Lee")
        press(tab, "Enter", *keys)
        said(tab, f"{(2, 3)[start]} of 6 labelled")
        for page in (other, another):
            tab.goto(page.as_uri())
            said(tab, "0 of 6 labelled")
        context.close()
    assert start == 1


def test_the_page_opens_at_the_first_trial_without_a_label(opened: Open) -> None:
    tab, _ = opened()
    press(tab, "r", "ArrowRight", "w", "w")
    tab.reload()
    assert head(tab) == "Trial 2 of 6"
    press(tab, "r", "r", "r", "r", "r")
    assert says.ALL_LABELLED in tab.locator("main").inner_text()
    tab.reload()
    assert head(tab) == says.END_OF_PAGE


def test_it_asks_once_for_a_name(opened: Open, tmp_path: Path) -> None:
    tab, _ = opened(page=LabelPage("d1", name="two"))
    press(tab, "r", "s")
    assert tab.get_by_label("Your name").evaluate("(one) => one === document.activeElement")
    tab.keyboard.type("Tess")
    name = "labels-two-1-Tess.csv"
    assert saved(tab, tmp_path, name, lambda tab: press(tab, "Enter")) == f"{HEAD}k0,right,,Tess\n"
    assert news(tab) == says.SAVED_AS.format(1, name)
    assert tab.locator(".news").bounding_box()["y"] > 700  # in sight, at the bottom
    press(tab, "w")
    assert news(tab) == ""
    tab.get_by_label("Your name").fill("")
    press(tab, "Enter")
    with tab.expect_download():
        press(tab, "s")
    tab.reload()
    press(tab, "s", "Escape")
    tab.get_by_label("Your name").fill("Bo")
    press(tab, "Enter")
    assert news(tab) == says.ASKS_FOR_NAME  # Escape ended the saving


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (LabelPage("d2", 2, run="r"), "Tess"),
        (LabelPage("d2", 2, 1, run="r"), "Ann"),
        (LabelPage("d2", 2, 2, run="r"), ""),
        (LabelPage("d2", 2, 3, run="r"), ""),  # two names are known
        (LabelPage("d2", 2, run="s"), ""),
    ],
)
def test_a_name_is_known_from_other_pages_of_the_run(opened: Open, tmp_path: Path, page: LabelPage, name: str) -> None:
    tab, _ = opened(page=LabelPage("d1", run="r"))
    names = {"d1.1": "Tess", "d0.1": "Tess", "d1.1-1": "Ann", "d1.1-3": "Bo", "d0.1-3": "Cy"}
    kept = {place: json.dumps({"run": "r", "by": by, "of": {}}) for place, by in names.items()}
    for place, text in {**kept, "d3.1": "{", "d4.1": "null"}.items():
        tab.evaluate("(item) => localStorage.setItem(...item)", [f"auditfw.labels.{place}", text])
    tab.goto(written(tmp_path, page=page).as_uri())
    assert tab.get_by_label("Your name").input_value() == name
    tab.get_by_label("Your name").fill("")
    press(tab, "Enter")
    tab.reload()
    assert tab.get_by_label("Your name").input_value() == ""


def test_the_end_leads_to_what_is_open(opened: Open) -> None:
    tab, _ = opened()
    press(tab, "r", "c", "n")
    tab.keyboard.type("odd")
    press(tab, "Enter", "w", "w", "c", "r")
    main = tab.locator("main")
    assert main.locator("h3").all_inner_texts() == ["Cannot tell: 2", "With a note: 1"]
    assert [part.get_by_role("button").all_inner_texts() for part in main.locator(".listed").all()] == [
        ["2", "5"],
        ["3"],
    ]
    main.get_by_role("button", name="Trial 5").click()
    assert head(tab) == "Trial 5 of 6"


def test_two_windows_keep_what_the_other_labelled(opened: Open) -> None:
    tab, _ = opened()
    other = tab.context.new_page()
    other.goto(tab.url)
    for page, keys in ((tab, ["r"]), (other, ["ArrowRight", "w"]), (tab, ["ArrowRight", "c"])):
        page.bring_to_front()
        press(page, *keys)
    said(tab, "3 of 6 labelled")


@pytest.mark.parametrize(("person", "by"), [(0, ""), (2, "page 1-2")])
def test_the_csv_holds_what_is_there(opened: Open, tmp_path: Path, person: int, by: str) -> None:
    tab, _ = opened(page=LabelPage("d1", 1, person))
    notes = ["=1+1", "'-x", 'a "b", c;\td', "  ", "漢字 😀 </script>", "-5 %"]
    for key, note in zip("rwcrw", notes, strict=False):
        tab.get_by_label("Note").fill(note)
        press(tab, "Enter", key)
    tab.get_by_label("Note").fill(notes[5])
    press(tab, "Enter")
    number = "1-2" if person else "1"
    text = saved(tab, tmp_path, f"labels-{number}-unnamed.csv")
    cells = ["'=1+1", "''-x", '"a ""b"", c;\td"', "  ", "漢字 😀 </script>", "-5 %"]
    labels = ["right", "wrong", "cannot_tell", "right", "wrong", ""]
    rows = [f"k{n},{label},{cell},{by}\n" for n, (label, cell) in enumerate(zip(labels, cells, strict=True))]
    assert text == HEAD + "".join(rows)
    tab.get_by_label("Your name").fill(" Ann, \u202e../Łee ")
    press(tab, "Enter")
    text = saved(tab, tmp_path, f"labels-{number}-Ann-Łee.csv")
    assert {row["labeller"] for row in csv.DictReader(text.splitlines())} == {"Ann, \u202e../Łee"}


@pytest.mark.parametrize("lack", [NO_STORAGE, FULL])
def test_without_storage_it_works_and_says_so(opened: Open, tmp_path: Path, lack: str) -> None:
    tab, seen = opened()
    assert tab.locator(".kept").inner_text() == says.KEPT_HERE
    if lack == NO_STORAGE:
        tab.add_init_script(lack)
        tab.reload()
        assert tab.locator(".kept").inner_text() == says.KEEPS_NOTHING
    press(tab, "r")
    tab.evaluate(lack)  # storage that was there may be full
    press(tab, "w", "c")
    said(tab, "3 of 6 labelled")
    assert tab.locator(".kept").inner_text() == says.KEEPS_NOTHING
    with tab.expect_event("dialog"):  # something is not saved
        tab.close(run_before_unload=True)
    tab.evaluate("1")  # it is open still
    assert seen.complaints == ["dialog "]
    seen.complaints.clear()
    assert saved(tab, tmp_path) == HEAD + "k0,right,,\nk1,wrong,,\nk2,cannot_tell,,\n"
    with tab.expect_event("close"):
        tab.close(run_before_unload=True)


@pytest.mark.parametrize(
    "kept", ["{", "5", '{"of": 3}', '{"of": {"k0": 7}}', '{"by": [], "of": {"k0": {"label": "toString"}}}']
)
def test_broken_storage_is_as_none(opened: Open, kept: str) -> None:
    tab, _ = opened()
    tab.evaluate("(text) => localStorage.setItem('auditfw.labels.d1.1', text)", kept)
    tab.reload()
    said(tab, "0 of 6 labelled")
    press(tab, "r")
    said(tab, "1 of 6 labelled")
    assert '"label":"right"' in tab.evaluate("localStorage.getItem('auditfw.labels.d1.1')")


def test_hostile_texts_stay_texts(opened: Open) -> None:
    tab, _ = opened([TrialToLabel("k1", HOSTILE, [HOSTILE, "</pre></bdi>"], f"a\r\n{HOSTILE}\0", {HOSTILE: HOSTILE})])
    shown = visible(HOSTILE, "\n\t")
    texts = tab.locator("pre").evaluate_all("(all) => all.map((one) => one.textContent)")
    assert texts == [shown, shown, shown, "</pre></bdi>", f"a\n{shown}␀"]
    assert tab.locator("h3").nth(1).inner_text() == shown
    assert tab.evaluate("'bad' in globalThis") is False
    assert tab.locator("img").count() == 0
    assert tab.locator("pre > bdi").count() == len(texts)


@pytest.mark.parametrize("width", [1280, 400])
def test_a_long_text_is_shown_whole_on_demand(opened: Open, width: int) -> None:
    text = "x" * 600_000 + "y" * 600_000
    empty = [TrialToLabel("k2", "", [], ""), TrialToLabel("k3", "q", ["e"], " \n")]
    tab, _ = opened([TrialToLabel("k1", "q", ["e"], text), *empty], viewport={"width": width, "height": 800})
    answer = tab.locator("pre.judged")
    assert says.MIDDLE_LEFT_OUT in answer.inner_text()
    assert answer.locator("bdi").evaluate_all("(all) => all.map((one) => one.textContent)") == [
        "x" * 10_000,
        "y" * 10_000,
    ]
    assert tab.evaluate(OVERFLOW) == 0
    answer.get_by_role("button", name="Show all").click()
    assert answer.evaluate("(one) => one.textContent") == text
    assert tab.evaluate(OVERFLOW) == 0
    press(tab, "r")
    assert tab.locator("h3").all_inner_texts() == ["Expected", "Answer to judge"]
    assert says.NONE_EXPECTED in tab.locator("main").inner_text()
    assert answer.inner_text() == "empty"
    press(tab, "r")
    assert answer.inner_text() == "nothing but white space"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")])
def test_the_bar_stays_in_sight_and_in_the_page(opened: Open, width: int, scheme: str) -> None:
    from playwright.sync_api import expect

    long = [TrialToLabel(f"k{n}", "why? " * 60, ["e" * 90] * 3, "line\n" * 200) for n in range(3)]
    tab, _ = opened(long, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
    light = tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light is (scheme == "light")
    for _ in range(3):
        assert tab.evaluate(OVERFLOW) == 0
        box = tab.locator(".bar").bounding_box()
        assert box["y"] + box["height"] == 800
        assert 0 <= tab.locator("h2").bounding_box()["y"] < 400
        tab.mouse.wheel(0, 2_000)
        expect(tab.locator("h2")).not_to_be_in_viewport()
        press(tab, "w")
    assert head(tab) == says.END_OF_PAGE
    assert 0 <= tab.locator("h2").bounding_box()["y"] < 400
    press(tab, "u")
    tab.emulate_media(media="print")
    assert tab.locator(".bar").is_hidden()
    assert tab.locator("pre.judged").is_visible()


def test_where_nothing_is_expected_nothing_is_shown_for_it(opened: Open) -> None:
    tab, _ = opened([TrialToLabel("k1", "q", [], "a")])
    assert tab.locator("h1").inner_text() == "Is the answer right?"
    assert tab.locator("h3").all_inner_texts() == ["Question", "Answer to judge"]


def test_without_scripts_it_says_what_to_do(opened: Open) -> None:
    tab, _ = opened(java_script_enabled=False)
    assert tab.locator(".tally").is_hidden()
    assert says.FILL_THE_CSV.format("labels-1") in tab.locator("noscript").inner_text()


def test_the_command_reads_what_was_saved(opened_file: Open, command_in: Command, tmp_path: Path) -> None:
    assert command_in(tmp_path, "hydra.run.dir=run", "report=[]").returncode == 0
    assert command_in(tmp_path, "label", "run", "n=20").returncode == 0
    tab, _ = opened_file(tmp_path / "run/labels/page-1.html")
    tab.get_by_label("Your name").fill("=Ann, \u202eB.")
    press(tab, "Enter", *"rrwcr", "ArrowRight", *"wrrrwr", "n")
    tab.keyboard.type('=1+1, "x" \u05d0')
    press(tab, "Enter")
    saved(tab, tmp_path, "labels-1-Ann-B.csv")
    done = command_in(tmp_path, "adjudicate", "run", "saved.csv", "hydra.run.dir=people")
    assert done.returncode == 0, done.stderr
    assert "10 of 20 trials audited" in done.stdout, done.stdout
    rows = pl.read_parquet(tmp_path / "people/labels.parquet")
    assert rows["labeller"].unique().to_list() == ["=Ann, \u202eB."]
    assert rows["note"].to_list()[-1] == '=1+1, "x" \u05d0'
    assert (len(rows), rows["label"].to_list()[-1]) == (12, "")
