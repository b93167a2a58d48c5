"""What the alignment audit puts on a page: keys as bars, scores by parameter, a gallery of the worst scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from auditfw.core.digits import NOISE, fixed, short, short_apart
from auditfw.core.document import Chart, Exhibit, Gallery, Matrix, Note, Section, Series, Snippet, shown, snippet, some
from auditfw.core.errors import brief
from auditfw.core.imports import np
from auditfw.core.records import Estimate, Measurement
from auditfw.formulas.alignment import is_finite
from auditfw.formulas.outcome_columns import DOWN, UP
from auditfw.kinds.context import Context

from .actual import NONFINITE, NOT_MEANT, SCENARIO_STATUS, STATUS
from .cell_counts import AlignmentCounts
from .conclusions.arguments import band_text
from .counts import AlignmentResults
from .explain import Causes
from .findings import AlignmentFindings
from .intended import Floats, KeyScores
from .null_models import scored_keys
from .scenario_sample import Drawn
from .settings import PARAM

NONE, SCORE = "–", "mean_overall"
WAYS = {UP: "vs a rise", DOWN: "vs a fall"}
MOST_KEYS = 24
KEYS_NAMED, KEY_NAME = 2, 30
MOST_CURVES = 6
BINS = 12
LEAST = 3
BINNED = 40
MOST_PARAMS, MOST_POINTS, LEAST_POINTS = 6, 1_000, 3
FIFTHS = ("lowest fifth", "second", "middle", "fourth", "highest fifth")
ROWS, COLUMNS = 40, 12
FACTS, WHY_SHOWN = 40, 600


def bars(total: AlignmentCounts) -> Section:
    """The three scores of every key."""
    keys = [(name, one) for name, one in total.keys.items() if one["combined"].n]
    section = Section("Scores by Key", page=True)
    if len(keys) < 2:
        return section
    shown = keys[:MOST_KEYS]
    series = []
    for score in ("direction", "magnitude", "combined"):
        own = [(name, one[score]) for name, one in shown if one[score].n]
        ends = [moments.interval(0.0, 1.0) for _, moments in own] if score == "combined" else []
        low, high = [e and e[0] for e in ends], [e and e[1] for e in ends]
        series.append(Series(score, [name for name, _ in own], [moments.mean for _, moments in own], (), low, high))
    section.blocks.append(Chart("Scores by key", "key", "mean score", series, "bars", (0.0, 1.0)))
    if len(keys) > len(shown):
        section.blocks.append(Note(f"The first {len(shown)} of {some(len(keys), 'key')}."))
    return section


def against_free(findings: AlignmentFindings, total: AlignmentCounts, measurements: Sequence[Measurement]) -> Section:
    """The score of the simulator beside those of the trivial baselines: what the answer compares."""
    section = Section("Score and Trivial Baselines", page=True, screen="picture")
    if not findings.free or not total.overall.n:
        return section
    own = next((m.estimate for m in measurements if m.overall and m.metric == SCORE), Estimate(total.overall.mean))
    value = total.overall.mean if own.value is None else own.value
    note, metric = "Trivial baselines ignore the parameters of the scenario.", SCORE
    title, y = "Mean overall score", "mean overall"
    if findings.first.part:  # all on one scale: that of the keys that are compared
        compared = {scores.key for scores in findings.first.keys}
        left = [scores.key for scores in scored_keys(findings.drawn) if scores.key not in compared]
        names = ", ".join(brief(key, KEY_NAME) for key in left[:KEYS_NAMED]) + ", …" * (len(left) > KEYS_NAMED)
        note += (
            f" Left out: {names}, which a constant gets right in most scenarios; over all outcomes this "
            f"simulator has {fixed(value, 3)}."
        )
        own, metric = findings.first.compared_estimate, ""  # no gate is on these keys alone
        value, title, y = findings.first.compared_mean, f"Mean score without {names}", "mean score"
    series = [
        Series("this simulator", ["this simulator"], [value], low=[own.low], high=[own.high], role="candidate"),
        Series("trivial baselines", list(findings.free), list(findings.free.values()), role="reference"),
    ]
    section.blocks.append(Chart(title, "simulator", y, series, "points", metric=metric))
    section.blocks.append(Note(note))
    return section


def parameters(findings: AlignmentFindings, results: AlignmentResults) -> Section:
    """The score over each of the parameters that matter most: the mean by range, and the scenarios as points."""
    section = Section("Scores by Parameter", page=True)
    drawn, causes = findings.drawn, findings.causes
    if causes is not None and len(causes.causes) > 1:
        section.blocks.append(_by_fifth(drawn, causes))
    if not results.context.limits.max_exhibits or len(results.varied) < 2:
        return section  # with one parameter the curve shows the same
    names = [one.name for one in causes.causes] if causes is not None else results.varied
    held = [i for i in range(len(drawn)) if not isnan(drawn.overall[i])]
    if len(held) > MOST_POINTS:
        held = [held[round(i * (len(held) - 1) / (MOST_POINTS - 1))] for i in range(MOST_POINTS)]
    for name in names[:MOST_PARAMS]:
        own = [i for i in held if is_finite(drawn.params[i].get(name))]
        if len(own) >= LEAST_POINTS:
            x, y = [float(drawn.params[i][name]) for i in own], [float(drawn.overall[i]) for i in own]
            chart = Chart(f"Score by {name}", name, "overall", [Series("scenarios", x, y)], "points", (0.0, 1.0))
            section.blocks.append(chart)
    if len(section.blocks) > 1 and len(held) < results.scenarios:
        section.blocks.append(
            Note(f"The points are a random sample of {len(held):,} of {some(results.scenarios, 'scenario')}.")
        )
    return section


def _by_fifth(drawn: Drawn, causes: Causes) -> Matrix:
    """For each parameter the mean score of the fifths of the scenarios, by its value."""
    rows, values, notes = [], [], []
    for cause in causes.causes[:COLUMNS]:
        held = [
            i for i in range(len(drawn)) if not isnan(drawn.overall[i]) and is_finite(drawn.params[i].get(cause.name))
        ]
        x = np.array([float(drawn.params[i][cause.name]) for i in held])
        rows.append(f"{cause.name} ({short(x.min())} to {short(x.max())})")
        values.append(_fifths(x, drawn.overall[held]))
        notes.append(fixed(cause.importance, 3))
    shown = [["" if value is None else fixed(value, 3) for value in row] for row in values]
    title = "Mean overall by fifths of each parameter's values, the most important parameter first"
    left = len(causes.causes) - len(rows)
    return Matrix(title, "parameter", rows, FIFTHS, values, shown, notes=notes, note="importance", left_out=left)


def _fifths(x: Floats, score: Floats) -> list[float | None]:
    order = np.sort(x)
    ranks = (np.searchsorted(order, x, "left") + np.searchsorted(order, x, "right")) / (2 * x.size)
    place = np.minimum(len(FIFTHS) - 1, (ranks * len(FIFTHS)).astype(np.int64))
    parts = [score[place == n] for n in range(len(FIFTHS))]
    return [float(part.mean()) if part.size else None for part in parts]


def gallery(results: AlignmentResults, context: Context) -> Section:
    """The scenarios of the lowest scores, key by key in one view and one by one."""
    section = Section("Browse Scenarios", page=True)
    drawn, order = results.lowest.drawn()
    order = order[: results.lowest.most]
    if not order:
        return section
    scored = [i for i in order if not isnan(drawn.overall[i])]
    if len(drawn.keys) > 1 and len(scored) > 1:
        section.blocks.append(_by_key(drawn, scored[:ROWS], results.scenarios))
    exhibits = [_exhibit(drawn, i, context.by) for i in order]
    facets = [("lowest key",), *((name,) for name in context.by), ("status",)]
    if len(order) < results.scenarios:
        section.blocks.append(Note("Scenarios without any outcome come first, then those with the lowest scores."))
    section.blocks.append(Gallery(facets, exhibits, results.scenarios, "scenarios"))
    return section


def _by_key(drawn: Drawn, rows: Sequence[int], scenarios: int) -> Matrix:
    """Combined scores of the worst scenarios: the keys that score lowest in them."""
    # 2 is above every score: keys without a score in these rows come last
    means = [float(np.nanmean(own)) if (own := _matched(one)[rows])[~np.isnan(own)].size else 2.0 for one in drawn.keys]
    kept = sorted(sorted(range(len(means)), key=lambda j: (means[j], j))[:COLUMNS])
    columns = [_matched(drawn.keys[j]) for j in kept]
    values = [[None if isnan(column[i]) else float(column[i]) for column in columns] for i in rows]
    shown = [["" if value is None else fixed(value, 2) for value in row] for row in values]
    lowest = "" if len(kept) == len(means) else f", the {len(kept)} lowest-scoring keys"
    few = "" if len(rows) == scenarios else f", {len(rows):,} of {scenarios:,}"
    return Matrix(
        title=f"Combined score by key, the worst scenarios first{few}{lowest}",
        corner="scenario",
        rows=[scenario_name(drawn, i) for i in rows],
        columns=[drawn.keys[j].key for j in kept],
        values=values,
        shown=shown,
        ends=(0.0, 1.0),
        notes=[fixed(drawn.overall[i], 3) for i in rows],
        note="overall",
    )


def _exhibit(drawn: Drawn, i: int, by: Sequence[str]) -> Exhibit:
    bucket, cell = SCENARIO_STATUS[drawn.codes[i]], list(map(str, drawn.cells[i]))
    meant = [one for one in drawn.keys if one.codes[i] != NOT_MEANT]
    order = sorted(meant, key=lambda one: (one.codes[i] <= NONFINITE, float(np.nan_to_num(one.combined[i], nan=-1.0))))
    lowest = [one.key for one in order if one.codes[i] <= NONFINITE and not isnan(one.combined[i])][:1]
    overall = drawn.overall[i]
    facts = [("overall", NONE if isnan(overall) else fixed(overall, 4)), ("status", bucket)]
    facts += list(zip(by, cell, strict=True))
    facts += [(one.key, _outcome(one, i)) for one in order[:FACTS]]
    facts += [("further keys", f"{len(order) - FACTS:,}")] if len(order) > FACTS else []
    params = list(drawn.params[i].items())
    facts += [(f"{PARAM}{name}", _short(value)) for name, value in params[:FACTS]]
    facts += [("further parameters", f"{len(params) - FACTS:,}")] if len(params) > FACTS else []
    statuses = dict.fromkeys(STATUS[one.codes[i]] for one in order) or {bucket: None}
    tags = [[(lowest[0] if lowest else NONE,)], *([(value,)] for value in cell), [(status,) for status in statuses]]
    texts: list[Snippet] = [snippet("why", drawn.why[i], WHY_SHOWN)] if drawn.why[i] else []
    return Exhibit(scenario_name(drawn, i), facts, texts, tags=tags)


def _outcome(one: KeyScores, i: int) -> str:
    """What came for what was meant, and how that scores."""
    of, code, actual = one.compared, one.codes[i], float(one.compared.actual[i])
    status = STATUS[code] if code > NONFINITE else ""
    way = WAYS.get(0 if of.change is None else int(of.change[i]))
    if way is not None:
        came = f"{status or short(actual)} {way}"
    else:
        came = came_for(actual, float(of.low[i]), float(of.high[i]), status)
    if status:
        return came
    scores = [("direction", one.direction[i]), ("magnitude", one.magnitude[i])]
    parts = "".join(f", {name} {fixed(score, 3)}" for name, score in scores if not isnan(score))
    return f"{came}; combined {fixed(one.combined[i], 3)}{parts}"


def came_for(actual: float, low: float, high: float, status: str = "", word: str = "vs") -> str:
    """An outcome, or its status, and what was meant: a number, a band or one end of it; nothing for a change alone."""
    came, least, most = short_apart(actual, low, high)
    if isnan(low):
        return status or came
    return f"{status or came} {word} {band_text(low, high, least, most)}"


def _matched(one: KeyScores) -> Floats:
    return np.where(one.codes <= NONFINITE, one.combined, np.nan)


def scenario_name(drawn: Drawn, i: int) -> str:
    """What a scenario is called: its label, else its number."""
    label = drawn.labels[i]
    return str(int(drawn.numbers[i])) if label is None else label


def _short(value: Any) -> str:
    return short(float(value), 6) if is_finite(value) else str(value)[:WHY_SHOWN]


def curves(drawn: Drawn, results: AlignmentResults, causes: Causes | None) -> list[Section]:
    """The curve of the one parameter that was swept, or of the one that explains most."""
    varied = results.varied
    rows = [i for i in range(len(drawn)) if not np.isnan(drawn.overall[i])]
    if len(rows) < LEAST or not varied:
        return []
    if len(varied) == 1:
        return [_curve(drawn, rows, varied[0], alone=True)]
    if causes is None or len(rows) < BINNED:
        return []
    return [_curve(drawn, rows, causes.causes[0].name, alone=False)]


def _curve(drawn: Drawn, rows: Sequence[int], name: str, alone: bool) -> Section:
    """Mean scores by the values of a parameter, or by ranges of them where others vary and it takes many."""
    own = [i for i in rows if isinstance(drawn.params[i].get(name), int | float)]
    x = np.array([float(drawn.params[i][name]) for i in own])
    columns = [("overall", drawn.overall[own])]
    columns += [(one.key, one.combined[own]) for one in drawn.keys[:MOST_CURVES] if len(drawn.keys) > 1]
    values, place = np.unique(x, return_inverse=True)
    at: Sequence[float | str] = values.tolist()
    ranges = not alone and len(values) > BINS
    if ranges:
        at, place = _ranges(x)
    series = [_series(key, at, place, y) for key, y in columns]
    chart = Chart(f"Alignment by {name}", name, "score", [one for one in series if one.x], ends=(0.0, 1.0))
    section = Section(f"Alignment by {name}", [chart], console=True)
    if series[0].y:
        section.blocks.append(Note(_best(series[0], name, alone, ranges)))
    return section


def _best(overall: Series, name: str, alone: bool, ranges: bool) -> str:
    """Where the overall score is best, and what else is in it."""
    best = max(range(len(overall.y)), key=lambda i: overall.y[i])
    ties = sum(y >= overall.y[best] - NOISE for y in overall.y) - 1
    other = "other range" if ranges else "other value"
    at = f"{'for' if ranges else 'at'} {name} {'' if ranges else '= '}{shown(overall.x[best])}"
    text = f"Best overall {fixed(overall.y[best], 3)} {at}" + (f" and at {some(ties, other)}." if ties else ".")
    if ties and ties + 1 == len(overall.y):
        text = f"Overall is {fixed(overall.y[best], 3)} at every value of {name}."
    if alone:
        return text
    within = f"Means over ranges of {name}" if ranges else f"Means over the scenarios of each value of {name}"
    return f"{text} {within}; other parameters vary within each."


def _ranges(x: Floats) -> tuple[list[str], Any]:
    """Ranges of equal width that hold values, named by the least and the largest of these, and the range of each."""
    low, wide = float(x.min()), float(np.ptp(x)) / BINS
    _, place = np.unique(np.minimum(BINS - 1, ((x - low) / wide).astype(np.int64)), return_inverse=True)
    ends = [(float(x[place == n].min()), float(x[place == n].max())) for n in range(int(place.max()) + 1)]
    return [short(a) if a == b else f"{short(a)} to {short(b)}" for a, b in ends], place


def _series(key: str, at: Sequence[float | str], place: Any, y: Floats) -> Series:
    """The mean of y at each place that has any."""
    held = ~np.isnan(y)
    counts = np.bincount(place[held], minlength=len(at))
    sums = np.bincount(place[held], weights=y[held], minlength=len(at))
    filled = np.flatnonzero(counts).tolist()
    return Series(key, [at[n] for n in filled], [float(sums[n] / counts[n]) for n in filled])
