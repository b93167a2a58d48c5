"""Words without `=`: a command or a key where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import Command

from auditfw.commands.completion.candidates import VERBS
from auditfw.commands.paths.bare_words import check_bare_words
from auditfw.core.errors import UsageError

WRONG = [
    ("source.path a.eval", "source.path: has no value - write source.path=a.eval, without spaces"),
    ("seed=1 source.path a.eval", "source.path: has no value - write source.path=a.eval, without spaces"),
    ("source", "source: has no value - write source=VALUE, without spaces"),
    ("+gates.x.max seed=1", "+gates.x.max: has no value - write +gates.x.max=VALUE, without spaces"),
    ("seed=1 check", "check: is a command, and commands come first - write auditfw check seed=1"),
    ("a.eval check", "check: is a command, and commands come first - write auditfw check a.eval"),
]
RIGHT = [
    "",
    "seed=1",
    "a.eval",
    "a.eval b.eval seed=1",
    "*.eval",
    "~gates",
    "seed=1 ~gates",
    "check",
    "sweep",
    "nonsense",
]


@pytest.fixture
def logs(here: Path) -> Path:
    for name in ("a.eval", "b.eval"):
        (here / name).touch()
    return here


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_a_word_that_is_no_override(logs: Path, words: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_bare_words(words.split(), VERBS)
    assert str(caught.value) == message


@pytest.mark.parametrize("words", RIGHT)
def test_words_that_may_be(logs: Path, words: str) -> None:
    check_bare_words(words.split(), VERBS)


MISTAKES = [
    ("source.path a.eval", "write source.path=a.eval"),
    ("check source.path a.eval", "write source.path=a.eval"),
    ("-m seed=1,2 source.path a.eval", "write source.path=a.eval"),
    ("seed=1 check", "write auditfw check seed=1"),
    ("experiment=posiwid a.eval", "source.path=a.eval"),
    ("check experiment=posiwid a.eval", "source.path=a.eval"),
]


@pytest.mark.parametrize(("words", "do"), MISTAKES)
def test_the_command_says_so(command: Command, tmp_path: Path, words: str, do: str) -> None:
    (tmp_path / "a.eval").touch()
    done = command(*words.split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert do in done.stderr


@pytest.mark.slow
def test_flags_stand_anywhere(command: Command, tmp_path: Path) -> None:
    words = ("normalizer=[v1]", "parser=[stored]", "report=[]")
    for typed in (("-m", *words, "seed=1,2"), (words[0], "-m", *words[1:], "seed=1,2")):
        done = command(*typed)
        assert (done.returncode, done.stdout.count("seed=")) == (0, 2), done.stderr
    for typed in (("-m", "check", "seed=1,2"), ("check", "seed=1,2", "-m"), ("check", "-m", "seed=1,2")):
        done = command(*typed)
        assert (done.returncode, done.stderr) == (0, "")
        assert "2 jobs, nothing was run" in done.stdout
    assert command("--json", "list", "gate").stdout == command("list", "gate", "--json").stdout
    assert "seed: 3" in command("seed=3", "--cfg", "job", "gate=[]").stdout
