"""What the consistency audit tells: the sections of its report, and its warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from auditfw.core.digits import fixed
from auditfw.core.document import Block, Note, Section, Table, some
from auditfw.core.notes import remarks
from auditfw.core.records import GateResult, Measurement
from auditfw.formulas.agreement import Judged, diagnosis, scorer
from auditfw.kinds.context import ReportLimits, Sample
from auditfw.kinds.judgements import FLAGS

from .charts import NONE, browse, coefficients, confusion, decided, finals_of, policies
from .counts import ConsistencyCounts, Finding
from .decisions import Decider, flagged
from .rules import AUDITED, MALFORMED, MISSING, ONE_SIDED, UNKNOWN, Pattern
from .samples import SampleSettings
from .scoring import DIFFERING, RED_FLAGS

LISTED = 20
WAYS = {"label": "as a label of its own", "missing": "as a missing label", "exclude": "items left out"}
TOLD = {
    ONE_SIDED: "labelled by one rater only, not audited",
    MISSING: "without any label, not audited",
    UNKNOWN: "with a label that is not declared, not audited",
    MALFORMED: "malformed, not audited",
    "conflict": "whose records hold different evidence (the first was taken)",
}


@dataclass(frozen=True)
class ConsistencyResults:
    """All that the sections are made from; `coefficients` names the metrics that lie on one scale of agreement."""

    whole: ConsistencyCounts
    counts: Mapping[str, int]
    settings: SampleSettings
    decider: Decider
    samples: Sequence[Sample]
    limits: ReportLimits
    validators: tuple[str, ...]
    coefficients: frozenset[str] = frozenset()

    @cached_property
    def patterns(self) -> Counter[Pattern]:
        """All patterns of the run with their counts."""
        found: Counter[Pattern] = Counter()
        for counted in self.whole.cells.values():
            found.update(counted)
        return found

    @cached_property
    def overall(self) -> dict[str, Judged]:
        """The overall sample of each reading."""
        return {s.reading.name: s.data for s in self.samples if not s.cell}

    @cached_property
    def audited(self) -> dict[Pattern, int]:
        """The patterns of the items that are audited, with their counts."""
        return {pattern: n for pattern, n in self.patterns.items() if pattern.status == AUDITED}

    @cached_property
    def decisions(self) -> list[Counter[tuple[str, str]]]:
        """For each policy how many items it gives which final label, and why; none where it decides nothing."""
        found: list[Counter[tuple[str, str]]] = [Counter() for _ in self.decider.policies]
        for pattern, n in self.audited.items():
            for counted, (final, why) in zip(found, self.decider.decide(pattern), strict=True):
                if final is not None or why:
                    counted[final or NONE, why] += n
        return found

    @property
    def candidates(self) -> list[str]:
        """The raters held against the reference."""
        return [s.reading.name for s in self.samples if not s.cell and s.reading.role == "candidate"]

    def cells(self, reading: str) -> dict[tuple[tuple[str, object], ...], Judged]:
        """The samples of the cells of one reading."""
        return {tuple(s.cell.items()): s.data for s in self.samples if s.cell and s.reading.name == reading}

    def warnings(self) -> list[str]:
        """Rows that were not audited and where they are; notes of the source; policies that do not speak of all."""
        found = remarks(self.whole.notes)
        for bucket, told in TOLD.items():
            rows = self.whole.findings.get(bucket, [])
            if rows:
                found.append(f"{some(self.whole.found[bucket], 'item')} {told}: {_places(rows)}")
        if self.whole.unknown:
            listed = ", ".join(f"{r} '{t}' × {n:,}" for (r, t), n in sorted(self.whole.unknown.items())[:LISTED])
            found.append(f"labels that are not declared: {listed}")
        if self.decider.policies and len(self.settings.raters) > 2:
            found += [
                f"policy {name} looks at the reference and the first other rater only"
                for name, policy in self.decider.policies.items()
                if "candidate" in getattr(policy, "names", ())
            ]
        return found


def tell(story: ConsistencyResults, measurements: list[Measurement], gates: list[GateResult]) -> list[Section]:
    """The sections: red flags first, then what the numbers mean, then the rows."""
    sections = [
        _coverage(story),
        _red_flags(story),
        _meaning(story),
        coefficients(story, measurements),
        *_confusions(story),
        _pairwise(story, measurements),
        _abstain(story),
        _policies(story, measurements),
        policies(story),
        _validators(story),
        *_differing(story),
        browse(story),
    ]
    return [section for section in sections if section.blocks]


def _coverage(story: ConsistencyResults) -> Section:
    rows = [[bucket, f"{n:,}"] for bucket, n in story.counts.items()]
    section = Section("Coverage", [Table(["records", "n"], rows, "<>")])
    items = sum(story.audited.values())
    raters = ", ".join(story.settings.raters)
    section.blocks.append(Note(f"{some(items, 'item')}, labelled by {raters}; reference: {story.settings.reference}."))
    for bucket in TOLD:
        rows_found = story.whole.findings.get(bucket, [])
        if rows_found:
            shown = [[place, why] for place, why in rows_found[: story.limits.max_rows]]
            left = story.whole.found[bucket] - len(shown)
            section.blocks.append(Table(["where", bucket], shown, "<<", left_out=left))
    return section


def _red_flags(story: ConsistencyResults) -> Section:
    rows = []
    for i, flag in enumerate(FLAGS):
        seen = {p: n for p, n in story.audited.items() if p.shown[i]}
        if seen:
            valid = sum(n for p, n in seen.items() if story.settings.valid in p.labels)
            agreed = sum(n for p, n in seen.items() if p.agreed == story.settings.valid)
            rows.append([flag, f"{sum(seen.values()):,}", f"{valid:,}", f"{agreed:,}"])
    if not rows:
        return Section(RED_FLAGS)
    label = story.settings.valid
    columns = ["red flag", "items", f"some rater says {label}", f"all say {label}"]
    shown = sorted(story.whole.shows.get(RED_FLAGS, []), key=lambda show: not flagged(show.pattern, label))
    return Section(RED_FLAGS, [Table(columns, rows, "<>>>"), *decided(story, shown)], console=True)


def _meaning(story: ConsistencyResults) -> Section:
    """Remarks on what the coefficients mean here."""
    notes: list[str | None] = []
    for name in story.candidates:
        judged = story.overall[name]
        pair = judged.pair()
        if pair is None or not pair.n:
            continue
        notes += [diagnosis.paradox(pair, name), diagnosis.describe_costs(pair, name)]
        cells = {cell: p for cell, j in story.cells(name).items() if (p := j.pair()) is not None}
        ranked = [row for row in diagnosis.cell_costs(pair, cells) if row[2] > 0][:3]
        if len(cells) > 1 and ranked:
            listed = "; ".join(f"{_cell(cell)}: {some(n, 'item')}, {gain:.3f}" for cell, n, gain in ranked)
            notes.append(f"The cells that cost {name} most kappa: {listed}.")
    alike = story.whole.alike
    notes.append(diagnosis.same_texts(alike["same"], alike["reasons"], story.settings.raters))
    return Section("What the Numbers Mean", [Note(note) for note in notes if note], console=True)


def _confusions(story: ConsistencyResults) -> list[Section]:
    sections: list[Section] = []
    for name in story.candidates:
        pair = story.overall[name].pair()
        if pair is None or not pair.n:
            continue
        against = story.settings.reference
        k = [i for i in range(len(pair.labels)) if pair.rows[i] or pair.columns[i]]
        rows = [[pair.labels[i], *(f"{pair.table[i][j]:,}" for j in k), f"{pair.rows[i]:,}"] for i in k]
        rows.append(["all", *(f"{pair.columns[j]:,}" for j in k), f"{pair.n:,}"])
        matrix = Table([f"{name} \\ {against}", *(pair.labels[j] for j in k), "all"], rows, "<" + ">" * (len(k) + 1))
        own = [
            [pair.labels[i], f"{pair.table[i][i]:,}", _share(2 * pair.table[i][i], pair.rows[i] + pair.columns[i])]
            for i in k
        ]
        told = Table(
            ["label", "both", "specific agreement"], own, "<>>", "Of all times one gave it, how often both did."
        )
        costs = [[c.candidate, c.reference, f"{c.n:,}", fixed(c.gain, 4, signed=True)] for c in diagnosis.costs(pair)]
        most = story.limits.max_rows
        dear = Table([name, against, "items", "kappa lost"], costs[:most], "<<>>", left_out=max(0, len(costs) - most))
        blocks: list[Block] = [matrix, told, *([dear] if costs else [])]
        sections.append(Section(f"{name} against {against}", blocks, console=not sections))
        sections.append(confusion(name, against, pair))
    return sections


def _pairwise(story: ConsistencyResults, measurements: Sequence[Measurement]) -> Section:
    ratings = story.overall["all"].ratings.only(story.settings.raters)
    if len(ratings.raters) < 3:
        return Section("Every Two Raters")
    rows = [[c.one, c.other, f"{c.n:,}", _number(c.percent), _number(c.kappa)] for c in diagnosis.pairwise(ratings)]
    most = story.limits.max_rows
    table = Table(
        ["rater", "rater", "n", "percent agreement", "kappa"], rows[:most], "<<>>>", left_out=max(0, len(rows) - most)
    )
    return Section("Every Two Raters", [table], console=True)


def _abstain(story: ConsistencyResults) -> Section:
    if not story.settings.abstain:
        return Section("Abstentions")
    everyone = story.overall["all"].ratings.only(story.settings.raters)
    rows = []
    codes = {everyone.labels.index(label) for label in story.settings.abstain}
    for j, rater in enumerate(everyone.raters):
        n = sum(times for pattern, times in everyone.items() if pattern[j] in codes)
        rows.append([rater, f"{n:,}", _share(n, sum(t for p, t in everyone.items() if p[j] >= 0))])
    some = sum(times for pattern, times in everyone.items() if not codes.isdisjoint(pattern))
    rows.append(["either", f"{some:,}", _share(some, everyone.n)])
    if not some:
        return Section("Abstentions")
    ways = []
    for name in story.candidates:
        for how, pair in diagnosis.abstaining_ways(story.overall[name]):
            agreement, kappa = scorer.percent_agreement(pair.table), scorer.kappa(pair.table)
            ways.append([name, WAYS[how], f"{pair.n:,}", _number(agreement), _number(kappa)])
    columns = ["rater", "abstentions taken", "n", "percent agreement", "kappa"]
    blocks: list[Block] = [Table(["rater", "abstained", "rate"], rows, "<>>")]
    return Section("Abstentions", [*blocks, Table(columns, ways, "<<>>>")] if ways else blocks)


def _policies(story: ConsistencyResults, measurements: Sequence[Measurement]) -> Section:
    """What each policy would have shipped, side by side."""
    names = list(story.decider.policies)
    if not names or not story.audited:
        return Section("What Each Policy Decides")
    whys = story.decisions
    finals = [finals_of(why) for why in whys]
    overruled = sum(n for pattern, n in story.audited.items() if story.decider.overruled(pattern))
    labels = [
        label for label in (*story.settings.labels, *sorted(set().union(*finals))) if any(label in f for f in finals)
    ]
    rows = [[label, *(f"{found[label]:,}" for found in finals)] for label in dict.fromkeys(labels)]
    blocks: list[Block] = [Table(["final label", *names], rows, "<" + ">" * len(names))]
    reasons = [[name, *key, f"{n:,}"] for name, why in zip(names, whys, strict=True) for key, n in sorted(why.items())]
    blocks.append(Table(["policy", "final", "why", "items"], reasons, "<<<>"))
    blocks.append(
        Note(f"{names[0]} decides the column final of disagreements.tsv; it overrules {some(overruled, 'agreement')}.")
    )
    return Section("What Each Policy Decides", blocks, console=True)


def _validators(story: ConsistencyResults) -> Section:
    blocks: list[Block] = []
    idle = [name for name in story.validators if not story.whole.found[name]]
    if idle:
        blocks.append(Note(f"{', '.join(idle)}: {some(0, 'item')}."))
    for name in story.validators:
        found = story.whole.found[name]
        if not found:
            continue
        blocks.append(Note(f"{name}: {some(found, 'item')}."))
        shown = [[place, why] for place, why in story.whole.findings.get(name, [])[: story.limits.max_rows]]
        if shown:
            blocks.append(Table(["where", name], shown, "<<", left_out=found - len(shown)))
    return Section("Validators", blocks, console=bool(blocks))


def _differing(story: ConsistencyResults) -> list[Section]:
    shown = story.whole.shows.get(DIFFERING, [])
    if not shown:
        return []
    n = sum(times for p, times in story.audited.items() if p.differs)
    note = Note(
        f"{some(n, 'item')}; {len(shown)} shown, drawn by seed {story.settings.seed}. All are in disagreements.tsv."
    )
    return [Section(DIFFERING, [note, *decided(story, shown)])]


def _places(rows: Sequence[Finding]) -> str:
    listed = "; ".join(f"{place} {why}" for place, why in rows[:5])
    return listed + ("; …" if len(rows) > 5 else "")


def _cell(cell: Sequence[tuple[str, object]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in cell)


def _number(value: float | None) -> str:
    return "–" if value is None else fixed(value, 4)


def _share(part: int, n: int) -> str:
    return f"{part / n:.4f}" if n else "–"
