"""The words of `auditfw PATH...`: paths that come first, whatever characters they have, and settings behind them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from files_read import lines
from running import Command
from sentences import commands as says

from auditfw.commands.paths.command import kept, named_paths, with_paths
from auditfw.commands.paths.proposal import Proposal, spelt
from auditfw.config import build as bridge
from auditfw.config.quoting import with_quoted_paths
from auditfw.core.errors import UsageError

Capture = pytest.CaptureFixture[str]


def test_a_verb_comes_before_a_path_of_its_name(command: Command, tmp_path: Path) -> None:
    (tmp_path / "list").mkdir()
    assert command("list", "matcher").stdout.startswith("╭ matcher")


def test_a_word_that_is_neither_is_a_verb_mistyped(command: Command) -> None:
    done = command("chekc")
    assert (done.returncode, done.stderr) == (2, says.AUDITFW_ERROR_CHEKC_NO_SUCH)


def test_paths_come_first_and_own_words_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.eval", "b.eval", "by=x", "b", "model=m,temp=0"):
        (tmp_path / name).touch()
    named = named_paths(["*.eval", "by=[x]", "a.eval"])
    assert named_paths(["model=m,temp=0", "model=*", "by=x", "by=[b]"]).paths == (*["model=m,temp=0"] * 2, "by=x")
    assert (named.paths, named.rest) == (("a.eval", "b.eval"), ("by=[x]", "a.eval"))
    assert named_paths(["--help"]).paths == ()
    assert named_paths(["*.json"]).paths == ()
    proposed = Proposal("", ("source=json", "by=[]", "seed=1"))
    assert kept(proposed, ["+by=[m]", "seed=2"]) == ["source=json"]


@pytest.mark.parametrize(
    ("own", "left"),
    [
        ([], ["matcher=numeric", "audit.matcher.which=last", "audit.baseline=search"]),
        (["matcher=numeric"], ["audit.matcher.which=last", "audit.baseline=search"]),
        (["matcher=numeric,exact"], ["audit.baseline=search"]),
        (["matcher=exact", "parser=[raw]"], ["audit.baseline=search"]),
    ],
)
def test_settings_of_a_component_go_with_it(own: list[str], left: list[str]) -> None:
    words = ("matcher=numeric", "audit.matcher.which=last", "audit.baseline=search")
    assert kept(Proposal("answers", words, ()), own) == left


def test_a_command_as_one_types_it() -> None:
    assert spelt(["a=1", "b=[x]", "c='y'", "d='$y'"]) == """auditfw a=1 'b=[x]' "c='y'" 'd='"'"'$y'"'"''"""


HARNESS = "samples_sums_2026-01-02T03-04-05.jsonl"  # the rows of a log of lm-evaluation-harness, below
ROWS = [
    {
        "doc_id": i, "target": f"#### {i}", "resps": [[f"It is {i}."]], "filtered_resps": [f"{i}."],
        "filter": "flexible-extract", "metrics": ["exact_match"], "exact_match": 1.0,
    }
    for i in range(3)
]  # fmt: skip


@pytest.mark.parametrize(
    "folder",
    [
        *("model=gpt4,temp=0", "a (b)", "it's=1", "${n}=1", "~a=1"),
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("gsm:model=a_b", "seed=1", "k=[x]", "+x=1")),
    ],
)
def test_a_path_is_a_path_whatever_characters_it_has(here: Path, capsys: Capture, folder: str) -> None:
    (here / folder).mkdir()
    path = lines(*ROWS, name=str(here / folder / HARNESS)).removeprefix(f"{here}/")
    for named in (folder, f"{folder}/", path):
        [words] = with_paths([named, "by=[]"]).runs
        assert list(words)[:1] == ["source=lm_eval"]
        printed = capsys.readouterr().err.splitlines()[-1].partition(": auditfw ")[2]
        typed = with_quoted_paths(shlex.split(printed))
        for again in (typed, with_quoted_paths(["source=lm_eval", f"source.path={named}"])):
            assert bridge.compose(again)["source"]["path"] == named
    with pytest.raises(UsageError) as caught:
        with_paths(["by=[]", path])
    first, _, setting = str(caught.value.do).partition(", or name it in ")
    assert named_paths(shlex.split(first)[1:]).paths == (path,)
    assert bridge.compose(["source=lm_eval", *shlex.split(setting)])["source"]["path"] == path


QUIET = ("seed=1,2", "report=[]")


def test_verbs_and_sweeps_take_such_paths(command: Command, tmp_path: Path) -> None:
    names = ["model=gpt4,temp=0", "model=gpt4,temp=1"]
    for name in names:
        (tmp_path / name).mkdir()
        lines(*ROWS, name=str(tmp_path / name / HARNESS))
    for words in (["check", names[0]], ["probe", names[0]], [names[0], "report=[]"], [names[0], "-m", *QUIET]):
        done = command(*words)
        assert done.returncode == 0, done.stderr
        assert says.AUDITFW_LOGS_OF_LM_EVALUATION in done.stderr
    words = ["source=lm_eval", "report=[]", "gate=[]", "-m"]
    done = command(f"source.path={','.join(names)}", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("╭ Sweep: 2 jobs, exit code 0")
    assert command(f"source.path={names[0]},nowhere", *words).returncode == 2


def test_a_setting_of_the_same_name_goes_behind_another_word(command: Command, tmp_path: Path) -> None:
    (tmp_path / "seed=1").mkdir()
    lines(*ROWS, name=str(tmp_path / "seed=1" / HARNESS))
    done = command("check", "seed=1")
    assert done.stderr.startswith(says.AUDITFW_WARNING_IS_THE_PATH)
    assert "rows: 3" in done.stdout
    behind = command("experiment=answer_parsing", "seed=1", "--cfg", "job", "-p", "seed")
    assert (behind.stdout, behind.stderr) == ("1\n", "")


@pytest.mark.parametrize(
    ("word", "code", "message"),
    [
        ("model=gpt4,temp=0/nowhere.jsonl", 3, "no such file - known: samples_sums_2026-01-02T03-04-05.jsonl"),
        ("model=gpt4", 2, says.MODEL_NO_SUCH_KEY_KNOWN),
        ("sorce.path=a/b", 2, says.SORCE_NO_SUCH_KEY_DID),
    ],
)
def test_what_is_no_path_stays_an_override(
    command: Command, tmp_path: Path, word: str, code: int, message: str
) -> None:
    (tmp_path / "model=gpt4,temp=0").mkdir()
    lines(*ROWS, name=str(tmp_path / "model=gpt4,temp=0" / HARNESS))
    done = command(word)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)
    assert message in done.stderr
