"""Where the samples are in a log that is one document."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from inspect_logs import head, json_log, sample

from auditfw.components.files.files import File
from auditfw.components.source.inspect_log import documents
from auditfw.components.source.inspect_log.documents import document_parts, spread
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")

TRICKY = sample(2, metadata={"a": "\n    },\n    {", "b": {"samples": []}, "c": []}, input="\n  ]\n}")


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 1 << 20])
def test_the_samples_are_where_the_document_says(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "CHUNK", chunk)
    samples = [sample(1), TRICKY, sample(3, value=float("nan"))]
    json_log(*samples)
    found = spread(File("a.json"))
    assert found is not None
    data = Path("a.json").read_bytes()
    assert json.loads(found.head) == head()
    assert str([json.loads(data[begin:end]) for begin, end in found.spans]) == str(samples)


def test_no_samples() -> None:
    json_log()
    found = spread(File("a.json"))
    assert found is not None
    assert found.spans == ()


@pytest.mark.parametrize("indent", [None, 0, 4])
def test_another_layout_is_read_as_a_whole(indent: int | None) -> None:
    json_log(sample(1), indent=indent)
    assert spread(File("a.json")) is None
    assert set(document_parts(File("a.json"))) == {*head(), "samples"}


def cut(data: str, at: str) -> str:
    return data[: data.rindex(at)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: cut(data, '"attachments"'), ("cut off", "inside sample 2")),
        (lambda data: data.rstrip().removesuffix("}"), ("cut off", "after its samples")),
    ],
)
def test_a_document_that_is_cut_off(change: Any, words: tuple[str, ...]) -> None:
    json_log(sample(1), sample(2))
    Path("a.json").write_text(change(Path("a.json").read_text("utf-8")), "utf-8")
    with pytest.raises(DataError) as caught:
        spread(File("a.json"))
    assert [word for word in ("a.json", *words) if word not in str(caught.value)] == []


def test_what_is_too_large() -> None:
    json_log(sample(1, input="x" * 5000))
    with pytest.raises(DataError, match=r"sample 1 is too large.*source\.max_decoded=BYTES"):
        spread(File("a.json", most=4000))
    json_log(sample(1, input="x" * 5000), indent=None)
    with pytest.raises(DataError, match="the document is too large"):
        document_parts(File("a.json", most=4000))


@pytest.mark.parametrize(("less", "read"), [(0, True), (1, False)])
def test_a_document_as_large_as_is_allowed(less: int, read: bool) -> None:
    json_log(sample(1), indent=None)
    file = File("a.json", most=Path("a.json").stat().st_size - less)
    with nullcontext() if read else pytest.raises(DataError, match="the document is too large"):
        assert "samples" in document_parts(file)
