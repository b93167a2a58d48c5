"""Files that lie elsewhere: the same tables as from disk; what servers get wrong is one line, nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from benchmarks.data.conformity import write_metadata, write_run
from inspect_logs import eval_log, sample
from object_server import SECRET, ObjectServer

from auditfw import AuditError, run
from auditfw.core.inputs import file_part
from auditfw.core.remote import copies as remote
from auditfw.core.remote.addresses import settle
from auditfw.core.remote.places import actual
from auditfw.core.remote.refusals import RemoteFile

pytest.importorskip("obstore", reason="needs the extra remote")

ROWS = [
    {"id": f"{i}", "raw_text": f"The answer is {i % 7}.", "parsed_text": f"{i % 7}", "ground_truth": f"{i % 5}"}
    for i in range(60)
]
LINES = "".join(json.dumps({**row, "stored": row["parsed_text"] == row["ground_truth"]}) + "\n" for row in ROWS)


def copies() -> list[str]:
    """The files in the cache by their paths behind the mark, also such as are not whole."""
    below = Path("cache/auditfw/remote")
    return sorted("/".join(path.relative_to(below).parts[1:]) for path in below.rglob("*") if path.is_file())


def measured(source: str, path: str, **more: Any) -> tuple[Any, Any]:
    """The measurements of a run over this path, and its trials without their places."""
    result = run({"source": {"use": source, "path": path, **more}, "by": []})
    trials = result.trials
    assert trials is not None
    return result.measurements, pl.DataFrame(trials.lazy().collect()).drop("row.place", strict=False)


def write_files() -> None:
    """One file or more of each format in `here`."""
    here = Path("here")
    here.mkdir()
    (here / "a.jsonl").write_text(LINES)
    (here / "b.jsonl").write_text(LINES.replace('"id": "', '"id": "b'))
    (here / "odd name %20 é.jsonl").write_text(LINES.replace('"id": "', '"id": "c'))
    pl.read_ndjson(LINES.encode()).write_parquet(here / "table.parquet")
    os.chdir(here)
    eval_log(*(sample(number) for number in range(1, 6)), name="log.eval")
    os.chdir("..")


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("jsonl", "a.jsonl"),
        ("jsonl", "odd name %20 é.jsonl"),
        ("parquet", "table.parquet"),
        ("inspect", "log.eval"),
        ("jsonl", "[ab].jsonl"),
        ("jsonl", "{model}.jsonl"),
        ("jsonl", ""),
    ],
)
def test_the_same_tables_as_from_disk(server: ObjectServer, bucket: str, source: str, path: str) -> None:
    write_files()
    server.take(Path("here"), "logs/")
    first, trials = measured(source, f"here/{path}")
    second, fetched = measured(source, f"{bucket}/logs/{path}")
    assert first == second
    assert trials.equals(fetched)


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_other_clouds_have_the_same_tables(server: ObjectServer, bucket: str, scheme: str) -> None:
    write_files()
    server.take(Path("here"), "logs/")
    other = bucket.replace("s3", scheme, 1)
    paths = {"a.jsonl": "jsonl", "table.parquet": "parquet", "log.eval": "inspect", "[ab].jsonl": "jsonl", "": "jsonl"}
    for path, source in paths.items():
        first, trials = measured(source, f"here/{path}")
        second, fetched = measured(source, f"{other}/logs/{path}")
        assert first == second
        assert trials.equals(fetched)
    signed = {"gs": f"Bearer {SECRET}", "az": "SharedKey account:"}[scheme]
    assert all(headers["authorization"].startswith(signed) for headers in server.headers)
    path = actual(f"{other}/logs/a.jsonl")
    part = file_part(path, 10, 20)
    shutil.rmtree("cache")
    part.check("/")
    assert Path(path).read_bytes()[10:20] == LINES.encode()[10:20]


@pytest.mark.parametrize("scheme", ["gs", "az"])
@pytest.mark.parametrize(
    "case",
    [
        ("a.jsonl", "", 3, "no such file"),
        ("a.jsonl", "401", 3, "the server refuses access (401)"),
        ("a.jsonl", "403", 3, "the server refuses access (403)"),
        ("a.jsonl", "500", 4, "the server does not give it (500"),
        ("a.jsonl", "cut", 4, "the connection ended before the file did"),
        ("", "403", 3, "the server refuses access (403)"),
    ],
)
def test_what_goes_wrong_in_other_clouds(
    server: ObjectServer, bucket: str, scheme: str, case: tuple[str, str, int, str]
) -> None:
    path, fault, code, words = case
    if fault:
        server.files["a.jsonl"], server.faults[path] = LINES.encode(), fault
    address = f"{bucket.replace('s3', scheme, 1)}/{path}"
    with pytest.raises(AuditError) as caught:
        actual(address)
    assert f"{address}: {words}" in str(caught.value)
    assert (caught.value.exit_code, "\n" in str(caught.value), copies()) == (code, False, [])


def test_copies_that_nobody_used_for_a_month_are_removed(server: ObjectServer, bucket: str) -> None:
    """Use counts, not the time of the fetch; what else lies there stays."""
    server.files |= {"old": b"1\n", "used": b"2\n", "new": b"3\n"}
    old, used = (Path(actual(f"{bucket}/{name}")) for name in ("old", "used"))
    other = Path("cache/auditfw/remote/mine")
    other.mkdir()
    for path in (old.parents[2], used.parents[2], other):
        os.utime(path, (0, 0))
    remote._by_text.clear()
    actual(f"{bucket}/used")
    with old.open("rb") as reader:
        actual(f"{bucket}/new")
        assert reader.read() == b"1\n"
    assert (old.exists(), used.exists(), other.exists()) == (False, True, True)


@pytest.mark.parametrize("form", ["hf://datasets/owner/name@main/logs/a.jsonl", "hf://datasets/owner/name@v{n}/logs"])
def test_a_hub(server: ObjectServer, bucket: str, form: str) -> None:
    server.files["logs/a.jsonl"] = LINES.encode()
    address = form.replace("{n}", bucket.rpartition("-")[2])
    result = run({"source": {"use": "jsonl", "path": address}, "by": []})
    assert [one.path for one in result.inputs] == [f"{address.removesuffix('/a.jsonl')}/a.jsonl"]


def test_a_file_of_this_machine(server: ObjectServer, tmp_path: Path) -> None:
    (tmp_path / "a b.jsonl").write_text(LINES)
    assert actual(f"file://{tmp_path}/a%20b.jsonl") == f"{tmp_path}/a b.jsonl"
    with pytest.raises(AuditError, match="another machine"):
        actual("file://server/a.jsonl")


def test_a_copy_is_fetched_once_and_read_only(server: ObjectServer, bucket: str) -> None:
    server.files["a.jsonl"] = LINES.encode()
    path = Path(actual(f"{bucket}/a.jsonl"))
    assert actual(f"{bucket}/a.jsonl") == str(path)
    assert path.read_bytes() == LINES.encode()
    assert not stat.S_IMODE(path.stat().st_mode) & 0o222
    assert copies() == [f"s3/{bucket.removeprefix('s3://')}/a.jsonl"]
    assert [word.partition(" ")[0] for word in server.asked] == ["HEAD", "GET"]


@pytest.mark.parametrize(("theirs", "kept"), [(b"1\n", True), (b"1", False)], ids=["whole", "cut off"])
def test_what_another_process_fetched_meanwhile_stays(theirs: bytes, kept: bool, tmp_path: Path) -> None:
    """Somebody may read it: only what was cut off is replaced."""
    ours, folder = tmp_path / ".parts-0", tmp_path / "0"
    for one, data in ((ours, b"1\n"), (folder, theirs)):
        one.mkdir()
        (one / "a.jsonl").write_bytes(data)
        settle(one / "a.jsonl")
    before = (folder / "a.jsonl").stat().st_ino
    remote._place(ours, folder, {"a.jsonl": RemoteFile("a.jsonl", "", 2)})
    assert (folder / "a.jsonl").read_bytes() == b"1\n"
    assert ((folder / "a.jsonl").stat().st_ino == before) is kept


def test_a_listing_has_pages_and_hidden_files_stay(server: ObjectServer, bucket: str) -> None:
    names = [f"logs/{i}.jsonl" for i in range(8)]
    server.files |= dict.fromkeys([*names, "logs/.hidden", "logs/folder/", "elsewhere/x.jsonl"], b"{}\n")
    actual(f"{bucket}/logs/*.jsonl")
    assert copies() == [f"s3/{bucket.removeprefix('s3://')}/{name}" for name in names]


def test_another_version_is_another_copy(server: ObjectServer, bucket: str) -> None:
    server.files["a.jsonl"] = b"1\n"
    old = actual(f"{bucket}/a.jsonl")
    server.files["a.jsonl"] = b"2\n"
    folder = actual(f"{bucket}/")
    assert Path(old).read_bytes() == b"1\n"
    assert Path(folder, "a.jsonl").read_bytes() == b"2\n"


def test_what_lies_in_a_folder_is_copied_from_what_was_fetched(server: ObjectServer, bucket: str) -> None:
    server.files |= {"logs/a.jsonl": b"1\n", "logs/b.jsonl": b"2\n"}
    folder = actual(f"{bucket}/logs/")
    assert actual(f"{bucket}/logs/a.jsonl") == f"{folder}/a.jsonl"
    actual(f"{bucket}/logs/*")
    assert len([word for word in server.asked if word.startswith("GET") and "list-type" not in word]) == 2


FAULTS = {
    "nothing there": ("", 3, "no such file"),
    "403": ("403", 3, "the server refuses access (403) - set AWS_ACCESS_KEY_ID"),
    "401": ("401", 3, "the server refuses access (401)"),
    "500": ("500", 4, "the server does not give it (500"),
    "hangs": ("hang", 4, "the server does not answer (nothing for 0.5 s)"),
    "hangs in the middle": ("stall", 4, "the server does not answer (nothing for 0.5 s)"),
    "closes in the middle": ("cut", 4, "the connection ended before the file did"),
    "changes": ("changing", 3, "changed during the run (ETag"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_goes_wrong_is_one_line(
    server: ObjectServer, bucket: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, code, words = FAULTS[name]
    if fault in ("hang", "stall"):
        monkeypatch.setenv("AUDITFW_REMOTE_TIMEOUT", "0.5")
    if fault:
        server.files["logs/a.jsonl"], server.faults["logs/a.jsonl"] = LINES.encode(), fault
    with pytest.raises(AuditError) as caught:
        run({"source": {"use": "jsonl", "path": f"{bucket}/logs/a.jsonl"}, "by": []})
    assert f"{bucket}/logs/a.jsonl: {words}" in str(caught.value)
    assert (caught.value.exit_code, "\n" in str(caught.value)) == (code, False)
    assert copies() == []
    assert not list(Path("cache").rglob(".parts-*"))


def test_what_takes_long_is_reported(
    server: ObjectServer, bucket: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AUDITFW_REMOTE_TIMEOUT", "2")
    monkeypatch.setenv("AUDITFW_PROGRESS", "0.1")
    server.files["logs/a.jsonl"], server.faults["logs/a.jsonl"] = LINES.encode(), "stall"  # after half of it
    with pytest.raises(AuditError, match="does not answer"):
        actual(f"{bucket}/logs/a.jsonl")
    first, *_, last = capsys.readouterr().err.splitlines()
    assert {first, last} <= {
        f"auditfw: {bucket}/logs/a.jsonl: {done} of {len(LINES):,} bytes are fetched" for done in range(len(LINES))
    }


def test_a_fault_in_a_folder_leaves_nothing(server: ObjectServer, bucket: str) -> None:
    server.files |= {f"logs/{i}.jsonl": LINES.encode() for i in range(5)}
    server.faults["logs/3.jsonl"] = "cut"
    with pytest.raises(AuditError, match=r"3\.jsonl: the connection ended"):
        actual(f"{bucket}/logs")
    assert copies() == []
    server.faults.clear()
    assert len(os.listdir(actual(f"{bucket}/logs"))) == 5


def test_a_server_that_is_not_there(server: ObjectServer, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(AuditError, match="the server cannot be reached"):
        actual(f"{bucket}/a.jsonl")


def test_a_listing_that_is_refused(server: ObjectServer, bucket: str) -> None:
    server.faults[""] = "403"
    with pytest.raises(AuditError, match=r"refuses access \(403\)"):
        actual(f"{bucket}/logs/")


@pytest.mark.parametrize("path", ["logs/a.jsonl", "logs"])
def test_too_large(server: ObjectServer, bucket: str, path: str) -> None:
    server.files["logs/a.jsonl"] = LINES.encode()
    size = len(LINES)
    with pytest.raises(AuditError) as caught:
        run({"source": {"use": "jsonl", "path": f"{bucket}/{path}", "max_remote": size - 1}, "by": []})
    assert caught.value.exit_code == 3
    assert f"({size:,} bytes in 1 file, where {size - 1:,} are allowed)" in str(caught.value)
    assert f"write source.max_remote={size}, or name fewer files" in str(caught.value)
    assert copies() == []
    run({"source": {"use": "jsonl", "path": f"{bucket}/{path}", "max_remote": size}, "by": []})


@pytest.mark.parametrize("path", ["s3://me:{}@bucket/a.jsonl", "https://me:{}@127.0.0.1/a.jsonl"])
def test_a_login_in_an_address(server: ObjectServer, path: str) -> None:
    with pytest.raises(AuditError) as caught:
        run({"source": {"use": "jsonl", "path": path.format(SECRET)}, "by": []})
    assert caught.value.exit_code == 2
    assert "credentials come from the environment alone" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert server.asked == []


def test_credentials_of_the_environment(server: ObjectServer, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server.files["a.jsonl"] = server.files["b.jsonl"] = b"{}\n"
    actual(f"{bucket}/a.jsonl")
    assert "Credential=AKIA-of-ours" in server.headers[-1]["authorization"]
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    actual(f"{bucket}/b.jsonl")
    assert "authorization" not in server.headers[-1]


def test_safe_mode_fetches_nothing(server: ObjectServer, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    with pytest.raises(AuditError, match="switched off by AUDITFW_SAFE"):
        actual(f"{bucket}/a.jsonl")
    assert server.asked == []


def test_without_the_extra(server: ObjectServer, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(AuditError) as caught:
        actual(f"{bucket}/a.jsonl")
    assert caught.value.exit_code == 2
    assert str(caught.value) == f"{bucket}/a.jsonl: needs the extra remote - pip install 'auditfw[remote]'"


def test_a_process_that_was_forked_fetches_nothing(server: ObjectServer, bucket: str) -> None:
    """The library would wait for ever in it."""
    server.files["a.jsonl"] = b"{}\n"
    actual(f"{bucket}/a.jsonl")
    inlet, outlet = os.pipe()
    if not (child := os.fork()):
        try:
            actual(f"{bucket}/b.jsonl")
        except AuditError as error:
            os.write(outlet, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(outlet)
    with os.fdopen(inlet) as words:
        assert "cannot be fetched in a forked process" in words.read()


def test_conformity_runs(server: ObjectServer, bucket: str) -> None:
    row = {"run_id": "r", "variant": "v", "condition": "control", "dataset": "d", "ground_truth": "4", "is_correct": 1}
    answers = [{"trial": f"{i}", "item": f"{i}", "raw_text": f"{i}", "parsed_answer_text": f"{i}"} for i in range(9)]
    write_run(Path("runs/r"), [{**row, **one} for one in answers], "r")
    write_metadata(Path("metadata.json"), {"0.5": {"run_dir": "r", "run_id": "r", "status": "completed"}})
    server.take(Path("."), "study/")
    here = {"metadata": "metadata.json", "runs_dir": "runs"}
    there = {name: f"{bucket}/study/{path}" for name, path in here.items()}
    results = [run({"source": {"use": "conformity", **paths}, "by": []}) for paths in (here, there)]
    assert results[0].measurements == results[1].measurements
    assert all(one.path.startswith(f"{bucket}/study/") for one in results[1].inputs)
