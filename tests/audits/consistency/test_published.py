"""Published figures of the consistency sets, by experiment files and settings alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from places import CASES, ROOT
from running import Command
from sentences import consistency as says

import auditfw
from auditfw.config import variants

REPO = ROOT
DATA = "tests/cases/data/openqa_eval_nq301"


@pytest.fixture(autouse=True)
def _cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """The experiments under tests/cases are found, with paths from the top of the repository."""
    monkeypatch.chdir(REPO)
    monkeypatch.setattr(variants, "_config_dirs", [CASES / "conf"])


@cache
def result(experiment: str, reference: str = "") -> Any:
    settings: dict[str, Any] = {"experiment": experiment, "audit": {"reference": reference}} if reference else {}
    quick = {name: {"interval": {"method": "none"}} for name in ("percent_agreement", "kappa")}
    return auditfw.run({"experiment": experiment, "metrics": quick, **settings})


# experiment, reference, metric, reading, the figure as it is published
FIGURES = [
    ("pandalm_annotators", "", "kappa", "annotator2", "0.8520"),
    ("pandalm_annotators", "", "kappa", "annotator3", "0.8789"),
    ("pandalm_annotators", "annotator2", "kappa", "annotator3", "0.8617"),
    ("pandalm_annotators", "", "percent_agreement", "annotator2", "0.9129"),
    ("pandalm_annotators", "", "percent_agreement", "annotator3", "0.9289"),
    ("pandalm_annotators", "annotator2", "percent_agreement", "annotator3", "0.9179"),
    ("pandalm_judges", "", "percent_agreement", "gpt", "0.697698"),
    ("pandalm_judges", "", "kappa", "gpt", "0.475508"),
    ("pandalm_judges", "", "percent_agreement", "pandalm", "0.667668"),
    ("pandalm_judges", "", "kappa", "pandalm", "0.435355"),
    ("pandalm_judges", "gpt", "percent_agreement", "pandalm", "0.684685"),
    ("pandalm_judges", "gpt", "kappa", "pandalm", "0.453929"),
    ("pandalm_judges", "", "abstain_rate", "gpt", "0.025025"),
    ("openqa_annotators", "", "percent_agreement", "annotator2", "0.868510"),
    ("openqa_annotators", "", "kappa", "annotator2", "0.734719"),
    ("openqa_arbiter", "", "percent_agreement", "published", "1.000000"),
    ("openqa_human_gpt4", "", "percent_agreement", "gpt4", "0.846877"),
    ("openqa_human_gpt4", "", "kappa", "gpt4", "0.693197"),
]


@pytest.mark.parametrize(("experiment", "reference", "metric", "reading", "figure"), FIGURES)
def test_figure(experiment: str, reference: str, metric: str, reading: str, figure: str) -> None:
    value = result(experiment, reference).measurement(metric, reading).estimate.value
    assert f"{value:.{len(figure) - 2}f}" == figure


@pytest.mark.parametrize(
    ("experiment", "counts"),
    [
        ("pandalm_annotators", {"read": 999, "audited": 999}),
        ("pandalm_judges", {"read": 4_995, "audited": 4_995}),
        ("openqa_annotators", {"read": 1_490, "audited": 1_483, "one_sided": 7}),
        ("openqa_arbiter", {"read": 1_490, "audited": 1_490}),
        ("openqa_human_gpt4", {"read": 1_490, "audited": 1_489, "one_sided": 1}),
    ],
)
def test_counts(experiment: str, counts: dict[str, int]) -> None:
    assert result(experiment).counts == counts


def test_a_majority_always_exists() -> None:
    trials = result("pandalm_annotators").trials
    assert trials["final.majority"].null_count() == 0
    assert set(trials["why.majority"]) == {"unanimous", "majority"}


def test_the_final_label_is_the_majority_in_every_row() -> None:
    """1,267 rows lack the third annotator, 7 the second; in 195 the first two differ and the third decides."""
    trials = result("openqa_arbiter").trials
    assert (trials["final.majority"] == trials["published"]).all()
    assert (trials["annotator3"].null_count(), trials["annotator2"].null_count()) == (1_267, 7)
    differ = trials.filter(trials["annotator1"] != trials["annotator2"])
    assert len(differ) == 195
    assert (differ["final.majority"] == differ["annotator3"]).all()


def test_garbage_fails_the_gate_on_abstaining() -> None:
    """25 of 999 answers of the judge are no label: 2.50 %, and the gate allows 2 %."""
    gate = next(gate for gate in result("pandalm_judges").gates if gate.name == "abstain")
    assert (gate.status, gate.reading) == ("fail", "gpt")
    assert round((gate.value or 0) * 999) == 25


def test_two_empty_labels_are_a_third_label() -> None:
    frame = result("openqa_human_gpt4").tables["disagreements"]
    pairs = {(row["human"], row["gpt4"]): row["len"] for row in frame.group_by("human", "gpt4").len().to_dicts()}
    assert pairs == {("Yes", "No"): 137, ("No", "Yes"): 89, ("No", "empty"): 2}


def test_malformed_tsv(command: Command, tmp_path: Path) -> None:
    words = (f"source.path={DATA}/NQ301_text-davinci-003.tsv", "source.join=null", f"hydra.run.dir={tmp_path / 'run'}")
    done = command("--config-dir", "tests/cases/conf", "experiment=openqa_human_gpt4", *words, cwd=REPO)
    assert done.returncode == 3
    assert says.NQ_TEXT_DAVINCI_EXPECTED_FIELDS in done.stderr


def test_raters_with_different_labels_are_told_of() -> None:
    """Left as they are, "Tie" and 0 are two labels: no verdict can pass."""
    settings = {"labels": ["0", "1", "2", "garbage", "Tie"], "aliases": {"Tie": "Tie"}, "reference": "pandalm"}
    found = auditfw.run({"experiment": "pandalm_judges", "audit": settings, "gates": {}})
    assert any("gpt and pandalm do not use the same labels" in warning for warning in found.warnings)
    assert found.verdict in ("fail", "inconclusive")
