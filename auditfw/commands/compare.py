"""Finished runs beside each other: what differs in config, versions and inputs, numbers, gates, and single trials."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from auditfw.components.report.console import ConsolePage, printing
from auditfw.components.report.html import FILE as PAGE
from auditfw.components.report.wording import NONE, number, title
from auditfw.core.document import Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Estimate, MetricStyle
from auditfw.core.result_json import dumps

from .comparison.accepted import labels_document, paired_labels, paired_markdown, write_paired
from .comparison.gap_screen import gap_markdown, write_files, write_gaps
from .comparison.gap_tables import SCHEMA, pair_document
from .comparison.label_changes import LabelChanges, changes_of, flips_table, paired, run_or_accepted
from .comparison.logs import CompareWords, best_first, compare_words, is_log, is_run, pairs_of_runs, sides_of
from .comparison.pair import ComparedPair, compared_pair
from .comparison.pull_request import Difference, pull_request_text
from .comparison.settings import BEST
from .comparison.several import tiers_document
from .stored_run import StoredRun, overall_estimates
from .sweep.refusal import refuse_sweep

FLAGS = ("--json", "--markdown", "--all")


def compare(argv: list[str]) -> int:
    """`auditfw compare A B... [OVERRIDES] [--json|--markdown]`: what differs between finished runs, or between logs.

    Finished runs stand beside the first; that may be an accepted run, `baseline.json`. Logs are audited now, each with
    the rules of all. Of both: who leads by how much, and what the gap is made of. `--markdown` is for a comment on a
    pull request.
    """
    words = compare_words(argv)
    if words.settings.by or any(map(is_log, words.paths)):
        return _compare_logs(words)
    folders = [*words.paths, *words.overrides, *(f"{n}:{word}" for n, more in words.of_side.items() for word in more)]
    how = [flag for flag in FLAGS[:2] if flag in words.flags]
    for folder in folders:
        refuse_sweep(Path(folder), "compare")
    if len(folders) < 2 or any(word.startswith("-") for word in folders):
        do = "write auditfw compare RUN RUN"
        raise UsageError("compare", "needs at least two run folders", " ".join(argv) or None, do)
    if len(how) > 1 or (how == ["--markdown"] and len(folders) > 2):
        raise UsageError("compare", "--markdown takes two runs, and not --json", " ".join(argv), "leave out the others")
    runs = [run_or_accepted(Path(folder)) for folder in folders]
    check_comparable(runs)
    comment = _as_markdown(runs[0], runs[1]) if how == ["--markdown"] else ""
    changes = [] if comment else [(run, flips(runs[0].folder, run.folder)) for run in runs[1:]]
    pairs = pairs_of_runs(runs, words.settings)  # last, for these hold on to the tables
    code = _code(words, pairs)
    if comment:
        added = f"\n{gap_markdown(pairs, whole=False)}" if pairs else ""
        print(comment + added, end="")
        return code
    differences = tables(runs)
    if how:
        document = _as_document(runs, changes)
        print(dumps(_with_gaps(document, pairs) if pairs else document), end="")
    else:
        gaps = partial(write_gaps, pairs=pairs, everything="--all" in words.flags) if pairs else None
        _print(differences, changes, answer_changes(runs), gaps)
    return code


def _compare_logs(words: CompareWords) -> int:
    """Compares sides of which some are logs."""
    from .comparison.gap_page import write_gap_page

    if {"--json", "--markdown"} <= words.flags:
        raise UsageError("compare", "--markdown and --json are two outputs", None, "leave one out")
    if Path(words.paths[0]).is_file() and is_run(words.paths[0]) and not words.settings.by:
        return _compare_accepted(words)
    sides, folder = sides_of(words)
    if words.settings.against == BEST:
        sides = best_first(sides)
    pairs = [compared_pair(sides[0], side, words.settings) for side in sides[1:]]
    runs = [side.run for side in sides]
    changes = [(run, flips(runs[0].folder, run.folder)) for run in runs[1:]]
    document = _with_gaps(_as_document(runs, changes), pairs)
    text = gap_markdown(pairs)
    write_files(folder, document, text, pairs)
    write_gap_page(folder, pairs, words.gated)
    everything, last = "--all" in words.flags, (f"page: {folder / PAGE}", f"files: {folder}")
    _show(words, document, text, partial(write_gaps, pairs=pairs, everything=everything), last)
    return _code(words, pairs)


def _compare_accepted(words: CompareWords) -> int:
    """Compares the labels of an accepted run with those of logs."""
    if words.settings.against == BEST:
        raise UsageError(
            "compare.against", "an accepted run is what the others are compared with", BEST, "leave it out"
        )
    _code(words, [])
    sides, folder = sides_of(words)
    pairs = [paired_labels(sides[0], side, words.settings) for side in sides[1:]]
    runs = [side.run for side in sides]
    changes = [(run, flips(runs[0].folder, run.folder)) for run in runs[1:]]
    document, text = {**_as_document(runs, changes), **labels_document(pairs)}, paired_markdown(pairs)
    write_files(folder, document, text, [])
    _show(words, document, text, partial(write_paired, pairs=pairs), (f"files: {folder}",))
    return 0


def _show(
    words: CompareWords, document: dict[str, Any], text: str, screen: Callable[[ConsolePage], None], last: Sequence[str]
) -> None:
    """Prints a comparison as JSON, as Markdown, or on the screen, where the last lines are not wrapped."""
    if "--json" in words.flags:
        print(dumps(document), end="")
    elif "--markdown" in words.flags:
        print(text, end="")
    else:
        with printing() as page:
            screen(page)
            for line in last:
                page.console.print(page.text(line), soft_wrap=True)


def _code(words: CompareWords, pairs: Sequence[ComparedPair]) -> int:
    """1 where `gate=[stable]` asks for a gap that is the model's, and one is not."""
    if words.gated and not pairs:
        raise UsageError("gate=[stable]", "there is no gap to hold it against", None, "compare runs with label tables")
    return int(words.gated and any(pair.status != "stable" for pair in pairs))


def _with_gaps(document: dict[str, Any], pairs: Sequence[ComparedPair]) -> dict[str, Any]:
    """The document with what it holds of gaps: of the first pair, and of all where there are several."""
    made = [pair_document(pair) for pair in pairs]
    several = {"pairs": made, "tiers": tiers_document(pairs)} if len(made) > 1 else {}
    return {**document, "schema": SCHEMA, **made[0], **several}


def flips(one: Path, other: Path) -> list[LabelChanges]:
    """The trials that changed between two runs, a row for each reading of both; paired by id."""
    trials = paired(one, other)
    return [] if trials is None else changes_of(trials)


def _as_markdown(before: StoredRun, run: StoredRun) -> str:
    check_comparable([before, run])
    trials = paired(before.folder, run.folder)
    return pull_request_text(
        before,
        run,
        Difference(
            None if trials is None else len(trials.rows),
            [] if trials is None else changes_of(trials),
            Table(["measurement", "before", "now"], _numbers([before, run]), "<>>"),
            [why for _, why in _answer_changes([before, run])],
        ),
    )


def _as_document(
    runs: Sequence[StoredRun], changes: Sequence[tuple[StoredRun, Sequence[LabelChanges]]]
) -> dict[str, Any]:
    def rows(sides: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
        return [{"key": row[0], "values": row[1:]} for row in differing(sides)]

    names = dict.fromkeys(name for run in runs for name in run.numbers)
    numbers = {name: [run.numbers.get(name) for run in runs] for name in names}
    return {
        "schema": "auditfw.comparison/1",
        "runs": [str(run.folder) for run in runs],
        "config": rows([flat(run.config) for run in runs]) if all(run.config for run in runs) else [],
        "versions": rows([dict(run.result["versions"]) for run in runs]),
        "inputs": rows([{one["path"]: one["sha256"] for one in run.result["inputs"]} for run in runs]),
        "answers": [answer_of(run) or None for run in runs],
        "answer_changes": answer_changes(runs),
        "gates": rows([{gate.name: gate.status for gate in run.result["gates"]} for run in runs]),
        "measurements": [{"key": name, "values": v} for name, v in numbers.items() if len(set(v)) > 1],
        "flips": [{"run": str(run.folder), **asdict(one)} for run, changed in changes for one in changed],
    }


def _print(
    differences: Sequence[tuple[str, Any]],
    changes: Sequence[tuple[StoredRun, Sequence[LabelChanges]]],
    changes_of_answers: Sequence[str],
    gaps: Callable[[ConsolePage], None] | None,
) -> None:
    with printing() as page:
        if changes_of_answers:
            page.head("Answer")
            page.lines(changes_of_answers)
        for head, table in differences:
            page.head(head)
            page.rows(table, 1)
        for place, (_, rows) in enumerate(changes, 2):
            page.head(f"Trials that changed from run 1 to run {place}")
            if not rows:
                page.lines(["no changes, or the trials cannot be paired by id"])
                continue
            page.rows(flips_table(rows), 1)
            left = [one.changed - len(one.ids) for one in rows]
            more = [f" and {n:,} more" if n else "" for n in left]
            page.lines([f"{one.reading}: {', '.join(one.ids)}{end}" for one, end in zip(rows, more, strict=True)])
        if gaps is not None:
            gaps(page)


def check_comparable(runs: Sequence[StoredRun]) -> None:
    """Raises UsageError for runs of different audits."""
    audits = list(dict.fromkeys(str(run.result["audit"]) for run in runs))
    if len(audits) > 1:
        raise UsageError("compare", "runs of different audits", ", ".join(audits), "name runs of one audit")


def flat(value: Any, path: str = "") -> dict[str, str]:
    """A config as one text for each path."""
    if isinstance(value, Mapping) and value:
        return {
            k: v for key, part in value.items() for k, v in flat(part, f"{path}.{key}" if path else str(key)).items()
        }
    return {path: json.dumps(value, ensure_ascii=False, sort_keys=True)}


def differing(sides: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """A row for each key that is not the same on all sides."""
    keys = dict.fromkeys(key for side in sides for key in side)
    rows = [[key, *(side.get(key, NONE) for side in sides)] for key in keys]
    return [row for row in rows if len(set(row[1:])) > 1]


def tables(runs: Sequence[StoredRun]) -> list[tuple[str, Table]]:
    """What differs between runs, the first of them on the left. Raises UsageError for runs of different audits."""
    check_comparable(runs)
    names = [f"run {i}" for i in range(1, len(runs) + 1)]
    ended = [(run.result["verdict"], str(run.result["exit_code"])) for run in runs]
    rows = [[name, str(run.folder), *end] for name, run, end in zip(names, runs, ended, strict=True)]
    named = [("Runs", Table(["run", "folder", "verdict", "exit"], rows, "<<<>"))]

    def add(head: str, what: str, content: list[list[str]], side: str = "<") -> None:
        named.append((head, Table([what, *names], content, "<" + side * len(names))))

    texts = [{name: answer_of(run)[name] for name in ("status", "headline", "next") if answer_of(run)} for run in runs]
    add("Answers", "answer", differing(texts))
    add("Config", "key", differing([flat(run.config) for run in runs]) if all(run.config for run in runs) else [])
    add("Versions", "of", differing([run.result["versions"] for run in runs]))
    add("Inputs", "path", differing([{i["path"]: i["sha256"][:12] for i in run.result["inputs"]} for run in runs]))
    add("Counts", "bucket", differing([{k: f"{v:,}" for k, v in run.result["counts"].items()} for run in runs]), ">")
    add("Gates", "gate", differing([{g.name: g.status for g in run.result["gates"]} for run in runs]))
    add("Measurements", "measurement", _numbers(runs), ">")
    return [(head, table) for head, table in named if table.rows]


def answer_of(run: StoredRun) -> Mapping[str, Any]:
    """The answer of a run; {} where it draws none."""
    return run.result["answer"] or {}


def answer_changes(runs: Sequence[StoredRun]) -> list[str]:
    """For each further run whether its answer is another than the first one's, and why."""
    return [f"Run {place}: {change}" for place, change in _answer_changes(runs)]


def _answer_changes(runs: Sequence[StoredRun]) -> list[tuple[int, str]]:
    first = answer_of(runs[0])
    changes = []
    for place, run in enumerate(runs[1:], 2):
        answer = answer_of(run)
        if first and answer and first["status"] != answer["status"]:
            why = (answer["because"] or [answer["headline"]])[0]
            changes.append((place, f"answer changed from {first['status']} to {answer['status']} because {why}"))
    return changes


def _numbers(runs: Sequence[StoredRun]) -> list[list[str]]:
    sides = [overall_estimates(run.result, ("value", "counted", "missing")) for run in runs]
    styles = {name: style for run in reversed(runs) for name, style in run.styles.items()}
    rows = []
    for name in dict.fromkeys(name for side in sides for name in side):
        if len({side[name].value if name in side else NONE for side in sides}) > 1:
            metric, at, reading = name.partition("@")
            cells = [_text(side[name], metric, styles) if name in side else "" for side in sides]
            rows.append([f"{title(metric, styles)} {at}{reading}", *cells])
    return rows


def _text(estimate: Estimate, metric: str, styles: Mapping[str, MetricStyle]) -> str:
    return f"{NONE} ({estimate.undefined})" if estimate.undefined else number(estimate.value, metric, styles)
