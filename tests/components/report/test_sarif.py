"""report.sarif: capped with the rest counted, valid whatever it tells."""

from __future__ import annotations

import json

import pytest
from build_servers import RUNNER, check_sarif, flips, made
from hostile_texts import hostile
from hypothesis import given, settings
from searching import examples

from auditfw.components.report.code_hosts import SarifReport, sarif_document
from auditfw.core.errors import UsageError
from auditfw.core.records import GateResult, Input
from auditfw.core.result_json import dumps


def test_sarif_is_capped_and_counts_the_rest() -> None:
    document = sarif_document(made(trials=flips(*(f"t{i:04}" for i in range(2_000)))), 1_000)
    results = check_sarif(document)
    assert (len(results), document["runs"][0]["properties"]["leftOut"]) == (1_000, 1_002)
    assert [one["level"] for one in results[:3]] == ["error", "warning", "note"]
    told = document["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert told.startswith("1,002 further findings")
    for wrong in (0, 5_001):
        with pytest.raises(UsageError):
            SarifReport(wrong)


@settings(deadline=None, max_examples=examples(40))
@given(hostile, hostile)
def test_sarif_is_valid_whatever_it_tells(one: str, other: str) -> None:
    gates = [
        GateResult(one, other, one, 1.0, "fail", other),
        GateResult(f"{one}h", one, None, None, "inconclusive", ""),
    ]
    shown = made(
        audit=one, gates=gates, warnings=[other or "w"], inputs=[Input(other or "x", "ab" * 32, 1)], trials=None
    )
    text = dumps(sarif_document(shown, 100))
    assert len(check_sarif(json.loads(text))) == 2
    assert not RUNNER.search(text)
