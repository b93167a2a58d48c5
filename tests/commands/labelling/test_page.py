"""The page on which people label, as a file: its data, its policy, and what is not in it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from page_reading import HOSTILE
from sentences import commands as says

from auditfw.commands.labelling import page as page_module
from auditfw.commands.labelling.page import LabelPage, TrialToLabel
from auditfw.core.errors import UsageError
from auditfw.core.escaping import visible

PAGE = LabelPage("d1", round=2, max_chars=10)


def data(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="trials">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [""]),
        ("0123456789", ["0123456789"]),
        ("0123456789a", ["01234", "5", "6789a", 11]),
        ("a\r\nb", ["a\nb"]),
        ("a\r\nb\r", ["a\nb␍"]),
        ("\r\n" * 10, ["\n" * 10]),
        ("é" * 12, ["é" * 5, "é" * 2, "é" * 5, 12]),
        ("\x00" * 11, ["␀" * 5, "␀", "␀" * 5, 11]),
        ("\u202e\ud800", ["<U+202E><U+D800>"]),
    ],
)
def test_texts_are_whole_or_in_pieces(text: str, pieces: list[str | int]) -> None:
    (trial,) = data(PAGE.text([TrialToLabel("k1", text, [text, "b"], text, {"choices": text})]))
    expected = [pieces, ["b"]]
    assert trial == {
        "key": "k1",
        "question": pieces,
        "expected": expected,
        "answer": pieces,
        "further": [["choices", pieces]],
    }


@pytest.mark.parametrize(("most", "lengths"), [(0, [0, 12, 0]), (1, [0, 11, 1]), (7, [3, 5, 4]), (11, [5, 1, 6])])
def test_no_character_is_lost_or_shown_twice(most: int, lengths: list[int]) -> None:
    (trial,) = data(LabelPage("d", max_chars=most).text([TrialToLabel("k1", "", [], "0123456789ab")]))
    *pieces, length = trial["answer"]
    assert ("".join(pieces), length, list(map(len, pieces))) == ("0123456789ab", 12, lengths)


def test_the_policy_names_the_style_and_the_script() -> None:
    text = PAGE.text([TrialToLabel("k1", "q", ["e"], "a")])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    style, script = (re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL) for name in ("style", "script"))
    digests = [f"sha256-{b64encode(sha256(one.encode()).digest()).decode()}" for (one,) in (style, script)]
    assert policy.replace("&#39;", "'").split("; ")[:4] == [
        "default-src 'none'",
        "img-src data:",
        *(f"{name}-src '{digest}'" for name, digest in zip(("style", "script"), digests, strict=True)),
    ]


def test_a_hostile_text_is_data() -> None:
    plain, hostile = (PAGE.text([TrialToLabel(*texts)]) for texts in (("k1", "q", ["e"], "a"), ("k1", *_hostile())))
    tags = re.compile("<[^>]*>")
    assert tags.findall(hostile) == tags.findall(plain)
    assert visible(hostile, "\n") == hostile
    (trial,) = data(LabelPage("d").text([TrialToLabel("k1", *_hostile())]))
    assert trial["answer"] == trial["further"][0][1] == [visible(HOSTILE, "\n\t")]


def _hostile() -> tuple[str, list[str], str, dict[str, str]]:
    return HOSTILE, [HOSTILE, "</script><script>"], HOSTILE, {HOSTILE: HOSTILE}


@pytest.mark.parametrize(
    ("page", "number", "place", "title"),
    [
        (LabelPage("d", run="r"), "1", "1", "page 1"),
        (LabelPage("d", 2, 3, run="r"), "2-3", "2-3", "page 2-3"),
        (LabelPage("d", 2, name="Two", run="r"), "2", "Two-2", "draw Two, page 2"),
    ],
)
def test_a_page_is_named_by_draw_round_and_person(page: LabelPage, number: str, place: str, title: str) -> None:
    assert page.file == f"page-{place}.html"
    text = page.text([])
    assert f'<body data-run="r" data-draw="d" data-page="{number}" data-file="labels-{place}">' in text
    assert f"<title>Labels, {title}</title>" in text
    assert says.FILL_THE_CSV.format(f"labels-{place}") in text


@pytest.mark.parametrize(
    ("expected", "title"),
    [
        ([[], ["a"]], "Is the answer right, given the expected answer?"),
        ([["a"], ["a", "b"]], "Is the answer right, given the expected answers?"),
        ([[], []], "Is the answer right?"),
    ],
)
def test_where_nothing_is_expected_it_does_not_ask_for_it(expected: list[list[str]], title: str) -> None:
    text = PAGE.text([TrialToLabel(f"k{n}", "", one, "x") for n, one in enumerate(expected)])
    assert f"<h1>{title}</h1>" in text


def test_a_page_that_is_too_large_says_how_many_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MAX_BYTES", 2_000_000)
    trials = [TrialToLabel(f"k{n}", "", [], "x" * 400_000) for n in range(6)]
    with pytest.raises(UsageError) as caught:
        LabelPage("d").text(trials)
    assert str(caught.value) == says.SIX_ARE_TOO_LARGE
    assert len(LabelPage("d").text(trials[:4])) < 2_000_000
