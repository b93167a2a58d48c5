"""inspect_scores/LOG.jsonl: lines that `precomputed_scores` takes, a file a log, and why nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_logs import eval_log, head, json_log, sample
from running import Command
from sentences import report as says

import auditfw
from auditfw.commands.report import report
from auditfw.components.report import inspect_scores
from auditfw.components.report.inspect_scores import file_names
from auditfw.core.errors import AuditError, DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")
PARTS = {"parser": ["raw", "last_line"], "normalizer": ["none"], "matcher": "containment", "gate": []}


def audited(source: dict[str, Any], folder: str | None = "run", **more: Any) -> auditfw.Result:
    chosen = {"experiment": "answer_parsing", **PARTS, "report": ["inspect_scores"], "engine": {"workers": 1}}
    return auditfw.run({**chosen, "source": source, **more}, folder)


def scores(name: str, folder: str = "run") -> list[dict[str, Any]]:
    text = (Path(folder) / "inspect_scores" / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def answering(number: Any, completion: str, epoch: int = 1, value: str = "C", **more: Any) -> dict[str, Any]:
    return sample(number, epoch, value, output={"choices": [], "completion": completion}, **more)


def test_one_line_a_sample_and_epoch() -> None:
    eval_log(answering(1, "It is 4\nno"), answering(1, "4", 2), answering("b", "x\n4", 1, "I"))
    result = audited({"use": "inspect", "path": "a.eval"})
    by_hand = [("1", 1, "C", "It is 4\nno", "C"), ("1", 2, "C", "4", "C"), ("b", 1, "C", "x\n4", "I")]
    found = scores("a")
    assert [
        (one["id"], one["epoch"], one["value"], one["answer"], one["metadata"]["stored"]) for one in found
    ] == by_hand
    assert [list(one) for one in found] == [["id", "epoch", "value", "answer", "explanation", "metadata"]] * 3
    assert found[2]["explanation"] == says.AUDITFW_UNDER_RAW_NONE_THE
    metadata = {"reading": "raw+none", "audit": f"auditfw {result.versions['auditfw']}"}
    metadata |= {"config_hash": result.config_hash, "stored": "I", "log": "a.eval"}
    assert found[2]["metadata"] == metadata


@pytest.mark.parametrize(
    ("settings", "reading", "values"),
    [
        ({}, "raw+none", "CCC"),  # the reference is the stored label, which the log has
        ({"audit": {"reference": "last_line+none"}}, "last_line+none", "ICC"),
        ({"reports": {"inspect_scores": {"reading": "last_line+none"}}}, "last_line+none", "ICC"),
        ({"reports": {"inspect_scores": {"reading": "stored"}}}, "stored", "CCI"),
    ],
)
def test_whose_labels_they_are(settings: dict[str, Any], reading: str, values: str) -> None:
    eval_log(answering(1, "It is 4\nno"), answering(1, "4", 2), answering("b", "x\n4", 1, "I"))
    audited({"use": "inspect", "path": "a.eval"}, **settings)
    assert "".join(one["value"] for one in scores("a")) == values
    assert {one["metadata"]["reading"] for one in scores("a")} == {reading}
    before = {path.name: path.read_bytes() for path in Path("run/inspect_scores").iterdir()}
    if reading != "stored":
        words = [f"reports.inspect_scores.reading={reading}"] if "reports" in settings else []
        Path("run/inspect_scores/a.jsonl").unlink()
        auditfw_report(words)
        assert {path.name: path.read_bytes() for path in Path("run/inspect_scores").iterdir()} == before


def auditfw_report(words: list[str]) -> None:
    """Writes the report of the finished run again; runs from Python store no config."""
    assert report(["run", "report=[inspect_scores]", *words]) == 0


def test_each_log_has_a_file_with_its_own_ids() -> None:
    Path("deep").mkdir()
    eval_log(answering(1, "4"), answering(2, "5"), name="a.eval")
    json_log(answering(1, "5"), log_head=head(task="other"), name="b.json")
    eval_log(answering(1, "5"), log_head=head(model="mock/two"), name="deep/A.eval")
    audited({"use": "inspect", "path": "."})
    assert sorted(path.name for path in Path("run/inspect_scores").iterdir()) == ["A-2.jsonl", "a.jsonl", "b.jsonl"]
    assert [(one["id"], one["value"], one["metadata"]["log"]) for one in scores("a")] == [
        ("1", "C", "./a.eval"),
        ("2", "I", "./a.eval"),
    ]
    assert [(one["id"], one["value"], one["metadata"]["log"]) for one in scores("A-2")] == [("1", "I", "./deep/A.eval")]


def test_a_trial_without_a_label_has_no_line() -> None:
    failed = answering("bad", "", error={"message": "boom"}) | {"scores": {}}
    eval_log(answering(1, "4"), failed, answering("none", "4", target=[]))
    audited({"use": "inspect", "path": "a.eval"})
    assert [one["id"] for one in scores("a")] == ["1"]


def test_texts_are_verbatim_and_command_no_build_server() -> None:
    hostile = '=1+1 \x00 \u2028\u202e "\\ ##[error]4 ##vso[x]\r\n</script> 4'
    eval_log(answering(1, hostile))
    audited({"use": "inspect", "path": "a.eval"})
    data = Path("run/inspect_scores/a.jsonl").read_bytes()
    assert scores("a")[0]["answer"] == hostile
    assert b"##" not in data
    assert data.count(b"\n") == 1


ROW = {"id": 0, "raw_text": "4", "ground_truth": "4", "sample_id": "s", "epoch": 1, "stored": 1}


def frame(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"use": "frame", "frame": list(rows)}


@pytest.mark.parametrize(
    ("row", "pair"),
    [({}, ("s", 1)), ({"epoch": "02"}, ("s", 2)), ({"epoch": 3.0}, ("s", 3)), ({"sample_id": 5}, ("5", 1))],
)
def test_other_sources_map_their_columns(row: dict[str, Any], pair: tuple[str, int]) -> None:
    audited(frame({**ROW, **row}), by=[])
    assert [(one["id"], one["epoch"]) for one in scores("scores")] == [pair]


REFUSED = [
    ({"sample_id": None}, "the sample_id of the trial '0' is not a text or a whole number"),
    ({"sample_id": ""}, "the sample_id of the trial '0' is not a text or a whole number"),
    ({"sample_id": True}, "the sample_id of the trial '0' is not a text or a whole number (True)"),
    ({"epoch": None}, "the epoch of the trial '0' is not a whole number"),
    ({"epoch": 1.5}, "the epoch of the trial '0' is not a whole number (1.5)"),
    ({"epoch": "²"}, "the epoch of the trial '0' is not a whole number (²)"),
    ({"epoch": "one"}, "the epoch of the trial '0' is not a whole number (one)"),
]


@pytest.mark.parametrize(("row", "what"), REFUSED)
def test_a_trial_that_names_no_sample_ends_the_run(row: dict[str, Any], what: str) -> None:
    with pytest.raises(DataError) as error:
        audited(frame({**ROW, **row}), by=[])
    assert str(error.value).startswith(f"report=[inspect_scores]: {what}")
    assert not Path("run/inspect_scores").exists()


def test_a_source_without_samples_is_refused_before_the_run(command: Command, tmp_path: Path) -> None:
    done = command("report=[inspect_scores]", "hydra.run.dir=run")
    [line] = done.stderr.splitlines()
    assert done.returncode == 3
    what = says.SCORES_FOR_A_LOG_NEED
    assert line.startswith(f"auditfw: error: report=[inspect_scores]: {what}")
    assert line.endswith("write source.columns.sample_id=THEIRS, source.columns.epoch=THEIRS")
    assert not (tmp_path / "run" / "trials.parquet").exists()
    checked = command("check", "report=[inspect_scores]")
    assert (checked.returncode, checked.stdout, checked.stderr) == (3, "", done.stderr)


def test_only_the_missing_column_is_asked_for() -> None:
    row = {name: value for name, value in ROW.items() if name != "epoch"}
    with pytest.raises(DataError, match=r"need the column 'epoch' .* write source\.columns\.epoch=THEIRS$"):
        audited(frame(row), by=[])


def test_an_unknown_reading_is_refused_before_the_run() -> None:
    eval_log(answering(1, "4"))
    with pytest.raises(UsageError, match=r"^reports\.inspect_scores\.reading: no reading 'raw' in this run - "):
        audited({"use": "inspect", "path": "a.eval"}, reports={"inspect_scores": {"reading": "raw"}})
    assert not Path("run/trials.parquet").exists()


def test_two_trials_that_are_one_sample_are_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    audited(frame(ROW, {**ROW, "id": 1}), by=[])
    [line] = capsys.readouterr().err.splitlines()
    assert line == says.AUDITFW_WARNING_NO_SCORES_WERE
    assert not Path("run/inspect_scores").exists()
    audited(frame({**ROW, "log": "a"}, {**ROW, "id": 1, "log": "../b.eval"}), "two", by=[])
    assert sorted(path.name for path in Path("two/inspect_scores").iterdir()) == ["a.jsonl", "b.jsonl"]


def test_a_run_that_did_not_keep_samples_says_so() -> None:
    eval_log(answering(1, "4"))
    audited({"use": "inspect", "path": "a.eval"}, report=["json"])
    with pytest.raises(AuditError, match=r"did not keep which sample a trial is \(run\) - .*auditfw rerun run report="):
        report(["run", "report=[inspect_scores]"])


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_lines_are_written_a_slice_at_a_time(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_scores, "ROWS", rows)
    eval_log(*(answering(i, "4") for i in range(1, 4)))
    audited({"use": "inspect", "path": "a.eval"})
    assert [one["id"] for one in scores("a")] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("logs", "names"),
    [
        ([None], ["scores"]),
        (["logs/2026_x.eval", "logs/2026_x.json"], ["2026_x", "2026_x-2"]),
        (["a/..", "a/.hidden", "C:\\logs\\b.eval"], ["scores", "hidden", "b"]),
        (["x/a b\u202e##[\x00.eval"], ["a_b_____"]),
        (["a.eval", "A.eval", "a-2.eval"], ["a", "A-2", "a-2-2"]),
        (["é" * 300 + ".eval"], ["_" * 150]),
    ],
)
def test_names_of_files(logs: list[str | None], names: list[str]) -> None:
    assert file_names(logs) == [f"{name}.jsonl" for name in names]
