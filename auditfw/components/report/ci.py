"""The reports that the current build server understands, chosen by the environment it sets."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from auditfw.core.records import Result
from auditfw.kinds.metrics import Report
from auditfw.kinds.registry import register

from .code_hosts import AnnotationsReport, CodeQualityReport, SarifReport
from .junit import JunitReport
from .summary import VARIABLE, SummaryReport

System = Literal["auto", "github", "gitlab", "other", "none"]

OTHERS = ("TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "CIRCLECI", "BUILDKITE", "CI")
NAMES: Mapping[str, str] = {
    "github": "GitHub Actions",
    "gitlab": "GitLab",
    "other": "a build server",
    "none": "no build server",
}
WRITES: Mapping[str, Mapping[str, Report]] = {
    "github": {"junit": JunitReport(), "sarif": SarifReport()},
    "gitlab": {"junit": JunitReport(), "codequality": CodeQualityReport()},
    "other": {"junit": JunitReport()},
    "none": {"junit": JunitReport(), "sarif": SarifReport()},
}


@register("report", "ci")
@dataclass(frozen=True)
class CiReport:
    """Writes and prints the reports that the current build server understands, and names them.

    GitHub Actions: junit, sarif, annotations, and the summary where there is one; GitLab: junit and codequality;
    others: junit; none: junit and sarif. `system` names it where the environment does not.
    """

    system: System = "auto"

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        parts = WRITES[self._found()].values()
        return tuple(name for part in parts for name in part(result, folder))

    def announce(self, result: Result) -> None:
        """Prints what the runner reads, and on standard error what was chosen."""
        system = self._found()
        chosen = list(WRITES[system])
        spoken: dict[str, Report] = {}
        if system == "github":
            spoken["annotations"] = AnnotationsReport()
            spoken |= {"summary": SummaryReport()} if os.environ.get(VARIABLE) else {}
        print(f"auditfw: report=ci on {NAMES[system]}: {', '.join([*chosen, *spoken])}", file=sys.stderr)
        for part in spoken.values():
            part(result, None)

    def _found(self) -> str:
        return at_hand(os.environ) if self.system == "auto" else self.system


def at_hand(environment: Mapping[str, str]) -> str:
    """The build server that set these variables."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return "github"
    if environment.get("GITLAB_CI") == "true":
        return "gitlab"
    return "other" if any(environment.get(name) not in (None, "", "false") for name in OTHERS) else "none"
