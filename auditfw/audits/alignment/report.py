"""What the alignment audit reports: the sections of its report."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from typing import Any

from auditfw.audits.answers import with_interval
from auditfw.core.digits import fixed, short, without_noise
from auditfw.core.document import Block, Note, Section, Table, grouped, some, verb
from auditfw.core.errors import brief
from auditfw.core.records import Measurement, named_cells, sorted_cells
from auditfw.formulas.multiple import ALPHA
from auditfw.kinds.context import Context

from .actual import NONFINITE, SCENARIO_STATUS, SCORED
from .cell_counts import AlignmentCounts, KeyTally
from .charts import against_free, bars, came_for, curves, gallery, parameters, scenario_name
from .conclusions.missed import MissedScenarios, missed_scenarios
from .conclusions.report import errors_section, paper, replicates_note, weights_section
from .counts import AlignmentResults
from .exhibits import WORST
from .findings import AlignmentFindings
from .intended import KeyScores
from .null_models import NULLS, one_purpose, one_setting
from .scenario_sample import Drawn
from .screen import assumed, values_text, what_misses, where_text, worst_scenario

NONE = "–"
WORST_KEYS = 3
EFFECTS_SHOWN = 15
KEYS_NAMED = 4


def write_sections(
    results: AlignmentResults,
    findings: AlignmentFindings,
    asked: Sequence[Section],
    measurements: list[Measurement],
) -> list[Section]:
    """The sections, group by group."""
    total, context = results.total(), results.context
    where = where_text(results, findings)
    return [
        *grouped(
            "answer",
            what_misses(results, findings, where),
            worst_scenario(results),
            assumed(results, findings),
            against_free(findings, total, measurements),
        ),
        *grouped(
            "who",
            _keys(results, total, context.limits.max_rows),
            bars(total),
            _causes(findings, where),
            *curves(findings.drawn, results, findings.causes),
            _groups(results, context),
        ),
        *grouped("look", _worst(results, context), gallery(results, context)),
        *grouped(
            "sound",
            *asked,
            _free(findings, total),
            weights_section(findings.scores, findings.free_direction),
            _units(findings, results, total, context.limits.max_rows),
        ),
        *grouped(
            "rest",
            paper(results, findings, measurements),
            _effects(results),
            parameters(findings, results),
            _noise(total, results.work.replicates, context.limits.max_rows),
            errors_section(total, findings.first, context.limits.max_rows),
            *findings.sensitivity,
            _coverage(results),
        ),
    ]


def _keys(results: AlignmentResults, total: AlignmentCounts, most: int) -> Section:
    rows = []
    for key, one in list(total.keys.items())[:most]:
        n = one.counts[SCORED] + one.counts[NONFINITE]
        name = f"{key} ({one.unit})" if one.unit else key
        scores = [_mean(one["direction"]), _mean(one["magnitude"]), _with_ends(one["combined"])]
        rows.append([name, f"{n:,}", *scores, _share(one.met, n), f"{one.counts.total() - n:,}"])
    columns = ["key", "n", "direction", "magnitude", "combined", "met", "missing"]
    if not any(one.counts.total() - one.counts[SCORED] - one.counts[NONFINITE] for one in total.keys.values()):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    left = max(0, len(total.keys) - most)
    blocks: list[Block] = [Table(columns, rows, "<" + ">" * (len(columns) - 1), left_out=left)] if rows else []
    return Section("Keys", blocks, console=True)


def _groups(results: AlignmentResults, context: Context) -> Section:
    """A row for each cell: what one compares models by."""
    order = sorted_cells(results.tallies)
    if not context.by or not any(value is not None for cell in order for value in cell):
        return Section("Groups")
    rows = []
    for cell, named in zip(order, named_cells(order, context.by), strict=True):
        tally = results.tallies[cell]
        worst = min((k for k in tally.keys.items() if k[1]["combined"].n), key=_least, default=None)
        numbers = [_with_ends(tally.overall), _mean(tally.direction), _mean(tally.magnitude)]
        lowest = NONE if worst is None else worst[0]
        rows.append([*map(str, named.values()), f"{tally.scenarios:,}", *numbers, lowest])
    columns = [*context.by, "n", "mean overall", "direction", "magnitude", "lowest key"]
    left = len(rows) - context.limits.max_rows
    table = Table(columns, rows[: context.limits.max_rows], "<" * len(context.by) + ">>>><", left_out=max(0, left))
    return Section("Groups", [table], console=True)


def _least(named: tuple[str, KeyTally]) -> tuple[float, str]:
    return named[1]["combined"].mean, named[0]


def _worst(results: AlignmentResults, context: Context) -> Section:
    drawn, order = results.lowest.drawn()
    of = missed_scenarios(results, drawn)
    scored = [i for i in order if not isnan(drawn.overall[i]) and (of.missed[i] or not of.in_all)]
    scored = scored[: min(WORST, context.limits.max_examples)]
    room = results.work.tolerance if of.in_all else None
    rows = [[scenario_name(drawn, i), fixed(float(drawn.overall[i]), 3), _outcomes(drawn, i, room)] for i in scored]
    if not rows:
        return Section("Worst Scenarios")
    missed = " that miss" if of.in_all else ""
    text = f"For each scenario, its lowest-scoring outcomes{missed}: actual vs intended."
    how = Note(text + _listed(results, of, len(rows)))
    return Section("Worst Scenarios", [Table(["scenario", "overall", "outcomes"], rows, "<><"), how], console=True)


def _listed(results: AlignmentResults, of: MissedScenarios, shown: int) -> str:
    """How many scenarios miss, and where those are that are not among the `shown`."""
    if not of.in_all:
        return ""
    text = f" {some(of.in_all, 'scenario')} {verb(of.in_all, 'misses', 'miss')} {of.what}"
    if of.in_all == shown:
        return f"{text}, all listed."
    browsed = int(of.missed[results.lowest.drawn()[1][: results.lowest.most]].sum())
    where = "all are" if browsed == of.in_all else f"{browsed:,} are"
    more = "" if browsed == of.in_all else ", the outcomes of all in trials.parquet"
    return f"{text}, {of.in_all - shown:,} more than are listed; {where} under Browse Scenarios of report.html{more}."


def _outcomes(drawn: Drawn, i: int, tolerance: float | None) -> str:
    """The outcomes of the lowest scores, without those that are met within the tolerance if it is not None."""
    matched = [one for one in drawn.keys if one.codes[i] <= NONFINITE]
    if tolerance is not None:
        matched = [scores for scores in matched if not scores.met(tolerance)[i]]
    lowest = sorted(matched, key=lambda one: float(one.combined[i]))[:WORST_KEYS]
    return "; ".join(f"{one.key} {came_for(float(one.compared.actual[i]), *_ends(one, i))}" for one in lowest)


def _ends(one: KeyScores, i: int) -> tuple[float, float]:
    """The ends of what is meant; NaN where only a change is."""
    of = one.compared
    return (nan, nan) if of.change is not None and of.change[i] else (float(of.low[i]), float(of.high[i]))


def _free(findings: AlignmentFindings, total: AlignmentCounts) -> Section:
    if not findings.free or not total.overall.n:
        return Section("Trivial Baselines")
    figures = findings.first
    own = figures.compared_mean if figures.part else total.overall.mean
    rows = [["this simulator", fixed(own, 4), ""]]
    rows += [[name, fixed(score, 4), NULLS[name]] for name, score in findings.free.items()]
    columns = ["simulator", "mean score" if figures.part else "mean overall", "returns"]
    table = Table(columns, rows, "<><")
    return Section("Trivial Baselines", [table, Note(" ".join(_against_free(findings, total)))], console=True)


def _against_free(findings: AlignmentFindings, total: AlignmentCounts) -> list[str]:
    """What the scores of the null simulators say of this one, and where they can say nothing."""
    drawn, few = len(findings.drawn), len(findings.drawn) < total.scenarios
    figures = findings.first
    own = figures.compared_mean if few or figures.part else total.overall.mean
    best = findings.first.best
    above = without_noise(own - findings.free[best])
    notes = [_compared(above, best)]
    where = "sampled scenario" if few else "scenario"
    if figures.part:
        names = ", ".join(brief(one.key, 40) for one in figures.keys[:KEYS_NAMED])
        notes.append(
            f"Compared on what differs between scenarios ({names}{', …' if len(figures.keys) > KEYS_NAMED else ''}), "
            f"where this simulator scores {fixed(own, 4)}, {fixed(total.overall.mean, 4)} over all: other keys a "
            "constant gets right in most scenarios."
        )
    if one_purpose(findings.drawn):
        notes.append(
            f"Every {where} has the same intentions, so a constant may score as well as a simulator that uses its "
            "parameters."
        )
    elif one_setting(findings.drawn):
        notes.append(f"Every {where} has the same parameters, so this run cannot show whether they are used.")
    elif above <= 0:
        notes.append("A simulator that ignores its parameters scores at least as well.")
    if few:
        notes.append(
            f"The trivial baselines were scored on a random sample of {some(drawn, 'scenario')}; on these this "
            f"simulator scores {fixed(own, 4)}."
        )
    return notes


def _compared(above: float, best: str) -> str:
    """The score of this simulator against that of the best null simulator, in words."""
    distance = fixed(abs(above), 4)
    if not float(distance):
        return f"As good as the best trivial baseline ({best})."
    return f"{distance} {'better' if above > 0 else 'worse'} than the best trivial baseline ({best})."


def _effects(results: AlignmentResults) -> Section:
    section = Section("Unintended Effects", console=True)
    moved = {key: one for key, one in results.effects.items() if one.up + one.down}
    if results.work.base is None:
        return section
    movement = results.work.movement
    how = f"by more than {movement.units:g} noise units and {_percent(movement.share)} of its size"
    if not results.effects:
        section.blocks.append(Note("Every output was intended, so there are no unintended effects to look for."))
        return section
    if not moved:
        section.blocks.append(Note(f"No unintended output moved from the baseline {how}."))
        return section
    order = sorted(
        moved, key=lambda key: (-(moved[key].up + moved[key].down) / moved[key].seen, -moved[key].ratio, key)
    )
    rows = []
    for key in order[:EFFECTS_SHOWN]:
        one = moved[key]
        most = f"{short(one.ratio, 3)} x in {results.name_of(one.worst)}"
        numbers = [f"{one.up + one.down:,} of {one.seen:,}", f"{one.up:,}", f"{one.down:,}"]
        change = f"{'' if one.change.mean < 0 else '+'}{short(one.change.mean)}"
        rows.append([key, short(one.base), *numbers, change, most])
    columns = ["output", "baseline", "moved", "up", "down", "mean change", "most"]
    intended = ", ".join(list(results.total().keys)[:EFFECTS_SHOWN])
    note = Note(
        f"Intended: {intended}. These outputs moved too, from the baseline '{results.work.rules.baseline}' {how}."
    )
    section.blocks += [note, Table(columns, rows, "<>>>>><", left_out=len(order) - len(rows))]
    return section


def _causes(findings: AlignmentFindings, where: str) -> Section:
    section = Section("Where It Goes Wrong", console=True)
    causes = findings.causes
    if causes is None or len(causes.causes) < 2:
        return section
    rows = [
        [
            one.name,
            fixed(one.importance, 3),
            *(NONE if isnan(x) else fixed(x, 3) for x in one.thirds),
            values_text(one.values[1]) or NONE,
        ]
        for one in causes.causes
    ]
    ends = "Low, middle, high: the mean overall in each third of the parameter's values, and the values in the middle."
    text = (
        f"Neighbouring scenarios explain {_percent(causes.explained)} of the variance of the score "
        f"({causes.scenarios:,} scenarios); importance is how much of that is lost when the parameter is shuffled. "
        f"{ends} Differences that chance explains (Kruskal-Wallis test of the thirds, p above {ALPHA:g} after Holm's "
        "adjustment for the parameters) are not named at the start."
    )
    columns = ["parameter", "importance", "low", "middle", "high", "middle is"]
    section.blocks += [*([Note(where)] if where else []), Table(columns, rows, "<>>>><"), Note(text)]
    return section


def _noise(total: AlignmentCounts, replicates: int, most: int) -> Section:
    if replicates < 2:
        return Section("Noise")
    rows = [
        [key, short(one["variance"].mean ** 0.5), fixed(one["loss"].mean, 4)]
        for key, one in total.keys.items()
        if one["variance"].n and one["loss"].n
    ]
    note = Note(
        f"Each scenario ran {some(replicates, 'time')}; the mean outcome is scored. Noise is the standard deviation "
        "between replicates; cost is the magnitude score that a single replicate would lose relative to the mean."
    )
    table = Table(["key", "noise", "cost"], rows[:most], "<>>", left_out=max(0, len(rows) - most))
    return Section("Noise", [table, note, *replicates_note(total, replicates)] if rows else [], console=True)


def _units(findings: AlignmentFindings, results: AlignmentResults, total: AlignmentCounts, most: int) -> Section:
    rows = [[key, fixed(a, 4), fixed(b, 4), fixed(a - b, 4, signed=True)] for key, (a, b) in findings.scales.items()]
    section = Section("Units and Floor")
    rule = results.work.rule
    if rows:
        columns = ["key", "combined", "without the floor", "effect of the floor"]
        about = f"The floor is {rule.floor:g}: where the intended value is smaller, errors are relative to the floor."
        table = Table(columns, rows[:most], "<>>>", left_out=max(0, len(rows) - most))
        section.blocks += [table, Note(about)]
    zeros = {key: n for key, one in total.keys.items() if (n := one.levels["zero"])}
    if zeros:
        listed = ", ".join(f"{key} ({n:,})" for key, n in list(zeros.items())[:most])
        listed += f" and {len(zeros) - most:,} more" if len(zeros) > most else ""
        slope, floor = rule.zero_slope, rule.floor
        section.blocks.append(
            Note(
                f"Intended value 0 (scenarios): {listed}. For these, direction is max(0, 1 - {slope:g} x |actual|) and "
                f"magnitude max(0, 1 - |actual| / {floor:g})."
            )
        )
    return section


def _coverage(results: AlignmentResults) -> Section:
    rows = [[f"outcomes: {bucket}", f"{n:,}"] for bucket, n in results.counts().items()]
    rows += [[f"scenarios: {name}", f"{results.buckets[name]:,}"] for name in SCENARIO_STATUS if results.buckets[name]]
    rows += results.partners.rows()
    section = Section("Coverage", [Table(["what", "n"], rows, "<>")])
    section.blocks += [Note(problem) for problem in results.problems]
    return section


def _mean(moments: Any) -> str:
    return fixed(moments.mean, 3) if moments.n else NONE


def _with_ends(moments: Any) -> str:
    low, high = (moments.interval(0.0, 1.0) if moments.n else None) or (None, None)
    return with_interval(_mean(moments), low, high, 3, moments.mean if moments.n else None)


def _share(part: int, whole: int) -> str:
    return _percent(part / whole) if whole else NONE


def _percent(share: float) -> str:
    return f"{fixed(100 * share, 0)} %"
