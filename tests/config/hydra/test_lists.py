"""`matcher=a` and `matcher=[a,b]`: one group that takes a name or a list, wherever it is chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from running import Command, run_auditfw

from auditfw.config import build as bridge
from auditfw.config.hydra.command import jobs
from auditfw.config.hydra.errors import as_audit_error
from auditfw.config.hydra.lists import as_entry, as_option, initialized, option_of
from auditfw.config.hydra.sweep_configs import Composer, revised
from auditfw.core.errors import UsageError

CHOICE = {"use": "choice", "letters": "ABCDEFGHIJ"}
EXACT = {"use": "exact", "compares_empty": False}
MINE = """# @package audit.matcher
# Letters A to D.
defaults: [choice@_here_, _self_]
letters: ABCD
"""
BOTH = """# @package _global_
# Two matchers.
defaults:
  - answer_parsing
  - override /matcher: [mine, exact]
  - _self_
audit: {matchers: {mine: {letters: ABC}}}
"""


def audit(*words: str) -> dict[str, Any]:
    composed: dict[str, Any] = bridge.compose(words)["audit"]
    return {key: composed[key] for key in ("matcher", "matchers") if key in composed}


@pytest.mark.parametrize("word", ["matcher=exact", "matcher=[exact]", "+matcher@audit.x=exact"])
def test_one_is_as_ever(word: str) -> None:
    assert audit(word) == {"matcher": {"use": "containment"} if "@" in word else EXACT}
    if "@" not in word:
        assert bridge.compose([word]) == bridge.compose(["matcher=exact"])


def test_several_are_below_their_names_and_the_first_is_where_one_is() -> None:
    assert audit("matcher=[choice,exact]") == {
        "matcher": CHOICE,
        "matchers": {"choice": CHOICE, "exact": EXACT},
    }
    assert list(audit("matcher=[exact,choice]")["matchers"]) == ["exact", "choice"]
    wide = {**CHOICE, "letters": "AB"}
    assert audit("matcher=[choice,exact]", "audit.matchers.choice.letters=AB") == {
        "matcher": wide,
        "matchers": {"choice": wide, "exact": EXACT},
    }
    assert audit("matcher=[exact,choice]", "audit.matchers.choice.letters=AB")["matcher"] == EXACT


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["matcher=[exact,exakt]"], "matcher=exakt: no matcher named 'exakt' - did you mean 'exact'?"),
        (["matcher=[exact,math,exact]"], "matcher=[exact,math,exact]: names 'exact' more than once - name each once"),
        (["matcher=[exact,null]"], "matcher: expected a name, got [exact,null] - to choose nothing write ~matcher"),
        (["matcher=[]"], "audit.matcher: not set - choose one: matcher=NAME"),
        (["~matcher"], "audit.matcher: not set - choose one: matcher=NAME"),
        (
            ["matcher=[choice,exact]", "audit.matcher.letters=AB"],
            "audit.matcher: differs from audit.matchers.choice, the first of several - "
            "set it there: audit.matchers.choice.KEY=...",
        ),
        (["matcher=[choice,exact]", "audit.matchers.choice.letter=A"], "audit.matchers.choice.letter: no such key"),
        (["matcher=[choice,exact]", "audit.matchers.choic.letters=A"], "audit.matchers.choic: no such key - did you"),
        (
            ["matcher=choice", "audit.matchers.choice.letters=A"],
            "audit.matchers: no such key - one is chosen, and its settings are at audit.matcher",
        ),
        (["matcher=[choice,exact]", "+audit.matchers.choice.letter=A"], "audit.matchers.choice.letter: unknown"),
        (
            ["matcher=[exact,math]", "+audit.matchers.c.use=choice", "audit.matchers.c.letters=A"],
            "audit.matchers.c.letters: is not set in the config yet - write +audit.matchers.c.letters=...",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be(words: list[str], told: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Hydra's or ours
        bridge.build(bridge.compose(words))
    assert str(as_audit_error(caught.value)).startswith(told)


def test_jobs_of_a_sweep() -> None:
    """A list is one of the values; a value below it belongs to the jobs that choose it."""
    found = jobs(["matcher=[choice,exact],numeric", "seed=1,2"])
    assert [job[0] for job in found] == ["matcher=[choice,exact]"] * 2 + ["matcher=numeric"] * 2
    words = ["matcher=[choice,exact],[choice,math]", "audit.matchers.choice.letters=AB"]
    assert [audit(*job)["matcher"]["letters"] for job in jobs(words)] == ["AB", "AB"]


def test_a_job_of_a_sweep_is_composed_as_a_run_is() -> None:
    bridge.prepare()
    words = ["matcher=[choice,exact]", "audit.matchers.choice.letters=AB", "parser=[raw]"]
    with initialized() as loader:
        job = Composer(loader, loader.load_configuration("config", [], RunMode.MULTIRUN)).compose(0, words)
    assert job.overrides == tuple(words)
    assert bridge.settings_of(job.config) == bridge.compose(words)


def test_a_stored_config_takes_one_or_several() -> None:
    raw = bridge.compose(["parser=[raw]"])

    def again(config: dict[str, Any], *words: str) -> tuple[dict[str, Any], dict[str, Any]]:
        written, resolved = revised(config, words)
        return written, {key: resolved["audit"][key] for key in ("matcher", "matchers") if key in resolved["audit"]}

    several, settings = again(raw, "matcher=[choice,exact]", "audit.matchers.choice.letters=AB")
    assert settings == audit("matcher=[choice,exact]", "audit.matchers.choice.letters=AB")
    assert several["audit"]["matcher"]["letters"] == "${audit.matchers.choice.letters}"
    assert again(several, "audit.matchers.choice.letters=C")[1]["matcher"]["letters"] == "C"
    assert again(several, "matcher=numeric")[1] == audit("matcher=numeric")
    assert again(several, "matcher=[exact]")[1] == {"matcher": EXACT}
    assert list(again(several, "matcher=[math,exact]")[1]["matchers"]) == ["math", "exact"]
    for word, told in (("[]", "no name is chosen"), ("[exact,exact]", "more than once"), ("[exact,exat]", "exact'?")):
        with pytest.raises(UsageError, match=told.replace("?", r"\?")):
            again(raw, f"matcher={word}")


def test_words_and_entries() -> None:
    lines = ["matcher=[a,b]", "matcher=a", "parser=[a,b]", "matcher=[]", "~matcher", "matcher@x=[a,b]", "matcher=a,b"]
    parsed = list(map(as_option, OverridesParser.create().parse_overrides(lines)))
    assert [one.input_line for one in parsed] == lines
    assert [one.value() for one in parsed[:6]] == ["a,b", "a", ["a", "b"], [], None, ["a", "b"]]
    assert as_entry({"override /matcher": ["a", "b"]}) == {"override /matcher": "a,b"}
    assert as_entry({"matcher": ["a"]}) == {"matcher": "a"}
    for entry in ("_self_", {"override /matcher": "a"}, {"override /parser": ["a", "b"]}, {"matcher": None}):
        assert as_entry(entry) == entry
    package, content = option_of("matcher", "exact,choice")
    assert (package, content["matcher"]) == (
        "audit",
        EXACT | {"compares_empty": "${audit.matchers.exact.compares_empty}"},
    )
    assert content["defaults"] == ["exact@matchers.exact", "choice@matchers.choice", "_self_"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("experiment", "matcher"):
        (tmp_path / "conf" / folder).mkdir(parents=True)
    (tmp_path / "conf" / "matcher" / "mine.yaml").write_text(MINE, "utf-8")
    (tmp_path / "conf" / "experiment" / "both.yaml").write_text(BOTH, "utf-8")
    wrong = BOTH.replace("[mine, exact]", "[mine, exat]")
    (tmp_path / "conf" / "experiment" / "wrong.yaml").write_text(wrong, "utf-8")
    return tmp_path


@pytest.mark.slow
def test_an_experiment_of_the_users_own(project: Path, command: Command) -> None:
    words = ("experiment=both", "report=[json]", "gate=[]", "hydra.run.dir=one")
    done = command(*words)
    assert done.returncode == 0, done.stderr
    readings = {one["reading"] for one in json.loads(done.stdout)["measurements"]}
    assert {"stored", "stored+v1+mine", "answer_v2+v2+exact", "after_think+v2+mine"} < readings
    assert len(readings) == 11
    shown = command("experiment=both", "--cfg", "job", "--resolve").stdout
    wanted = "  matchers:\n    mine:\n      use: choice\n      letters: ABC\n"
    wanted += "    exact:\n      use: exact\n      compares_empty: false\n"
    assert wanted in shown
    assert "  matcher:\n    use: choice\n    letters: ABC\n" in shown
    assert (project / "one" / ".hydra" / "overrides.yaml").read_text("utf-8").startswith("- experiment=both\n")
    assert command("check", "experiment=wrong").stderr == (
        "auditfw: error: matcher=exat: no matcher named 'exat' - did you mean 'exact'?\n"
    )
    chosen = command("check", "experiment=both", "matcher=[exact,mine]", "parser=[raw]", "normalizer=[v1]").stdout
    assert "readings: raw+v1+exact, raw+v1+mine\n" in chosen
    again = command("rerun", "one", "matcher=[exact,numeric]", "reports={}")
    assert (again.returncode, again.stderr) == (0, "")


def test_help_marks_the_group_as_one_that_takes_a_list(command: Command) -> None:
    lines = command("--help").stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  matcher") or line.startswith("  source")] == [
        "source",
        "matcher*",
    ]


def test_completion(project: Path) -> None:
    def completed(line: str) -> list[str]:
        env = {"COMP_LINE": f"auditfw {line}", "COMP_POINT": "99"}
        return run_auditfw(("-sc", "query=bash"), project, env).stdout.split()

    assert {"matcher=mine", "matcher=exact"} < set(completed("matcher="))
    assert completed("matcher=[mine,exact] audit.matchers.") == ["audit.matchers.exact.", "audit.matchers.mine."]
    assert completed("matcher=[mine,exact] audit.matchers.mine.l") == ["audit.matchers.mine.letters="]


# Values: a group of named variants without components


def weights(*words: str) -> dict[str, Any]:
    composed: dict[str, Any] = bridge.compose(["experiment=posiwid", *words])["audit"]
    return {key: composed[key] for key in ("weights", "other_weights")}


BALANCED, MAGNITUDE = {"direction": 0.5, "magnitude": 0.5}, {"direction": 0.0, "magnitude": 1.0}


@pytest.mark.slow
def test_of_values_the_others_alone_are_below_their_names() -> None:
    assert weights() == weights("weights=balanced") == {"weights": BALANCED, "other_weights": {}}
    assert weights("weights=[magnitude]") == {"weights": MAGNITUDE, "other_weights": {}}
    both = {"weights": MAGNITUDE, "other_weights": {"balanced": BALANCED}}
    assert weights("weights=[magnitude,balanced]") == both
    below = ["audit.weights.direction=1", "audit.other_weights.balanced.direction=2"]
    changed = weights("weights=[magnitude,balanced]", *below)
    assert changed["weights"] == {"direction": 1, "magnitude": 1.0}
    assert changed["other_weights"] == {"balanced": {"direction": 2, "magnitude": 0.5}}
    more = weights("+audit.other_weights.mine={direction: 1, magnitude: 3}")
    assert more == {"weights": BALANCED, "other_weights": {"mine": {"direction": 1, "magnitude": 3}}}
    [first, second] = jobs(["experiment=posiwid", "weights=[balanced,magnitude],direction"])
    assert weights(*first[1:])["other_weights"] == {"magnitude": MAGNITUDE}
    assert weights(*second[1:]) == {"weights": {"direction": 1.0, "magnitude": 0.0}, "other_weights": {}}


def test_a_stored_config_takes_other_values() -> None:
    raw = bridge.compose(["experiment=posiwid", "weights=[balanced,magnitude]"])

    def again(*words: str) -> dict[str, Any]:
        resolved = revised(raw, words)[1]["audit"]
        return {key: resolved.get(key, {}) for key in ("weights", "other_weights")}

    assert again() == weights("weights=[balanced,magnitude]")
    assert again("weights=magnitude") == weights("weights=magnitude")
    assert again("weights=[direction,magnitude]") == weights("weights=[direction,magnitude]")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["weights=[balanced,balanced]"], "weights=[balanced,balanced]: names 'balanced' more than once"),
        (["weights=[balanced,magnitud]"], "weights=magnitud: no weights named 'magnitud' - did you mean 'magnitude'?"),
        (["weights=balance"], "weights=balance: no weights named 'balance' - did you mean 'balanced'?"),
        (["audit.weights.direction=-1"], "audit.weights.direction: expected a weight of 0 or more, got -1"),
        (["audit.weights={direction: 0, magnitude: 0}"], "audit.weights: the weights add up to zero"),
        (["+audit.other_weights.m={size: 1}"], "audit.other_weights.m.size: unknown setting (1) - known: direction"),
        (["+audit.other_weights.m={magnitude: big}"], "audit.other_weights.m.magnitude: expected a number, got 'big'"),
        (["audit.weights=balanced"], "audit.weights: expected a mapping"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_no_weights_can_be(words: list[str], message: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Hydra's or ours
        bridge.build(bridge.compose(["experiment=posiwid", *words]))
    assert str(as_audit_error(caught.value)).startswith(message)


@pytest.mark.slow
def test_weights_of_the_users_own(project: Path, command: Command) -> None:
    """A file of its own, as the first of two, with the default of what it leaves out; and what each audit says."""
    (project / "conf" / "weights").mkdir(parents=True, exist_ok=True)
    (project / "conf" / "weights" / "size.yaml").write_text("# @package audit.weights\n# Mostly size.\nmagnitude: 2\n")
    done = command("experiment=posiwid", "weights=[size,magnitude]", "report=[json]", cwd=project)
    assert done.returncode == 0, done.stderr
    readings = {one["reading"] for one in json.loads(done.stdout)["measurements"]}
    assert readings == {"actual", "actual.magnitude"}
    assert "direction 0.5 : magnitude 2" in json.loads(done.stdout)["answer"]["because"][1]
    other = command("weights=magnitude", cwd=project)
    assert (other.returncode, "audit.weights: is a setting of another audit" in other.stderr) == (2, True)


@pytest.mark.parametrize(("words", "sizes"), [([], [1, 10]), (["one=b"], [2, 20]), (["one=b", "two=a"], [2, 10])])
def test_names_in_a_list_of_defaults_may_refer_to_others(tmp_path: Path, words: list[str], sizes: list[int]) -> None:
    (tmp_path / "config.yaml").write_text("defaults:\n  - one: a\n  - two: ${one}\n  - _self_\n", "utf-8")
    for group, times in (("one", 1), ("two", 10)):
        (tmp_path / group).mkdir()
        for name, size in (("a", 1), ("b", 2)):
            (tmp_path / group / f"{name}.yaml").write_text(f"size: {size * times}\n", "utf-8")
    with initialize_config_dir(str(tmp_path), version_base="1.3"):
        config = hydra_compose("config", words)
    assert [config.one.size, config.two.size] == sizes
