"""What is hidden is masked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditfw.core.document import Mark, Snippet, snippet, with_ends
from auditfw.core.masking import masked, masked_data, masked_frame, written
from auditfw.core.records import GateResult


def test_what_is_hidden_is_masked_and_nothing_else_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret", "s3cret-long"})
    data: dict[str, Any] = {"s3cret": ["a s3cret-long", ("s3cret", 1)], "same": ["x", {"y": 2.0}]}
    made = masked_data(data)
    assert made == {"s3cret": ["a [masked]", ("[masked]", 1)], "same": ["x", {"y": 2.0}]}
    assert made["same"] is data["same"]
    cells = [with_ends("1", 1.0, 0.0, 2.0, str)]
    assert masked_data(cells) is cells


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("a/b/c-1", "in a/b/c-1/x.jsonl:3", "in [masked]/x.jsonl:3"),
        ("./data-7//sub", "data-7/sub/x", "[masked]/x"),
        ("/data/s-1/*.jsonl", "/data/s-1/a.jsonl", "[masked]/a.jsonl"),
        ("https://me:pass-w0rd@host/v1", "401 for pass-w0rd", "401 for [masked]"),
        ("q\"<&>'1", "q\\\"<&>'1 q&quot;&lt;&amp;&gt;&#x27;1 q%22%3C%26%3E%271", "[masked] [masked] [masked]"),
        ("it's-1", "'it'\"'\"'s-1' it''s-1 it\\'s-1", "[masked] [masked] [masked]"),
        ("k-1", "k-1", "k-1"),
    ],
)
def test_every_spelling_is_masked(secret: str, text: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {secret} if len(secret) > 5 else set())
    assert (masked(text), written(text)) == (shown, shown)


def test_a_path_below_the_current_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {str(here / "auditfw")})
    assert masked("auditfw explain auditfw/run") == "auditfw explain [masked]/run"


def test_names_and_states_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"status", "passed", "kappa-1"})
    gate = GateResult("kappa-1", "kappa-1 >= 0", "kappa-1", 1.0, "pass", "passed")
    assert masked_data(gate) == GateResult("[masked]", "[masked] >= 0", "kappa-1", 1.0, "pass", "[masked]")
    assert written('{"status": "kappa-1"}') == '{"status": "[masked]"}'
    frame = pl.DataFrame({"status": ["passed"], "id": ["a passed"], "truths": [["passed", None]], "n": [1]})
    assert masked_frame(frame).rows() == [("passed", "a [masked]", ["[masked]", None], 1)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it is s3cret-k…", "it is [masked]…"),
        ("it is s3cret-… [9 characters omitted]", "it is [masked]… [9 characters omitted]"),
        ("…et-key-1 and …s3cret-key", "…[masked] and …s3cret-key"),
        ("s3cre…", "s3cre…"),
        ("a s3cret-key-1… b", "a [masked]… b"),
    ],
)
def test_what_a_cut_leaves_of_it_is_masked(text: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret-key-1"})
    assert masked(text) == shown


def test_what_the_edges_of_a_snippet_leave_of_it_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret-key-1"})
    texts = [f"{'a' * n}s3cret-key-1{'b' * 60}" for n in range(7, 17)]
    shown = [masked_data(snippet("raw", text, 16, 16)) for text in texts]
    shown += [masked_data(snippet("raw", text[::-1].replace("1-yek-terc3s", "s3cret-key-1"), 16, 16)) for text in texts]
    assert [one for one in shown if "s3cret" in one.head + one.tail or "-key-1" in one.head + one.tail] == []
    assert masked_data(Snippet("raw", "s3cret")) == Snippet("raw", "s3cret")


def test_marks_go_where_their_text_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret"})
    shown = [Snippet("raw", text, span=(0, 2), marks=[Mark("truth", 7, 9)]) for text in ("s3cret ab", "public ab")]
    assert masked_data(shown) == [Snippet("raw", "[masked] ab"), shown[1]]
