"""What the consistency audit puts on a page: coefficients, confusions, policies as pictures, a gallery of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from auditfw.core.digits import fixed
from auditfw.core.document import Chart, Exhibit, Gallery, Matrix, Note, Section, Series, SeriesRole, capital, some
from auditfw.core.records import Measurement
from auditfw.kinds.judgements import FLAGS
from auditfw.kinds.metric_styles import weights_of
from auditfw.kinds.metrics import Metric
from auditfw.kinds.registry import component

from .counts import ShownRow
from .decisions import FINAL, finals_of, flagged
from .exhibits import EVIDENCE_SHOWN
from .results import NONE, ConsistencyResults
from .scoring import DIFFERING, RED_FLAGS

if TYPE_CHECKING:
    from auditfw.formulas.agreement import Pair


COEFFICIENTS = {
    "percent_agreement": "percent agreement",
    "kappa": "Cohen's kappa",
    "weighted_kappa": "weighted kappa",
    "scott_pi": "Scott's pi",
    "brennan_prediger": "Brennan and Prediger",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
}
MOST_LABELS = 40
MOST_COLOURED = 4  # raters: more are shown by one coefficient
MOST_SERIES = 8
FLAG, NO_FLAG = "red flag", "no red flag"


def scaled(metrics: Mapping[str, Metric], called: Mapping[str, str]) -> dict[str, str]:
    """The metrics that share one scale of agreement, and what each is called: by its name where a user chose that.

    `called` are the weights of those that have no word for them.
    """
    known = {component("metric", kind).cls: kind for kind in COEFFICIENTS}
    kinds = {name: kind for name in sorted(metrics) if (kind := known.get(type(metrics[name])))}
    return {
        name: f"{COEFFICIENTS[kind] if name == kind else name}{_weights(metrics[name], called.get(name, ''))}"
        for name, kind in kinds.items()
    }


def _weights(metric: Metric, called: str) -> str:
    weights = weights_of(metric) or called
    return f" ({weights})" if weights else ""


def coefficients(results: ConsistencyResults, measurements: Sequence[Measurement]) -> Section:
    """Every coefficient of every rater, and of all together, with its interval."""
    section = Section("Agreement between Raters", page=True, screen="picture")
    if len(results.shown_candidates) > MOST_COLOURED:
        chart = _by_rater(results, measurements)
        section.blocks += [] if chart is None else [chart, *_who(results)]
        return section
    series = []
    for name in (*results.shown_candidates, "all"):
        own = [m for m in measurements if m.reading == name and m.overall and m.metric in results.coefficients]
        known = [
            (results.coefficients[m.metric], m.estimate.value, m.estimate) for m in own if m.estimate.value is not None
        ]
        if known:
            x, y, estimates = zip(*known, strict=True)
            ends = ([e.low for e in estimates], [e.high for e in estimates])
            bare = not any(e.low is not None or e.high is not None for e in estimates)
            called = "all raters" if name == "all" else results.settings.against(name)
            series.append(Series(called, list(x), list(y), (), *([(), ()] if bare else ends)))
    if series:
        least = min(low for one in series for low in (*one.y, *one.low) if low is not None)
        span = (min(0.0, least), 1.0)
        metrics = {text: metric for metric, text in results.coefficients.items()}
        chart = Chart("Agreement by coefficient", "coefficient", "agreement", series, "points", span, metrics=metrics)
        note = "Percent agreement includes agreement by chance; the other coefficients are 0 at chance level."
        section.blocks += [chart, *_who(results), Note(note)]
    return section


def _by_rater(results: ConsistencyResults, measurements: Sequence[Measurement]) -> Chart | None:
    """One coefficient of every rater, kappa where it is taken, the lowest first."""
    own = [
        m for m in measurements if m.overall and m.reading in results.shown_candidates and m.estimate.value is not None
    ]
    taken = dict.fromkeys(m.metric for m in own if m.metric in results.coefficients)
    first = results.coefficient.name
    metric = first if first in taken else next(iter(taken), None)
    shown = sorted((m for m in own if m.metric == metric), key=lambda m: (m.estimate.value or 0.0, m.reading))
    if metric is None:
        return None
    names = [results.settings.called(m.reading) for m in shown]
    ends = [m.estimate.low for m in shown], [m.estimate.high for m in shown]
    title = results.coefficients[metric]
    series = Series(title, names, [m.estimate.value or 0.0 for m in shown], (), *ends)
    against = results.settings.called(results.settings.reference)
    return Chart(f"{capital(title)} by rater, against {against}", "rater", title, [series], "points", metric=metric)


def _who(results: ConsistencyResults) -> list[Note]:
    """Who the raters are, where the source says so."""
    titles = results.settings.titles
    named = [f"{rater}: {titles[rater]}" for rater in results.settings.raters if rater in titles]
    return [Note(f"{'; '.join(named)}.", f"{named[0]}.")] if named else []


def confusion(name: str, against: str, pair: Pair) -> Section:
    """Two raters' labels against each other, shaded by the share of the row."""
    used = [i for i in range(len(pair.labels)) if pair.rows[i] or pair.columns[i]]
    kept = sorted(sorted(used, key=lambda i: -pair.rows[i] - pair.columns[i])[:MOST_LABELS])
    most = "" if len(kept) == len(used) else f", the {len(kept)} most frequent of {some(len(used), 'label')}"
    matrix = Matrix(
        title=f"{name} against {against}: shaded by the share of the row{most}",
        corner=f"{name} \\ {against}",
        rows=[pair.labels[i] for i in kept],
        columns=[pair.labels[j] for j in kept],
        values=[[pair.table[i][j] / pair.rows[i] if pair.rows[i] else None for j in kept] for i in kept],
        shown=[[f"{pair.table[i][j]:,}" if pair.rows[i] else "" for j in kept] for i in kept],
        ends=(0.0, 1.0),
        notes=[f"{pair.rows[i]:,}" for i in kept],
        note="all",
        counts=[[pair.rows[i]] * len(kept) for i in kept],
    )
    return Section(f"Where {name} and {against} Differ", [matrix], page=True)


def policies(results: ConsistencyResults) -> Section:
    """Which labels the raters give and each policy ships, side by side."""
    section = Section("Raters and Policies Side by Side", page=True)
    called, roles = results.settings.called, _roles(results)
    settings, names = results.settings, list(results.decider.policies)
    labels_by: dict[str, Counter[str]] = {rater: Counter() for rater in settings.raters}
    for pattern, n in results.audited.items():
        for rater, label in zip(settings.raters, pattern.labels, strict=True):
            if label is not None:
                labels_by[rater][label] += n
    labels_by |= {f"{FINAL}.{name}": finals_of(why) for name, why in zip(names, results.decisions, strict=True)}
    known = dict.fromkeys((*settings.labels, *sorted(set().union(*labels_by.values()))))
    labels = [label for label in known if any(one[label] for one in labels_by.values())]
    shares = {name: [one[label] / max(1, one.total()) for label in labels] for name, one in labels_by.items()}
    if not names or not labels:
        return section
    if len(labels_by) <= MOST_SERIES and len(labels) <= MOST_LABELS:
        series = [Series(called(name), labels, share, role=roles.get(name, "")) for name, share in shares.items()]
        section.blocks.append(Chart("Share of the items by label", "label", "share", series, "bars"))
    else:
        named = {called(name): share for name, share in shares.items()}
        section.blocks.append(_shares(labels[:MOST_LABELS], named, len(labels)))
    return section


def _roles(results: ConsistencyResults) -> dict[str, SeriesRole]:
    """The colour of the reference, and that of the candidate where there is one."""
    roles: dict[str, SeriesRole] = {results.settings.reference: "reference"}
    if len(results.candidates) == 1:
        roles[results.candidates[0]] = "candidate"
    return roles


def _shares(labels: Sequence[str], shares: dict[str, list[float]], n: int) -> Matrix:
    values = [[share[i] for share in shares.values()] for i in range(len(labels))]
    shown = [[f"{fixed(100 * share, 1)}%" for share in row] for row in values]
    title = "Share of the items by label"
    return Matrix(title, "label", labels, list(shares), values, shown, ends=(0.0, 1.0), left_out=n - len(labels))


def gallery(results: ConsistencyResults) -> Section:
    """The rows with differing labels or a red flag, drawn from each pattern in turns."""
    rows = {pattern: n for pattern, n in results.audited.items() if pattern.differs or any(pattern.shown)}
    total = sum(rows.values())
    drawn = results.whole.drawn((RED_FLAGS, DIFFERING), results.limits.max_exhibits)
    drawn.sort(key=lambda show: not flagged(show.pattern, results.settings.valid))
    if not drawn:
        return Section("Browse Disagreements")
    facets = _facets(results, any(any(pattern.shown) for pattern in rows))
    exhibits = zip(decided(results, drawn), drawn, strict=True)
    shown = [replace(exhibit, tags=list(_tags(results, show, facets).values())) for exhibit, show in exhibits]
    gallery = Gallery(
        [(results.settings.called(name),) for name in facets], shown, total, "rows with differing labels or a red flag"
    )
    how = f"A balanced random sample (seed {results.settings.seed}) of every combination of labels and flags."
    return Section("Browse Disagreements", [*([Note(how)] if len(drawn) < total else []), gallery], page=True)


def _facets(results: ConsistencyResults, flags: bool) -> list[str]:
    """The raters, what policies decide, the red flags where there are any, and the cell; each name once."""
    finals = [f"{FINAL}.{name}" for name in results.decider.policies]
    return list(dict.fromkeys([*results.settings.raters, *finals, *([FLAG] if flags else []), *results.settings.by]))


def _tags(results: ConsistencyResults, show: ShownRow, facets: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    """The values of a row in each facet, in their order."""
    tags: dict[str, list[tuple[str, ...]]] = {
        name: [(value,)] for name, value in show.exhibit.facts[: len(results.settings.by)]
    }
    raised = [flag for flag, on in zip(FLAGS, show.pattern.shown, strict=True) if on]
    tags[FLAG] = [(flag,) for flag in raised] or [(NO_FLAG,)]
    finals = zip(results.decider.policies, results.decider.decide(show.pattern), strict=True)
    tags |= {f"{FINAL}.{name}": [(final or NONE,)] for name, (final, _) in finals}
    labels = zip(results.settings.raters, show.pattern.labels, strict=True)
    tags |= {rater: [(label or NONE,)] for rater, label in labels}
    return {name: tags[name] for name in facets}


def decided(results: ConsistencyResults, shown: Sequence[ShownRow], texts: bool = False) -> list[Exhibit]:
    """The rows with what every policy decided; with all evidence, or with the `texts` of raters alone."""
    exhibits, called = [], results.settings.called
    for show in shown:
        finals = results.decider.decide(show.pattern)
        facts = [
            ("id", show.id),
            *((called(name), value) for name, value in show.exhibit.facts),
            *((flag, "true") for flag, on in zip(FLAGS, show.pattern.shown, strict=True) if on),
        ]
        facts += [
            (f"{FINAL}.{name}", f"{final or NONE} ({why})")
            for name, (final, why) in zip(results.decider.policies, finals, strict=True)
        ]
        own = [one for one in show.exhibit.snippets if not (texts and one.label in EVIDENCE_SHOWN)]
        snippets = [replace(one, label=_label(one.label, results)) for one in own]
        labels = dict(zip(results.settings.raters, show.pattern.labels, strict=True))
        labels |= {f"{FINAL}.{name}": final for name, (final, _) in zip(results.decider.policies, finals, strict=True)}
        changes = _changes(labels, labels.get(results.settings.reference))
        exhibits.append(replace(show.exhibit, facts=facts, snippets=snippets, changes=changes))
    return exhibits


def _changes(labels: Mapping[str, str | None], before: str | None) -> dict[str, str]:
    """The readings with another label than the reference's, where both have one."""
    return {name: label for name, label in labels.items() if label and before and label != before}


def _label(label: str, results: ConsistencyResults) -> str:
    """What a text is called: of a rater's with who that is."""
    rater, dot, part = label.rpartition(".")
    return f"{results.settings.called(rater)}: {part}" if dot and rater in results.settings.titles else label
