"""From the labelled trials to the outcome: samples, tables, sections, answer, claims."""

from __future__ import annotations

from contextlib import suppress

from auditfw.core.document import some
from auditfw.core.errors import IncompleteError
from auditfw.core.records import Answer
from auditfw.core.result_json import dumps, write_whole
from auditfw.kinds.context import Context, Outcome

from .answer import answer_of
from .claims import read_by_people
from .draw_files import FIRST
from .report import PeoplesReport
from .results import PeoplesResults
from .samples import absent, readings_of, samples

LABELS = "labels"
LEAST_EQUAL = 30  # labels that are all a reading's: that is remarked
ADJUDICATED = "adjudicated.json"  # below labels/ of the run


def outcome_of(results: PeoplesResults, context: Context) -> Outcome:
    """What an adjudication came to, before it is measured."""
    claims = read_by_people(context.claims, results.trials)
    _write_trials(results, context)
    run, answer = results.trials.run, answer_of(results, claims)
    _note_beside_run(results, answer, context)
    return Outcome(
        counts=dict(results.trials.counts),
        readings=readings_of(results),
        samples=samples(results),
        inputs=list(results.trials.inputs),
        sections=PeoplesReport(results, context.limits, claims),
        warnings=_warnings(results),
        absent=absent(results),
        notes={"run": str(run.folder), "run_sha256": run.input.sha256},
        answer=answer,
        tables={LABELS: _labels(results, context)},
    )


def _note_beside_run(results: PeoplesResults, answer: Answer, context: Context) -> None:
    """Beside the draw what became of it, for `auditfw report RUN`; where the run is read only, nothing."""
    if context.folder is None or results.trials.draw is None:
        return
    stored = {"status": answer.status, "words": answer.words, "headline": answer.headline}
    document = {"run": results.trials.run.input.sha256, "answer": stored, "folder": context.folder}
    with suppress(IncompleteError):
        write_whole(str(results.trials.run.folder / FIRST), ADJUDICATED, dumps(document))


def _write_trials(results: PeoplesResults, context: Context) -> None:
    """trials.parquet: a row a trial that was to be labelled."""
    trials = list(results.trials.trials)
    columns: dict[str, list[object]] = {"id": [one.drawn.id for one in trials]}
    columns |= {name: [one.cell[i] for one in trials] for i, name in enumerate(results.trials.by)}
    columns |= {
        "status": [one.drawn.status for one in trials],
        "class": [one.drawn.kind for one in trials],
        "probability": [one.drawn.probability for one in trials],
        "people": [_flag(one.people) for one in trials],
    }
    columns |= {name: [_flag(one.labels[name]) for one in trials] for name in results.readings}
    context.trials.add(columns)
    context.trials.end()


def _flag(code: int) -> bool | None:
    return bool(code) if code in (0, 1) else None


def _labels(results: PeoplesResults, context: Context) -> object:
    """labels.parquet: a row a row of the label files."""
    rows, table = results.trials.labelled.rows, context.table(LABELS)
    ids = {one.drawn.key: one.drawn.id for one in results.trials.trials if one.drawn.key}
    drawn = results.trials.draw is not None
    table.add(
        {
            "key": [row.trial if drawn else None for row in rows],
            "id": [ids.get(row.trial) if drawn else row.trial for row in rows],
            "labeller": [row.labeller for row in rows],
            "label": [row.word for row in rows],
            "note": [row.note for row in rows],
            "file": [row.file for row in rows],
            "row": [row.row for row in rows],
        }
    )
    return table.close()


def _warnings(results: PeoplesResults) -> list[str]:
    others, labelled = results.trials.labelled.others, results.trials.rows
    rows = some(others, "row")
    made = [f"{rows} of the label files are of other draws of this run, and count nowhere"] if others else []
    for name, codes in labelled.readings.items() if results.labelled >= LEAST_EQUAL else ():
        if (codes[labelled.decided] == labelled.people[labelled.decided]).all():
            trials = some(results.labelled, "trial")
            made.append(f"the labels of people are those of {name} on all {trials}: are they its own?")
    return made
