"""Whatever is typed, written into conf/ or left in a run folder: one line and a documented code, never 70."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fuzzing import DATA, RUNS, configured, damaged, inside, lay_data, lay_runs, overridden, wrong
from running import Command
from sentences import commands as says

from auditfw.audits.self_audit.evaluate import sealed

pytestmark = pytest.mark.slow  # whole runs, or very many texts

FAST = range(8)
PARSING, CONSISTENCY = RUNS["parsing"], RUNS["consistency"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the inputs in it."""
    monkeypatch.chdir(tmp_path)
    lay_data(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of each audit, and a sweep."""
    folder = tmp_path_factory.mktemp("runs")
    lay_data(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        lay_runs(folder)
    return folder


NAMED = "expected a name"
WORDS = [
    (("--resolve",), "--resolve: works only with --cfg - write --cfg job --resolve"),
    (("--run", "-m"), "--run --multirun: use only one of these at a time - leave out the others"),
    (("--cfg", "job", "--info=all"), "--cfg --info: use only one of these at a time - leave out the others"),
    (("--cfg", "job", "-p", "nix"), "--package: no such part of the config (nix) - write it as in source.path"),
    (("--shell-completion",), "--shell-completion: needs one of install, uninstall, query - write"),
    (("--experimental-rerun", "x"), "--experimental-rerun: is not supported: a pickled job is code - auditfw rerun"),
    (("parser=[answer_v2",), "parser=[answer_v2: not an override (unexpected '[answer_v2') - write key=value"),
    (("seed = 1",), "seed = 1: not an override (a special character that is not quoted) - write key=value"),
    (("audit=alignment",), "audit.matcher: is a setting of another audit - to change the audit choose an experiment: "),
    (("parser=answer_v2]",), "parser=answer_v2]: not an override (unexpected ']') - write key=value"),
    (("gates.stable.max=3",), "gates.stable: the gate 'stable' is not chosen - choose it with gate=["),
    (("by=temperature",), "by: expected a list, got 'temperature' - write by=[temperature]"),
    (("seed",), "seed: has no value - write seed=VALUE, without spaces"),
    (("{a: 1}",), "{a: 1}: not an override (a special character that is not quoted) - write key=value"),
    (("seed=int(x)",), "seed=int(x): not an override (while evaluating 'int(x)': invalid literal for int()"),
    (("=3",), "=3: has no key - write KEY=VALUE"),
    (("normalizer=[nan]",), f"normalizer: {NAMED}, got [nan] - to choose nothing write normalizer=[]"),
    (("hydra=3",), f"hydra: {NAMED}, got 3 - to choose nothing write ~hydra"),
    (("seed='a\0'",), "seed: contains a NUL character (seed='a\\x00') - remove it"),
    (("audit.markers=['\udcff']",), "audit.markers: contains bytes that are not UTF-8 (audit.markers=['\\udcff']) -"),
    (("audit=[1]",), f"audit: {NAMED}, got [1] - to choose nothing write ~audit"),
    (("by={a: 1}",), "by: expected a list, got {'a': 1}"),
    (("metrics=[1]",), "metrics: a mapping and a list cannot be merged ([1])"),
    (("+source.nulls={null: [a]}",), "source.nulls: a key that is null (null: ['a']) - null cannot be a key"
     "; for the text write +source.nulls.null=..."),
    (("by=[id,id]",), "by: a column is named more than once (id, id) - name each once"),
    (("audit.readings=[]",), "audit.readings: is empty - write null for all, or some of stored+v1, "),
    (("~audit.parsers.answer_v2.steps.0",), "config: cannot be composed (list indices must be integers or slices"),
    (("metrics.flips.interval.confidence=1" + "0" * 400,), "metrics.flips.interval: no such key"),
    (("+metrics.flips.nix=1",), "metrics.flips.nix: unknown setting (1) - "),
    (("+audit.source={use: csv}",), "audit.source: settings in the wrong place ({'use': 'csv'}) - they belong"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), WORDS, ids=[" ".join(words)[:40] for words, _ in WORDS])
def test_what_is_typed_wrong_is_one_line(words: tuple[str, ...], line: str, here: Path) -> None:
    code, _, err = inside([*PARSING, *words])
    assert (code, err.count("\n")) == (2, 1), err
    assert err.startswith(f"auditfw: error: {line}"), err


GLOBAL = "# @package _global_\n"
BASED = f"{GLOBAL}defaults: [cross_agent, _self_]\n"
CHOSEN = "is chosen in the defaults list"
CONF = [
    (f"{GLOBAL}defaults:\n", "x.yaml: the defaults list is empty - leave 'defaults' out, or list what it builds on"),
    (f"{GLOBAL}defaults: 3\n", "x.yaml: 'defaults' is not a list (3) - write names"),
    (f"{GLOBAL}defaults: [cross_agent, null]\n", "x.yaml: defaults[1]: is not a name (null) - write names"),
    (f"{GLOBAL}defaults: [override /parser: 3]\n", "x.yaml: defaults[0]: is not a name ({'override /parser': 3}) -"),
    (f"{GLOBAL}defaults: ['x@y']\n", "config: cannot be composed (maximum recursion depth exceeded"),
    (f"{BASED}policy: []\n", f"x.yaml: policy: {CHOSEN} ([]) - write override /policy: [] there"),
    (f"{BASED}parser: [stored, raw]\n", f"x.yaml: parser: {CHOSEN} ([stored, raw]) - write override /parser: [st"),
    (f"{BASED}report: [json]\n", f"x.yaml: report: {CHOSEN} ([json]) - write override /report: [json] there"),
    (f"{BASED}matcher: exact\n", f"x.yaml: matcher: {CHOSEN} (exact) - write override /matcher: exact there"),
    (f"{BASED}gate: null\n", f"x.yaml: gate: {CHOSEN} ([]) - write override /gate: [] there"),
    (f"{BASED}source: []\n", f"x.yaml: source: {CHOSEN} (null) - write override /source: null there"),
    (f"{BASED}null: 3\n", "x.yaml:3: a key that is null (null) - null cannot be a key; quote it if"),
    (f"{BASED}audit:\n  aliases: {{a: {{~: VALID}}}}\n", "x.yaml:4: audit.aliases.a: a key that is null (~) - null"),
    (f"{BASED}audit: {{aliases: {{[a]: VALID}}}}\n", "x.yaml:3: audit.aliases: a key that is not text"),
    (f"{BASED}by: {{a: 1}}\n", "by: expected a list, got {'a': 1}"),
    (f"{BASED}audit: {{labels: {{a: 1}}}}\n", "experiment/x: a mapping and a list cannot be merged"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), CONF, ids=[text.removeprefix(GLOBAL)[:60] for text, _ in CONF])
def test_what_is_written_wrong_is_one_line(text: str, line: str, here: Path) -> None:
    (here / "conf" / "experiment").mkdir(parents=True)
    (here / "conf" / "experiment" / "x.yaml").write_text(text, "utf-8")
    code, _, err = inside(["check", "experiment=x", *CONSISTENCY[1:]])
    assert (code, err.count("\n")) == (2, 1), err
    assert line in err


STORED = ["[1]", '{"a": 1}', "[]", "{}", "[[true]]", '{"a": [1]}']


@pytest.mark.parametrize("stored", STORED)
def test_stored_labels_that_are_no_labels(stored: str, here: Path) -> None:
    rows = [json.dumps({**DATA["d.jsonl"][0], "id": "3", "stored": 0}).replace('"stored": 0', f'"stored": {stored}')]
    (here / "d.jsonl").write_text("\n".join([*rows, *map(json.dumps, DATA["d.jsonl"])]), "utf-8")
    code, _, err = inside(PARSING)
    assert (code, err.count("\n")) == (3, 1), err
    assert f"'{stored}' × 1)" in err


JOURNAL = {
    "problem": "1", "attempt": 1, "of": "x", "score": 0.5, "exact": False, "tests": None, "requests": 1, "seconds": 0.1,
    "timeouts": 0, "tokens": None, "cost": None, "answered": True, "ended": None, "misshapen": 0, "why": "",
    "feedback": "", "program": "", "outputs": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"seconds": "1"}, "seconds is not a finite number or null: 1"),
        ({"seconds": -1}, "seconds is negative: -1"),
        ({"attempt": True}, "attempt is not a whole number: True"),
        ({"attempt": 0}, "attempt is less than 1: 0"),
        ({"problem": None}, "problem is not a text: null"),
        ({"problem": "\ud800"}, "problem cannot be written as text"),
        ({"ended": "boredom"}, "ended is not success or iterations"),
        ({"exact": 1}, "exact is not true or false: 1"),
        ({"tokens": [1]}, "tokens is not a whole number or null: [1]"),
        ({"later": 1}, "has an unknown key 'later'"),
        ({"started": 1}, "has an unknown key 'score'"),
        ({"journal": 1}, "has an unknown key 'problem'"),
        ({"score": None, "seconds": 1e999}, None),
    ],
)
def test_sealed_lines_of_a_journal_that_are_none_of_ours(
    change: dict[str, object], found: str | None, here: Path
) -> None:
    line = json.dumps({**JOURNAL, **change}) if found is None else sealed({**JOURNAL, **change})
    (here / "R").mkdir()
    (here / "R" / "attempts.jsonl").write_text(f"{line}\n\n", "utf-8")
    code, _, err = inside([*RUNS["self_audit"], "resume=R"])
    assert (code, err.count("\n")) == (3, 1), err
    wanted = says.THE_JOURNAL_IS_DAMAGED_ITS if found is None else f"is not valid ({found}"
    assert f"R/attempts.jsonl:1: a line of {wanted}" in err.replace(
        "a line of the journal is not", "a line of is not"
    ), err


def test_a_run_that_came_to_nothing_gives_its_folder_up(command: Command, here: Path) -> None:
    """The corrected command takes it, and leaves alone what is not a run's; a finished run keeps it, config and all."""
    folder, words = here / "r", ("hydra.run.dir=r", "report=[markdown]")
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", "utf-8")
    for mistake, code in (("source.path=nix.jsonl", 3), ("gates.baseline_reproduces.reading=nix", 2)):
        assert inside([*PARSING, mistake, *words])[0] == code
        assert not [*folder.glob("*.parquet"), *folder.glob("report.md"), *folder.glob(".parts*")]
    (folder / ".parts-trials").mkdir()  # of a run that was killed
    done = command(*PARSING, *words)
    assert done.returncode == 0, done.stderr
    assert (folder / "notes.txt").read_text("utf-8") == "mine"
    assert {"result.json", "report.md", "trials.parquet", "notes.txt"} <= {one.name for one in folder.iterdir()}
    config = (folder / ".hydra" / "config.yaml").read_bytes()
    code, _, err = inside([*PARSING, *words, "seed=9"])
    assert (code, err.count("\n")) == (2, 1)
    assert says.THIS_FOLDER_ALREADY_HOLDS_A in err
    assert (folder / ".hydra" / "config.yaml").read_bytes() == config
    assert inside(["--cfg", "job", "hydra.run.dir=r"])[0] == 0


def test_a_sweep_that_came_to_nothing_gives_its_folder_up(here: Path) -> None:
    sweep = ["-m", *PARSING, "report=[]", "hydra.sweep.dir=s"]
    assert inside([*sweep, "source.path=nix.jsonl", "seed=1,2,3"])[0] == 3
    code, _, err = inside([*sweep, "seed=1,2"])
    assert code == 0, err
    jobs = json.loads((here / "s" / "sweep.json").read_text("utf-8"))["jobs"]
    assert [job["exit_code"] for job in jobs] == [0, 0]
    code, _, err = inside([*sweep, "seed=1,2"])
    assert code == 2
    assert says.THIS_FOLDER_ALREADY_HOLDS_A_SWEEP in err


@pytest.mark.parametrize("name", ["report.md", "manifest.json"])
def test_a_folder_with_files_of_others(name: str, here: Path) -> None:
    (here / "r").mkdir()
    (here / "r" / name).write_text("mine", "utf-8")
    code, _, err = inside([*PARSING, "report=[json]", "hydra.run.dir=r"])
    assert code == (0 if name == "report.md" else 2)
    assert (here / "r" / name).read_text("utf-8") == "mine"
    assert name == "report.md" or says.OR_A_OF_ANOTHER_PROGRAM in err


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ((), "temperature, variant, condition"),
        (("source=jsonl", "source.path=d.jsonl"), "nothing"),
        (("source=jsonl", "source.path=d.jsonl", "source.by=[stored]"), "stored"),
        (("source=jsonl", "source.path=d.jsonl", "source.by=[stored]", "by=[]"), "nothing"),
        (("by=[variant]",), "variant"),
        (("experiment=posiwid",), "group"),
        (("experiment=posiwid", "scenarios=jsonl", "scenarios.path=s.jsonl"), "nothing"),
        (("experiment=self_audit_alignment",), "group"),
        (("experiment=self_audit_alignment", "scenarios=jsonl", "scenarios.path=s.jsonl"), "nothing"),
    ],
)
def test_cells_are_those_of_the_source_at_hand(words: tuple[str, ...], by: str, here: Path) -> None:
    code, out, err = inside(["check", *words])
    assert code == 0, err
    assert f"\nby: {by}\n" in out


def test_overrides_end_with_a_documented_code(here: Path) -> None:
    assert [said for seed in FAST if (said := wrong(overridden(seed)))] == []


def test_files_of_conf_end_with_a_documented_code(here: Path) -> None:
    assert [said for seed in FAST if (said := wrong(configured(seed)))] == []


@pytest.mark.slow
def test_damaged_run_folders_end_with_a_documented_code(here: Path, runs: Path) -> None:
    assert [said for seed in FAST if (said := wrong(damaged(seed, runs)))] == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 1100, 100))
def test_many_overrides(start: int, here: Path) -> None:
    assert [said for seed in range(start, start + 100) if (said := wrong(overridden(seed)))] == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 700, 100))
def test_many_files_of_conf(start: int, here: Path) -> None:
    assert [said for seed in range(start, start + 100) if (said := wrong(configured(seed)))] == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 1100, 100))
def test_many_damaged_run_folders(start: int, here: Path, runs: Path) -> None:
    assert [said for seed in range(start, start + 100) if (said := wrong(damaged(seed, runs)))] == []
