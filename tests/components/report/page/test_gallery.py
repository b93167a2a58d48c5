"""The gallery of a page: its index, every exhibit once in chunks, and what does not fit is said."""

from __future__ import annotations

import json
from dataclasses import replace

import pages
import pytest
from page_reading import Reader, browsing, text_of
from sentences import report as says

from auditfw.components.report.page import gallery
from auditfw.core.document import Gallery


def test_index_of_a_gallery() -> None:
    packed = gallery.pack(Gallery(pages.FACETS, pages.flips(2), 9, "flips"))
    told = json.loads(packed.index(2))
    assert told["facets"] == [["reading", "direction"], ["temperature"], ["marker"]]
    assert told["values"][0] == [
        ["answer_v2+v1", "to right"],
        ["stored+v2", "to right"],
        ["after_think+v2", "to wrong"],
    ]
    assert told["items"] == [["t-0", [0, 1], [0], [0, 1]], ["t-1", [2], [1], [0]]]
    assert told["names"] == [["answer_v2", "m0"], ["truth", "truth"], ["after_think", "m2"], ["last_line", "m3"]]
    assert json.loads(packed.chunks(2)[0])[0]["texts"][0]["head"][:2] == [["It is ", 0], ["Pa", 0, 1]]


def test_keys_are_there_where_every_exhibit_has_one() -> None:
    shown = pages.flips(3)
    named = [replace(one, key=f"k{n}") for n, one in enumerate(shown)]
    for exhibits, wanted in ((named, ["k0", "k1"]), ([*named[:2], shown[2]], None), (shown, None), ([], None)):
        packed = gallery.pack(Gallery(pages.FACETS, exhibits, 3, "flips"))
        assert json.loads(packed.index(2)).get("keys") == wanted
    bare, keyed = (gallery.pack(Gallery(pages.FACETS, some, 3, "flips")) for some in (shown, named))
    grown = len(keyed.index(3)) - len(bare.index(3)) - len('"keys":[],')
    assert [a - b for a, b in zip(keyed.sizes, bare.sizes, strict=True)] == [5, 5, 5]
    assert grown == 5 * 3 - 1


def test_chunks_hold_every_exhibit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "CHUNK", 1_000)
    packed = gallery.pack(Gallery(pages.FACETS, pages.flips(20), 20, "flips"))
    chunks = [json.loads(chunk) for chunk in packed.chunks(17)]
    starts = json.loads(packed.index(17))["chunks"]
    assert len(chunks) > 3
    assert [sum(map(len, chunks[:n])) for n in range(len(chunks))] == starts
    assert [one["facts"][0][1] for chunk in chunks for one in chunk] == [f"t-{n}" for n in range(17)]
    assert packed.chunks(0) == []


def test_exhibits_that_do_not_fit_are_cut_from_the_end_and_it_is_said() -> None:
    exhibits = pages.flips(200, "It is Paris. " * 300)
    text = text_of(browsing(exhibits), 400_000)
    read = Reader(text)
    kept = len(read.data()["gallery-0"]["items"])
    assert 300_000 < len(text.encode()) <= 400_000
    assert 50 < kept < 100
    said = says.IN_THIS_FILE_OF_FLIPS_MORE.format(kept, 200 - kept)
    assert said in read.text
    assert says.IN_THIS_FILE_OF_FLIPS in Reader(text_of(browsing(exhibits))).text
    none = Reader(text_of(browsing(exhibits), 0))
    assert none.data()["gallery-0"]["items"] == []


def test_room_is_shared_by_size() -> None:
    small = gallery.pack(Gallery((), pages.flips(10), 10, "a"))
    large = gallery.pack(Gallery((), pages.flips(30), 30, "b"))
    assert gallery.fitted([small, large], 10**9) == [10, 30]
    few, many = gallery.fitted([small, large], (sum(small.sizes) + sum(large.sizes)) // 2)
    assert few in (4, 5)
    assert many in (14, 15)
    assert gallery.fitted([small], 0) == [0]
