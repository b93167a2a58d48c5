"""What the consistency audit reports: the sections of its report, and its warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from auditfw.audits.answers import enumerated
from auditfw.core.digits import fixed
from auditfw.core.document import Block, Note, Section, Table, capital, grouped, some, verb
from auditfw.core.records import Measurement
from auditfw.formulas.agreement import diagnosis, scorer
from auditfw.kinds.judgements import FLAGS

from .charts import coefficients, confusion, decided, gallery, policies
from .conclusions.order_report import cell_tables, order_section
from .conclusions.stand_in import stand_in_section
from .decisions import finals_of, flagged
from .results import BUCKET_TEXTS, ConsistencyResults
from .scoring import DIFFERING, RED_FLAGS
from .screen.facts import ScreenFacts
from .screen.paper import first_sections, paper

FEW_RATERS, MOST_PAIRS = 3, 300
PAIR_COLUMNS = ("rater", "rater", "n", "percent agreement")
WAYS = {"label": "as a label of its own", "missing": "as a missing label", "exclude": "items left out"}


def write_sections(first: ScreenFacts, listed: Sequence[Section], measurements: list[Measurement]) -> list[Section]:
    """The sections, group by group."""
    results = first.results
    return [
        *grouped("answer", *first_sections(first), coefficients(results, measurements)),
        *grouped(
            "who",
            _meaning(results),
            *_confusions(results),
            cell_tables(
                measurements, _called(results), results.coefficients, results.limits.max_rows, results.coefficient.name
            ),
            *_pairwise(first),
        ),
        *grouped("look", gallery(results), _red_flags(results), *_differing(results)),
        *grouped(
            "sound",
            *listed,
            _coverage(results),
            order_section(results.orders, results.alpha, results.settings.called),
            stand_in_section(first.stand_ins, results.settings.called),
            _abstain(results),
        ),
        *grouped(
            "rest",
            paper(first, measurements),
            _policies(results, measurements),
            policies(results),
            _validators(results),
        ),
    ]


def _called(results: ConsistencyResults) -> dict[str, str]:
    """The readings that have tables of their own, and what each is called."""
    return {name: results.settings.called(name) for name in (*results.shown_candidates, "all")}


def _coverage(results: ConsistencyResults) -> Section:
    rows = [[bucket, f"{n:,}"] for bucket, n in results.counts.items()]
    section = Section("Coverage", [Table(["records", "n"], rows, "<>")])
    items = sum(results.audited.values())
    raters, reference = (
        enumerated(list(map(results.settings.introduced, results.settings.raters))),
        results.settings.reference,
    )
    section.blocks.append(
        Note(f"{some(items, 'item')}, labelled by {raters}; reference: {results.settings.called(reference)}.")
    )
    section.blocks.append(Note(results.placed.text))
    for bucket in BUCKET_TEXTS:
        rows_found = results.whole.findings.get(bucket, [])
        if rows_found:
            shown = [[place, why] for place, why in rows_found[: results.limits.max_rows]]
            left = results.whole.finding_counts[bucket] - len(shown)
            section.blocks.append(Table(["where", bucket], shown, "<<", left_out=left))
    return section


def _red_flags(results: ConsistencyResults) -> Section:
    rows = []
    for i, flag in enumerate(FLAGS):
        seen = {p: n for p, n in results.audited.items() if p.shown[i]}
        if seen:
            valid = sum(n for p, n in seen.items() if results.settings.valid in p.labels)
            agreed = sum(n for p, n in seen.items() if p.agreed == results.settings.valid)
            rows.append([flag, f"{sum(seen.values()):,}", f"{valid:,}", f"{agreed:,}"])
    if not rows:
        return Section(RED_FLAGS)
    label = results.settings.valid
    columns = ["red flag", "items", f"some rater says {label}", f"all say {label}"]
    drawn = results.whole.drawn([RED_FLAGS], results.limits.max_examples)
    shown = sorted(drawn, key=lambda show: not flagged(show.pattern, label))
    return Section(RED_FLAGS, [Table(columns, rows, "<>>>"), *decided(results, shown, texts=True)], console=True)


def _meaning(results: ConsistencyResults) -> Section:
    """Remarks on what the coefficients mean here."""
    notes: list[str | None] = []
    coefficient = results.coefficient
    for name in results.shown_candidates:
        judged, called = results.overall[name], results.settings.called(name)
        pair = judged.pair(coefficient.abstain)
        if pair is None or not pair.n:
            continue
        weights = coefficient.weighing(pair)
        paradox = None if coefficient.ordered else diagnosis.paradox(pair, called)
        notes += [paradox, diagnosis.describe_costs(pair, called, weights, coefficient.words)]
        cells = {cell: p for cell, j in results.cells(name).items() if (p := j.pair(coefficient.abstain)) is not None}
        ranked = [row for row in diagnosis.cell_costs(pair, cells, weights) if row[2] > 0][:3]
        if len(cells) > 1 and ranked:
            listed = "; ".join(f"{_cell(cell)}: {some(n, 'item')}, {fixed(gain, 3)}" for cell, n, gain in ranked)
            notes.append(f"{called} loses most {coefficient.words} in these cells: {listed}.")
    alike = results.whole.alike
    notes.append(
        diagnosis.same_texts(
            alike["same"], alike["reasons"], list(map(results.settings.called, results.settings.raters))
        )
    )
    if results.left_out:
        names, why = ", ".join(results.left_out), next(iter(results.left_out.values()))
        notes.append(f"Left out: {names}; {why}.")
    notes += [results.weights, f"{capital(results.bounds_text)}." if results.bounds_text else None]
    return Section("What the Numbers Mean", [Note(note) for note in notes if note], console=True)


def _confusions(results: ConsistencyResults) -> list[Section]:
    """Each rater against the reference; of many raters they are folded on a page."""
    sections: list[Section] = []
    many = len(results.shown_candidates) > FEW_RATERS
    for name in results.shown_candidates:
        pair = results.overall[name].pair()
        weighed = results.overall[name].pair(results.coefficient.abstain)
        if pair is None or not pair.n or weighed is None:
            continue
        one, against = results.settings.called(name), results.settings.called(results.settings.reference)
        used = [i for i in range(len(pair.labels)) if pair.rows[i] or pair.columns[i]]
        rows = [[pair.labels[i], *(f"{pair.table[i][j]:,}" for j in used), f"{pair.rows[i]:,}"] for i in used]
        rows.append(["all", *(f"{pair.columns[j]:,}" for j in used), f"{pair.n:,}"])
        matrix = Table(
            [f"{one} \\ {against}", *(pair.labels[j] for j in used), "all"], rows, "<" + ">" * (len(used) + 1)
        )
        own = [
            [pair.labels[i], f"{pair.table[i][i]:,}", _share(2 * pair.table[i][i], pair.rows[i] + pair.columns[i])]
            for i in used
        ]
        agreement = Table(
            ["label", "both", "specific agreement"],
            own,
            "<>>",
            "Of the items that either rater gave this label, the share where both did.",
        )
        ranked = diagnosis.costs(weighed, results.coefficient.weighing(weighed))
        costs = [[c.candidate, c.reference, f"{c.n:,}", fixed(c.gain, 4, signed=True)] for c in ranked]
        most = results.limits.max_rows
        kappa_costs = Table(
            [one, against, "items", f"{results.coefficient.words} lost"],
            costs[:most],
            "<<>>",
            left_out=max(0, len(costs) - most),
        )
        first = not sections
        sections.append(Section(f"{one} against {against}", [matrix], console=first, off_page=True))
        blocks: list[Block] = [agreement, *([kappa_costs] if costs else [])]
        shown = confusion(one, against, pair)
        n = pair.n - pair.agreed
        folded = f"{n:,} of {some(pair.n, 'item')} {verb(n, 'differs', 'differ')}" if many else ""
        sections.append(replace(shown, blocks=[*shown.blocks, *blocks], folded=folded))
        sections.append(Section("Agreement on Each Label", blocks, level=3, console=first, off_page=True))
    return sections


def _pairwise(facts: ScreenFacts) -> list[Section]:
    """Every two raters: those with the lowest kappa, and on a page the others, folded; weighted as the screen is."""
    results = facts.results
    ratings = results.overall["all"].everyone
    if len(ratings.raters) < 3:
        return []
    most, raters = results.limits.max_rows, len(ratings.raters)
    number = raters * (raters - 1) // 2
    many = number > most  # the worst are shown, all are in a table of the run
    pairs = diagnosis.pairwise(ratings, max(most, MOST_PAIRS) if many else None)
    rows, align = [_pair_row(facts, pair) for pair in pairs], "<<>>>"
    heads: Sequence[str] = (*PAIR_COLUMNS, results.plain_kappa)
    if facts.coefficient.ordered:
        heads, align = (*heads, facts.coefficient.title), f"{align}>"
    table = Table(heads, rows[:most], align, left_out=max(0, number - most))
    if not many:
        return [Section("Pairs of Raters", [table], console=True)]
    note = Note(f"The lowest {results.plain_kappa} first; all {number:,} pairs are in pairs.parquet.")
    others = Table(heads, rows[most:], align, left_out=number - len(rows))
    folded = f"pairs {most + 1:,} to {len(rows):,} of {number:,}, by {results.plain_kappa}"
    further = [Section("Further Pairs of Raters", [others], page=True, folded=folded)] if rows[most:] else []
    return [Section("Pairs of Raters", [table, note], console=True), *further]


def _pair_row(facts: ScreenFacts, pair: diagnosis.RaterPair) -> list[str]:
    names = map(facts.called, (pair.one, pair.other))
    row = [*names, f"{pair.n:,}", _number(pair.percent), _number(pair.kappa)]
    if not facts.coefficient.ordered:
        return row
    value = float(facts.with_others.kappa[facts.ratings.column(pair.one), facts.ratings.column(pair.other)])
    return [*row, _number(None if isnan(value) else value)]


def _abstain(results: ConsistencyResults) -> Section:
    if not results.settings.abstain:
        return Section("Abstentions")
    everyone = results.overall["all"].everyone
    rows = []
    codes = {everyone.labels.index(label) for label in results.settings.abstain}
    for j, rater in enumerate(everyone.raters):
        n = sum(times for pattern, times in everyone.items() if pattern[j] in codes)
        rows.append(
            [results.settings.called(rater), f"{n:,}", _share(n, sum(t for p, t in everyone.items() if p[j] >= 0))]
        )
    n_abstained = sum(times for pattern, times in everyone.items() if not codes.isdisjoint(pattern))
    rows.append(["either", f"{n_abstained:,}", _share(n_abstained, everyone.n)])
    if not n_abstained:
        return Section("Abstentions")
    ways = []
    for name in results.shown_candidates:
        for how, pair in diagnosis.abstaining_ways(results.overall[name]):
            agreement, kappa = scorer.percent_agreement(pair.table), scorer.kappa(pair.table)
            ways.append([results.settings.called(name), WAYS[how], f"{pair.n:,}", _number(agreement), _number(kappa)])
    columns = ["rater", "abstentions counted", "n", "percent agreement", results.plain_kappa]
    blocks: list[Block] = [Table(["rater", "abstained", "rate"], rows, "<>>")]
    return Section("Abstentions", [*blocks, Table(columns, ways, "<<>>>")] if ways else blocks)


def _policies(results: ConsistencyResults, measurements: Sequence[Measurement]) -> Section:
    """What each policy would have shipped, side by side."""
    names = list(results.decider.policies)
    if not names or not results.audited:
        return Section("What Each Policy Decides")
    whys = results.decisions
    finals = [finals_of(why) for why in whys]
    overruled = sum(n for pattern, n in results.audited.items() if results.decider.overruled(pattern))
    labels = [
        label for label in (*results.settings.labels, *sorted(set().union(*finals))) if any(label in f for f in finals)
    ]
    rows = [[label, *(f"{counts[label]:,}" for counts in finals)] for label in dict.fromkeys(labels)]
    blocks: list[Block] = [Table(["final label", *names], rows, "<" + ">" * len(names))]
    reasons = [[name, *key, f"{n:,}"] for name, why in zip(names, whys, strict=True) for key, n in sorted(why.items())]
    blocks.append(Table(["policy", "final", "why", "items"], reasons, "<<<>"))
    blocks.append(
        Note(f"{names[0]} decides the column final of disagreements.tsv; it overrules {some(overruled, 'agreement')}.")
    )
    return Section("What Each Policy Decides", blocks, console=True)


def _validators(results: ConsistencyResults) -> Section:
    blocks: list[Block] = []
    idle = [name for name in results.validators if not results.whole.finding_counts[name]]
    if idle:
        blocks.append(Note(f"{', '.join(idle)}: {some(0, 'item')}."))
    for name in results.validators:
        n = results.whole.finding_counts[name]
        if not n:
            continue
        blocks.append(Note(f"{name}: {some(n, 'item')}."))
        shown = [[place, why] for place, why in results.whole.findings.get(name, [])[: results.limits.max_rows]]
        if shown:
            blocks.append(Table(["where", name], shown, "<<", left_out=n - len(shown)))
    return Section("Validators", blocks, console=bool(blocks))


def _differing(results: ConsistencyResults) -> list[Section]:
    shown = results.whole.drawn([DIFFERING], results.limits.max_examples)
    if not shown:
        return []
    n = sum(times for p, times in results.audited.items() if p.differs)
    note = Note(
        f"{some(n, 'item')}; {len(shown)} shown, a balanced random sample (seed {results.settings.seed}) of every "
        "combination of labels. All are in disagreements.tsv."
    )
    return [Section(DIFFERING, [note, *decided(results, shown, texts=True)], off_page=True)]


def _cell(cell: Sequence[tuple[str, object]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in cell)


def _number(value: float | None) -> str:
    return "–" if value is None else fixed(value, 4)


def _share(part: int, n: int) -> str:
    return fixed(part / n, 4) if n else "–"
