"""Bad configuration and command lines, by the rows 1-37 of the catalogue of bad inputs; and secrets."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from bad_inputs import DATA, GOOD, IMPORTS, LAUGHS, MERGES, MINE, OWN, Case, check, experiment, lay, marked, parser
from running import Command

CONFIGURATION = [
    Case(1, "misspelt key", GOOD, ("gatez.kappa=0.8", *DATA), 2, ("gatez", "no such key", "did you mean 'gates'")),
    Case(1, "misspelt group", GOOD, ("paser=x", *DATA), 2, ("paser", "no such key", "did you mean 'parser'")),
    Case(1, "misspelt group added", GOOD, ("+metrc=[n]", *DATA), 2, ("metrc", "unknown", "did you mean 'metric'")),
    Case(1, "misspelt group deleted", GOOD, ("~matchr", *DATA), 2, ("~matchr", "no such key", "mean 'matcher'")),
    Case(
        1,
        "settings below a group",
        GOOD,
        (*DATA, "parser.stored.column=raw_text"),
        2,
        ("parser", "no such key", "audit.parsers.NAME"),
    ),
    Case(
        1, "setting of what is not set", GOOD, (*DATA, "source.join.on={a: b}"), 2, ("source.join.on", "'source.join={")
    ),
    Case(1, "misspelt setting", GOOD, (*DATA, "source.colums={}"), 2, ("source.colums", "did you mean 'columns'")),
    Case(
        1,
        "misspelt setting in an experiment",
        experiment("audit: {undefinde: drop}\n"),
        OWN,
        2,
        ("audit.undefinde", "did you mean 'undefined'"),
    ),
    Case(2, "unknown option", GOOD, ("parser=answer_v9", *DATA), 2, ("parser", "answer_v9", "did you mean 'answer_v")),
    Case(
        2, "unknown option in a list", GOOD, ("parser=[raw,zzz]", *DATA), 2, ("parser", "zzz", "known: ", "answer_line")
    ),
    Case(2, "unknown verb", {}, ("chek",), 2, ("chek", "did you mean 'check'")),
    Case(2, "unknown flag", {}, ("--mutlirun",), 2, ("--mutlirun", "did you mean '--multirun'")),
    Case(
        3,
        "unknown component in a list",
        parser("  - strip\n  - aftr_last\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps[1]", "no step named 'aftr_last'", "did you mean 'after_last'"),
    ),
    Case(
        3,
        "unknown component below a variant",
        {"conf/parser/mine.yaml": "# @package audit.parsers.mine\n# Mine.\ndefaults: [stesp@_here_, _self_]\n"},
        ("list",),
        2,
        ("mine.yaml", "no parser named 'stesp'", "did you mean 'steps'"),
    ),
    Case(4, "tab", experiment("audit:\n\tundefined: drop\n"), OWN, 2, ("mine.yaml:6:1", "a tab")),
    Case(5, "duplicate key", experiment("seed: 1\nby: []\nseed: 2\n"), OWN, 2, ("mine.yaml:7", "'seed'", "line 5")),
    Case(
        6,
        "backspace in a pattern",
        parser('  - {use: capture, pattern: "\\b(a)\\b"}\n'),
        MINE,
        2,
        ("mine.yaml:4", "control character", "single quotes"),
    ),
    Case(
        6,
        "backspace in a pattern on the command line",
        parser("  - {use: capture, pattern: (a)}\n"),
        (*MINE, "audit.parsers.mine.steps=[{use: capture, pattern: '(\x08a)'}]"),
        2,
        ("audit.parsers.mine.steps", "control character"),
    ),
    Case(
        7,
        "unknown escape",
        parser('  - {use: capture, pattern: "(\\d+)"}\n'),
        MINE,
        2,
        ("mine.yaml:4", "unknown escape", "single quotes"),
    ),
    Case(
        8,
        "pattern that is a list",
        parser("  - use: capture\n    pattern: [A-D]\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps[0].pattern", "expected text", "list", "quote it"),
    ),
    Case(
        9,
        "pattern with a colon",
        parser("  - use: capture\n    pattern: Answer: (.*)\n"),
        MINE,
        2,
        ("mine.yaml:5", "mapping values", "quote"),
    ),
    Case(
        10,
        "interpolation in a pattern",
        parser("  - {use: capture, pattern: '(a${2})'}\n"),
        MINE,
        2,
        ("audit.parsers.mine.steps", "[$]{"),
    ),
    Case(
        10,
        "escaped interpolation in a pattern",
        parser("  - {use: capture, pattern: '(\\${x})'}\n"),
        MINE,
        2,
        ("mine.yaml:4", "backslash", "[$]{"),
    ),
    Case(
        11,
        "YES for a label",
        experiment("audit: {stored_true: [YES, 'y']}\n"),
        OWN,
        2,
        ("audit.stored_true[0]", "expected text", "true", "quote it"),
    ),
    Case(
        12, "octal for text", experiment("audit: {delimiter: 0777}\n"), OWN, 2, ("audit.delimiter", "511", "quote it")
    ),
    Case(12, "text for a number", GOOD, (*DATA, "seed=one"), 2, ("seed", "expected a whole number", "one")),
    Case(
        13,
        "bound beyond numbers",
        GOOD,
        (*DATA, "gates.baseline_reproduces.max=1e400"),
        2,
        ("gates.baseline_reproduces.max", "finite", "inf"),
    ),
    Case(
        15,
        "gate on an unknown metric",
        GOOD,
        (*DATA, "+gates.mine={use: bound, metric: flps, max: 0}"),
        2,
        ("gates.mine.metric", "'flps'", "did you mean 'flips'"),
    ),
    Case(
        15,
        "gate on an unknown reading",
        GOOD,
        (*DATA, "+gates.mine={use: bound, metric: flips, max: 0, reading: stored+v3}"),
        2,
        ("gates.mine.reading", "'stored+v3'", "did you mean 'stored+v"),
    ),
    Case(
        16,
        "code in a rule",
        experiment("""gates: {mine: {use: rule, where: '"flips@stored+v2" >= 0 and __import__(1)'}}\n"""),
        OWN,
        2,
        ("gates.mine.where", "not a SQL condition", "__import__"),
    ),
    Case(17, "no gate", GOOD, ("gate=[]", *DATA), 0),
    Case(
        18,
        "bounds nothing can meet",
        GOOD,
        (*DATA, "gates.baseline_reproduces.min=1"),
        2,
        ("gates.baseline_reproduces.min", "above max"),
    ),
    Case(
        18,
        "two gates nothing can meet",
        GOOD,
        (*DATA, "+gates.few={use: bound, metric: flips, max: 3}", "+gates.many={use: bound, metric: flips, min: 5}"),
        1,
        ("gates few and many cannot both pass: flips <= 3 and >= 5",),
    ),
    Case(
        18,
        "a gate on every reading and one on one",
        GOOD,
        (
            *DATA,
            "+gates.few={use: bound, metric: n, min: 1, max: 3}",
            "+gates.many={use: bound, metric: n, min: 5, reading: stored+v1}",
        ),
        1,
        ("gates few and many cannot both pass: n@stored+v1 in [1, 3] and >= 5",),
    ),
    Case(
        18,
        "two gates on different numbers",
        GOOD,
        (
            *DATA,
            "+gates.few={use: bound, metric: n, max: 3, reading: stored+v1}",
            "+gates.many={use: bound, metric: n, min: 5, reading: stored}",
        ),
        1,
        absent=("cannot both pass",),
    ),
    Case(19, "alias bomb", experiment(LAUGHS), OWN, 2, ("mine.yaml", "expands to more than 100,000 nodes")),
    Case(20, "merge bomb", experiment(MERGES), OWN, 2, ("mine.yaml", "expands to more than 100,000 nodes")),
    Case(
        21, "deep nesting", experiment("x: " + "[" * 3000 + "]" * 3000 + "\n"), OWN, 2, ("mine.yaml", "nested deeper")
    ),
    Case(
        22,
        "tag of an object",
        experiment("x: !!python/object/apply:os.system [touch pwned]\n"),
        OWN,
        2,
        ("mine.yaml:5", "tag", "python/object/apply"),
    ),
    Case(
        23,
        "target in a file",
        experiment("audit: {_target_: os.system}\n"),
        OWN,
        2,
        ("mine.yaml:5", "_target_ is not supported", "os.system", "register"),
    ),
    Case(
        23,
        "target on the command line",
        GOOD,
        (*DATA, "+source._target_=os.system"),
        2,
        ("source._target_", "_target_ is not supported", "register"),
    ),
    Case(
        24,
        "secret from the environment in safe mode",
        GOOD,
        (*DATA, "audit.delimiter=${oc.env:AUDIT_KEY}"),
        2,
        ("audit.delimiter", "${oc.env:AUDIT_KEY}", "AUDITFW_SAFE"),
        {"AUDITFW_SAFE": "1", "AUDIT_KEY": "hush"},
    ),
    Case(25, "circle", experiment("seed: ${objective}\nobjective: ${seed}\n"), OWN, 2, ("seed", "refers to itself")),
    Case(
        25, "interpolation of nothing", GOOD, (*DATA, "audit.delimiter=${nowhere}"), 2, ("audit.delimiter", "nowhere")
    ),
    Case(26, "missing settings", GOOD, (*DATA, "gate=[bound,rule]"), 2, ("gates.bound.metric", "not set")),
    Case(
        27,
        "sweep by accident",
        GOOD,
        ("check", "-m", *DATA, "seed=range(0,10000)", "source.limit=range(1,10001)"),
        2,
        ("check -m", "a sweep of 100,000,000 jobs", "sweep fewer values"),
    ),
    Case(29, "several values without a sweep", GOOD, ("parser=raw,stored", *DATA), 2, ("parser=[raw,stored]", "-m")),
    Case(30, "pattern unquoted", GOOD, (*DATA, "audit.delimiter=(a|b)+"), 2, ("audit.delimiter=(a|b)+", "quote")),
    Case(31, "run folder that climbs", GOOD, (*DATA, "hydra.run.dir=x/../../y"), 2, ("hydra.run.dir", "'..'")),
    Case(
        32,
        "run folder with a NUL",
        experiment('hydra: {sweep: {dir: "outputs/a\\0b"}}\n'),
        ("-m", "experiment=mine", *DATA, "seed=1,2"),
        2,
        ("hydra.sweep.dir", "must not contain '\\x00'"),
    ),
    Case(32, "run folder of a sweep", GOOD, ("-m", *DATA, "seed=1,2", "hydra.run.dir=r"), 2, ("hydra.sweep.dir=r",)),
    Case(32, "sweep folder of a run", GOOD, (*DATA, "hydra.sweep.dir=r"), 2, ("hydra.run.dir=r",)),
    Case(32, "run folder too long", GOOD, (*DATA, f"hydra.run.dir={'x' * 300}"), 4, ("xxx", "errno 36")),
    Case(
        33,
        "run folder used",
        {**GOOD, "r/attempts.jsonl": "{}\n"},
        (*DATA, "hydra.run.dir=r"),
        2,
        ("hydra.run.dir", "holds a run", "(r)"),
    ),
    Case(34, "run folder under a file", GOOD, (*DATA, "hydra.run.dir=d.jsonl/r"), 4, ("d.jsonl/r", "errno 20")),
    Case(
        35,
        "entry behind an override",
        {"conf/experiment/mine.yaml": "# @package _global_\ndefaults: [override /gate: [], /source: csv]\n"},
        ("experiment=mine",),
        2,
        ("defaults", "follows an override", "overrides last"),
    ),
    Case(35, "UTF-16", {"conf/experiment/mine.yaml": "seed: 1\n".encode("utf-16")}, OWN, 2, ("mine.yaml", "UTF-16")),
    Case(35, "not UTF-8", {"conf/experiment/mine.yaml": b"seed: \xff\n"}, OWN, 2, ("mine.yaml", "not UTF-8 at byte 6")),
    Case(35, "empty config", {"conf/experiment/mine.yaml": ""}, ("experiment=mine",), 2, ("# @package _global_",)),
    Case(
        35,
        "parser without its header",
        {"conf/parser/mine.yaml": "use: steps\n", **GOOD},
        ("parser=[raw,mine]", *DATA),
        2,
        ("parser", "wrong place", "conf/parser/", "# @package audit.parsers.NAME"),
    ),
    Case(
        35,
        "list of what cannot be read",
        {"conf/experiment/mine.yaml": b"# \xff\n"},
        ("list",),
        2,
        ("mine.yaml", "UTF-8"),
    ),
    Case(
        35,
        "list of what is no file",
        {"conf/experiment/mine.yaml": os.mkfifo},
        ("list",),
        2,
        ("mine.yaml", "not a file"),
    ),
    Case(35, "config that is a folder", {"conf/experiment/mine.yaml/x": ""}, OWN, 2, ("mine.yaml", "not a file")),
    Case(
        35, "config that is a fifo", {"conf/parser/mine.yaml": os.mkfifo, **GOOD}, MINE, 2, ("mine.yaml", "not a file")
    ),
    Case(35, "config that is a list", {"conf/experiment/mine.yaml": "- 1\n"}, OWN, 2, ("mine.yaml", "mapping", "list")),
    Case(35, "byte-order mark", {k: b"\xef\xbb\xbf" + str(v).encode() for k, v in experiment("").items()}, OWN, 0),
    Case(
        36,
        "plugin that raises",
        {"plugins/mine.py": "import nowhere_to_be_found\n"},
        ("list",),
        2,
        ("plugins/mine.py", "cannot be imported", "nowhere_to_be_found"),
    ),
    Case(
        36,
        "component that is no dataclass",
        {"plugins/mine.py": IMPORTS + "@register('step', 'mine')\nclass Mine:\n    'A step.'\n"},
        ("list",),
        2,
        ("mine.Mine", "a dataclass", "below @register"),
    ),
    Case(36, "plugin that exits", {"plugins/mine.py": "raise SystemExit(0)\n"}, ("list",), 2, ("plugins/mine.py",)),
    Case(
        36,
        "parser of a plugin without a column",
        {
            "plugins/mine.py": IMPORTS + "@register('parser', 'mine')\n@dataclass\n"
            'class Mine:\n    """A parser."""\n    only_with = None\n    def __call__(self, text): return ""\n'
        },
        ("list",),
        2,
        ("mine.Mine", "a parser needs column", "auditfw.kinds"),
    ),
    Case(
        36,
        "plugin with a taken name",
        {
            "plugins/mine.py": IMPORTS + "@register('step', 'strip')\n@dataclass\n"
            'class Mine:\n    """A step."""\n    def __call__(self, text): return ""\n'
        },
        ("list",),
        2,
        ("mine.Mine", "the step 'strip' is taken", "another name"),
    ),
]


@pytest.mark.parametrize("case", marked(CONFIGURATION))
def test_bad_input(case: Case, tmp_path: Path, command: Command) -> None:
    check(case, tmp_path, command)


def test_all_that_is_missing_is_told_at_once(tmp_path: Path, command: Command) -> None:
    lay(tmp_path, GOOD)
    said = command(*DATA, "gate=[bound,rule]", "seed=one").stderr
    assert re.findall("error: ([a-z.]+):", said) == ["gates.bound.metric", "gates.rule.where", "seed"]


def test_secrets_are_not_saved(tmp_path: Path, command: Command) -> None:
    """A setting that holds a path may read the environment, whose value nothing shows; no other setting may."""
    lay(tmp_path, {"hush-hush.jsonl": GOOD["d.jsonl"]})
    words = ("report=[console,json,markdown,junit,html,sarif]", "source.path=${oc.env:AUDIT_KEY}.jsonl")
    done = command(*DATA, *words, "hydra.run.dir=run", env={"AUDIT_KEY": "hush-hush"})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["inputs"][0]["path"] == "[masked].jsonl"
    gone = command(*DATA, *words, env={"AUDIT_KEY": "no-such-thing"})
    labels = "audit.stored_true=['1','True','${oc.env:AUDIT_KEY}']"
    refused = command(*DATA, labels, "hydra.run.dir=other", env={"AUDIT_KEY": "hush-hush"})
    assert (gone.returncode, refused.returncode, (tmp_path / "other").exists()) == (3, 2, False)
    assert "audit.stored_true[2]: ${oc.env:AUDIT_KEY}: only settings that hold a path or a key" in refused.stderr
    assert "hush-hush" not in done.stdout + done.stderr + refused.stderr
    assert "no-such-thing" not in gone.stdout + gone.stderr
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(files) > 8
    assert not any(b"hush-hush" in path.read_bytes() for path in files)
