"""The rules of the field's own scorers against these themselves, in an environment of their own: no label differs.

`AUDITFW_FIELD=FOLDER` keeps that environment for the next time.
"""

from __future__ import annotations

import json
import os
import subprocess
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from field_cases import cases
from places import HELPERS
from rule_labels import labels_of

pytestmark = pytest.mark.slow

PACKAGES = ("inspect-ai==0.3.285", "lm-eval==0.4.13", "nest-asyncio")  # the last one for Inspect AI of 2025
WHEELS = (
    "inspect-ai==0.3.130",
    "crfm-helm==0.5.16",
    "opencompass==0.5.4",
    "evals==3.0.1.post1",
)  # without what they need
# Settings beyond a rule's name: those of the parser and of the matcher.
PATTERN = {"use": "inspect_pattern", "pattern": r"(?:answer|option) is\s*(\w+)|=\s*(-?\d+)\b"}
BOTH = {"use": "inspect_pattern", "pattern": r"(\w+) and (\w+)", "ignore_case": False}
SETTINGS: dict[str, tuple[str, Any, Any]] = {
    "inspect_match_numeric_begin": ("inspect_match", None, {"numeric": True, "location": "begin"}),
    "inspect_match_numeric_any": ("inspect_match", None, {"numeric": True, "location": "any"}),
    "inspect_match_numeric_exact": ("inspect_match", None, {"numeric": True, "location": "exact"}),
    **{
        f"inspect_match_numeric_{place}_2025": ("inspect_match_numeric_2025", None, {"location": place})
        for place in ("begin", "any", "exact")
    },
    "inspect_match_case": ("inspect_match", None, {"ignore_case": False}),
    "inspect_includes_case": ("inspect_includes", None, {"ignore_case": False}),
    "inspect_pattern": ("inspect_pattern", PATTERN, {}),
    "inspect_pattern_all": ("inspect_pattern", BOTH, {"ignore_case": False, "match_all": True}),
    "inspect_choice_several": (
        "inspect_choice",
        {"use": "steps", "steps": [{"use": "inspect_choice", "several": True}]},
        {},
    ),
    "inspect_choice_several_2025": (
        "inspect_choice",
        {"use": "steps", "steps": [{"use": "inspect_choice", "several": True, "which": "first"}]},
        {},
    ),
}
ANSWERS = [f"inspect_answer_{kind}" for kind in ("letter", "word", "line")]
GROUPS = {
    "Inspect AI": [
        *("inspect_match", "inspect_match_begin", "inspect_match_any", "inspect_match_exact", "inspect_match_numeric"),
        *("inspect_includes", *ANSWERS, "inspect_choice"),
        *(name for name in SETTINGS if not name.endswith("_2025")),
    ],
    "Inspect AI of 2025": [
        *("inspect_match_numeric_2025", *(f"{name}_2025" for name in ANSWERS), "inspect_choice_2025"),
        *(name for name in SETTINGS if name.endswith("_2025")),
    ],
    "lm-evaluation-harness": ["lm_eval_strict_match", "lm_eval_flexible_extract"],
    "HELM": ["helm_exact", "helm_quasi_exact", "helm_final_number"],
    "others": [
        *("opencompass_gsm8k", "openai_evals_match", "simple_evals_mcq", "simple_evals_line", "mmlu_pro_three_step"),
    ],
}


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment that has the harnesses, and wheels that are unpacked."""
    folder = Path(os.environ.get("AUDITFW_FIELD") or tmp_path_factory.mktemp("field"))
    if not (folder / "wheels" / "evals").is_dir():
        venv.create(folder / "venv", with_pip=True)
        pip = [str(python_of(folder)), "-m", "pip", "--quiet"]
        done(*pip, "install", *PACKAGES)
        done(*pip, "download", "--no-deps", "--dest", str(folder / "wheels"), *WHEELS)
        for wheel in (folder / "wheels").glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder / "wheels" / wheel.name.split("-")[0])
    return folder


def python_of(folder: Path) -> Path:
    return folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def done(*command: str, given: str = "") -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "AUDITFW", "HYDRA"))}
    ran = subprocess.run(
        command, input=given, env={**env, "PYTHONUTF8": "1"}, capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


@pytest.mark.parametrize("group", GROUPS)
def test_no_label_differs_from_the_harness_itself(group: str, field: Path) -> None:
    asked = {rule: cases(rule, int(os.environ.get("AUDITFW_FIELD_CASES", "400"))) for rule in GROUPS[group]}
    command = (str(python_of(field)), str(HELPERS / "field_scorers.py"), str(field / "wheels"))
    theirs = json.loads(done(*command, given=json.dumps(asked)))
    differing = []
    rights = {rule: sum(label is True for label in labels) for rule, labels in theirs.items()}
    for rule, pairs in asked.items():
        for kind, ours in our_labels(rule, pairs).items():
            differing += [
                (rule, kind, *pair, label, other)
                for pair, label, other in zip(pairs, ours, theirs[rule], strict=True)
                if bool(label) is not bool(other)
            ]
    assert differing == [], f"{len(differing)} differ: {differing[:8]}"
    few = {
        rule: right for rule, right in rights.items() if min(right, len(asked[rule]) - right) < len(asked[rule]) / 80
    }
    assert few == {}, f"of {len(next(iter(asked.values())))} cases each"


def our_labels(rule: str, pairs: list[tuple[str, list[str]]]) -> dict[str, list[bool | None]]:
    """Our labels by the definitions and by each kernel."""
    return labels_of(*SETTINGS.get(rule, (rule, None, None)), pairs)
