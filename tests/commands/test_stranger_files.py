"""Files of run folders and logs that nobody wrote so: refused in one line, or read; no defect, and not all memory."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bad_inputs import trials
from running import Command, run_auditfw
from sentences import commands as says
from subtrees import CODES, coded, variants

LM_EVAL = Path(__file__).parent.parent / "cases/data/field_logs/lm_eval"
RUN_VERBS = (
    ("report", "run"),
    ("export", "run", "coverage"),
    ("explain", "run"),
    ("explain", "run", "--json"),
    ("compare", "run", "other", "--json"),
)
LABEL = ("label", "run", "format=[csv]")


def bomb(kind: str) -> pl.DataFrame:
    """A table of millions of equal rows, or of long equal texts."""
    rows, text = (3_000_000, "flips") if kind == "rows" else (2_000, "flips" * 40_000)
    columns = {"metric": [text], "reading": ["a"], "value": [1.0], "counted": [1], "missing": [0]}
    one = pl.DataFrame({**columns, "low": [None], "high": [None], "undefined": [None]})
    return one.select(pl.all().repeat_by(rows).explode())


DATA = ("source=jsonl", "source.path=d.jsonl", "by=[]", "gate=[]", "report=[]")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run and a sweep of two jobs."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "d.jsonl").write_text(trials({"id": "1"}, {"id": "2", "stored": False}), "utf-8")
    for words in (*DATA, "hydra.run.dir=run"), ("-m", *DATA, "seed=0,1", "hydra.sweep.dir=sweep"):
        assert run_auditfw(words, folder).returncode == 0
    return folder


@pytest.fixture
def run(made: Path, here: Path) -> Path:
    """The folder of a run, and another beside it."""
    shutil.copy(made / "d.jsonl", "d.jsonl")
    for name in "run", "other":
        shutil.copytree(made / "run", name)
    return Path("run")


@pytest.mark.parametrize("kind", ["rows", "texts"])
@pytest.mark.parametrize("table", ["measurements", "trials"])
def test_a_table_that_unpacks_to_all_memory(table: str, kind: str, run: Path, command: Command) -> None:
    file = run / f"{table}.parquet"
    bomb(kind).write_parquet(file, compression="zstd", statistics=False)
    assert file.stat().st_size < 200_000
    result = json.loads((run / "result.json").read_text("utf-8"))
    result["digests"][file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
    (run / "result.json").write_text(json.dumps(result), "utf-8")
    verb = ("report", "run") if table == "measurements" else ("compare", "run", "other")
    done = command(*verb)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert f"{table}.parquet: " in done.stderr
    assert "than is plausible" in done.stderr


def shot(document: Any, file: Path, commands: tuple[tuple[str, ...], ...], seed: int, every: int) -> list[str]:
    """The variants of a JSON file with which a command ends otherwise than it may."""
    wrong = []
    for what, variant in variants(document, seed, every):
        file.write_text(json.dumps(variant), "utf-8")
        ended = [(words, *coded(*words)) for words in commands]
        wrong += [f"{what}: {words}: {line}" for words, code, line in ended if code not in CODES]
    return wrong


@pytest.mark.parametrize("every", [97, pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["result.json", "sections.json", "manifest.json"])
def test_any_part_of_a_stored_run_may_be_anything(name: str, every: int, run: Path) -> None:
    document = json.loads((run / name).read_text("utf-8"))
    assert shot(document, run / name, (*RUN_VERBS, LABEL), 3, every) == []


@pytest.mark.parametrize("code", [6, 71, -1, 999, 10**30])
def test_an_exit_code_that_no_run_has(code: int, run: Path) -> None:
    document = json.loads((run / "result.json").read_text("utf-8"))
    (run / "result.json").write_text(json.dumps({**document, "exit_code": code}), "utf-8")
    for verb in (*RUN_VERBS, ("accept", "run")):
        ended, line = coded(*verb)
        assert (ended, says.EXIT_CODE_IS_NOT_ONE in line) == (3, True), line


@pytest.mark.parametrize("every", [251, pytest.param(19, marks=pytest.mark.slow)])
def test_any_part_of_a_results_file_may_be_anything(every: int, here: Path) -> None:
    shutil.copytree(LM_EVAL, "logs")
    [file] = Path("logs").glob("results_*.json")
    document = json.loads(file.read_text("utf-8"))
    assert shot(document, file, (("check", "logs"),), 5, every) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"configs": []}, ""),
        ({"configs": ["mygsm"]}, says.CONFIGS_EXPECTED_AN_OBJECT_GOT),
        ({"configs": {"mygsm": "x"}}, says.EXPECTED_AN_OBJECT_GOT_TEXT),
        ({"configs": {"mygsm": {"filter_list": "x"}}}, says.EXPECTED_A_LIST_OR_NULL),
        (
            {"configs": {"mygsm": {"filter_list": [{"name": "a", "filter": [{"function": []}]}]}}},
            says.FILTER_FUNCTION_EXPECTED_TEXT_OR,
        ),
        ({"configs": {"mygsm": {"metric_list": [None]}}}, says.EXPECTED_AN_OBJECT_GOT_NULL),
        ({"versions": None, "config": "x", "n-samples": "x", "model_name": None}, ""),
    ],
)
def test_what_is_read_of_a_results_file_is_declared(change: dict[str, Any], told: str, here: Path) -> None:
    shutil.copytree(LM_EVAL, "logs")
    [file] = Path("logs").glob("results_*.json")
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **change}), "utf-8")
    code, line = coded("check", "logs")
    assert code == (3 if told else 0), line
    assert not told or f"{file}: {told}" in line


@pytest.fixture
def sweep(made: Path, here: Path) -> Path:
    """The folder of a sweep of two jobs, of which the first failed."""
    shutil.copytree(made / "sweep", "sweep")
    Path("sweep/0/result.json").unlink()
    Path("sweep/0/error.json").write_text('{"exit_code": 4, "error": "x"}', "utf-8")
    return Path("sweep")


@pytest.mark.parametrize(
    ("name", "data", "ends"),
    [
        *(("0/error.json", b'{"exit_code": %d, "error": "x"}' % code, 3) for code in (999, -1, 10**30)),
        ("0/error.json", b'{"exit_code": 5, "error": "x\\ud800"}', 5),
        ("0/error.json", b"[" * 100_000, 3),
        ("1/result.json", b"[" * 100_000, 4),
        (".folders/0", b"\xff", 3),
        (".folders/\u00b2", b"x", 4),
        (f"{10**30}/auditfw.log", b"", 4),
    ],
)
def test_files_of_a_sweep_that_no_sweep_writes(name: str, data: bytes, ends: int, sweep: Path) -> None:
    (sweep / name).parent.mkdir(exist_ok=True)
    (sweep / name).write_bytes(data)
    code, line = coded("sweep", "sweep")
    assert code == ends, line


def test_half_a_surrogate_pair_in_a_plan(sweep: Path) -> None:
    plan = json.loads((sweep / "plan.json").read_text("utf-8"))
    (sweep / "plan.json").write_text(json.dumps({**plan, "jobs": [["seed=\ud83d"], ["seed=1"]]}), "utf-8")
    assert coded("sweep", "sweep")[0] == 4
    assert '"seed=?"' in (sweep / "sweep.json").read_text("utf-8")


@pytest.mark.parametrize("name", ["plan.json", "0/error.json", "1/result.json"])
@pytest.mark.parametrize("every", [97, pytest.param(9, marks=pytest.mark.slow)])
def test_any_part_of_a_stored_sweep_may_be_anything(name: str, every: int, sweep: Path) -> None:
    document = json.loads((sweep / name).read_text("utf-8"))
    assert shot(document, sweep / name, (("sweep", "sweep"),), 3, every) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[" * 100_000, says.IS_NOT_AN_ACCEPTED_RUN),
        ("[]", says.EXPECTED_AN_OBJECT_GOT_A),
        ('{"schema": "x"}', "schema: invalid enum value 'x'"),
        *(
            (
                '{"schema": "auditfw.baseline/1", "measurements": [{"metric": "flips", "reading": "a", "cell": {}, '
                f'"value": {value}}}]}}',
                f"measurements[0].value: expected a number or null, got {got}",
            )
            for value, got in (('"x"', "text"), ("[]", "a list"))
        ),
    ],
)
def test_what_is_read_of_an_accepted_run_is_declared(text: str, what: str, run: Path) -> None:
    Path("baseline.json").write_text(text, "utf-8")
    code, line = coded("accept", "run")
    assert (code, what in line) == (2, True), line
    gate = ("gate=[]", "+gates.g={use: change, metric: flips, max_increase: 0}")
    code, line = coded("check", "source=jsonl", "source.path=d.jsonl", "by=[]", *gate)
    assert (code, what in line) == (2, True), line
