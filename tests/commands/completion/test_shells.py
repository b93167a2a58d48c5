"""Completion in the shells themselves, as far as they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import Command, run_auditfw
from sentences import commands as says

from auditfw.commands.completion.candidates import SHELLS

HERE = [shell for shell in SHELLS if shutil.which(shell)]
BREAKS = " \t\n\"'><=;|&(:"
SLOW = {"hydra", "jinja2", "msgspec", "numpy", "omegaconf", "polars", "regex", "rich", "scipy", "yaml"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files, and the command as a program there."""
    tmp_path = tmp_path_factory.mktemp("shells")
    (tmp_path / "my logs").mkdir()
    (tmp_path / "my logs" / "it's.eval").touch()
    program = tmp_path / "bin" / "auditfw"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m auditfw "$@"\n', "utf-8")
    program.chmod(0o755)
    for shell in SHELLS:
        (tmp_path / f"completion.{shell}").write_text(run_auditfw(("completion", shell), tmp_path).stdout, "utf-8")
    return tmp_path


def shell(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{project / 'bin'}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "HOME": str(project)}
    return subprocess.run(words, cwd=project, env=env, capture_output=True, text=True, timeout=60, check=False)


def bash(project: Path, line: str) -> list[str]:
    """What bash would put in place of the last part of the line."""
    script = """
        source completion.bash
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(auditfw) COMP_CWORD=1
        _auditfw
        [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
        complete -p auditfw
    """
    done = shell(project, "bash", "--norc", "-c", script, "bash", line)
    assert (done.returncode, done.stderr) == (0, "")
    *found, rule = done.stdout.split("\n")[:-1]
    assert rule.split() == ["complete", "-o", "nospace", "-F", "_auditfw", "auditfw"]
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("auditfw li", ["list "], marks=pytest.mark.slow),
        pytest.param("auditfw source=jso", ["json ", "jsonl "], marks=pytest.mark.slow),
        ("auditfw parser=[stored,boxe", ["[stored,boxed,", "[stored,boxed] "]),
        ("auditfw 'parser=[stored,boxe", ["parser=[stored,boxed,", "parser=[stored,boxed]' "]),
        pytest.param("auditfw source.path=my", ["my\\ logs/"], marks=pytest.mark.slow),
        ("auditfw source.path=my\\ logs/", ["my\\ logs/it\\'s.eval "]),
        ("auditfw 'my logs/", ["my logs/it'\\''s.eval' "]),
        ('auditfw "my logs/', ["my logs/it's.eval\" "]),
        ("auditfw no_such_thing", []),
        pytest.param("auditfw --config-dir nowhere parser=", [], marks=pytest.mark.slow),
        pytest.param("auditfw --config-dir", ["--config-dir "], marks=pytest.mark.slow),
    ],
)
def test_bash(project: Path, line: str, expected: list[str]) -> None:
    assert bash(project, line) == expected


@pytest.mark.skipif("fish" not in HERE, reason="fish is not installed")
def test_fish(project: Path) -> None:
    for line, expected in {
        "auditfw parser=[stored,boxe": ["parser=[stored,boxed,", "parser=[stored,boxed]"],
        "auditfw source.path=my": ["source.path=my logs/"],
        "auditfw no_such_thing": [],
    }.items():
        script = f"source completion.fish; complete -C {line!r}"
        done = shell(project, "fish", "--no-config", "-c", script)
        assert (done.stdout.splitlines(), done.stderr) == (expected, "")


@pytest.mark.parametrize("name", HERE)
def test_scripts_are_sound(project: Path, name: str) -> None:
    done = shell(project, name, "-n", f"completion.{name}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["fish", "zsh"])
def test_words_for_other_shells(command: Command, name: str) -> None:
    """Fish adds blanks by itself; zsh is told by one that a word is finished."""
    end = " " if name == "zsh" else ""
    asked = ("completion", "query", name, "--")
    assert command(*asked, "li").stdout == f"list{end}\n"
    assert command(*asked, "list", "ga").stdout == f"gate{end}\n"
    assert command(*asked, "parser=\\[boxe").stdout == f"parser=[boxed,\nparser=[boxed]{end}\n"
    assert command(*asked).stdout == command(*asked, "").stdout != ""


@pytest.mark.parametrize(
    "words", [(), ("bash",), ("fish", "--"), ("no_such_shell", "x"), ("zsh", "x", "--", "\udcff=")]
)
def test_a_query_never_prints_an_error(command: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "parser").write_text("not a folder", "utf-8")
    done = command("completion", "query", *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_hydras_own_query_prints_no_error_either(command: Command) -> None:
    env = {"COMP_LINE": "auditfw parser=answer_v9 au", "COMP_POINT": "99"}
    done = command("-sc", "query=bash", "--config-dir", "nowhere", env=env)
    assert (done.stdout, done.stderr) == ("", "")
    assert "hydra_bash_completion" in command("-sc", "install=bash").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), says.COMPLETION_NEEDS_THE_NAME_OF),
        (("bash", "x"), says.COMPLETION_NEEDS_THE_NAME_OF_A),
        (("bsh",), says.COMPLETION_BSH_NO_SUCH_SHELL),
    ],
)
def test_a_shell_that_there_is_not(command: Command, words: tuple[str, ...], message: str) -> None:
    done = command("completion", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"auditfw: error: {message}\n")


def test_the_answers_need_nothing_slow(tmp_path: Path) -> None:
    """A shell waits for them at every press of Tab: what takes long to import is left alone."""
    code = """if True:
        import sys
        from auditfw.commands.completion.verb import answer
        for word in "", "parser=[sto", "source.path=x", "hydra/l":
            answer(["zsh", "--", word])
        print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "hydra/launcher="
    assert not SLOW & set(done.stderr.split())
