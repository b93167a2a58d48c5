"""The words and digits of a result, before any medium: titles of metrics, numbers, the tables all reports share."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from auditfw.core.digits import NOISE, change, fixed, measured, p_text, short
from auditfw.core.document import PageGroup, Table, some, with_ends
from auditfw.core.errors import IncompleteError
from auditfw.core.memo import remembered
from auditfw.core.records import Answer, Estimate, GateResult, Input, Measurement, MetricStyle, Result
from auditfw.core.result_json import finite, ordered_counts, reason
from auditfw.core.results.findings import facts_line
from auditfw.kinds.metric_styles import style_of

NONE = "–"
INPUTS_LISTED, INPUTS_FIRST = 10, 5
LOOPS = "self_audit"
OF_A_PART = ("test_rate", "wrong_on_tests", "contradictions")
UNKNOWN: Mapping[str, MetricStyle] = {}
NO_TITLES: Mapping[str, str] = {}
STYLES = {"pass": "green", "fail": "bold red", "inconclusive": "yellow", "none": "bold"}
TONES = {"stable": "bold green", "fragile": "bold dark_orange3", "broken": "bold red", "unknown": "bold bright_black"}
WEIGHTS = ("linear", "quadratic")  # which a sentence calls weights
BUCKETS = {
    "duplicate": "repeat an id",
    "no_ground_truth": "no ground truth (in no rate)",
    "one_sided": "labelled by one rater only",
}
_VERDICTS = {"pass": "PASS", "fail": "FAIL", "inconclusive": "INCONCLUSIVE", "none": "no gates"}


def title(metric: str, styles: Mapping[str, MetricStyle] = UNKNOWN) -> str:
    """The column title of a metric: its name where it declares no other."""
    return style_of(metric, styles).heading(metric)


def group_titles(audit: str) -> dict[PageGroup, str]:
    """The groups of sections of a report in order, each with its title."""
    who = {"parsing": "Who Wins", "alignment": "Outcomes", "consistency": "Raters", LOOPS: "Attempts"}
    own = who.get(audit, "Results")
    return {"answer": "Answer", "who": own, "look": "Look", "sound": "Is It Sound?", "rest": "Everything Else"}


def number(value: float | None, metric: str = "", styles: Mapping[str, MetricStyle] = UNKNOWN) -> str:
    """A number in the digits of its metric; others print as integers where they are, else with four digits."""
    known = finite(value)
    if known is None:
        return NONE
    style = style_of(metric, styles)
    if style.notation == "p_value":
        return p_text(known)
    signed = style.notation == "signed"
    if style.digits is not None:
        return (change if signed else fixed)(known, style.digits)
    if style.notation == "any_size" and 0 < abs(known) < NOISE:
        return short(known)
    return f"{'+' if signed and known > 0 else ''}{measured(known)}"


def introduced(reading: str, titles: Mapping[str, str] = NO_TITLES) -> str:
    """What a reading is called for people, with its name: `GPT-4 (scholar)`."""
    return f"{titles[reading]} ({reading})" if reading in titles else reading


def estimate_text(estimate: Estimate, metric: str = "", styles: Mapping[str, MetricStyle] = UNKNOWN) -> str:
    """A value, with its interval in brackets where there is one."""
    value, low, high = (finite(one) for one in (estimate.value, estimate.low, estimate.high))
    shown = number(value, metric, styles)
    return shown if value is None else with_ends(shown, value, low, high, lambda end: number(end, metric, styles))


def answer_lines(answer: Answer, facts: str = "") -> list[str]:
    """An answer as lines: what it says, why, what else is so of the data, what to do next, what was looked at."""
    headline, do = answer_short(answer)
    changes = [answer.change] if answer.change else []
    return [headline, *answer.because, *changes, *([f"Data: {facts}"] if facts else []), do, f"Scope: {answer.scope}"]


def facts_text(result: Result, listed: str = " below") -> str:
    """The largest findings that the answer does not name, in a line; `listed` says where all of them are."""
    return facts_line(result.findings, () if result.answer is None else result.answer.kinds, listed)


def answer_short(answer: Answer) -> list[str]:
    """An answer as two lines: what it says, and what to do next, "" where there is nothing."""
    return [answer.headline, f"Next: {answer.next}" if answer.next else ""]


def tone_style(answer: Answer) -> str:
    """The terminal's style of an answer."""
    return TONES[answer.status]


def verdict_text(result: Result) -> str:
    """The verdict in a word, and whether only a part of the evidence was audited."""
    word = _VERDICTS.get(result.verdict, result.verdict)
    return f"INCOMPLETE ({word} on what was audited)" if _incomplete(result) else word


def rule_text(gate: GateResult, styles: Mapping[str, MetricStyle] = UNKNOWN) -> str:
    """What a gate asks for, in words where its rule is none, with the weights of what it bounds."""
    if gate.answer is not None:
        return f"a stable answer is required; it is {gate.answer}"
    weights = styles.get(gate.metric or "", MetricStyle()).weights
    return f"{gate.rule}, {weights}{' weights' * (weights in WEIGHTS)}" if weights else gate.rule


def unasked(result: Result) -> str:
    """Says where no gate checks the answer, which is not stable, though none failed; else ""."""
    doubtful = result.answer is not None and result.answer.status != "stable"
    asked = any(gate.answer is not None for gate in result.gates)
    quiet = result.verdict in ("pass", "none") and not _incomplete(result)
    return "no gate checks the answer" if doubtful and quiet and not asked else ""


def judged(result: Result) -> str:
    """What the verdict is of: the gates, where there are any."""
    return f"Audit {result.audit}{', gates' if result.gates else ''}"


def verdict_status(result: Result) -> str:
    """The status that colours the verdict: an incomplete run is no pass."""
    return "inconclusive" if _incomplete(result) and result.verdict != "fail" else result.verdict


def _incomplete(result: Result) -> bool:
    return result.exit_code == IncompleteError.exit_code


def counts_text(counts: Mapping[str, int]) -> str:
    """`1,080 of 2,160 trials audited; not audited: 1,080 no ground truth (in no rate)`; empty buckets are left out.

    Where rows repeat an id these are no trials of their own: `60 of 267 rows audited; not audited: 207 repeat an id`.
    """
    others = {name: n for name, n in ordered_counts(counts).items() if n and name not in ("read", "audited")}
    noun = "row" if "duplicate" in others else "trial"
    buckets = ", ".join(f"{n:,} {BUCKETS.get(name) or name.replace('_', ' ')}" for name, n in others.items())
    read, audited = counts.get("read"), counts.get("audited")
    if audited is None:
        head = "" if read is None else f"{some(read, noun)} read"
    elif read is None:
        head = f"{some(audited, noun)} audited"
    else:
        head = f"{audited:,} of {some(read, noun)} audited"
    return "; ".join(part for part in (head, f"not audited: {buckets}" if buckets else "") if part)


@remembered
def overall_table(result: Result) -> tuple[Table, list[str]]:
    """The overall measurements, a row a reading and a column a metric, and the notes at its foot."""
    overall = side_by_side(result.audit, [m for m in result.measurements if m.overall])
    if result.titles:
        overall = [replace(m, reading=introduced(m.reading, result.titles)) for m in overall]
    metrics = list(dict.fromkeys(m.metric for m in overall))
    readings = list(dict.fromkeys(m.reading for m in overall))
    known = {(m.metric, m.reading): m.estimate for m in overall}
    styles = result.styles
    rows = [
        [
            reading,
            *(estimate_text(known[m, reading], m, styles) if (m, reading) in known else "" for m in metrics),
        ]
        for reading in readings
    ]
    table = Table(["reading", *(title(m, styles) for m in metrics)], rows, "<" + ">" * len(metrics))
    return table, [*_undefined(overall, styles), *_missing(overall, styles)]


def side_by_side(audit: str, overall: Sequence[Measurement]) -> list[Measurement]:
    """Overall measurements as they may stand beside each other: those of loops that are known in part are undefined.

    A rule that is known for the problems it solved alone would be the best of all. Metrics that are of a part of the
    problems by what they say are compared with themselves alone.
    """
    if audit != LOOPS:
        return list(overall)
    groups = [one.metric if one.metric in OF_A_PART else "" for one in overall]
    most: Counter[str] = Counter()
    for group, one in zip(groups, overall, strict=True):
        most[group] = max(most[group], one.estimate.counted)
    return [_if_known(one, most[group]) for group, one in zip(groups, overall, strict=True)]


def _if_known(one: Measurement, most: int) -> Measurement:
    """A measurement, undefined where it is known for fewer problems than others."""
    n = one.estimate.counted
    if finite(one.estimate.value) is None or n >= most or one.metric == "n":
        return one
    return replace(one, estimate=Estimate(None, n, 0, undefined=f"known for {n:,} of {some(most, 'problem')}"))


def gate_value(gate: GateResult, styles: Mapping[str, MetricStyle]) -> str:
    """What a gate found, in the digits of its metric."""
    return number(gate.value, gate.metric or "", styles)


def gates_table(
    gates: Sequence[GateResult],
    styles: Mapping[str, MetricStyle] = UNKNOWN,
    titles: Mapping[str, str] = NO_TITLES,
) -> tuple[Table, list[str]]:
    """The gates with rule, value and status, and at its foot why one is as it is."""
    rows = [
        [
            gate.name,
            rule_text(gate, styles),
            introduced(gate.reading or "", titles),
            gate_value(gate, styles),
            gate.status,
        ]
        for gate in gates
    ]
    table = Table(["gate", "rule", "reading", "value", "status"], rows, "<<<><")
    why: dict[str, list[str]] = {}
    for gate in gates:
        if gate.why:
            why.setdefault(gate.why, []).append(gate.name)
    return table, [f"{', '.join(names)}: {reason}" for reason, names in why.items()]


def result_gates(result: Result) -> tuple[Table, list[str]]:
    """The gates of a result as `gates_table` has them, and those whose number is of a part of the problems."""
    table, why = gates_table(result.gates, result.styles, result.titles)
    parts = [(gate.name, of_a_part(result, gate)) for gate in result.gates]
    return table, [*why, *(f"{name}: {part}" for name, part in parts if part)]


def of_a_part(result: Result, gate: GateResult) -> str:
    """Of how many problems the number of a gate is, where loops are known in part; else ""."""
    of = (gate.metric, gate.reading)
    own = [m.estimate for m in result.measurements if m.overall and (m.metric, m.reading) == of]
    if result.audit != LOOPS or gate.metric in OF_A_PART or not own or not own[0].missing:
        return ""
    return f"known for {own[0].counted:,} of {some(own[0].counted + own[0].missing, 'problem')}"


def inputs_table(inputs: Sequence[Input]) -> Table:
    """The files that were read, a row each."""
    rows = [[file.path, f"{file.bytes:,}", file.sha256] for file in inputs]
    return Table(["path", "bytes", "SHA-256"], rows, "<><")


def inputs_line(inputs: Sequence[Input]) -> str:
    """Many inputs in a line: their number, bytes in all, and one digest; "" where they are few enough to be listed.

    The digest is that of the list as `sha256sum` prints it, a line `SHA-256  path` each, in the order of result.json.
    """
    if len(inputs) <= INPUTS_LISTED:
        return ""
    listed = "".join(f"{file.sha256}  {file.path}\n" for file in inputs)
    digest = hashlib.sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()
    return (
        f"{len(inputs):,} inputs, {sum(file.bytes for file in inputs):,} bytes, SHA-256 of their list {digest}. "
        "The whole list is in result.json."
    )


def shortened(table: Table, most: int | None) -> Table:
    """A table with at most so many rows."""
    over = 0 if most is None else len(table.rows) - most
    return table if over <= 0 else replace(table, rows=table.rows[:most], left_out=table.left_out + over)


def left_out(n: int) -> str:
    """`and 12 more rows`, or nothing."""
    return f"and {some(n, 'more row')}" if n > 0 else ""


def squared(table: Table) -> tuple[list[str], list[list[str]], str]:
    """Columns, rows and alignment of a table, all as wide as its widest row."""
    width = max([len(table.columns), *map(len, table.rows)])

    def fill(cells: Sequence[str]) -> list[str]:
        return [*cells, *[""] * (width - len(cells))]

    return fill(table.columns), [fill(row) for row in table.rows], table.align[:width].ljust(width, "<")


def version_text(versions: Mapping[str, str]) -> str:
    """`auditfw 0.1.0, polars 2.1.0`."""
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def _undefined(overall: Iterable[Measurement], styles: Mapping[str, MetricStyle]) -> list[str]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for measurement in overall:
        why = reason(measurement.estimate)
        if why is not None:
            reasons.setdefault((measurement.reading, why), []).append(title(measurement.metric, styles))
    alike: dict[tuple[str, str], list[str]] = {}
    for (reading, why), metrics in reasons.items():
        alike.setdefault((", ".join(metrics), why), []).append(reading)
    return [f"{NONE} {metrics} of {', '.join(readings)}: {why}" for (metrics, why), readings in alike.items()]


def _missing(overall: Sequence[Measurement], styles: Mapping[str, MetricStyle] = UNKNOWN) -> list[str]:
    """How many trials were counted where some were missing; readings with the same numbers share a line."""
    groups: dict[str, dict[tuple[int, int], list[str]]] = {}
    for measurement in overall:
        estimate = measurement.estimate
        if estimate.missing:
            key = estimate.counted, estimate.missing
            groups.setdefault(measurement.reading, {}).setdefault(key, []).append(title(measurement.metric, styles))
    alike: dict[str, list[str]] = {}
    for reading, kinds in groups.items():
        for (counted, missing), metrics in kinds.items():
            named = f" ({', '.join(metrics)})" if len(kinds) > 1 else ""
            alike.setdefault(f"{counted:,} counted, {missing:,} missing{named}", []).append(reading)
    return [f"{', '.join(readings)}: {line}" for line, readings in alike.items()]
