"""Comments on a pull request what became of an audit's answer and labels; a comment made before is changed in place.

Whatever GitHub answers, the step does not fail: what is wrong is a warning.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit import environment

from auditfw.core.escaping import github_text, markdown_code_block

SECONDS = 30
PAGES, PAGE = 50, 100
FINISHED = "result.json"
RIGHTS = "the job needs permissions: {pull-requests: write}; a pull request from a fork has no such token"


class Unavailable(Exception):
    """GitHub did not do what it was asked."""


class Direct(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, so that the token goes nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def asked(method: str, address: str, token: str, content: Mapping[str, str] | None = None) -> Any:
    """What GitHub answers. Raises Unavailable."""
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "User-Agent": "auditfw",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(address, body, headers, method=method)  # noqa: S310 - the runner names the address
    try:
        with urllib.request.build_opener(Direct).open(request, timeout=SECONDS) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        do = f": {RIGHTS}" if error.code in (401, 403, 404) else ""
        raise Unavailable(f"{method} of a comment was refused ({error.code} {error.reason}){do}") from None
    except (OSError, ValueError) as error:
        raise Unavailable(f"{method} of a comment failed ({type(error).__name__}: {error})") from None


def ours(comments: str, token: str, mark: str, author: str) -> int | None:
    """The number of the comment that this action made before on a pull request."""
    for page in range(1, PAGES + 1):
        listed = asked("GET", f"{comments}?per_page={PAGE}&page={page}", token)
        for one in listed:
            user = one.get("user") or {}
            if str(one.get("body") or "").startswith(mark) and user.get("login") == author:
                return int(one["id"])
        if len(listed) < PAGE:
            break
    return None


def difference(place: Path, baseline: str) -> str:
    """The answer, labels and gates of the run beside the accepted one; why there are none where it did not finish."""
    if not (place / "run" / FINISHED).is_file():
        return unfinished((place / "errors.txt").read_text("utf-8"))
    command = [sys.executable, "-P", "-m", "auditfw", "compare", baseline, str(place / "run"), "--markdown"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, encoding="utf-8", check=False)
    print(done.stderr, end="", file=sys.stderr)
    return done.stdout if done.returncode == 0 else unfinished(done.stderr)


def unfinished(errors: str) -> str:
    """What is said of an audit that gave nothing to compare."""
    code = os.environ.get("AUDITFW_ACTION_EXIT_CODE", "")
    ended = f" (exit code {int(code)})" if code.isdecimal() else ""
    shown = markdown_code_block(errors.strip()[:4000] or "no output")
    return f"### auditfw\n\n**Nothing to compare{ended}.**\n\n{shown}\n"


def foot(event: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Which commit and which run of the workflow a comment is of."""
    commit = str(event["pull_request"].get("head", {}).get("sha", ""))
    of = f"Commit {commit[:12]}. " if re.fullmatch("[0-9a-f]{40,64}", commit) else ""
    server, number = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_RUN_ID", "")
    if not (re.fullmatch(r"https://[\w.-]+", server) and number.isdecimal()):
        return of.strip()
    page = f"{server}/{environment['GITHUB_REPOSITORY']}/actions/runs/{number}"
    return f"{of}The summary and report.html are in [this run]({page})."


def posted(environment: Mapping[str, str]) -> str:
    """Makes or changes the comment; gives what was done. Raises Unavailable."""
    token, name = environment.get("GITHUB_TOKEN", ""), environment.get("AUDITFW_ACTION_NAME", "")
    repository, place = environment.get("GITHUB_REPOSITORY", ""), Path(environment["AUDITFW_ACTION_PLACE"])
    baseline = environment.get("AUDITFW_ACTION_BASELINE") or "baseline.json"
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository) or not token:
        raise Unavailable("there is no repository or no token to comment with")
    if not re.fullmatch(r"[\w .-]{1,60}", name) or "--" in name:
        raise Unavailable(f"name: write letters, digits, blanks and single hyphens, not {name!r}")
    if not Path(baseline).exists():
        return f"no comment: there is no {baseline}; make it with auditfw accept RUN, and commit what that writes"
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    number = int(event["pull_request"]["number"])
    mark = f"<!-- auditfw: {name} -->"
    issues = f"{environment.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{repository}/issues"
    comments = f"{issues}/{number}/comments"
    before = ours(comments, token, mark, environment.get("AUDITFW_ACTION_AUTHOR", ""))
    text = f"{mark}\n{difference(place, baseline)}\n{foot(event, environment)}\n"
    if before is None:
        asked("POST", comments, token, {"body": text})
        return f"commented on pull request {number}"
    asked("PATCH", f"{issues}/comments/{before}", token, {"body": text})
    return f"changed the comment on pull request {number}"


def main() -> int:
    """Comments where the event is a pull request."""
    if os.environ.get("GITHUB_EVENT_NAME") != "pull_request":
        print("auditfw: no comment: this is no pull request")
        return 0
    try:
        print(f"auditfw: {posted(os.environ)}")
    except (Unavailable, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = str(error) if isinstance(error, Unavailable) else f"{type(error).__name__}: {error}"
        print(f"::warning title=auditfw::no comment: {github_text(why)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
