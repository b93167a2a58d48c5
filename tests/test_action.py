"""The action for GitHub, which has not run there: its parts against a server in place of GitHub's."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from places import ROOT
from running import run_auditfw

from auditfw.commands import help as pages

pytestmark = pytest.mark.slow  # whole runs, or very many texts

ACTION = ROOT / ".github" / "actions" / "auditfw"
TEXT = (ACTION / "action.yml").read_text("utf-8")
FOUND: dict[str, Any] = yaml.safe_load(TEXT)
STEPS: list[dict[str, Any]] = FOUND["runs"]["steps"]
SCRIPTS = sorted(file.name for file in ACTION.glob("*.py"))
ROWS = [
    {"id": f"t{i}", "raw_text": text, "parsed_text": text, "ground_truth": "Paris", "stored": int("aris" in text)}
    for i, text in enumerate(["Paris", "It is Paris", "paris!", "London", "Paris or London", "Rome"])
]
WORDS = ("source=jsonl", "source.path=mine.jsonl", "by=[]", "parser=[stored]", "normalizer=[v1]", "gate=[]")
BOT = {"login": "github-actions[bot]"}
MARK = "<!-- auditfw: answers -->"
TOKEN = "a-token-of-the-job"


# action.yml


def test_what_an_expression_gives_comes_by_the_environment() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", "")
        assert ("run" in step) != ("uses" in step)
        assert step.get("shell", "bash") == "bash"


def test_actions_of_others_are_those_of_the_workflows() -> None:
    used = {step["uses"] for step in STEPS if "uses" in step}
    known = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    assert {one.split("@")[0] for one in used} == {"actions/setup-python", "actions/upload-artifact"}
    assert [one for one in used if one not in known] == []


def test_it_says_that_it_was_not_run_there() -> None:
    assert TEXT.startswith("# Not yet run on GitHub itself")
    page = pages.topics()["ci"]
    assert "It has not yet run on GitHub itself" in " ".join(page.split())
    assert "badge" not in page


def test_inputs_and_scripts_are_all_used() -> None:
    expressions = set(re.findall(r"inputs\.([\w-]+)", TEXT))
    assert expressions == set(FOUND["inputs"])
    assert {step["run"].split("/")[-1].rstrip('"') for step in STEPS if ".py" in step.get("run", "")} == set(SCRIPTS)
    read = set(re.findall(r"AUDITFW_ACTION_\w+", "".join((ACTION / name).read_text("utf-8") for name in SCRIPTS)))
    assert read == {name for step in STEPS for name in step.get("env", {}) if name.startswith("AUDITFW_ACTION")}
    [audit] = [step for step in STEPS if step.get("id") == "audit"]
    assert set(re.findall(r"steps\.audit\.outputs\.([\w-]+)", TEXT)) == {
        "exit-code",
        "verdict",
        "answer",
        "folder",
        "place",
    }
    assert audit["run"] == 'python "$GITHUB_ACTION_PATH/audit.py"'


def test_only_the_comment_gets_the_token() -> None:
    assert [step["name"] for step in STEPS if "inputs.token" in str(step)] == ["Comment"]
    [comment] = [step for step in STEPS if step.get("name") == "Comment"]
    assert "github.event_name == 'pull_request'" in comment["if"]


def test_the_manual_uses_inputs_that_there_are() -> None:
    [example] = re.findall(r"^```yaml \.github/workflows/audit\.yml\n(.*?)^```", pages.topics()["ci"], re.M | re.S)
    workflow = yaml.safe_load(example)
    [step] = [one for one in workflow["jobs"]["audit"]["steps"] if "actions/auditfw" in one.get("uses", "")]
    assert step["with"].keys() <= FOUND["inputs"].keys()
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}


# The scripts


@dataclass
class Hub:
    """A server in place of GitHub's: the comments of a pull request, and what was asked of it."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    refuses: int = 0
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    address: str = ""

    def answer(self, method: str, path: str, content: Any) -> tuple[int, Any]:
        parts = urlsplit(path)
        if self.refuses:
            return self.refuses, {"message": "no"}
        if method == "GET" and parts.path == "/repos/o/r/issues/7/comments":
            query = {name: int(value[0]) for name, value in parse_qs(parts.query).items()}
            first = (query["page"] - 1) * query["per_page"]
            return 200, self.comments[first : first + query["per_page"]]
        if method == "POST" and parts.path == "/repos/o/r/issues/7/comments":
            self.comments.append({"id": 1000 + len(self.comments), "user": BOT, **content})
            return 201, self.comments[-1]
        for comment in self.comments:
            if method == "PATCH" and parts.path == f"/repos/o/r/issues/comments/{comment['id']}":
                comment.update(content)
                return 200, comment
        return 404, {"message": "Not Found"}


@pytest.fixture
def hub() -> Iterator[Hub]:
    """The server, while a test lasts."""
    server_side = Hub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server_side.requests.append((self.command, self.path, self.headers["Authorization"]))
            code, content = server_side.answer(self.command, self.path, json.loads(body or "null"))
            self.send_response(code)
            if code in (301, 302):
                self.send_header("Location", f"{server_side.address}/elsewhere")
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        do_GET = do_POST = do_PATCH = answer

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server_side.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server_side
    server.shutdown()
    server.server_close()
    thread.join()


def script(name: str, folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script of the action as a runner would."""
    left_out = ("GITHUB", "RUNNER", "AUDITFW", "HYDRA", "COLUMNS", "PYTEST", "PYTHONDONTWRITEBYTECODE")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(left_out) and not k.lower().endswith("_proxy")}
    github = {"GITHUB_ACTIONS": "true", "RUNNER_TEMP": str(folder / "temp"), "GITHUB_OUTPUT": str(folder / "output")}
    (folder / "temp").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, ACTION / name, *words],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(ROOT), **github, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def outputs(folder: Path) -> dict[str, str]:
    lines = (folder / "output").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with an accepted run, where the matcher is now another; the audit has run."""
    folder = tmp_path_factory.mktemp("check out's")
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    assert run_auditfw((*WORDS, "report=[]", "hydra.run.dir=first"), folder).returncode == 0
    assert run_auditfw(("accept", "first"), folder).returncode == 0
    shutil.rmtree(folder / "first")
    words = "\n".join(
        ["", *(f"  {word}" for word in WORDS), "matcher=exact", "+gates.few={use: bound, metric: flips, max: 0}"]
    )
    done = script("audit.py", folder, AUDITFW_ACTION_ARGUMENTS=words, GITHUB_STEP_SUMMARY=str(folder / "summary"))
    assert done.returncode == 0, done.stderr
    (folder / "log").write_text(done.stdout, "utf-8")
    return folder


def test_the_audit_leaves_report_summary_annotations_and_outputs(checkout: Path) -> None:
    told = outputs(checkout)
    assert (told["exit-code"], told["verdict"]) == ("1", "fail")
    assert told["answer"] in ("fragile", "broken", "unknown")
    run = Path(told["folder"])
    assert run == Path(told["place"]) / "run"
    assert run.is_relative_to(checkout / "temp")
    for name in ("result.json", "report.html", "report.sarif", "junit.xml"):
        assert (run / name).is_file(), name
    assert (checkout / "summary").read_text("utf-8").startswith("# Audit: parsing")
    assert "::error title=auditfw parsing%3A gate/few" in (checkout / "log").read_text("utf-8")


def test_the_audit_cannot_reach_later_steps(tmp_path: Path) -> None:
    """Code of the checkout that the audit runs finds no file of the runner's, no token, and no module in the way."""
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    for name in ("json", "subprocess", "auditfw", "random"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'hit')!r}, 'w')\n", "utf-8")
    (tmp_path / "plugins").mkdir()
    text = f"import json, os\njson.dump(dict(os.environ), open({str(tmp_path / 'seen')!r}, 'w'))\n"
    (tmp_path / "plugins/seeing.py").write_text(text, "utf-8")
    files = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
    secrets = {"GITHUB_TOKEN": "a", "GH_TOKEN": "b", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "c"}
    given = {name: str(tmp_path / name) for name in files} | secrets
    done = script("audit.py", tmp_path, AUDITFW_ACTION_ARGUMENTS="\n".join(WORDS), **given)
    assert done.returncode == 0, done.stderr
    seen = json.loads((tmp_path / "seen").read_text("utf-8"))
    assert not {"GITHUB_OUTPUT", *files[:3], *secrets} & seen.keys()
    assert seen["GITHUB_STEP_SUMMARY"].startswith(outputs(tmp_path)["place"])
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8").startswith("# Audit: parsing")
    assert not (tmp_path / "hit").exists()


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["-m", "parser=stored,raw"], "2", "auditfw: error: arguments: flags cannot be set here (-m)"),
        (["hydra.run.dir=x"], "2", "auditfw: error: arguments: hydra.run.dir is set by the action"),
        (["+hydra.verbose=true"], "2", "auditfw: error: arguments: +hydra.verbose is set by the action"),
        (["experiment=answer_prsing"], "2", "auditfw: error: experiment=answer_prsing: no experiment named"),
        (["source=jsonl", "source.path=none.jsonl"], "3", "auditfw: error: none.jsonl: no such file"),
        (["check", "experiment=posiwid"], "2", "auditfw: error: no run came of it (exit code 0)"),
        (["source=jsonl; touch hit", "$(touch hit)", "`touch hit`"], "2", "auditfw: error: "),
    ],
)
def test_an_audit_that_does_not_finish(tmp_path: Path, words: Sequence[str], code: str, problem: str) -> None:
    done = script("audit.py", tmp_path, AUDITFW_ACTION_ARGUMENTS="\n".join(words))
    assert done.returncode == 0, done.stderr
    told = outputs(tmp_path)
    assert {name: told[name] for name in ("exit-code", "verdict", "answer", "folder")} == {
        "exit-code": code, "verdict": "", "answer": "", "folder": ""
    }  # fmt: skip
    assert (Path(told["place"]) / "errors.txt").read_text("utf-8").startswith(problem)
    assert not list(tmp_path.rglob("hit"))


def comment(checkout: Path, hub: Hub, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the step that comments."""
    head = {"sha": "0123456789abcdef0123456789abcdef01234567"}
    event = {"action": "synchronize", "number": 7, "pull_request": {"number": 7, "title": "$(touch hit)", "head": head}}
    (checkout / "event.json").write_text(json.dumps(event), "utf-8")
    given = {
        "AUDITFW_ACTION_AUTHOR": BOT["login"],
        "AUDITFW_ACTION_BASELINE": "baseline.json",
        "AUDITFW_ACTION_EXIT_CODE": "1",
        "AUDITFW_ACTION_NAME": "answers",
        "AUDITFW_ACTION_PLACE": outputs(checkout)["place"],
        "GITHUB_API_URL": hub.address,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(checkout / "event.json"),
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_RUN_ID": "42",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_TOKEN": TOKEN,
    }
    done = script("comment.py", checkout, **{**given, **environment})
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout + done.stderr
    return done


def test_a_comment_is_made_once_and_then_changed(checkout: Path, hub: Hub) -> None:
    assert comment(checkout, hub).stdout == "auditfw: commented on pull request 7\n"
    [made] = hub.comments
    lines = made["body"].splitlines()
    assert lines[:3] == [MARK, "### auditfw: parsing", ""]
    assert lines[3].startswith("**Answer: ")
    for line in (
        "#### Labels that changed since baseline.json",
        "2 labels of 1 reading changed, of 6 trials in both.",
        "| stored+v1 | t1 | true | false |",
        "| few | flips <= 0 | stored+v1 | 2 | fail |",
    ):
        assert line in lines
    page = "https://github.com/o/r/actions/runs/42"
    assert lines[-1] == f"Commit 0123456789ab. The summary and report.html are in [this run]({page})."
    hub.comments[0]["body"] = f"{MARK}\nold"
    assert comment(checkout, hub).stdout == "auditfw: changed the comment on pull request 7\n"
    assert [one["body"] for one in hub.comments] == [made["body"]]
    assert {key for _, _, key in hub.requests} == {f"Bearer {TOKEN}"}
    assert [method for method, _, _ in hub.requests] == ["GET", "POST", "GET", "PATCH"]


def test_comments_of_others_stay(checkout: Path, hub: Hub) -> None:
    others = [
        {"id": 1, "user": {"login": "somebody"}, "body": f"{MARK}\nmine"},
        {"id": 2, "user": BOT, "body": "<!-- auditfw: other -->\nanother audit"},
        {"id": 3, "user": BOT, "body": f"> {MARK}\nquoted"},
        {"id": 4, "user": None, "body": None},
    ]
    hub.comments = [dict(one) for one in others]
    assert "commented on" in comment(checkout, hub).stdout
    assert hub.comments[:-1] == others
    assert hub.comments[-1]["body"].startswith(MARK)


@pytest.mark.parametrize("before", [99, 100, 250])
def test_a_comment_is_found_on_a_later_page(before: int, checkout: Path, hub: Hub) -> None:
    others = [{"id": n, "user": BOT, "body": "other"} for n in range(before)]
    hub.comments = [*others, {"id": 999, "user": BOT, "body": f"{MARK}\nold"}]
    assert "changed the comment" in comment(checkout, hub).stdout
    assert hub.comments[-1]["body"] != f"{MARK}\nold"
    assert len(hub.comments) == before + 1
    assert [method for method, _, _ in hub.requests] == ["GET"] * (before // 100 + 1) + ["PATCH"]


@pytest.mark.parametrize(
    ("environment", "refuses", "says"),
    [
        ({"GITHUB_EVENT_NAME": "push"}, 0, "auditfw: no comment: this is no pull request"),
        ({"GITHUB_EVENT_NAME": "pull_request_target"}, 0, "auditfw: no comment: this is no pull request"),
        ({"AUDITFW_ACTION_BASELINE": "none.json"}, 0, "auditfw: no comment: there is no none.json; make it with"),
        ({}, 403, "::warning title=auditfw::no comment: GET of a comment was refused (403 Forbidden): the job needs"),
        ({}, 404, "::warning title=auditfw::no comment: GET of a comment was refused (404 Not Found): the job needs"),
        ({}, 500, "::warning title=auditfw::no comment: GET of a comment was refused (500 Internal Server Error)\n"),
        ({}, 302, "::warning title=auditfw::no comment: GET of a comment was refused (302 Found)\n"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, 0, "::warning title=auditfw::no comment: GET of a comment failed"),
        ({"GITHUB_TOKEN": ""}, 0, "::warning title=auditfw::no comment: there is no repository or no token"),
        ({"GITHUB_REPOSITORY": "o/r/../x"}, 0, "::warning title=auditfw::no comment: there is no repository or no"),
        ({"AUDITFW_ACTION_NAME": "a -- b"}, 0, "::warning title=auditfw::no comment: name: write letters"),
        ({"AUDITFW_ACTION_NAME": "a --> b"}, 0, "::warning title=auditfw::no comment: name: write letters"),
        ({"AUDITFW_ACTION_NAME": ""}, 0, "::warning title=auditfw::no comment: name: write letters"),
        ({"GITHUB_EVENT_PATH": "none.json"}, 0, "::warning title=auditfw::no comment: FileNotFoundError"),
        ({"GITHUB_EVENT_PATH": "baseline.json"}, 0, "::warning title=auditfw::no comment: KeyError: 'pull_request'"),
    ],
)  # fmt: skip
def test_where_there_is_no_comment(
    environment: dict[str, str], refuses: int, says: str, checkout: Path, hub: Hub
) -> None:
    hub.refuses = refuses
    assert comment(checkout, hub, **environment).stdout.startswith(says)
    assert hub.comments == []
    assert len(hub.requests) == (1 if refuses else 0)


def test_an_audit_that_failed_replaces_what_was_said_before(checkout: Path, hub: Hub, tmp_path: Path) -> None:
    script("audit.py", tmp_path, AUDITFW_ACTION_ARGUMENTS="source=jsonl\nsource.path='no```ne.jsonl'")
    hub.comments = [{"id": 5, "user": BOT, "body": f"{MARK}\nAnswer: stable"}]
    comment(checkout, hub, AUDITFW_ACTION_PLACE=outputs(tmp_path)["place"], AUDITFW_ACTION_EXIT_CODE="3")
    lines = hub.comments[0]["body"].splitlines()
    assert lines[:4] == [MARK, "### auditfw", "", "**Nothing to compare (exit code 3).**"]
    assert lines[5] == lines[7] == "````" or lines[5] == "````text"
    assert lines[6].startswith("auditfw: error: no```ne.jsonl: no such file")


def test_a_baseline_that_is_none_is_said(checkout: Path, hub: Hub) -> None:
    (checkout / "broken.json").write_text('{"schema": "auditfw.baseline/0"}', "utf-8")
    comment(checkout, hub, AUDITFW_ACTION_BASELINE="broken.json")
    assert "auditfw: error: broken.json: is not of schema auditfw.baseline/1" in hub.comments[0]["body"]


@pytest.mark.parametrize(
    ("version", "extras", "wanted"),
    [
        ("", "", str(ROOT)),
        ("", "charts, openai", f"{ROOT}[charts,openai]"),
        ("0.1.0", "", "auditfw==0.1.0"),
        (" 0.1.0 ", "math", "auditfw[math]==0.1.0"),
        ("0.1 --index-url x", "", "version: write one such as 0.1.0"),
        ("", "x] @ http://y [z", "extras: write names separated by commas"),
    ],
)
def test_what_pip_is_given(version: str, extras: str, wanted: str) -> None:
    install = runpy.run_path(str(ACTION / "install.py"))["requirement"]
    environment = {"AUDITFW_ACTION_VERSION": version, "AUDITFW_ACTION_EXTRAS": extras}
    if ": " in wanted:
        with pytest.raises(ValueError, match=wanted):
            install(environment)
    else:
        assert install(environment) == wanted


def test_nothing_is_installed_where_it_is_there(tmp_path: Path) -> None:
    done = script("install.py", tmp_path, AUDITFW_ACTION_VERSION="none")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = script("install.py", tmp_path, AUDITFW_ACTION_VERSION="a b")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
