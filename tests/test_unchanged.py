"""What runs write stays the same, byte for byte, while the house is rebuilt: a test that goes with the last step of it.

`AUDITFW_UNCHANGED=CASE,… pytest -m slow tests/test_unchanged.py` takes the digests of these cases anew (`all`: of all).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import Command

from auditfw.config.variants import shipped_conf
from auditfw.core.result_json import dumps

DIGESTS = Path(__file__).parent / "cases" / "unchanged.json"
DATA = Path(__file__).parent / "cases" / "data"
# The keys of result.json that are compared: further ones may come.
RESULT = ["schema", "audit", "verdict", "exit_code", "answer", "counts", "measurements", "gates", "warnings"]
RESULT += ["inputs", "config_hash", "seed"]
ANSWER = ["status", "headline", "because", "next", "scope", "rules"]
RULE = ["rule", "reading", "cell", "value", "low", "high", "p", "bound", "fired"]
GATE = ["name", "rule", "reading", "value", "status", "why"]
SETTINGS = {
    "posiwid": ["simulator.timeout=60"],
    "self_audit": ["source.limit=4"],
    "self_audit_alignment": ["simulator.timeout=60"],
}
ALL = "report=[json,markdown,html,junit]"
CASES: dict[str, list[str]] = {
    **{
        file.stem: [f"experiment={file.stem}", *SETTINGS.get(file.stem, []), ALL]
        for file in sorted((shipped_conf() / "experiment").glob("*.yaml"))
        if file.stem != "adjudication"  # is of a finished run
    },
    "eight_readings": [
        "parser=[stored,answer_v2,after_think,raw]",
        "normalizer=[none,v2]",
        "audit.keep_text=true",
        ALL,
    ],
    "searched": ["audit.baseline=search", "audit.reference=answer_v2+v1", "audit.undefined=drop", ALL],
    "two_matchers": ["parser=[answer_v2]", "normalizer=[v1]", "matcher=[containment,exact]", "seed=3", ALL],
    "places": ["report=[json,sarif,texts]", "by=[variant]"],
    "lm_eval": ["logs/lm_eval", ALL],
    "promptfoo": ["logs/promptfoo/out.json", ALL],
    "inspect_graded": ["inspect/graded.eval", ALL],
    "inspect_multi": ["inspect/multi.eval", ALL],
    "inspect_choice": ["inspect/mc.eval", ALL],
    "inspect_long": ["inspect/long.json", ALL],
    "zeroeval": [
        "source=json",
        "source.path=zeroeval/gemini-1.5-flash-exp-0827.json",
        "by=[]",
        "parser=[answer_v2,last_line]",
        "source.columns={item: question, raw_text: output, ground_truth: answer}",
        "matcher=containment",
        ALL,
    ],
    "by_filter": ["source=lm_eval", "source.path=gsm8k/samples_mygsm.jsonl", "by=[filter]", "audit.causes=5", ALL],
    "sweep_seeds": ["-m", "seed=1,2,3", ALL],
    "sweep_readings": ["-m", "parser=stored,answer_v2", "normalizer=v1,v2", ALL],
    "sweep_settings": ["-m", "audit.margin=0.5,2", "audit.undefined=zero,drop", "audit.baseline=search", ALL],
    "sweep_audits": ["-m", "experiment=answer_parsing,cross_agent,posiwid", "report=[json,markdown]"],
}


def logs_in(folder: Path) -> None:
    """Lays the logs of the field where the cases name them."""
    for name, source in (
        ("logs", "field_logs"), ("inspect", "inspect_logs"), ("gsm8k", "lm_eval_gsm8k"), ("zeroeval", "zeroeval_gsm")
    ):  # fmt: skip
        shutil.copytree(DATA / source, folder / name)


def picked(value: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: value[key] for key in keys if key in value}


def result_of(file: Path) -> bytes:
    result = picked(json.loads(file.read_text("utf-8")), RESULT)
    result["answer"] = answer_of(result.get("answer"))
    result["gates"] = [picked(gate, GATE) for gate in result["gates"]]
    return json.dumps(result).encode()


def answer_of(answer: dict[str, Any] | None) -> dict[str, Any] | None:
    return answer and {**picked(answer, ANSWER), "rules": [picked(rule, RULE) for rule in answer["rules"]]}


def sweep_of(file: Path) -> bytes:
    """The file of a sweep, whose jobs have their answers as in result.json."""
    sweep = json.loads(file.read_text("utf-8"))
    for job in sweep["jobs"]:
        job["answer"] = answer_of(job["answer"])
    return dumps(sweep).encode()


def table_of(file: Path, columns: Sequence[str] | None) -> bytes:
    frame = pl.read_parquet(file)
    return frame.select(columns or frame.columns).write_ndjson().encode()


def written(folder: Path, known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each file of a run folder, or of those of a sweep, with the digest of what is compared of it."""
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if not file.is_file() or "/." in f"/{name}" or file.suffix == ".log":
            continue
        if file.name in ("manifest.json", "sections.json", "multirun.yaml", "places.parquet"):
            continue
        if file.suffix == ".parquet":
            columns = known.get(name, {}).get("columns") or pl.read_parquet_schema(file).names()
            columns = [column for column in columns if not column.startswith(("code.", "row."))]
            yield name, {"sha256": digest(table_of(file, columns)), "columns": list(columns)}
        else:
            content = {"result.json": result_of, "sweep.json": sweep_of}.get(file.name, Path.read_bytes)
            yield name, digest(content(file))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def known_digests() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(DIGESTS.read_text("utf-8")) if DIGESTS.exists() else {}
    return known


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_runs_write_what_they_wrote(case: str, command: Command, tmp_path: Path) -> None:
    logs_in(tmp_path)
    words = CASES[case]
    place = "hydra.sweep.dir=run" if words[0] == "-m" else "hydra.run.dir=run"
    done = command(*words, place)
    known = known_digests()
    anew = os.environ.get("AUDITFW_UNCHANGED", "").split(",")
    files = dict(written(tmp_path / "run", {} if {case, "all"} & {*anew} else known.get(case, {})))
    assert "result.json" in files or "sweep.json" in files, done.stderr
    made = {"exit": done.returncode, **files}
    if {case, "all"} & {*anew}:
        DIGESTS.write_text(json.dumps({**known, case: made}, indent=1, sort_keys=True) + "\n", "utf-8")
    before = known_digests().get(case, {})
    assert [name for name in {**before, **made} if before.get(name) != made.get(name)] == []
