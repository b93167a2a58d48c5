"""Decisions of a reader: what the file may hold, and what is counted of it by reading and direction."""

from __future__ import annotations

import random
from pathlib import Path

import pages
import pytest
from sentences import commands as says

from auditfw.audits.parsing.engine.plan import FALSE, TRUE
from auditfw.audits.parsing.exhibits import in_turns
from auditfw.audits.parsing.kept.flips import FlipSettings
from auditfw.audits.parsing.table import STORED
from auditfw.audits.parsing.trials import Trial
from auditfw.commands.decisions.shown import (
    Decision,
    counts_line,
    drawn_first,
    read_decisions,
    share_text,
    with_decisions,
)
from auditfw.core.document import Exhibit, Gallery, Section
from auditfw.core.errors import DataError
from auditfw.core.records import Estimate, Measurement
from auditfw.core.sampling import ranks, trial_key
from auditfw.core.statistics import wilson
from auditfw.formulas.people.shares import share_interval

HEAD = "key,id,label,note,labeller,reading,kind\n"
KNOWN = ("ka", "kb", "kc")
READ = [
    (HEAD + "ka,1,right,,Ann,r,label\nkb,2,,,,,label\n", {"ka": ("right", "", "Ann", 2)}),
    ("\ufeffkey;label\r\nkb; Wrong \r\n", {"kb": ("wrong", "", "", 2)}),
    ("label\tkey\ncannot_tell\tka\n\nright\tkb\n", {"ka": ("cannot_tell", "", "", 2), "kb": ("right", "", "", 4)}),
    (HEAD + 'ka,1,right,"a ""b"",\n\'=c",A,r,label\nkb,2,wrong,\'=c,A,r,label\nkc,3,wrong,\'\'-c,A,r,label\n',
     {"ka": ("right", 'a "b",\n\'=c', "A", 2), "kb": ("wrong", "=c", "A", 4), "kc": ("wrong", "'-c", "A", 5)}),
    (HEAD + "ka,1,right,,,r,label\nka,1,right,x,,r,label\n", {"ka": ("right", "", "", 2)}),
    (HEAD + "ka,1,,only a note,,r,label\n", {"ka": ("", "only a note", "", 2)}),
    (HEAD + "ka,1,right,a\u2028b\x0b\x85c,,r,label\n", {"ka": ("right", "a\u2028b\x0b\x85c", "", 2)}),
    (HEAD, {}),
]  # fmt: skip
REFUSED = [
    (HEAD + "ka,1,right,,,,\nkx,1,right,,,,\nky,1,wrong,,,,\n",
     "d.csv:3: key kx is of no exhibit of this run (2 of 3 rows) - name the run that it is from"),
    (HEAD + "ka,1,right,,A,,\nkb,1,right,,,,\nka,1,wrong,,B,,\n",
     "d.csv:4: two labels for key ka (right in line 2, wrong in line 4) - leave one of them"),
    (HEAD + "ka,1,maybe,,,,\nkb,1,Maybe,,,,\n",
     "d.csv:2: 'maybe' is no label (2 rows) - write right, wrong, cannot_tell"),
    (HEAD + "ka,1,right,,,,item\n", "d.csv:2: 'item' is no kind (1 row) - write label"),
    ("key,verdict\nka,right\n", "d.csv:1: no column 'label' (key, verdict) - save the page's file"),
    (HEAD + "ka,right\n", "d.csv:2: expected 7 cells, got 2"),
    (HEAD + 'ka,1,"right" x,,,,\n', "d.csv:2: is no row of CSV"),
    ("", "d.csv: is empty - save the file with its header"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), READ)
def test_what_a_file_may_hold(text: str, wanted: dict[str, tuple[str, str, str, int]], tmp_path: Path) -> None:
    file = tmp_path / "d.csv"
    file.write_bytes(text.encode())
    assert read_decisions(str(file), KNOWN) == {key: Decision(*values) for key, values in wanted.items()}


@pytest.mark.parametrize(("text", "line"), REFUSED)
def test_what_is_refused(text: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(text, "utf-8")
    with pytest.raises(DataError) as error:
        read_decisions("d.csv", KNOWN)
    assert str(error.value).startswith(line)


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file - name the file that the page saved"):
        read_decisions(str(tmp_path / "none.csv"), KNOWN)
    (tmp_path / "d.csv").write_bytes(b"key,label\nk\xff,right\n")
    with pytest.raises(DataError, match="is not UTF-8 text"):
        read_decisions(str(tmp_path / "d.csv"), KNOWN)


def test_the_key_is_a_letter_and_the_rank_of_the_draw_of_keys() -> None:
    assert trial_key(7, "t-1") == "k" + ranks(7, "key")("t-1").hex()[:11] != trial_key(8, "t-1")


def test_a_share_of_a_finite_number() -> None:
    low, high = wilson(18, 24)  # 9 of 12 of 23 weigh as 12 * 22 / 11 = 24 of a population without end
    assert (round(100 * low), round(100 * high)) == (55, 88)
    assert share_text(9, 12, 23) == "75 % [55, 88]"
    assert share_text(2, 3, 3) == "67 %"
    labels = list(enumerate(["right"] * 9 + ["wrong"] * 2 + ["cannot_tell"]))
    line, row = counts_line("a", "wrong", labels, 23)
    assert line == says.OF_TO_WRONG_YOU_READ
    assert row == ["23", "12", "9", "2", "1", "75 [55, 88]"]
    every, _ = counts_line("a", "wrong", labels, 12)
    assert every.endswith("(75 % of the 12)")
    unknown, _ = counts_line("a", "right", labels, None)
    assert unknown == says.TO_RIGHT_YOU_READ_YOUR


def test_a_range_is_by_those_drawn_first() -> None:
    picked = [(0, "right"), (1, "wrong"), (3, "right"), (None, "right"), (2, "right"), (5, "right")]
    line, row = counts_line("a", "wrong", picked, 23)  # 0 to 3 have a decision, 4 has none: 3 of 4
    assert line.startswith(says.OF_TO_WRONG_YOU_READ_YOUR)
    assert line.endswith(says.OF_THE_BY_THE_FIRST.format(share_text(3, 4, 23)))
    assert row == ["23", "6", "5", "1", "0", share_text(3, 4, 23).replace(" %", "")]
    for none in ([(1, "right")], [(None, "right")]):
        assert counts_line("a", "wrong", none, 23)[0].endswith(says.YOUR_LABEL_RIGHT_IN_A)
    assert counts_line("a", "wrong", [(None, "right"), (7, "wrong")], 2)[0].endswith("(50 % of the 2)")


def test_decisions_stand_beside_exhibits_and_are_counted_by_reading(tmp_path: Path) -> None:
    changes = [{"a": "wrong"}, {"a": "wrong", "b": "right"}, {"b": "right"}, {"a": "wrong"}]
    shown = [
        Exhibit(f"t{n}", [("id", str(n))], [], changes=of, key=trial_key(0, str(n)), order=dict.fromkeys(of, n))
        for n, of in enumerate(changes)
    ]
    made = pages.result([Section("Browse", [Gallery((), shown, 4, "flips")], page=True, group="look")])
    made.measurements[:] = [Measurement("flips_to_false", "a", {}, Estimate(3.0, 4, 0))]
    rows = [
        f"{shown[n].key},{label},{note}\n" for n, label, note in ((0, "right", "so"), (1, "wrong", ""), (2, "", "x"))
    ]
    (tmp_path / "d.csv").write_text("key,label,note\n" + "".join(rows), "utf-8")
    browse, counted = with_decisions(made, str(tmp_path / "d.csv")).sections
    assert [one.facts[1:] for one in browse.blocks[0].exhibits] == [
        [("decided", "right"), ("note", "so")], [("decided", "wrong")], [("note", "x")], []
    ]  # fmt: skip
    how, of_a, of_b, table = counted.blocks
    assert how.text.startswith(says.DECISIONS_BY_READERS_WHO_SAW)
    assert of_a.text.startswith(says.A_OF_TO_WRONG_YOU)
    assert of_b.text == says.TO_RIGHT_YOU_READ_YOUR_LABEL
    assert [row[:4] for row in table.rows] == [["a", "to wrong", "3", "2"], ["b", "to right", "", "1"]]
    assert counted.group == "look"
    assert made.sections[0].blocks[0].exhibits[0].facts == [("id", "0")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "right"),
    [((10, 300, 40), (0.2, 0.2, 0.8)), ((30, 170, 30), (0.3, 0.3, 0.9)), ((100, 100, 0), (0.3, 0.7, 0.5))],
)
def test_ranges_cover_the_share_of_all(sizes: tuple[int, int, int], right: tuple[float, float, float]) -> None:
    """Trials that two readings change are judged otherwise than those that one changes, and drawn for both.

    Of all that were read of the second reading the ranges would cover .03, .70 and .95.
    """
    draw = random.Random(0)
    flips = FlipSettings(2, 20, 0, "zero", STORED)
    codes = [bytes(of) for of in ((FALSE, TRUE, FALSE), (FALSE, FALSE, TRUE), (FALSE, TRUE, TRUE))]
    covered: list[bool] = []
    for _ in range(600):
        kinds = [kind for kind, size in enumerate(sizes) for _ in range(size)]
        draw.shuffle(kinds)
        trials = [Trial(str(n), "t", (), codes[kind], "", "") for n, kind in enumerate(kinds)]
        labels = ["right" if draw.random() < right[kind] else "wrong" for kind in kinds]
        every = [label for label, kind in zip(labels, kinds, strict=True) if kind]
        read = [
            (place if place < flips.shown else None, labels[int(trial.id)])
            for trial, places in in_turns(trials, flips)[:30]
            for (reading, _), place in places.items()
            if reading == 1
        ]
        first = drawn_first(read)
        low, high = share_interval(first.count("right"), len(first), len(every))
        covered.append(low <= every.count("right") / len(every) <= high)
    assert 0.92 < sum(covered) / len(covered) < 0.99
